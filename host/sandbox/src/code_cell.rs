//! A component's code for one budget, made once however many calls need it.
//!
//! Owns: who waits for code that is being made, and for how long. A call that is given up leaves
//! the work to the next one, and no component is compiled twice at the same time. Doesn't own:
//! making code (`sandbox`).

use crate::component::{Code, LoadError};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout_at;

/// Code that is there, is being made, or isn't wanted yet.
#[derive(Default)]
pub(crate) struct CodeCell {
    code: OnceLock<Code>,
    /// Held by whoever waits for the code; what is in it stays when nobody does.
    making: Mutex<Option<Making>>,
}

/// Work on a thread of its own. A compiler can't be interrupted, so the thread goes on to its end
/// when its time is over or nobody waits any more, and what it made is taken by the next who asks.
struct Making {
    since: Instant,
    task: JoinHandle<Result<Code, LoadError>>,
}

impl CodeCell {
    /// The code, if it's ready.
    pub(crate) fn get(&self) -> Option<&Code> {
        self.code.get()
    }

    /// The code, made by `start` if nobody began to. Fails once the work has taken longer than
    /// `limit`, for everybody who waits and at once for those who come later.
    pub(crate) async fn get_or_make(
        &self,
        name: &str,
        limit: Duration,
        start: impl FnOnce() -> JoinHandle<Result<Code, LoadError>>,
    ) -> Result<&Code, LoadError> {
        if let Some(code) = self.code.get() {
            return Ok(code);
        }
        let mut making = self.making.lock().await;
        if let Some(code) = self.code.get() {
            return Ok(code);
        }
        let work = making.get_or_insert_with(|| Making { since: Instant::now(), task: start() });
        let until = work.since + limit;
        let Ok(ended) = timeout_at(until.into(), &mut work.task).await else {
            let reason = format!("it took longer than {} s", limit.as_secs_f64());
            return Err(LoadError::Compile { name: name.to_owned(), reason });
        };
        *making = None;
        let code =
            ended.map_err(|error| LoadError::Host { name: name.to_owned(), reason: error.to_string() })??;
        Ok(self.code.get_or_init(|| code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::Poll;

    #[tokio::test]
    async fn who_comes_when_the_time_is_over_waits_for_nothing() {
        let (cell, limit) = (CodeCell::default(), Duration::from_millis(1));
        let endless = || tokio::spawn(std::future::pending());
        assert!(cell.get_or_make("slow", limit, endless).await.is_err());
        let mut later = pin!(cell.get_or_make("slow", limit, || panic!("it is being made already")));
        let looked = std::future::poll_fn(|context| Poll::Ready(later.as_mut().poll(context))).await;
        assert!(matches!(looked, Poll::Ready(Err(LoadError::Compile { .. }))));
    }
}
