//! What a person allows during a run.

use crate::{asking, asks_first, line, outcomes, sample, shown};
use ringfence_tests::messages_api::MessagesApi;
use ringfence_tests::product::wait;
use serde_json::json;

#[test]
fn what_a_person_grants_holds_from_the_next_call_on_and_answers_nothing() {
    let (product, server) = (sample(), MessagesApi::start(asks_first("README.md")));
    let waiting = asking(&product, &server, &["--dir", "shop"]);
    let run = waiting.run_id();
    let command = line(&waiting, " grant ").replace("PATH", "README.md");
    let granted = product.run_printed(&command, &[]);
    assert_eq!(
        (granted.code, granted.stdout.as_str()),
        (Some(0), "granted: README.md (read)\n"),
        "{granted:?}"
    );
    let before = shown(&product, run);
    assert_eq!(before["stage"], "paused_for_review", "the question is still open");
    assert_eq!(
        before["granted"][0]["grant"],
        json!({ "what": "dir", "path": "README.md", "access": "read" })
    );

    let ended = product.run_printed(granted.printed_command("--answer"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.stdout.contains("Allowed by a person during the run:\n- README.md (read), by "),
        "{}",
        ended.stdout
    );
    let after = shown(&product, run);
    assert_eq!(outcomes(&after), ["done"]);
    let page = product.run(&["show", run], &[]).stdout;
    assert!(page.contains("\ngranted  README.md (read), by "), "{page}");
    let events = product.run(&["show", run, "--events"], &[]).stdout;
    assert!(events.contains("granted") && events.contains("allowed README.md (read)"), "{events}");
    let again = product.run(&["replay", run], &[]);
    assert_eq!(again.code, Some(0), "{again:?}");
}

#[test]
fn a_tool_that_a_grant_makes_possible_is_there_from_then_on() {
    let (product, server) = (sample(), MessagesApi::start(asks_first("README.md")));
    let waiting = asking(&product, &server, &["--dir", "shop"]);
    let run = waiting.run_id();
    let tools = || shown(&product, run)["state"]["settings"]["tools"].to_string();
    assert!(!tools().contains("edit_file"));
    let granted = product.run(&["grant", run, "--dir", "shop:write"], &[]);
    assert_eq!((granted.code, granted.stdout.as_str()), (Some(0), "granted: shop (write)\n"), "{granted:?}");
    assert!(tools().contains("edit_file"));
}

#[test]
fn without_the_grant_the_same_call_is_denied() {
    let (product, server) = (sample(), MessagesApi::start(asks_first("README.md")));
    let waiting = asking(&product, &server, &["--dir", "shop"]);
    let command = waiting.printed_command("--answer").replace("TEXT", "try it");
    let ended = product.run_printed(&command, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(outcomes(&shown(&product, waiting.run_id())), ["denied"]);
}

#[test]
fn a_fork_has_what_was_granted_before_it_left_and_no_more() {
    let (product, server) = (sample(), MessagesApi::start(asks_first("README.md")));
    let waiting = asking(&product, &server, &["--dir", "shop"]);
    let run = waiting.run_id();
    let events = shown(&product, run)["events"].as_u64().expect("a number");
    let granted = product.run(&["grant", run, "--dir", "README.md"], &[]);
    assert_eq!(granted.code, Some(0), "{granted:?}");
    for (at, count) in [(events, 0), (events + 1, 1)] {
        let forked = product.run(&["fork", run, "--at", &at.to_string(), "--no-run"], &[]);
        let shown = shown(&product, forked.stdout.trim());
        assert_eq!(shown["granted"].as_array().map(Vec::len), Some(count), "{shown}");
    }
}

#[test]
fn what_can_t_be_had_is_refused_and_journaled_nowhere() {
    let (product, server) = (sample(), MessagesApi::start(asks_first("README.md")));
    let waiting = asking(&product, &server, &["--dir", "shop"]);
    let run = waiting.run_id();
    let events = shown(&product, run)["events"].clone();
    for (flags, why) in [
        (&["--dir", "nowhere"][..], "there is no `nowhere` in the project"),
        (&["--dir", "../up"], "leaves the project folder"),
        (&["--dir", ".ringfence"], "Ringfence's own folder"),
        (&["--dir", "shop"], "granted already"),
        (&["--dir", "shop/api"], "lies in `shop`"),
        (&["--dir", "web", "--dir", "web"], "granted already"),
        (&["--dir", "web", "--allow-host", "example.com"], "must begin with https://"),
        (&["--dir", "web", "--allow-host", "http://localhost:8080"], "an address of this machine"),
        (&[], "<--dir <PATH[:ACCESS]>|--allow-host <URL>|--allow-env <NAME>>"),
    ] {
        let refused = product.run(&[&["grant", run][..], flags].concat(), &[]);
        assert!(refused.code == Some(2) && refused.stderr.contains(why), "{flags:?}: {refused:?}");
    }
    assert_eq!(shown(&product, run)["events"], events);
}

#[test]
fn a_host_is_granted_as_a_folder_is() {
    let (product, server) = (sample(), MessagesApi::start(asks_first("README.md")));
    let waiting = asking(&product, &server, &["--dir", "shop"]);
    let run = waiting.run_id();
    let granted = product.run(&["grant", run, "--allow-host", "https://api.example.com/v1"], &[]);
    assert_eq!(
        (granted.code, granted.stdout.as_str()),
        (Some(0), "granted: https://api.example.com/v1\n"),
        "{granted:?}"
    );
    let grant = json!({ "what": "host", "url": "https://api.example.com/v1" });
    assert_eq!(shown(&product, run)["granted"][0]["grant"], grant);
    for url in ["https://api.example.com/v1", "https://api.example.com/v1/more"] {
        let again = product.run(&["grant", run, "--allow-host", url], &[]);
        assert!(again.code == Some(2) && again.stderr.contains("granted already"), "{again:?}");
    }
    // As a refusal shows it.
    let table = r#"{ url = "http://127.0.0.1:9", methods = ["POST"], private = true }"#;
    let private = product.run(&["grant", run, "--allow-host", table], &[]);
    assert_eq!(private.stdout, "granted: http://127.0.0.1:9 (POST; private)\n", "{private:?}");
    let ended = product.run_printed(granted.printed_command("--answer"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn a_run_that_is_being_driven_has_to_be_stopped_first() {
    let (asked, is_asked) = std::sync::mpsc::channel();
    let (let_go, held) = std::sync::mpsc::channel::<()>();
    let mut model = asks_first("README.md");
    let server = MessagesApi::start(move |request| {
        let _ = asked.send(());
        let _ = held.recv();
        model(request)
    });
    let product = sample();
    let driven =
        product.start(&["run", "my_project", "Read the file", "--yes", "--dir", "shop"], &server.env());
    is_asked.recv().expect("the model is asked");
    let runs = product.run(&["runs", "--json"], &[]);
    let runs: serde_json::Value = serde_json::from_str(&runs.stdout).expect("JSON");
    let run = runs[0]["id"].as_str().expect("an id");
    let refused = product.run(&["grant", run, "--dir", "web"], &[]);
    assert!(refused.code == Some(2) && refused.stderr.contains("let it stop first"), "{refused:?}");
    drop(let_go);
    assert_eq!(wait(driven).code, Some(3));
    let granted = product.run(&["grant", run, "--dir", "web"], &[]);
    assert_eq!(granted.code, Some(0), "{granted:?}");
}

#[test]
fn a_run_that_has_ended_takes_no_grant() {
    let (product, server) = (sample(), MessagesApi::start(asks_first("README.md")));
    let waiting = asking(&product, &server, &["--dir", "shop"]);
    let aborted = product.run_printed(waiting.printed_command("--abort"), &server.env());
    assert_eq!(aborted.code, Some(1), "{aborted:?}");
    let refused = product.run(&["grant", waiting.run_id(), "--dir", "web"], &[]);
    assert!(refused.code == Some(2) && refused.stderr.contains("has ended"), "{refused:?}");
}

#[test]
fn a_tool_with_folders_of_its_own_keeps_to_them() {
    let (product, server) = (sample(), MessagesApi::start(asks_first("README.md")));
    crate::configure(&product, "[tools.read_file]\ndirs = [\"shop/api\"]\n");
    let waiting = asking(&product, &server, &["--dir", "shop"]);
    let granted = product.run(&["grant", waiting.run_id(), "--dir", "README.md"], &[]);
    assert_eq!(granted.code, Some(0), "{granted:?}");
    let ended = product.run_printed(granted.printed_command("--answer"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(outcomes(&shown(&product, waiting.run_id())), ["denied"]);
}
