//! A random driver: events that fit, events that nearly do, and events that don't.

use crate::script::*;
use proptest::prelude::*;
use ringfence_engine::*;
use serde_json::{Value, json};

/// What a random driver does next; numbers choose among what is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Move {
    /// A model says something that fits its stage.
    Say(usize, usize),
    /// It says something that fits another.
    Babble(usize, usize),
    Stop(usize, StopReason),
    FailModel(usize),
    DropModel(usize),
    Tool(usize, OutcomeStatus, bool),
    Answer(usize, usize),
    Interrupt,
    Resume,
    Replan,
    Grant,
    Start,
    WrongCall(u64),
    ProposeAgain(usize),
    WrongReview(u64),
}

pub(crate) fn moves() -> impl Strategy<Value = Move> {
    let any = 0..1_000_usize;
    prop_oneof![
        24 => (any.clone(), any.clone()).prop_map(|(which, what)| Move::Say(which, what)),
        3 => (any.clone(), any.clone()).prop_map(|(which, what)| Move::Babble(which, what)),
        1 => (any.clone(), prop_oneof![
            Just(StopReason::Length), Just(StopReason::Refusal), Just(StopReason::ToolUse),
        ]).prop_map(|(which, stop)| Move::Stop(which, stop)),
        1 => any.clone().prop_map(Move::FailModel),
        1 => any.clone().prop_map(Move::DropModel),
        12 => (any.clone(), prop_oneof![
            6 => Just(OutcomeStatus::Done),
            1 => Just(OutcomeStatus::Failed),
            1 => Just(OutcomeStatus::Denied),
        ], prop::bool::weighted(0.1)).prop_map(|(which, status, transient)| {
            Move::Tool(which, status, transient)
        }),
        1 => any.clone().prop_map(Move::ProposeAgain),
        14 => (any.clone(), any).prop_map(|(which, what)| Move::Answer(which, what)),
        2 => Just(Move::Interrupt),
        3 => Just(Move::Resume),
        1 => Just(Move::Replan),
        1 => Just(Move::Grant),
        1 => Just(Move::Start),
        1 => (0..50_u64).prop_map(Move::WrongCall),
        1 => (0..20_u64).prop_map(Move::WrongReview),
    ]
}

/// Everything that is waited for, also where it was put aside.
#[derive(Default)]
struct Waiting {
    models: Vec<(CallId, ModelStage)>,
    tools: Vec<CallId>,
    reviews: Vec<Review>,
}

fn waiting(stage: &Stage, found: &mut Waiting) {
    if let Some((stage, asking)) = stage.asking() {
        found.models.push((asking.call, stage));
    }
    match stage {
        Stage::Executing { turn } => found.tools.extend(turn.slots.iter().map(|slot| slot.call.call)),
        Stage::Delegating { lanes } => lanes.iter().for_each(|lane| waiting(&lane.state.stage, found)),
        Stage::PausedForReview { review, then } => {
            found.reviews.push(review.clone());
            waiting(then, found);
        }
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Reflecting { .. }
        | Stage::Finished
        | Stage::Failed { .. } => {}
    }
}

fn pick<T: Clone>(among: &[T], number: usize) -> Option<T> {
    among.get(number.checked_rem(among.len())?).cloned()
}

/// Replies that fit a stage; `n` makes task ids that are new.
fn fitting(stage: ModelStage, n: usize) -> Vec<ModelReply> {
    let id = |letter: &str| format!("t{n}{letter}");
    let whole = |value: Value| reply(&value.to_string(), StopReason::End);
    let values = match stage {
        ModelStage::Plan => vec![
            plan(&[task(&id("a"), "x"), task(&id("b"), "y")]),
            plan(&[free(&id("a")), free(&id("b")), free(&id("c"))]),
            plan(&[free(&id("a")), task(&id("b"), "y"), free(&id("c"))]),
            plan(&[free(&id("a")), free(&id("b"))]),
            plan(&[]),
            achieved(),
        ],
        ModelStage::Decide => vec![
            decide("read_file", json!({"file_path": "a.py"})),
            decide("read_file", json!({"file_path": format!("{n}.py")})),
            decide("list_files", json!({"directory": "."})),
            decide("post", json!({"text": "t"})),
            decide("write_file", json!({"file_path": "a.py", "content": "x"})),
            decide("nothing", json!({})),
            decide("read_file", json!({"wrong": true})),
            ask_human("what?"),
        ],
        ModelStage::Evaluate => vec![
            judge("completed", "fine"),
            judge("needs_more_work", "more"),
            judge("failed", "no"),
            json!({"reasoning": "r", "sub_task_status": "completed", "summary": "s", "confidence": "low"}),
        ],
        ModelStage::Reason => vec![
            call_tool("read_file", json!({"file_path": "a.py"})),
            call_tool("read_file", json!({"file_path": format!("{n}.py")})),
            call_tool("post", json!({"text": "t"})),
            call_tool("write_file", json!({"file_path": "a.py", "content": "x"})),
            call_tool("nothing", json!({})),
            need_more_info("what?"),
            final_answer("so"),
        ],
        ModelStage::Reflect => vec![reflection("look elsewhere")],
        ModelStage::Converse => return turns(n),
    };
    values.into_iter().map(whole).collect()
}

fn turns(n: usize) -> Vec<ModelReply> {
    let own = format!("{{\"file_path\": \"{n}.py\"}}");
    let read = ("1", "read_file", "{\"file_path\": \"a.py\"}");
    let fresh = ("2", "read_file", own.as_str());
    let post = ("3", "post", "{\"text\": \"t\"}");
    let write = ("4", "write_file", "{\"file_path\": \"a.py\", \"content\": \"x\"}");
    let unknown = ("5", "nothing", "{}");
    let broken = ("6", "read_file", "{\"file_path\":");
    let human = ("7", "human_help", "{\"question\": \"what?\"}");
    vec![
        tools("", &[read]),
        tools("", &[fresh]),
        tools("", &[read, fresh]),
        tools("", &[write, read, fresh]),
        tools("", &[fresh, post, read]),
        tools("", &[fresh, unknown, write, broken]),
        tools("", &[post, write]),
        tools("", &[unknown, broken]),
        tools("", &[human]),
        tools("", &[human, read]),
        tools("", &[read, read]),
        tools("", &[("8", "human_help", "{}")]),
        reply("The answer.", StopReason::End),
    ]
}

fn answers(review: &Review, n: usize) -> Vec<Answer> {
    let hash = match &review.subject {
        Subject::Plan { plan } => Some(plan.hash.clone()),
        _ => None,
    };
    let fresh = |letter: &str| planned(&format!("p{n}{letter}"));
    let apart = |letter: &str| PlannedTask { depends_on: Some(Vec::new()), ..fresh(letter) };
    vec![
        Answer::Approve { plan: None },
        Answer::Approve { plan: None },
        Answer::Approve { plan: hash },
        Answer::Approve { plan: Some("stale".into()) },
        Answer::EditPlan { tasks: vec![fresh("a"), fresh("b")] },
        Answer::EditPlan { tasks: vec![apart("a"), apart("b")] },
        Answer::EditPlan { tasks: vec![planned("p"), planned("q")] },
        Answer::EditPlan { tasks: vec![] },
        Answer::AddTasks { tasks: vec![planned("r")] },
        Answer::AddTasks { tasks: vec![fresh("a")] },
        Answer::EditCall { input: json!({"file_path": "b.py"}) },
        Answer::EditCall { input: json!(null) },
        Answer::EditAnswer { text: "better".to_owned() },
        Answer::Reject { reason: "no".to_owned() },
        Answer::Reply { text: "so".to_owned() },
        Answer::Reply { text: " ".to_owned() },
        if n.is_multiple_of(4) { Answer::Abort } else { Answer::Approve { plan: None } },
    ]
}

/// The event that the move comes to in this state; `n` is its number.
pub(crate) fn event(state: &State, n: usize, choice: &Move) -> EventKind {
    let mut found = Waiting::default();
    waiting(&state.stage, &mut found);
    let Waiting { models, tools, reviews } = found;
    let model = |which: usize| pick(&models, which).unwrap_or((CallId(1), ModelStage::Plan));
    match choice {
        Move::Say(which, what) => {
            let (call, stage) = model(*which);
            let reply = pick(&fitting(stage, n), *what).expect("there is always something to say");
            EventKind::ModelReplied { call, reply }
        }
        Move::Babble(which, what) => {
            let everything: Vec<ModelReply> = ModelStage::ALL
                .into_iter()
                .flat_map(|stage| fitting(stage, n))
                .chain([reply("nonsense", StopReason::End), reply("", StopReason::End)])
                .collect();
            let reply = pick(&everything, *what).expect("there is always something to say");
            EventKind::ModelReplied { call: model(*which).0, reply }
        }
        Move::Stop(which, stop) => {
            EventKind::ModelReplied { call: model(*which).0, reply: reply("{}", *stop) }
        }
        Move::FailModel(which) => {
            let usage = Usage { input_tokens: 100, cached_tokens: 0, output_tokens: 10 };
            let failure = ModelFailure { usage, ..ModelFailure::unpaid("gone", true) };
            EventKind::ModelFailed { call: model(*which).0, failure }
        }
        Move::DropModel(which) => {
            let usage = Usage { input_tokens: 100, cached_tokens: 0, output_tokens: 10 };
            EventKind::ModelDropped { call: model(*which).0, usage, cost: None }
        }
        Move::Tool(which, status, transient) => EventKind::ToolFinished {
            call: pick(&tools, *which).unwrap_or(CallId(1)),
            outcome: ToolOutcome { transient: *transient, ..outcome(*status, json!("v")) },
        },
        Move::Answer(which, what) => match pick(&reviews, *which) {
            Some(review) => {
                let answer = pick(&answers(&review, n), *what).expect("there is always an answer");
                EventKind::Answered { review: review.id, answer }
            }
            None => EventKind::Answered { review: ReviewId(1), answer: Answer::Approve { plan: None } },
        },
        Move::Interrupt => EventKind::Interrupted,
        Move::Resume => EventKind::Resumed { rates: None },
        Move::Replan => EventKind::Replanned { tasks: vec![planned(&format!("r{n}")), planned("own")] },
        Move::Grant => {
            let grant =
                LaterGrant::Dir { path: format!("d{n}"), access: "read".to_owned(), masks: Vec::new() };
            let can = ToolFacts {
                reads: true,
                writes: false,
                staged: false,
                egress: n.is_multiple_of(2),
                deterministic: false,
            };
            let can = [("read_file".to_owned(), can)].into();
            EventKind::Granted(Granted { by: "ann".to_owned(), grant, can, tools: Vec::new() })
        }
        Move::Start => started(settings()),
        Move::WrongCall(n) => {
            EventKind::ToolFinished { call: CallId(*n), outcome: outcome(OutcomeStatus::Done, json!(n)) }
        }
        Move::ProposeAgain(which) => {
            EventKind::ProposedAgain { call: pick(&tools, *which).unwrap_or(CallId(1)) }
        }
        Move::WrongReview(n) => {
            EventKind::Answered { review: ReviewId(*n), answer: Answer::Approve { plan: None } }
        }
    }
}
