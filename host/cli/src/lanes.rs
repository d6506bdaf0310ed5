//! Which run something belongs to: the run itself, or one that works on a delegated task.
//!
//! Only reads states; what happens in them is the engine's business.

use ringfence_engine::{CallId, Lane, ReviewId, Stage, State, TaskId};

/// The runs at work on independent tasks; also while an interruption put them aside.
pub fn lanes(state: &State) -> &[Lane] {
    state.stage.worked_on().lanes()
}

/// The run that waits for an answer to this review, and its task where it is a delegated one.
pub fn asker(state: &State, review: ReviewId) -> (Option<&TaskId>, &State) {
    find(state, |stage| matches!(stage, Stage::PausedForReview { review: open, .. } if open.id == review))
}

/// The run that made a model or tool call, and its task where it is a delegated one.
pub fn caller(state: &State, call: CallId) -> (Option<&TaskId>, &State) {
    find(state, |stage| calls(stage).contains(&call))
}

/// Every call that is owed an end, in the run and in those below it.
pub fn open_calls(state: &State) -> Vec<CallId> {
    let below = lanes(state).iter().flat_map(|lane| calls(&lane.state.stage));
    calls(&state.stage).into_iter().chain(below).collect()
}

/// Whether a tool call is owed an end, in the run or in one below it.
pub fn calls_tools(state: &State) -> bool {
    let executes = |stage: &Stage| stage.worked_on().turn().is_some();
    executes(&state.stage) || lanes(state).iter().any(|lane| executes(&lane.state.stage))
}

fn calls(stage: &Stage) -> Vec<CallId> {
    let stage = stage.worked_on();
    if let Stage::Executing { turn } = stage {
        return turn.due().into_iter().map(|call| call.call).collect();
    }
    stage.asking().map(|(_, asking)| asking.call).into_iter().collect()
}

fn find(state: &State, fits: impl Fn(&Stage) -> bool) -> (Option<&TaskId>, &State) {
    let below = lanes(state).iter().find(|lane| fits(&lane.state.stage));
    below.map_or((None, state), |lane| (Some(&lane.task), &lane.state))
}
