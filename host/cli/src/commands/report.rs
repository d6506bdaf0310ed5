//! `ringfence report`

use crate::args::{GlobalArgs, ReportArgs, ReportFormat};
use crate::exit::Exit;
use crate::output::out;
use crate::report::{markdown, sarif};
use crate::session::report_of;
use crate::state_dir::Folders;
use crate::terminal;
use anyhow::{Context, Result};

/// Carries the command out. Reads the journal and nothing else: the project may be gone.
pub(super) fn execute(args: &ReportArgs, global: &GlobalArgs) -> Result<Exit> {
    let folders = Folders::find(global.state.as_deref())?;
    let store = super::existing_store(&folders, &args.run)?;
    let run = store.find(&args.run)?.id;
    let report = report_of(&store.journal(&run)?)?;
    let text = match args.format {
        ReportFormat::Md => markdown(&report),
        ReportFormat::Json => format!("{}\n", terminal::json(&serde_json::to_string_pretty(&report)?)),
        ReportFormat::Sarif => {
            format!("{}\n", terminal::json(&serde_json::to_string_pretty(&sarif(&report))?))
        }
    };
    match &args.out {
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("{} can't be written", path.display()))?
        }
        None => out(&text)?,
    }
    Ok(Exit::Done)
}
