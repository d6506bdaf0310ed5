//! Why a call on the view fails: because any file system would say so, or because the fence does.

use super::place::Place;
use crate::receipt::DenialReason;
use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// A call that isn't carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refused {
    /// What any file system would say; not recorded.
    Plain(ErrorCode),
    /// The fence says no; recorded.
    Denied {
        /// Why.
        reason: DenialReason,
        /// Where the path led, as far as it was resolved.
        place: Place,
    },
    /// A pattern hides it; recorded.
    Masked {
        /// The pattern.
        mask: String,
        /// What it hides: the place, or a folder above it.
        hidden: Place,
        /// Where the path led.
        place: Place,
        /// Whether a grant holds the place.
        granted: bool,
    },
}

impl Refused {
    pub(super) fn denied(reason: DenialReason, place: &Place) -> Self {
        Self::Denied { reason, place: place.clone() }
    }

    /// The reason and the place of what is recorded; none for what any file system would say.
    pub(super) fn recorded(&self) -> Option<(DenialReason, &Place)> {
        match self {
            Self::Plain(_) => None,
            Self::Denied { reason, place } => Some((*reason, place)),
            Self::Masked { place, .. } => Some((DenialReason::Masked, place)),
        }
    }

    /// Whether it is recorded for a place, or for one in it.
    pub(super) fn is_about(&self, place: &Place) -> bool {
        self.recorded().is_some_and(|(_, refused)| refused.below(place).is_some())
    }

    /// What the guest is told. Places that aren't there for it (not granted, masked) look like
    /// missing ones.
    pub(super) fn code(&self) -> ErrorCode {
        match self {
            Self::Plain(code) => *code,
            Self::Masked { .. } => ErrorCode::NoEntry,
            Self::Denied { reason, .. } => match reason {
                DenialReason::NotGranted | DenialReason::Masked => ErrorCode::NoEntry,
                DenialReason::ReadOnly => ErrorCode::ReadOnly,
                DenialReason::NotRead
                | DenialReason::ChangedSinceRead
                | DenialReason::OtherSpelling
                | DenialReason::CrossesGrants
                | DenialReason::GrantItself
                | DenialReason::HoldsHidden
                | DenialReason::NoLinks
                | DenialReason::LeavesRoot
                | DenialReason::LinkLeaves
                | DenialReason::SpecialFile
                | DenialReason::Network
                | DenialReason::UrlPath
                | DenialReason::Method
                | DenialReason::Address
                | DenialReason::Malformed => ErrorCode::NotPermitted,
            },
        }
    }
}

impl From<Errno> for Refused {
    fn from(errno: Errno) -> Self {
        Self::Plain(code_of(errno))
    }
}

/// The guest's word for an error of the kernel.
pub(super) fn code_of(errno: Errno) -> ErrorCode {
    match errno {
        Errno::XDEV => ErrorCode::CrossDevice,
        Errno::NXIO | Errno::NODEV => ErrorCode::NoSuchDevice,
        errno => ErrorCode::from(std::io::Error::from(errno)),
    }
}
