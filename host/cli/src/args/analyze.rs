//! `ringfence analyze`

use super::{GrantArgs, LimitArgs, ModelSpec, RunArgs};
use clap::{Args, ValueEnum};
use ringfence_models::playbook::analyst::Severity;
use std::num::NonZeroU32;
use std::path::PathBuf;

/// `ringfence analyze`
#[derive(Debug, Clone, Args)]
pub struct AnalyzeArgs {
    /// The project folder
    #[arg(value_name = "PROJECT", default_value = ".")]
    pub project: PathBuf,
    /// Write report.md, report.html, report.json and report.sarif into this folder; inside of the
    /// project, the next analysis reads them too unless they are ignored
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
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
    /// What tools may touch.
    #[command(flatten)]
    pub grants: GrantArgs,
    /// Work on up to N independent tasks at the same time [default: one for each processor]
    #[arg(long, value_name = "N", help_heading = "Loop")]
    pub parallel: Option<NonZeroU32>,
    /// Where the run stops.
    #[command(flatten)]
    pub limits: LimitArgs,
}

impl AnalyzeArgs {
    /// The run that it is short for: of no goal but the analysis, its plan approved.
    pub fn run(&self) -> RunArgs {
        let Self { project, out: _, fail_on, model, base_url, grants, parallel, limits } = self.clone();
        RunArgs {
            project,
            goal: None,
            yes: true,
            json: false,
            fail_on,
            model,
            base_url,
            record: None,
            replay: None,
            grants,
            tools: None,
            flow: None,
            pause: None,
            parallel,
            on_stage_failure: None,
            durability: None,
            notify: None,
            limits,
        }
    }
}

/// `--fail-on`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOnArg {
    /// Likely to hurt
    High,
    /// Should be looked at
    Medium,
    /// Unlikely to hurt
    Low,
    /// Worth knowing
    Info,
}

impl From<FailOnArg> for Severity {
    fn from(least: FailOnArg) -> Self {
        match least {
            FailOnArg::High => Self::High,
            FailOnArg::Medium => Self::Medium,
            FailOnArg::Low => Self::Low,
            FailOnArg::Info => Self::Info,
        }
    }
}
