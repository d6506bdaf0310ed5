//! Standing still: the same actions again and again, told from work that only looks alike.
//!
//! The last choices are compared by hashes of tool, canonical input and outcome class. With a
//! window of N, these count: N equal ones in a row; two that take turns, over N or one more; N
//! errors of one class by one tool, whatever the input; N equal calls within one turn. A tool that
//! is marked as polling never counts. Owns: the trail and its patterns. Doesn't own: what is done
//! about them (`guard.rs`).

use crate::bounds;
use crate::canonical::canonical;
use crate::effect::ToolCall;
use crate::event::OutcomeStatus;
use crate::state::{Seen, State};
use crate::turn::{Slot, Standing};
use serde_json::Value;

/// What a choice of action came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// It was carried out.
    Outcome(OutcomeStatus),
    /// It named no tool, or an input that doesn't fit.
    Unfit,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Self::Outcome(status) => status.name(),
            Self::Unfit => "unfit",
        }
    }

    fn is_error(self) -> bool {
        match self {
            Self::Outcome(status) => status != OutcomeStatus::Done,
            Self::Unfit => true,
        }
    }
}

/// Remembers one choice of action.
pub(crate) fn remember(state: &mut State, tool: &str, input: &Value, class: Class) {
    if !polls(state, tool) {
        push(state, seen(tool, input, class));
    }
}

/// Remembers what a turn's calls came to. Equal ones, and errors of one kind, count once: none of
/// them was chosen in the light of another.
pub(crate) fn remember_turn(state: &mut State, slots: &[Slot]) {
    let mut turn: Vec<Seen> = Vec::new();
    for Slot { call, standing, .. } in slots {
        let Standing::Ended { outcome } = standing else { continue };
        let seen = seen(&call.tool, &call.input, Class::Outcome(outcome.status));
        let known =
            |other: &Seen| other.hash == seen.hash || (seen.error.is_some() && other.error == seen.error);
        if !polls(state, &call.tool) && !turn.iter().any(known) {
            turn.push(seen);
        }
    }
    turn.into_iter().for_each(|seen| push(state, seen));
}

fn seen(tool: &str, input: &Value, class: Class) -> Seen {
    let input = canonical(input);
    let name = class.name();
    let hash = |text: String| blake3::hash(text.as_bytes()).to_hex().chars().take(32).collect();
    Seen {
        hash: hash(format!("{tool}\n{input}\n{name}")),
        error: class.is_error().then(|| hash(format!("{tool}\n{name}"))),
        words: bounds::cut(&format!("{tool} {input}: {name}"), 200),
    }
}

fn push(state: &mut State, seen: Seen) {
    let longest = alternation(window(state));
    let trail = &mut state.watch.trail;
    trail.push(seen);
    if trail.len() > longest {
        trail.remove(0);
    }
}

/// Remembers that a turn asks for the same call too often.
pub(crate) fn look_at_turn(state: &mut State, calls: &[ToolCall]) {
    let window = window(state);
    for call in calls {
        let equal = calls.iter().filter(|other| other.tool == call.tool && other.input == call.input);
        let times = equal.count();
        if times >= window && !polls(state, &call.tool) {
            let words = bounds::cut(&format!("{} {}", call.tool, canonical(&call.input)), 200);
            state.watch.crowd = Some(format!("the same call {times} times in one turn: {words}"));
            return;
        }
    }
}

/// What repeats itself, in one line.
pub(crate) fn pattern(state: &State) -> Option<String> {
    if let Some(crowd) = &state.watch.crowd {
        return Some(crowd.clone());
    }
    let window = window(state);
    let trail = &state.watch.trail;
    let last = trail.last()?;
    let tail = |length: usize| trail.len().checked_sub(length).and_then(|from| trail.get(from..));
    if tail(window)?.iter().all(|seen| seen.hash == last.hash) {
        return Some(format!("the same action {window} times in a row: {}", last.words));
    }
    if last.error.is_some() && tail(window)?.iter().all(|seen| seen.error == last.error) {
        return Some(format!("the same error {window} times in a row, the last: {}", last.words));
    }
    let long = tail(alternation(window))?;
    let turns = long.iter().zip(long.iter().skip(2)).all(|(one, next)| one.hash == next.hash);
    let [.., before, _] = long else { return None };
    (turns && before.hash != last.hash).then(|| {
        let times = long.len() / 2;
        format!("two actions took turns {times} times: {}; {}", before.words, last.words)
    })
}

fn polls(state: &State, tool: &str) -> bool {
    state.settings.tools.iter().any(|spec| spec.name == tool && spec.polling)
}

fn window(state: &State) -> usize {
    usize::try_from(state.settings.limits.stagnation).unwrap_or(usize::MAX)
}

/// The window, made even so that both took part equally, and at least two rounds.
fn alternation(window: usize) -> usize {
    window.div_ceil(2).saturating_mul(2).max(4)
}
