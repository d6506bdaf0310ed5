//! Processor time of one future, whichever threads it is polled on.

use rustix::time::{ClockId, clock_gettime};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

/// Processor time spent so far, in nanoseconds; can be looked at while more is being spent.
#[derive(Debug, Default)]
pub(crate) struct CpuSpent(AtomicU64);

impl CpuSpent {
    pub(crate) fn so_far(&self) -> Duration {
        Duration::from_nanos(self.0.load(Relaxed))
    }

    fn add(&self, more: Duration) {
        self.0.fetch_add(u64::try_from(more.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }
}

/// A future that adds the processor time of each of its polls to `spent`.
pub(crate) struct CpuTimed<'a, F> {
    pub(crate) future: Pin<&'a mut F>,
    pub(crate) spent: &'a CpuSpent,
}

impl<F: Future> Future for CpuTimed<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let before = thread_time();
        let polled = self.future.as_mut().poll(context);
        self.spent.add(thread_time().saturating_sub(before));
        polled
    }
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::time::Instant;

    #[tokio::test]
    async fn waiting_costs_nothing_and_working_does() {
        let waited = CpuSpent::default();
        let future = pin!(tokio::time::sleep(Duration::from_millis(50)));
        CpuTimed { future, spent: &waited }.await;
        assert!(waited.so_far() < Duration::from_millis(25), "{waited:?}");

        let worked = CpuSpent::default();
        let future = pin!(async {
            let end = thread_time() + Duration::from_millis(20);
            let late = Instant::now() + Duration::from_secs(20);
            while thread_time() < end && Instant::now() < late {}
        });
        CpuTimed { future, spent: &worked }.await;
        assert!(worked.so_far() >= Duration::from_millis(20), "{worked:?}");
    }
}
