//! Which staged places go together: what a person names, and what can't be applied or discarded
//! without it or before it.

use super::changes::Renames;
use super::entry::{Base, Now};
use super::index::{Entries, below};
use crate::grant::GrantPath;
use std::collections::BTreeSet;

/// What is to be done with the places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Apply,
    Discard,
}

/// The staged places at and below these paths and what belongs to them; all, without paths. The
/// error is a path where nothing is staged.
pub(super) fn selected(
    entries: &Entries,
    paths: Option<&[GrantPath]>,
    purpose: Purpose,
) -> Result<BTreeSet<String>, GrantPath> {
    let Some(paths) = paths else { return Ok(entries.keys().cloned().collect()) };
    let mut todo: Vec<String> = Vec::new();
    for path in paths {
        let place = path.names().join("/");
        let at = entries.get_key_value(&place).map(|(place, _)| place.as_str());
        let before = todo.len();
        todo.extend(at.into_iter().chain(below(entries, &place).map(|(place, _)| place)).map(str::to_owned));
        if todo.len() == before {
            return Err(path.clone());
        }
    }
    let renames = Renames::among(entries);
    let mut all = BTreeSet::new();
    while let Some(place) = todo.pop() {
        let Some(entry) = entries.get(&place).filter(|_| !all.contains(&place)) else { continue };
        // A renamed file goes in one place as it comes in the other.
        todo.extend(renames.from(&place).into_iter().chain(renames.to(&place)).map(str::to_owned));
        let was_folder = matches!(entry.base, Base::Folder { .. });
        let is_folder = matches!(entry.now, Now::Folder { .. });
        let take_inner = match purpose {
            // A folder can only go once all that was in it has gone.
            Purpose::Apply => was_folder && !is_folder,
            // Nothing can stay in a folder that isn't made.
            Purpose::Discard => is_folder && !was_folder,
        };
        if take_inner {
            todo.extend(below(entries, &place).map(|(inner, _)| inner.to_owned()));
        }
        let mut above = place.as_str();
        while let Some((parent, _)) = above.rsplit_once('/') {
            above = parent;
            if let Some(holder) = entries.get(above) {
                let was_folder = matches!(holder.base, Base::Folder { .. });
                let is_folder = matches!(holder.now, Now::Folder { .. });
                if was_folder != is_folder && (is_folder == (purpose == Purpose::Apply)) {
                    todo.push(above.to_owned());
                }
            }
        }
        all.insert(place);
    }
    Ok(all)
}
