//! Places where a test can end the process, as a crash would.
//!
//! Only in builds with debug assertions: `RINGFENCE_FAILPOINT=NAME:N` kills the process with
//! SIGKILL when the place of that name is passed for the N-th time; `any:N` counts all of them.
//! In a release build there is nothing here.

#[cfg(debug_assertions)]
pub use armed::hit;

/// Passes the place.
#[cfg(not(debug_assertions))]
#[inline]
pub fn hit(_: &'static str) {}

#[cfg(debug_assertions)]
mod armed {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Point {
        name: String,
        number: u64,
    }

    static POINT: OnceLock<Option<Point>> = OnceLock::new();
    static PASSED: AtomicU64 = AtomicU64::new(0);

    /// Passes the place; ends the process if this is where it is to end.
    pub fn hit(name: &'static str) {
        let Some(point) = POINT.get_or_init(read) else { return };
        if point.name != "any" && point.name != name {
            return;
        }
        if PASSED.fetch_add(1, Ordering::SeqCst) + 1 == point.number {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }

    fn read() -> Option<Point> {
        let text = std::env::var("RINGFENCE_FAILPOINT").ok()?;
        let (name, number) = text.split_once(':')?;
        Some(Point { name: name.to_owned(), number: number.parse().ok()? })
    }
}
