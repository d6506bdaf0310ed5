//! How much one call may ask of the network.

use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Bounds of a call's requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequestLimits {
    /// Requests; those that are refused before anything is looked up aren't counted.
    pub count: u64,
    /// The headers of one request, and those of one reply, in bytes.
    pub header_bytes: u64,
    /// The bodies of all requests together, in bytes.
    pub sent_bytes: u64,
    /// The bodies of all replies together, in bytes, as they come over the network.
    pub received_bytes: u64,
    /// One request from its beginning to the last byte of its reply, in milliseconds.
    pub time_ms: u64,
    /// Looking up a name and connecting, in milliseconds; the guest is told when it takes longer.
    pub connect_ms: u64,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            count: 32,
            header_bytes: 64 << 10,
            sent_bytes: 1 << 20,
            received_bytes: 16 << 20,
            time_ms: 30_000,
            connect_ms: 10_000,
        }
    }
}

impl RequestLimits {
    /// The values of [`Self::count`] that can be kept.
    pub const COUNT: RangeInclusive<u64> = 1..=u64::MAX;
    /// Of [`Self::header_bytes`]: a guest's own headers lie in the host's memory.
    pub const HEADER_BYTES: RangeInclusive<u64> = 1..=128 << 10;
    /// Of [`Self::sent_bytes`]: without any, requests have no body.
    pub const SENT_BYTES: RangeInclusive<u64> = 0..=u64::MAX;
    /// Of [`Self::received_bytes`].
    pub const RECEIVED_BYTES: RangeInclusive<u64> = 0..=u64::MAX;
    /// Of [`Self::time_ms`] and [`Self::connect_ms`]: a year at most.
    pub const TIME_MS: RangeInclusive<u64> = 1..=365 * 24 * 3_600_000;

    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
