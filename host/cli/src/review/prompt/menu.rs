//! What a person can do about each question: everything that the engine takes for an answer.

use super::draft::Draft;
use crate::review::given::{Editable, approved_hash, editable};
use ringfence_engine::{Answer, Flow, ModelStage, PlannedTask, State, Subject, TaskId};
use serde_json::Value;

/// The choices for one question.
pub(super) struct Menu {
    /// What the short answer does, and the answer itself.
    pub(super) approve: (&'static str, Answer),
    /// Whether all calls to come can be approved with this one.
    pub(super) all_calls: bool,
    /// What can be changed first.
    pub(super) edit: Edit,
    /// How a task is added where there is no plan at hand to add it to.
    pub(super) add: Option<&'static str>,
    /// Ids that an added task can't have.
    pub(super) taken: Vec<TaskId>,
    /// Words of a person's: what they do, and how they are asked for.
    pub(super) words: Option<(&'static str, &'static str)>,
    /// A refusal with its reason, in the same way.
    pub(super) reject: Option<(&'static str, &'static str)>,
}

/// What can be changed before a question is answered.
pub(super) enum Edit {
    /// The open tasks; approved together with the question.
    Plan(Draft),
    /// The input of the call, as it was proposed.
    Input(Value),
    /// The final answer, as it was proposed.
    Text(String),
    /// Nothing.
    Nothing,
}

impl Menu {
    /// The choices; none for the model's question, which takes words. `state`: of the run that asks.
    pub(super) fn of(subject: &Subject, state: &State) -> Option<Self> {
        let flow = state.settings.flow;
        let open: Vec<PlannedTask> = match subject {
            Subject::Plan { plan } => plan.tasks.clone(),
            Subject::Call { .. }
            | Subject::Judgement { .. }
            | Subject::Finish { .. }
            | Subject::Question { .. }
            | Subject::Stagnation { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { .. }
            | Subject::Interrupted => state.stack.iter().rev().map(|task| task.planned.clone()).collect(),
        };
        let done: Vec<TaskId> = state.done.iter().map(|task| task.planned.id.clone()).collect();
        let taken = open.iter().map(|task| task.id.clone()).chain(done.iter().cloned()).collect();
        let edit = match (editable(subject, flow), subject) {
            (Editable::Plan, _) => Edit::Plan(Draft::of(open, done)),
            (Editable::Input, Subject::Call { call, .. } | Subject::UnknownOutcome { call }) => {
                Edit::Input(call.input.clone())
            }
            (Editable::Text, Subject::Finish { answer: Some(answer), .. }) => Edit::Text(answer.clone()),
            (Editable::Input | Editable::Text | Editable::Nothing, _) => Edit::Nothing,
        };
        let words = words(subject, flow)?;
        Some(Self {
            approve: (words.approve, Answer::Approve { plan: approved_hash(subject) }),
            all_calls: matches!(subject, Subject::Call { why, .. } if why.pause_point().is_some()),
            edit,
            add: words.add,
            taken,
            words: words.words,
            reject: words.reject,
        })
    }

    /// The choices in one line, with their keys.
    pub(super) fn line(&self) -> String {
        let mut choices = vec![format!("[y] {}", self.approve.0)];
        let mut offer = |key: &str, what: &str| choices.push(format!("[{key}] {what}"));
        if self.all_calls {
            offer("all", "approve all calls");
        }
        match &self.edit {
            Edit::Plan(draft) => {
                offer("e", "edit the plan");
                offer("a", "add a task");
                if draft.tasks.len() > 1 {
                    offer("r", "remove tasks");
                }
            }
            Edit::Input(_) => offer("e", "edit the input"),
            Edit::Text(_) => offer("e", "edit the answer"),
            Edit::Nothing => {}
        }
        if let Some(what) = self.add {
            offer("a", what);
        }
        if let Some((what, _)) = self.words {
            offer("t", what);
        }
        if let Some((what, _)) = self.reject {
            offer("n", what);
        }
        offer("x", "end the run");
        offer("q", "quit, resume later");
        format!("{}: ", choices.join("  "))
    }
}

/// What the choices are called.
struct Words {
    approve: &'static str,
    add: Option<&'static str>,
    words: Option<(&'static str, &'static str)>,
    reject: Option<(&'static str, &'static str)>,
}

const WHY: &str = "Why? ";
const TELL: &str = "What should it know? ";

fn words(subject: &Subject, flow: Flow) -> Option<Words> {
    let planned = flow == Flow::Staged;
    Some(match subject {
        Subject::Plan { .. } => Words {
            approve: "approve",
            add: None,
            words: Some(("think again, with your words", TELL)),
            reject: Some(("reject", WHY)),
        },
        Subject::Call { .. } => Words {
            approve: "approve",
            add: Some("approve and add a task"),
            words: Some(("think again, with your words", TELL)),
            reject: Some(("reject", WHY)),
        },
        Subject::Judgement { .. } => Words {
            approve: "approve",
            add: None,
            words: Some(("judge again, with your words", TELL)),
            reject: Some(("it needs more work", WHY)),
        },
        Subject::Finish { .. } => Words {
            approve: "end here",
            add: (!planned).then_some("add to the goal"),
            words: None,
            reject: Some(("not yet", "What is missing? ")),
        },
        Subject::Question { .. } => return None,
        Subject::Stagnation { .. } => Words {
            approve: "go on",
            add: (!planned).then_some("add to the goal"),
            words: Some(("advise it", "What should it do instead? ")),
            reject: planned.then_some(("give the task up", WHY)),
        },
        Subject::UnknownOutcome { .. } => Words {
            approve: "call again",
            add: None,
            words: Some(("it happened", "What came of it? ")),
            reject: Some(("take it as failed", WHY)),
        },
        Subject::StageFailed { stage, .. } => Words {
            approve: "ask again",
            add: None,
            words: Some(("ask again, with your words", TELL)),
            reject: match stage {
                ModelStage::Decide | ModelStage::Evaluate => Some(("give the task up", WHY)),
                ModelStage::Plan | ModelStage::Reason | ModelStage::Converse | ModelStage::Reflect => None,
            },
        },
        Subject::Interrupted => {
            Words { approve: "go on", add: None, words: Some(("go on, with your words", TELL)), reject: None }
        }
    })
}
