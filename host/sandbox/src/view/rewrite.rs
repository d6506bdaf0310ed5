//! Rewrites a path until no link and no `..` is left on it. What comes out is a proposal: the
//! place is judged, and walked by the kernel with links forbidden, only after that.

use super::beneath::{Handle, link_text, look};
use super::grants::{Granted, GrantedTree, Held};
use super::place::{Place, names_of};
use super::policy::{Ground, Want};
use super::refused::Refused;
use super::resolve::{Base, Links};
use crate::receipt::DenialReason;
use rustix::fs::FileType;
use rustix::io::Errno;
use std::sync::Arc;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// So many links may be followed for one path.
const MAX_LINKS: u32 = 40;
/// So many folders may be walked through for one path, links and `..` included.
const MAX_STEPS: usize = 4096;

/// What resolving one path has cost so far.
#[derive(Debug, Default)]
pub(super) struct Effort {
    links: u32,
    steps: usize,
}

impl Effort {
    pub(super) fn step(&mut self, folders: usize) -> Result<(), Refused> {
        self.steps += folders;
        if self.steps > MAX_STEPS { Err(Refused::Plain(ErrorCode::NameTooLong)) } else { Ok(()) }
    }

    pub(super) fn link(&mut self) -> Result<(), Refused> {
        self.links += 1;
        if self.links > MAX_LINKS { Err(Refused::Plain(ErrorCode::Loop)) } else { Ok(()) }
    }
}

/// A name still to be walked.
struct Step {
    name: String,
    /// The guest didn't write it: it's from the link that was met last.
    by_link: bool,
}

impl GrantedTree {
    /// Walks a path name by name, from `base`, reading the links on it.
    pub(super) fn rewrite<'p>(
        &self,
        base: Base<'_>,
        names: impl DoubleEndedIterator<Item = &'p str>,
        links: Links,
        effort: &mut Effort,
    ) -> Result<Place, Refused> {
        let mut at = base.place.clone();
        // The folder at `at`, where it is open.
        let mut here: Option<Handle> = None;
        // The link that was met last.
        let mut link = Place::root();
        // The next name is the last of these.
        let mut todo: Vec<Step> =
            names.rev().map(|name| Step { name: name.to_owned(), by_link: false }).collect();
        while let Some(Step { name, by_link }) = todo.pop() {
            effort.step(1)?;
            if name == ".." {
                let leaves_grant = self.holder(&at).is_some_and(|granted| granted.place == at);
                if by_link && (leaves_grant || at.is_root()) {
                    return Err(Refused::denied(DenialReason::LinkLeaves, &link));
                }
                if !at.pop() {
                    return Err(Refused::denied(DenialReason::LeavesRoot, &at));
                }
                here = None;
                continue;
            }
            let above = at.clone();
            at.push(&name)?;
            let granted = match self.judge_below(above.depth(), &at, Want::Look)? {
                Ground::Bare => continue,
                Ground::Granted(granted) if granted.place == at => {
                    if matches!(granted.held, Held::File { .. }) && !todo.is_empty() {
                        return Err(Refused::Plain(ErrorCode::NotDirectory));
                    }
                    here = None;
                    continue;
                }
                Ground::Granted(granted) => granted,
            };
            let is_last = todo.is_empty();
            if is_last && links == Links::Keep {
                break;
            }
            let parent = match here.take() {
                Some(folder) => folder,
                None => self.reach(base, granted, &above, effort)?,
            };
            if !is_last {
                match self.walk().folder(&parent, &name) {
                    Ok(folder) => {
                        here = Some(Arc::new(folder));
                        continue;
                    }
                    Err(Errno::LOOP | Errno::NOTDIR) => {}
                    Err(errno) => return Err(errno.into()),
                }
            }
            let text = match link_text(&parent, &name) {
                Ok(text) => text,
                // No link, or nothing at all: fine at the end of a path only.
                Err(Errno::INVAL | Errno::NOENT) if is_last => break,
                Err(Errno::INVAL) if may_lead_on(&parent, &name)? => {
                    // It was another thing a moment ago: walk this name once more.
                    at = above;
                    here = Some(parent);
                    todo.push(Step { name, by_link });
                    continue;
                }
                Err(Errno::INVAL) => return Err(Refused::Plain(ErrorCode::NotDirectory)),
                Err(errno) => return Err(errno.into()),
            };
            effort.link()?;
            link = std::mem::replace(&mut at, above);
            here = Some(parent);
            if text.starts_with('/') {
                return Err(Refused::denied(DenialReason::LinkLeaves, &link));
            }
            todo.extend(names_of(&text).rev().map(|name| Step { name: name.to_owned(), by_link: true }));
        }
        Ok(at)
    }

    /// Opens a folder of a grant, from the nearest one that is open.
    fn reach(
        &self,
        base: Base<'_>,
        granted: &Granted,
        place: &Place,
        effort: &mut Effort,
    ) -> Result<Handle, Refused> {
        let (start, way) = self.start(base, granted, place);
        if way.is_empty() {
            return Ok(start.clone());
        }
        effort.step(names_of(way).count())?;
        match self.walk().folder(start, way) {
            Ok(folder) => Ok(Arc::new(folder)),
            // All of it was folders a moment ago: somebody put a link there.
            Err(Errno::NOTDIR) => Err(Refused::Plain(ErrorCode::Loop)),
            Err(errno) => Err(errno.into()),
        }
    }
}

/// Whether there is a folder or a link, which somebody may be exchanging for each other.
fn may_lead_on(parent: &Handle, name: &str) -> Result<bool, Errno> {
    let found = look(parent, name)?.map(|stat| FileType::from_raw_mode(stat.st_mode));
    Ok(matches!(found, Some(FileType::Directory | FileType::Symlink)))
}
