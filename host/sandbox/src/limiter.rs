//! Bounds on what one call's instances take: linear memory, tables, instances.
//!
//! Owns: saying no to growth, and remembering the most that was held. A refused growth is not a
//! trap: the guest sees `memory.grow` fail and may cope. Whether it coped is for `outcome`.

use crate::engine::{MAX_CORE_INSTANCES, MAX_MEMORIES, MAX_TABLE_ELEMENTS, MAX_TABLES};
use wasmtime::ResourceLimiter;

/// The store's limiter: counts all linear memories together.
#[derive(Debug)]
pub(crate) struct MemoryLimiter {
    limit: u64,
    held: u64,
    peak: u64,
    last_growth: u64,
    refused: bool,
}

impl MemoryLimiter {
    pub(crate) fn new(limit_bytes: u64) -> Self {
        Self { limit: limit_bytes, held: 0, peak: 0, last_growth: 0, refused: false }
    }

    /// The most that was held at any time, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    /// Whether the guest ever asked for more than it may have.
    pub(crate) fn refused(&self) -> bool {
        self.refused
    }
}

impl ResourceLimiter for MemoryLimiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let growth = desired.saturating_sub(current) as u64;
        let Some(held) = self.held.checked_add(growth).filter(|held| *held <= self.limit) else {
            self.refused = true;
            self.last_growth = 0;
            return Ok(false);
        };
        self.held = held;
        self.last_growth = growth;
        self.peak = self.peak.max(held);
        Ok(true)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        tracing::debug!(%error, "a guest's memory could not grow");
        self.held = self.held.saturating_sub(self.last_growth);
        self.last_growth = 0;
        Ok(())
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let allowed = desired <= MAX_TABLE_ELEMENTS;
        self.refused |= !allowed;
        Ok(allowed)
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
        let mut limiter = MemoryLimiter::new(100);
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        assert!(!limiter.memory_growing(0, 60, None).unwrap());
        assert!(limiter.memory_growing(0, 40, None).unwrap());
        assert!(limiter.refused());
        assert_eq!(limiter.peak(), 100);
    }

    #[test]
    fn growth_that_failed_is_given_back() {
        let mut limiter = MemoryLimiter::new(100);
        assert!(limiter.memory_growing(0, 80, None).unwrap());
        limiter.memory_grow_failed(wasmtime::Error::msg("no memory")).unwrap();
        assert!(limiter.memory_growing(0, 80, None).unwrap());
        assert!(!limiter.refused());
    }
}
