//! The guest's calls that change something, and what a view with a stage tells of a place. Without
//! a stage, and where only reading is granted, each change is refused and recorded.

use super::View;
use super::change::Opening;
use super::halt::Halt;
use super::host::{Fd, ViewHost, links};
use super::listing::Listing;
use super::merged::{Met, There};
use super::node::{Node, Source};
use super::place::Place;
use super::policy::Want;
use super::refused::Refused;
use super::resolve::Base;
use super::stat::{describe_bare, describe_body, describe_folder};
use super::stream::WriteStream;
use crate::receipt::DenialReason;
use crate::stage::{Body, Position, Shown, Time, Times};
use std::sync::Arc;
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorStat, ErrorCode, NewTimestamp, PathFlags};
use wasmtime_wasi::p2::{DynOutputStream, FsError, FsResult};

/// New times for reading and for changing.
type NewTimes = (NewTimestamp, NewTimestamp);

impl ViewHost<'_> {
    /// Records a refusal, or ends the call.
    pub(super) fn halt(&mut self, operation: &'static str, asked: &str, halt: Halt) -> FsError {
        match halt {
            Halt::Refused(refused) => self.refuse(operation, asked, refused),
            Halt::Over(exceeded) => FsError::trap(exceeded),
            Halt::Past(past) => FsError::trap(past),
        }
    }

    /// The place of an open folder, to change something in it.
    fn folder(&self, fd: &Fd) -> FsResult<Place> {
        let node = self.node(fd).map_err(FsError::trap)?;
        Ok(Base::of(node).map_err(|refused| refused.code())?.place.clone())
    }

    pub(super) fn open_staged(
        &mut self,
        operation: &'static str,
        fd: &Fd,
        path: &str,
        how: Opening,
    ) -> FsResult<Fd> {
        let from = self.folder(fd)?;
        let opened = self.view.open_staged(&from, path, how);
        let node = opened.map_err(|halt| self.halt(operation, path, halt))?;
        self.add(node).map_err(FsError::trap)
    }

    /// Changes what a path leads to.
    pub(super) fn change_at(
        &mut self,
        operation: &'static str,
        fd: &Fd,
        path: &str,
        change: fn(&mut View, &Place, &str) -> Result<(), Halt>,
    ) -> FsResult<()> {
        if self.view.layer.is_none() {
            return self.refuse_change(operation, fd, path, PathFlags::empty());
        }
        let from = self.folder(fd)?;
        change(self.view, &from, path).map_err(|halt| self.halt(operation, path, halt))
    }

    /// Answers a call that nobody may make here: resolved, so that the log tells what it would
    /// have hit, and refused.
    pub(super) fn refuse_change(
        &mut self,
        operation: &'static str,
        fd: &Fd,
        path: &str,
        how: PathFlags,
    ) -> FsResult<()> {
        self.view.trail.lose();
        let met = self.resolve(operation, fd, path, how)?;
        let judged = self.view.may_change(&met.place);
        let refused = judged.err().unwrap_or_else(|| Refused::denied(DenialReason::NoLinks, &met.place));
        Err(self.refuse(operation, path, refused))
    }

    pub(super) fn rename(
        &mut self,
        operation: &'static str,
        (fd, old): (&Fd, &str),
        (new_fd, new): (&Fd, &str),
    ) -> FsResult<()> {
        if self.view.layer.is_none() {
            return self.refuse_change(operation, fd, old, PathFlags::empty());
        }
        let source = self.resolve(operation, fd, old, PathFlags::empty())?;
        if matches!(source.there, There::Absent) {
            return Err(ErrorCode::NoEntry.into());
        }
        self.view.may_change(&source.place).map_err(|refused| self.refuse(operation, old, refused))?;
        let target = self.resolve(operation, new_fd, new, PathFlags::empty())?;
        self.view.may_change(&target.place).map_err(|refused| self.refuse(operation, new, refused))?;
        let renamed = self.view.rename(&source, &target, new.ends_with('/'));
        renamed.map_err(|halt| {
            let at_target = matches!(&halt, Halt::Refused(refused) if refused.is_about(&target.place));
            self.halt(operation, if at_target { new } else { old }, halt)
        })
    }

    pub(super) fn set_path_times(
        &mut self,
        operation: &'static str,
        (fd, path, how): (&Fd, &str, PathFlags),
        times: NewTimes,
    ) -> FsResult<()> {
        if self.view.layer.is_none() {
            return self.refuse_change(operation, fd, path, how);
        }
        let from = self.folder(fd)?;
        let met = self.view.meet(&from, path, links(how));
        let met = met.map_err(|refused| self.refuse(operation, path, refused))?;
        self.set_met_times(operation, path, &met, times)
    }

    pub(super) fn set_open_times(
        &mut self,
        operation: &'static str,
        fd: &Fd,
        times: NewTimes,
    ) -> FsResult<()> {
        let (node, place) = self.open_node(fd)?;
        match node {
            Node::File { source: Source::Staged(body), writes: true, .. } => {
                let (_, old) = body.stat();
                body.set_times(changed(old, times));
                let met = self.view.at(&place);
                let met = met.map_err(|refused| self.refuse(operation, place.shown(), refused))?;
                if matches!(met.there, There::StagedFile) && self.view.has_open(&place, &body) {
                    self.set_met_times(operation, place.shown(), &met, times)
                } else {
                    Ok(())
                }
            }
            Node::Merged(place) | Node::File { place, .. } if self.view.layer.is_some() => {
                let met = self.view.at(&place);
                let met = met.map_err(|refused| self.refuse(operation, place.shown(), refused))?;
                self.set_met_times(operation, place.shown(), &met, times)
            }
            Node::Bare(_) | Node::Folder { .. } | Node::Merged(_) | Node::File { .. } => {
                self.view.trail.lose();
                let refused = Refused::denied(DenialReason::ReadOnly, &place);
                Err(self.refuse(operation, place.shown(), refused))
            }
        }
    }

    fn set_met_times(
        &mut self,
        operation: &'static str,
        asked: &str,
        met: &Met,
        times: NewTimes,
    ) -> FsResult<()> {
        let set = match self.view.may_change(&met.place) {
            Ok(()) => self.view.change_times(met, |old| changed(old, times)),
            Err(refused) => Err(refused.into()),
        };
        set.map_err(|halt| self.halt(operation, asked, halt))
    }

    fn open_node(&self, fd: &Fd) -> FsResult<(Node, Place)> {
        let node = self.node(fd).map_err(FsError::trap)?;
        Ok((node.clone(), node.place().clone()))
    }

    /// The staged file behind a descriptor that is open for writing.
    pub(super) fn writable(&mut self, operation: &'static str, fd: &Fd) -> FsResult<(Arc<Body>, Place)> {
        match self.open_node(fd)? {
            (Node::File { source: Source::Staged(body), writes: true, .. }, place) => Ok((body, place)),
            (Node::Bare(_) | Node::Folder { .. } | Node::Merged(_) | Node::File { .. }, place) => {
                self.view.trail.lose();
                // Where it may be changed, it is only not open for that.
                let judged = self.view.may_change(&place);
                let refused = judged.err().unwrap_or(Refused::Plain(ErrorCode::BadDescriptor));
                Err(self.refuse(operation, place.shown(), refused))
            }
        }
    }

    pub(super) fn write_stream(
        &mut self,
        operation: &'static str,
        fd: &Fd,
        position: Position,
    ) -> FsResult<Resource<DynOutputStream>> {
        let (body, _) = self.writable(operation, fd)?;
        let quota = self.view.quotas.writes.clone();
        let stream: DynOutputStream = Box::new(WriteStream { body, position, quota });
        Ok(self.table.push(stream)?)
    }
}

impl View {
    /// Whether a staged file is the one at a place still.
    fn has_open(&mut self, place: &Place, body: &Arc<Body>) -> bool {
        let Some(layer) = &mut self.layer else { return false };
        layer.open(place.as_str()).is_ok_and(|open| Arc::ptr_eq(&open, body))
    }

    /// What a guest is told of a place.
    pub(super) fn describe(&self, met: &Met) -> Result<DescriptorStat, Refused> {
        let layer = self.layer.as_ref();
        let no_entry = Refused::Plain(ErrorCode::NoEntry);
        match &met.there {
            There::Bare => Ok(describe_bare()),
            There::Absent => Err(no_entry),
            There::StagedFolder => {
                let times = match layer.map(|layer| layer.shown(met.place.as_str())) {
                    Some(Shown::Folder(times)) => times,
                    Some(Shown::Through | Shown::Gone | Shown::File) | None => None,
                };
                Ok(describe_folder(times))
            }
            There::StagedFile => {
                let (size, times) = layer.and_then(|layer| layer.stat(met.place.as_str())).ok_or(no_entry)?;
                Ok(describe_body(size, times))
            }
            There::Project(pinned) => {
                Ok(self.trail.described(&pinned.place, pinned.found.as_ref().ok_or(no_entry)?))
            }
        }
    }

    /// What is in a folder with the stage over it.
    pub(super) fn listing(&self, place: &Place) -> Result<Listing, Refused> {
        let met = self.at(place)?;
        if !met.is_folder() {
            return Err(Refused::Plain(ErrorCode::NoEntry));
        }
        let Some(layer) = &self.layer else { return Err(Refused::Plain(ErrorCode::NoEntry)) };
        let mut names = layer.names(place.as_str());
        // Staged under other masks than this call's, perhaps.
        names.retain(|(name, _)| {
            let mut inner = place.clone();
            inner.push(name).is_ok() && self.tree.judge(&inner, Want::Look).is_ok()
        });
        let project = match layer.hides_project(place.as_str()) {
            true => None,
            false => self.project_folder(place)?,
        };
        let project = project.map(|handle| Listing::folder(&self.tree, place, &handle)).transpose()?;
        Ok(Listing::merged(names, project))
    }
}

/// The times after a change of them.
fn changed(old: Times, (accessed, modified): NewTimes) -> Times {
    let time = |new: NewTimestamp, old: Time| match new {
        NewTimestamp::NoChange => old,
        NewTimestamp::Now => Time::now(),
        NewTimestamp::Timestamp(time) => {
            Time(i64::try_from(time.seconds).unwrap_or(i64::MAX), time.nanoseconds)
        }
    };
    Times { accessed: time(accessed, old.accessed), modified: time(modified, old.modified) }
}
