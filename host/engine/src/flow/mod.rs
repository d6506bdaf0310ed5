//! Flows: which stage follows what. One file each, readable as its own router.
//!
//! A flow sees what an event came to ([`Outcome`]) and answers with the next [`Step`]. It changes
//! nothing; [`enter`] does. What every flow answers alike stands in [`common`].

mod common;
mod enter;
mod pipeline;
mod react;
mod staged;

pub(crate) use enter::enter;

use crate::effect::{Ending, ModelStage, Subject, ToolCall};
use crate::id::{StepId, TaskId};
use crate::plan::PlanVersion;
use crate::settings::Flow;
use crate::stage::Stage;
use crate::state::{State, Verdict};
use crate::turn::Turn;

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
    GoalAchieved { reasoning: String },
    /// The final answer was given.
    AnswerGiven { answer: String, reasoning: String },
    /// Calls were chosen.
    CallsChosen(Turn),
    /// A person is to be asked.
    QuestionChosen { question: String, reasoning: String },
    /// An unknown tool was chosen, or an input that doesn't fit.
    ChoiceUnfit,
    /// Calls of the turn are still open, and a person has seen what they had to see of the others.
    TurnGoesOn(Turn),
    /// The turn's calls have ended and are in the history.
    TurnEnded,
    /// The turn's calls were all rejected.
    TurnRejected,
    /// The last action was judged.
    Judged(Judgement),
    /// A person says that the judgement doesn't hold.
    JudgementRejected,
    /// The stage's first reply was no use.
    Unusable { why: String, max_tokens: u32 },
    /// The stage has no result; `recovered` if it was its one recovery already.
    StageFailed { stage: ModelStage, why: String, recovered: bool },
    /// The model could not be reached.
    Unreachable { stage: ModelStage, why: String },
    /// Tasks are on the stack as a person wants them.
    TasksSet,
    /// A person said something that this is to be thought through again with.
    Advised(Work),
    /// A person gave the task on top up.
    TaskGivenUp,
    /// The run must not end yet.
    FinishRejected,
    /// What was put aside goes on as it was.
    Onward(Box<Stage>),
    /// A call under way was lost, and making it again could do harm.
    InDoubt { call: ToolCall, turn: Turn },
    /// The runs of all delegated tasks ended.
    Joined { failed: bool },
    /// Someone asked for a stop.
    Interrupted(Box<Stage>),
    /// A person ended the run.
    Aborted,
}

/// A judgement as it is shown before it counts.
#[derive(Debug, Clone)]
pub(crate) struct Judgement {
    pub(crate) step: StepId,
    pub(crate) task: TaskId,
    pub(crate) verdict: Verdict,
    pub(crate) summary: String,
}

/// What a model is asked to do when the work goes on; the review of the working memory is a detour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Plan,
    Decide,
    Evaluate,
    Think,
    Observe,
    Converse,
}

/// Where a run goes.
#[derive(Debug)]
pub(crate) enum Step {
    /// Ask a model.
    Ask(Work),
    /// Ask the present stage's question again, saying what was wrong with the reply.
    Again { why: String, max_tokens: u32 },
    /// Ask it afresh after the stage failed, saying with what.
    Recover { why: String },
    /// Ask it afresh as if it had not been asked.
    Anew,
    /// Make the calls of a turn.
    Call(Turn),
    /// Work on these tasks at the same time.
    Delegate(Vec<TaskId>),
    /// Review the whole working memory, then go there.
    Reflect { why: String, then: Box<Step> },
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
        Flow::Pipeline => pipeline::next(state, outcome),
        Flow::React => react::next(state, outcome),
    }
}
