//! What a guest may change, and how: each change is resolved, judged, and put into the call's
//! layer of the stage. Nothing here ever writes to the project.
//!
//! An existing file of the project loses its content (is opened for writing, deleted, renamed
//! over) only if the run has read it whole and it still is what was read.

use super::View;
use super::halt::Halt;
use super::merged::{Merged, Met, There};
use super::node::{Node, Source};
use super::open::{Manner, Open};
use super::place::Place;
use super::policy::{Ground, Want};
use super::refused::Refused;
use super::resolve::{Links, Pinned};
use crate::receipt::DenialReason;
use crate::stage::{Base, Layer, Times};
use rustix::fs::{FileType, fstat};
use std::fs::File;
use std::sync::Arc;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// How a guest opens something, besides its path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening {
    pub(super) manner: Manner,
    pub(super) create: bool,
    pub(super) exclusive: bool,
    pub(super) truncate: bool,
    pub(super) write: bool,
}

impl View {
    fn merged(&self) -> Result<Merged<'_>, Refused> {
        let layer = self.layer.as_ref().ok_or(Refused::Plain(ErrorCode::Unsupported))?;
        Ok(Merged { tree: &self.tree, layer })
    }

    fn layer(&mut self) -> Result<&mut Layer, Refused> {
        self.layer.as_mut().ok_or(Refused::Plain(ErrorCode::Unsupported))
    }

    /// Where a path leads in a view with a stage.
    pub(super) fn meet(&self, from: &Place, path: &str, links: Links) -> Result<Met, Refused> {
        self.merged()?.resolve(from, path, links)
    }

    /// What is at a place in a view with a stage.
    pub(super) fn at(&self, place: &Place) -> Result<Met, Refused> {
        self.merged()?.at(place.clone())
    }

    /// Judges a change of a place. A call without a stage of its own to write to changes nothing.
    pub(super) fn may_change(&self, place: &Place) -> Result<(), Refused> {
        match self.tree.judge(place, Want::Change)? {
            Ground::Granted(_) if self.layer.as_ref().is_some_and(Layer::may_write) => Ok(()),
            Ground::Granted(_) | Ground::Bare => Err(Refused::denied(DenialReason::ReadOnly, place)),
        }
    }

    /// The same for a change that takes away what is at a place or puts something else there.
    pub(super) fn may_replace(&self, place: &Place) -> Result<(), Refused> {
        self.may_change(place)?;
        if self.tree.has_grant_at_or_below(place) {
            return Err(Refused::denied(DenialReason::GrantItself, place));
        }
        Ok(())
    }

    /// Opens a path in a view with a stage.
    pub(super) fn open_staged(&mut self, from: &Place, path: &str, how: Opening) -> Result<Node, Halt> {
        let met = self.meet(from, path, how.manner.links)?;
        if how.manner.want == Want::Change {
            self.may_change(&met.place)?;
            if how.create && how.exclusive && !matches!(met.there, There::Absent) {
                return Err(ErrorCode::Exist.into());
            }
        }
        let writes = how.write || how.truncate;
        let Met { place, there } = met;
        match there {
            There::Bare => Ok(Node::Bare(place)),
            There::Absent if how.create => {
                if path.ends_with('/') {
                    return Err(ErrorCode::IsDirectory.into());
                }
                let quota = self.quotas.writes.clone();
                let body = self.layer()?.create(place.as_str(), &quota)?;
                Ok(self.file(place, Source::Staged(body), 0, how.write))
            }
            There::Absent => Err(ErrorCode::NoEntry.into()),
            There::StagedFolder if writes => Err(ErrorCode::IsDirectory.into()),
            There::StagedFolder => Ok(Node::Merged(place)),
            There::StagedFile if how.manner.folder => Err(ErrorCode::NotDirectory.into()),
            There::StagedFile => {
                if writes {
                    self.permit(&place)?;
                }
                self.open_body(place, how)
            }
            There::Project(pinned) => match self.tree.open_pinned(&pinned, how.manner)? {
                Open::Bare(place) => Ok(Node::Bare(place)),
                Open::Folder(..) if writes => Err(ErrorCode::IsDirectory.into()),
                Open::Folder(place, _) => Ok(Node::Merged(place)),
                Open::File(place, handle, length) if !writes => {
                    Ok(self.file(place, Source::Disk(handle), length, false))
                }
                Open::File(place, handle, _) => {
                    self.has_one_spelling(&pinned)?;
                    self.copy_up_open(&place, handle, true)?;
                    self.open_body(place, how)
                }
            },
        }
    }

    fn open_body(&mut self, place: Place, how: Opening) -> Result<Node, Halt> {
        let quota = self.quotas.writes.clone();
        let body = self.layer()?.open(place.as_str())?;
        if how.truncate {
            body.set_size(0, &quota)?;
        }
        let (size, _) = body.stat();
        Ok(self.file(place, Source::Staged(body), size, how.write))
    }

    fn file(&mut self, place: Place, source: Source, length: u64, writes: bool) -> Node {
        let reading = self.log.opened(&place, length);
        Node::File { place, source, reading, writes }
    }

    /// Makes sure that a staged file may lose its content.
    fn permit(&mut self, place: &Place) -> Result<(), Refused> {
        let read_now = self.log.whole_read(place);
        let permitted = self.layer()?.permit(place.as_str(), read_now);
        permitted.map_err(|reason| Refused::denied(reason, place))
    }

    /// Takes an open file of the project into the stage.
    fn copy_up_open(
        &mut self,
        place: &Place,
        handle: Arc<std::os::fd::OwnedFd>,
        must_know: bool,
    ) -> Result<(), Halt> {
        let read_now = self.log.whole_read(place);
        let quota = self.quotas.writes.clone();
        let stat = fstat(&handle)?;
        let mut file = File::from(rustix::io::fcntl_dupfd_cloexec(&handle, 0)?);
        let layer = self.layer()?;
        let taken = layer.copy_up(place.as_str(), (&mut file, &stat), read_now, must_know, &quota)?;
        Ok(taken.map_err(|reason| Refused::denied(reason, place))?)
    }

    /// Takes a file that is about to be changed into the stage, if it isn't there.
    pub(super) fn take_file(&mut self, met: &Met, must_know: bool) -> Result<(), Halt> {
        match &met.there {
            There::StagedFile if must_know => Ok(self.permit(&met.place)?),
            There::StagedFile => Ok(()),
            There::Project(pinned) => self.copy_up(pinned, must_know),
            There::Bare | There::Absent | There::StagedFolder => Err(ErrorCode::IsDirectory.into()),
        }
    }

    fn copy_up(&mut self, pinned: &Pinned, must_know: bool) -> Result<(), Halt> {
        self.has_one_spelling(pinned)?;
        let manner = Manner { links: Links::Keep, want: Want::Change, folder: false };
        match self.tree.open_pinned(pinned, manner)? {
            Open::File(place, handle, _) => self.copy_up_open(&place, handle, must_know),
            Open::Folder(..) | Open::Bare(_) => Err(ErrorCode::IsDirectory.into()),
        }
    }

    /// Notes a folder or link of the project before it goes.
    pub(super) fn note(&mut self, pinned: &Pinned) -> Result<(), Halt> {
        self.has_one_spelling(pinned)?;
        let place = &pinned.place;
        let base = match pinned.kind() {
            Some(FileType::Directory) => {
                Base::Folder { mode: pinned.found.as_ref().map_or(0o755, |stat| stat.st_mode & 0o7777) }
            }
            Some(FileType::Symlink) => {
                Base::Link { text: super::beneath::link_text(&pinned.parent, &pinned.name)? }
            }
            Some(_) | None => return Err(Refused::denied(DenialReason::SpecialFile, place).into()),
        };
        let (quota, place) = (self.quotas.writes.clone(), place.as_str().to_owned());
        self.layer()?.note(&place, base, &quota)
    }

    pub(super) fn create_folder(&mut self, from: &Place, path: &str) -> Result<(), Halt> {
        let met = self.meet(from, path, Links::Keep)?;
        match met.there {
            There::Absent => {}
            There::Bare | There::StagedFolder | There::StagedFile | There::Project(_) => {
                self.may_change(&met.place)?;
                return Err(ErrorCode::Exist.into());
            }
        }
        self.may_change(&met.place)?;
        let quota = self.quotas.writes.clone();
        self.layer()?.make_folder(met.place.as_str(), &quota)
    }

    pub(super) fn remove_file(&mut self, from: &Place, path: &str) -> Result<(), Halt> {
        let met = self.meet(from, path, Links::Keep)?;
        if matches!(met.there, There::Absent) {
            return Err(ErrorCode::NoEntry.into());
        }
        self.may_replace(&met.place)?;
        match &met.there {
            There::Project(pinned) if pinned.kind() == Some(FileType::Symlink) => self.note(pinned)?,
            There::Bare | There::Absent | There::StagedFolder | There::StagedFile | There::Project(_) => {
                self.take_file(&met, true)?;
            }
        }
        self.layer()?.remove(met.place.as_str());
        Ok(())
    }

    pub(super) fn remove_folder(&mut self, from: &Place, path: &str) -> Result<(), Halt> {
        let met = self.meet(from, path, Links::Keep)?;
        if matches!(met.there, There::Absent) {
            return Err(ErrorCode::NoEntry.into());
        }
        self.may_replace(&met.place)?;
        self.remove_met_folder(&met)
    }

    /// Removes a folder in which nothing is left.
    pub(super) fn remove_met_folder(&mut self, met: &Met) -> Result<(), Halt> {
        if !met.is_folder() {
            return Err(ErrorCode::NotDirectory.into());
        }
        if !self.entries_of(&met.place)?.is_empty() {
            return Err(ErrorCode::NotEmpty.into());
        }
        match &met.there {
            There::Project(pinned) => self.note(pinned)?,
            There::Bare | There::Absent | There::StagedFolder | There::StagedFile => {
                self.quotas.writes.entry()?;
            }
        }
        self.layer()?.remove(met.place.as_str());
        Ok(())
    }

    /// Sets the times of what a path leads to, from those that it has.
    pub(super) fn change_times(&mut self, met: &Met, times: impl FnOnce(Times) -> Times) -> Result<(), Halt> {
        let place = met.place.as_str();
        let old = match &met.there {
            There::Bare => return Err(Refused::denied(DenialReason::ReadOnly, &met.place).into()),
            There::Absent => return Err(ErrorCode::NoEntry.into()),
            There::StagedFolder => Times::now(),
            There::StagedFile => self.layer()?.stat(place).map_or_else(Times::now, |(_, times)| times),
            There::Project(pinned) => {
                let old = pinned.found.as_ref().map_or_else(Times::now, Times::of);
                match pinned.kind() {
                    Some(FileType::Symlink) => {
                        return Err(Refused::denied(DenialReason::NoLinks, &met.place).into());
                    }
                    Some(FileType::Directory) => {
                        self.note(pinned)?;
                        let quota = self.quotas.writes.clone();
                        self.layer()?.make_folder(place, &quota)?;
                    }
                    Some(_) | None => self.copy_up(pinned, false)?,
                }
                old
            }
        };
        self.layer()?.set_times(place, times(old));
        Ok(())
    }
}
