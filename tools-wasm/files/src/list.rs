//! `list_files`.

use crate::failure::{Failure, amount};
use crate::glob::Glob;
use ringfence_guest_project::Walk;
use ringfence_guest_project::{Kind, Root, look};
use std::io;

const DEFAULT_ENTRIES: u32 = 1000;
const MOST_SHOWN: u32 = 10_000;
/// How much an answer may hold, in bytes: as JSON it fits into the host's usual bound of 256 KiB.
const MOST_BYTES: usize = 200 * 1024;
/// What an entry takes besides its path.
const FRAME: usize = 50;

/// What to list; see the interface.
#[derive(Debug, Clone, Default)]
pub struct ListRequest<'a> {
    /// Where; the project's folder by default.
    pub directory: Option<&'a str>,
    /// Also what is below.
    pub recursive: Option<bool>,
    /// A glob that entries must match.
    pub pattern: Option<&'a str>,
    /// How many entries at most.
    pub max_entries: Option<u32>,
}

/// One entry of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// From the project's folder.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// In bytes; 0 for all but files.
    pub size: u64,
}

/// What a directory holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The directory, tidied.
    pub directory: String,
    /// In path order.
    pub entries: Vec<Entry>,
    /// Entries that match.
    pub total: u32,
    /// Files among them.
    pub files: u32,
    /// Directories among them.
    pub directories: u32,
    /// Whether `entries` holds fewer.
    pub cut: bool,
    /// Left out by ignore files.
    pub ignored: u32,
    /// Directories that could not be read.
    pub unreadable: Vec<String>,
    /// Whether everything was counted.
    pub complete: bool,
}

/// Lists a directory.
pub fn list_files(root: &Root, request: &ListRequest<'_>) -> Result<Listing, Failure> {
    let asked = request.directory.unwrap_or(".");
    let most = amount("max_entries", request.max_entries, DEFAULT_ENTRIES, MOST_SHOWN)?;
    let glob = Glob::parse(request.pattern)?;
    let recursive = request.recursive.unwrap_or_else(|| glob.as_ref().is_some_and(Glob::for_paths));
    let directory = root.tidy(asked);
    let mut walk = Walk::start(root, asked, &directory, recursive)?;

    let mut entries = Vec::new();
    let (mut cut, mut room) = (false, MOST_BYTES);
    let (mut total, mut files, mut directories) = (0, 0, 0);
    for found in walk.by_ref() {
        if glob.as_ref().is_some_and(|glob| !glob.matches(found.name(), found.below(), &found.path)) {
            continue;
        }
        let weight = found.path.len() + FRAME;
        cut |= total >= most || weight > room;
        if !cut {
            room -= weight;
            // Only what is shown is asked for its size: that is most of the cost of a listing.
            let size = match found.kind {
                Kind::File => match look(&found.place()) {
                    Ok((_, size)) => size,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(_) => 0,
                },
                Kind::Directory | Kind::Link | Kind::Other => 0,
            };
            entries.push(Entry { path: found.path, kind: found.kind, size });
        }
        total += 1;
        match found.kind {
            Kind::File => files += 1,
            Kind::Directory => directories += 1,
            Kind::Link | Kind::Other => {}
        }
    }
    Ok(Listing {
        directory,
        entries,
        total,
        files,
        directories,
        cut,
        ignored: walk.left_out,
        unreadable: walk.unreadable,
        complete: walk.complete,
    })
}
