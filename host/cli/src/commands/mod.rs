//! One file for each command; here, the way from the command line to an exit code.

mod analyze;
mod apply;
mod compare;
mod completions;
mod diff;
mod discard;
mod doctor;
mod fork;
mod grant;
mod policy;
mod replay;
mod report;
mod resume;
mod run;
mod runs;
mod settle;
mod show;
mod supervise;
mod tool;

use crate::args::{Cli, Command};
use crate::exit::{Exit, Refusal, describe, exit_of};
use crate::output::err;
use crate::state_dir::Folders;
use crate::trace;
use anyhow::Result;
use clap::Parser;
use clap::error::ErrorKind;
use ringfence_store::Store;
use std::ffi::OsString;
use std::process::ExitCode;

/// Reads the command line, carries the command out and says how it went.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are results; a closed pipe is no reason to fail.
            let _ = error.print();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Done.into(),
                _ => Exit::Usage.into(),
            };
        }
    };
    trace::start(&cli.global);
    match dispatch(&cli) {
        Ok(exit) => exit.into(),
        Err(error) => {
            err(&describe(&error));
            exit_of(&error).into()
        }
    }
}

fn dispatch(cli: &Cli) -> Result<Exit> {
    let global = &cli.global;
    match &cli.command {
        Command::Run(args) => run::execute(args, global),
        Command::Analyze(args) => analyze::execute(args, global),
        Command::Resume(args) => resume::execute(args, global),
        Command::Fork(args) => fork::execute(args, global),
        Command::Replay(args) => replay::execute(args, global),
        Command::Supervise(args) => supervise::execute(args, global),
        Command::Runs(args) => runs::execute(args, global),
        Command::Show(args) => show::execute(args, global),
        Command::Report(args) => report::execute(args, global),
        Command::Diff(args) => diff::execute(args, global),
        Command::Apply(args) => apply::execute(args, global),
        Command::Discard(args) => discard::execute(args, global),
        Command::Compare(args) => compare::execute(args, global),
        Command::Grant(args) => grant::execute(args, global),
        Command::Policy(args) => policy::execute(args, global),
        Command::Tool(args) => tool::execute(args, global),
        Command::Doctor(args) => doctor::execute(args, global),
        Command::Completions(args) => completions::execute(args),
    }
}

/// The journal for reading, where a run is asked for by name.
fn existing_store(folders: &Folders, run: &str) -> Result<Store> {
    let none =
        || Refusal::usage(format!("there is no run `{run}`: no run was begun yet with this state folder"));
    Ok(folders.read_store()?.ok_or_else(none)?)
}
