//! Working time between two events, by a clock that stands still while the machine sleeps.

use std::time::{Duration, Instant};

/// Runs from one event to the next.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    begun: Instant,
    before: Duration,
}

impl Stopwatch {
    /// One that begins now.
    pub fn begin() -> Self {
        Self::with(Duration::ZERO)
    }

    /// One that has run for that long.
    pub fn with(before: Duration) -> Self {
        Self { begun: Instant::now(), before }
    }

    /// Begins anew.
    pub fn restart(&mut self) {
        *self = Self::begin();
    }

    /// Milliseconds since it began, a part of one counted as one: a budget of time that a deadline
    /// was cut to is used up when the deadline passes.
    pub fn worked_ms(&self) -> u64 {
        let worked = self.before.saturating_add(self.begun.elapsed());
        u64::try_from(worked.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX)
    }
}
