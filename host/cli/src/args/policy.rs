//! `ringfence policy`

use super::{GrantArgs, LimitArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `ringfence policy`
#[derive(Debug, Args)]
pub struct PolicyArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: PolicyCommand,
}

/// `ringfence policy …`
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Write a ringfence.toml to begin with; it changes nothing until it is edited
    Init(PolicyInitArgs),
    /// Check a project's configuration and the user's, and name everything that is wrong
    ///
    /// Exit codes: 0 nothing is wrong, 2 something is.
    Check(PolicyCheckArgs),
    /// Show what holds after all layers, and where each value comes from
    Show(PolicyShowArgs),
    /// Say whether a tool could read, write or reach something, and what decides it
    ///
    /// Exit codes: 0 a tool could (with --tool: that one), 1 none could, 2 usage.
    Explain(PolicyExplainArgs),
    /// Print the JSON Schema of the configuration, for editors
    Schema,
}

/// `ringfence policy init`
#[derive(Debug, Clone, Args)]
pub struct PolicyInitArgs {
    /// The project folder
    #[arg(value_name = "PROJECT", default_value = ".")]
    pub project: PathBuf,
}

/// `ringfence policy check`
#[derive(Debug, Clone, Args)]
pub struct PolicyCheckArgs {
    /// The project folder
    #[arg(value_name = "PROJECT", default_value = ".")]
    pub project: PathBuf,
}

/// `ringfence policy show`
#[derive(Debug, Clone, Args)]
pub struct PolicyShowArgs {
    /// The project folder
    #[arg(value_name = "PROJECT", default_value = ".")]
    pub project: PathBuf,
    /// Only this tool
    #[arg(long, value_name = "TOOL")]
    pub tool: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// What tools may touch.
    #[command(flatten)]
    pub grants: GrantArgs,
    /// Where a run stops.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// `ringfence policy explain`
#[derive(Debug, Clone, Args)]
pub struct PolicyExplainArgs {
    /// A path as a tool would give it, from the project folder; or a URL
    #[arg(value_name = "PATH-or-URL")]
    pub what: String,
    /// The project folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub project: PathBuf,
    /// Only this tool [default: all]
    #[arg(long, value_name = "TOOL")]
    pub tool: Option<String>,
    /// Whether it could be changed, not only read
    #[arg(long)]
    pub write: bool,
    /// It is the name of a variable of the environment, not a path: whether it is seen
    #[arg(long = "env", conflicts_with = "write")]
    pub variable: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// What tools may touch.
    #[command(flatten)]
    pub grants: GrantArgs,
}
