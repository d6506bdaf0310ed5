//! What stands behind a guest's descriptor number.

use super::beneath::Handle;
use super::place::Place;
use super::reading::Reading;
use super::stat::{describe, describe_body};
use super::stream::read_at;
use crate::stage::Body;
use rustix::fs::fstat;
use rustix::io::Errno;
use std::sync::Arc;
use wasmtime_wasi::p2::bindings::filesystem::types::DescriptorStat;

/// An open descriptor of a guest.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// A folder that only leads to granted ones; nothing is open for it.
    Bare(Place),
    /// A folder in a grant.
    Folder {
        /// Where it was when it was opened.
        place: Place,
        /// Open for listing.
        handle: Handle,
    },
    /// A folder in a grant, in a view with a stage: whatever is at that place with the stage over
    /// it, each time it is asked.
    Merged(Place),
    /// A regular file in a grant.
    File {
        /// Where it was when it was opened.
        place: Place,
        /// Where its bytes are.
        source: Source,
        /// Its entry in the log.
        reading: Reading,
        /// Open for writing as well.
        writes: bool,
    },
}

/// Where the bytes of an open file are.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// In the project, open for reading.
    Disk(Handle),
    /// In the stage.
    Staged(Arc<Body>),
}

impl Source {
    pub(super) fn read_at(&self, length: usize, position: u64) -> Result<Vec<u8>, Errno> {
        match self {
            Self::Disk(handle) => read_at(handle, length, position),
            Self::Staged(body) => body.read_at(length, position),
        }
    }

    pub(super) fn stat(&self) -> Result<DescriptorStat, Errno> {
        match self {
            Self::Disk(handle) => Ok(describe(&fstat(handle)?)),
            Self::Staged(body) => {
                let (size, times) = body.stat();
                Ok(describe_body(size, times))
            }
        }
    }
}

impl Node {
    pub(super) fn place(&self) -> &Place {
        match self {
            Self::Bare(place)
            | Self::Merged(place)
            | Self::Folder { place, .. }
            | Self::File { place, .. } => place,
        }
    }

    /// What is open in the project for it.
    pub(super) fn handle(&self) -> Option<&Handle> {
        match self {
            Self::Bare(_) | Self::Merged(_) | Self::File { source: Source::Staged(_), .. } => None,
            Self::Folder { handle, .. } | Self::File { source: Source::Disk(handle), .. } => Some(handle),
        }
    }
}
