//! What a tool, or somebody at the project, makes of an apply that was cut off.

use super::driven::Driven;
use crate::guests::Guest;
use crate::threat::threats;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;

threats! {
    "Deleting a file, and keeping the apply that does from its end by a link in its way, until it is given up",
        Stage, "that the file was deleted and is put back, or where it is kept"
        => RustAndC a_deletion_that_was_given_up;
}

fn a_deletion_that_was_given_up(guest: &Guest) {
    let (mut back, mut kept) = (0, 0);
    for (step, is_in_the_way) in (1..).flat_map(|step| [(step, false), (step, true)]) {
        let driven = Driven::on(|project| fs::write(project.join("src/gone.txt"), "the only copy").unwrap());
        let step_of = |how: &str, path: &str| json!({ "how": how, "path": path, "other": "" });
        let deleting =
            json!({ "steps": [step_of("read", "src/gone.txt"), step_of("remove", "src/gone.txt")] });
        let new = json!({ "file_path": "src/sub/new", "content": "mine" });
        let more = ["--yes", "--component", guest.file.to_str().unwrap()];
        let ended = driven.run(&[("steps", deleting), ("write_file", new)], &more);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let mut command = driven.product().command(&["apply", &driven.id()]);
        let killed = command.env("RINGFENCE_APPLY_FAILPOINT", step.to_string()).output().unwrap();
        if killed.status.success() {
            break;
        }
        let file = driven.at("src/gone.txt");
        let was_deleted = !file.exists();
        if was_deleted && is_in_the_way {
            fs::write(&file, "another").unwrap();
        }
        fs::rename(driven.at("src/sub"), driven.at("elsewhere")).unwrap();
        symlink("../elsewhere", driven.at("src/sub")).unwrap();
        let discarded = driven.command("discard", &["--json"]);
        assert_eq!(discarded.code, Some(0), "{discarded:?}");
        let told: Value = serde_json::from_str(&discarded.stdout).unwrap();
        let deleted = &told["given_up"]["deleted"];
        match (was_deleted, is_in_the_way) {
            // Not at all, or by this command, which tried to finish the apply before it gave it up.
            (false, _) => assert_eq!(fs::read_to_string(&file).unwrap(), "the only copy", "{told}"),
            // All was done before it was killed.
            (true, _) if told.get("given_up").is_none() => {}
            (true, false) => {
                assert_eq!(*deleted, json!([{ "path": "src/gone.txt", "now": "put_back" }]), "{step}");
                assert_eq!(fs::read_to_string(&file).unwrap(), "the only copy");
                assert!(discarded.stderr.contains("is put back"), "{discarded:?}");
                back += 1;
            }
            (true, true) => {
                let at = deleted[0]["at"].as_str().unwrap();
                assert_eq!(fs::read_to_string(at).unwrap(), "the only copy");
                assert_eq!(fs::read_to_string(&file).unwrap(), "another");
                assert!(discarded.stderr.contains(at), "{discarded:?}");
                kept += 1;
            }
        }
        assert_eq!(driven.command("diff", &[]).stdout, "");
    }
    assert!(back > 0 && kept > 0, "{back} {kept}");
}
