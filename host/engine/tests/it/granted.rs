//! What a person allows during a run: part of the record, no answer to anything.

use crate::script::*;
use ringfence_engine::*;
use serde_json::json;

fn dir(path: &str) -> LaterGrant {
    LaterGrant::Dir { path: path.to_owned(), access: "read".to_owned(), masks: Vec::new() }
}

fn granting(grant: LaterGrant, can: &[(&str, ToolFacts)]) -> EventKind {
    let can = can.iter().map(|(tool, can)| ((*tool).to_owned(), *can)).collect();
    EventKind::Granted(Granted { by: "ann".to_owned(), grant, can, tools: Vec::new() })
}

fn can(script: &Script, tool: &str) -> ToolFacts {
    script.state().settings.tools.iter().find(|known| known.name == tool).expect("a tool").can
}

const SENDS: ToolFacts =
    ToolFacts { reads: false, writes: false, staged: false, egress: true, deterministic: false };

#[test]
fn a_grant_is_recorded_and_leaves_the_question_open() {
    let mut script = deciding(without_pauses());
    script.say(ask_human("May I see docs?"));
    let review = script.review();
    script.send(granting(dir("docs"), &[]));
    assert_eq!(script.review(), review);
    let granted = &script.state().granted;
    assert_eq!((granted.len(), &granted[0].by, &granted[0].grant), (1, &"ann".to_owned(), &dir("docs")));
    assert_eq!(granted[0].at, script.state().clock.latest);
    script.answer(Answer::Reply { text: "yes".to_owned() });
    assert_eq!(script.stage(), StageName::Deciding);
}

#[test]
fn a_grant_fits_wherever_a_run_is_and_changes_nothing_that_is_owed() {
    let paused = Script::start(settings());
    let mut interrupted = executing(without_pauses());
    interrupted.send(EventKind::Interrupted);
    let scripts = [
        paused,
        deciding(without_pauses()),
        executing(without_pauses()),
        evaluating(without_pauses()),
        interrupted,
    ];
    for mut script in scripts {
        let owed = script.run.owed();
        assert_eq!(script.send(granting(dir("docs"), &[])), owed, "{}", script.stage());
        let _ = script.model_calls();
    }
}

#[test]
fn a_tool_that_can_work_only_now_is_there_from_the_next_decision_on() {
    let mut script = deciding(without_pauses());
    let mut tool = script.state().settings.tools[0].clone();
    tool.name = "edit_file".to_owned();
    let EventKind::Granted(granted) = granting(dir("docs"), &[]) else { panic!("a grant") };
    script.send(EventKind::Granted(Granted { tools: vec![tool.clone()], ..granted.clone() }));
    let asked = script.model_call();
    assert!(format!("{}{}", asked.system, asked.user).contains("edit_file"));
    let bad = ToolSpec { name: "no name".to_owned(), ..tool };
    let refused = EventKind::Granted(Granted { grant: dir("lib"), tools: vec![bad], ..granted });
    assert!(script.try_send(refused).is_err());
}

#[test]
fn from_then_on_the_gates_know_what_a_tool_can_do() {
    let mut script = deciding(pausing(settings(), &[PausePoint::BeforeEgress]));
    script.send(granting(host("https://example.com"), &[("read_file", SENDS)]));
    assert_eq!(can(&script, "read_file"), SENDS);
    script.say(decide("read_file", json!({"file_path": "a.py"})));
    assert!(matches!(script.review().subject, Subject::Call { why: Cause::BeforeEgress, .. }));
}

fn host(url: &str) -> LaterGrant {
    LaterGrant::Host { url: url.to_owned(), methods: Vec::new(), private: false }
}

#[test]
fn delegated_runs_know_it_as_well() {
    let mut script =
        Script::start(Settings { parallel: 2, ..pausing(settings(), &[PausePoint::BeforeEgress]) });
    script.say(plan(&[free("a"), free("b")]));
    assert_eq!(script.stage(), StageName::Delegating);
    script.send(EventKind::Interrupted);
    script.send(granting(host("https://example.com"), &[("read_file", SENDS)]));
    script.send(EventKind::Resumed { rates: None });
    let call = script.model_call().call;
    script.say_to(call, decide("read_file", json!({"file_path": "a.py"})));
    assert!(matches!(script.review().subject, Subject::Call { why: Cause::BeforeEgress, .. }));
}

#[test]
fn a_call_that_was_judged_before_gets_no_more_than_it_was_judged_by() {
    let mut script = executing(without_pauses());
    let grant = || host("https://example.com");
    let refused = script.try_send(granting(grant(), &[("read_file", SENDS)])).unwrap_err();
    assert!(refused.to_string().contains("was judged before"), "{refused}");
    script.tool_gives(OutcomeStatus::Done, json!(1));
    script.send(granting(grant(), &[("read_file", SENDS)]));
}

#[test]
fn a_variable_for_a_tool_that_sends_is_looked_at_before_the_next_call_and_never_during_one() {
    let sees = ToolFacts { reads: true, ..SENDS };
    let mut settings = without_pauses();
    settings.tools.iter_mut().for_each(|tool| tool.can = SENDS);
    let mut script = executing(settings);
    let grant = || LaterGrant::Variable { name: "LANG".to_owned() };
    let refused = script.try_send(granting(grant(), &[("read_file", sees)])).unwrap_err();
    assert!(refused.to_string().contains("was judged before"), "{refused}");
    script.tool_gives(OutcomeStatus::Done, json!(1));
    script.send(granting(grant(), &[("read_file", sees)]));
    script.say(judge("needs_more_work", "more"));
    script.say(decide("read_file", json!({"file_path": "b.py"})));
    assert!(matches!(script.review().subject, Subject::Call { why: Cause::ReadAndReceived, .. }));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut script = deciding(without_pauses());
    script.send(granting(dir("docs"), &[]));
    for (kind, why) in [
        (granting(dir("docs"), &[]), "before"),
        (granting(dir(""), &[]), "empty text"),
        (granting(dir(&"x".repeat(5_000)), &[]), "more than 4096 characters"),
    ] {
        let refused = script.try_send(kind).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
    script.send(EventKind::Interrupted);
    script.answer(Answer::Abort);
    assert_eq!(script.try_send(granting(dir("src"), &[])), Err(Refused::Ended));
}

#[test]
fn a_state_of_an_older_version_has_no_grants() {
    let script = deciding(without_pauses());
    let state = serde_json::to_value(script.state()).unwrap();
    assert!(state.get("granted").is_none(), "nothing is written where nothing was granted");
    let read: State = serde_json::from_value(state).unwrap();
    assert_eq!(read.granted, []);
    let journaled = json!({ "event": "granted", "at": 1, "by": "ann", "grant": { "what": "dir", "path": "src", "access": "read" } });
    let event: Event = serde_json::from_value(journaled).unwrap();
    assert_eq!(event.kind, granting(dir("src"), &[]));
}

#[test]
fn what_every_stage_is_told_besides_is_shown_as_it_stands() {
    let odd = "Be {brief}. {{ goal }} {% for %} {# no #} {% endraw %}";
    let prompts = Prompts::default().besides(odd);
    prompts.check().expect("a usable template");
    let script = Script::start(Settings { prompts, ..without_pauses() });
    let asked = script.model_call();
    assert!(asked.system.ends_with(odd), "{}", asked.system);
    assert!(!asked.user.contains("Be {brief}"));
}
