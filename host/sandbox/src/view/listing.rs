//! Reading a folder entry by entry: no folder is too large, and nothing hidden is named.

use super::beneath::Handle;
use super::escape::from_os;
use super::grants::GrantedTree;
use super::place::Place;
use super::policy::is_state_folder;
use super::stat::kind_of;
use crate::mask::MaskSet;
use rustix::fs::{AtFlags, Dir, FileType, statat};
use rustix::io::Errno;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorType, DirectoryEntry};

/// A folder that is being read.
pub(super) enum Listing {
    /// A bare folder: what is on the way to what is granted.
    Bare(VecDeque<DirectoryEntry>),
    /// A folder in a view with a stage.
    Merged {
        /// What is staged there.
        staged: VecDeque<DirectoryEntry>,
        /// Names that are staged, or gone: what the project has there isn't named.
        over: HashSet<String>,
        /// What the project has, if that is to be seen.
        project: Option<Box<Listing>>,
    },
    /// A folder of a grant.
    Folder {
        /// Reads on with each entry; has a position of its own.
        entries: Box<Dir>,
        /// The folder, with a slash unless it's the root: what its entries' places start with.
        prefix: String,
        /// What hides entries of it. A nested grant isn't among them, so it needn't be asked.
        masks: Arc<MaskSet>,
    },
}

impl Listing {
    pub(super) fn bare(tree: &GrantedTree, place: &Place) -> Self {
        let entry = |(name, is_file): (&str, bool)| DirectoryEntry {
            type_: if is_file { DescriptorType::RegularFile } else { DescriptorType::Directory },
            name: name.to_owned(),
        };
        Self::Bare(tree.bare_names(place).into_iter().map(entry).collect())
    }

    /// A folder with the stage over it; `project` is the project's own listing.
    pub(super) fn merged(names: Vec<(String, Option<bool>)>, project: Option<Self>) -> Self {
        let over = names.iter().map(|(name, _)| name.clone()).collect();
        let entry = |(name, is_folder): (String, Option<bool>)| {
            let type_ = match is_folder? {
                true => DescriptorType::Directory,
                false => DescriptorType::RegularFile,
            };
            Some(DirectoryEntry { type_, name })
        };
        let staged = names.into_iter().filter_map(entry).collect();
        Self::Merged { staged, over, project: project.map(Box::new) }
    }

    pub(super) fn folder(tree: &GrantedTree, place: &Place, handle: &Handle) -> Result<Self, Errno> {
        let mut prefix = place.as_str().to_owned();
        if !place.is_root() {
            prefix.push('/');
        }
        let masks = tree.masks(place).clone();
        Ok(Self::Folder { entries: Box::new(Dir::read_from(handle)?), prefix, masks })
    }

    /// The next entry that the guest may know of, and how many were read to find it: one
    /// more than `left` at most, lest a folder of hidden things keeps the host busy.
    pub(super) fn next(&mut self, left: u64) -> (u64, Result<Option<DirectoryEntry>, Errno>) {
        match self {
            Self::Bare(entries) => (1, Ok(entries.pop_front())),
            Self::Merged { staged, over, project } => {
                if let Some(entry) = staged.pop_front() {
                    return (1, Ok(Some(entry)));
                }
                let Some(project) = project else { return (0, Ok(None)) };
                let mut read = 0;
                loop {
                    let (more, next) = project.next(left.saturating_sub(read));
                    read += more;
                    match next {
                        Ok(Some(entry)) if over.contains(&entry.name) => {}
                        next => return (read, next),
                    }
                }
            }
            Self::Folder { entries, prefix, masks } => {
                let mut read = 0;
                let next = next_in(entries, prefix, masks, left, &mut read);
                (read, next)
            }
        }
    }
}

fn next_in(
    entries: &mut Dir,
    prefix: &mut String,
    masks: &MaskSet,
    left: u64,
    read: &mut u64,
) -> Result<Option<DirectoryEntry>, Errno> {
    while let Some(entry) = entries.read() {
        let entry = entry?;
        let os_name = entry.file_name();
        let name = from_os(os_name.to_bytes());
        if matches!(&*name, "." | "..") {
            continue;
        }
        *read += 1;
        if *read > left {
            break;
        }
        let length = prefix.len();
        prefix.push_str(&name);
        let hidden = is_state_folder(prefix) || masks.hides_entry(prefix);
        prefix.truncate(length);
        if hidden {
            continue;
        }
        let kind = match entry.file_type() {
            // Some file systems don't say; then it has to be looked at.
            FileType::Unknown => match statat(entries.fd()?, os_name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(Errno::NOENT) => continue,
                Err(errno) => return Err(errno),
            },
            kind => kind,
        };
        return Ok(Some(DirectoryEntry { type_: kind_of(kind), name: name.into_owned() }));
    }
    Ok(None)
}
