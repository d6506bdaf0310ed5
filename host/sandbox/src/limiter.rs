//! Bounds on what one call's instances take: linear memory, tables, instances.
//!
//! Owns: saying no to growth, and remembering the most that was held. A refused growth is not a
//! trap: the guest sees `memory.grow` fail and may cope. Whether it coped is for `outcome`.

use crate::engine::{
    MAX_CORE_INSTANCES, MAX_MEMORIES, MAX_TABLE_ELEMENTS, MAX_TABLES, POOLED_TABLE_ELEMENTS,
};
use crate::limit::{Exceeded, LimitKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use wasmtime::ResourceLimiter;

/// The store's limiter: counts all linear memories together, and all tables.
#[derive(Debug)]
pub(crate) struct Limiter {
    memory: Held,
    elements: Held,
    refused: Option<Exceeded>,
    ran_short: bool,
    /// Where its memory counts as well.
    together: Option<Arc<Together>>,
}

/// The memory that several stores hold at the same time.
#[derive(Debug, Default)]
pub(crate) struct Together {
    now: AtomicU64,
    peak: AtomicU64,
}

impl Together {
    /// The most that they held at any time, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Relaxed)
    }

    fn take(&self, bytes: u64) {
        let now = self.now.fetch_add(bytes, Relaxed).saturating_add(bytes);
        self.peak.fetch_max(now, Relaxed);
    }

    fn give_back(&self, bytes: u64) {
        self.now.fetch_sub(bytes, Relaxed);
    }
}

/// What is held of something that grows.
#[derive(Debug)]
struct Held {
    which: LimitKind,
    limit: u64,
    now: u64,
    peak: u64,
    last_growth: u64,
}

impl Held {
    fn of(which: LimitKind, limit: u64) -> Self {
        Self { which, limit, now: 0, peak: 0, last_growth: 0 }
    }

    fn grow(&mut self, current: usize, desired: usize) -> Result<(), Exceeded> {
        let growth = desired.saturating_sub(current) as u64;
        let wanted = self.now.saturating_add(growth);
        if wanted > self.limit {
            self.last_growth = 0;
            return Err(Exceeded { which: self.which, limit: self.limit, used: wanted });
        }
        self.now = wanted;
        self.last_growth = growth;
        self.peak = self.peak.max(wanted);
        Ok(())
    }

    fn give_back(&mut self) {
        self.now = self.now.saturating_sub(self.last_growth);
        self.last_growth = 0;
    }
}

impl Limiter {
    pub(crate) fn new(memory_bytes: u64) -> Self {
        Self {
            memory: Held::of(LimitKind::Memory, memory_bytes),
            elements: Held::of(LimitKind::TableElements, MAX_TABLE_ELEMENTS as u64),
            refused: None,
            ran_short: false,
            together: None,
        }
    }

    /// Counts its memory with that of others as well, from now on until it is gone.
    pub(crate) fn counts_in(&mut self, together: &Arc<Together>) {
        together.take(self.memory.now);
        self.together = Some(together.clone());
    }

    /// The most memory that was held at any time, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.memory.peak
    }

    /// What the guest was refused last, if it ever asked for more than it may have.
    pub(crate) fn refused(&self) -> Option<Exceeded> {
        self.refused
    }

    /// Whether growth that was allowed could not be had: the machine's doing, and another time it
    /// might be had.
    pub(crate) fn ran_short(&self) -> bool {
        self.ran_short
    }

    fn note(&mut self, grown: Result<(), Exceeded>) -> bool {
        self.refused = grown.err().or(self.refused);
        grown.is_ok()
    }
}

impl Drop for Limiter {
    fn drop(&mut self) {
        if let Some(together) = &self.together {
            together.give_back(self.memory.now);
        }
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let grown = self.memory.grow(current, desired);
        if let (Ok(()), Some(together)) = (grown, &self.together) {
            together.take(self.memory.last_growth);
        }
        Ok(self.note(grown))
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        tracing::debug!(%error, "a guest's memory could not grow");
        if let Some(together) = &self.together {
            together.give_back(self.memory.last_growth);
        }
        self.memory.give_back();
        self.ran_short = true;
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // A slot of the pool ends here; what a table's own type allows is the guest's own matter.
        let grown = if maximum == Some(POOLED_TABLE_ELEMENTS) && desired > POOLED_TABLE_ELEMENTS {
            let limit = POOLED_TABLE_ELEMENTS as u64;
            Err(Exceeded { which: LimitKind::TableElements, limit, used: desired as u64 })
        } else {
            self.elements.grow(current, desired)
        };
        Ok(self.note(grown))
    }

    fn table_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        tracing::debug!(%error, "a guest's table could not grow");
        self.elements.give_back();
        self.ran_short = true;
        Ok(())
    }

    fn instances(&self) -> usize {
        MAX_CORE_INSTANCES
    }

    fn tables(&self) -> usize {
        MAX_TABLES
    }

    fn memories(&self) -> usize {
        MAX_MEMORIES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_memories_share_one_limit() {
        let mut limiter = Limiter::new(100);
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        assert!(!limiter.memory_growing(0, 60, None).unwrap());
        assert!(limiter.memory_growing(0, 40, None).unwrap());
        let refused = Exceeded { which: LimitKind::Memory, limit: 100, used: 120 };
        assert_eq!((limiter.refused(), limiter.peak()), (Some(refused), 100));
    }

    #[test]
    fn several_tables_share_one_limit_that_memory_doesn_t_touch() {
        let mut limiter = Limiter::new(0);
        assert!(limiter.table_growing(0, MAX_TABLE_ELEMENTS - 1, None).unwrap());
        assert!(!limiter.table_growing(0, 2, None).unwrap());
        assert!(limiter.table_growing(0, 1, None).unwrap());
        assert_eq!(
            limiter.refused(),
            Some(Exceeded::by_one_more(LimitKind::TableElements, MAX_TABLE_ELEMENTS as u64))
        );
    }

    #[test]
    fn growth_that_failed_is_given_back() {
        let mut limiter = Limiter::new(100);
        assert!(limiter.memory_growing(0, 80, None).unwrap());
        limiter.memory_grow_failed(wasmtime::Error::msg("no memory")).unwrap();
        assert!(limiter.memory_growing(0, 80, None).unwrap());
        assert!(limiter.refused().is_none() && limiter.ran_short());
    }

    #[test]
    fn what_several_hold_at_once_is_counted_until_they_are_gone() {
        let together = Arc::new(Together::default());
        let limiter = || {
            let mut limiter = Limiter::new(100);
            limiter.counts_in(&together);
            limiter
        };
        let (mut one, mut other) = (limiter(), limiter());
        assert!(one.memory_growing(0, 60, None).unwrap());
        assert!(other.memory_growing(0, 30, None).unwrap());
        assert!(!other.memory_growing(30, 200, None).unwrap());
        drop(one);
        assert!(other.memory_growing(30, 40, None).unwrap());
        other.memory_grow_failed(wasmtime::Error::msg("no memory")).unwrap();
        assert_eq!((together.now.load(Relaxed), together.peak()), (30, 90));
        drop(other);
        assert_eq!(together.now.load(Relaxed), 0);
    }
}
