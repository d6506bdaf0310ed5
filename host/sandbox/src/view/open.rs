//! Opens what a path leads to: a regular file or a folder, for reading, never waiting.

use super::beneath::Handle;
use super::grants::GrantedTree;
use super::place::Place;
use super::policy::Want;
use super::refused::Refused;
use super::resolve::{Base, Links, Pinned, Spot};
use crate::receipt::DenialReason;
use rustix::fs::{FileType, OFlags, fstat};
use rustix::io::Errno;
use std::sync::Arc;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// A name that turns out to be a link when it is opened is resolved again so often.
const ROUNDS: u32 = 8;

/// What was opened.
#[derive(Debug)]
pub(super) enum Open {
    /// A bare folder: nothing is open for it.
    Bare(Place),
    Folder(Place, Handle),
    /// A file, and how many bytes it has.
    File(Place, Handle, u64),
}

/// How a guest wants something opened.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) links: Links,
    /// To write, create or truncate it, or only to read.
    pub(super) want: Want,
    /// Only a folder will do.
    pub(super) folder: bool,
}

impl GrantedTree {
    /// Resolves a path and opens what is there. Nothing is opened that a look beforehand doesn't
    /// find to be a file or folder, and a second look makes sure of what was opened.
    pub(super) fn open_path(&self, base: Base<'_>, path: &str, manner: Manner) -> Result<Open, Refused> {
        for _ in 0..ROUNDS {
            let spot = self.resolve(base, path, manner.links)?;
            if manner.want == Want::Change {
                self.judge(spot.place(), Want::Change)?;
                // Changes go to a stage, and this view has none.
                return Err(Refused::denied(DenialReason::ReadOnly, spot.place()));
            }
            let pinned = match spot {
                Spot::Bare(place) => return Ok(Open::Bare(place)),
                Spot::Real(pinned) => pinned,
            };
            match self.open_pinned(&pinned, manner) {
                Err(Refused::Plain(ErrorCode::Loop)) if pinned.kind() != Some(FileType::Symlink) => {}
                outcome => return outcome,
            }
        }
        Err(Refused::Plain(ErrorCode::Loop))
    }

    pub(super) fn open_pinned(&self, pinned: &Pinned, manner: Manner) -> Result<Open, Refused> {
        let Some(kind) = pinned.kind() else { return Err(Refused::Plain(ErrorCode::NoEntry)) };
        let special = || Refused::denied(DenialReason::SpecialFile, &pinned.place);
        let folder = match kind {
            FileType::Directory => true,
            FileType::RegularFile => false,
            FileType::Symlink => return Err(Refused::Plain(ErrorCode::Loop)),
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => return Err(special()),
        };
        if manner.folder && !folder {
            return Err(Refused::Plain(ErrorCode::NotDirectory));
        }
        let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        flags.set(OFlags::DIRECTORY, folder);
        let handle = match self.walk().open(&pinned.parent, &pinned.name, flags) {
            Ok(handle) => handle,
            // What was a folder is a link now; the next look tells.
            Err(Errno::NOTDIR) if folder => return Err(Refused::Plain(ErrorCode::Loop)),
            Err(errno) => return Err(errno.into()),
        };
        let stat = fstat(&handle)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Ok(Open::Folder(pinned.place.clone(), Arc::new(handle))),
            FileType::RegularFile if manner.folder => Err(Refused::Plain(ErrorCode::NotDirectory)),
            FileType::RegularFile => {
                let length = u64::try_from(stat.st_size).unwrap_or(0);
                Ok(Open::File(pinned.place.clone(), Arc::new(handle), length))
            }
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Symlink
            | FileType::Unknown => Err(special()),
        }
    }
}
