//! What a model request says, as data instead of prose.
//!
//! A playbook reads this and never the prompt. It is the documented interface between the
//! loop and anything that answers stages without reading English; field names are stable.

use crate::effect::ModelStage;
use crate::event::OutcomeStatus;
use crate::id::{StepId, TaskId};
use crate::plan::SubTask;
use crate::scope::Scope;
use crate::settings::ToolSpec;
use crate::state::{Deed, Said};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The content of one stage request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// `staged`, `pipeline` or `react`.
    pub flow: String,
    /// The stage that is asked.
    pub stage: ModelStage,
    /// The goal of the run.
    pub goal: String,
    /// The task on top; absent while planning, and in a flow without tasks.
    pub task: Option<TaskFacts>,
    /// Open tasks, the one on top first.
    pub open: Vec<TaskFacts>,
    /// Tasks done with or given up, oldest first.
    pub done: Vec<TaskFacts>,
    /// The tools that may be asked for.
    pub tools: Vec<ToolSpec>,
    /// Every tool call so far with its whole result, oldest first.
    pub observations: Vec<ObservationFacts>,
    /// Calls that were proposed and that a person rejected, oldest first; never made.
    pub rejected: Vec<RejectedFacts>,
    /// What a person told the run, oldest first.
    pub said: Vec<Said>,
    /// What the last thing that happened was, in one line or a tool's result.
    pub latest: Option<String>,
    /// What the last review of the working memory told the run to do.
    pub instruction: Option<String>,
    /// What led to the review of the working memory that is asked for.
    pub why: Option<String>,
    /// Stages carried out and the cap.
    pub iterations: IterationFacts,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFacts {
    /// Its id.
    pub id: TaskId,
    /// What to do.
    pub description: String,
    /// What kind of work it is.
    pub kind: Option<String>,
    /// `pending`, `in_progress`, `completed` or `failed`.
    pub status: crate::plan::TaskStatus,
    /// What came of it.
    pub summary: String,
}

/// A tool call that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservationFacts {
    /// The step it is in the action history.
    pub step: StepId,
    /// The task it was for.
    pub task: TaskId,
    /// The tool.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// How it ended.
    pub status: OutcomeStatus,
    /// Its value or its error.
    pub value: Value,
    /// One line on a call that wasn't `done`.
    pub message: String,
}

/// A proposed call that a person rejected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RejectedFacts {
    /// The task it was for.
    pub task: TaskId,
    /// The tool.
    pub tool: String,
    /// The proposed input.
    pub input: Value,
    /// Why, in the person's words.
    pub reason: String,
}

/// How far the run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationFacts {
    /// Stages carried out.
    pub used: u32,
    /// The cap.
    pub limit: u32,
}

impl Facts {
    /// The content of a request for `stage` in this state.
    pub(crate) fn of(scope: Scope<'_>, stage: ModelStage) -> Self {
        let state = scope.state;
        let mut observations = Vec::new();
        let mut rejected = Vec::new();
        for action in scope.history() {
            match &action.deed {
                Deed::Tool { tool, input, status, value, message, receipt: _ } => {
                    observations.push(ObservationFacts {
                        step: action.step,
                        task: action.task.clone(),
                        tool: tool.clone(),
                        input: input.clone(),
                        status: *status,
                        value: value.clone(),
                        message: message.clone(),
                    })
                }
                Deed::Rejected { tool, input, reason } => rejected.push(RejectedFacts {
                    task: action.task.clone(),
                    tool: tool.clone(),
                    input: input.clone(),
                    reason: reason.clone(),
                }),
                Deed::Human { .. } => {}
            }
        }
        Self {
            flow: state.settings.flow.name().to_owned(),
            stage,
            goal: state.goal.clone(),
            task: match stage {
                ModelStage::Plan => None,
                ModelStage::Decide
                | ModelStage::Evaluate
                | ModelStage::Reason
                | ModelStage::Converse
                | ModelStage::Reflect => state.stack.last().map(task),
            },
            open: state.stack.iter().rev().map(task).collect(),
            done: scope.done().map(task).collect(),
            tools: state.settings.tools.clone(),
            observations,
            rejected,
            said: scope.said().cloned().collect(),
            latest: state.observation.clone(),
            instruction: scope.instruction().map(|instruction| instruction.text.clone()),
            why: state.stage.reflects_on().map(str::to_owned),
            iterations: IterationFacts { used: state.iterations, limit: state.settings.limits.iterations },
        }
    }
}

fn task(task: &SubTask) -> TaskFacts {
    TaskFacts {
        id: task.planned.id.clone(),
        description: task.planned.description.clone(),
        kind: task.planned.kind.clone(),
        status: task.status,
        summary: task.summary.clone(),
    }
}
