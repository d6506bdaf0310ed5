//! Folding one event into a state: admitted, reckoned, taken, and on to where the run goes.
//!
//! A delegated run is folded by the same functions, below the run that it works for.

use crate::admit::{Admitted, admit};
use crate::afford;
use crate::effect::{Ending, Subject};
use crate::event::Event;
use crate::flow::{self, Outcome, Step, enter};
use crate::guard;
use crate::id::PromptDigest;
use crate::lanes;
use crate::prompts;
use crate::refused::Refused;
use crate::review::{settle, take_up};
use crate::scope::Scope;
use crate::stage::{Lane, Stage};
use crate::stages;
use crate::state::{Clock, Spent, State};
use crate::turn::Standing;

/// Takes one event. Refused, it leaves the state as it was.
pub(crate) fn take(state: &mut State, above: Option<&State>, event: Event) -> Result<(), Refused> {
    let lane = lanes::lane_of(state.stage.worked_on().lanes(), &event.kind);
    if let Some(place) = lane {
        let before = state.clock;
        state.clock = ticked(state, &event, false);
        let taken = within(state, |state| take_in_lane(state, place, event));
        if taken.is_err() {
            state.clock = before;
        }
        return taken;
    }
    let admitted = admit(Scope { state, above }, event.kind.clone())?;
    if state.stage.ending().is_none() {
        state.clock = ticked(state, &event, matches!(admitted, Admitted::Resumed(_)));
    }
    fold(state, above, admitted);
    Ok(())
}

fn ticked(state: &State, event: &Event, resumed: bool) -> Clock {
    let mut clock = state.clock;
    guard::tick(&mut clock, &state.stage, event, resumed);
    clock
}

fn fold(state: &mut State, above: Option<&State>, admitted: Admitted) {
    match admitted {
        Admitted::Nothing => {}
        Admitted::Replied { stage, asking, reply } => within(state, |state| {
            let outcome = stages::replied(state, above, stage, &asking, &reply);
            go(state, above, outcome);
        }),
        Admitted::Unanswered { stage, asking, failure } => within(state, |state| {
            let outcome = stages::unanswered(state, stage, &asking, &failure);
            go(state, above, outcome);
        }),
        Admitted::Dropped { usage, cost } => stages::use_up(state, &usage, cost),
        Admitted::ToolEnded { turn, call, outcome } => within(state, |state| {
            let outcome = stages::tool_ended(state, turn, &call, outcome);
            go(state, above, outcome);
        }),
        Admitted::ProposedAgain { mut turn, call } => within(state, |state| {
            turn.stand(call, Standing::Proposed);
            go(state, above, Outcome::TurnGoesOn(turn));
        }),
        Admitted::Answered(resolution) => {
            let then = match std::mem::replace(&mut state.stage, Stage::Initializing) {
                Stage::PausedForReview { then, .. } => *then,
                other => other,
            };
            let outcome = settle(state, resolution, then);
            go_on(state, above, outcome);
        }
        Admitted::Replanned(tasks) => {
            let dropped = std::mem::replace(&mut state.stage, Stage::Initializing);
            lanes::recall(state, lanes::out_of(dropped));
            stages::set_tasks(state, tasks);
            go(state, above, Outcome::TasksSet);
        }
        Admitted::Settled(settled) => settled.settle(state),
        Admitted::Granted(granted) => {
            granted.settle(state);
            announce(state, above);
            let mut all = take_lanes(state);
            all.iter_mut().for_each(|lane| announce(&mut lane.state, Some(state)));
            if !all.is_empty() {
                put_lanes(state, all);
            }
        }
        Admitted::Interrupted => {
            let stage = std::mem::replace(&mut state.stage, Stage::Initializing);
            go(state, above, Outcome::Interrupted(Box::new(stage)));
        }
        Admitted::Resumed(rates) => {
            if let Some(rates) = rates {
                state.settings.rates = rates;
            }
            let stage = std::mem::replace(&mut state.stage, Stage::Initializing);
            go_on(state, above, take_up(stage));
        }
    }
}

/// Works where the work is: under an interruption the run goes on to where an answer leads, and
/// stays interrupted there.
fn within<R>(state: &mut State, work: impl FnOnce(&mut State) -> R) -> R {
    if !state.stage.is_interrupted() {
        return work(state);
    }
    let (review, then) = match std::mem::replace(&mut state.stage, Stage::Initializing) {
        Stage::PausedForReview { review, then } => (review, then),
        other => {
            state.stage = other;
            return work(state);
        }
    };
    state.stage = *then;
    let result = work(state);
    if state.stage.ending().is_none() {
        let then = std::mem::replace(&mut state.stage, Stage::Initializing);
        state.stage = Stage::PausedForReview { review, then: Box::new(then) };
    }
    result
}

/// An event of a delegated run. Ids come from here, and what it spends counts here.
fn take_in_lane(state: &mut State, place: usize, event: Event) -> Result<(), Refused> {
    let mut others = take_lanes(state);
    if place >= others.len() {
        put_lanes(state, others);
        return Ok(());
    }
    let mut lane = others.remove(place);
    // The others stay in sight: task ids are unique over all of them.
    put_lanes(state, others);
    let taken = below(state, &mut lane.state, |below, above| take(below, Some(above), event));
    let aborted = lane.state.stage.ending() == Some(Ending::Aborted);
    let mut all = take_lanes(state);
    all.insert(place, lane);
    if taken.is_ok() && aborted {
        lanes::join(state, all);
        go(state, None, Outcome::Aborted);
        return taken;
    }
    put_lanes(state, all);
    if taken.is_ok() {
        join_if_over(state);
    }
    taken
}

/// Joins the delegated runs when they have ended, or when nothing is left to go on with.
fn join_if_over(state: &mut State) {
    let lanes = state.stage.lanes();
    let over = !lanes.is_empty() && (lanes::all_ended(lanes) || guard::limit(state).is_some());
    if over {
        let lanes = take_lanes(state);
        let failed = lanes::join(state, lanes);
        guard::progress(state);
        go(state, None, Outcome::Joined { failed });
    }
}

fn take_lanes(state: &mut State) -> Vec<Lane> {
    if let Stage::Delegating { lanes } = &mut state.stage { std::mem::take(lanes) } else { Vec::new() }
}

fn put_lanes(state: &mut State, lanes: Vec<Lane>) {
    state.stage = Stage::Delegating { lanes };
}

/// Works on a delegated run with what it shares with the run above. Where that fails, both are as
/// they were.
fn below<E>(
    state: &mut State,
    lane: &mut State,
    work: impl FnOnce(&mut State, &State) -> Result<(), E>,
) -> Result<(), E> {
    let own = (lane.next, lane.exposure);
    lane.next = state.next;
    lane.exposure = state.exposure;
    let (before, iterations) = (lane.spent.clone(), lane.iterations);
    if let Err(refused) = work(lane, state) {
        (lane.next, lane.exposure) = own;
        return Err(refused);
    }
    state.next = lane.next;
    state.exposure = lane.exposure;
    state.iterations = state.iterations.saturating_add(lane.iterations.saturating_sub(iterations));
    state.spent.add(&lane.spent, &before);
    Ok(())
}

impl Spent {
    /// Adds what was spent between two moments of another run.
    fn add(&mut self, now: &Self, before: &Self) {
        let more = |sum: &mut u64, now: u64, before: u64| {
            *sum = sum.saturating_add(now.saturating_sub(before));
        };
        self.model_calls =
            self.model_calls.saturating_add(now.model_calls.saturating_sub(before.model_calls));
        self.tool_calls = self.tool_calls.saturating_add(now.tool_calls.saturating_sub(before.tool_calls));
        more(&mut self.money, now.money, before.money);
        let (sum, now, before) = (&mut self.tokens, &now.tokens, &before.tokens);
        more(&mut sum.input_tokens, now.input_tokens, before.input_tokens);
        more(&mut sum.cached_tokens, now.cached_tokens, before.cached_tokens);
        more(&mut sum.output_tokens, now.output_tokens, before.output_tokens);
    }
}

/// Goes where the outcome leads; what was put aside may hold delegated runs, which are taken up too.
fn go_on(state: &mut State, above: Option<&State>, outcome: Outcome) {
    go(state, above, outcome);
    let mut all = take_lanes(state);
    if all.is_empty() {
        return;
    }
    for lane in &mut all {
        lane.state.settings.rates = state.settings.rates.clone();
        let stage = &mut lane.state.stage;
        if stage.ending().is_some() {
            continue;
        }
        let put_aside = std::mem::replace(stage, Stage::Initializing);
        let taken = below(state, &mut lane.state, |below, above| {
            go(below, Some(above), take_up(put_aside));
            Ok::<(), Refused>(())
        });
        // It can't fail: nothing in it is refused.
        debug_assert!(taken.is_ok());
    }
    put_lanes(state, all);
    join_if_over(state);
}

/// Goes where the flow and the guards lead, and makes what is owed there.
pub(crate) fn go(state: &mut State, above: Option<&State>, outcome: Outcome) {
    let step = guard::hold(state, flow::next(state, outcome));
    let begins = matches!(step, Step::Delegate(_));
    enter(state, step);
    if begins {
        begin_lanes(state);
        return;
    }
    let held = match request(Scope { state, above }) {
        Ok(None) => return,
        Ok(Some((digest, max_tokens))) => {
            if let Some(asking) = state.stage.asking_mut() {
                asking.prompt = digest;
                asking.max_tokens = max_tokens;
            }
            return;
        }
        Err(held) => held,
    };
    enter(state, *held);
}

/// What is sent for an owed call says what tools can do: it is announced again where that changed.
fn announce(state: &mut State, above: Option<&State>) {
    let scope = Scope { state, above };
    // A template that fails on what the run knows now fails when the run is taken up.
    let built = state.stage.asking().and_then(|(stage, _)| prompts::build(scope, stage).ok());
    if let (Some(prompt), Some(asking)) = (built, state.stage.asking_mut()) {
        asking.prompt = prompt.digest();
    }
}

/// The digest and the cap of the request that is owed; or where the run goes instead.
fn request(scope: Scope<'_>) -> Result<Option<(PromptDigest, u32)>, Box<Step>> {
    let state = scope.state;
    let Some((stage, asking)) = state.stage.asking() else { return Ok(None) };
    // A person's own template may fail on data that its check didn't try.
    let prompt = prompts::build(scope, stage).map_err(|error| {
        let subject = Subject::StageFailed { stage, why: error.to_string(), unreachable: false };
        Box::new(Step::Pause { subject, then: Box::new(Step::Anew) })
    })?;
    let expert = stages::expert(state, stage);
    let cap = afford::cap(state, stage, expert.as_deref(), &prompt, asking.max_tokens)
        .map_err(|which| Box::new(Step::End(Ending::Limit { which })))?;
    Ok(Some((prompt.digest(), cap)))
}

fn begin_lanes(state: &mut State) {
    let mut all = take_lanes(state);
    for lane in &mut all {
        let begun = below(state, &mut lane.state, |below, above| {
            go(below, Some(above), Outcome::Began);
            Ok::<(), Refused>(())
        });
        debug_assert!(begun.is_ok());
    }
    put_lanes(state, all);
    join_if_over(state);
}
