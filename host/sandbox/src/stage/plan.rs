//! The steps of an apply, decided before anything is touched, and the record of them.

use super::apply::os_name;
use super::entry::{Base, Entry, Now, Times};
use super::folder::random_name;
use super::target::{Identity, split};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the names of temporary files start with.
const TEMPORARY: &str = ".ringfence-";

/// The names of what is kept end with so many of the random digits of a temporary file's.
const KEPT_DIGITS: usize = 8;
/// The longest name that a folder can have, in bytes.
const MAX_NAME: usize = 255;

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
    /// The staged places that are in the project when all is done, in order.
    pub(super) places: Vec<String>,
}

impl Plan {
    /// Whether a staged place is applied.
    pub(super) fn applies(&self, place: &str) -> bool {
        self.places.binary_search_by(|applied| applied.as_str().cmp(place)).is_ok()
    }
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
    /// Rename a temporary folder into place, with all that is to be in it.
    PutFolder {
        /// The folder's name until then, beside its place.
        temporary: String,
    },
    /// Rename a temporary file into place.
    Put {
        /// The file's name until then, beside its place.
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

impl Step {
    /// Where what is in the way of the step can be kept, beside its place; none if it puts nothing
    /// there. There are some, as each time that an apply is carried on something else may be in the
    /// way. They follow from the record, so that whoever carries on finds what was kept before.
    pub(super) fn kept(&self) -> impl Iterator<Item = String> {
        let random = match &self.action {
            Action::PutFolder { temporary } | Action::Put { temporary, .. } => {
                temporary.strip_prefix(TEMPORARY).unwrap_or_default()
            }
            Action::Remove { .. } | Action::RemoveFolder | Action::SetTimes { .. } => "",
        };
        let parts = (0..).step_by(KEPT_DIGITS).map_while(move |from| random.get(from..from + KEPT_DIGITS));
        parts.map(|part| kept_name(&self.place, part))
    }

    /// Where the temporary file or folder of the step lies; none if it puts nothing into place.
    pub(super) fn temporary(&self) -> Option<String> {
        match &self.action {
            Action::PutFolder { temporary } | Action::Put { temporary, .. } => {
                Some(join(split(&self.place).0, temporary))
            }
            Action::Remove { .. } | Action::RemoveFolder | Action::SetTimes { .. } => None,
        }
    }
}

/// A place that is applied: what is staged there, and what was found in the project.
pub(super) type Targets<'e> = BTreeMap<&'e str, (&'e Entry, Option<Identity>)>;

/// Decides the steps: removals from the inside out, then folders and files. A new folder comes with
/// all that is in it, in one step.
pub(super) fn steps(targets: &Targets<'_>) -> Vec<Step> {
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
    let temporary = || format!("{TEMPORARY}{}", random_name());
    let alone: Vec<_> = targets.iter().filter(|(place, _)| !comes_with_folder(targets, place)).collect();
    for (place, (entry, _)) in &alone {
        if is_new_folder(entry) {
            add(place, Action::PutFolder { temporary: temporary() });
        }
    }
    for (place, (entry, was)) in &alone {
        if entry.file().is_some() {
            // A folder there is removed first.
            let was = was.filter(|_| !matches!(entry.base, Base::Folder { .. }));
            add(place, Action::Put { temporary: temporary(), was });
        }
    }
    for (place, (entry, _)) in alone.iter().rev() {
        match (&entry.base, &entry.now) {
            (Base::Folder { .. }, Now::Folder { times: Some(times) }) => {
                add(place, Action::SetTimes { times: *times });
            }
            (_, Now::Gone | Now::Folder { .. } | Now::File(_)) => {}
        }
    }
    steps
}

fn is_new_folder(entry: &Entry) -> bool {
    matches!(entry.now, Now::Folder { .. }) && !matches!(entry.base, Base::Folder { .. })
}

/// Whether a folder above a place is new.
fn comes_with_folder(targets: &Targets<'_>, place: &str) -> bool {
    let above = std::iter::successors(place.rsplit_once('/'), |(above, _)| above.rsplit_once('/'));
    above.into_iter().any(|(above, _)| targets.get(above).is_some_and(|(entry, _)| is_new_folder(entry)))
}

/// The place of a name in a folder.
pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A name beside a place, no longer than a name may be.
fn kept_name(place: &str, part: &str) -> String {
    let suffix = format!(".kept-{part}");
    let mut kept = place.to_owned();
    while os_name(&kept).is_ok_and(|name| name.len() + suffix.len() > MAX_NAME) {
        kept.pop();
    }
    kept.push_str(&suffix);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_aside_keeps_as_much_of_its_name_as_a_name_may_have() {
        for (name, kept) in [
            ("a".to_owned(), "a".to_owned()),
            ("n".repeat(255), "n".repeat(241)),
            ("中".repeat(85), "中".repeat(80)),
            ("\u{f7e9}".repeat(255), "\u{f7e9}".repeat(241)),
        ] {
            let temporary = format!("{TEMPORARY}{}", random_name());
            let step = Step { place: format!("src/{name}"), action: Action::PutFolder { temporary } };
            let mut names: Vec<_> = step.kept().collect();
            for name in &names {
                let (before, after) = name.split_once(".kept-").expect("a suffix");
                assert_eq!((before, after.len()), (format!("src/{kept}").as_str(), 8), "{name}");
            }
            names.dedup();
            assert_eq!(names.len(), 4, "there are others where a name is taken");
        }
    }
}
