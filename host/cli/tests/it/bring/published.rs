//! A component published in a real registry, and brought from there.

use super::{adder, follow, lock, project, sum, tool};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

struct Registry(Child, String);

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn registry(folder: &std::path::Path) -> Registry {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (host, store) = (format!("127.0.0.1:{port}"), folder.join("store"));
    let config = format!(
        "version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {}\nhttp:\n  addr: {host}\n",
        store.display()
    );
    std::fs::write(folder.join("registry.yml"), config).unwrap();
    let mut command = Command::new("docker-registry");
    command.arg("serve").arg(folder.join("registry.yml")).stdout(Stdio::null()).stderr(Stdio::null());
    let registry = Registry(command.spawn().expect("docker-registry"), host);
    for _ in 0..200 {
        if TcpStream::connect(&registry.1).is_ok() {
            return registry;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("the registry doesn't listen");
}

#[test]
#[ignore = "needs docker-registry"]
fn a_published_component_is_added_updated_and_fetched_elsewhere() {
    let home = project();
    let registry = registry(home.path());
    let reference = format!("oci://{}/team/adder:1.0", registry.1);
    let push = |bytes: Vec<u8>| {
        home.write("adder.wasm", bytes);
        let said =
            home.run(["tool", "push", "adder.wasm", &reference, "--title", "Adds", "--version", "1.0"]);
        assert_eq!(said.code, 0, "{said}");
        said.out.trim().to_owned()
    };
    let first = push(adder("add", ""));
    assert!(first.starts_with(&format!("oci://{}/team/adder@sha256:", registry.1)), "{first}");
    let added = follow(&home, &tool(&home, &["add", &reference]));
    assert_eq!(added.code, 0, "{added}");
    assert!(lock(&home).unwrap().contains(&format!("resolved = \"{first}\"")));
    assert_eq!(sum(&home, "add").out, "42\n");

    let second = push(adder("sum", ""));
    assert_eq!(sum(&home, "add").out, "42\n", "a tag that moves changes nothing here");
    let other = project();
    other.write("project/ringfence.lock", lock(&home).unwrap());
    let said = other.run(["tool", "fetch", "project"]);
    let hash: String = said.err.split("--trust ").nth(1).unwrap().chars().take(64).collect();
    let said = other.run(["tool", "fetch", "project", "--allow-local", "--trust", &hash]);
    assert_eq!(said.code, 0, "{said}");
    assert_eq!(sum(&other, "add").out, "42\n", "the digest is fetched, not the tag");

    let said = tool(&home, &["update", "--allow-local"]);
    assert!(said.code == 2 && said.out.contains("tools that are new: sum"), "{said}");
    assert_eq!(follow(&home, &said).code, 0);
    assert!(lock(&home).unwrap().contains(&second));
    assert_eq!(sum(&home, "sum").out, "42\n");
}
