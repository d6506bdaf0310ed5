//! Going through a directory tree: sorted, without recursion, with an end.

use crate::ignored::{Ignored, is_ignore_file};
use crate::{Entries, Fault, Kind, Root, entries, look, quoted};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The most entries that are looked at in one walk.
const MOST_ENTRIES: u32 = 500_000;
/// The most bytes of names that are held at once.
const MOST_NAME_BYTES: usize = 64 << 20;
/// The most directories that are named as unreadable.
const MOST_UNREADABLE: usize = 20;

/// An entry that was come across.
#[derive(Debug)]
pub struct Found {
    /// The directory it is in.
    directory: Rc<Path>,
    /// Its name there.
    file_name: OsString,
    /// The path from the project's folder.
    pub path: String,
    /// Where in `path` the part below the walk's directory starts.
    below: usize,
    /// What it is.
    pub kind: Kind,
}

impl Found {
    /// What to open.
    pub fn place(&self) -> PathBuf {
        self.directory.join(&self.file_name)
    }

    /// The path from the walk's directory.
    pub fn below(&self) -> &str {
        self.path.get(self.below..).unwrap_or(&self.path)
    }

    /// The last part of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// A directory with what is still to be visited of it.
struct Frame {
    place: Rc<Path>,
    /// From the project's folder; empty for that folder itself.
    path: String,
    names: std::vec::IntoIter<(OsString, Kind)>,
}

/// A walk through a directory, in path order.
pub struct Walk {
    frames: Vec<Frame>,
    ignored: Ignored,
    recursive: bool,
    below: usize,
    seen: u32,
    held: usize,
    /// How many entries the ignore files left out.
    pub left_out: u32,
    /// Directories that could not be read.
    pub unreadable: Vec<String>,
    /// Whether nothing was passed over for being too much.
    pub complete: bool,
}

impl Walk {
    /// Starts in the directory asked for; `shown` is its tidied path.
    pub fn start(root: &Root, asked: &str, shown: &str, recursive: bool) -> Result<Self, Fault> {
        let path = if shown == "." { String::new() } else { shown.to_owned() };
        let mut walk = Self {
            frames: Vec::new(),
            ignored: Ignored::default(),
            recursive,
            below: if path.is_empty() { 0 } else { path.len() + 1 },
            seen: 0,
            held: 0,
            left_out: 0,
            unreadable: Vec::new(),
            complete: true,
        };
        let place = root.resolve(asked);
        let entries = entries(&place).map_err(|error| not_listed(asked, &place, &error))?;
        walk.ignored = Ignored::above(root, shown);
        walk.enter(place, path, entries).map_err(|error| Fault::of(asked, &error))?;
        Ok(walk)
    }

    fn enter(&mut self, place: PathBuf, path: String, entries: Entries) -> io::Result<()> {
        let mut names = Vec::new();
        for entry in entries {
            if self.seen >= MOST_ENTRIES || self.held >= MOST_NAME_BYTES {
                self.complete = false;
                break;
            }
            let (name, kind) = entry?;
            self.seen += 1;
            self.held += name.len();
            names.push((name, kind));
        }
        names.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let rules = names.iter().filter(|(name, kind)| *kind == Kind::File && is_ignore_file(name));
        self.ignored.enter(&place, &path, rules.map(|(name, _)| name.as_os_str()));
        self.frames.push(Frame { place: place.into(), path, names: names.into_iter() });
        Ok(())
    }

    fn descend(&mut self, place: PathBuf, path: &str) {
        let entered = entries(&place).and_then(|entries| self.enter(place, path.to_owned(), entries));
        match entered {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if self.unreadable.len() < MOST_UNREADABLE => {
                self.unreadable.push(Fault::of(path, &error).to_string());
            }
            Err(_) => {}
        }
    }
}

impl Iterator for Walk {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let frame = self.frames.last_mut()?;
            let Some((name, kind)) = frame.names.next() else {
                self.frames.pop();
                self.ignored.leave();
                continue;
            };
            self.held = self.held.saturating_sub(name.len());
            if name == ".git" {
                continue;
            }
            let mut path = String::with_capacity(frame.path.len() + 1 + name.len());
            path.push_str(&frame.path);
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(&name.to_string_lossy());
            if self.ignored.names(&path, kind == Kind::Directory) {
                self.left_out += 1;
                continue;
            }
            let found =
                Found { directory: frame.place.clone(), file_name: name, path, below: self.below, kind };
            if kind == Kind::Directory && self.recursive {
                self.descend(found.place(), &found.path);
            }
            return Some(found);
        }
    }
}

/// Why the directory that was asked for can't be listed.
fn not_listed(asked: &str, place: &Path, error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::NotADirectory if look(place).is_ok() => {
            Fault::NotADirectory(format!("{}: not a directory", quoted(asked)))
        }
        _ => Fault::of(asked, error),
    }
}
