//! What `apply` and `discard` have in common: the run that nobody else drives, its stage, and an
//! event about what became of it.

use crate::args::{GlobalArgs, SettleArgs};
use crate::config::Durability;
use crate::driver::intents;
use crate::exit::{OrUsage, Refusal};
use crate::output::err;
use crate::session::{own_command, replay};
use crate::setup::Setup;
use crate::staging::Staging;
use crate::state_dir::Folders;
use crate::terminal::one_line;
use anyhow::Result;
use ringfence_engine::{Event, EventKind, Run, Settled, Settling};
use ringfence_sandbox::{GrantPath, GrantedTree, ProjectDir};
use ringfence_store::{Entry, Lease, Store, StoreError};
use std::path::PathBuf;
use std::sync::Arc;

/// A run whose staged changes are about to be settled.
pub(super) struct Settle {
    pub(super) staging: Staging,
    lease: Lease,
    run: Run,
    project: PathBuf,
    paths: Option<Vec<GrantPath>>,
}

/// Why there is nothing to do.
pub(super) enum Unsettled {
    /// Nothing is staged in this run.
    Nothing(String),
}

impl Settle {
    /// Takes the run, so that nobody changes what is staged meanwhile. An apply that was cut off
    /// is brought to its end first, and journaled.
    ///
    /// Discarding everything gives such an apply up where it can't be finished.
    pub(super) fn open(
        args: &SettleArgs,
        how: Settling,
        global: &GlobalArgs,
    ) -> Result<Result<Self, Unsettled>> {
        let folders = Folders::find(global.state.as_deref())?;
        let known = super::existing_store(&folders, &args.run)?.find(&args.run)?;
        let store = folders.open_store(Durability::Full)?;
        let lease = store.lease(&known.id).map_err(|error| driven(error, &folders))?;
        let journal = store.journal(&known.id)?;
        if !Staging::is_there(&known.id, &folders) {
            return Ok(Err(Unsettled::Nothing(known.id.0)));
        }
        let gives_up = how == Settling::Discarded && args.paths.is_empty();
        let staging = match gives_up {
            true => Staging::open_to_discard(&known.id, &folders)?,
            false => Staging::open(&known.id, Some(&journal), &folders)?,
        };
        let run = Run::from_state(replay(&journal)?);
        let paths = (!args.paths.is_empty()).then(|| args.paths.clone());
        let mut settle = Self { staging, lease, run, project: journal.run.project.clone(), paths };
        match settle.staging.recovered(&settle.project) {
            Ok(None) => {}
            Ok(Some(settled)) => {
                if !global.quiet {
                    err("note: an apply that was cut off has been finished\n");
                }
                settle.record(settled)?;
            }
            Err(error) if gives_up => settle.give_up(&error)?,
            Err(error) => return Err(error),
        }
        match settle.staging.stage().is_empty() {
            Ok(true) if settle.paths.is_none() => {
                if gives_up {
                    settle.staging.forget_pending()?;
                }
                Ok(Err(Unsettled::Nothing(known.id.0)))
            }
            Ok(_) => Ok(Ok(settle)),
            // What can't be read can still be thrown away.
            Err(_) if gives_up => Ok(Ok(settle)),
            Err(error) => Err(error.into()),
        }
    }

    /// What the run may change of the folder that it works on.
    pub(super) fn granted(&self) -> Result<Arc<GrantedTree>> {
        let project = ProjectDir::open(&self.project).or_usage()?;
        let grants = Setup::of(self.run.state())?.grants;
        Ok(GrantedTree::open(&project, &grants).or_usage()?)
    }

    /// Where; none means everywhere.
    pub(super) fn paths(&self) -> Option<&[GrantPath]> {
        self.paths.as_deref()
    }

    /// Writes down what was done. It is done by then: should this fail, the next command does it.
    pub(super) fn journal(&mut self, how: Settling, paths: &[GrantPath]) -> Result<()> {
        if how == Settling::Discarded && self.paths.is_none() {
            self.staging.forget_pending()?;
        }
        let settled = self.staging.settled(how, paths)?;
        self.record(settled)
    }

    /// Lets an apply be that can't come to its end, and says what it leaves.
    fn give_up(&self, why: &anyhow::Error) -> Result<()> {
        err(&format!(
            "note: an apply that was cut off is given up: {}\n",
            one_line(&format!("{why:#}"), 500)
        ));
        let Some(left) = self.staging.stage().give_up_apply()? else { return Ok(()) };
        for path in left.in_project {
            err(&format!(
                "note: `{}` was put into the project by it and stays\n",
                one_line(&path.to_string(), 4_096)
            ));
        }
        for path in left.temporaries {
            err(&format!("note: `{}` may be left of it; delete it\n", one_line(&path.to_string(), 4_096)));
        }
        Ok(())
    }

    fn record(&mut self, settled: Settled) -> Result<()> {
        let kind = EventKind::ChangesSettled(settled);
        let event = Event { at: Store::now(), worked_ms: Some(0), kind };
        let before = self.run.owed();
        let owed = self.run.apply(event.clone()).or_usage()?;
        let intents = intents(&before, &owed);
        let stage = &self.run.state().stage;
        self.lease.append(&Entry { event: &event, intents: &intents, receipts: &[], stage })?;
        Ok(())
    }
}

fn driven(error: StoreError, folders: &Folders) -> anyhow::Error {
    let StoreError::Busy { run, .. } = &error else { return error.into() };
    let show = own_command(&format!("show {run}"), folders);
    Refusal::usage(error.to_string())
        .hint(format!("let it come to an end, or stop it first (Ctrl-C). How it stands: {show}"))
        .into()
}
