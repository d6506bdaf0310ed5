//! What a tool could learn of the machine, of other runs and of earlier calls.

use crate::bench::{Fence, SECRET, lay_out, product};
use crate::guests::Guest;
use crate::threat::threats;
use ringfence_sandbox::{Limits, Outcome};
use ringfence_tests::messages_api::{Answer, MessagesApi, Stage};
use serde_json::{Value, json};
use std::fs;

threats! {
    "Reading the environment, the arguments, the working folder",
        EmptyWorld, "nothing of the host's"
        => EveryLanguage the_environment_and_the_arguments;
    "The same through the real binary, with a key in its environment",
        EmptyWorld, "nothing of the host's, neither in the result nor on standard error"
        => EveryLanguage a_key_in_the_binary_s_environment;
    "Reading the clocks to tell when and how fast it runs",
        EmptyWorld, "the same made-up time for equal calls"
        => EveryLanguage the_time_of_day;
    "Answering equal calls differently where they are to be answered alike: by clock, chance, order, what was kept",
        EmptyWorld, "the same answer each time"
        => EveryLanguage equal_calls_that_are_to_be_answered_alike;
    "Answering equal calls differently, so that a model that repeats itself seems to get somewhere",
        Limits, "a review of the run after so many equal calls, whatever they are answered; then a person"
        => RustAndC equal_calls_that_are_answered_differently;
    "Keeping a word from one call to the next",
        FreshInstance, "nothing that was kept"
        => EveryLanguage a_word_kept_from_an_earlier_call;
    "A file left for a later call: beside the source, in `/tmp`, in the home",
        Access, "that it can't be changed, or is outside the granted folders"
        => EveryLanguage a_file_left_for_a_later_call;
    "Leaving the process with any code",
        Trap, "that the tool crashed: it exited before it returned"
        => EveryLanguage leaving_the_process;
    "Crashing with a report of its own",
        Trap, "that the tool crashed, and what it printed"
        => EveryLanguage a_crash_with_a_report;
    "A refused read, and a crash or an answer after it",
        View, "the refusal is in the receipt all the same"
        => EveryLanguage a_refusal_that_is_followed_by_something_else;
    "Looking for the journal of runs, the confirmations, the cache of compiled code",
        StateFolder, "what was asked and what is granted"
        => EveryLanguage the_places_where_runs_are_kept;
    "More refusals than anybody reads: 5,000 of them",
        Cut, "the first of them, and how many are left out"
        => EveryLanguage thousands_of_refusals;
    "A state folder inside of what is granted",
        StateFolder, "that tools could read it there; nothing runs"
        => Binary a_state_folder_in_the_grant;
    "A state folder that is a link, or that others can enter",
        StateFolder, "what is wrong with it, and the command that mends it; nothing runs"
        => Binary a_state_folder_that_is_not_the_user_s_alone;
}

fn the_environment_and_the_arguments(guest: &Guest) {
    let called = Fence::new().call(guest, "surroundings", json!({}));
    let told = called.done().as_array().unwrap();
    for line in told {
        let line = line.as_str().unwrap();
        // What a language's own start leaves there is the component's, not the host's.
        let own = line == "folder /" || line.starts_with("PYTHON") || line.starts_with("COMPONENTIZE");
        assert!(own, "{line}: {called}");
    }
    for (name, value) in std::env::vars().filter(|(_, value)| value.len() > 8) {
        assert!(!called.done().to_string().contains(&value), "{name} was seen");
    }
}

fn a_key_in_the_binary_s_environment(guest: &Guest) {
    let product = product();
    lay_out(&product.home().join("project"));
    let component = guest.file.to_str().unwrap();
    let environment = [("ANTHROPIC_API_KEY", SECRET.to_owned()), ("MY_TOKEN", SECRET.to_owned())];
    for tool in ["surroundings", "clocks"] {
        let arguments = [
            "tool",
            "call",
            tool,
            "--project",
            "project",
            "--dir",
            "src",
            "--component",
            component,
            "--receipt",
        ];
        let ended = product.run(&arguments, &environment);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        for place in [SECRET, "MY_TOKEN", product.home().to_str().unwrap()] {
            assert!(!ended.stdout.contains(place) && !ended.stderr.contains(place), "{place}: {ended:?}");
        }
    }
}

fn the_time_of_day(guest: &Guest) {
    let fence = Fence::new();
    let first = fence.call(guest, "clocks", json!({}));
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let second = fence.call(guest, "clocks", json!({}));
    assert_eq!(first.done(), second.done());
    let real = Fence::with_real_time().call(guest, "clocks", json!({}));
    assert_ne!(real.done()[0], first.done()[0], "time that is granted is real");
}

fn equal_calls_that_are_to_be_answered_alike(guest: &Guest) {
    let fence = Fence::deterministic();
    for (tool, input) in [
        ("clocks", json!({})),
        ("surroundings", json!({})),
        ("remember", json!({ "word": "one" })),
        ("list_folder", json!({ "path": "src" })),
        ("crash", json!({ "text": "pwned" })),
    ] {
        let [first, second] = [(); 2].map(|()| fence.call(guest, tool, input.clone()).report);
        assert_eq!((&first.outcome, &first.stderr), (&second.outcome, &second.stderr), "{tool}");
    }
}

fn equal_calls_that_are_answered_differently(guest: &Guest) {
    let product = product();
    lay_out(&product.home().join("project"));
    let own = product.home().join(".config/ringfence");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("config.toml"), "[grants]\nentropy = true\n").unwrap();
    let server = MessagesApi::start(|asked| {
        // Seconds pass between equal calls.
        std::thread::sleep(std::time::Duration::from_millis(400));
        Answer::Json(match asked.stage {
            Some(Stage::Plan) => json!({
                "reasoning": "r", "new_sub_tasks": [{ "id": "t", "description": "d" }],
                "is_goal_achieved": false,
            }),
            Some(Stage::Decide) => json!({
                "reasoning": "r", "action": "clocks", "action_input": {}, "query_to_human": null,
                "confidence": "high",
            }),
            Some(Stage::Reflect) => {
                json!({ "assessment": "the same again", "instruction": "go on", "confidence": "high" })
            }
            _ => json!({
                "reasoning": "r", "sub_task_status": "needs_more_work", "summary": "s",
                "suggested_next_step": "", "confidence": "high",
            }),
        })
    });
    let component = guest.file.to_str().unwrap();
    let arguments = ["run", "project", "what time is it", "--dir", "src", "--yes", "--component", component];
    let ended = product.run(&arguments, &server.env());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert_eq!(server.asked_for(Stage::Reflect).len(), 1);
    let calls = server.asked_for(Stage::Decide).len();
    assert!(calls <= 12, "{calls} equal calls");
}

fn a_word_kept_from_an_earlier_call(guest: &Guest) {
    let fence = Fence::new();
    for word in ["one", "two", "three"] {
        let called = fence.call(guest, "remember", json!({ "word": word }));
        assert_eq!(called.done(), "", "{called}");
    }
}

fn a_file_left_for_a_later_call(guest: &Guest) {
    let fence = Fence::new();
    for path in ["src/left", "left", "/tmp/ringfence-left", "/root/left", "/home/left", "src/sub/../left"] {
        let called = fence.call(guest, "change", json!({ "how": "create", "path": path, "other": "" }));
        called.is_denied(&["read_only", "not_granted", "leaves_root"], &["src, read)"]);
        let later = fence.call(guest, "read_text", json!({ "path": path }));
        assert!(!matches!(later.report.outcome, Outcome::Done(_)), "{later}");
    }
}

fn leaving_the_process(guest: &Guest) {
    for code in [0, 1, 77] {
        Fence::new().call(guest, "leave", json!({ "code": code })).is_crash();
    }
}

fn a_crash_with_a_report(guest: &Guest) {
    let called = Fence::new().call(guest, "crash", json!({ "text": "pwned" }));
    // Python looks for its source to print it, which is refused: the crash is told before that.
    if guest.language != "python" {
        called.is_crash();
    }
    assert!(called.message().starts_with("the tool crashed: "), "{called}");
    assert!(called.report.crash.is_some() && called.report.stderr.contains("pwned"), "{called}");
}

fn a_refusal_that_is_followed_by_something_else(guest: &Guest) {
    let called = Fence::new().call(guest, "read_again", json!({ "path": "lib/secret.txt", "times": 3 }));
    assert!(called.done()[0].as_str().unwrap().starts_with("error: "), "{called}");
    assert_eq!(called.denials(), ["not_granted"], "equal ones once: {called}");
}

fn the_places_where_runs_are_kept(guest: &Guest) {
    let fence = Fence::granting(&["."]);
    let home = std::env::var("HOME").unwrap();
    for path in [
        ".ringfence/runs.db".to_owned(),
        "../.local/state/ringfence/runs.db".to_owned(),
        format!("{home}/.local/state/ringfence/runs.db"),
        format!("{home}/.cache/ringfence"),
        format!("{home}/.config/ringfence/config.toml"),
        "~/.config/ringfence/config.toml".to_owned(),
    ] {
        let called = fence.call(guest, "read_text", json!({ "path": path }));
        assert!(!matches!(called.report.outcome, Outcome::Done(_)), "{called}");
        assert!(called.report.receipt.opened.is_empty(), "{called}");
    }
}

fn thousands_of_refusals(guest: &Guest) {
    let fence = Fence::new().within(Limits { time_ms: 60_000, ..Limits::default() });
    for at in 0..5_000 {
        fence.link(&format!("src/{at}"), "../secret.txt");
    }
    let called = fence.call(guest, "look_at_all", json!({ "path": "src" }));
    let receipt = &called.report.receipt;
    assert!(
        receipt.denials.len() == 1_000 && receipt.omitted == 4_000,
        "{} {}",
        receipt.denials.len(),
        receipt.omitted
    );
    assert!(json!(receipt).to_string().len() < 1 << 20);
}

fn a_state_folder_in_the_grant() {
    let product = product();
    lay_out(&product.home().join("project"));
    let ended = product.run(&["run", "project", "--yes", "--state", "project/src/state"], &[]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.stderr.contains("lies in the granted folder") && ended.stderr.contains("--state DIR"),
        "{ended:?}"
    );
}

fn a_state_folder_that_is_not_the_user_s_alone() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let product = product();
    lay_out(&product.home().join("project"));
    fs::create_dir(product.home().join("open")).unwrap();
    fs::set_permissions(product.home().join("open"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("open", product.home().join("link")).unwrap();
    for (state, why) in [("open", "chmod 700"), ("link", "is a link"), ("link/", "is a link")] {
        let ended = product.run(&["run", "project", "--yes", "--state", state], &[]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(why), "{state}: {ended:?}");
    }
    assert_eq!(fs::read_dir(product.home().join("open")).unwrap().count(), 0);
    let shown: Value = serde_json::from_str(&product.run(&["runs", "--json"], &[]).stdout).unwrap();
    assert_eq!(shown, json!([]));
}
