//! `ringfence tool add`, `tool remove`, `tool update`, `tool fetch`

use super::variable::VariableParser;
use super::{DirSpec, parse_host};
use crate::config::ComponentName;
use clap::Args;
use ringfence_registry::Source;
use ringfence_sandbox::reflect::ToolName;
use ringfence_sandbox::{Digest, HostGrant, VariableName};
use std::path::PathBuf;

/// What a component may touch at most, whatever the policy gives.
#[derive(Debug, Clone, Default, Args)]
pub struct ApprovalArgs {
    /// Approve this folder or file of the project for it; may be repeated [default for a new one: the
    /// folders that the project grants, for reading]
    #[arg(long = "dir", value_name = "DIR[:write]", help_heading = "Approval")]
    pub dirs: Vec<DirSpec>,
    /// Approve requests to this host, as for `run`; may be repeated [default: none]
    #[arg(long = "allow-host", value_name = "URL", value_parser = parse_host, help_heading = "Approval")]
    pub hosts: Vec<HostGrant>,
    /// Approve that it sees this variable of the environment; may be repeated [default: none]
    #[arg(long = "allow-env", value_name = "NAME", value_parser = VariableParser, help_heading = "Approval")]
    pub env: Vec<VariableName>,
    /// Approve the component with this digest (blake3:…), without being asked
    #[arg(long = "approve", value_name = "DIGEST", value_parser = parse_digest, help_heading = "Approval")]
    pub approve: Vec<Digest>,
    /// Give a tool of it another name; may be repeated
    #[arg(long = "rename", value_name = "TOOL=NEW", value_parser = parse_rename, help_heading = "Approval")]
    pub renamed: Vec<(ToolName, ToolName)>,
}

/// Which project, and whether its files count.
#[derive(Debug, Clone, Args)]
pub struct ProjectArgs {
    /// The project folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub project: PathBuf,
    /// Trust the project's own configuration if it has this hash
    #[arg(long, value_name = "HASH")]
    pub trust: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `ringfence tool add`
#[derive(Debug, Clone, Args)]
pub struct ToolAddArgs {
    /// A file, https://…, or oci://registry/repository[:tag][@sha256:…]
    #[arg(value_name = "SOURCE", value_parser = parse_source)]
    pub source: Source,
    /// What it is called in this project [default: the last name of its source]
    #[arg(long, value_name = "NAME", value_parser = ComponentName::parse)]
    pub name: Option<ComponentName>,
    /// The project.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// What it may touch.
    #[command(flatten)]
    pub approval: ApprovalArgs,
}

/// `ringfence tool remove`
#[derive(Debug, Clone, Args)]
pub struct ToolRemoveArgs {
    /// The component, as ringfence.lock calls it
    #[arg(value_name = "NAME", value_parser = ComponentName::parse)]
    pub name: ComponentName,
    /// The project.
    #[command(flatten)]
    pub project: ProjectArgs,
}

/// `ringfence tool update`
#[derive(Debug, Clone, Args)]
pub struct ToolUpdateArgs {
    /// The components, as ringfence.lock calls them [default: all]
    #[arg(value_name = "NAME", value_parser = ComponentName::parse)]
    pub names: Vec<ComponentName>,
    /// The project.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Send requests to this machine and its own networks, where ringfence.lock says so
    #[arg(long)]
    pub allow_local: bool,
    /// What they may touch besides what was approved before.
    #[command(flatten)]
    pub approval: ApprovalArgs,
}

/// `ringfence tool fetch`
#[derive(Debug, Clone, Args)]
pub struct ToolFetchArgs {
    /// The project folder
    #[arg(value_name = "PROJECT", default_value = ".")]
    pub project: PathBuf,
    /// Send requests to this machine and its own networks, where ringfence.lock says so
    #[arg(long)]
    pub allow_local: bool,
    /// Trust the project's own configuration if it has this hash
    #[arg(long, value_name = "HASH")]
    pub trust: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

fn parse_source(text: &str) -> Result<Source, String> {
    text.parse::<Source>().map_err(|error| error.to_string())
}

fn parse_rename(text: &str) -> Result<(ToolName, ToolName), String> {
    let (own, name) = text.split_once('=').ok_or("want TOOL=NEW")?;
    Ok((own.to_owned().try_into()?, name.to_owned().try_into()?))
}

fn parse_digest(text: &str) -> Result<Digest, String> {
    text.to_owned().try_into()
}
