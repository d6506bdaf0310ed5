//! What a guest would get if it asked for a path, and what decides it: for a person, before any
//! call.
//!
//! The judgement is the view's own: a path is resolved and opened here as a guest's is. Besides,
//! this says things that no guest learns: which grant or pattern decides, and where a link leads.

use super::beneath::link_text;
use super::grants::GrantedTree;
use super::hint::{folder_for, mask_for};
use super::log::Log;
use super::open::{Manner, Open};
use super::place::{Place, names_of};
use super::policy::Want;
use super::refused::Refused;
use super::resolve::{Base, Links, Spot};
use crate::grant::GrantPath;
use crate::mask::MaskPattern;
use crate::receipt::{Denial, DenialReason};
use serde::Serialize;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// What becomes of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// As it was asked for.
    pub asked: String,
    /// Where it leads, links followed as far as may be: no leading slash, `.` for the root.
    pub resolved: String,
    /// The deepest grant that holds that place.
    pub grant: Option<GrantPath>,
    /// Whether a link was followed, or stopped the way.
    pub through_link: bool,
    /// Yes or no, and why.
    pub ruling: Ruling,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "ruling", rename_all = "snake_case")]
pub enum Ruling {
    /// The guest gets it.
    Allowed {
        /// What is there.
        thing: Thing,
    },
    /// The fence says no.
    Refused {
        /// Why, as a receipt would have it, with the flag that would allow it.
        denial: Box<Denial>,
        /// The folder or file that would have to be granted besides.
        missing_dir: Option<GrantPath>,
        /// The pattern that would show it.
        missing_mask: Option<MaskPattern>,
        /// Where a link that leaves its grant points to.
        link_target: Option<String>,
    },
    /// The fence has nothing against it, and the file system says no.
    Unavailable {
        /// Why, in words.
        why: String,
    },
}

/// What is at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Thing {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A folder that shows only the way to what is granted.
    WayOnly,
    /// Nothing yet: a write would make it.
    Nothing,
}

impl GrantedTree {
    /// What a guest would get of a path, for reading or for changing it. Opens what is there, as
    /// a call would, and reads nothing of it.
    pub fn explain(&self, path: &str, write: bool) -> Explanation {
        let root = Place::root();
        let base = Base { place: &root, handle: None };
        let manner = Manner { links: Links::Follow, want: Want::Look, folder: false };
        let opened = match self.open_path(base, path, manner) {
            // A file is made in a folder that may be changed: the place alone is judged.
            Err(Refused::Plain(ErrorCode::NoEntry)) if write => self.nothing_at(base, path),
            Ok(Open::Bare(place)) => Ok((place, Thing::WayOnly)),
            Ok(Open::Folder(place, _)) => Ok((place, Thing::Folder)),
            Ok(Open::File(place, _, _)) => Ok((place, Thing::File)),
            Err(refused) => Err(refused),
        };
        let opened = opened.and_then(|(place, thing)| match write {
            true => self.judge(&place, Want::Change).map(|_| (place.clone(), thing)),
            false => Ok((place, thing)),
        });
        let (place, ruling) = match opened {
            Ok((place, thing)) => (place, Ruling::Allowed { thing }),
            Err(refused) => self.refusal(base, path, write, &refused),
        };
        Explanation {
            asked: path.to_owned(),
            through_link: place.as_str() != spelled(path).as_str(),
            grant: self.holder(&place).and_then(|granted| GrantPath::parse(granted.place.shown()).ok()),
            resolved: place.shown().to_owned(),
            ruling,
        }
    }

    /// A place where there is nothing, if something may be put there.
    fn nothing_at(&self, base: Base<'_>, path: &str) -> Result<(Place, Thing), Refused> {
        let spot = self.resolve(base, path, Links::Follow)?;
        self.judge(spot.place(), Want::Change)?;
        Ok((spot.place().clone(), Thing::Nothing))
    }

    fn refusal(&self, base: Base<'_>, path: &str, write: bool, refused: &Refused) -> (Place, Ruling) {
        let mut log = Log::default();
        log.refused(if write { "write" } else { "open" }, path, refused);
        let denial = log.finish().denials.pop();
        let Some((denial, (reason, place))) = denial.zip(refused.recorded()) else {
            let place = self.resolve(base, path, Links::Follow).map(|spot| spot.place().clone());
            let why = plain_words(refused.code());
            return (place.unwrap_or_else(|_| spelled(path)), Ruling::Unavailable { why });
        };
        let (missing_dir, missing_mask) = match refused {
            Refused::Masked { hidden, granted, .. } => {
                (if *granted { None } else { folder_for(place) }, mask_for(hidden))
            }
            Refused::Denied { reason: DenialReason::NotGranted, .. } => (folder_for(place), None),
            Refused::Denied { .. } | Refused::Plain(_) => (None, None),
        };
        // What no flag would allow, no line of a configuration does.
        let allowed = denial.would_allow.is_some();
        let link_target = match reason {
            DenialReason::LinkLeaves => self.target_of(base, place),
            DenialReason::NotGranted
            | DenialReason::LeavesRoot
            | DenialReason::SpecialFile
            | DenialReason::Masked
            | DenialReason::ReadOnly
            | DenialReason::NotRead
            | DenialReason::ChangedSinceRead
            | DenialReason::OtherSpelling
            | DenialReason::CrossesGrants
            | DenialReason::GrantItself
            | DenialReason::HoldsHidden
            | DenialReason::NoLinks
            | DenialReason::Network
            | DenialReason::UrlPath
            | DenialReason::Method
            | DenialReason::Address
            | DenialReason::Malformed => None,
        };
        let ruling = Ruling::Refused {
            missing_dir: missing_dir
                .filter(|_| allowed)
                .and_then(|place| GrantPath::parse(place.shown()).ok()),
            missing_mask: missing_mask.filter(|_| allowed),
            denial: Box::new(denial),
            link_target,
        };
        (place.clone(), ruling)
    }

    /// What a link says.
    fn target_of(&self, base: Base<'_>, link: &Place) -> Option<String> {
        match self.resolve(base, link.as_str(), Links::Keep).ok()? {
            Spot::Real(pinned) => link_text(&pinned.parent, &pinned.name).ok(),
            Spot::Bare(_) => None,
        }
    }
}

/// A path with `.` and `..` taken out by its letters alone: where it leads if there are no links.
fn spelled(path: &str) -> Place {
    let mut place = Place::root();
    for name in names_of(path) {
        if name == ".." {
            place.pop();
        } else if place.push(name).is_err() {
            break;
        }
    }
    place
}

/// A file system's answer, in words.
fn plain_words(code: ErrorCode) -> String {
    match code {
        ErrorCode::NoEntry => "there is nothing of that name".to_owned(),
        ErrorCode::NotDirectory => "something in its way, or at its end, is not a folder".to_owned(),
        ErrorCode::NameTooLong => "it is too long, or has too many names".to_owned(),
        ErrorCode::Loop => "its links lead in a circle".to_owned(),
        ErrorCode::Access => "the system doesn't let this user open it".to_owned(),
        other => other.message().to_owned(),
    }
}
