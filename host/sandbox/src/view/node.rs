//! What stands behind a guest's descriptor number.

use super::beneath::Handle;
use super::place::Place;
use super::reading::Reading;

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
    /// A regular file in a grant.
    File {
        /// Where it was when it was opened.
        place: Place,
        /// Open for reading.
        handle: Handle,
        /// Its entry in the log.
        reading: Reading,
    },
}

impl Node {
    pub(super) fn place(&self) -> &Place {
        match self {
            Self::Bare(place) | Self::Folder { place, .. } | Self::File { place, .. } => place,
        }
    }

    pub(super) fn handle(&self) -> Option<&Handle> {
        match self {
            Self::Bare(_) => None,
            Self::Folder { handle, .. } | Self::File { handle, .. } => Some(handle),
        }
    }
}
