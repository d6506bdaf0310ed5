//! Doing something again and again while something else is done once.

use std::sync::atomic::{AtomicBool, Ordering};

/// Raised when it is dropped, by a panic too: a thread that waits for it would wait for ever.
struct AtTheEnd<'a>(&'a AtomicBool);

impl Drop for AtTheEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does the one thing again and again on a thread while the other is done once.
pub(crate) fn meanwhile<T>(mut again: impl FnMut() + Send, once: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let _stop = AtTheEnd(&stop);
        threads.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                again();
            }
        });
        once()
    })
}
