//! `ringfence completions`

use crate::args::{Cli, CompletionsArgs};
use crate::exit::Exit;
use crate::output::out;
use anyhow::Result;
use clap::CommandFactory;

/// Prints the script.
pub(super) fn execute(args: &CompletionsArgs) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ringfence", &mut script);
    out(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
