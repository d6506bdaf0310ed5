//! Telling a hang from progress: the one place where tests wait by the clock. How fast something
//! is, no test asserts.

use std::future::Future;
use std::sync::mpsc;
use std::time::Duration;

/// Far longer than anything takes on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// Fails if the work doesn't end, instead of hanging with it.
pub(crate) fn in_time(work: impl FnOnce() + Send + 'static) {
    let (done, ended) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        work();
        done.send(()).expect("waited for");
    });
    match ended.recv_timeout(PATIENCE) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => thread.join().expect("no panic"),
    }
}

/// The same for a future.
pub(crate) async fn ends<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("it hangs")
}
