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
}

impl Refused {
    pub(super) fn denied(reason: DenialReason, place: &Place) -> Self {
        Self::Denied { reason, place: place.clone() }
    }

    /// What the guest is told. Places that aren't there for it (not granted, masked) look like
    /// missing ones.
    pub(super) fn code(&self) -> ErrorCode {
        match self {
            Self::Plain(code) => *code,
            Self::Denied { reason, .. } => match reason {
                DenialReason::NotGranted | DenialReason::Masked => ErrorCode::NoEntry,
                DenialReason::ReadOnly => ErrorCode::ReadOnly,
                DenialReason::LeavesRoot
                | DenialReason::LinkLeaves
                | DenialReason::SpecialFile
                | DenialReason::Network => ErrorCode::NotPermitted,
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
