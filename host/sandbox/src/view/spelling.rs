//! One file of the project has one change, where the file system takes more than one name for it.
//!
//! Doesn't own: which names may be one (`mask`), whose grant a place lies in (`policy`).

use super::View;
use super::beneath::look;
use super::escape::from_os;
use super::halt::Halt;
use super::merged::{Merged, There};
use super::place::Place;
use super::refused::Refused;
use super::resolve::Pinned;
use crate::receipt::DenialReason;
use rustix::fs::Dir;

impl View {
    /// Refuses what is staged already under another spelling of its name.
    pub(super) fn has_one_spelling(&mut self, pinned: &Pinned) -> Result<(), Halt> {
        let Some(layer) = &self.layer else { return Ok(()) };
        let other: String = pinned.name.chars().map(other_case).collect();
        // Nearly everywhere there is no such name, and case counts.
        if other != pinned.name && look(&pinned.parent, &other).is_ok_and(|found| found.is_none()) {
            return Ok(());
        }
        let merged = Merged { tree: &self.tree, layer };
        let mut staged = Vec::new();
        for name in layer.spelled_like(pinned.place.as_str()) {
            let mut place = Place::root();
            name.split('/').try_for_each(|name| place.push(name))?;
            if place != pinned.place && matches!(merged.in_project(&place), Ok(There::Project(_))) {
                staged.push(place);
            }
        }
        for place in staged {
            if self.are_one(&place, &pinned.place)? {
                return Err(Refused::denied(DenialReason::OtherSpelling, &pinned.place).into());
            }
        }
        Ok(())
    }

    /// Whether two places where the project has something, of as many names, are one: no folder lists
    /// both of the names in which they differ. The numbers of files tell nothing: some file systems
    /// give each spelling its own.
    fn are_one(&mut self, one: &Place, other: &Place) -> Result<bool, Halt> {
        let mut folder = Place::root();
        for (name, other) in one.names().zip(other.names()) {
            if name != other && self.lists_both(&folder, name, other)? {
                return Ok(false);
            }
            folder.push(name)?;
        }
        Ok(true)
    }

    fn lists_both(&mut self, folder: &Place, one: &str, other: &str) -> Result<bool, Halt> {
        // A folder that isn't granted has grants of these names in it, which were found to be two.
        let Some(handle) = self.project_folder(folder)? else { return Ok(true) };
        let mut listed = 0;
        for entry in Dir::read_from(&handle)? {
            self.quotas.writes.go_on()?;
            let name = from_os(entry?.file_name().to_bytes()).into_owned();
            if name == one || name == other {
                listed += 1;
            }
        }
        Ok(listed == 2)
    }
}

/// A letter of the other case; what has none stays.
fn other_case(c: char) -> char {
    if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
}
