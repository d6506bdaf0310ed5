//! Delegation: independent tasks worked on at the same time, each by a run of its own.
//!
//! A delegated run has its own stack and its share of the budget, and no planner. It works below
//! its run: ids come from there, spending counts there, and it sees that run's record. Results
//! join in the order of the plan, whatever ended first. Owns: which tasks are independent, making
//! the runs, finding the one that an event is for, joining.

use crate::bounds;
use crate::effect::Ending;
use crate::event::EventKind;
use crate::id::{CallId, ReviewId, RunId, TaskId};
use crate::plan::{SubTask, TaskStatus};
use crate::settings::{Limits, Settings};
use crate::stage::{Lane, Stage};
use crate::start;
use crate::state::{Action, Claim, Note, Said, State};

/// The tasks that can be worked on now, beside each other: at most as many as are allowed, the one
/// on top first. Fewer than two: there is nothing to delegate.
pub(crate) fn independent(state: &State) -> Vec<TaskId> {
    let allowed = usize::try_from(state.settings.parallel).unwrap_or(usize::MAX);
    let begun = state.stack.last().is_none_or(|top| top.status != TaskStatus::Pending);
    if state.delegated || allowed < 2 || begun {
        return Vec::new();
    }
    let is_open = |id: &TaskId| state.stack.iter().any(|task| task.planned.id == *id);
    let ready = |(place, task): &(usize, &SubTask)| match &task.planned.depends_on {
        Some(ids) => !ids.iter().any(is_open),
        // Left out, it waits for the one before it: there is none for the first.
        None => *place == 0,
    };
    let tasks = state.stack.iter().rev().enumerate().filter(ready);
    tasks.take(allowed).map(|(_, task)| task.planned.id.clone()).collect()
}

/// Whether the work on a task begins with this stage, as against going on.
pub(crate) fn begins_work(state: &State, stage: &Stage) -> bool {
    match stage {
        Stage::Deciding(asking) => {
            asking.reask.is_none() && asking.recovers.is_none() && independent(state).len() > 1
        }
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Delegating { .. }
        | Stage::Reflecting { .. }
        | Stage::PausedForReview { .. }
        | Stage::Finished
        | Stage::Failed { .. } => false,
    }
}

/// Takes these tasks off the stack, each into a run of its own that has not begun.
pub(crate) fn begin(state: &mut State, tasks: &[TaskId]) -> Vec<Lane> {
    let share = share(state, tasks.len());
    let mut lanes = Vec::new();
    for id in tasks {
        let Some(place) = state.stack.iter().position(|task| task.planned.id == *id) else { continue };
        let task = state.stack.remove(place);
        let settings = Settings { limits: share.clone(), parallel: 1, ..state.settings.clone() };
        let run = RunId(format!("{}.{id}", state.run));
        let mut below = start::state(run, state.goal.clone(), settings, state.clock.latest);
        below.delegated = true;
        below.stack.push(task);
        lanes.push(Lane { task: id.clone(), state: Box::new(below) });
    }
    lanes
}

/// Equal parts of what is left; time is the same for all, and the run above keeps it.
fn share(state: &State, parts: usize) -> Limits {
    let parts = u64::try_from(parts).unwrap_or(u64::MAX).max(1);
    let limits = &state.settings.limits;
    let left = limits.iterations.saturating_sub(state.iterations);
    let part = |cap: Option<u64>, used: u64| cap.map(|cap| (cap.saturating_sub(used) / parts).max(1));
    Limits {
        iterations: u32::try_from(u64::from(left) / parts).unwrap_or(left).max(1),
        tokens: part(limits.tokens, state.spent.tokens.total()),
        money: part(limits.money, state.spent.money),
        wall_clock_ms: None,
        ..limits.clone()
    }
}

/// The lane that an event is for.
pub(crate) fn lane_of(lanes: &[Lane], kind: &EventKind) -> Option<usize> {
    let place = |fits: &dyn Fn(&Stage) -> bool| lanes.iter().position(|lane| fits(&lane.state.stage));
    match kind {
        EventKind::ModelReplied { call, .. }
        | EventKind::ModelFailed { call, .. }
        | EventKind::ModelDropped { call, .. } => {
            place(&|stage| stage.asking().is_some_and(|(_, asking)| asking.call == *call))
        }
        EventKind::ToolFinished { call, .. } | EventKind::ProposedAgain { call } => {
            place(&|stage| is_due(stage, *call))
        }
        EventKind::Answered { review, .. } => place(&|stage| asks(stage, *review)),
        EventKind::Started { .. }
        | EventKind::Interrupted
        | EventKind::Resumed { .. }
        | EventKind::Replanned { .. }
        | EventKind::Granted(_)
        | EventKind::ChangesSettled(_) => None,
    }
}

fn is_due(stage: &Stage, call: CallId) -> bool {
    stage.turn().is_some_and(|turn| turn.due_call(call).is_some())
}

fn asks(stage: &Stage, id: ReviewId) -> bool {
    stage.review().is_some_and(|(review, _)| review.id == id)
}

/// Whether every delegated run has ended.
pub(crate) fn all_ended(lanes: &[Lane]) -> bool {
    lanes.iter().all(|lane| lane.state.stage.ending().is_some())
}

/// Takes over what the delegated runs did, in the order of the plan. True if a task failed.
pub(crate) fn join(state: &mut State, lanes: Vec<Lane>) -> bool {
    let mut told = Vec::new();
    let mut any_failed = false;
    for Lane { state: below, .. } in lanes {
        let State { stage, stack, done, history, said, notes, claims, .. } = *below;
        let why = match stage.ending() {
            Some(Ending::Achieved) => "was not worked on",
            Some(Ending::Failed { .. }) => "failed",
            Some(Ending::Limit { .. }) => "was given up when its part of the budget was used up",
            Some(Ending::Aborted) => "was ended by a person",
            None => "was stopped in the middle",
        };
        let open = stack.into_iter().rev().map(|task| SubTask {
            status: TaskStatus::Failed,
            summary: format!("{why} {}", task.summary).trim().to_owned(),
            ..task
        });
        for task in done.into_iter().chain(open) {
            let status = match task.status {
                TaskStatus::Completed => "is completed",
                TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Failed => {
                    any_failed = true;
                    "failed"
                }
            };
            told.push(format!("{} {status}: {}", task.planned.id, task.summary));
            state.done.push(task);
        }
        absorb(state, Record { history, said, notes, claims });
    }
    state.observation = Some(told.join("\n"));
    any_failed
}

/// Takes back delegated tasks that are dropped in the middle: what was done for them stays in the
/// record, and they are open again.
pub(crate) fn recall(state: &mut State, lanes: Vec<Lane>) {
    let mut open = Vec::new();
    for Lane { state: below, .. } in lanes {
        let State { stack, done, history, said, notes, claims, .. } = *below;
        open.push(stack);
        state.done.extend(done);
        absorb(state, Record { history, said, notes, claims });
    }
    // First in the plan, last on the stack.
    state.stack.extend(open.into_iter().rev().flatten());
}

/// What a delegated run leaves.
struct Record {
    history: Vec<Action>,
    said: Vec<Said>,
    notes: Vec<Note>,
    claims: Vec<Claim>,
}

fn absorb(state: &mut State, record: Record) {
    state.history.extend(record.history);
    state.said.extend(record.said);
    state.notes.extend(record.notes);
    state.notes.truncate(bounds::NOTES);
    for claim in record.claims {
        if state.claims.len() < bounds::CLAIMS_OF_A_RUN && !state.claims.contains(&claim) {
            state.claims.push(claim);
        }
    }
}

/// The delegated runs of a stage, also where it was put aside.
pub(crate) fn under(stage: &Stage) -> &[Lane] {
    match stage {
        Stage::Delegating { lanes } => lanes,
        Stage::PausedForReview { then, .. } | Stage::Reflecting { then, .. } => under(then),
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Finished
        | Stage::Failed { .. } => &[],
    }
}

/// The same, taken out of a stage that is dropped.
pub(crate) fn out_of(stage: Stage) -> Vec<Lane> {
    match stage {
        Stage::Delegating { lanes } => lanes,
        Stage::PausedForReview { then, .. } | Stage::Reflecting { then, .. } => out_of(*then),
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Finished
        | Stage::Failed { .. } => Vec::new(),
    }
}
