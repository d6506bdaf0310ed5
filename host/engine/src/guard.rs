//! The guards: every event passes through here before the run goes anywhere.
//!
//! A limit that is reached ends the run, whatever was to come next. Actions that repeat themselves
//! pause it. The clock moves with the events, so a limit of time is seen at the next event; single
//! calls have their own deadlines, which the driver keeps.

use crate::bounds;
use crate::canonical::canonical;
use crate::effect::{Ending, Subject};
use crate::flow::Step;
use crate::id::Timestamp;
use crate::state::{Clock, Seen, Stage, StageName, State};
use serde_json::Value;

/// What really happens where the flow wants `step`.
pub(crate) fn hold(state: &State, step: Step) -> Step {
    if is_held_already(&step) {
        return step;
    }
    match (limit(state), stagnation(state)) {
        (Some(which), _) => Step::End(Ending::Limit { which }),
        (None, Some(seen)) => Step::Pause { subject: Subject::Stagnation { seen }, then: Box::new(step) },
        (None, None) => step,
    }
}

/// The end, and a review that was open before: neither goes anywhere.
fn is_held_already(step: &Step) -> bool {
    match step {
        Step::End(_) => true,
        Step::Return(stage) => stage.name() == StageName::PausedForReview,
        Step::Ask(_) | Step::Again { .. } | Step::Call(_) | Step::Pause { .. } => false,
    }
}

/// The limit that has been reached, in one line.
fn limit(state: &State) -> Option<String> {
    let limits = &state.settings.limits;
    if state.iterations >= limits.iterations {
        return Some(format!("{} iterations are used up", limits.iterations));
    }
    if let Some(cap) = limits.wall_clock_ms.filter(|cap| state.clock.active_ms >= *cap) {
        return Some(format!("{cap} ms of working time are used up"));
    }
    let tokens = &state.spent.tokens;
    let used = tokens.input_tokens.saturating_add(tokens.output_tokens);
    if let Some(cap) = limits.tokens.filter(|cap| used >= *cap) {
        return Some(format!("{cap} tokens are used up ({used} used)"));
    }
    None
}

/// What repeats itself, in one line.
fn stagnation(state: &State) -> Option<String> {
    let trail = &state.watch.trail;
    let last = trail.last()?;
    let equal = trail.len() >= window(state) && trail.iter().all(|seen| seen.hash == last.hash);
    let times = trail.len();
    equal.then(|| format!("the same action {times} times in a row: {}", last.words))
}

fn window(state: &State) -> usize {
    usize::try_from(state.settings.limits.stagnation).unwrap_or(usize::MAX)
}

/// Remembers one choice of action for the guard against stagnation: a hash of tool, canonical
/// input and outcome class, and words for a person.
pub(crate) fn remember(state: &mut State, tool: &str, input: &Value, class: &str) {
    let input = canonical(input);
    let hash = blake3::hash(format!("{tool}\n{input}\n{class}").as_bytes());
    let seen = Seen {
        hash: hash.to_hex().to_string(),
        words: bounds::cut(&format!("{tool} {input}: {class}"), 200),
    };
    let window = window(state);
    let trail = &mut state.watch.trail;
    trail.push(seen);
    if trail.len() > window {
        trail.remove(0);
    }
}

/// Moves the clock to an event. Time counts only while the run worked: not in a pause, and not
/// from a crash to the moment when it was taken up again.
pub(crate) fn tick(clock: &mut Clock, stage: &Stage, at: Timestamp, resumed: bool) {
    let worked = match stage {
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_) => !resumed,
        Stage::PausedForReview { .. } | Stage::Finished | Stage::Failed { .. } => false,
    };
    if worked {
        let passed = at.0.saturating_sub(clock.latest.0);
        let passed = u64::try_from(passed).unwrap_or(0);
        clock.active_ms = clock.active_ms.saturating_add(passed);
    }
    clock.latest = at;
}
