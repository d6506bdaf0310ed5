//! Headers that a guest makes the host hold: its own, and those of replies.
//!
//! The runtime bounds each set of headers, but not how many there are. Owns: the bound on all of
//! them together. It is looked at now and then, so a guest gets past it by what it can add
//! in between.

use super::limits::RequestLimits;
use http::HeaderMap;
use wasmtime::component::ResourceTable;
use wasmtime_wasi_http::FieldMap;
use wasmtime_wasi_http::p2::types::{HostIncomingResponse, HostOutgoingRequest, HostOutgoingResponse};

/// Full sets of headers that a call may hold.
const SETS: u64 = 128;
/// A full set has so many bytes at least, whatever requests are bounded to.
const LEAST_SET: u64 = 16 << 10;
/// Calls of `wasi:http` from one look to the next.
const CALLS: u32 = 16;
/// What a map takes for each place that it has, besides names and values.
const PLACE: usize = 112;

/// When headers are looked at.
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

/// How many bytes of headers a call may hold.
pub(super) fn most(limits: &RequestLimits) -> u64 {
    limits.header_bytes.clamp(LEAST_SET, *RequestLimits::HEADER_BYTES.end()).saturating_mul(SETS)
}

/// How many it holds; one set that two handles lead to counts twice.
pub(super) fn bytes(table: &mut ResourceTable) -> u64 {
    let headers = table.iter_mut().filter_map(|entry| {
        if let Some(fields) = entry.downcast_ref::<FieldMap>() {
            Some(taken(fields))
        } else if let Some(request) = entry.downcast_ref::<HostOutgoingRequest>() {
            Some(taken(&request.headers))
        } else if let Some(reply) = entry.downcast_ref::<HostIncomingResponse>() {
            Some(taken(&reply.headers))
        } else {
            entry.downcast_ref::<HostOutgoingResponse>().map(|reply| taken(&reply.headers))
        }
    });
    headers.sum()
}

fn taken(headers: &HeaderMap) -> u64 {
    super::headers::bytes(headers).saturating_add(headers.capacity().saturating_mul(PLACE) as u64)
}
