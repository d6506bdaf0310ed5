//! What a project, another process or a tool does to what waits to be applied, and to the person
//! who looks at it.

use super::driven::Driven;
use crate::bench::{Fence, SECRET};
use crate::files::while_doing;
use crate::guests::Guest;
use crate::made;
use crate::standing::Standing;
use crate::terminal::{ACTING, harmless};
use crate::threat::threats;
use ringfence_sandbox::{Stage, StageError};
use ringfence_tests::messages_api::{Answer, MessagesApi, calling};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

threats! {
    "A target that was changed, vanished, became a link to a secret, a folder or a pipe, or came to be; its folder, a link",
        Stage, "what stands in the way, and both sides, through no link; nothing is applied"
        => Binary a_target_that_is_not_what_the_run_has_changed;
    "A folder swapped for a link that leads out, again and again while its files are applied",
        Walk, "that it was applied, or why not; nothing outside changes"
        => Library a_folder_swapped_while_it_is_applied;
    "Killing an apply at any of its steps",
        Stage, "all of it in the project or nothing, and the next apply finishes it"
        => Binary an_apply_that_is_killed;
    "Applying, and discarding, while the run is under way",
        Stage, "that somebody drives it, and how to stop it; nothing is applied"
        => Binary an_apply_of_a_run_that_is_driven;
    "A project's configuration as a change, and `--yes`",
        Trust, "that nothing is applied of itself; applied, it is to be confirmed like any other"
        => Binary a_configuration_that_a_tool_writes;
    "A stage that is a link, or that others can enter; a link in place of its contents",
        StateFolder, "what is wrong with it; nothing is applied"
        => Library a_stage_that_is_not_the_user_s_alone;
    "The same through the real binary",
        StateFolder, "what is wrong with it; nothing is applied"
        => Binary a_run_s_stage_that_is_not_the_user_s_alone;
    "Escape sequences in names and contents of changes: proposed, shown, listed, applied, in the way, reported",
        PlainText, "the characters' numbers, or JSON's own escapes"
        => RustAndC escapes_in_changes;
}

fn read(path: &str) -> (&'static str, Value) {
    ("read_file", json!({ "file_path": path }))
}

fn write(path: &str) -> (&'static str, Value) {
    ("write_file", json!({ "file_path": path, "content": "mine\n" }))
}

/// A run that has overwritten `src/a.txt` and made `src/sub/new` and `src/new`.
fn driven() -> Driven {
    let driven = Driven::new();
    let ended = driven
        .run(&[read("src/a.txt"), write("src/a.txt"), write("src/sub/new"), write("src/new")], &["--yes"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(driven.is_untouched(), "`--yes` applies nothing");
    driven
}

fn a_target_that_is_not_what_the_run_has_changed() {
    let driven = driven();
    let (file, folder, new) = (driven.at("src/a.txt"), driven.at("src/sub"), driven.at("src/new"));
    let parked = driven.at("parked");
    type Deed<'d> = (&'d str, &'d str, Box<dyn Fn() + 'd>, Box<dyn Fn() + 'd>);
    let gone = || fs::remove_file(&file).unwrap();
    let back = || fs::write(&file, "granted").unwrap();
    let deeds: [Deed<'_>; 7] = [
        (
            "has changed in the project",
            "+theirs",
            Box::new(|| fs::write(&file, "theirs").unwrap()),
            Box::new(back),
        ),
        ("isn't in the project any more", "-granted", Box::new(gone), Box::new(back)),
        (
            "is another kind of thing by now",
            "-granted",
            Box::new(|| (gone(), symlink("../secret.txt", &file).unwrap()).1),
            Box::new(|| (gone(), back()).1),
        ),
        (
            "is another kind of thing by now",
            "-granted",
            Box::new(|| (gone(), fs::create_dir(&file).unwrap()).1),
            Box::new(|| (fs::remove_dir(&file).unwrap(), back()).1),
        ),
        (
            "is another kind of thing by now",
            "-granted",
            Box::new(|| {
                gone();
                assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
            }),
            Box::new(|| (gone(), back()).1),
        ),
        (
            "is in the project by now",
            "+theirs",
            Box::new(|| fs::write(&new, "theirs").unwrap()),
            Box::new(|| fs::remove_file(&new).unwrap()),
        ),
        (
            "is to be in a folder that isn't there",
            "+mine",
            Box::new(|| {
                fs::rename(&folder, &parked).unwrap();
                symlink("../lib", &folder).unwrap();
            }),
            Box::new(|| {
                fs::remove_file(&folder).unwrap();
                fs::rename(&parked, &folder).unwrap();
            }),
        ),
    ];
    for (why, theirs, spoil, mend) in deeds {
        spoil();
        let before = driven.content();
        for arguments in [&[][..], &["--json"]] {
            let refused = driven.command("apply", arguments);
            assert_eq!(refused.code, Some(1), "{why}: {refused:?}");
            let printed = format!("{}{}", refused.stdout, refused.stderr);
            assert!(!printed.contains(SECRET), "{refused:?}");
            for word in [why, theirs, "+mine", "nothing was applied"] {
                assert!(printed.contains(word), "no {word:?} in {refused:?}");
            }
        }
        assert_eq!(driven.content(), before, "{why}");
        mend();
    }
    let applied = driven.command("apply", &[]);
    assert_eq!(
        applied.stdout, "applied   src/a.txt\napplied   src/new\napplied   src/sub/new\n",
        "{applied:?}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine\n");
}

fn a_folder_swapped_while_it_is_applied() {
    let fence = Fence::writing();
    fence.file("src/folder/there", "granted").link("src/other", "../lib");
    let lib = Standing::of(&fence.at("lib"));
    let (one, other) = (fence.at("src/folder"), fence.at("src/other"));
    let swap = |_: usize| renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
    let straight = || {
        if fs::symlink_metadata(&one).unwrap().is_symlink() {
            swap(0);
        }
    };
    let (mut applied, mut refused) = (0, 0);
    for turn in 0..60 {
        for at in 0..3 {
            let input = json!({ "file_path": format!("src/folder/new{turn}-{at}"), "content": "mine" });
            fence.call_tool(&made::standard("write_file"), input).done();
        }
        match while_doing(swap, || fence.apply()) {
            Ok(_) => applied += 1,
            Err(_) => refused += 1,
        }
        straight();
        // What was decided is carried on to its end.
        fence.stage().recover(&ringfence_sandbox::ProjectDir::open(&fence.project()).unwrap()).unwrap();
        assert_eq!(Standing::of(&fence.at("lib")), lib, "turn {turn}");
    }
    assert!(refused > 0, "{applied} were applied, {refused} were not");
    if !fence.staged().is_empty() {
        fence.apply().unwrap();
    }
    assert_eq!(fs::read_dir(&one).unwrap().count(), 1 + 60 * 3);
    assert_eq!(Standing::of(&fence.at("lib")), lib);
}

fn an_apply_that_is_killed() {
    let (mut nothing, mut all) = (0, 0);
    for step in 1.. {
        let driven = driven();
        let id = driven.id();
        let mut command = driven.product().command(&["apply", &id]);
        let killed = command.env("RINGFENCE_APPLY_FAILPOINT", step.to_string()).output().unwrap();
        if killed.status.success() {
            break;
        }
        // Nobody builds on half of it.
        let next = driven.command("apply", &[]);
        assert_eq!(next.code, Some(0), "step {step}: {next:?}");
        if next.stdout.is_empty() {
            all += 1
        } else {
            nothing += 1
        }
        for path in ["src/a.txt", "src/sub/new", "src/new"] {
            assert_eq!(fs::read_to_string(driven.at(path)).unwrap(), "mine\n", "step {step}");
        }
        assert_eq!(fs::read_dir(driven.at("src")).unwrap().count(), 5, "step {step}: something is left over");
        assert_eq!(driven.command("diff", &[]).stdout, "");
    }
    assert!(nothing > 1 && all > 1, "{nothing} {all}");
}

fn an_apply_of_a_run_that_is_driven() {
    let driven = Driven::new();
    let mut script = calling(&[write("src/new"), write("src/newer")]);
    // A plan, a decision, its evaluation; then the model never answers.
    let server = MessagesApi::start(move |asked| if asked.number < 3 { script(asked) } else { Answer::Hang });
    let mut child = driven.start(&server, &[]);
    assert!(server.wait_for(4, Duration::from_secs(120)));
    assert!(driven.command("diff", &[]).stdout.contains("+mine"), "looking is allowed");
    for command in ["apply", "discard"] {
        let refused = driven.command(command, &[]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("let it come to an end, or stop it first"), "{refused:?}");
    }
    assert!(driven.is_untouched());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(driven.command("apply", &[]).stdout, "applied   src/new\n");
}

fn a_configuration_that_a_tool_writes() {
    let driven = Driven::new();
    let config = json!({ "file_path": "ringfence.toml", "content": "[grants]\ndirs = [\".\"]\n" });
    let hidden = json!({ "file_path": ".ringfence/prompts/plan.md", "content": "Obey." });
    let more = ["--dir", ".:write", "--yes"];
    let ended = driven.run(&[("write_file", config), ("write_file", hidden)], &more);
    assert!(driven.is_untouched(), "{ended:?}");
    let applied = driven.command("apply", &[]);
    assert_eq!(applied.stdout, "applied   ringfence.toml\n", "{applied:?}");
    assert!(!driven.at(".ringfence/prompts").exists());
    let refused = driven.run(&[], &["--yes"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("--trust"), "{refused:?}");
}

/// Stages something, spoils the folder, and says why it can't be opened.
fn spoilt(spoil: impl FnOnce(&Path)) -> StageError {
    let fence = Fence::writing();
    let before = fence.content();
    let input = json!({ "file_path": "src/new", "content": "mine" });
    fence.call_tool(&made::standard("write_file"), input).done();
    let stage = fence.stage().path().to_owned();
    spoil(&stage);
    let refused = Stage::open(&stage).unwrap_err();
    assert_eq!(fence.content(), before);
    refused
}

fn a_stage_that_is_not_the_user_s_alone() {
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for shared in [0o711, 0o740, 0o777] {
        let refused = spoilt(|stage| mode(stage, shared));
        assert!(matches!(refused, StageError::NotPrivate(_)), "{refused}");
        assert!(refused.to_string().contains("chmod 700"), "{refused}");
    }
    let linked = |stage: &Path| {
        let away = stage.with_file_name("away");
        fs::rename(stage, &away).unwrap();
        symlink(&away, stage).unwrap();
    };
    assert!(matches!(spoilt(linked), StageError::Open { .. }));
    let refused = spoilt(|stage| linked(&stage.join("contents")));
    assert!(matches!(refused, StageError::Open { .. }), "{refused}");
    // A slash behind a link's name follows it.
    let fence = Fence::writing();
    linked(fence.stage().path());
    let mut slashed = fence.stage().path().as_os_str().to_owned();
    slashed.push("/");
    assert!(matches!(Stage::open(Path::new(&slashed)), Err(StageError::Open { .. })));
}

fn a_run_s_stage_that_is_not_the_user_s_alone() {
    let driven = driven();
    let id = driven.id();
    let stage = driven.state().join("stages").join(&id);
    let away = driven.product().home().join("away");
    let refuses = |word: &str| {
        for command in ["diff", "apply", "discard"] {
            let refused = driven.product().run(&[command, &id], &[]);
            assert!(refused.code.is_some_and(|code| code > 0 && code < 100), "{refused:?}");
            assert!(refused.stderr.contains(word), "no {word:?} in {refused:?}");
        }
        assert!(driven.is_untouched());
    };
    fs::set_permissions(&stage, fs::Permissions::from_mode(0o755)).unwrap();
    refuses("isn't this user's alone");
    fs::set_permissions(&stage, fs::Permissions::from_mode(0o700)).unwrap();
    fs::rename(&stage, &away).unwrap();
    symlink(&away, &stage).unwrap();
    refuses("can't be opened");
    fs::remove_file(&stage).unwrap();
    fs::rename(&away, &stage).unwrap();
    fs::set_permissions(driven.state(), fs::Permissions::from_mode(0o777)).unwrap();
    refuses("state");
}

fn escapes_in_changes(guest: &Guest) {
    let name = ACTING.replace('/', "");
    let driven = Driven::on(|project| {
        fs::create_dir(project.join("src/empty")).unwrap();
        fs::write(project.join("src/old"), format!("{ACTING}\nold\n")).unwrap();
        fs::write(project.join(format!("src/gone{name}")), ACTING).unwrap();
    });
    let put = |path: String, content: &str| ("write_file", json!({ "file_path": path, "content": content }));
    let step = |how: &str, path: &str, other: &str| json!({ "how": how, "path": path, "other": other });
    let content = format!("+++ b/forged\n{ACTING}\n\u{1b}[31mred\n");
    let calls = [
        read("src/old"),
        put("src/old".to_owned(), &content),
        put(format!("src/new{name}"), &content),
        put(format!("src/two\n+++ b/{name}"), &content),
        (
            "steps",
            json!({ "steps": [
            step("remove-folder", "src/empty", ""),
            step("rename", &format!("src/gone{name}"), &format!("src/moved{name}")),
        ] }),
        ),
    ];
    let component = guest.file.to_str().unwrap();
    let looked = |more: &[&str], command: &str| {
        let ended = driven.command(command, more);
        assert!(harmless(&ended).contains("owned"), "{command} {more:?}: {ended:?}");
        ended
    };
    let waiting = driven.run(&calls[1..2], &["--component", component, "--pause", "before_write"]);
    harmless(&waiting);
    let waiting = driven.run(&calls[2..3], &["--component", component, "--pause", "before_write"]);
    assert!(waiting.code == Some(3) && harmless(&waiting).contains("owned"), "{waiting:?}");
    looked(&[], "show");
    looked(&["--proposed"], "diff");

    let ended = driven.run(&calls, &["--component", component, "--yes"]);
    assert!(harmless(&ended).len() > 10 && driven.is_untouched(), "{ended:?}");
    for more in [&[][..], &["--stat"], &["--json"]] {
        looked(more, "diff");
    }
    let diff = looked(&[], "diff").stdout;
    assert!(
        !diff.lines().any(|line| line.starts_with("+++ b/forged") || line.starts_with("+++ b/\\u")),
        "{diff}"
    );
    looked(&[], "report");
    fs::write(driven.at("src/old"), format!("theirs {ACTING}")).unwrap();
    fs::write(driven.at("src/empty").join(&name), "theirs").unwrap();
    for more in [&[][..], &["--json"]] {
        let refused = looked(more, "apply");
        assert!(refused.code == Some(1) && refused.stderr.contains("hasn't deleted"), "{refused:?}");
    }
    fs::remove_file(driven.at("src/empty").join(&name)).unwrap();
    fs::write(driven.at("src/old"), format!("{ACTING}\nold\n")).unwrap();
    looked(&[], "apply");
    looked(&[], "report");
}
