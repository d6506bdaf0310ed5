//! `ringfence run`

use super::{GrantArgs, ModelSpec, PauseList, parse_duration};
use clap::Args;
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
    /// Approve plans and tool calls; never a question, a new grant or a project's configuration
    #[arg(long, short)]
    pub yes: bool,
    /// Print what happens as JSON lines
    #[arg(long)]
    pub json: bool,
    /// The model: anthropic, anthropic:MODEL, openai:MODEL or playbook (built in, no network)
    #[arg(long, value_name = "MODEL", help_heading = "Model")]
    pub model: Option<ModelSpec>,
    /// Where the model's server is
    #[arg(long, value_name = "URL", help_heading = "Model")]
    pub base_url: Option<String>,
    /// What tools may touch.
    #[command(flatten)]
    pub grants: GrantArgs,
    /// The tools that may be used, separated by commas [default: all]
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Fence")]
    pub tools: Option<Vec<String>>,
    /// Where to wait for a person: after_plan, before_tool, separated by commas, or none
    /// [default: after_plan]
    #[arg(long, value_name = "POINTS", help_heading = "Limits")]
    pub pause: Option<PauseList>,
    /// Where the run stops.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Where a run stops by itself.
#[derive(Debug, Clone, Default, Args)]
pub struct LimitArgs {
    /// Stages to carry out at most [default: 50]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_iterations: Option<NonZeroU32>,
    /// Time to work, pauses not counted: 90s, 10m, 1h30m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Limits")]
    pub max_time: Option<Duration>,
    /// Tokens to spend, prompts and replies together [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_tokens: Option<NonZeroU64>,
    /// Time for one tool call [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Limits")]
    pub tool_timeout: Option<Duration>,
    /// Time for one model call, retries included [default: 120s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Limits")]
    pub model_timeout: Option<Duration>,
}
