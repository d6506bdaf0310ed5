//! `show --events`: every event in a line, with the number that a fork names.

use super::Shown;
use crate::amounts::moment;
use crate::terminal::plain;
use std::fmt::Write;

/// The list.
pub(super) fn list(shown: &Shown) -> String {
    let mut text = String::new();
    for logged in &shown.trace.log {
        let line =
            format!("{:>5}  {}  {:<13}  {}", logged.number, moment(logged.at), logged.kind, logged.line);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let _ = writeln!(
        text,
        "\nTimes are UTC. To begin another run with the events up to a number:\n  {}",
        plain(&shown.fork)
    );
    text
}
