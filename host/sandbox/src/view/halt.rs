//! Why a change isn't carried out: it is refused, or a quota ends the call.

use super::quota::{PastEnd, QuotaExceeded};
use super::refused::Refused;
use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// A change that isn't carried out.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The guest is told.
    Refused(Refused),
    /// The call ends.
    Over(QuotaExceeded),
    /// The call is over already.
    Past(PastEnd),
}

impl From<Refused> for Halt {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<ErrorCode> for Halt {
    fn from(code: ErrorCode) -> Self {
        Self::Refused(Refused::Plain(code))
    }
}

impl From<Errno> for Halt {
    fn from(errno: Errno) -> Self {
        Self::Refused(errno.into())
    }
}

impl From<QuotaExceeded> for Halt {
    fn from(exceeded: QuotaExceeded) -> Self {
        Self::Over(exceeded)
    }
}

impl From<PastEnd> for Halt {
    fn from(past: PastEnd) -> Self {
        Self::Past(past)
    }
}
