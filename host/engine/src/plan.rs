//! Plans: versions with a hash, and the sub-tasks made from them.

use crate::id::{PlanHash, StepId, TaskId};
use serde::{Deserialize, Serialize};

/// A task as a planner or a person writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedTask {
    /// Unique in the run.
    pub id: TaskId,
    /// What to do, concretely.
    pub description: String,
    /// What kind of work it is, for choosing an expert.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Tasks that must be done before; absent means the one before, empty none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<Vec<TaskId>>,
}

/// One version of the plan. Each edit, by a person or a model, makes a new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanVersion {
    /// Counted from 1.
    pub version: u32,
    /// Over the tasks alone: the same tasks have the same hash.
    pub hash: PlanHash,
    /// Who wrote it.
    pub author: Author,
    /// The planner's reasons; empty for a person's edit.
    pub reasoning: String,
    /// The tasks still to be done, first to be done first.
    pub tasks: Vec<PlannedTask>,
    /// Whether a person, or `--yes` in their name, approved this version.
    pub approved: bool,
}

/// Who wrote a version of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The planning stage.
    Model,
    /// A reviewer.
    Person,
}

/// A task on the stack or done with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubTask {
    /// As planned.
    #[serde(flatten)]
    pub planned: PlannedTask,
    /// How far it is.
    pub status: TaskStatus,
    /// The steps taken for it.
    pub steps: Vec<StepId>,
    /// What came of it, in the evaluator's words; empty until evaluated.
    pub summary: String,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not begun.
    Pending,
    /// On top of the stack, with at least one decision made.
    InProgress,
    /// Done.
    Completed,
    /// Given up.
    Failed,
}
