//! `ringfence tool`

use super::{GrantArgs, ToolArgument, ToolBuildArgs, ToolNewArgs, parse_duration};
use clap::{Args, Subcommand};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

/// `ringfence tool`
#[derive(Debug, Args)]
pub struct ToolArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ToolCommand,
}

/// `ringfence tool …`
#[derive(Debug, Subcommand)]
pub enum ToolCommand {
    /// List the tools that a run on a project could use
    List(ToolListArgs),
    /// Show a component's or a tool's functions as a model sees them, and what they can do
    Inspect(ToolInspectArgs),
    /// Call one tool in a fresh sandbox
    ///
    /// Exit codes: 0 done, 1 failed, trapped or denied, 2 usage, 4 a limit ended it, 130 cancelled.
    Call(ToolCallArgs),
    /// Add a component of somebody else's to a project: fetch, verify, show, approve, pin
    Add(super::ToolAddArgs),
    /// Take a pinned component out of a project
    Remove(super::ToolRemoveArgs),
    /// Look whether pinned components have changed at their source, or approve more for one
    Update(super::ToolUpdateArgs),
    /// Fetch what is pinned and isn't on this machine yet
    Fetch(super::ToolFetchArgs),
    /// Publish a component in a registry
    Push(super::ToolPushArgs),
    /// Build a tool's source, in any of eight languages, into a component
    ///
    /// Building runs what the project brings along, such as build scripts, with your rights: build a
    /// stranger's source where it can do no harm. Only the component is fenced.
    ///
    /// Exit codes: 0 built, 1 a compiler failed or the source lacks something, 2 usage or a toolchain is
    /// missing, 130 cancelled.
    Build(ToolBuildArgs),
    /// Make a small complete tool project, to begin with
    ///
    /// Exit codes: 0 made, 1 it can't be written, 2 usage: also where something of this name is there.
    New(ToolNewArgs),
    /// Check that a component behaves as a tool should, and run its own cases
    ///
    /// It is called with inputs made from its types: ordinary, empty, huge, hostile. It should say what
    /// it does, answer what it can't do with an error and not with a crash, keep to its bounds, and give
    /// equal answers to equal calls. `tests/cases.toml` beside it has its author's own cases.
    ///
    /// Exit codes: 0 nothing failed, 1 something did, 2 usage, 130 interrupted.
    Test(ToolTestArgs),
}

/// `ringfence tool list`
#[derive(Debug, Clone, Args)]
pub struct ToolListArgs {
    /// The project folder
    #[arg(value_name = "PROJECT", default_value = ".")]
    pub project: PathBuf,
    /// Print JSON with the tools' schemas
    #[arg(long)]
    pub json: bool,
    /// What tools may touch.
    #[command(flatten)]
    pub grants: GrantArgs,
}

/// `ringfence tool inspect`
#[derive(Debug, Clone, Args)]
pub struct ToolInspectArgs {
    /// A component file, or the name of a tool
    #[arg(value_name = "FILE-or-TOOL")]
    pub what: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The project folder whose policy counts
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub project: PathBuf,
    /// What tools may touch.
    #[command(flatten)]
    pub grants: GrantArgs,
}

/// `ringfence tool test`
#[derive(Debug, Clone, Args)]
pub struct ToolTestArgs {
    /// The component, or the folder of a tool project [default: that of the current folder]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The folder that its calls may read [default: one that is made up]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Its author's cases [default: tests/cases.toml beside the component]
    #[arg(long, value_name = "FILE")]
    pub cases: Option<PathBuf>,
    /// Time for each call: 500ms, 30s, 5m [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Try only this input, by its number, and show all that the call said
    #[arg(long, value_name = "N", conflicts_with = "cases")]
    pub only: Option<NonZeroU32>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `ringfence tool call`
#[derive(Debug, Clone, Args)]
pub struct ToolCallArgs {
    /// The tool's name, or the file of a component that has only one
    #[arg(value_name = "TOOL")]
    pub tool: String,
    /// Its arguments as one JSON object; `-` reads them from standard input
    #[arg(value_name = "JSON", conflicts_with_all = ["arguments", "files"])]
    pub input: Option<String>,
    /// One argument, read by its parameter's type; may be repeated, a list's entry by entry
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    pub arguments: Vec<ToolArgument>,
    /// One argument whose value is in a file: text, or the bytes where those are wanted
    #[arg(long = "arg-file", value_name = "NAME=FILE")]
    pub files: Vec<ToolArgument>,
    /// The project folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub project: PathBuf,
    /// Print the receipt on standard error: files opened, denials, time, memory
    #[arg(long)]
    pub receipt: bool,
    /// Make the call even where an equal, deterministic one was answered before
    #[arg(long)]
    pub no_cache: bool,
    /// Time for the call: 500ms, 30s, 5m [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// What the tool may touch.
    #[command(flatten)]
    pub grants: GrantArgs,
}
