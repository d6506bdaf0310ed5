//! Where a run is: the stages of all flows, each with what is owed there.

use crate::effect::{Ending, ModelStage, Review, Subject};
use crate::id::{CallId, PromptDigest, TaskId};
use crate::state::State;
use crate::turn::Turn;
use serde::{Deserialize, Serialize};

/// Where a run is. A pending call lives inside the variant, so the state says what is owed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub enum Stage {
    /// Before the first request; only within the handling of `Started`.
    Initializing,
    /// The planner is asked.
    Planning(Asking),
    /// The next action is asked for.
    Deciding(Asking),
    /// Tool calls are under way.
    Executing {
        /// The calls of one decision.
        turn: Turn,
    },
    /// The last action is being judged.
    Evaluating(Asking),
    /// The reasoner of the pipeline is asked, with nothing new at hand.
    Thinking(Asking),
    /// The reasoner of the pipeline is asked what the outcome of its action means.
    Observing(Asking),
    /// The next turn of the conversation is asked for.
    Conversing(Asking),
    /// Independent tasks are worked on at the same time, each in a run of its own.
    Delegating {
        /// The runs, in the order of the plan.
        lanes: Vec<Lane>,
    },
    /// The whole working memory is being reviewed.
    Reflecting {
        /// The call.
        asking: Asking,
        /// What led to it, in one line.
        why: String,
        /// Where the run goes on.
        then: Box<Stage>,
    },
    /// A person is asked; no process needs to wait for it.
    PausedForReview {
        /// The question.
        review: Review,
        /// Where the run goes on.
        then: Box<Stage>,
    },
    /// Ended as hoped.
    Finished,
    /// Ended otherwise.
    Failed {
        /// How.
        ending: Ending,
    },
}

/// The names of the stages, without what is owed there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageName {
    /// [`Stage::Initializing`]
    Initializing,
    /// [`Stage::Planning`]
    Planning,
    /// [`Stage::Deciding`]
    Deciding,
    /// [`Stage::Executing`]
    Executing,
    /// [`Stage::Evaluating`]
    Evaluating,
    /// [`Stage::Thinking`]
    Thinking,
    /// [`Stage::Observing`]
    Observing,
    /// [`Stage::Conversing`]
    Conversing,
    /// [`Stage::Delegating`]
    Delegating,
    /// [`Stage::Reflecting`]
    Reflecting,
    /// [`Stage::PausedForReview`]
    PausedForReview,
    /// [`Stage::Finished`]
    Finished,
    /// [`Stage::Failed`]
    Failed,
}

impl StageName {
    /// As it is written in JSON and shown to people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Initializing => "initializing",
            Self::Planning => "planning",
            Self::Deciding => "deciding",
            Self::Executing => "executing",
            Self::Evaluating => "evaluating",
            Self::Thinking => "thinking",
            Self::Observing => "observing",
            Self::Conversing => "conversing",
            Self::Delegating => "delegating",
            Self::Reflecting => "reflecting",
            Self::PausedForReview => "paused_for_review",
            Self::Finished => "finished",
            Self::Failed => "failed",
        }
    }
}

impl std::fmt::Display for StageName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Stage {
    /// Its name.
    pub fn name(&self) -> StageName {
        match self {
            Self::Initializing => StageName::Initializing,
            Self::Planning(_) => StageName::Planning,
            Self::Deciding(_) => StageName::Deciding,
            Self::Executing { .. } => StageName::Executing,
            Self::Evaluating(_) => StageName::Evaluating,
            Self::Thinking(_) => StageName::Thinking,
            Self::Observing(_) => StageName::Observing,
            Self::Conversing(_) => StageName::Conversing,
            Self::Delegating { .. } => StageName::Delegating,
            Self::Reflecting { .. } => StageName::Reflecting,
            Self::PausedForReview { .. } => StageName::PausedForReview,
            Self::Finished => StageName::Finished,
            Self::Failed { .. } => StageName::Failed,
        }
    }

    /// How the run ended, if it did.
    pub fn ending(&self) -> Option<Ending> {
        match self {
            Self::Finished => Some(Ending::Achieved),
            Self::Failed { ending } => Some(ending.clone()),
            Self::Initializing
            | Self::Planning(_)
            | Self::Deciding(_)
            | Self::Executing { .. }
            | Self::Evaluating(_)
            | Self::Thinking(_)
            | Self::Observing(_)
            | Self::Conversing(_)
            | Self::Delegating { .. }
            | Self::Reflecting { .. }
            | Self::PausedForReview { .. } => None,
        }
    }

    /// The model call that is owed an answer here, and who asks.
    pub fn asking(&self) -> Option<(ModelStage, &Asking)> {
        match self {
            Self::Planning(asking) => Some((ModelStage::Plan, asking)),
            Self::Deciding(asking) => Some((ModelStage::Decide, asking)),
            Self::Evaluating(asking) => Some((ModelStage::Evaluate, asking)),
            Self::Thinking(asking) | Self::Observing(asking) => Some((ModelStage::Reason, asking)),
            Self::Conversing(asking) => Some((ModelStage::Converse, asking)),
            Self::Reflecting { asking, .. } => Some((ModelStage::Reflect, asking)),
            Self::Initializing
            | Self::Executing { .. }
            | Self::Delegating { .. }
            | Self::PausedForReview { .. }
            | Self::Finished
            | Self::Failed { .. } => None,
        }
    }

    /// The question that a person is asked, and where the run goes on after it.
    pub fn review(&self) -> Option<(&Review, &Self)> {
        match self {
            Self::PausedForReview { review, then } => Some((review, then)),
            Self::Initializing
            | Self::Planning(_)
            | Self::Deciding(_)
            | Self::Executing { .. }
            | Self::Evaluating(_)
            | Self::Thinking(_)
            | Self::Observing(_)
            | Self::Conversing(_)
            | Self::Delegating { .. }
            | Self::Reflecting { .. }
            | Self::Finished
            | Self::Failed { .. } => None,
        }
    }

    /// The calls of one decision that are under way.
    pub fn turn(&self) -> Option<&Turn> {
        match self {
            Self::Executing { turn } => Some(turn),
            Self::Initializing
            | Self::Planning(_)
            | Self::Deciding(_)
            | Self::Evaluating(_)
            | Self::Thinking(_)
            | Self::Observing(_)
            | Self::Conversing(_)
            | Self::Delegating { .. }
            | Self::Reflecting { .. }
            | Self::PausedForReview { .. }
            | Self::Finished
            | Self::Failed { .. } => None,
        }
    }

    /// The runs at work on independent tasks; none where there are no such.
    pub fn lanes(&self) -> &[Lane] {
        match self {
            Self::Delegating { lanes } => lanes,
            Self::Initializing
            | Self::Planning(_)
            | Self::Deciding(_)
            | Self::Executing { .. }
            | Self::Evaluating(_)
            | Self::Thinking(_)
            | Self::Observing(_)
            | Self::Conversing(_)
            | Self::Reflecting { .. }
            | Self::PausedForReview { .. }
            | Self::Finished
            | Self::Failed { .. } => &[],
        }
    }

    /// What led to the review of the working memory that is under way.
    pub fn reflects_on(&self) -> Option<&str> {
        match self {
            Self::Reflecting { why, .. } => Some(why),
            Self::Initializing
            | Self::Planning(_)
            | Self::Deciding(_)
            | Self::Executing { .. }
            | Self::Evaluating(_)
            | Self::Thinking(_)
            | Self::Observing(_)
            | Self::Conversing(_)
            | Self::Delegating { .. }
            | Self::PausedForReview { .. }
            | Self::Finished
            | Self::Failed { .. } => None,
        }
    }

    /// Whether an interruption put the work aside.
    pub fn is_interrupted(&self) -> bool {
        self.review().is_some_and(|(review, _)| review.subject == Subject::Interrupted)
    }

    /// The stage that is worked on: also the one that an interruption put aside, since its answer
    /// may have been on its way.
    pub fn worked_on(&self) -> &Self {
        match self.review() {
            Some((review, then)) if review.subject == Subject::Interrupted => then,
            Some(_) | None => self,
        }
    }

    /// The same stage with another call.
    pub(crate) fn asked(&self, anew: Asking) -> Self {
        let mut stage = self.clone();
        if let Some(asking) = stage.asking_mut() {
            *asking = anew;
        }
        stage
    }

    /// The same, to be changed.
    pub(crate) fn asking_mut(&mut self) -> Option<&mut Asking> {
        match self {
            Self::Planning(asking)
            | Self::Deciding(asking)
            | Self::Evaluating(asking)
            | Self::Thinking(asking)
            | Self::Observing(asking)
            | Self::Conversing(asking)
            | Self::Reflecting { asking, .. } => Some(asking),
            Self::Initializing
            | Self::Executing { .. }
            | Self::Delegating { .. }
            | Self::PausedForReview { .. }
            | Self::Finished
            | Self::Failed { .. } => None,
        }
    }
}

/// A model call that is owed an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asking {
    /// The call.
    pub call: CallId,
    /// What was wrong with the first reply, if this is the one re-ask.
    pub reask: Option<String>,
    /// What the stage failed with before, if this is its one recovery.
    #[serde(default)]
    pub recovers: Option<String>,
    /// Output cap of this call.
    pub max_tokens: u32,
    /// Over everything that the call sends; empty while the stage is put aside.
    #[serde(default = "unsent")]
    pub prompt: PromptDigest,
}

/// The digest of a request that isn't sent yet.
pub(crate) fn unsent() -> PromptDigest {
    PromptDigest(String::new())
}

/// An independent task with the run that works on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The task.
    pub task: TaskId,
    /// Its run: a stack and a budget of its own. Ids are handed out by the run above.
    pub state: Box<State>,
}
