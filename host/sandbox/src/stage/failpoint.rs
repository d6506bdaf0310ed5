//! Steps of an apply where a test can end the process, as a crash would.
//!
//! Only in builds with debug assertions: `RINGFENCE_APPLY_FAILPOINT=N` kills the process with
//! SIGKILL at the N-th step. In a release build there is nothing here.

/// Passes a step.
#[cfg(not(debug_assertions))]
#[inline]
pub(super) fn hit() {}

/// Passes a step; ends the process if this is where it is to end.
#[cfg(debug_assertions)]
pub(super) fn hit() {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static LAST: OnceLock<Option<u64>> = OnceLock::new();
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let read = || std::env::var("RINGFENCE_APPLY_FAILPOINT").ok()?.parse().ok();
    if let Some(last) = LAST.get_or_init(read)
        && PASSED.fetch_add(1, Ordering::SeqCst) + 1 == *last
    {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}
