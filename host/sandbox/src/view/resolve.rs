//! From a guest's path to one name in one open folder, judged, with no link on the way.

use super::beneath::{Handle, link_text, look};
use super::grants::{Granted, GrantedTree, Held};
use super::node::Node;
use super::place::{Asked, Place};
use super::policy::{Ground, Want};
use super::refused::Refused;
use super::rewrite::Effort;
use crate::receipt::DenialReason;
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;
use std::sync::Arc;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// A path that meets a link is rewritten and walked again; more than once only while somebody
/// keeps swapping things on it.
const ROUNDS: u32 = 8;

/// Whether a link that a path ends in is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    Follow,
    Keep,
}

/// Where a path starts: a folder that the guest has open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Base<'n> {
    pub(super) place: &'n Place,
    /// None for a bare folder.
    pub(super) handle: Option<&'n Handle>,
}

impl<'n> Base<'n> {
    pub(super) fn of(node: &'n Node) -> Result<Self, Refused> {
        match node {
            Node::Bare(place) | Node::Merged(place) => Ok(Self { place, handle: None }),
            Node::Folder { place, handle } => Ok(Self { place, handle: Some(handle) }),
            Node::File { .. } => Err(Refused::Plain(ErrorCode::NotDirectory)),
        }
    }
}

/// Where a path leads.
#[derive(Debug)]
pub(super) enum Spot {
    /// To a bare folder.
    Bare(Place),
    /// To a name in a granted folder.
    Real(Pinned),
}

/// A name in an open folder, reached through no link.
#[derive(Debug)]
pub(super) struct Pinned {
    pub(super) place: Place,
    pub(super) parent: Handle,
    /// `.` for the folder of a grant.
    pub(super) name: String,
    /// What was there a moment ago; none if nothing was.
    pub(super) found: Option<Stat>,
}

impl Spot {
    pub(super) fn place(&self) -> &Place {
        match self {
            Self::Bare(place) => place,
            Self::Real(pinned) => &pinned.place,
        }
    }
}

impl Pinned {
    pub(super) fn kind(&self) -> Option<FileType> {
        self.found.as_ref().map(|stat| FileType::from_raw_mode(stat.st_mode))
    }

    /// What a link says. One that says an absolute path names a place on the host, which is none
    /// of the guest's business.
    pub(super) fn link_text(&self) -> Result<String, Refused> {
        let text = link_text(&self.parent, &self.name)?;
        if text.starts_with('/') {
            return Err(Refused::denied(DenialReason::LinkLeaves, &self.place));
        }
        Ok(text)
    }
}

impl GrantedTree {
    /// Resolves a guest's path. The place that comes out may be looked at; whether it may be
    /// changed is judged apart.
    pub(super) fn resolve(&self, base: Base<'_>, path: &str, links: Links) -> Result<Spot, Refused> {
        let asked = match Asked::parse(path, base.place) {
            #[cfg(test)]
            _ if !self.judged => return self.resolve_unjudged(base, path),
            asked => asked?,
        };
        let links = if asked.wants_folder { Links::Follow } else { links };
        let mut effort = Effort::default();
        let mut place = if asked.climbs {
            self.rewrite(base, asked.names(), links, &mut effort)?
        } else {
            let mut place = base.place.clone();
            asked.names().try_for_each(|name| place.push(name))?;
            place
        };
        for _ in 0..ROUNDS {
            match self.pin(base, &place, links)? {
                Some(Spot::Real(pinned)) if asked.wants_folder => match pinned.kind() {
                    Some(FileType::Directory) | None => return Ok(Spot::Real(pinned)),
                    Some(_) => return Err(Refused::Plain(ErrorCode::NotDirectory)),
                },
                Some(spot) => return Ok(spot),
                None => {
                    let root = Place::root();
                    let base = Base { place: &root, handle: None };
                    place = self.rewrite(base, place.names(), links, &mut effort)?;
                }
            }
        }
        Err(Refused::Plain(ErrorCode::Loop))
    }

    /// Judges a place and has the kernel walk to the folder that holds it. None if there is a link
    /// on the way, or at its end and to be followed.
    pub(super) fn pin(&self, base: Base<'_>, place: &Place, links: Links) -> Result<Option<Spot>, Refused> {
        let granted = match self.judge(place, Want::Look)? {
            Ground::Bare => return Ok(Some(Spot::Bare(place.clone()))),
            Ground::Granted(granted) => granted,
        };
        let (start, way) = self.start(base, granted, place);
        let (folders, name) = match way.rsplit_once('/') {
            Some((folders, name)) => (folders, name),
            None if way.is_empty() => ("", "."),
            None => ("", way),
        };
        let parent = if folders.is_empty() {
            start.clone()
        } else {
            match self.walk().folder(start, folders) {
                Ok(folder) => Arc::new(folder),
                Err(Errno::LOOP | Errno::NOTDIR) => return Ok(None),
                Err(errno) => return Err(errno.into()),
            }
        };
        let found = look(&parent, name)?;
        if let (Held::File { .. }, Some(found)) = (&granted.held, &found) {
            still_a_file(place, found)?;
        }
        let pinned = Pinned { place: place.clone(), parent, name: name.to_owned(), found };
        if links == Links::Follow && pinned.kind() == Some(FileType::Symlink) {
            return Ok(None);
        }
        Ok(Some(Spot::Real(pinned)))
    }

    /// The nearest open folder above a place in a grant, and the way down from it.
    pub(super) fn start<'a>(
        &self,
        base: Base<'a>,
        granted: &'a Granted,
        place: &'a Place,
    ) -> (&'a Handle, &'a str) {
        if let Some(handle) = base.handle
            && base.place.depth() >= granted.place.depth()
            && let Some(way) = place.below(base.place)
        {
            return (handle, way);
        }
        match &granted.held {
            Held::Folder(handle) => (handle, place.below(&granted.place).unwrap_or_default()),
            // The only place in this grant.
            Held::File { parent, name } => (parent, name),
        }
    }
}

/// Refuses whatever else was put at a granted file's name.
fn still_a_file(place: &Place, found: &Stat) -> Result<(), Refused> {
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => Ok(()),
        FileType::Symlink => Err(Refused::denied(DenialReason::LinkLeaves, place)),
        FileType::Directory => Err(Refused::Plain(ErrorCode::NoEntry)),
        FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => Err(Refused::denied(DenialReason::SpecialFile, place)),
    }
}
