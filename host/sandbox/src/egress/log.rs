//! What one call did on the network, and how much more it may do.
//!
//! Shared between the store and the tasks that carry requests out. Owns: the denials, the requests
//! made, the meters, and ending the call when one of them has run out.

use super::held::too_many_replies;
use super::judge::Permit;
use super::limits::RequestLimits;
use super::scrub::Scrub;
use crate::limit::{Exceeded, LimitKind};
use crate::receipt::{Denial, Requested};
use crate::trap::bounded;
use crate::view::QuotaExceeded;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::SetOnce;

/// Denials kept, and requests; more are counted.
const KEPT: usize = 64;
const REQUESTS_KEPT: usize = 1000;
/// Bytes kept of what a guest asked for.
const ASKED_BYTES: usize = 512;
const URL_BYTES: usize = 1024;

/// One call's network, as it is remembered.
pub(crate) struct NetworkLog {
    log: Mutex<Log>,
    limits: RequestLimits,
    scrubs: Scrubs,
    exceeded: SetOnce<QuotaExceeded>,
}

/// What is taken out of what.
pub(crate) struct Scrubs {
    /// Of what is told of the call, which the guest doesn't see.
    pub(crate) record: Arc<Scrub>,
    /// Of replies, which it does.
    pub(crate) replies: Arc<Scrub>,
}

#[derive(Default)]
struct Log {
    denials: Vec<Denial>,
    requests: Vec<Kept>,
    omitted: u64,
    begun: u64,
    /// Of these, what isn't over.
    under_way: u64,
    sent: u64,
    received: u64,
}

struct Kept {
    requested: Requested,
    since: Instant,
    is_over: bool,
}

/// The log as it goes into a receipt.
#[derive(Default)]
pub(crate) struct NetworkRecord {
    pub(crate) denials: Vec<Denial>,
    pub(crate) requests: Vec<Requested>,
    /// Denials and requests that didn't fit into these lists.
    pub(crate) omitted: u64,
}

impl NetworkLog {
    pub(crate) fn new(limits: RequestLimits, scrubs: Scrubs) -> Arc<Self> {
        Arc::new(Self { log: Mutex::default(), limits, scrubs, exceeded: SetOnce::new() })
    }

    pub(super) fn limits(&self) -> &RequestLimits {
        &self.limits
    }

    pub(crate) fn scrubs(&self) -> &Scrubs {
        &self.scrubs
    }

    /// Records a refusal; what was asked is bounded and loses its secrets here.
    pub(crate) fn refuse(&self, denial: Denial) {
        let mut log = self.log();
        if log.denials.len() >= KEPT {
            log.omitted += 1;
            return;
        }
        let asked = bounded(&self.scrubs.record.text(&denial.asked), ASKED_BYTES);
        log.denials.push(Denial { asked, ..denial });
    }

    /// A request is about to be made.
    pub(super) fn begin(self: &Arc<Self>, permit: &Permit) -> Result<InFlight, QuotaExceeded> {
        let mut log = self.log();
        if log.begun >= self.limits.count {
            drop(log);
            return Err(self.exceed(Exceeded::by_one_more(LimitKind::Requests, self.limits.count)));
        }
        if let Some(exceeded) = too_many_replies(&self.limits, log.under_way.saturating_add(1)) {
            drop(log);
            return Err(self.exceed(exceeded));
        }
        log.begun += 1;
        log.under_way += 1;
        let since = Instant::now();
        let at = (log.requests.len() < REQUESTS_KEPT).then_some(log.requests.len());
        if at.is_some() {
            let requested = Requested {
                method: bounded(&permit.asked.method, ASKED_BYTES),
                url: bounded(&self.scrubs.record.text(&permit.asked.url), URL_BYTES),
                secrets: permit.secrets.iter().map(|secret| secret.name.clone()).collect(),
                address: None,
                status: None,
                bytes_out: 0,
                bytes_in: 0,
                ms: 0,
            };
            log.requests.push(Kept { requested, since, is_over: false });
        } else {
            log.omitted += 1;
        }
        drop(log);
        Ok(InFlight { log: self.clone(), at, since })
    }

    /// A limit was met: the call ends, whatever the guest makes of the error that it sees.
    pub(super) fn exceed(&self, exceeded: Exceeded) -> QuotaExceeded {
        let exceeded = QuotaExceeded(exceeded);
        // The first one stays.
        let _ = self.exceeded.set(exceeded);
        exceeded
    }

    /// The limit that was met, if one was.
    pub(crate) fn exceeded(&self) -> Option<QuotaExceeded> {
        self.exceeded.get().copied()
    }

    /// Ends when a limit is met.
    pub(crate) async fn halted(&self) -> QuotaExceeded {
        *self.exceeded.wait().await
    }

    /// All of it; what is still under way is taken as it stands.
    pub(crate) fn take(&self) -> NetworkRecord {
        let mut log = self.log();
        let log = std::mem::take(&mut *log);
        let requests = log.requests.into_iter().map(|mut kept| {
            kept.end();
            kept.requested
        });
        NetworkRecord { denials: log.denials, requests: requests.collect(), omitted: log.omitted }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn end(&mut self) {
        if !self.is_over {
            self.is_over = true;
            self.requested.ms = millis_since(self.since);
        }
    }
}

fn millis_since(instant: Instant) -> u64 {
    u64::try_from(instant.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// One request under way; it is over when this is dropped.
pub(super) struct InFlight {
    log: Arc<NetworkLog>,
    at: Option<usize>,
    since: Instant,
}

/// What counts a request's own body, as it is sent; doesn't say when the request is over.
#[derive(Clone)]
pub(super) struct SentMeter {
    log: Arc<NetworkLog>,
    at: Option<usize>,
}

impl InFlight {
    pub(super) fn log(&self) -> &Arc<NetworkLog> {
        &self.log
    }

    /// For its body.
    pub(super) fn meter(&self) -> SentMeter {
        SentMeter { log: self.log.clone(), at: self.at }
    }

    /// It was connected.
    pub(super) fn connected(&self, address: SocketAddr) {
        self.log.change(self.at, |kept| kept.requested.address = Some(address));
    }

    /// It was answered.
    pub(super) fn answered(&self, status: u16) {
        self.log.change(self.at, |kept| kept.requested.status = Some(status));
    }

    /// Its time is over.
    pub(super) fn is_late(&self) {
        let limit = self.log.limits.time_ms;
        let used = millis_since(self.since).max(limit);
        let _ = self.log.exceed(Exceeded { which: LimitKind::RequestTime, limit, used });
    }

    /// So many bytes of the reply's body came.
    pub(super) fn received(&self, bytes: usize) -> Result<(), QuotaExceeded> {
        let bytes = bytes as u64;
        self.log.change(self.at, |kept| kept.requested.bytes_in += bytes);
        let received = {
            let mut log = self.log.log();
            log.received = log.received.saturating_add(bytes);
            log.received
        };
        let limit = self.log.limits.received_bytes;
        if received > limit {
            return Err(self.log.exceed(Exceeded { which: LimitKind::ReceivedBytes, limit, used: received }));
        }
        Ok(())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.log.change(self.at, Kept::end);
        let mut log = self.log.log();
        log.under_way = log.under_way.saturating_sub(1);
    }
}

impl SentMeter {
    /// So many bytes of the request's body are about to go.
    pub(super) fn sent(&self, bytes: usize) -> Result<(), QuotaExceeded> {
        let bytes = bytes as u64;
        let sent = {
            let mut log = self.log.log();
            log.sent = log.sent.saturating_add(bytes);
            log.sent
        };
        let limit = self.log.limits.sent_bytes;
        if sent > limit {
            return Err(self.log.exceed(Exceeded { which: LimitKind::SentBytes, limit, used: sent }));
        }
        self.log.change(self.at, |kept| kept.requested.bytes_out += bytes);
        Ok(())
    }
}

impl NetworkLog {
    fn change(&self, at: Option<usize>, change: impl FnOnce(&mut Kept)) {
        let mut log = self.log();
        if let Some(kept) = at.and_then(|at| log.requests.get_mut(at)) {
            change(kept);
        }
    }
}
