//! Ctrl-C and SIGTERM of the supervisor: passed on to the child, each once.
//!
//! A terminal sends Ctrl-C to both, and a second one would end the child at once. So where a
//! terminal may have sent it, it is passed on only if the child is still there after a while.

use rustix::process::{Pid, Signal, kill_process};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

/// How long the terminal's own Ctrl-C has to work.
const A_WHILE: Duration = Duration::from_secs(2);

/// Signals that ask this process to stop.
pub(super) struct Stops {
    int: Stream,
    term: Stream,
    at_terminal: bool,
    /// Whether there was one.
    pub(super) asked: bool,
    late: Option<(Instant, Signal)>,
}

impl Stops {
    /// Listens from now on.
    pub(super) fn listen() -> std::io::Result<Self> {
        let at_terminal = std::io::stdin().is_terminal()
            || std::io::stdout().is_terminal()
            || std::io::stderr().is_terminal();
        let (int, term) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { int, term, at_terminal, asked: false, late: None })
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> Signal {
        let signal = tokio::select! {
            _ = self.int.recv() => Signal::INT,
            _ = self.term.recv() => Signal::TERM,
        };
        self.asked = true;
        signal
    }

    /// Passes one on, now or later.
    pub(super) fn pass_on(&mut self, signal: Signal, child: u32) {
        if signal == Signal::INT && self.at_terminal {
            self.late = Some((Instant::now() + A_WHILE, signal));
        } else {
            send(signal, child);
        }
    }

    /// Passes on what is due by now.
    pub(super) fn catch_up(&mut self, child: u32) {
        if let Some((_, signal)) = self.late.take_if(|(due, _)| Instant::now() >= *due) {
            send(signal, child);
        }
    }
}

fn send(signal: Signal, child: u32) {
    // Not reaped yet, so the number is still its own.
    if let Some(pid) = i32::try_from(child).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}
