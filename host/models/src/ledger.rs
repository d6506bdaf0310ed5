//! What a request has used so far, also for someone who no longer waits for its answer.
//!
//! Owns: the count while a request is under way. Doesn't own: what an exchange used (`spending`).

use crate::{MicroDollars, Spending, Usage};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A running count, shared by a request, its copies and whoever watches it. It outlives
/// [`Model::complete`](crate::Model::complete): what it says when a call is given up was used.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    /// Of exchanges that are over.
    settled: Spending,
    /// Of the one under way, as far as it was heard.
    under_way: Option<Spending>,
}

impl Ledger {
    /// What was used up to now: the server's count where it has told one, else estimated on the
    /// high side.
    pub fn spending(&self) -> Spending {
        let entries = self.entries();
        match entries.under_way {
            Some(under_way) => entries.settled.plus(under_way),
            None => entries.settled,
        }
    }

    /// The exchange under way has used so much by now.
    pub(crate) fn hear(&self, spending: Spending) {
        self.entries().under_way = Some(spending);
    }

    /// The exchange under way is over and has used this.
    pub(crate) fn settle(&self, spending: Spending) {
        let mut entries = self.entries();
        entries.under_way = None;
        entries.settled = entries.settled.plus(spending);
    }

    /// The exchange under way is over and used nothing.
    pub(crate) fn forget(&self) {
        self.entries().under_way = None;
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Two requests are the same whatever they have used.
impl PartialEq for Ledger {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Ledger {}

impl Spending {
    /// Both together. What has no known cost adds none.
    pub(crate) fn plus(self, other: Self) -> Self {
        let cost = match (self.cost, other.cost) {
            (Some(MicroDollars(one)), Some(MicroDollars(two))) => Some(MicroDollars(one.saturating_add(two))),
            (one, two) => one.or(two),
        };
        Self { usage: self.usage.plus(other.usage), cost }
    }

    /// Whether nothing was used.
    pub fn is_none(&self) -> bool {
        self.usage == Usage::default()
    }
}
