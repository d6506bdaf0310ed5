//! `ringfence report`

use crate::args::{GlobalArgs, ReportArgs, ReportFormat};
use crate::exit::Exit;
use crate::output::out;
use crate::session::{Form, report_of, write};
use crate::state_dir::Folders;
use anyhow::Result;

/// Carries the command out. Reads the journal and nothing else: the project may be gone.
pub(super) fn execute(args: &ReportArgs, global: &GlobalArgs) -> Result<Exit> {
    let folders = Folders::find(global.state.as_deref())?;
    let store = super::existing_store(&folders, &args.run)?;
    let run = store.find(&args.run)?.id;
    let report = report_of(&store.journal(&run)?)?;
    let form = match args.format {
        ReportFormat::Md => Form::Markdown,
        ReportFormat::Html => Form::Html,
        ReportFormat::Json => Form::Json,
        ReportFormat::Sarif => Form::Sarif,
    };
    let text = form.of(&report)?;
    match &args.out {
        Some(path) => write(path, &text)?,
        None => out(&text)?,
    }
    Ok(Exit::Done)
}
