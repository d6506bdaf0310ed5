//! `ringfence runs`

use crate::amounts::minute;
use crate::args::{GlobalArgs, RunsArgs};
use crate::driven_by::DrivenBy;
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

/// A run with the process that drives it now, if one does.
type Listed = (RunSummary, Option<DrivenBy>);

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
    let mut runs: Vec<Listed> = Vec::new();
    if let Some(store) = folders.read_store()? {
        for run in store.runs(project.as_deref())? {
            let by = DrivenBy::find(&store, &run)?;
            runs.push((run, by));
        }
    }
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

/// A line for each run; two where a line would have no room for the goal. `columns`: of a
/// terminal, where lines shouldn't wrap.
fn list(runs: &[Listed], columns: Option<usize>) -> String {
    runs.iter().map(|run| format!("{}\n", entry(run, columns))).collect()
}

/// Id, date (UTC), stage, project, goal. On a narrow terminal first the project goes, then the
/// date, which the id tells too; then the goal has a line of its own.
fn entry((run, by): &Listed, columns: Option<usize>) -> String {
    let (id, stage) = (plain(&run.id.0), run.stage.as_str());
    let mark = if by.is_some() { '*' } else { ' ' };
    let head = format!("{id}  {} {mark}{stage:<17}", minute(run.created));
    let project = one_line(&run.project.display().to_string(), PROJECT);
    let goal = match &run.parent {
        Some(parent) => format!("[fork of {}@{}] {}", parent.run, parent.event, run.goal),
        None => run.goal.clone(),
    };
    let Some(columns) = columns else {
        let goal = one_line(&goal, GOAL);
        return format!("{head}  {project}  {goal}");
    };
    let cut = |line: String| truncate_str(&line, columns, "…").into_owned();
    let goal = one_line(&goal, columns);
    let short = format!("{id} {mark}{stage:<17}");
    let room = |head: &str| columns.saturating_sub(measure_text_width(head));
    // Only the folder's own name, if all of the path leaves the goal no room.
    let name = project.rsplit('/').find(|part| !part.is_empty()).unwrap_or(&project);
    let fits = |project: &str| room(&head) >= measure_text_width(project) + LEAST + 4;
    if let Some(project) = [project.as_str(), name].into_iter().find(|project| fits(project)) {
        return cut(format!("{head}  {project}  {goal}"));
    }
    match [&head, &short].into_iter().find(|head| room(head) >= LEAST + 2) {
        Some(head) => cut(format!("{head}  {goal}")),
        None => {
            let goal = one_line(&run.goal, columns);
            format!("{}\n{}", cut(format!("{id}{mark}{stage}")), cut(format!("  {goal}")))
        }
    }
}

fn as_json((run, by): &Listed) -> Value {
    json!({
        "id": run.id,
        "stage": run.stage,
        "goal": run.goal,
        "project": run.project.display().to_string(),
        "model": run.model,
        "ending": run.ending,
        "driven_by": by.as_ref().map(DrivenBy::json),
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
    use ringfence_store::{Heartbeat, Parent};

    fn run(goal: &str, parent: Option<Parent>) -> Listed {
        let run = RunSummary {
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
        };
        (run, None)
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let runs = [
            run("分析这个项目的主要技术栈和潜在问题。分析这个项目。", None),
            run("Analyse\nall of it", None),
        ];
        for columns in [20, 40, 60, 80, 100, 130, 400] {
            for line in list(&runs, Some(columns)).lines() {
                assert!(measure_text_width(line) <= columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn a_line_tells_when_a_run_began_and_where_it_came_from() {
        let parent = Some(Parent { run: RunId("r0".to_owned()), event: 12 });
        assert_eq!(
            entry(&run("Go", parent), None),
            "20231114-221320-abcdef  2023-11-14 22:13  paused_for_review  \
             /home/anna/projects/a_rather_long_name  [fork of r0@12] Go"
        );
    }

    #[test]
    fn a_narrow_terminal_shows_the_goal_rather_than_the_path() {
        let line = entry(&run("Analyse all of it", None), Some(110));
        assert!(line.contains("  a_rather_long_name  Analyse"), "{line}");
        let line = entry(&run("Analyse all of it", None), Some(80));
        assert!(!line.contains("long_name") && line.contains("Analyse all"), "{line}");
    }

    #[test]
    fn a_terminal_of_forty_columns_shows_the_stage_and_the_goal() {
        let listed = list(&[run("Analyse all of it, and then some more", None)], Some(40));
        assert_eq!(
            listed,
            "20231114-221320-abcdef paused_for_review\n  Analyse all of it, and then some more\n"
        );
    }

    #[test]
    fn a_run_that_is_being_driven_is_marked() {
        let (run, _) = run("Go", None);
        let (at, pid, host) = (Timestamp(5), 7, "desk".to_owned());
        let by = DrivenBy::of(Heartbeat { at, pid, token: 1, host }, Timestamp(9));
        let listed = (run, by);
        for columns in [None, Some(400), Some(80), Some(40)] {
            let text = entry(&listed, columns);
            assert!(text.contains("*paused_for_review"), "{text}");
        }
        assert_eq!(as_json(&listed)["driven_by"], json!({ "pid": 7, "host": "desk", "at": 5 }));
    }
}
