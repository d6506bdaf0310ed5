//! The guards: every event passes through here before the run goes anywhere.
//!
//! A limit that is reached ends the run, whatever was to come next. Actions that repeat themselves,
//! or bring nothing forward, lead to one review of the whole working memory, and then to a person.
//! The clock moves with the events; single calls have their own deadlines, which the driver keeps.

use crate::afford::dollars;
use crate::effect::{Ending, Subject};
use crate::event::Event;
use crate::flow::{Step, Work};
use crate::settings::Flow;
use crate::stage::{Lane, Stage};
use crate::stagnation;
use crate::state::{Clock, State};

/// What really happens where the flow wants `step`.
pub(crate) fn hold(state: &State, step: Step) -> Step {
    if is_held_already(&step) {
        return step;
    }
    if let Some(which) = limit(state) {
        return Step::End(Ending::Limit { which });
    }
    if let Some(seen) = stagnation::pattern(state) {
        let then = Box::new(step);
        return if state.watch.reflected {
            Step::Pause { subject: Subject::Stagnation { seen }, then }
        } else {
            Step::Reflect { why: seen, then }
        };
    }
    match state.settings.limits.reflect_after {
        Some(most) if state.watch.idle >= most && thinks(&step) => {
            let why = match state.watch.idle {
                1 => "an action brought nothing forward".to_owned(),
                idle => format!("{idle} actions brought nothing forward"),
            };
            Step::Reflect { why, then: Box::new(step) }
        }
        Some(_) | None => step,
    }
}

/// The end, also where a person is asked about it first, and what was put aside for a person: none
/// of them goes on with the work.
fn is_held_already(step: &Step) -> bool {
    match step {
        Step::End(_) => true,
        Step::Pause { then, .. } => is_end(then),
        Step::Return(stage) => match **stage {
            Stage::PausedForReview { .. } | Stage::Finished | Stage::Failed { .. } => true,
            Stage::Initializing
            | Stage::Planning(_)
            | Stage::Deciding(_)
            | Stage::Executing { .. }
            | Stage::Evaluating(_)
            | Stage::Thinking(_)
            | Stage::Observing(_)
            | Stage::Conversing(_)
            | Stage::Delegating { .. }
            | Stage::Reflecting { .. } => false,
        },
        Step::Ask(_)
        | Step::Again { .. }
        | Step::Recover { .. }
        | Step::Anew
        | Step::Call(_)
        | Step::Delegate(_)
        | Step::Reflect { .. } => false,
    }
}

fn is_end(step: &Step) -> bool {
    match step {
        Step::End(_) => true,
        Step::Ask(_)
        | Step::Again { .. }
        | Step::Recover { .. }
        | Step::Anew
        | Step::Call(_)
        | Step::Delegate(_)
        | Step::Reflect { .. }
        | Step::Pause { .. }
        | Step::Return(_) => false,
    }
}

/// Whether the model is about to think, which a review would help. A re-ask isn't disturbed, and a
/// judgement comes first: it may see progress.
fn thinks(step: &Step) -> bool {
    match step {
        Step::Ask(work) => *work != Work::Evaluate,
        Step::Again { .. }
        | Step::Recover { .. }
        | Step::Anew
        | Step::Call(_)
        | Step::Delegate(_)
        | Step::Reflect { .. }
        | Step::Pause { .. }
        | Step::Return(_)
        | Step::End(_) => false,
    }
}

/// The limit that has been reached, in one line.
pub(crate) fn limit(state: &State) -> Option<String> {
    let limits = &state.settings.limits;
    if state.iterations >= limits.iterations {
        return Some(match limits.iterations {
            1 => "1 iteration is used up".to_owned(),
            cap => format!("{cap} iterations are used up"),
        });
    }
    if let Some(cap) = limits.wall_clock_ms.filter(|cap| state.clock.active_ms >= *cap) {
        return Some(format!("{cap} ms of working time are used up"));
    }
    let used = state.spent.tokens.total();
    if let Some(cap) = limits.tokens.filter(|cap| used >= *cap) {
        return Some(format!("{cap} tokens are used up ({used} used)"));
    }
    let used = state.spent.money;
    if let Some(cap) = limits.money.filter(|cap| used >= *cap && used > 0) {
        return Some(format!("${} are used up (${} used)", dollars(cap), dollars(used)));
    }
    None
}

/// The working time that is left, in milliseconds.
pub(crate) fn time_left(state: &State) -> u64 {
    let cap = state.settings.limits.wall_clock_ms;
    cap.map_or(u64::MAX, |cap| cap.saturating_sub(state.clock.active_ms).max(1))
}

/// The run came forward: what comes next is no repetition of what was before.
pub(crate) fn progress(state: &mut State) {
    state.watch.idle = 0;
    state.watch.reflected = false;
}

/// A task is completed: what was done for it is no repetition of what the next one needs.
pub(crate) fn completed(state: &mut State) {
    state.watch.trail.clear();
    progress(state);
}

/// An action was carried out. With a judge, the judge says what brings the run forward; in a flow
/// without one, a result that wasn't there before does.
pub(crate) fn acted(state: &mut State, is_news: impl Fn(&State) -> bool) {
    state.watch.idle = state.watch.idle.saturating_add(1);
    // To tell news, the whole history is looked through: only where it is asked for.
    match state.settings.flow {
        Flow::Pipeline | Flow::React if is_news(state) => progress(state),
        Flow::Staged | Flow::Pipeline | Flow::React => {}
    }
}

/// Moves the clock to an event. Time counts only while the run worked: not in a pause, not while
/// the machine slept, and from a crash to the moment when it was taken up again only what is known
/// to have been worked.
pub(crate) fn tick(clock: &mut Clock, stage: &Stage, event: &Event, resumed: bool) {
    if is_working(stage) {
        let passed = match resumed {
            true => 0,
            false => u64::try_from(event.at.0.saturating_sub(clock.latest.0)).unwrap_or(0),
        };
        let passed = event.worked_ms.unwrap_or(passed);
        clock.active_ms = clock.active_ms.saturating_add(passed);
    }
    clock.latest = event.at;
}

fn is_working(stage: &Stage) -> bool {
    match stage {
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Reflecting { .. } => true,
        Stage::Delegating { lanes } => lanes.iter().any(|Lane { state, .. }| is_working(&state.stage)),
        Stage::PausedForReview { .. } | Stage::Finished | Stage::Failed { .. } => false,
    }
}
