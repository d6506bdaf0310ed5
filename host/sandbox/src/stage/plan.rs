//! The steps of an apply, decided before anything is touched, and the record of them.

use super::entry::{Base, Entry, Now, StagedFile, Times};
use super::folder::random_name;
use super::target::{Identity, is_folder, split};
use crate::view::ProjectDir;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the names of temporary files start with.
const TEMPORARY: &str = ".ringfence-";

/// The record of an apply that is under way.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) progress: Progress,
    /// The project folder's device and number.
    pub(super) project: (u64, u64),
    /// Where it was; none if that isn't UTF-8.
    #[serde(default)]
    pub(super) at: Option<String>,
    pub(super) steps: Vec<Step>,
    /// The staged places that are in the project when all is done.
    pub(super) places: Vec<String>,
}

/// How far an apply has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Progress {
    /// Only temporary files were made: it goes back.
    Preparing,
    /// It goes through to the end.
    Committed,
}

/// One step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) place: String,
    #[serde(flatten)]
    pub(super) action: Action,
}

/// What is done at a place.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(super) enum Action {
    /// Remove a file or link.
    Remove {
        /// What was found there.
        was: Option<Identity>,
    },
    /// Remove a folder in which nothing is left.
    RemoveFolder,
    /// Make a folder.
    MakeFolder,
    /// Rename a temporary file into place.
    Put {
        /// The folder of the temporary file.
        folder: String,
        /// Its name.
        temporary: String,
        /// What it takes the place of.
        was: Option<Identity>,
    },
    /// Set a folder's times.
    SetTimes {
        /// The new ones.
        times: Times,
    },
}

/// A place that is applied: what is staged there, and what was found in the project.
pub(super) type Targets<'e> = BTreeMap<&'e str, (&'e Entry, Option<Identity>)>;

/// Decides the steps: removals from the inside out, folders from the outside in, then files.
pub(super) fn steps(project: &ProjectDir, targets: &Targets<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut add = |place: &str, action| steps.push(Step { place: place.to_owned(), action });
    for (place, (entry, was)) in targets.iter().rev() {
        match (&entry.base, &entry.now) {
            (Base::File { .. } | Base::Link { .. }, Now::Gone | Now::Folder { .. }) => {
                add(place, Action::Remove { was: *was });
            }
            (Base::Folder { .. }, Now::Gone | Now::File(_)) => add(place, Action::RemoveFolder),
            (Base::File { .. } | Base::Link { .. }, Now::File(_))
            | (Base::Folder { .. }, Now::Folder { .. })
            | (Base::Absent, _) => {}
        }
    }
    for (place, (entry, _)) in targets {
        match (&entry.base, &entry.now) {
            (Base::Folder { .. }, Now::Folder { .. }) | (_, Now::Gone | Now::File(_)) => {}
            (Base::Absent | Base::File { .. } | Base::Link { .. }, Now::Folder { .. }) => {
                add(place, Action::MakeFolder);
            }
        }
    }
    for (place, (entry, was)) in targets {
        match &entry.now {
            Now::File(_) => {
                let folder = room_near(project, targets, place);
                let temporary = format!("{TEMPORARY}{}", random_name());
                // A folder there is removed first.
                let was = was.filter(|_| !matches!(entry.base, Base::Folder { .. }));
                add(place, Action::Put { folder, temporary, was });
            }
            Now::Gone | Now::Folder { .. } => {}
        }
    }
    for (place, (entry, _)) in targets.iter().rev() {
        match &entry.now {
            Now::Folder { times: Some(times) } => add(place, Action::SetTimes { times: *times }),
            Now::Gone | Now::Folder { times: None } | Now::File(_) => {}
        }
    }
    steps
}

/// The nearest folder above a place that is there now and stays.
fn room_near(project: &ProjectDir, targets: &Targets<'_>, place: &str) -> String {
    let mut folder = split(place).0;
    while !folder.is_empty() {
        let stays = targets.get(folder).is_none_or(|(entry, _)| {
            matches!((&entry.base, &entry.now), (Base::Folder { .. }, Now::Folder { .. }))
        });
        if stays && is_folder(project, folder) {
            break;
        }
        folder = split(folder).0;
    }
    folder.to_owned()
}

/// What a temporary file is to hold.
pub(super) fn file_of<'e>(targets: &Targets<'e>, place: &str) -> Option<&'e StagedFile> {
    targets.get(place).and_then(|(entry, _)| entry.file())
}
