//! What `apply` and `discard` have in common: the run that nobody else drives, its stage, and an
//! event about what became of it.

use super::diff::tell_waiting;
use crate::args::{GlobalArgs, SettleArgs};
use crate::config::Durability;
use crate::driver::intents;
use crate::exit::{OrUsage, Refusal};
use crate::output::err;
use crate::recovery::{Recovery, given_up_json, journal_applied, tell_given_up};
use crate::session::{own_command, replay};
use crate::setup::Setup;
use crate::staging::Staging;
use crate::state_dir::Folders;
use crate::terminal::one_line;
use anyhow::Result;
use ringfence_engine::{Event, EventKind, Run, Settled, Settling};
use ringfence_sandbox::{GivenUp, GrantPath, GrantedTree, ProjectDir};
use ringfence_store::{Entry, Lease, Store, StoreError};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// A run whose staged changes are about to be settled.
pub(super) struct Settle {
    pub(super) staging: Staging,
    lease: Lease,
    run: Run,
    project: PathBuf,
    paths: Option<Vec<GrantPath>>,
    cut_off: Option<CutOff>,
}

/// Why there is nothing to do.
pub(super) enum Unsettled {
    /// Nothing is staged in this run, any more where an apply had been cut off.
    Nothing(String, Option<CutOff>),
}

/// What became of an apply that had been cut off. Has been told in words.
pub(super) enum CutOff {
    /// It is finished.
    Finished(Recovery),
    /// It was given up, and this is left of it.
    GivenUp(GivenUp),
}

impl CutOff {
    /// An object with what became of it besides what the command did.
    pub(super) fn beside(this: Option<&Self>, mut told: Value) -> Value {
        let field = match this {
            Some(Self::Finished(recovery)) => Some(("recovered", recovery.json())),
            Some(Self::GivenUp(left)) => Some(("given_up", given_up_json(left))),
            None => None,
        };
        if let (Some((name, value)), Some(fields)) = (field, told.as_object_mut()) {
            fields.insert(name.to_owned(), value);
        }
        told
    }
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
            tell_waiting(&journal, &folders);
            return Ok(Err(Unsettled::Nothing(known.id.0, None)));
        }
        let gives_up = how == Settling::Discarded && args.paths.is_empty();
        let staging = match gives_up {
            true => Staging::open_to_discard(&known.id, &folders)?,
            false => Staging::open(&known.id, Some(&journal), &folders)?,
        };
        let run = Run::from_state(replay(&journal)?);
        let paths = (!args.paths.is_empty()).then(|| args.paths.clone());
        let project = journal.run.project.clone();
        let mut settle = Self { staging, lease, run, project, paths, cut_off: None };
        match settle.staging.recovered(&settle.project, &journal) {
            Ok(None) => {}
            Ok(Some(recovery)) => {
                recovery.tell(global.quiet);
                recovery.journal(|settled| settle.record(settled))?;
                settle.cut_off = Some(CutOff::Finished(recovery));
            }
            Err(error) if gives_up => settle.cut_off = settle.give_up(&error)?.map(CutOff::GivenUp),
            Err(error) => return Err(error),
        }
        match settle.staging.stage().is_empty() {
            Ok(true) if settle.paths.is_none() => {
                if gives_up {
                    settle.staging.forget_pending()?;
                }
                tell_waiting(&journal, &folders);
                Ok(Err(Unsettled::Nothing(known.id.0, settle.cut_off)))
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

    /// What became of an apply that had been cut off.
    pub(super) fn cut_off(&self) -> Option<&CutOff> {
        self.cut_off.as_ref()
    }

    /// Where; none means everywhere.
    pub(super) fn paths(&self) -> Option<&[GrantPath]> {
        self.paths.as_deref()
    }

    /// Writes down what was done. It is done by then: should this fail for what was applied, the next
    /// command does it.
    pub(super) fn journal(&mut self, how: Settling, paths: &[GrantPath]) -> Result<()> {
        if how == Settling::Discarded && self.paths.is_none() {
            self.staging.forget_pending()?;
        }
        let settled = self.staging.settled(how, paths)?;
        let recorded = self.record(settled);
        match how {
            Settling::Applied => journal_applied(self.staging.stage(), recorded),
            Settling::Discarded => recorded,
        }
    }

    /// Lets an apply be that can't come to its end, and says what it leaves.
    fn give_up(&self, why: &anyhow::Error) -> Result<Option<GivenUp>> {
        let left = self.staging.stage().give_up_apply()?;
        err(&format!(
            "note: an apply that was cut off is given up: {}\n",
            one_line(&format!("{why:#}"), 500)
        ));
        if let Some(left) = &left {
            tell_given_up(left);
        }
        Ok(left)
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
