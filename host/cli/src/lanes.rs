//! Which run something belongs to: the run itself, or one that works on a delegated task.
//!
//! Only reads states; what happens in them is the engine's business.

use ringfence_engine::{CallId, Lane, ReviewId, Stage, State, Subject, TaskId};

/// The runs at work on independent tasks; also while an interruption put them aside.
pub fn lanes(state: &State) -> &[Lane] {
    match worked_on(&state.stage) {
        Stage::Delegating { lanes } => lanes,
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Reflecting { .. }
        | Stage::PausedForReview { .. }
        | Stage::Finished
        | Stage::Failed { .. } => &[],
    }
}

/// The stage that is worked on, also where an interruption put it aside.
pub fn worked_on(stage: &Stage) -> &Stage {
    match stage {
        Stage::PausedForReview { review, then } if review.subject == Subject::Interrupted => then,
        other => other,
    }
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
    let executes = |stage: &Stage| matches!(worked_on(stage), Stage::Executing { .. });
    executes(&state.stage) || lanes(state).iter().any(|lane| executes(&lane.state.stage))
}

fn calls(stage: &Stage) -> Vec<CallId> {
    let stage = worked_on(stage);
    if let Stage::Executing { turn } = stage {
        return turn.due().into_iter().map(|call| call.call).collect();
    }
    stage.asking().map(|(_, asking)| asking.call).into_iter().collect()
}

fn find(state: &State, fits: impl Fn(&Stage) -> bool) -> (Option<&TaskId>, &State) {
    let below = lanes(state).iter().find(|lane| fits(&lane.state.stage));
    below.map_or((None, state), |lane| (Some(&lane.task), &lane.state))
}
