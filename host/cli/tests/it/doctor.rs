//! `doctor` tries the real thing.

use crate::program::Home;
use std::os::unix::fs::PermissionsExt;

#[test]
fn every_check_passes_on_a_sound_machine() {
    let home = Home::new();
    let said = home.run(["doctor", "--json"]);
    assert_eq!(said.code, 0, "{said}");
    let checks: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let status = |name: &str| {
        let checks = checks.as_array().unwrap();
        checks
            .iter()
            .find(|check| check["name"] == name)
            .map(|check| check["status"].as_str().unwrap().to_owned())
    };
    for name in ["version", "state", "code cache", "sandbox", "fence", "configuration"] {
        assert_eq!(status(name).as_deref(), Some("ok"), "{name}: {said}");
    }
    assert_eq!(status("model").as_deref(), Some("note"));
    let said = home.run(["doctor"]);
    assert_eq!((said.code, said.out.lines().count()), (0, checks.as_array().unwrap().len()), "{said}");
}

#[test]
fn a_model_is_named_and_its_key_is_not() {
    let home = Home::new();
    let output = home.command(["doctor"]).env("ANTHROPIC_API_KEY", "sk-very-private").output().unwrap();
    let said = home.said(output);
    assert!(said.out.contains("anthropic"), "{said}");
    assert!(!said.out.contains("sk-very-private") && !said.err.contains("sk-very-private"));
}

#[test]
fn a_bad_state_folder_fails_with_what_to_do() {
    let home = Home::new();
    let state = home.path().join("st");
    std::fs::create_dir(&state).unwrap();
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o777)).unwrap();
    let said = home.run(["doctor", "--state", "st"]);
    assert_eq!(said.code, 1, "{said}");
    assert!(said.out.contains("FAILED  state") && said.out.contains("chmod 700"), "{said}");
}
