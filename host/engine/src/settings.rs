//! What a run is started with: flow, limits, pause points, tools, prompts.
//!
//! It travels in the first event, so a journal alone says how a run was meant to go.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// Everything that shapes a run besides its goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The loop architecture.
    pub flow: Flow,
    /// Where the run stops by itself.
    pub limits: Limits,
    /// Where the run waits for a person.
    pub pause: BTreeSet<PausePoint>,
    /// The tools a model may ask for, in the order it is shown them.
    pub tools: Vec<ToolSpec>,
    /// The stages' prompt templates (minijinja), built in or a person's own.
    pub prompts: Prompts,
    /// Whatever the driver needs to take the run up again (project, grants, model); never read
    /// here.
    #[serde(default)]
    pub metadata: Value,
}

/// The loop architectures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// Plan, decide, execute, evaluate.
    Staged,
}

/// Limits of a run. Durations are in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Stages carried out at most.
    pub iterations: u32,
    /// From the first event to the last, pauses not counted.
    pub wall_clock_ms: Option<u64>,
    /// Prompt and output tokens together.
    pub tokens: Option<u64>,
    /// For one model call, the provider's retries included.
    pub model_call_ms: u64,
    /// For one tool call.
    pub tool_call_ms: u64,
    /// So many equal calls in a row (tool, input, outcome class) pause the run.
    pub stagnation: u32,
    /// Output tokens asked of the model for one stage; raised once when a reply was cut off.
    pub reply_tokens: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            iterations: 50,
            wall_clock_ms: None,
            tokens: None,
            model_call_ms: 120_000,
            tool_call_ms: 30_000,
            stagnation: 5,
            reply_tokens: 16_000,
        }
    }
}

/// A place in the loop where a run can be told to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PausePoint {
    /// A plan with new tasks waits to be approved.
    AfterPlan,
    /// Each decided tool call waits to be approved.
    BeforeTool,
}

/// A tool as the loop and the model know it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name in snake_case, unique in a run.
    pub name: String,
    /// From the doc comments of its WIT.
    pub description: String,
    /// JSON Schema of the input object.
    pub input_schema: Value,
    /// What the fence lets it do: computed from grants, never from what the tool says.
    pub can: ToolFacts,
}

/// What a tool can do under the grants of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFacts {
    /// Reads files of the project.
    pub reads: bool,
    /// Can change files.
    pub writes: bool,
    /// Can send something off the machine.
    pub egress: bool,
    /// Gives equal answers to equal calls on an unchanged project.
    pub deterministic: bool,
}

impl ToolFacts {
    /// Whether a call whose outcome is unknown can simply be made again.
    pub fn repeatable(self) -> bool {
        !self.writes && !self.egress
    }
}

/// The text of each stage's prompt template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompts {
    /// Planning.
    pub plan: String,
    /// Deciding.
    pub decide: String,
    /// Evaluating.
    pub evaluate: String,
}
