//! Processor time of one future, whichever threads it is polled on.

use rustix::time::{ClockId, clock_gettime};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// A future that adds the processor time of each of its polls to `spent`.
pub(crate) struct CpuTimed<'a, F> {
    pub(crate) future: Pin<&'a mut F>,
    pub(crate) spent: &'a mut Duration,
}

impl<F: Future> Future for CpuTimed<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let before = thread_time();
        let polled = self.future.as_mut().poll(context);
        *self.spent += thread_time().saturating_sub(before);
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
        let mut waited = Duration::ZERO;
        let future = pin!(tokio::time::sleep(Duration::from_millis(50)));
        CpuTimed { future, spent: &mut waited }.await;
        assert!(waited < Duration::from_millis(25), "{waited:?}");

        let mut worked = Duration::ZERO;
        let future = pin!(async {
            let end = thread_time() + Duration::from_millis(20);
            let late = Instant::now() + Duration::from_secs(20);
            while thread_time() < end && Instant::now() < late {}
        });
        CpuTimed { future, spent: &mut worked }.await;
        assert!(worked >= Duration::from_millis(20), "{worked:?}");
    }
}
