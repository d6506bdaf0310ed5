//! Working time between two events, by a clock that stands still while the machine sleeps.

use ringfence_engine::{State, Timestamp};
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

    /// Working time since a run's latest event, as far as a driver that was lost gave signs of life.
    pub fn unjournaled(state: &State, last_sign: Option<Timestamp>) -> Duration {
        let since = last_sign.map_or(0, |sign| sign.0.saturating_sub(state.clock.latest.0));
        Duration::from_millis(u64::try_from(since).unwrap_or(0))
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
