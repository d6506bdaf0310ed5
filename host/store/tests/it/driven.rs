//! A run that the engine really carried out, for fixtures: one with a plan, calls, a question to a
//! person, an interruption, and an end.

use crate::sample::{Folder, receipt_id};
use ringfence_engine::*;
use ringfence_store::{Entry, Intent, Journal, Lease, NewRun, Store};
use serde_json::{Value, json};

const GOAL: &str = "说明 this project";

/// What happens next, to whatever is owed.
enum Line {
    Says(Value),
    Gives(OutcomeStatus, Value),
    Answers(Answer),
    Stops,
}

/// The whole of it.
fn script() -> Vec<Line> {
    use Line::{Answers, Gives, Says, Stops};
    use OutcomeStatus::{Done, Failed};
    let approve = || Answers(Answer::Approve { plan: None });
    vec![
        Says(json!({"reasoning": "look, then tell", "is_goal_achieved": false, "new_sub_tasks": [
            {"id": "look", "description": "see what is there"},
            {"id": "tell", "description": "say what it is", "depends_on": ["look"]},
        ]})),
        approve(),
        Says(decision("list_files", json!({"directory": "."}))),
        Gives(Done, json!({"entries": ["Cargo.toml", "src"]})),
        Says(judgement("needs_more_work", "a Rust crate")),
        // Not in one piece: asked again.
        Says(json!("I'd list the sources.")),
        Says(decision("list_files", json!({"directory": "src"}))),
        Gives(Failed, json!({"code": "not-found"})),
        Says(judgement("completed", "its sources are gone")),
        Says(decision(HUMAN_HELP, json!({}))),
        Answers(Answer::Reply { text: "they are in lib".into() }),
        Stops,
        Says(decision("list_files", json!({"directory": "lib"}))),
        Gives(Done, json!({"entries": ["lib.rs"]})),
        Says(judgement("completed", "a library")),
        Says(json!({"reasoning": "all is told", "is_goal_achieved": true, "new_sub_tasks": []})),
    ]
}

fn decision(action: &str, input: Value) -> Value {
    json!({"reasoning": "it shows", "action": action, "action_input": input, "confidence": "high",
        "query_to_human": "where are they?"})
}

fn judgement(status: &str, summary: &str) -> Value {
    json!({"reasoning": "seen", "sub_task_status": status, "summary": summary,
        "suggested_next_step": "go on", "confidence": "high"})
}

/// What a line makes happen, where that is owed.
fn facts(line: Line, owed: &[Effect]) -> Vec<EventKind> {
    match (line, owed) {
        (Line::Says(reply), [Effect::CallModel(ModelCall { call, .. })]) => {
            vec![EventKind::ModelReplied { call: *call, reply: said(&reply) }]
        }
        (Line::Gives(status, value), [Effect::CallTool(ToolCall { call, .. })]) => {
            vec![EventKind::ToolFinished { call: *call, outcome: gave(*call, status, value) }]
        }
        (Line::Answers(answer), [Effect::AskPerson(Review { id, .. })]) => {
            vec![EventKind::Answered { review: *id, answer }]
        }
        (Line::Stops, _) => vec![EventKind::Interrupted, EventKind::Resumed { rates: None }],
        (Line::Says(_) | Line::Gives(..) | Line::Answers(_), owed) => panic!("{owed:?} is owed"),
    }
}

/// Carries the script out, so many lines of it, into a run of this name.
fn drive(store: &Store, id: &str, lines: usize) {
    let first = event(1, EventKind::Started { run: id.into(), goal: GOAL.into(), settings: settings() });
    let (mut run, owed) = Run::start(first.clone()).unwrap();
    let new = NewRun {
        id: id.into(),
        project: "/srv/my project".into(),
        goal: GOAL.into(),
        model: "scripted".into(),
        created: first.at,
        parent: None,
    };
    let entry = Entry { event: &first, intents: &intents(&owed), receipts: &[], stage: &run.state().stage };
    let mut lease = store.create_run(&new, &entry).unwrap();
    carry_out(&mut lease, &mut run, script().into_iter().take(lines));
}

fn carry_out(lease: &mut Lease, run: &mut Run, lines: impl Iterator<Item = Line>) {
    for line in lines {
        for kind in facts(line, &run.owed()) {
            take(lease, run, kind);
        }
    }
}

/// One step: folded and journaled.
fn take(lease: &mut Lease, run: &mut Run, kind: EventKind) {
    let event = event(run.state().clock.latest.0 / 1_000 + 1, kind);
    let intents = intents(&run.apply(event.clone()).unwrap());
    let receipts = match &event.kind {
        EventKind::ToolFinished { call, .. } => vec![(receipt_id(call.0), json!({"wall_us": 120}))],
        _ => Vec::new(),
    };
    let stage = &run.state().stage;
    lease.append(&Entry { event: &event, intents: &intents, receipts: &receipts, stage }).unwrap();
}

fn event(at: i64, kind: EventKind) -> Event {
    Event { at: Timestamp(at * 1_000), worked_ms: Some(1_000), kind }
}

fn intents(owed: &[Effect]) -> Vec<Intent> {
    owed.iter().map(Effect::intent).collect()
}

fn said(reply: &Value) -> ModelReply {
    let usage = Usage { input_tokens: 100, cached_tokens: 40, output_tokens: 10 };
    let (calls, model, stop) = (Vec::new(), "scripted".to_owned(), StopReason::End);
    ModelReply { text: reply.to_string(), calls, content: None, stop, usage, cost: Some(7), model }
}

fn gave(call: CallId, status: OutcomeStatus, value: Value) -> ToolOutcome {
    let (message, receipt) = (format!("it was {}", status.name()), Some(receipt_id(call.0)));
    ToolOutcome { status, value, message, receipt, transient: false }
}

fn settings() -> Box<Settings> {
    let tool = ToolSpec {
        name: "list_files".into(),
        description: "Lists a folder.".into(),
        input_schema: json!({"type": "object", "properties": {"directory": {"type": "string"}},
            "required": ["directory"], "additionalProperties": false}),
        can: ToolFacts { reads: true, writes: false, staged: false, egress: false, deterministic: true },
        timeout_ms: None,
        polling: false,
    };
    // A journal holds the templates that its run was begun with.
    Box::new(Settings { tools: vec![tool], prompts: Prompts::default(), ..crate::sample::settings() })
}

/// Lines after which the run waits for a tool.
const UNDER_WAY: usize = 7;

/// The runs that the fixtures of driven runs hold: one to its end, one in the middle of a call.
pub(crate) fn drive_all(store: &Store) {
    drive(store, "driven", usize::MAX);
    drive(store, "under-way", UNDER_WAY);
}

/// Whether those runs are taken up by today's engine, and come to what was listed of them.
pub(crate) fn are_taken_up(store: &Store) {
    for (id, stage, history, calls) in
        [("driven", StageName::Finished, 4, 10), ("under-way", StageName::Executing, 1, 5)]
    {
        let journal = store.journal(&id.into()).unwrap();
        let run = replayed(&journal);
        let state = run.state();
        assert_eq!((journal.run.stage, &journal.run.ending), (stage, &state.stage.ending()), "{id}");
        assert_eq!((state.stage.name(), state.history.len()), (stage, history), "{id}");
        assert_eq!(state.spent.model_calls, calls, "{id}");
        assert_eq!(run.owed().len(), 1, "{id}");
    }
}

fn replayed(journal: &Journal) -> Run {
    let events = journal.events.iter().map(|recorded| recorded.event.clone());
    Run::replay(events).unwrap().0
}

/// Takes up the run that was in the middle of a call, and carries it to its end.
pub(crate) fn goes_on(store: &Store) {
    let mut run = replayed(&store.journal(&"under-way".into()).unwrap());
    let mut lease = store.lease(&"under-way".into()).unwrap();
    take(&mut lease, &mut run, EventKind::Resumed { rates: None });
    // The call that was lost can do no harm, and is made again.
    assert!(matches!(run.owed()[..], [Effect::CallTool(ToolCall { attempt: 2, .. })]));
    carry_out(&mut lease, &mut run, script().into_iter().skip(UNDER_WAY));
    assert_eq!(replayed(&store.journal(&"under-way".into()).unwrap()), run);
}

#[test]
fn a_journal_gives_back_the_run_that_it_is_of() {
    let folder = Folder::new();
    let store = folder.store();
    for lines in 0..=script().len() {
        drive(&store, &format!("run-{lines}"), lines);
    }
    for run in store.runs(None).unwrap() {
        let journal = store.journal(&run.id).unwrap();
        let replayed = replayed(&journal);
        assert_eq!(replayed.state().stage.name(), run.stage, "{}", run.id);
        assert_eq!(intents(&replayed.owed()), journal.events.last().unwrap().intents, "{}", run.id);
    }
}
