//! `ringfence grant`

use super::variable::VariableParser;
use super::{DirSpec, parse_host};
use clap::{ArgGroup, Args};
use ringfence_sandbox::{HostGrant, VariableName};

/// `ringfence grant`
#[derive(Debug, Clone, Args)]
#[command(group(ArgGroup::new("what").args(["dirs", "hosts", "env"]).required(true).multiple(true)))]
pub struct GrantLaterArgs {
    /// The run: its id, or as much of it as is unambiguous
    #[arg(value_name = "RUN")]
    pub run: String,
    /// Allow this folder or file of the project from the next call on; may be repeated
    #[arg(long = "dir", value_name = "PATH[:ACCESS]")]
    pub dirs: Vec<DirSpec>,
    /// Allow requests (GET, HEAD) to this host from the next call on, as https://api.example.com, or as
    /// a table { url = "…", methods = ["POST"], private = true }; may be repeated
    #[arg(long = "allow-host", value_name = "URL", value_parser = parse_host)]
    pub hosts: Vec<HostGrant>,
    /// Let tools see this variable of the environment from the next call on; may be repeated
    #[arg(long = "allow-env", value_name = "NAME", value_parser = VariableParser)]
    pub env: Vec<VariableName>,
}
