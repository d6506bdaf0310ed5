//! `ringfence runs`

use crate::args::{GlobalArgs, RunsArgs};
use crate::exit::Exit;
use crate::output::{err, out};
use crate::state_dir::Folders;
use crate::terminal::{one_line, plain};
use anyhow::{Context, Result};
use ringfence_store::RunSummary;
use serde_json::{Value, json};

/// Carries the command out.
pub(super) fn execute(args: &RunsArgs, global: &GlobalArgs) -> Result<Exit> {
    let folders = Folders::find(global.state.as_deref())?;
    let project = match &args.project {
        // The folder may be gone; its runs are not.
        Some(path) => {
            Some(path.canonicalize().or_else(|_| std::path::absolute(path)).context("PROJECT is no path")?)
        }
        None => None,
    };
    let runs = match folders.read_store()? {
        Some(store) => store.runs(project.as_deref())?,
        None => Vec::new(),
    };
    if args.json {
        let list: Vec<_> = runs.iter().map(as_json).collect();
        out(&format!("{}\n", serde_json::to_string_pretty(&list)?))?;
    } else if let (true, Some(project)) = (runs.is_empty(), &project) {
        err(&format!("There are no runs of {}.\n", plain(&project.display().to_string())));
    } else if runs.is_empty() {
        err("There are no runs yet. Begin one with: ringfence run PROJECT\n");
    } else {
        for run in &runs {
            let project = one_line(&run.project.display().to_string(), 60);
            out(&format!(
                "{}  {:<17}  {}  {}\n",
                plain(&run.id.0),
                stage(run),
                project,
                one_line(&run.goal, 60)
            ))?;
        }
    }
    Ok(Exit::Done)
}

fn stage(run: &RunSummary) -> &'static str {
    run.stage.as_str()
}

fn as_json(run: &RunSummary) -> Value {
    json!({
        "id": run.id,
        "stage": run.stage,
        "goal": run.goal,
        "project": run.project.display().to_string(),
        "model": run.model,
        "ending": run.ending,
        "created_ms": run.created,
        "updated_ms": run.updated,
        "events": run.events,
    })
}
