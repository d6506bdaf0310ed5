//! How a run that has stopped is told on a terminal: its end, its question, what it has staged.
//!
//! Doesn't own: the result itself on standard output (`print_result`), JSON lines (`progress`).

use super::{Delivery, Voice, own_command, print_result, resume_command};
use crate::afterwards::way_on;
use crate::driver::Halt;
use crate::output::err;
use crate::review::{describe, ways_on, would_change};
use crate::staging::{Staging, proposed};
use crate::state_dir::Folders;
use crate::terminal;
use anyhow::Result;
use ringfence_engine::{Ending, Review, State, Subject, TaskStatus};
use ringfence_store::{Journal, Store};

/// Says how a run stopped, and what can be done next.
pub(super) fn conclude(
    store: &Store,
    state: &State,
    halt: &Halt,
    delivery: &Delivery,
    folders: &Folders,
    voice: Voice,
) -> Result<()> {
    let resume = resume_command(&state.run, folders);
    match halt {
        Halt::Ended(ending) => {
            let journal = store.journal(&state.run)?;
            if !voice.quiet && !voice.json {
                err(&format!("{}{}\n", ended(ending), failed_tasks(state)));
            }
            print_result(&journal, delivery, folders, voice.json)?;
            if !voice.quiet {
                tell_staged(&journal, folders)?;
            }
            if let Some(way) = way_on(state, journal.run.events, folders).filter(|_| !voice.quiet) {
                err(&format!("To go on from there:\n  {}\n", terminal::plain(&way)));
            }
            Ok(())
        }
        Halt::Waiting(review) => {
            tell_question(review, state, folders);
            Ok(())
        }
        Halt::Interrupted => {
            err(&format!("Interrupted; nothing is lost. To go on:\n  {}\n", terminal::plain(&resume)));
            Ok(())
        }
    }
}

/// Says what is staged, and what can be done with it.
pub fn tell_staged(journal: &Journal, folders: &Folders) -> Result<()> {
    let Some(staging) = Staging::look(&journal.run.id, folders)? else { return Ok(()) };
    let changes = staging.stage().changes()?;
    if !changes.is_empty() {
        let command = |name: &str| own_command(&format!("{name} {}", journal.run.id), folders);
        err(&format!(
            "{} staged and not in the project yet. To see, apply or discard:\n  {}\n  {}\n  {}\n",
            match changes.len() {
                1 => "1 change is".to_owned(),
                many => format!("{many} changes are"),
            },
            command("diff"),
            command("apply"),
            command("discard")
        ));
    }
    Ok(())
}

/// Says what a run waits for, and the commands that answer it.
pub fn tell_question(review: &Review, state: &State, folders: &Folders) {
    let resume = resume_command(&state.run, folders);
    let change = {
        let whole = own_command(&format!("diff {} --proposed", state.run), folders);
        proposed(&state.run, review.id, folders).map(|diff| would_change(&diff, &whole)).unwrap_or_default()
    };
    let asks = describe(review, state);
    err(&format!("\n{asks}{change}Run {} waits for an answer. To go on, one of:\n", state.run));
    for way in ways_on(&resume, review, state.settings.flow) {
        err(&format!("  {}\n", terminal::plain(&way)));
    }
    if matches!(review.subject, Subject::Question { .. }) {
        let grant = own_command(&format!("grant {} --dir PATH", state.run), folders);
        err(&format!(
            "If it needs a folder that isn't granted, before that:\n  {}\n",
            terminal::plain(&grant)
        ));
    }
}

/// How a run ended, in one line.
pub fn ended(ending: &Ending) -> String {
    match ending {
        Ending::Achieved => "Finished: the goal is achieved.".to_owned(),
        Ending::Failed { why } => format!("Failed: {}", terminal::one_line(why, 400)),
        Ending::Limit { which } => format!("Stopped by a limit: {}", terminal::one_line(which, 400)),
        Ending::Aborted => "Ended by a person.".to_owned(),
    }
}

/// ` 1 of 4 tasks failed: problems.`, or nothing.
fn failed_tasks(state: &State) -> String {
    let failed: Vec<_> = state.done.iter().filter(|task| task.status == TaskStatus::Failed).collect();
    if failed.is_empty() {
        return String::new();
    }
    let ids: Vec<_> = failed.iter().map(|task| terminal::one_line(&task.planned.id.0, 40)).collect();
    format!(" {} of {} tasks failed: {}.", failed.len(), state.done.len() + state.stack.len(), ids.join(", "))
}
