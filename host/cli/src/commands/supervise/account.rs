//! What went wrong so far, and whether to try again.

use jiff::Timestamp;
use std::fmt::Write;
use std::time::Duration;

/// A child that worked for so long was healthy: what went wrong before it is forgotten.
const HEALTHY: Duration = Duration::from_secs(600);
/// The longest wait before a restart.
const LONGEST: Duration = Duration::from_secs(30);

/// Why a child was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It gave no sign of life for this long, and was killed.
    Hung(Duration),
    /// A signal ended it.
    Killed(i32),
    /// It panicked.
    Panicked,
}

impl Trouble {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Hung(silence) => {
                format!("gave no sign of life for {} s and was killed", silence.as_secs())
            }
            Self::Killed(signal) => format!("was ended by signal {signal}"),
            Self::Panicked => "crashed (exit code 101)".to_owned(),
        }
    }
}

/// The account of one errand.
pub(super) struct Account {
    most: u32,
    restarts: u32,
    lines: Vec<String>,
}

impl Account {
    pub(super) fn new(most: u32) -> Self {
        Self { most, restarts: 0, lines: Vec::new() }
    }

    /// Enters what became of a child that lived for so long; gives the time to wait before the
    /// next one, or none when it is enough.
    pub(super) fn enter(&mut self, pid: u32, lived: Duration, trouble: &Trouble) -> Option<Duration> {
        if lived >= HEALTHY {
            self.restarts = 0;
            self.lines.clear();
        }
        let time = Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC");
        let line = format!("{time}  process {pid}, after {} s: {}", lived.as_secs(), trouble.text());
        self.lines.push(line);
        if self.restarts >= self.most {
            return None;
        }
        let wait = Duration::from_secs(1 << self.restarts.min(5)).min(LONGEST);
        self.restarts += 1;
        Some(wait)
    }

    /// Restarts since the last healthy time, the one that is about to come included.
    pub(super) fn restarts(&self) -> u32 {
        self.restarts
    }

    /// Restarts at most.
    pub(super) fn most(&self) -> u32 {
        self.most
    }

    /// What happened each time, a line each.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            let _ = writeln!(text, "  {line}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_secs(1);

    #[test]
    fn waits_double_up_to_a_bound_and_end_after_the_most() {
        let mut account = Account::new(7);
        let waits: Vec<_> = (0..8).map(|_| account.enter(1, SHORT, &Trouble::Panicked)).collect();
        let seconds: Vec<_> = waits.iter().map(|wait| wait.map(|wait| wait.as_secs())).collect();
        assert_eq!(seconds, [Some(1), Some(2), Some(4), Some(8), Some(16), Some(30), Some(30), None]);
        assert_eq!((account.restarts(), account.text().lines().count()), (7, 8));
    }

    #[test]
    fn a_long_healthy_time_starts_the_count_anew() {
        let mut account = Account::new(2);
        account.enter(1, SHORT, &Trouble::Panicked);
        account.enter(2, SHORT, &Trouble::Killed(9));
        let wait = account.enter(3, HEALTHY, &Trouble::Hung(SHORT));
        assert_eq!((wait, account.restarts()), (Some(Duration::from_secs(1)), 1));
        assert_eq!(account.text().lines().count(), 1);
    }

    #[test]
    fn no_restart_may_be_wanted() {
        assert_eq!(Account::new(0).enter(1, HEALTHY, &Trouble::Panicked), None);
    }
}
