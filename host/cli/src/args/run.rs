//! `ringfence run`

use super::{FailOnArg, GrantArgs, ModelSpec, PauseList, parse_duration, parse_money};
use crate::config::Durability;
use clap::{Args, ValueEnum};
use ringfence_engine::{Flow, Limits, OnStageFailure};
use std::num::NonZeroU32;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

/// `ringfence run`
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// The project folder
    #[arg(value_name = "PROJECT", default_value = ".")]
    pub project: PathBuf,
    /// What to achieve, in any language; left out: analyse the technology stack, the module
    /// structure and possible problems
    #[arg(value_name = "GOAL", value_parser = super::values::parse_goal)]
    pub goal: Option<String>,
    /// Approve plans and tool calls; never a question, a judgement, the end, a new grant or a
    /// project's configuration
    #[arg(long, short)]
    pub yes: bool,
    /// Print what happens as JSON lines
    #[arg(long)]
    pub json: bool,
    /// Exit with 6 if product code has a finding at least this bad; what a rule has low confidence in
    /// doesn't count
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOnArg>,
    /// The model: anthropic, anthropic:MODEL, openai:MODEL or playbook (built in, no network)
    #[arg(long, value_name = "MODEL", help_heading = "Model")]
    pub model: Option<ModelSpec>,
    /// Where the model's server is
    #[arg(long, value_name = "URL", help_heading = "Model")]
    pub base_url: Option<String>,
    /// Record what is asked and answered to this file
    #[arg(long, value_name = "FILE", help_heading = "Model")]
    pub record: Option<PathBuf>,
    /// Answer from a recording instead of a model; a request that differs from it fails
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "base_url", "record"], help_heading = "Model")]
    pub replay: Option<PathBuf>,
    /// What tools may touch.
    #[command(flatten)]
    pub grants: GrantArgs,
    /// The tools that may be used, separated by commas [default: all]
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Fence")]
    pub tools: Option<Vec<String>>,
    /// The loop: staged, pipeline or react [default: staged]
    #[arg(long, value_enum, value_name = "FLOW", help_heading = "Loop", hide_possible_values = true)]
    pub flow: Option<FlowArg>,
    /// Where to wait for a person, separated by commas: after_plan, before_tool, before_write,
    /// before_egress, after_evaluate, before_finish, on_low_confidence; or none
    /// [default: after_plan]
    #[arg(long, value_name = "POINTS", help_heading = "Loop")]
    pub pause: Option<PauseList>,
    /// Work on up to N independent tasks at the same time [default: 1]
    #[arg(long, value_name = "N", help_heading = "Loop")]
    pub parallel: Option<NonZeroU32>,
    /// What becomes of a stage that failed twice: pause or fail [default: pause]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Loop", hide_possible_values = true)]
    pub on_stage_failure: Option<OnFailureArg>,
    /// What an acknowledged step survives: full (the machine's death) or relaxed (the process's)
    /// [default: full]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Loop", hide_possible_values = true)]
    pub durability: Option<Durability>,
    /// Tell this command, in JSON on its standard input, when the run pauses, ends or hangs
    #[arg(long, value_name = "COMMAND", help_heading = "Loop")]
    pub notify: Option<String>,
    /// Where the run stops.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Where a run stops by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct LimitArgs {
    /// Stages to carry out at most [default: 50; 15 for pipeline, 10 for react]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_iterations: Option<NonZeroU32>,
    /// Time to work, pauses not counted: 90s, 10m, 1h30m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Limits")]
    pub max_time: Option<Duration>,
    /// Tokens to spend, prompts and replies together [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_tokens: Option<NonZeroU64>,
    /// US dollars to spend, where the model's price is known [default: no limit]
    #[arg(long, value_name = "USD", value_parser = parse_money, help_heading = "Limits")]
    pub max_money: Option<u64>,
    /// Time for one tool call [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Limits")]
    pub tool_timeout: Option<Duration>,
    /// Time for one model call, retries included [default: 120s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Limits")]
    pub model_timeout: Option<Duration>,
}

impl LimitArgs {
    /// Puts what is given in the place of what a run had.
    pub fn lay_over(&self, limits: &mut Limits) {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        limits.iterations = self.max_iterations.map_or(limits.iterations, u32::from);
        limits.wall_clock_ms = self.max_time.map(ms).or(limits.wall_clock_ms);
        limits.tokens = self.max_tokens.map(u64::from).or(limits.tokens);
        limits.money = self.max_money.or(limits.money);
        limits.tool_call_ms = self.tool_timeout.map_or(limits.tool_call_ms, ms);
        limits.model_call_ms = self.model_timeout.map_or(limits.model_call_ms, ms);
    }

    /// Whether anything is given.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// `--flow`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FlowArg {
    /// Plan, decide, execute, evaluate
    Staged,
    /// Context, reasoning, action
    Pipeline,
    /// One growing conversation
    React,
}

impl From<FlowArg> for Flow {
    fn from(flow: FlowArg) -> Self {
        match flow {
            FlowArg::Staged => Self::Staged,
            FlowArg::Pipeline => Self::Pipeline,
            FlowArg::React => Self::React,
        }
    }
}

/// `--on-stage-failure`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnFailureArg {
    /// Ask a person
    Pause,
    /// End the run
    Fail,
}

impl From<OnFailureArg> for OnStageFailure {
    fn from(what: OnFailureArg) -> Self {
        match what {
            OnFailureArg::Pause => Self::Pause,
            OnFailureArg::Fail => Self::Fail,
        }
    }
}
