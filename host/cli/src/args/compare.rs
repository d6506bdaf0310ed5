//! `ringfence compare`

use super::run::{FlowArg, LimitArgs};
use super::{GrantArgs, ModelSpec};
use clap::Args;
use std::path::PathBuf;

/// `ringfence compare`
#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    /// The project folder
    #[arg(value_name = "PROJECT", default_value = ".")]
    pub project: PathBuf,
    /// What to achieve; left out: the built-in analysis
    #[arg(value_name = "GOAL", value_parser = super::values::parse_goal)]
    pub goal: Option<String>,
    /// The flows to compare, separated by commas [default: staged,pipeline,react]
    #[arg(
        long,
        value_enum,
        value_name = "A,B",
        value_delimiter = ',',
        hide_possible_values = true,
        help_heading = "Loop"
    )]
    pub flows: Vec<FlowArg>,
    /// Print JSON: an object with one entry for each flow
    #[arg(long)]
    pub json: bool,
    /// The model: anthropic, anthropic:MODEL, openai:MODEL or playbook (built in, no network)
    #[arg(long, value_name = "MODEL", help_heading = "Model")]
    pub model: Option<ModelSpec>,
    /// Where the model's server is
    #[arg(long, value_name = "URL", help_heading = "Model")]
    pub base_url: Option<String>,
    /// Answer from a recording instead of a model
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "base_url"], help_heading = "Model")]
    pub replay: Option<PathBuf>,
    /// What tools may touch.
    #[command(flatten)]
    pub grants: GrantArgs,
    /// The tools that may be used, separated by commas [default: all]
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Fence")]
    pub tools: Option<Vec<String>>,
    /// Where each run stops.
    #[command(flatten)]
    pub limits: LimitArgs,
}
