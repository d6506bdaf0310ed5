//! What a run is started with: flow, limits, pause points, tools, prompts, experts.
//!
//! It travels in the first event, so a journal alone says how a run was meant to go.

use crate::effect::ModelStage;
use crate::rates::Rates;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that shapes a run besides its goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The loop architecture.
    pub flow: Flow,
    /// Where the run stops by itself.
    pub limits: Limits,
    /// Where the run waits for a person.
    pub pause: BTreeSet<PausePoint>,
    /// What becomes of a stage that failed and whose one recovery failed too.
    #[serde(default)]
    pub on_stage_failure: OnStageFailure,
    /// Independent tasks that may be worked on at the same time; 1 for one after the other.
    #[serde(default = "one")]
    pub parallel: u32,
    /// The tools a model may ask for, in the order it is shown them.
    pub tools: Vec<ToolSpec>,
    /// The stages' prompt templates (minijinja), built in or a person's own.
    pub prompts: Prompts,
    /// Who works on tasks of which kind; by the kind's name.
    #[serde(default)]
    pub experts: BTreeMap<String, Expert>,
    /// What the models cost, as far as it is known.
    #[serde(default)]
    pub rates: Rates,
    /// What earlier runs left that bears on the goal, most related first.
    #[serde(default)]
    pub memories: Vec<String>,
    /// Whatever the driver needs to take the run up again (project, grants, model); never read
    /// here.
    #[serde(default)]
    pub metadata: Value,
}

fn one() -> u32 {
    1
}

/// The loop architectures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// Plan, decide, execute, evaluate.
    #[default]
    Staged,
    /// Context, reasoning, action.
    Pipeline,
    /// One growing conversation with native tool use.
    React,
}

impl Flow {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Staged, Self::Pipeline, Self::React];

    /// The name in snake_case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Staged => "staged",
            Self::Pipeline => "pipeline",
            Self::React => "react",
        }
    }

    /// Stages that it carries out at most, unless told otherwise.
    pub fn iterations(self) -> u32 {
        match self {
            Self::Staged => 50,
            Self::Pipeline => 15,
            Self::React => 10,
        }
    }

    /// The stages that a model serves in it, the detour left out.
    pub fn model_stages(self) -> &'static [ModelStage] {
        match self {
            Self::Staged => &[ModelStage::Plan, ModelStage::Decide, ModelStage::Evaluate],
            Self::Pipeline => &[ModelStage::Reason],
            Self::React => &[ModelStage::Converse],
        }
    }
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
    /// Millionths of a US dollar.
    #[serde(default)]
    pub money: Option<u64>,
    /// For one model call, the provider's retries included.
    pub model_call_ms: u64,
    /// The same for single stages, where it differs.
    #[serde(default)]
    pub stage_ms: BTreeMap<ModelStage, u64>,
    /// For one tool call.
    pub tool_call_ms: u64,
    /// So many repetitions count as standing still (`stagnation.rs` says of what).
    pub stagnation: u32,
    /// So many actions without progress lead to a review of the whole working memory.
    #[serde(default)]
    pub reflect_after: Option<u32>,
    /// Output tokens asked of the model for one stage; raised once when a reply was cut off.
    pub reply_tokens: u32,
}

impl Limits {
    /// The usual ones of a flow.
    pub fn of(flow: Flow) -> Self {
        Self {
            iterations: flow.iterations(),
            wall_clock_ms: None,
            tokens: None,
            money: None,
            model_call_ms: 120_000,
            stage_ms: BTreeMap::new(),
            tool_call_ms: 30_000,
            stagnation: 5,
            reflect_after: Some(12),
            reply_tokens: 16_000,
        }
    }

    /// The time for one call of a stage.
    pub fn of_stage(&self, stage: ModelStage) -> u64 {
        self.stage_ms.get(&stage).copied().unwrap_or(self.model_call_ms)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::of(Flow::default())
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
    /// Each call that can change files.
    BeforeWrite,
    /// Each call that can send something off the machine.
    BeforeEgress,
    /// Each judgement of an action.
    AfterEvaluate,
    /// The end, before it is one.
    BeforeFinish,
    /// A decision or a judgement that the model said it isn't sure of.
    OnLowConfidence,
}

impl PausePoint {
    /// All of them, in the loop's order.
    pub const ALL: [Self; 7] = [
        Self::AfterPlan,
        Self::BeforeTool,
        Self::BeforeWrite,
        Self::BeforeEgress,
        Self::AfterEvaluate,
        Self::BeforeFinish,
        Self::OnLowConfidence,
    ];

    /// The name in snake_case.
    pub fn name(self) -> &'static str {
        match self {
            Self::AfterPlan => "after_plan",
            Self::BeforeTool => "before_tool",
            Self::BeforeWrite => "before_write",
            Self::BeforeEgress => "before_egress",
            Self::AfterEvaluate => "after_evaluate",
            Self::BeforeFinish => "before_finish",
            Self::OnLowConfidence => "on_low_confidence",
        }
    }
}

/// What becomes of a stage that failed twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnStageFailure {
    /// A person is asked.
    #[default]
    Pause,
    /// The run has failed.
    Fail,
}

/// Who works on tasks of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expert {
    /// What deciding and evaluating are told besides, for a task of that kind.
    #[serde(default)]
    pub prompt: String,
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
    /// Time for one call, where it is less than for any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Whether equal calls in a row are its nature, and no standing still.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub polling: bool,
}

/// What a tool can do under the grants of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFacts {
    /// Sees what is the user's: files of the project, or variables of the environment.
    pub reads: bool,
    /// Can change files.
    pub writes: bool,
    /// Its changes are staged: those of a call that nobody saw the end of are taken back when it is
    /// made again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub staged: bool,
    /// Can send something off the machine.
    pub egress: bool,
    /// Gives equal answers to equal calls on an unchanged project.
    pub deterministic: bool,
}

impl ToolFacts {
    /// Whether it can be made beside others: it changes nothing that they could see.
    pub fn concurrent(self) -> bool {
        !self.writes && !self.egress
    }

    /// Whether a call that stumbled, or whose outcome is unknown, can simply be made again.
    pub fn repeatable(self) -> bool {
        (!self.writes || self.staged) && !self.egress
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
    /// Reasoning, of the pipeline.
    #[serde(default)]
    pub reason: String,
    /// The conversation's beginning, of react.
    #[serde(default)]
    pub converse: String,
    /// Reviewing the whole working memory.
    #[serde(default)]
    pub reflect: String,
}
