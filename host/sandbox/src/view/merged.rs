//! Where a path leads in the project with the stage over it. As `resolve` does for the project
//! alone: no link and no `..` is left, the place is judged, and what the project has there is
//! reached by the kernel with links forbidden.

use super::grants::{GrantedTree, Held};
use super::place::{Asked, Place, names_of};
use super::policy::{Ground, Want};
use super::refused::Refused;
use super::resolve::{Base, Links, Pinned, Spot};
use super::rewrite::Effort;
use super::stat::{identity, identity_of_place};
use crate::receipt::DenialReason;
use crate::stage::{Layer, Shown};
use rustix::fs::FileType;
use wasmtime_wasi::p2::bindings::filesystem::types::{ErrorCode, MetadataHashValue};

/// What is at a place.
#[derive(Debug)]
pub(super) enum There {
    /// A bare folder.
    Bare,
    /// Nothing.
    Absent,
    /// A folder that the run has made, or set the times of.
    StagedFolder,
    /// A file that the run has made or changed.
    StagedFile,
    /// What the project has; never nothing.
    Project(Box<Pinned>),
}

/// Where a path leads.
#[derive(Debug)]
pub(super) struct Met {
    pub(super) place: Place,
    pub(super) there: There,
}

impl Met {
    /// What tells it from other files; none if there is nothing.
    pub(super) fn identity(&self) -> Option<MetadataHashValue> {
        match &self.there {
            There::Absent => None,
            There::Bare | There::StagedFolder | There::StagedFile => Some(identity_of_place(&self.place)),
            There::Project(pinned) => pinned.found.as_ref().map(identity),
        }
    }

    /// Whether it is a folder of any kind.
    pub(super) fn is_folder(&self) -> bool {
        match &self.there {
            There::Bare | There::StagedFolder => true,
            There::Absent | There::StagedFile => false,
            There::Project(pinned) => pinned.kind() == Some(FileType::Directory),
        }
    }
}

impl From<Spot> for Met {
    fn from(spot: Spot) -> Self {
        match spot {
            Spot::Bare(place) => Self { place, there: There::Bare },
            Spot::Real(pinned) => {
                let place = pinned.place.clone();
                let there =
                    if pinned.found.is_some() { There::Project(Box::new(pinned)) } else { There::Absent };
                Self { place, there }
            }
        }
    }
}

/// The project with a stage over it.
#[derive(Clone, Copy)]
pub(super) struct Merged<'v> {
    pub(super) tree: &'v GrantedTree,
    pub(super) layer: &'v Layer,
}

impl Merged<'_> {
    /// Finds where a path leads from a folder. The place that comes out may be looked at; whether
    /// it may be changed is judged apart.
    pub(super) fn resolve(self, from: &Place, path: &str, links: Links) -> Result<Met, Refused> {
        let asked = Asked::parse(path, from)?;
        let links = if asked.wants_folder { Links::Follow } else { links };
        let met = self.walk(from, asked, links)?;
        match met.there {
            There::Bare | There::Absent => Ok(met),
            There::StagedFolder | There::StagedFile | There::Project(_) => {
                if asked.wants_folder && !met.is_folder() {
                    return Err(Refused::Plain(ErrorCode::NotDirectory));
                }
                Ok(met)
            }
        }
    }

    fn walk(self, from: &Place, asked: Asked<'_>, links: Links) -> Result<Met, Refused> {
        let mut effort = Effort::default();
        let mut at = from.clone();
        // The link that was met last.
        let mut link = Place::root();
        // The next name is the last of these; each with whether a link said it.
        let mut todo: Vec<(String, bool)> =
            asked.names().rev().map(|name| (name.to_owned(), false)).collect();
        while let Some((name, by_link)) = todo.pop() {
            effort.step(1)?;
            if name == ".." {
                let leaves_grant = self.tree.holder(&at).is_some_and(|granted| granted.place == at);
                if by_link && (leaves_grant || at.is_root()) {
                    return Err(Refused::denied(DenialReason::LinkLeaves, &link));
                }
                if !at.pop() {
                    return Err(Refused::denied(DenialReason::LeavesRoot, &at));
                }
                continue;
            }
            let known = at.depth();
            at.push(&name)?;
            let is_last = todo.is_empty();
            match self.tree.judge_below(known, &at, Want::Look)? {
                Ground::Bare => continue,
                Ground::Granted(granted) if granted.place == at => {
                    if matches!(granted.held, Held::File { .. }) && !is_last {
                        return Err(Refused::Plain(ErrorCode::NotDirectory));
                    }
                    continue;
                }
                Ground::Granted(_) => {}
            }
            let met = self.at(at)?;
            let text = match &met.there {
                There::Project(pinned) if pinned.kind() == Some(FileType::Symlink) => {
                    if is_last && links == Links::Keep {
                        return Ok(met);
                    }
                    effort.link()?;
                    pinned.link_text()?
                }
                There::Absent if !is_last => return Err(Refused::Plain(ErrorCode::NoEntry)),
                _ if !is_last && !met.is_folder() => return Err(Refused::Plain(ErrorCode::NotDirectory)),
                _ if is_last => return Ok(met),
                _ => {
                    at = met.place;
                    continue;
                }
            };
            at = met.place;
            link = at.clone();
            at.pop();
            todo.extend(names_of(&text).rev().map(|name| (name.to_owned(), true)));
        }
        self.at(at)
    }

    /// What is at a place, which must be one without links.
    pub(super) fn at(self, place: Place) -> Result<Met, Refused> {
        if matches!(self.tree.judge(&place, Want::Look)?, Ground::Bare) {
            return Ok(Met { place, there: There::Bare });
        }
        let there = match self.layer.shown(place.as_str()) {
            Shown::Gone => There::Absent,
            Shown::Folder(_) => There::StagedFolder,
            Shown::File => There::StagedFile,
            Shown::Through => self.in_project(&place)?,
        };
        Ok(Met { place, there })
    }

    /// What the project has at a place, whatever is staged there.
    pub(super) fn in_project(self, place: &Place) -> Result<There, Refused> {
        let root = Place::root();
        match self.tree.pin(Base { place: &root, handle: None }, place, Links::Keep) {
            Ok(Some(Spot::Real(pinned))) if pinned.found.is_some() => Ok(There::Project(Box::new(pinned))),
            Ok(Some(Spot::Real(_))) | Err(Refused::Plain(ErrorCode::NoEntry)) => Ok(There::Absent),
            Ok(Some(Spot::Bare(_))) => Ok(There::Bare),
            // Somebody put a link or a file where there was a folder a moment ago.
            Ok(None) => Err(Refused::Plain(ErrorCode::Loop)),
            Err(refused) => Err(refused),
        }
    }
}
