//! Flows: which stage follows what. One file each, readable as its own router.
//!
//! A flow sees what an event came to ([`Outcome`]) and answers with the next [`Step`]. It changes
//! nothing; [`enter`] does.

mod enter;
pub(crate) mod staged;

pub(crate) use enter::enter;

use crate::effect::{Ending, ModelStage, Subject, ToolCall};
use crate::plan::PlanVersion;
use crate::settings::Flow;
use crate::state::{Progress, Stage, State};

/// What an event came to, once its content is part of the state.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The run began.
    Began,
    /// The planner proposed new tasks; not on the stack yet.
    TasksProposed(PlanVersion),
    /// The planner has no new tasks and doesn't see the goal achieved.
    NothingPlanned { reasoning: String },
    /// The planner sees the goal achieved.
    GoalAchieved,
    /// A call was chosen for the task on top.
    CallChosen(ToolCall),
    /// A person is to be asked.
    QuestionChosen { question: String, reasoning: String },
    /// An unknown tool was chosen, or an input that doesn't fit.
    ChoiceUnfit,
    /// A tool call ended and is in the history.
    ToolEnded,
    /// The last action was judged.
    Judged(Progress),
    /// The stage's first reply was no use.
    Unusable { stage: ModelStage, why: String, max_tokens: u32 },
    /// The stage has no result.
    StageFailed { stage: ModelStage, why: String, unreachable: bool },
    /// Tasks are on the stack as a person wants them.
    TasksSet,
    /// A person rejected the proposed plan.
    PlanRejected,
    /// A person set the input of the proposed call.
    CallSet(ToolCall),
    /// A person rejected the proposed call.
    CallRejected,
    /// A person answered a question or gave advice.
    Answered,
    /// A person gave the task on top up.
    TaskGivenUp,
    /// What was put aside goes on as it was.
    Onward(Box<Stage>),
    /// A call under way was lost and can simply be made again.
    Lost(ToolCall),
    /// A call under way was lost, and making it again could do harm.
    InDoubt(ToolCall),
    /// Someone asked for a stop.
    Interrupted(Box<Stage>),
    /// A person ended the run.
    Aborted,
}

/// Where a run goes.
#[derive(Debug)]
pub(crate) enum Step {
    /// Ask a model.
    Ask(ModelStage),
    /// Ask it again, saying what was wrong.
    Again { stage: ModelStage, why: String, max_tokens: u32 },
    /// Call a tool.
    Call(ToolCall),
    /// Ask a person, then go there.
    Pause { subject: Subject, then: Box<Step> },
    /// Back to a stage that was put aside.
    Return(Box<Stage>),
    /// Over.
    End(Ending),
}

/// The next step in the run's own flow.
pub(crate) fn next(state: &State, outcome: Outcome) -> Step {
    match state.settings.flow {
        Flow::Staged => staged::next(state, outcome),
    }
}
