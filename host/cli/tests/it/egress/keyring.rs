//! A secret of a real keyring: GNOME's, on a session bus of the test's own.

use super::{VALUE, World};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

const PASSWORD: &str = "of the keyring";

/// A session bus with a keyring on it; both end with it.
struct Session {
    address: String,
    bus: Child,
    keyring: Child,
}

/// Starts a program in the world's home and waits for its first line.
fn begun(command: &mut Command, stdin: &str) -> (Child, String) {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    let mut line = String::new();
    let mut lines: BufReader<ChildStdout> = BufReader::new(child.stdout.take().unwrap());
    lines.read_line(&mut line).unwrap();
    assert!(!line.is_empty(), "{command:?} said nothing");
    (child, line.trim_end().to_owned())
}

impl Session {
    /// `unlocked`: with the password, which makes the keyring the first time.
    fn of(world: &World, unlocked: bool) -> Self {
        let home = world.home.path();
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--session", "--nofork", "--print-address=1"]);
        bus.arg(format!("--address=unix:path={}", home.join("bus").display()));
        let (bus, address) = begun(bus.env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin"), "");
        let mut keyring = Command::new("gnome-keyring-daemon");
        keyring.args(["--foreground", "--components=secrets"]);
        keyring.args(unlocked.then_some("--unlock"));
        keyring.env_clear().env("HOME", home).env("DBUS_SESSION_BUS_ADDRESS", &address);
        let (keyring, _) = begun(&mut keyring, if unlocked { PASSWORD } else { "" });
        Self { address, bus, keyring }
    }

    fn store(&self, attributes: &[&str], value: &str) {
        let mut store = Command::new("secret-tool");
        store.args(["store", "--label=of the tests"]).args(attributes);
        store.env("DBUS_SESSION_BUS_ADDRESS", &self.address).stdin(Stdio::piped());
        let mut store = store.spawn().unwrap();
        store.stdin.take().unwrap().write_all(value.as_bytes()).unwrap();
        assert!(store.wait().unwrap().success());
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for child in [&mut self.keyring, &mut self.bus] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

const KEY: &[&str] = &["service", "ringfence", "username", "key"];

#[test]
#[ignore = "wants dbus, gnome-keyring and libsecret-tools"]
fn a_secret_of_a_keyring_goes_out_and_is_seen_nowhere() {
    let world = World::new();
    world.configure_with_secret("keyring = \"ringfence/key\"");
    let session = Session::of(&world, true);
    let bus = [("DBUS_SESSION_BUS_ADDRESS", &*session.address)];
    let said = world.ask(&[], &bus);
    assert!(said.code == 2 && said.err.contains("the keyring has no entry `ringfence/key`"), "{said}");
    assert!(said.err.contains("secret-tool store"), "{said}");

    session.store(KEY, VALUE);
    let said = world.ask(&[], &bus);
    assert_eq!(said.code, 0, "{said}");
    assert!(world.server.heard().last().unwrap().contains(&format!("authorization: Bearer {VALUE}\r\n")));
    assert!(!format!("{said}").contains(VALUE), "{said}");
    let said = world.home.said(world.home.command(["doctor"]).envs(bus).output().unwrap());
    assert!(said.out.contains("key") && !format!("{said}").contains(VALUE), "{said}");

    session.store(&[KEY, &["of", "another"]].concat(), "another-secret");
    let said = world.ask(&[], &bus);
    assert!(said.code == 2 && said.err.contains("several entries `ringfence/key`"), "{said}");
    assert_eq!(world.server.heard().len(), 1);
}

#[test]
#[ignore = "wants dbus, gnome-keyring and libsecret-tools"]
fn a_locked_keyring_that_nobody_unlocks_is_an_error_before_anything_runs() {
    let world = World::new();
    world.configure_with_secret("keyring = \"ringfence/key\"");
    Session::of(&world, true).store(KEY, VALUE);
    let session = Session::of(&world, false);
    let said = world.ask(&[], &[("DBUS_SESSION_BUS_ADDRESS", &*session.address)]);
    assert!(said.code == 2 && said.err.contains("the keyring is locked, and was not unlocked"), "{said}");
    assert!(world.server.heard().is_empty());
}

#[test]
fn a_keyring_that_can_t_be_reached_is_an_error_before_anything_runs() {
    let world = World::new();
    world.configure_with_secret("keyring = \"ringfence/key\"");
    let said = world.ask(&[], &[("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")]);
    assert!(
        said.code == 2 && said.err.contains("the secret `key` can't be used: no keyring answers"),
        "{said}"
    );
    assert!(world.server.heard().is_empty());
}
