//! A run's staged writes as the run uses them.
//!
//! Owns: where the stage lies, whose turn it is to write, what becomes of the changes of a call that
//! nobody saw the end of, what the run has read, and the changes that a call would make. Doesn't
//! own: the stage itself (`ringfence-sandbox`), who approves what.

use crate::exit::Refusal;
use crate::state_dir::Folders;
use crate::terminal::source;
use anyhow::{Context, Result};
use ringfence_engine::{CallId, EventKind, ReviewId, RunId, Settled, Settling, ToolCall};
use ringfence_sandbox::{Change, Digest, GrantPath, KnownReads, Mark, ProjectDir, Receipt, Recovered, Stage};
use ringfence_store::Journal;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Mutex as Turns, MutexGuard};

/// Bytes of a proposed diff that are kept to be shown, about.
const PROPOSED: usize = 1 << 20;
/// Paths that are named where there is no room for more of it.
const PATHS: usize = 1_000;

/// The stage of one run.
pub struct Staging {
    stage: Arc<Stage>,
    known: Mutex<Arc<KnownReads>>,
    turns: Turns<()>,
    pending: PathBuf,
    proposed: PathBuf,
}

/// The call that writes at the moment, and the state to go back to if it never ends.
#[derive(Debug, Serialize, Deserialize)]
struct Pending {
    call: CallId,
    mark: Mark,
}

/// What a call that waits for approval would change.
#[derive(Debug, Serialize, Deserialize)]
struct Proposed {
    review: ReviewId,
    call: CallId,
    input: Value,
    diff: String,
    effect: Effect,
}

/// The places that a call changes, each with the hash of what is there then.
pub type Effect = Vec<(String, Option<Digest>)>;

impl Staging {
    /// Opens a run's stage, or makes an empty one, for whoever has the right to drive the run. With the journal of a run that is taken up: what
    /// it has read is known, and what a call changed that never came to its end is taken back.
    pub fn open(run: &RunId, journal: Option<&Journal>, folders: &Folders) -> Result<Self> {
        let staging = Self::at(&folder(folders)?, run)?;
        if let Some(journal) = journal {
            staging.take_back(journal)?;
            for stored in &journal.receipts {
                // A receipt of another version is no reason to stop: what it read is read again.
                if let Ok(receipt) = serde_json::from_value::<Receipt>(stored.receipt.clone()) {
                    staging.learn(&receipt);
                }
            }
        }
        Ok(staging)
    }

    /// The stage of a run to be looked at, while somebody else may drive the run; none where nothing
    /// was ever staged.
    pub fn look(run: &RunId, folders: &Folders) -> Result<Option<Self>> {
        Self::is_there(run, folders).then(|| Self::at(&folder(folders)?, run)).transpose()
    }

    /// Whether a run has a stage.
    pub fn is_there(run: &RunId, folders: &Folders) -> bool {
        folders.state_path().join(STAGES).join(&run.0).is_dir()
    }

    fn at(folder: &Path, run: &RunId) -> Result<Self> {
        Ok(Self {
            stage: Arc::new(Stage::open(&folder.join(&run.0))?),
            known: Mutex::default(),
            turns: Turns::default(),
            pending: folder.join(format!("{run}.call.json")),
            proposed: folder.join(format!("{run}.proposed.json")),
        })
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

    /// Waits for the turn to write, and notes the state to go back to should the call never end.
    pub async fn begin(&self, call: CallId) -> Result<Writing<'_>> {
        let turn = self.turns.lock().await;
        let mark = self.stage.mark()?;
        replace(&self.pending, &Pending { call, mark })?;
        Ok(Writing { staging: self, mark, before: self.stage.changes()?, _turn: turn })
    }

    /// Finishes, or takes back, an apply that was cut off; says what it has put into the project.
    pub fn recovered(&self, project: &Path) -> Result<Option<Settled>> {
        if !self.stage.apply_unfinished()? {
            return Ok(None);
        }
        match self.stage.recover(&ProjectDir::open(project)?)? {
            Recovered::Nothing | Recovered::RolledBack => Ok(None),
            Recovered::Finished(applied) => self.settled(Settling::Applied, &applied.paths).map(Some),
        }
    }

    /// What is to be journaled of what was applied or discarded just now.
    pub fn settled(&self, how: Settling, paths: &[GrantPath]) -> Result<Settled> {
        let all = self.stage.is_empty()?;
        Ok(Settled { how, paths: (!all).then(|| paths.iter().map(GrantPath::to_string).collect()) })
    }

    /// Keeps what a call that waits for approval would change, to be shown, and to be held to.
    pub fn propose(&self, review: ReviewId, call: &ToolCall, diff: String, effect: Effect) -> Result<()> {
        let (call, input) = (call.call, call.input.clone());
        replace(&self.proposed, &Proposed { review, call, input, diff, effect })
    }

    /// What was shown of this very call when it was approved; none where nothing was.
    pub fn approved(&self, call: &ToolCall) -> Result<Option<Effect>> {
        let shown = read::<Proposed>(&self.proposed)?;
        let same = |shown: &Proposed| shown.call == call.call && shown.input == call.input;
        Ok(shown.filter(same).map(|shown| shown.effect))
    }

    fn take_back(&self, journal: &Journal) -> Result<()> {
        let Some(Pending { call, mark }) = read::<Pending>(&self.pending)? else { return Ok(()) };
        // A call that stumbled is made again under the same number, and has changed nothing.
        let ended = journal.events.iter().any(|recorded| {
            matches!(&recorded.event.kind,
                EventKind::ToolFinished { call: ended, outcome } if *ended == call && !outcome.transient)
        });
        if !ended {
            self.stage.roll_back(mark)?;
        }
        fs::remove_file(&self.pending).with_context(|| cant("removed", &self.pending))
    }
}

/// The turn of one call to write.
pub struct Writing<'s> {
    staging: &'s Staging,
    mark: Mark,
    before: Vec<Change>,
    _turn: MutexGuard<'s, ()>,
}

impl Writing<'_> {
    /// What has been changed since the turn began.
    pub fn changed(&self) -> Result<Vec<Change>> {
        Ok(difference(&self.before, &self.staging.stage.changes()?))
    }

    /// As if it had never been.
    pub fn take_back(self) -> Result<()> {
        Ok(self.staging.stage.roll_back(self.mark)?)
    }

    /// Goes on from here: what was changed so far is taken for granted.
    pub fn from_here(&mut self) -> Result<()> {
        self.before = self.staging.stage.changes()?;
        Ok(())
    }
}

/// What happened between two states of a stage, in the order of the paths.
fn difference(before: &[Change], after: &[Change]) -> Vec<Change> {
    let was: BTreeMap<_, _> = before.iter().map(|change| (&change.path, change)).collect();
    let is: BTreeSet<_> = after.iter().map(|change| &change.path).collect();
    let new = after.iter().filter_map(|change| match was.get(&change.path) {
        Some(earlier) if earlier.after == change.after => None,
        Some(earlier) => Some(change.since(earlier)),
        None => Some(change.clone()),
    });
    let undone = before.iter().filter(|change| !is.contains(&change.path)).map(Change::undone);
    let mut all: Vec<_> = new.chain(undone).collect();
    all.sort_by(|one, other| one.path.cmp(&other.path));
    all
}

/// The places that changed, each with the hash of what is there after it: what an approval is for.
pub fn effect_of(changes: &[Change]) -> Effect {
    let after = |change: &Change| change.after.file().map(|file| file.hash());
    changes.iter().map(|change| (change.path.to_string(), after(change))).collect()
}

/// Changes as a unified diff that is short enough to be kept; what has no room in it is counted.
pub fn told(changes: &[Change]) -> Result<String> {
    let mut text = String::new();
    for (shown, change) in changes.iter().enumerate() {
        if text.len() >= PROPOSED {
            let paths = changes.iter().skip(shown).take(PATHS).map(|change| format!("  {}\n", change.path));
            let _ =
                write!(text, "{} changes more, at:\n{}", changes.len() - shown, paths.collect::<String>());
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

/// Gives a fork the changes that were staged when its parent had this mark; none where nothing had
/// been staged.
pub fn branch_off(parent: &RunId, mark: Option<Mark>, fork: &RunId, folders: &Folders) -> Result<()> {
    let Some(mark) = mark else { return Ok(()) };
    let all = folder(folders)?;
    let (from, to) = (all.join(&parent.0), all.join(&fork.0));
    let branched = copy(&from, &to).with_context(|| cant("copied", &from)).and_then(|()| {
        Stage::open(&to)?.roll_back(mark).map_err(|error| {
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
    let path = folders.state_path().join(STAGES).join(format!("{run}.proposed.json"));
    let proposed = read::<Proposed>(&path).ok().flatten()?;
    (proposed.review == review).then(|| source(&proposed.diff))
}

const STAGES: &str = "stages";

fn folder(folders: &Folders) -> Result<PathBuf> {
    let folder = folders.state()?.join(STAGES);
    match fs::create_dir(&folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(Refusal::usage(format!("the folder {} can't be made: {error}", folder.display()))
                .hint("name another state folder with --state DIR")
                .into())
        }
        Ok(()) | Err(_) => Ok(folder),
    }
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Option<T>> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map(Some).with_context(|| cant("read", path)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| cant("read", path)),
    }
}

/// Whole or not at all, also if the machine dies.
fn replace(path: &Path, value: &impl Serialize) -> Result<()> {
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

fn cant(done: &str, path: &Path) -> String {
    format!("{} can't be {done}", path.display())
}
