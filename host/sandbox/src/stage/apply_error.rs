//! Why nothing was applied, and what stands in the way.

use super::changes::path_of;
use super::diff::{Text, lines};
use super::entry::Entry;
use super::folder::StageFolder;
use super::target::read;
use super::{Stage, StageError};
use crate::grant::GrantPath;
use crate::view::ProjectDir;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;

/// So many conflicts are shown with their sides.
const SHOWN_DIFFS: usize = 20;

/// Why an apply was not carried out. The project is as it was, unless it says otherwise.
#[derive(Debug, Error)]
pub enum ApplyError {
    /// The stage can't be used.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// There is nothing staged at or below a path.
    #[error("nothing is staged at `{0}`; the diff lists what is")]
    NothingStaged(GrantPath),
    /// The run's grants don't let a tool change these places; each with why.
    #[error("nothing was applied: {}; discard what is staged there, or apply other paths", forbidden(.0))]
    Forbidden(Vec<String>),
    /// Targets aren't what the run has changed.
    #[error("nothing was applied: {}", listed(.0))]
    Conflicts(Vec<Conflict>),
    /// A target was changed while the apply was being prepared.
    #[error("nothing was applied: `{0}` was changed at this very moment; try again")]
    ChangedMeanwhile(GrantPath),
    /// The apply that was cut off belongs to another project.
    #[error("an apply of this stage to another project was cut off; `{}` isn't it; give the project that it is of, or end that apply by discarding all that is staged", .0.display())]
    OtherProject(PathBuf),
    /// An apply was begun and the system doesn't let it come to its end.
    #[error(
        "an apply can't be brought to its end: {source}; put the folder `{folder}` back as it was and recover, or end the apply by discarding all that is staged"
    )]
    Stuck {
        /// The folder of the project in which it stopped.
        folder: GrantPath,
        /// What stopped it.
        source: Box<ApplyError>,
    },
    /// The system refuses something in the project. If the apply was decided already, it is carried
    /// on by [`Stage::recover`] once that is mended.
    #[error("`{path}`: {doing} failed: {source}; check the space and the permissions there")]
    Project {
        /// Where.
        path: GrantPath,
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

/// A target that isn't what the run has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Where.
    pub path: GrantPath,
    /// What is wrong.
    pub kind: ConflictKind,
    /// From what the run has changed to what is in the project now, as a unified diff. Of more than
    /// 20 conflicts the others have none.
    pub theirs: String,
    /// From what the run has changed to what it has staged.
    pub ours: String,
}

/// How a target differs from what the run has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictKind {
    /// Something is where the run has created something.
    Appeared,
    /// It's not there any more.
    Vanished,
    /// It has another content.
    Changed,
    /// It's another kind of thing.
    OtherKind,
    /// The folder is to go, and this is in it that the run hasn't deleted.
    NotEmpty(String),
    /// The folder that it is to be in isn't there.
    NoFolder,
}

impl fmt::Display for ConflictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Appeared => f.write_str("is in the project by now"),
            Self::Vanished => f.write_str("isn't in the project any more"),
            Self::Changed => f.write_str("has changed in the project since the run read it"),
            Self::OtherKind => f.write_str("is another kind of thing by now"),
            Self::NotEmpty(name) => write!(f, "holds `{name}`, which the run hasn't deleted"),
            Self::NoFolder => f.write_str("is to be in a folder that isn't there"),
        }
    }
}

impl Conflict {
    pub(super) fn new(
        nth: usize,
        folder: Arc<StageFolder>,
        project: &ProjectDir,
        place: &str,
        entry: &Entry,
        kind: ConflictKind,
    ) -> Result<Self, StageError> {
        if nth >= SHOWN_DIFFS {
            return Ok(Self { path: path_of(place), kind, theirs: String::new(), ours: String::new() });
        }
        let change = Stage::change_of(&folder, place, entry);
        let text = |bytes: Option<Vec<u8>>| bytes.map_or(Text::None, Text::of);
        let base = text(change.read(&change.before, Text::enough())?);
        // What can't be read has nothing to show.
        let now = text(read(project, place, Text::enough()).unwrap_or_default());
        Ok(Self {
            path: path_of(place),
            kind,
            theirs: lines(place, place, base, now),
            ours: change.unified_diff()?,
        })
    }
}

fn listed(conflicts: &[Conflict]) -> String {
    first(conflicts, |conflict| format!("`{}` {}", conflict.path, conflict.kind))
}

fn forbidden(places: &[String]) -> String {
    first(places, String::clone)
}

/// The first few of many, and how many more there are.
fn first<T>(all: &[T], shown: impl Fn(&T) -> String) -> String {
    const SHOWN: usize = 5;
    let mut told: Vec<_> = all.iter().take(SHOWN).map(shown).collect();
    if all.len() > SHOWN {
        told.push(format!("and {} more", all.len() - SHOWN));
    }
    told.join("; ")
}
