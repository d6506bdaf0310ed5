//! `ringfence show`: where a run stands, from its journal alone.

mod events;
mod json;
mod steps;
mod text;
mod trace;

use crate::args::{GlobalArgs, ShowArgs};
use crate::driven_by::DrivenBy;
use crate::exit::Exit;
use crate::lanes;
use crate::output::{out, out_json};
use crate::review::ways_on;
use crate::session::{own_command, replay, resume_command};
use crate::setup::role_of;
use crate::staging::proposed;
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_engine::{Effect, Review, Run, State, TaskId, Timestamp};
use ringfence_store::{Journal, Store};
use trace::Trace;

/// Carries the command out.
pub(super) fn execute(args: &ShowArgs, global: &GlobalArgs) -> Result<Exit> {
    let folders = Folders::find(global.state.as_deref())?;
    let store = super::existing_store(&folders, &args.run)?;
    let journal = store.journal(&store.find(&args.run)?.id)?;
    let state = replay(&journal)?;
    let shown = Shown {
        trace: Trace::of(&journal)?,
        resume: resume_command(&journal.run.id, &folders),
        fork: own_command(&format!("fork {} --at EVENT", journal.run.id), &folders),
        driven_by: DrivenBy::find(&store, &journal.run)?,
        now: Store::now(),
        role: role_of(&state),
        proposed: proposed_for(&state, &folders),
        whole_diff: own_command(&format!("diff {} --proposed", journal.run.id), &folders),
        all: args.all,
        journal,
        state,
    };
    if args.json {
        out_json(&json::whole(&shown))?;
    } else if args.events {
        out(&events::list(&shown))?;
    } else {
        out(&text::page(&shown))?;
    }
    Ok(Exit::Done)
}

/// Everything that is shown of a run.
struct Shown {
    journal: Journal,
    state: State,
    trace: Trace,
    /// The commands that take the run up again and that leave it for another.
    resume: String,
    fork: String,
    /// The process that drives it now, if one does.
    driven_by: Option<DrivenBy>,
    now: Timestamp,
    /// Who it works as.
    role: Option<String>,
    /// What the call that waits for approval would change.
    proposed: Option<String>,
    /// The command that shows all of it.
    whole_diff: String,
    /// Long lists as well.
    all: bool,
}

/// What the first question is about, where that is a change.
fn proposed_for(state: &State, folders: &Folders) -> Option<String> {
    let owed = Run::from_state(state.clone()).owed().into_iter();
    let asked = owed.filter_map(|effect| match effect {
        Effect::AskPerson(review) => Some(review.id),
        Effect::CallModel(_) | Effect::CallTool(_) | Effect::Finish(_) => None,
    });
    asked.take(1).find_map(|review| proposed(&state.run, review, folders))
}

impl Shown {
    /// What the run asks, each with the delegated task that it is about and the commands that
    /// answer it; none but the first can be answered now.
    fn questions(&self) -> Vec<(Review, Option<TaskId>, Vec<String>)> {
        let owed = Run::from_state(self.state.clone()).owed().into_iter();
        let reviews = owed.filter_map(|effect| match effect {
            Effect::AskPerson(review) => Some(review),
            Effect::CallModel(_) | Effect::CallTool(_) | Effect::Finish(_) => None,
        });
        reviews
            .enumerate()
            .map(|(place, review)| {
                let ways = match place {
                    0 => ways_on(&self.resume, &review, self.state.settings.flow),
                    _ => Vec::new(),
                };
                let task = lanes::asker(&self.state, review.id).0.cloned();
                (review, task, ways)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
