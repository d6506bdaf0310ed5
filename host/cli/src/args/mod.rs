//! The command line as data: commands, flags, their help.
//!
//! Owns: spelling, help texts and the reading of single values. Doesn't own: what a value means
//! together with configuration files (`config`).

mod analyze;
mod changes;
mod compare;
mod dir_spec;
mod fork;
mod grant;
mod model;
mod policy;
mod replay;
mod resume;
mod run;
mod supervise;
mod tool;
mod tool_add;
mod tool_build;
mod tool_new;
mod tool_push;
mod values;
mod variable;

pub use analyze::{AnalyzeArgs, FailOnArg};
pub use changes::{DiffArgs, SettleArgs};
pub use compare::CompareArgs;
pub use dir_spec::DirSpec;
pub use fork::ForkArgs;
pub use grant::GrantLaterArgs;
pub use model::ModelSpec;
pub use policy::{
    PolicyArgs, PolicyCheckArgs, PolicyCommand, PolicyExplainArgs, PolicyInitArgs, PolicyShowArgs,
};
pub use replay::ReplayArgs;
pub use resume::{AnswerArgs, GoingOnArgs, ResumeArgs};
pub use run::{FlowArg, LimitArgs, OnFailureArg, RunArgs};
pub use supervise::SuperviseArgs;
pub use tool::{ToolArgs, ToolCallArgs, ToolCommand, ToolInspectArgs, ToolListArgs, ToolTestArgs};
pub use tool_add::{ApprovalArgs, ProjectArgs, ToolAddArgs, ToolFetchArgs, ToolRemoveArgs, ToolUpdateArgs};
pub use tool_build::ToolBuildArgs;
pub use tool_new::ToolNewArgs;
pub use tool_push::ToolPushArgs;
pub use values::{
    PauseList, ToolArgument, host_in_flag, parse_duration, parse_host, parse_money, parse_size,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use ringfence_sandbox::{HostGrant, MaskPattern, VariableName};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Exit codes: 0 finished, 1 failed, or ended by a person, 2 usage, configuration or trust, 3 waiting
for a person, 4 a limit or budget ended it, 5 the model could not be reached or gave no usable
answer, 6 a finding that --fail-on names, 130 interrupted.";

/// Run an AI agent on a project, with every tool call fenced, journaled and traceable.
#[derive(Debug, Parser)]
#[command(name = "ringfence", version, after_help = AFTER_HELP, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true, propagate_version = false)]
pub struct Cli {
    /// Flags that every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
pub struct GlobalArgs {
    /// Keep runs, confirmations and compiled code in this folder instead of the user's own
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub state: Option<PathBuf>,
    /// Say only what is asked for: no progress, no notes
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = "Everywhere")]
    pub quiet: bool,
    /// Say more; twice, say everything
    #[arg(long, short, global = true, action = clap::ArgAction::Count, help_heading = "Everywhere")]
    pub verbose: u8,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Work on a goal in a project folder: plan, ask, act, evaluate, report
    Run(RunArgs),
    /// Analyse a project and report: stack, structure, possible problems
    Analyze(AnalyzeArgs),
    /// Go on with a run that waits, was interrupted or was killed
    Resume(ResumeArgs),
    /// Begin a new run like another one, and go on from there
    Fork(ForkArgs),
    /// Make a run again from its journal, without a model, and compare
    Replay(ReplayArgs),
    /// Drive a run, and take it up again when its process hangs or dies
    Supervise(SuperviseArgs),
    /// List runs, newest first; `*` marks those that are being driven
    Runs(RunsArgs),
    /// Show where a run stands: plan, steps, what it waits for
    Show(ShowArgs),
    /// Print a run's report, made from its journal alone
    Report(ReportArgs),
    /// Show what a run has changed so far: nothing of it is in the project yet
    Diff(DiffArgs),
    /// Put what a run has changed into the project: all of it or nothing
    Apply(SettleArgs),
    /// Throw away what a run has changed
    Discard(SettleArgs),
    /// Allow a run more than it was started with; what a model asks for, only a person can give
    Grant(GrantLaterArgs),
    /// Run the same goal through all flows and print what each came to, side by side
    Compare(CompareArgs),
    /// Write, build, test, inspect and call tools; bring others' and publish your own
    Tool(ToolArgs),
    /// Write, check and show what holds, and explain what decides it
    Policy(PolicyArgs),
    /// Check that everything works on this machine
    Doctor(DoctorArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
}

/// `ringfence runs`
#[derive(Debug, Clone, Args)]
pub struct RunsArgs {
    /// Only the runs of this project
    #[arg(value_name = "PROJECT")]
    pub project: Option<PathBuf>,
    /// Print JSON: an array of objects with "id", "stage", "goal"
    #[arg(long)]
    pub json: bool,
}

/// `ringfence show`
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// The run: its id, or as much of it as is unambiguous
    #[arg(value_name = "RUN")]
    pub run: String,
    /// Print the run's whole state as JSON
    #[arg(long)]
    pub json: bool,
    /// List every event with its number and time: where a run can be forked
    #[arg(long, conflicts_with = "json")]
    pub events: bool,
    /// Show all steps and notes, not only the last 20
    #[arg(long)]
    pub all: bool,
}

/// `ringfence report`
#[derive(Debug, Clone, Args)]
pub struct ReportArgs {
    /// The run: its id, or as much of it as is unambiguous
    #[arg(value_name = "RUN")]
    pub run: String,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Md)]
    pub format: ReportFormat,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Markdown
    Md,
    /// One HTML page, complete in itself
    Html,
    /// JSON
    Json,
    /// The findings as SARIF 2.1.0, for editors and code scanning
    Sarif,
}

/// `ringfence doctor`
#[derive(Debug, Clone, Args)]
pub struct DoctorArgs {
    /// Print JSON: an array of checks
    #[arg(long)]
    pub json: bool,
}

/// `ringfence completions`
#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// What tools may touch, and which tools there are.
#[derive(Debug, Clone, Default, Args)]
pub struct GrantArgs {
    /// Grant this folder or file of the project, for reading or with :write for changing; may be
    /// repeated [default: the whole project, for reading]
    #[arg(long = "dir", value_name = "DIR[:write]", help_heading = "Fence")]
    pub dirs: Vec<DirSpec>,
    /// Hide what this gitignore pattern fits, besides keys and credentials; with a leading ! show it;
    /// may be repeated
    #[arg(long = "mask", value_name = "PATTERN", value_parser = values::parse_mask, help_heading = "Fence")]
    pub masks: Vec<MaskPattern>,
    /// Grant requests (GET, HEAD) to this host, as https://api.example.com, or as a table
    /// { url = "…", methods = ["POST"] }; may be repeated [default: none]
    #[arg(long = "allow-host", value_name = "URL", value_parser = values::parse_host, help_heading = "Fence")]
    pub hosts: Vec<HostGrant>,
    /// Let tools see this variable of the environment, with the value it has now; may be repeated
    /// [default: none]
    #[arg(long = "allow-env", value_name = "NAME", value_parser = variable::VariableParser, help_heading = "Fence")]
    pub env: Vec<VariableName>,
    /// Load this WebAssembly component's tools too; may be repeated
    #[arg(long = "component", value_name = "FILE", help_heading = "Fence")]
    pub components: Vec<PathBuf>,
    /// Work as this role of the configuration: only its tools exist
    #[arg(long, value_name = "NAME", help_heading = "Fence")]
    pub role: Option<String>,
    /// Trust the project's own configuration if it has this hash
    #[arg(long, value_name = "HASH", help_heading = "Fence")]
    pub trust: Option<String>,
}
