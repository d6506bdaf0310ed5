//! A run's staged writes as the run uses them.
//!
//! Owns: where the stage lies, whose turn it is to write, what becomes of the changes of a call that
//! nobody saw the end of, and what the run has read. Doesn't own: the stage itself and changes on trial
//! (`ringfence-sandbox`), the proposals' files (`proposals`), who approves what.

use crate::exit::{Exit, Refusal};
use crate::proposals::Proposals;
use crate::recovery::Recovery;
use crate::session::own_command;
use crate::state_dir::Folders;
use crate::terminal;
use anyhow::{Context, Result};
use ringfence_engine::{CallId, EventKind, ReviewId, RunId, Settled, Settling, ToolCall};
use ringfence_sandbox::{
    Change, ChangeKind, Effect, GrantPath, KnownReads, Mark, ProjectDir, Receipt, Stage, StageError, Trial,
};
use ringfence_store::Journal;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex as Turns, OwnedMutexGuard};

/// Bytes of a proposed diff that are kept to be shown, about.
const PROPOSED: usize = 1 << 20;
/// Changes that are named where there is no room for more of it.
const PATHS: usize = 10_000;
/// How long a call waits for one that was given up to let go of the stage.
const PATIENCE: Duration = Duration::from_secs(10);

/// The stage of one run.
pub struct Staging {
    stage: Arc<Stage>,
    known: Mutex<Arc<KnownReads>>,
    turns: Arc<Turns<()>>,
    pending: PathBuf,
    proposals: Proposals,
}

/// The call that writes at the moment, and the state to go back to if it never ends.
#[derive(Debug, Serialize, Deserialize)]
struct Pending {
    call: CallId,
    mark: Mark,
}

impl Staging {
    /// Opens a run's stage, or makes an empty one, for whoever has the right to drive the run. With
    /// the journal of a run that is taken up: what it has read is known, and what a call changed that
    /// never came to its end is taken back.
    pub fn open(run: &RunId, journal: Option<&Journal>, folders: &Folders) -> Result<Self> {
        let staging = Self::at(&folder(folders)?, run)?;
        if let Some(journal) = journal {
            staging.take_back(run, journal, folders)?;
            for stored in &journal.receipts {
                // A receipt of another version is no reason to stop: what it read is read again.
                if let Ok(receipt) = serde_json::from_value::<Receipt>(stored.receipt.clone()) {
                    staging.learn(&receipt);
                }
            }
        }
        Ok(staging)
    }

    /// The same to discard all that is staged: nothing need be taken back for that, so that a stage
    /// can be discarded whatever state it is in.
    pub fn open_to_discard(run: &RunId, folders: &Folders) -> Result<Self> {
        Self::at(&folder(folders)?, run)
    }

    /// All was discarded: there is nothing to be taken back any more.
    pub fn forget_pending(&self) -> Result<()> {
        match fs::remove_file(&self.pending) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| cant("removed", &self.pending))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The stage of a run to be looked at, while somebody else may drive the run; none where nothing
    /// was ever staged.
    pub fn look(run: &RunId, folders: &Folders) -> Result<Option<Self>> {
        let looked = |folder: PathBuf| Ok(Self::of(Stage::look(&folder.join(&run.0))?, &folder, run));
        Self::is_there(run, folders).then(|| looked(folder(folders)?)).transpose()
    }

    /// Whether a run has a stage, or a call that one was for.
    pub fn is_there(run: &RunId, folders: &Folders) -> bool {
        let stages = folders.state_path().join(STAGES);
        stages.join(&run.0).is_dir() || pending(&stages, run).is_file()
    }

    fn at(folder: &Path, run: &RunId) -> Result<Self> {
        Ok(Self::of(Stage::open(&folder.join(&run.0))?, folder, run))
    }

    fn of(stage: Stage, folder: &Path, run: &RunId) -> Self {
        Self {
            stage: Arc::new(stage),
            known: Mutex::default(),
            turns: Arc::default(),
            pending: pending(folder, run),
            proposals: Proposals::of(run, folder),
        }
    }

    /// What is staged.
    pub fn stage(&self) -> &Arc<Stage> {
        &self.stage
    }

    /// What the run has read so far.
    pub fn known(&self) -> Arc<KnownReads> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes in what a call has read.
    pub fn learn(&self, receipt: &Receipt) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut known).learn(receipt);
    }

    /// Waits for the turn to write, and notes the state to go back to should nobody see the call's end.
    pub async fn begin(&self, call: CallId) -> Result<Writing> {
        let (turn, trial) = self.rehearse().await?;
        replace(&self.pending, &Pending { call, mark: self.stage.mark()? })?;
        Ok(Writing { trial, turn })
    }

    /// Waits for the turn to write, only to see what calls would change.
    pub async fn rehearse(&self) -> Result<(Turn, Trial)> {
        let turn = Turn(self.turns.clone().lock_owned().await);
        let begun = Instant::now();
        loop {
            match self.stage.trial() {
                // A call that was given up may be on its way out still.
                Err(StageError::Busy(_)) if begun.elapsed() < PATIENCE => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                trial => return Ok((turn, trial?)),
            }
        }
    }

    /// Finishes, or takes back, an apply that was cut off; says what it has put into the project. So
    /// also for one that was cut off after that, before the stage was told that it's journaled.
    pub fn recovered(&self, project: &Path, journal: &Journal) -> Result<Option<Recovery>> {
        if self.stage.apply_unfinished()? {
            self.stage.recover(&ProjectDir::open(project)?)?;
        }
        let Some(applied) = self.stage.unjournaled()? else { return Ok(None) };
        let settled = self.settled(Settling::Applied, &applied.paths)?;
        let settled = (!is_journaled(journal, &settled)).then_some(settled);
        Ok(Some(Recovery { settled, applied, stage: self.stage.clone() }))
    }

    /// What is to be journaled of what was applied or discarded just now.
    pub fn settled(&self, how: Settling, paths: &[GrantPath]) -> Result<Settled> {
        let all = self.stage.is_empty()?;
        Ok(Settled { how, paths: (!all).then(|| paths.iter().map(GrantPath::to_string).collect()) })
    }

    /// Keeps what a call that waits for approval would change, to be shown, and to be held to.
    pub fn propose(&self, review: ReviewId, call: &ToolCall, diff: String, effect: Effect) -> Result<()> {
        self.proposals.keep(review, call, diff, effect)
    }

    /// What was shown of this very call when it was approved; none where nothing was.
    pub fn approved(&self, call: &ToolCall) -> Result<Option<Effect>> {
        self.proposals.approved(call)
    }

    fn take_back(&self, run: &RunId, journal: &Journal, folders: &Folders) -> Result<()> {
        let Some(Pending { call, mark }) = read::<Pending>(&self.pending)? else { return Ok(()) };
        // A call that stumbled is made again under the same number, and has changed nothing.
        let ended = journal.events.iter().any(|recorded| {
            matches!(&recorded.event.kind,
                EventKind::ToolFinished { call: ended, outcome } if *ended == call && !outcome.transient)
        });
        if !ended {
            self.stage.roll_back(mark).map_err(|error| {
                let discard = own_command(&format!("discard {run}"), folders);
                let what = format!(
                    "what call {call} of run {run} had staged when it was cut off can't be taken back"
                );
                Refusal::new(Exit::Failed, format!("{what}: {error}")).hint(format!(
                    "to go on without anything that is staged, and without that call's part: {discard}"
                ))
            })?;
        }
        fs::remove_file(&self.pending).with_context(|| cant("removed", &self.pending))
    }
}

/// The turn of one call to write. What it changes is on trial until it is kept.
pub struct Writing {
    // Ends before the turn does.
    trial: Trial,
    turn: Turn,
}

/// Nobody else writes as long as it is held. It is to be held until what the call came to is in the
/// journal: what is noted of the next call would else hide that this one has to be taken back.
#[derive(Debug)]
pub struct Turn(#[expect(dead_code, reason = "it is held, not looked at")] OwnedMutexGuard<()>);

impl Writing {
    /// Where the call is made.
    pub fn stage(&self) -> &Arc<Stage> {
        self.trial.stage()
    }

    /// What stands for all that applying makes different by what the call has changed.
    pub fn effect(&self) -> Result<Effect> {
        Ok(self.trial.effect()?)
    }

    /// Stages what the call has changed.
    pub fn keep(self) -> Result<Turn> {
        self.trial.keep()?;
        Ok(self.turn)
    }

    /// As if it had never been.
    pub fn leave(self) -> Turn {
        self.turn
    }
}

/// Changes as a unified diff that is short enough to be kept; what has no room in it is named, or counted.
pub fn told(changes: &[Change]) -> Result<String> {
    let mut text = String::new();
    for (shown, change) in changes.iter().enumerate() {
        if text.len() >= PROPOSED {
            let left = changes.get(shown..).unwrap_or_default();
            // What goes away is told first: it can't be seen in the folder afterwards.
            let (mut lost, other): (Vec<_>, Vec<_>) = left.iter().partition(|change| match change.kind {
                ChangeKind::Deleted | ChangeKind::Renamed { .. } => true,
                ChangeKind::Created | ChangeKind::Modified => false,
            });
            lost.extend(other);
            let lines: String = lost.iter().take(PATHS).map(|change| format!("  {}", line(change))).collect();
            let _ = write!(text, "{} changes more:\n{lines}", left.len());
            if let Some(untold) = left.len().checked_sub(PATHS).filter(|untold| *untold > 0) {
                let _ = writeln!(text, "  and {untold} more, which are too many to be told");
            }
            break;
        }
        let mut diff = change.unified_diff()?;
        if diff.len() > PROPOSED {
            diff.truncate(diff.floor_char_boundary(PROPOSED));
            diff.push_str("\n[cut here]\n");
        }
        text.push_str(&diff);
    }
    match changes.len() {
        0 | 1 => Ok(text),
        many => Ok(format!("{many} places change:\n{text}")),
    }
}

/// One change in a line, as `diff`, `apply` and `discard` name it.
pub fn line(change: &Change) -> String {
    let path = terminal::name(&change.path.to_string());
    match &change.kind {
        ChangeKind::Created => format!("created   {path}\n"),
        ChangeKind::Modified => format!("modified  {path}\n"),
        ChangeKind::Deleted => format!("deleted   {path}\n"),
        ChangeKind::Renamed { from } => {
            format!("renamed   {} to {path}\n", terminal::name(&from.to_string()))
        }
    }
}

/// Gives a fork the changes that were staged when its parent had this mark; none where nothing had
/// been staged.
pub fn branch_off(parent: &RunId, mark: Option<Mark>, fork: &RunId, folders: &Folders) -> Result<()> {
    let Some(mark) = mark else { return Ok(()) };
    let all = folder(folders)?;
    let (from, to) = (all.join(&parent.0), all.join(&fork.0));
    let branched = copy(&from, &to).with_context(|| cant("copied", &from)).and_then(|()| {
        let stage = Stage::open(&to)?;
        // What the parent has applied is for its own journal.
        stage.journaled()?;
        stage.roll_back(mark).map_err(|error| {
            Refusal::usage(format!("what was staged by then isn't kept any more: {error}"))
                .hint(format!("fork run {parent} before its first change, or at a later event"))
                .into()
        })
    });
    if branched.is_err() {
        let _ = fs::remove_dir_all(&to);
    }
    branched
}

/// Whether what became of staged changes is in the journal. It is there once at most since a call
/// last ended: only calls stage something.
fn is_journaled(journal: &Journal, settled: &Settled) -> bool {
    let kinds = journal.events.iter().rev().map(|recorded| &recorded.event.kind);
    kinds
        .take_while(|kind| !matches!(kind, EventKind::ToolFinished { .. }))
        .any(|kind| matches!(kind, EventKind::ChangesSettled(before) if before == settled))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().mode(0o700).create(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// What a call that waits for approval would change, fit to be shown; none where it isn't known.
pub fn proposed(run: &RunId, review: ReviewId, folders: &Folders) -> Option<String> {
    Proposals::of(run, &folder(folders).ok()?).diff(review).map(|diff| terminal::diff(&diff))
}

const STAGES: &str = "stages";

fn folder(folders: &Folders) -> Result<PathBuf> {
    folders.in_state(STAGES)
}

/// The note of the call that writes at the moment.
fn pending(stages: &Path, run: &RunId) -> PathBuf {
    stages.join(format!("{run}.call.json"))
}

pub(crate) fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Option<T>> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map(Some).with_context(|| cant("read", path)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| cant("read", path)),
    }
}

/// Whole or not at all, also if the machine dies.
pub(crate) fn replace(path: &Path, value: &impl Serialize) -> Result<()> {
    let fresh = path.with_extension("new");
    let written = || -> std::io::Result<()> {
        let mut file = File::create(&fresh)?;
        file.write_all(&serde_json::to_vec(value)?)?;
        file.sync_all()?;
        fs::rename(&fresh, path)?;
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    };
    written().with_context(|| cant("written", path))
}

pub(crate) fn cant(done: &str, path: &Path) -> String {
    format!("{} can't be {done}", path.display())
}

#[cfg(test)]
mod tests;
