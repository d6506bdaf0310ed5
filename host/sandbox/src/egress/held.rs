//! What a guest makes the host hold: headers, its own and those of replies, bodies that aren't sent
//! yet, and replies that aren't read yet.
//!
//! The runtime bounds each of these, but not how many there are. Owns: the bounds on all of them
//! together. Headers and bodies are looked at now and then, so a guest gets past their bounds by what it
//! can add in between.

use super::headers;
use super::limits::RequestLimits;
use crate::limit::{Exceeded, LimitKind};
use http::HeaderMap;
use wasmtime::component::ResourceTable;
use wasmtime_wasi_http::FieldMap;
use wasmtime_wasi_http::p2::types::{HostIncomingResponse, HostOutgoingRequest, HostOutgoingResponse};

/// Full sets of headers that a call may hold.
const SETS: u64 = 128;
/// A full set has so many bytes at least, whatever requests are bounded to.
const LEAST_SET: u64 = 16 << 10;
/// Bodies that a call may hold, whatever they are bounded to.
const LEAST_BODIES: u64 = 128;
/// Calls of `wasi:http` from one look to the next.
const CALLS: u32 = 16;
/// What a map takes for each place that it has, besides names and values.
const PLACE: usize = 112;

/// What a guest can write of a request's body at once.
pub(super) const CHUNK_BYTES: usize = 16 << 10;
/// So many such pieces wait to be sent.
pub(super) const CHUNKS: usize = 1;
/// What a body can hold: the runtime lets one more piece wait.
const SENT_BODY: u64 = (CHUNK_BYTES * (CHUNKS + 1)) as u64;

/// When they are looked at.
#[derive(Default)]
pub(super) struct Look {
    calls: u32,
}

impl Look {
    /// Whether it is time for one.
    pub(super) fn is_due(&mut self) -> bool {
        self.calls = (self.calls + 1) % CALLS;
        self.calls == 0
    }
}

/// What a call holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// Bytes of headers; one set that two handles lead to counts twice.
    headers: u64,
    /// Bodies of requests that can be written to, or wait to be sent.
    sent: u64,
}

impl Held {
    /// What all of a call's handles lead to.
    pub(super) fn by(table: &mut ResourceTable) -> Self {
        let mut held = Self::default();
        for entry in table.iter_mut() {
            if let Some(fields) = entry.downcast_ref::<FieldMap>() {
                held.headers += taken(fields);
            } else if let Some(request) = entry.downcast_ref::<HostOutgoingRequest>() {
                held.headers += taken(&request.headers);
                held.sent += u64::from(request.body.is_some());
            } else if let Some(reply) = entry.downcast_ref::<HostOutgoingResponse>() {
                held.headers += taken(&reply.headers);
                held.sent += u64::from(reply.body.is_some());
            } else if let Some(reply) = entry.downcast_ref::<HostIncomingResponse>() {
                held.headers += taken(&reply.headers);
            }
        }
        held
    }

    /// The bound that this is beyond, if it is. Every body counts as what it can hold at most.
    pub(super) fn exceeded(&self, limits: &RequestLimits) -> Option<Exceeded> {
        let sent = self.sent.saturating_mul(SENT_BODY);
        [
            (LimitKind::HeaderBytes, set(limits).saturating_mul(SETS), self.headers),
            (LimitKind::SentBytes, bodies(limits.sent_bytes, SENT_BODY), sent),
        ]
        .into_iter()
        .map(|(which, limit, used)| Exceeded { which, limit, used })
        .find(|held| held.used > held.limit)
    }
}

/// The bound that so many replies under way at once are beyond, if they are.
pub(super) fn too_many_replies(limits: &RequestLimits, count: u64) -> Option<Exceeded> {
    // A connection reads no further ahead than headers may be long.
    let each = set(limits);
    let (limit, used) = (bodies(limits.received_bytes, each), count.saturating_mul(each));
    (used > limit).then_some(Exceeded { which: LimitKind::ReceivedBytes, limit, used })
}

fn set(limits: &RequestLimits) -> u64 {
    limits.header_bytes.clamp(LEAST_SET, *RequestLimits::HEADER_BYTES.end())
}

fn bodies(allowed: u64, each: u64) -> u64 {
    allowed.max(LEAST_BODIES.saturating_mul(each))
}

fn taken(headers: &HeaderMap) -> u64 {
    headers::bytes(headers).saturating_add(headers.capacity().saturating_mul(PLACE) as u64)
}
