//! Who drives a run right now, by its latest sign of life.
//!
//! Owns: how long a sign counts, and how it reads. Doesn't own: giving signs (`driver`), and what
//! silence means to a supervisor.

use crate::amounts::span;
use anyhow::Result;
use ringfence_engine::Timestamp;
use ringfence_store::{Heartbeat, RunSummary, Store};
use rustix::process::{Pid, test_kill_process};
use rustix::system::uname;
use serde_json::{Value, json};

/// A sign of life counts for so many milliseconds; a driver gives one each second.
const COUNTS: i64 = 10_000;

/// The process that drives a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrivenBy {
    by: Heartbeat,
}

impl DrivenBy {
    /// Whoever drives this run, if anybody does.
    pub fn find(store: &Store, run: &RunSummary) -> Result<Option<Self>> {
        if run.ending.is_some() {
            return Ok(None);
        }
        Ok(store.heartbeat(&run.id)?.and_then(|beat| Self::of(beat, Store::now())))
    }

    /// A sign of life, if it counts: recent, and not of a process that has ended on this machine.
    pub(crate) fn of(by: Heartbeat, now: Timestamp) -> Option<Self> {
        let here = by.host.as_str() == uname().nodename().to_string_lossy();
        let recent = now.0.saturating_sub(by.at.0) <= COUNTS;
        (recent && (!here || lives(by.pid))).then_some(Self { by })
    }

    /// `process 12, last sign of life 0.4 s ago`
    pub fn text(&self, now: Timestamp) -> String {
        let ago = u64::try_from(now.0.saturating_sub(self.by.at.0)).unwrap_or(0);
        let Heartbeat { pid, host, .. } = &self.by;
        format!("process {pid} on {host}, last sign of life {} ago", span(ago))
    }

    /// `pid`, `host`, `at`.
    pub fn json(&self) -> Value {
        json!({ "pid": self.by.pid, "host": self.by.host, "at": self.by.at })
    }
}

/// Whether there is such a process; one that may not be asked is there.
fn lives(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat(at: i64, pid: u32, host: &str) -> Heartbeat {
        Heartbeat { at: Timestamp(at), pid, token: 1, host: host.to_owned() }
    }

    #[test]
    fn a_recent_sign_of_a_process_that_lives_counts_and_no_other() {
        let now = Timestamp(100_000);
        let here = uname().nodename().to_string_lossy().into_owned();
        let counts = |at, pid, host: &str| DrivenBy::of(beat(at, pid, host), now).is_some();
        let own = std::process::id();
        assert!(counts(99_000, own, &here) && !counts(80_000, own, &here));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        assert!(!counts(99_000, child.id(), &here), "it has ended");
        assert!(counts(99_000, child.id(), "another machine"), "nobody here can tell");
    }

    #[test]
    fn it_reads_as_who_and_when() {
        let driven = DrivenBy::of(beat(1_000, 7, "desk"), Timestamp(2_400)).unwrap();
        assert_eq!(driven.text(Timestamp(2_400)), "process 7 on desk, last sign of life 1.4 s ago");
        assert_eq!(driven.json(), json!({ "pid": 7, "host": "desk", "at": 1_000 }));
    }
}
