//! `ringfence runs`

use crate::amounts::minute;
use crate::args::{GlobalArgs, RunsArgs};
use crate::exit::Exit;
use crate::output::{err, out, out_json};
use crate::state_dir::Folders;
use crate::terminal::{one_line, plain};
use anyhow::{Context, Result};
use console::{Term, measure_text_width, truncate_str};
use ringfence_store::RunSummary;
use serde_json::{Value, json};
use std::io::IsTerminal;

/// Columns of a project's path and of a goal where nobody's terminal sets a limit.
const PROJECT: usize = 60;
const GOAL: usize = 60;
/// Columns of a goal that are worth showing.
const LEAST: usize = 20;

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
        out_json(&list)?;
    } else if let (true, Some(project)) = (runs.is_empty(), &project) {
        err(&format!("There are no runs of {}.\n", plain(&project.display().to_string())));
    } else if runs.is_empty() {
        err("There are no runs yet. Begin one with: ringfence run PROJECT\n");
    } else {
        let columns = std::io::stdout().is_terminal().then(|| usize::from(Term::stdout().size().1));
        out(&list(&runs, columns))?;
    }
    Ok(Exit::Done)
}

/// A line for each run. `columns`: of a terminal, where lines shouldn't wrap.
fn list(runs: &[RunSummary], columns: Option<usize>) -> String {
    runs.iter().map(|run| format!("{}\n", line(run, columns))).collect()
}

/// Id, date (UTC), stage, project, goal. On a narrow terminal first the project goes, then all
/// that doesn't fit.
fn line(run: &RunSummary, columns: Option<usize>) -> String {
    let begun = minute(run.created);
    let head = format!("{}  {begun}  {:<17}", plain(&run.id.0), run.stage.as_str());
    let project = one_line(&run.project.display().to_string(), PROJECT);
    let goal = match &run.parent {
        Some(parent) => format!("[fork of {}@{}] {}", parent.run, parent.event, run.goal),
        None => run.goal.clone(),
    };
    let Some(columns) = columns else {
        let goal = one_line(&goal, GOAL);
        return format!("{head}  {project}  {goal}");
    };
    let goal = one_line(&goal, columns);
    let left = columns.saturating_sub(measure_text_width(&head));
    // Only the folder's own name, if all of the path leaves the goal no room.
    let name = project.rsplit('/').find(|part| !part.is_empty()).unwrap_or(&project);
    let fits = |project: &str| left >= measure_text_width(project) + LEAST + 4;
    let project = [project.as_str(), name].into_iter().find(|project| fits(project));
    let line = match project {
        Some(project) => format!("{head}  {project}  {goal}"),
        None => format!("{head}  {goal}"),
    };
    truncate_str(&line, columns, "…").into_owned()
}

fn as_json(run: &RunSummary) -> Value {
    json!({
        "id": run.id,
        "stage": run.stage,
        "goal": run.goal,
        "project": run.project.display().to_string(),
        "model": run.model,
        "ending": run.ending,
        "parent": run.parent.as_ref().map(|parent| json!({ "run": parent.run, "event": parent.event })),
        "created_ms": run.created,
        "updated_ms": run.updated,
        "events": run.events,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringfence_engine::{RunId, StageName, Timestamp};
    use ringfence_store::Parent;

    fn run(goal: &str, parent: Option<Parent>) -> RunSummary {
        RunSummary {
            id: RunId("20231114-221320-abcdef".to_owned()),
            project: "/home/anna/projects/a_rather_long_name".into(),
            goal: goal.to_owned(),
            model: "playbook".to_owned(),
            created: Timestamp(1_700_000_000_000),
            parent,
            updated: Timestamp(1_700_000_000_000),
            stage: StageName::PausedForReview,
            ending: None,
            events: 3,
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let runs = [
            run("分析这个项目的主要技术栈和潜在问题。分析这个项目。", None),
            run("Analyse\nall of it", None),
        ];
        for columns in [20, 60, 80, 100, 130, 400] {
            for line in list(&runs, Some(columns)).lines() {
                assert!(measure_text_width(line) <= columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn a_line_tells_when_a_run_began_and_where_it_came_from() {
        let parent = Some(Parent { run: RunId("r0".to_owned()), event: 12 });
        assert_eq!(
            line(&run("Go", parent), None),
            "20231114-221320-abcdef  2023-11-14 22:13  paused_for_review  \
             /home/anna/projects/a_rather_long_name  [fork of r0@12] Go"
        );
    }

    #[test]
    fn a_narrow_terminal_shows_the_goal_rather_than_the_path() {
        let line = line(&run("Analyse all of it", None), Some(110));
        assert!(line.contains("  a_rather_long_name  Analyse"), "{line}");
        let line = super::line(&run("Analyse all of it", None), Some(80));
        assert!(!line.contains("long_name") && line.contains("Analyse all"), "{line}");
    }
}
