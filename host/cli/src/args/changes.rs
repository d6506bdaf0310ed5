//! `ringfence diff`, `ringfence apply`, `ringfence discard`

use super::values::parse_grant;
use clap::Args;
use ringfence_sandbox::GrantPath;

/// `ringfence diff`
#[derive(Debug, Clone, Args)]
pub struct DiffArgs {
    /// The run: its id, or as much of it as is unambiguous
    #[arg(value_name = "RUN")]
    pub run: String,
    /// Only these files and folders of the project
    #[arg(value_name = "PATH", value_parser = parse_grant)]
    pub paths: Vec<GrantPath>,
    /// What the call that waits for approval would change, instead of what is staged
    #[arg(long, conflicts_with_all = ["paths", "stat", "json"])]
    pub proposed: bool,
    /// One line for each change
    #[arg(long, conflicts_with = "json")]
    pub stat: bool,
    /// Print JSON: an array of changes, each with its diff
    #[arg(long)]
    pub json: bool,
}

/// `ringfence apply`, `ringfence discard`
#[derive(Debug, Clone, Args)]
pub struct SettleArgs {
    /// The run: its id, or as much of it as is unambiguous
    #[arg(value_name = "RUN")]
    pub run: String,
    /// Only these files and folders of the project; the rest stays staged
    #[arg(value_name = "PATH", value_parser = parse_grant)]
    pub paths: Vec<GrantPath>,
    /// Print JSON: what was done
    #[arg(long)]
    pub json: bool,
}
