//! The bottom of a terminal: one moving line for each thing that is under way; above it, and
//! alone where there is no terminal, plain lines.

use crate::output::err;
use crate::terminal::one_line;
use console::{Term, truncate_str};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use ringfence_engine::CallId;
use std::collections::BTreeMap;
use std::time::Duration;

/// Columns of a line that isn't read on a terminal.
const LINE: usize = 160;
/// Columns that a moving line needs for its spinner and its clock.
const FRAME: usize = 12;

/// What is under way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doing {
    /// A model or tool call.
    Call(CallId),
    /// A component is being compiled.
    Compiling(String),
}

/// Where progress is shown.
pub(super) struct Screen {
    /// None: standard error is no terminal.
    live: Option<MultiProgress>,
    moving: BTreeMap<Doing, (ProgressBar, String)>,
    totals: String,
}

impl Screen {
    pub(super) fn new(live: bool) -> Self {
        let live = live.then(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()));
        Self { live, moving: BTreeMap::new(), totals: String::new() }
    }

    pub(super) fn is_live(&self) -> bool {
        self.live.is_some()
    }

    /// A line that stays.
    pub(super) fn say(&self, line: &str) {
        let Some(live) = &self.live else {
            return err(&format!("{}\n", one_line(line, LINE)));
        };
        let line = one_line(line, self.columns());
        // Nobody can be told if that fails.
        let _ = live.println(truncate_str(&line, self.columns(), "…"));
    }

    /// A moving line begins, or begins again.
    pub(super) fn begin(&mut self, doing: Doing, label: String) {
        let Some(live) = &self.live else { return };
        let bar = live.add(ProgressBar::new_spinner());
        let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
        bar.set_style(style.unwrap_or(ProgressStyle::default_spinner()));
        if let Some((before, _)) = self.moving.insert(doing, (bar.clone(), label)) {
            before.finish_and_clear();
        }
        self.label();
        // Last: it draws, and a line without words would flicker.
        bar.enable_steady_tick(Duration::from_millis(120));
    }

    /// It is over.
    pub(super) fn end(&mut self, doing: &Doing) {
        if let Some((bar, _)) = self.moving.remove(doing) {
            bar.finish_and_clear();
            self.label();
        }
    }

    /// Only these calls are still under way.
    pub(super) fn keep_only(&mut self, calls: &[CallId]) {
        let over = self.moving.keys().filter(|doing| match doing {
            Doing::Call(call) => !calls.contains(call),
            // Nothing that could need it is under way.
            Doing::Compiling(_) => calls.is_empty(),
        });
        for doing in over.cloned().collect::<Vec<_>>() {
            self.end(&doing);
        }
    }

    /// What all of it has come to so far, shown on the last moving line.
    pub(super) fn total(&mut self, totals: String) {
        self.totals = totals;
        self.label();
    }

    /// Nothing moves any more: somebody may be asked something.
    pub(super) fn rest(&mut self) {
        for (bar, _) in std::mem::take(&mut self.moving).into_values() {
            bar.finish_and_clear();
        }
    }

    fn label(&self) {
        let room = self.columns().saturating_sub(FRAME);
        let last = self.moving.len().saturating_sub(1);
        for (place, (bar, label)) in self.moving.values().enumerate() {
            let totals = if place == last { self.totals.as_str() } else { "" };
            let room = room.saturating_sub(totals.len()).max(20);
            let label = one_line(label, room);
            bar.set_message(format!("{}{totals}", truncate_str(&label, room, "…")));
        }
    }

    fn columns(&self) -> usize {
        match self.live {
            Some(_) => usize::from(Term::stderr().size().1).saturating_sub(1).max(40),
            None => LINE,
        }
    }
}
