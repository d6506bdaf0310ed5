//! Working time between two events, by a clock that stands still while the machine sleeps.

use std::time::Instant;

/// Runs from one event to the next.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// One that begins now.
    pub fn begin() -> Self {
        Self(Instant::now())
    }

    /// Begins anew.
    pub fn restart(&mut self) {
        *self = Self::begin();
    }

    /// Milliseconds since it began, a part of one counted as one: a budget of time that a deadline
    /// was cut to is used up when the deadline passes.
    pub fn worked_ms(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros().div_ceil(1_000)).unwrap_or(u64::MAX)
    }
}
