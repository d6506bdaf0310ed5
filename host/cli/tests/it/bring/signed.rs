//! Sources that must be signed, by the user's own configuration.

use super::{adder, digest, lock, project, sum, tool};
use crate::program::Home;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::process::{Command, Stdio};

fn openssl(words: &[&str], home: &Home) -> Vec<u8> {
    let output = Command::new("openssl").args(words).current_dir(home.path()).stderr(Stdio::null()).output();
    let output = output.expect("openssl");
    assert!(output.status.success(), "{words:?}");
    output.stdout
}

/// Makes a key, and trusts it for what lies in `tools/`.
fn trust_a_key(home: &Home) {
    std::fs::create_dir_all(home.path().join("tools")).unwrap();
    openssl(&["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "k.pem"], home);
    let public = openssl(&["pkey", "-in", "k.pem", "-pubout"], home);
    home.write(".config/ringfence/k.pub", public);
    let tools = home.path().join("tools").display().to_string();
    let section = format!("[[trusted_keys]]\nsource = '{tools}'\nkey = 'k.pub'\n");
    home.write(".config/ringfence/config.toml", section);
}

fn sign(home: &Home) {
    let der = openssl(&["dgst", "-sha256", "-sign", "k.pem", "tools/a.wasm"], home);
    home.write("tools/a.wasm.sig", STANDARD.encode(der));
}

#[test]
fn an_unsigned_component_is_not_added_where_a_key_is_trusted() {
    let home = project();
    trust_a_key(&home);
    let bytes = adder("add", "");
    home.write("tools/a.wasm", &bytes);
    let add = || tool(&home, &["add", "tools/a.wasm", "--approve", &digest(&bytes)]);
    let said = add();
    assert!(said.code == 2 && said.err.contains("has no signature"), "{said}");
    assert_eq!(lock(&home), None);
    sign(&home);
    let said = add();
    assert!(said.code == 0 && said.out.contains("signed     yes, by the key sha256:"), "{said}");
    assert!(lock(&home).unwrap().contains("signed_by = \"sha256:"));
    assert_eq!(sum(&home, "add").out, "42\n");
}

#[test]
fn a_component_that_was_added_before_its_key_is_checked_before_it_runs_again() {
    let home = project();
    let bytes = adder("add", "");
    home.write("tools/a.wasm", &bytes);
    assert_eq!(tool(&home, &["add", "tools/a.wasm", "--approve", &digest(&bytes)]).code, 0);
    trust_a_key(&home);
    let said = sum(&home, "add");
    assert!(said.code == 2 && said.err.contains("no signature by it was checked here"), "{said}");
    let fetch = || home.run(["tool", "fetch", "project"]);
    assert!(fetch().err.contains("has no signature"));
    sign(&home);
    assert_eq!(fetch().code, 0);
    assert_eq!(sum(&home, "add").out, "42\n");
}

#[test]
fn a_key_that_can_t_be_used_is_an_error_and_no_key_less() {
    let home = project();
    trust_a_key(&home);
    home.write(".config/ringfence/k.pub", "no key");
    let said = home.run(["tool", "list", "project"]);
    assert!(said.code == 2 && said.err.contains("k.pub can't be used"), "{said}");
}

#[test]
fn a_key_for_what_isn_t_there_is_an_error_and_protects_nothing_silently() {
    let home = project();
    trust_a_key(&home);
    let section = "[[trusted_keys]]\nsource = 'registry.example.com/team/'\nkey = 'k.pub'\n";
    home.write(".config/ringfence/config.toml", section);
    let said = home.run(["tool", "list", "project"]);
    assert!(said.code == 2 && said.err.contains("write \"oci://registry.example.com/team/\""), "{said}");
}

/// An `openssl s_server` with a certificate that nobody vouches for.
struct Stranger(std::process::Child, String);

impl Stranger {
    fn start(home: &Home) -> Self {
        use std::io::{BufRead, BufReader};
        let make = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "1"];
        openssl(&[&make[..], &["-keyout", "tls.pem", "-out", "tls.crt"]].concat(), home);
        let mut command = Command::new("openssl");
        command.args(["s_server", "-accept", "127.0.0.1:0", "-key", "tls.pem", "-cert", "tls.crt", "-www"]);
        command.current_dir(home.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("openssl");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.find(|line| line.starts_with("ACCEPT ")).expect("it listens");
        Self(child, line["ACCEPT ".len()..].to_owned())
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_told_once() {
    let home = project();
    let server = Stranger::start(&home);
    let said = tool(&home, &["add", &format!("https://{}/x.wasm", server.1)]);
    assert!(said.code == 2 && said.err.contains("can't be reached"), "{said}");
    assert!(said.err.contains("certificate") && !said.err.contains("ERROR"), "{said}");
}
