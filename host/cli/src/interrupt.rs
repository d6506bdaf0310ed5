//! Ctrl-C and SIGTERM: the first asks the run to pause, the second ends the process.

use std::sync::Arc;
use tokio::sync::watch;

/// Something that can be raised once and waited for many times.
#[derive(Clone)]
pub struct Interrupt(Arc<watch::Sender<bool>>);

impl Default for Interrupt {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Interrupt {
    /// One that Ctrl-C and SIGTERM raise. A second signal exits at once with 130: whatever was
    /// journaled stays, what was under way has an unknown outcome and is sorted out on resume.
    pub fn on_signals() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let interrupt = Self::default();
        let (mut int, mut term) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let raised = interrupt.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! { _ = int.recv() => {}, _ = term.recv() => {} }
                if raised.raise() {
                    std::process::exit(130);
                }
            }
        });
        Ok(interrupt)
    }

    /// Raises it; whether it was raised before.
    pub fn raise(&self) -> bool {
        self.0.send_replace(true)
    }

    /// Waits until it is raised; at once if it was.
    pub async fn raised(&self) {
        let mut seen = self.0.subscribe();
        // The sender lives in `self`, so waiting can't fail.
        let _ = seen.wait_for(|raised| *raised).await;
    }
}
