//! `ringfence resume`

use super::{FailOnArg, ModelSpec};
use crate::config::Durability;
use clap::Args;
use std::path::PathBuf;

/// `ringfence resume`
#[derive(Debug, Clone, Args)]
pub struct ResumeArgs {
    /// The run: its id, or as much of it as is unambiguous
    #[arg(value_name = "RUN")]
    pub run: String,
    /// The answer to what the run waits for.
    #[command(flatten)]
    pub answer: AnswerArgs,
    /// How it goes on.
    #[command(flatten)]
    pub going_on: GoingOnArgs,
}

/// How a run goes on that was there before.
#[derive(Debug, Clone, Default, Args)]
pub struct GoingOnArgs {
    /// Approve plans and tool calls; never a question or a new grant
    #[arg(long, short)]
    pub yes: bool,
    /// Print what happens as JSON lines
    #[arg(long)]
    pub json: bool,
    /// Exit with 6 if product code has a finding at least this bad; what a rule has low confidence in
    /// doesn't count
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOnArg>,
    /// Go on with this model instead of the one the run began with
    #[arg(long, value_name = "MODEL", help_heading = "Model")]
    pub model: Option<ModelSpec>,
    /// Where that model's server is
    #[arg(long, value_name = "URL", requires = "model", help_heading = "Model")]
    pub base_url: Option<String>,
    /// Record what is asked and answered to this file
    #[arg(long, value_name = "FILE", help_heading = "Model")]
    pub record: Option<PathBuf>,
    /// Answer from a recording instead of a model
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "record"], help_heading = "Model")]
    pub replay: Option<PathBuf>,
    /// What an acknowledged step survives: full (the machine's death) or relaxed (the process's)
    /// [default: full]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Loop", hide_possible_values = true)]
    pub durability: Option<Durability>,
    /// Tell this command, in JSON on its standard input, when the run pauses, ends or hangs
    #[arg(long, value_name = "COMMAND", help_heading = "Loop")]
    pub notify: Option<String>,
}

/// The answer to what a run waits for; at most one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[group(multiple = false)]
pub struct AnswerArgs {
    /// Approve what is proposed; with a hash, only if the plan has it
    #[arg(long, value_name = "HASH", num_args = 0..=1, help_heading = "Answer")]
    pub approve: Option<Option<String>>,
    /// Approve this plan (TOML), tool input (JSON) or final answer (text) instead of the proposed one
    #[arg(long, value_name = "FILE", help_heading = "Answer")]
    pub edit: Option<PathBuf>,
    /// Approve the plan and add these tasks (TOML)
    #[arg(long, value_name = "FILE", help_heading = "Answer")]
    pub add: Option<PathBuf>,
    /// Reject what is proposed, and why
    #[arg(long, value_name = "TEXT", help_heading = "Answer")]
    pub reject: Option<String>,
    /// Answer the question; to anything else, words to think again with
    #[arg(long, value_name = "TEXT", help_heading = "Answer")]
    pub answer: Option<String>,
    /// End the run
    #[arg(long, help_heading = "Answer")]
    pub abort: bool,
}
