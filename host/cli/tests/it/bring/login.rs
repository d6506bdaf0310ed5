//! Logins as other tools keep them, for the registry that they are for.

use super::{adder, digest, project, tool};
use crate::program::{Home, Said};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ringfence_registry::Sha256;
use ringfence_tests::loopback::{Loopback, Reply};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

/// A registry that gives its component to `me` with `hunter2` alone.
fn registry() -> Loopback {
    let (registry, bytes) = (Loopback::start(), adder("add", ""));
    let layer = json!({ "mediaType": "application/wasm", "digest": Sha256::of(&bytes), "size": bytes.len() });
    let manifest = json!({ "schemaVersion": 2, "layers": [layer] }).to_string();
    let login = format!("Basic {}", STANDARD.encode("me:hunter2"));
    let guarded = |reply: Reply| {
        let wants = Reply::status(401).header("www-authenticate", "Basic realm=\"here\"");
        Reply::For(login.clone(), Box::new(reply), Box::new(wants))
    };
    registry.put("/v2/team/adder/manifests/1", guarded(Reply::ok(manifest)));
    registry.put(format!("/v2/team/adder/blobs/{}", Sha256::of(&bytes)), guarded(Reply::ok(bytes)));
    registry
}

fn add(home: &Home, registry: &Loopback, environment: &[(&str, &str)]) -> Said {
    let source = format!("oci://{}/team/adder:1", registry.host());
    let approve = digest(&adder("add", ""));
    let mut command = home.command(["tool", "add", &source, "--approve", &approve, "--project", "project"]);
    let said = home.said(command.envs(environment.iter().copied()).output().unwrap());
    assert!(!said.to_string().contains("hunter2"), "{said}");
    said
}

#[test]
fn without_a_login_the_ways_to_log_in_are_named() {
    let (home, registry) = (project(), registry());
    let said = add(&home, &registry, &[]);
    assert_eq!(said.code, 2, "{said}");
    for way in ["wants a login", "docker login 127.0.0.1:", "podman login", "RINGFENCE_REGISTRY_PASSWORD"] {
        assert!(said.err.contains(way), "{way}: {said}");
    }
}

#[test]
fn a_login_of_docker_s_podman_s_or_the_environment_is_used() {
    let registry = registry();
    let auths =
        json!({ "auths": { registry.host(): { "auth": STANDARD.encode("me:hunter2") } } }).to_string();
    let host = registry.host();
    let own = [
        ("RINGFENCE_REGISTRY_HOST", host.as_str()),
        ("RINGFENCE_REGISTRY_USER", "me"),
        ("RINGFENCE_REGISTRY_PASSWORD", "hunter2"),
    ];
    for (file, environment) in [
        (Some(".docker/config.json"), &[][..]),
        (Some("auth.json"), &[("REGISTRY_AUTH_FILE", "auth.json")]),
        (None, &own),
    ] {
        let home = project();
        if let Some(file) = file {
            home.write(file, &auths);
        }
        let said = add(&home, &registry, environment);
        assert_eq!(said.code, 0, "{file:?}: {said}");
        assert_eq!(tool(&home, &["call", "add", "--arg", "left=1", "--arg", "right=1"]).out, "2\n");
    }
}

#[test]
fn a_credential_helper_is_asked_and_what_it_says_is_not_repeated() {
    let registry = registry();
    let home = project();
    let config = json!({ "credHelpers": { registry.host(): "test" } }).to_string();
    home.write(".docker/config.json", config);
    let helper = |script: &str| {
        let path = home.write("bin/docker-credential-test", format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let path = format!("{}:/usr/bin:/bin", home.path().join("bin").display());
    helper("cat > /dev/null; echo 'the password is hunter2' >&2; exit 1");
    let said = add(&home, &registry, &[("PATH", &path)]);
    assert!(said.code == 2 && said.err.contains("`docker-credential-test` failed"), "{said}");
    helper("cat > /dev/null; echo '{\"Username\": \"me\", \"Secret\": \"hunter2\"}'");
    let said = add(&home, &registry, &[("PATH", &path)]);
    assert_eq!(said.code, 0, "{said}");
}

#[test]
fn a_login_of_another_registry_is_not_sent() {
    let (home, registry) = (project(), registry());
    let auths = json!({ "auths": { "registry.example.com": { "auth": STANDARD.encode("me:hunter2") } } });
    home.write(".docker/config.json", auths.to_string());
    let other = [
        ("RINGFENCE_REGISTRY_HOST", "r.example"),
        ("RINGFENCE_REGISTRY_USER", "me"),
        ("RINGFENCE_REGISTRY_PASSWORD", "hunter2"),
    ];
    assert_eq!(add(&home, &registry, &other).code, 2);
    assert!(registry.asked().iter().all(|asked| asked.header("authorization").is_none()));
}
