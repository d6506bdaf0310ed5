//! What a guest makes the host hold: headers, its own and those of replies, and bodies that aren't
//! sent or read yet.
//!
//! The runtime bounds each of these, but not how many there are. Owns: the bounds on all of them
//! together. They are looked at now and then, so a guest gets past them by what it can add in between.

use super::headers;
use super::limits::RequestLimits;
use crate::limit::{Exceeded, LimitKind};
use http::HeaderMap;
use wasmtime::component::ResourceTable;
use wasmtime_wasi_http::FieldMap;
use wasmtime_wasi_http::p2::body::{HostFutureTrailers, HostIncomingBody};
use wasmtime_wasi_http::p2::types::{
    HostFutureIncomingResponse, HostIncomingResponse, HostOutgoingRequest, HostOutgoingResponse,
};

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
    /// Replies that aren't read to their end.
    received: u64,
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
                held.received += u64::from(reply.body.is_some());
            } else if let Some(reply) = entry.downcast_ref::<HostFutureIncomingResponse>() {
                held.received += match reply {
                    HostFutureIncomingResponse::Pending(_) | HostFutureIncomingResponse::Ready(_) => 1,
                    HostFutureIncomingResponse::Consumed => 0,
                };
            } else if let Some(trailers) = entry.downcast_ref::<HostFutureTrailers>() {
                held.received += match trailers {
                    HostFutureTrailers::Waiting(_) => 1,
                    HostFutureTrailers::Done(_) | HostFutureTrailers::Consumed => 0,
                };
            } else if entry.is::<HostIncomingBody>() {
                held.received += 1;
            }
        }
        held
    }

    /// The bound that this is beyond, if it is. Every body counts as what it can hold at most.
    pub(super) fn exceeded(&self, limits: &RequestLimits) -> Option<Exceeded> {
        let set = limits.header_bytes.clamp(LEAST_SET, *RequestLimits::HEADER_BYTES.end());
        // A connection reads no further ahead than headers may be long.
        let bodies = |allowed: u64, count: u64, each: u64| {
            (allowed.max(LEAST_BODIES.saturating_mul(each)), count.saturating_mul(each))
        };
        let (sent, received) = (
            bodies(limits.sent_bytes, self.sent, SENT_BODY),
            bodies(limits.received_bytes, self.received, set),
        );
        [
            (LimitKind::HeaderBytes, (set.saturating_mul(SETS), self.headers)),
            (LimitKind::SentBytes, sent),
            (LimitKind::ReceivedBytes, received),
        ]
        .into_iter()
        .map(|(which, (limit, used))| Exceeded { which, limit, used })
        .find(|held| held.used > held.limit)
    }
}

fn taken(headers: &HeaderMap) -> u64 {
    headers::bytes(headers).saturating_add(headers.capacity().saturating_mul(PLACE) as u64)
}
