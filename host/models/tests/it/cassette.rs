//! Recording exchanges and replaying them.

use crate::anthropic_requests::{schema, stage};
use crate::loopback::{anthropic, asked, conversation, one_stage, results, user};
use ringfence_models::{
    CassetteError, Model, ModelError, Playbook, Recording, Replaying, Request, Secret, Turn,
};
use ringfence_tests::messages_api::{Answer, Called, KEY, MessagesApi};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

fn tape() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("run.jsonl");
    (folder, path)
}

fn recorder(server: &MessagesApi, path: &PathBuf) -> Recording {
    Recording::new(Arc::new(anthropic(server)), path).unwrap()
}

fn with_user(text: &str) -> Request {
    asked(stage("You choose.\nCarefully.", text, schema()))
}

async fn drift(recorded: Request, asked: Request) -> String {
    let (_folder, path) = tape();
    let server = MessagesApi::queue([Answer::text("{}")]);
    recorder(&server, &path).complete(recorded).await.unwrap();
    let error = Replaying::open(&path).unwrap().complete(asked).await.unwrap_err();
    assert!(matches!(error.cause(), ModelError::Unsupported { .. }), "{error}");
    error.to_string()
}

#[tokio::test]
async fn what_was_recorded_is_replayed_without_any_network() {
    let (_folder, path) = tape();
    let server = MessagesApi::queue([
        Answer::text("{\"first\":1}"),
        Answer::text("{\"second\":2}"),
        Answer::calls("I look.", [Called::new("read_file", "{\"path\": \"unfin")]),
        Answer::text("done"),
        Answer::SpendLimit,
    ]);
    let recorder = recorder(&server, &path);
    let mut turns = vec![user("go")];
    let mut outcomes = Vec::new();
    outcomes.push(recorder.complete(one_stage()).await);
    outcomes.push(recorder.complete(one_stage()).await);
    let called = recorder.complete(conversation(turns.clone())).await.unwrap();
    let said = Turn::Model {
        text: called.text.clone(),
        calls: called.calls.clone(),
        content: called.content.clone(),
    };
    turns.extend([said, results(&called.calls)]);
    outcomes.push(recorder.complete(conversation(turns.clone())).await);
    outcomes.push(recorder.complete(with_user("last")).await);
    assert!(matches!(outcomes[3], Err(ModelError::Refused { status: 429, .. })));
    let price = recorder.price("act", None);
    drop((recorder, server));

    let replay = Replaying::open(&path).unwrap();
    assert_eq!(replay.identity(), "cassette anthropic claude-sonnet-5-5");
    assert_eq!(replay.price("act", None), price);
    assert!(price.is_some());
    assert_eq!(replay.price("plan", None), price, "a stage that can't be answered hinders no limit of money");
    assert!(!replay.reads_facts());
    assert_eq!(replay.left(), 5);
    // In another order: only identical requests have one among themselves.
    assert_eq!(replay.complete(with_user("last")).await, outcomes[3]);
    assert_eq!(replay.complete(conversation(turns)).await, outcomes[2]);
    assert_eq!(replay.complete(conversation(vec![user("go")])).await.unwrap(), called);
    let with_facts = Request { facts: json!({ "stage": "act" }), ..one_stage() };
    assert_eq!(replay.complete(with_facts).await, outcomes[0]);
    assert_eq!(replay.complete(one_stage()).await, outcomes[1]);
    assert_eq!(replay.left(), 0);
    let error = replay.complete(one_stage()).await.unwrap_err().to_string();
    assert!(error.contains("the same request was recorded 2 times and is asked once more"), "{error}");
}

#[tokio::test]
async fn a_prompt_that_drifted_is_shown_at_its_first_differing_line() {
    let error = drift(with_user("Goal\nlook\nend"), with_user("Goal\nlook hard\u{1b}[2J\nend")).await;
    assert!(error.starts_with("stage act isn't as the cassette "), "{error}");
    assert!(
        error.ends_with(
            ": the user text line 2 was “look” and is “look hard[2J”; record it anew if that is meant"
        ),
        "{error}"
    );
    let longer = drift(with_user("Goal"), with_user("Goal\nmore")).await;
    assert!(longer.contains("the user text line 2") && longer.contains("is “more”"), "{longer}");
    let system = asked(stage("You choose.\nFast.", "x", schema()));
    let error = drift(with_user("x"), system).await;
    assert!(error.contains("the system text line 2 was “Carefully.” and is “Fast.”"), "{error}");
    let mut other = schema();
    other["properties"]["confidence"]["enum"] = json!(["low"]);
    let error = drift(with_user("x"), asked(stage("You choose.\nCarefully.", "x", other))).await;
    assert!(error.contains("the schema line "), "{error}");
    let capped = Request { max_tokens: 9, ..with_user("x") };
    let error = drift(with_user("x"), capped).await;
    assert!(error.contains("the cap on tokens line 1 was “1000” and is “9”"), "{error}");
    let expert = Request { expert: Some("security".into()), ..with_user("x") };
    let error = drift(with_user("x"), expert).await;
    assert!(error.contains("the expert line 1 was “(none)” and is “security”"), "{error}");
    let error = drift(conversation(vec![user("a")]), conversation(vec![user("b")])).await;
    assert!(error.contains("turn 1 line 2 was “a” and is “b”"), "{error}");
    let asked_again = drift(conversation(vec![user("a")]), with_user("x")).await;
    assert!(asked_again.contains("the system text line 1 was “You act.”"), "{asked_again}");
    let said = Turn::Model { text: "b".into(), calls: Vec::new(), content: None };
    let error = drift(conversation(vec![user("a")]), conversation(vec![user("a"), said, user("c")])).await;
    assert!(error.contains(": turn 2 is new;"), "{error}");
    let (long, longer) = ("x".repeat(5_000), "x".repeat(5_000) + "end");
    let error = drift(with_user(&long), with_user(&longer)).await;
    assert!(error.contains("xend”") && error.chars().count() < 500, "{error}");
    let elsewhere = Request { stage: "plan".into(), ..with_user("x") };
    let error = drift(with_user("x"), elsewhere).await;
    assert!(error.contains("stage plan ") && error.contains("no request of this stage"), "{error}");
}

#[tokio::test]
async fn the_file_is_its_owners_alone_and_has_one_exchange_a_line() {
    let (_folder, path) = tape();
    let server = MessagesApi::queue([Answer::text("{\"a\":\n1}"), Answer::text("{}")]);
    let recorder = recorder(&server, &path);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    for count in 1..=2 {
        let request = Request { facts: json!({ "big": "fact" }), ..one_stage() };
        recorder.complete(request).await.unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 1 + count, "each exchange is there at once");
        assert!(text.ends_with('\n') && !text.contains("big"));
    }
    let text = fs::read_to_string(&path).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(
        header,
        json!({ "cassette": 1, "identity": "anthropic claude-sonnet-5-5", "reads_facts": false })
    );
}

#[tokio::test]
async fn no_secret_gets_into_the_file() {
    let (_folder, path) = tape();
    let echo = json!({ "reasoning": KEY }).to_string();
    let server = MessagesApi::queue([Answer::text(echo), Answer::text("{}")]);
    let recorder = recorder(&server, &path).without([Secret::new(KEY)]);
    recorder.complete(one_stage()).await.unwrap();
    recorder.complete(with_user(&format!("a file says {KEY}"))).await.unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains(KEY) && text.contains("a file says [secret]"), "{text}");
}

#[tokio::test]
async fn a_recording_is_gone_on_with_after_a_crash() {
    let (_folder, path) = tape();
    let server = MessagesApi::queue([Answer::text("{\"a\":1}"), Answer::text("{\"b\":2}")]);
    recorder(&server, &path).complete(with_user("a")).await.unwrap();
    // Killed in the middle of a line.
    let text = fs::read_to_string(&path).unwrap() + "{\"request\":{\"sta";
    fs::write(&path, &text).unwrap();
    let error = Replaying::open(&path).err().unwrap();
    assert!(matches!(error, CassetteError::Damaged { line: 3, .. }), "{error}");
    recorder(&server, &path).complete(with_user("b")).await.unwrap();
    let replay = Replaying::open(&path).unwrap();
    assert_eq!(replay.complete(with_user("b")).await.unwrap().text, "{\"b\":2}");
    assert_eq!(replay.complete(with_user("a")).await.unwrap().text, "{\"a\":1}");
}

#[test]
fn a_file_that_is_something_else_is_left_as_it_is() {
    let (folder, path) = tape();
    let model = || Arc::new(Playbook);
    for text in ["", "precious notes\n", "{\"cassette\":2,\"identity\":\"x\",\"reads_facts\":true}\n", "{}\n"]
    {
        fs::write(&path, text).unwrap();
        let error = Recording::new(model(), &path).err().unwrap();
        assert!(matches!(error, CassetteError::Foreign { .. }), "{error}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        assert!(matches!(Replaying::open(&path).err().unwrap(), CassetteError::Foreign { .. }));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert!(Recording::new(model(), folder.path()).is_err());
    assert!(Replaying::open(folder.path()).is_err());
    fs::remove_file(&path).unwrap();
    assert!(matches!(Replaying::open(&path).err().unwrap(), CassetteError::Io { .. }));
    Recording::new(model(), &path).unwrap();
    let replay = Replaying::open(&path).unwrap();
    assert!(replay.reads_facts() && replay.left() == 0);
    let server = MessagesApi::queue([]);
    let error = Recording::new(Arc::new(anthropic(&server)), &path).err().unwrap();
    assert!(matches!(error, CassetteError::OtherModel { .. }), "{error}");
}
