//! The part of a request's facts that the playbook reads. Unknown fields are ignored, so that
//! the loop may say more than is read here.

use super::analyst::Observation;
use serde::Deserialize;
use serde_json::Value;

/// One stage's request.
#[derive(Debug, Deserialize)]
pub(super) struct Facts {
    #[serde(default)]
    pub(super) flow: Flow,
    pub(super) stage: Stage,
    #[serde(default)]
    pub(super) task: Option<Task>,
    #[serde(default)]
    pub(super) open: Vec<Task>,
    #[serde(default)]
    pub(super) done: Vec<Task>,
    #[serde(default)]
    pub(super) tools: Vec<Tool>,
    #[serde(default)]
    pub(super) observations: Vec<Observation>,
    #[serde(default)]
    pub(super) rejected: Vec<Rejected>,
    /// What a person told the run, oldest first.
    #[serde(default)]
    pub(super) said: Vec<Said>,
    #[serde(default)]
    pub(super) latest: Option<String>,
    /// What led to the review of the work that is asked for.
    #[serde(default)]
    pub(super) why: Option<String>,
    pub(super) iterations: Iterations,
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    Plan,
    Decide,
    Evaluate,
    Reason,
    Converse,
    Reflect,
}

/// How the loop goes about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Flow {
    /// Task by task.
    #[default]
    Staged,
    /// One call or the answer at a time.
    Pipeline,
    /// A conversation, several calls at a time.
    React,
}

/// A task of the plan.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Task {
    pub(super) id: String,
    #[serde(default)]
    pub(super) description: String,
    #[serde(default)]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) status: Option<Status>,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Pending,
    InProgress,
    Completed,
    Failed,
}

/// A tool on offer.
#[derive(Debug, Deserialize)]
pub(super) struct Tool {
    pub(super) name: String,
}

/// A call that a person said no to.
#[derive(Debug, Deserialize)]
pub(super) struct Rejected {
    #[serde(default)]
    pub(super) task: String,
    pub(super) tool: String,
    pub(super) input: Value,
    #[serde(default)]
    pub(super) reason: String,
}

/// Something that a person said.
#[derive(Debug, Deserialize)]
pub(super) struct Said {
    /// What it was said to, in the loop's words.
    #[serde(default)]
    pub(super) to: String,
    /// Their words.
    #[serde(default)]
    pub(super) text: String,
}

/// How far the run is.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Iterations {
    pub(super) used: u32,
    pub(super) limit: u32,
}

impl Facts {
    /// Whether a tool may be called.
    pub(super) fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|offered| offered.name == tool)
    }

    /// How often a person rejected a proposed plan.
    pub(super) fn plans_rejected(&self) -> usize {
        self.said.iter().filter(|said| said.to == "the proposed plan").count()
    }

    /// How often a person said that the proposed end isn't the end.
    pub(super) fn ends_rejected(&self) -> usize {
        self.said.iter().filter(|said| said.to == "the proposed end").count()
    }

    /// Whether a person has answered a question.
    pub(super) fn was_answered(&self) -> bool {
        self.said.iter().any(|said| said.to.starts_with("the question "))
    }

    /// Whether a person said no to a call.
    pub(super) fn is_rejected(&self, tool: &str, input: &Value) -> bool {
        self.rejected.iter().any(|no| no.tool == tool && &no.input == input)
    }

    /// Whether a call was made already, whatever came of it, or was rejected.
    pub(super) fn tried(&self, tool: &str, input: &Value) -> bool {
        self.observations.iter().any(|seen| seen.tool == tool && &seen.input == input)
            || self.is_rejected(tool, input)
    }
}
