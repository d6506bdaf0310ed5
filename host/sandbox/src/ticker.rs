//! The one epoch ticker of the process.
//!
//! Owns: a thread that moves every engine's epoch on each millisecond while calls are under way,
//! and sleeps otherwise. What happens at an epoch is the call's business (`call`).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Duration;
use wasmtime::{Engine, EngineWeak};

/// How far apart two epochs are.
const TICK: Duration = Duration::from_millis(1);
/// Ticks without a call before the thread goes to sleep: waking it for every call would cost
/// a system call each.
const IDLE_TICKS: u32 = 200;

struct Ticker {
    calls: AtomicUsize,
    asleep: AtomicBool,
    engines: Mutex<Vec<EngineWeak>>,
    thread: OnceLock<Thread>,
}

static TICKER: Ticker = Ticker {
    calls: AtomicUsize::new(0),
    asleep: AtomicBool::new(false),
    engines: Mutex::new(Vec::new()),
    thread: OnceLock::new(),
};

/// Has the epochs of this engine moved on from now until the engine is gone.
pub(crate) fn register(engine: &Engine) -> std::io::Result<()> {
    let mut engines = TICKER.engines.lock().unwrap_or_else(PoisonError::into_inner);
    engines.retain(|known| known.upgrade().is_some());
    if engines.iter().filter_map(EngineWeak::upgrade).any(|known| Engine::same(&known, engine)) {
        return Ok(());
    }
    engines.push(engine.weak());
    if TICKER.thread.get().is_none() {
        let handle = std::thread::Builder::new().name("ringfence-ticker".into()).spawn(tick_for_ever)?;
        // Under the lock of `engines`, so nobody else gets here at the same time.
        let _ = TICKER.thread.set(handle.thread().clone());
    }
    Ok(())
}

/// Epochs move on while one of these lives.
pub(crate) struct Ticking(());

impl Ticking {
    pub(crate) fn start() -> Self {
        TICKER.calls.fetch_add(1, Ordering::SeqCst);
        if TICKER.asleep.swap(false, Ordering::SeqCst)
            && let Some(thread) = TICKER.thread.get()
        {
            thread.unpark();
        }
        Self(())
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        TICKER.calls.fetch_sub(1, Ordering::SeqCst);
    }
}

fn tick_for_ever() {
    let mut idle = 0;
    loop {
        std::thread::sleep(TICK);
        {
            let engines = TICKER.engines.lock().unwrap_or_else(PoisonError::into_inner);
            for engine in engines.iter().filter_map(EngineWeak::upgrade) {
                engine.increment_epoch();
            }
        }
        idle = if TICKER.calls.load(Ordering::SeqCst) == 0 { idle + 1 } else { 0 };
        if idle >= IDLE_TICKS {
            sleep_until_a_call();
            idle = 0;
        }
    }
}

fn sleep_until_a_call() {
    TICKER.asleep.store(true, Ordering::SeqCst);
    // A call that started before `asleep` was set doesn't wake anyone: look once more.
    while TICKER.calls.load(Ordering::SeqCst) == 0 && TICKER.asleep.load(Ordering::SeqCst) {
        std::thread::park();
    }
    TICKER.asleep.store(false, Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn the_thread_sleeps_when_idle_and_wakes_for_a_call() {
        register(&Engine::default()).unwrap();
        let asleep = |wanted: bool| {
            let end = Instant::now() + Duration::from_secs(20);
            while TICKER.asleep.load(Ordering::SeqCst) != wanted {
                assert!(Instant::now() < end, "still asleep = {}", !wanted);
                std::thread::sleep(TICK);
            }
        };
        asleep(true);
        let call = Ticking::start();
        asleep(false);
        std::thread::sleep(TICK * IDLE_TICKS * 2);
        assert!(!TICKER.asleep.load(Ordering::SeqCst), "slept during a call");
        drop(call);
        asleep(true);
    }
}
