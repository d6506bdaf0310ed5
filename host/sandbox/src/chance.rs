//! Time and chance as a guest has them: made up, and the same for equal calls, unless real ones
//! are granted.
//!
//! A tool whose answer follows from its input and the files alone can be checked by calling it
//! again. Owns: random numbers from a seed, a clock that moves when it is read and when a guest
//! waits, and the wait itself, which is real. Doesn't own: who is granted real ones (`grant`).

use blake3::{Hasher, OutputReader};
use rand::rand_core::{Infallible, TryRng};
use serde_json::Value;
use std::io::Write;
use std::time::{Duration, Instant};
use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock;
use wasmtime_wasi::p2::{DynPollable, Pollable, subscribe};
use wasmtime_wasi::{HostWallClock, WasiCtxBuilder};

/// How far the made-up clock moves each time it is read, in nanoseconds.
const TICK: u64 = 1_000;

/// What every made-up wall clock says: the first moment of the year 2000, in seconds since 1970.
const MADE_UP_NOW: u64 = 946_684_800;

/// What a call's made-up chance follows from.
#[derive(Clone, Copy)]
pub(crate) struct Seed([u8; 32]);

impl Seed {
    /// The same for the same component, tool and input.
    pub(crate) fn of(component: &str, tool: &str, input: &Value) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(component.as_bytes()).update(b"\0").update(tool.as_bytes()).update(b"\0");
        // A hasher takes everything that is written to it.
        let _ = serde_json::to_writer(&mut hasher as &mut dyn Write, input);
        Self(*hasher.finalize().as_bytes())
    }

    /// Makes time and chance up for a call.
    pub(crate) fn make_up(self, builder: &mut WasiCtxBuilder) {
        builder
            .secure_random(self.numbers("secure"))
            .insecure_random(self.numbers("insecure"))
            .insecure_random_seed(u128::from_le_bytes(first_half(&self.0)))
            .wall_clock(MadeUpNow);
    }

    fn numbers(self, purpose: &str) -> Numbers {
        let mut hasher = Hasher::new_keyed(&self.0);
        hasher.update(purpose.as_bytes());
        Numbers(hasher.finalize_xof())
    }
}

fn first_half(bytes: &[u8; 32]) -> [u8; 16] {
    let mut half = [0; 16];
    half.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    half
}

/// Random numbers that follow from a seed.
struct Numbers(OutputReader);

impl TryRng for Numbers {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        Ok(())
    }
}

struct MadeUpNow;

impl HostWallClock for MadeUpNow {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::from_secs(MADE_UP_NOW)
    }
}

/// The clock that measures time passing, for one call.
pub(crate) enum Passing {
    /// The machine's own, from the call's beginning.
    Real(Instant),
    /// Nanoseconds, as far as it was moved.
    MadeUp(u64),
}

impl Passing {
    fn now(&mut self) -> u64 {
        match self {
            Self::Real(begun) => nanoseconds(begun.elapsed()),
            Self::MadeUp(now) => {
                *now = now.saturating_add(TICK);
                *now
            }
        }
    }

    /// Time passes while a guest waits: a loop that waits until a moment sees it come.
    fn wait_for(&mut self, duration: u64) {
        match self {
            Self::Real(_) => {}
            Self::MadeUp(now) => *now = now.saturating_add(duration),
        }
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A call's clock together with the table of its guest's handles, for the time of one host call.
pub(crate) struct ClockHost<'a> {
    pub(crate) passing: &'a mut Passing,
    pub(crate) table: &'a mut ResourceTable,
}

struct Clocks;

impl HasData for Clocks {
    type Data<'a> = ClockHost<'a>;
}

/// Puts these clocks in the place of the runtime's own.
pub(crate) fn add_to_linker<T: Send + 'static>(
    linker: &mut Linker<T>,
    get: fn(&mut T) -> ClockHost<'_>,
) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    monotonic_clock::add_to_linker::<T, Clocks>(linker, get)?;
    linker.allow_shadowing(false);
    Ok(())
}

impl monotonic_clock::Host for ClockHost<'_> {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(self.passing.now())
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        Ok(match self.passing {
            Passing::Real(_) => 1,
            Passing::MadeUp(_) => TICK,
        })
    }

    fn subscribe_instant(&mut self, when: u64) -> wasmtime::Result<Resource<DynPollable>> {
        let left = when.saturating_sub(self.passing.now());
        self.subscribe_duration(left)
    }

    fn subscribe_duration(&mut self, duration: u64) -> wasmtime::Result<Resource<DynPollable>> {
        self.passing.wait_for(duration);
        let wait = Wait(Instant::now().checked_add(Duration::from_nanos(duration)));
        let wait = self.table.push(wait)?;
        subscribe(self.table, wait)
    }
}

/// A moment to wait for; none is never.
struct Wait(Option<Instant>);

#[wasmtime_wasi::async_trait]
impl Pollable for Wait {
    async fn ready(&mut self) {
        match self.0 {
            // A guest that asks again and again without waiting lets others have a turn.
            Some(moment) if moment <= Instant::now() => tokio::task::yield_now().await,
            Some(moment) => tokio::time::sleep_until(moment.into()).await,
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn numbers(tool: &str, input: &Value) -> [u8; 40] {
        let mut bytes = [0; 40];
        let mut numbers = Seed::of("component", tool, input).numbers("secure");
        numbers.try_fill_bytes(&mut bytes).unwrap_or_else(|never| match never {});
        bytes
    }

    #[test]
    fn equal_calls_have_equal_chance_and_others_don_t() {
        let one = numbers("a", &json!({"x": 1}));
        assert_eq!(one, numbers("a", &json!({"x": 1})));
        assert_ne!(one, numbers("b", &json!({"x": 1})));
        assert_ne!(one, numbers("a", &json!({"x": 2})));
    }

    #[test]
    fn made_up_time_moves_when_it_is_read_and_when_it_is_waited_for() {
        let mut passing = Passing::MadeUp(0);
        let first = passing.now();
        passing.wait_for(5_000_000);
        assert!(passing.now() >= first + 5_000_000);
    }
}
