//! `ringfence fork`

mod branch;

use super::resume::resumption;
use crate::args::{ForkArgs, GlobalArgs};
use crate::exit::{Exit, Refusal};
use crate::output::{err, out};
use crate::progress::print_line;
use crate::review::read_plan;
use crate::session::{self, Means, Opened, Voice};
use crate::staging;
use crate::state_dir::Folders;
use crate::terminal::{one_line, plain};
use anyhow::Result;
use branch::Branch;
use ringfence_engine::{PlannedTask, State};
use ringfence_store::{NewRun, Parent, Store};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Carries the command out. The other run is only read: it may be driven meanwhile.
pub(super) fn execute(args: &ForkArgs, global: &GlobalArgs) -> Result<Exit> {
    let voice = Voice::new(args.going_on.json, global);
    let folders = Folders::find(global.state.as_deref())?;
    let store = super::existing_store(&folders, &args.run)?;
    let parent = store.journal(&store.find(&args.run)?.id)?;
    let tasks = args.plan.as_deref().map(tasks_in).transpose()?;
    let now = Store::now();
    let id = session::new_id(now.0);
    let mut branch = Branch::of(&parent, args.at.get(), &id, &args.limits)?;
    if let Some(tasks) = tasks {
        branch.replan(tasks, now)?;
    }
    let resumption = resumption(&args.going_on, None, &folders, voice)?;
    // Whatever can't be had is said before there is a new run.
    let means = match args.no_run {
        true => None,
        false => Some(Means::of(branch.run.state(), &resumption, &folders)?),
    };
    let model = means.as_ref().map_or_else(|| parent.run.model.clone(), |means| means.model.identity());
    let entered = NewRun {
        id,
        project: parent.run.project.clone(),
        goal: parent.run.goal.clone(),
        model,
        created: now,
        parent: Some(Parent { run: parent.run.id.clone(), event: args.at.get() }),
    };
    staging::branch_off(&parent.run.id, branch.stage_mark()?, &entered.id, &folders)?;
    let store = folders.open_store(resumption.durability)?;
    let lease = store.fork(&entered, &branch.entries())?;
    match means {
        None => tell(&entered, branch.run.state(), &folders, voice)?,
        Some(means) => {
            if !voice.quiet && !voice.json {
                err(&format!("forked from run {} at event {}\n", parent.run.id, args.at));
            }
            let (unjournaled, was_driven) = (Duration::ZERO, false);
            let opened = Opened { store, lease, run: branch.run, unjournaled, was_driven };
            return session::go_on(opened, means, resumption, &folders, voice);
        }
    }
    Ok(Exit::Done)
}

fn tasks_in(file: &Path) -> Result<Vec<PlannedTask>, Refusal> {
    let tasks = read_plan(file).map_err(|error| Refusal::usage(format!("{error:#}")))?;
    if tasks.is_empty() {
        return Err(Refusal::usage(format!("{} has no tasks", file.display()))
            .hint("leave --plan out to go on with the plan there is"));
    }
    Ok(tasks)
}

/// Prints the new run's id, and how it goes on.
fn tell(entered: &NewRun, state: &State, folders: &Folders, voice: Voice) -> Result<()> {
    let resume = session::resume_command(&entered.id, folders);
    if voice.json {
        let parent = entered.parent.as_ref();
        return print_line(&json!({
            "type": "fork",
            "id": entered.id,
            "parent": parent.map(|parent| &parent.run),
            "at": parent.map(|parent| parent.event),
            "stage": state.stage.name(),
            "resume": resume,
        }));
    }
    out(&format!("{}\n", entered.id))?;
    match state.stage.review() {
        _ if voice.quiet => {}
        Some((review, _)) => session::tell_question(review, state, folders),
        None => {
            let goal = one_line(&entered.goal, 200);
            err(&format!("A new run for «{goal}», not driven yet. To go on:\n  {}\n", plain(&resume)));
        }
    }
    Ok(())
}
