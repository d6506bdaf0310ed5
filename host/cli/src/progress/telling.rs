//! What there is to say of an event, in lines, once the state has taken it in.
//!
//! Remembers what an event alone doesn't tell: who asked, which step a call is, which tasks were
//! worked on at the same time. Doesn't own: where lines are shown, what a reply comes to
//! (`replies`).

use super::replies;
use crate::lanes;
use crate::review::short;
use crate::terminal::plain;
use ringfence_engine::{
    CallId, Event, EventKind, Flow, ModelCall, ModelStage, OutcomeStatus, Stage, State, StepId, Subject,
    TaskId, TaskStatus, ToolCall, ToolOutcome,
};
use ringfence_models::playbook::analyst::plural;
use std::collections::BTreeMap;

/// A model call that went out.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) stage: ModelStage,
    /// The delegated task that it is for.
    pub(super) lane: Option<TaskId>,
    /// Whether it is the stage's one recovery already.
    pub(super) recovers: bool,
}

/// A tool call that was made.
#[derive(Debug, Clone)]
struct Made {
    step: StepId,
    lane: Option<TaskId>,
    attempt: u32,
}

/// What was known before an event.
#[derive(Debug, Default)]
pub(crate) struct Telling {
    /// Whether whoever approves a plan has just seen it.
    shown_plans: bool,
    told_plan: u32,
    flow: Flow,
    asked: BTreeMap<CallId, Asked>,
    made: BTreeMap<CallId, Made>,
    together: Vec<TaskId>,
}

impl Telling {
    pub(crate) fn new(shown_plans: bool) -> Self {
        Self { shown_plans, ..Self::default() }
    }

    /// A model is asked; gives what is being done.
    pub(crate) fn asked(&mut self, call: &ModelCall, state: &State) -> String {
        self.look(state);
        let (lane, own) = lanes::caller(state, call.call);
        let asking = own.stage.asking().map(|(_, asking)| asking);
        let recovers = asking.is_some_and(|asking| asking.recovers.is_some());
        let again = match asking {
            Some(asking) if asking.reask.is_some() => ", once more",
            Some(_) if recovers => ", afresh",
            Some(_) | None => "",
        };
        let task = match call.stage {
            ModelStage::Decide | ModelStage::Evaluate => own.stack.last().map(|task| &task.planned.id),
            ModelStage::Plan | ModelStage::Reason | ModelStage::Converse | ModelStage::Reflect => lane,
        };
        let what = format!("{}{again}", doing(call.stage));
        self.asked.insert(call.call, Asked { stage: call.stage, lane: lane.cloned(), recovers });
        let (number, limit) = (state.iterations + 1, state.settings.limits.iterations);
        format!("[{number}/{limit}] {}{what}", of_task(task))
    }

    /// A tool is called; gives what is being done.
    pub(crate) fn called(&mut self, call: &ToolCall) -> String {
        let lane = self.together.contains(&call.task).then(|| call.task.clone());
        self.made.insert(call.call, Made { step: call.step, lane, attempt: call.attempt });
        let task = (self.flow == Flow::Staged).then_some(&call.task);
        let again = if call.attempt > 1 { format!("try {}: ", call.attempt) } else { String::new() };
        format!("{}{again}{}", of_task(task), crate::review::call_line(call))
    }

    /// What there is to say of an event.
    pub(crate) fn told(&mut self, event: &Event, state: &State) -> Vec<String> {
        let mut lines = Vec::new();
        let number = state.iterations;
        let lane = self.lane_of(&event.kind);
        let own = own_state(state, lane.as_ref());
        let by = lane.as_ref().map_or_else(String::new, |task| format!("({}) ", plain(&task.0)));
        match &event.kind {
            EventKind::ModelReplied { call, .. } => {
                let asked = self.asked.remove(call);
                let asked = asked.as_ref();
                lines.push(match replies::line(*call, asked, own, lane.as_ref()) {
                    replies::Line::Numbered(line) => format!("[{number}] {by}{line}"),
                    replies::Line::OfTask(line) => format!("[{number}] {line}"),
                    replies::Line::Aside(line) => format!("{by}{line}"),
                });
            }
            EventKind::ModelFailed { call, failure } => {
                self.asked.remove(call);
                lines.push(format!("[{number}] {by}{}", plain(&failure.message)));
            }
            EventKind::ToolFinished { call, outcome } => {
                lines.push(format!("[{number}] {by}{}", self.ended(*call, outcome, own)));
                self.made.remove(call);
            }
            EventKind::Answered { .. } if !self.shown_plans => self.plan(state, &mut lines),
            EventKind::ProposedAgain { .. } => {
                lines.push(format!("[{number}] {by}what the call would change is to be seen first"));
            }
            EventKind::Replanned { .. } => {
                lines.push("a person set the open tasks".to_owned());
                self.plan(state, &mut lines);
            }
            EventKind::Started { .. }
            | EventKind::ModelDropped { .. }
            | EventKind::Answered { .. }
            | EventKind::Interrupted
            // A person's own doing, at another command.
            | EventKind::Granted(_)
            | EventKind::ChangesSettled(_)
            | EventKind::Resumed { .. } => {}
        }
        detours(own, &by, number, &mut lines);
        self.delegation(state, number, &mut lines);
        self.look(state);
        lines
    }

    fn look(&mut self, state: &State) {
        self.flow = state.settings.flow;
        self.together = lanes::lanes(state).iter().map(|lane| lane.task.clone()).collect();
    }

    /// The delegated task that an event is for.
    fn lane_of(&self, kind: &EventKind) -> Option<TaskId> {
        match kind {
            EventKind::ModelReplied { call, .. }
            | EventKind::ModelFailed { call, .. }
            | EventKind::ModelDropped { call, .. } => self.asked.get(call)?.lane.clone(),
            EventKind::ToolFinished { call, .. } | EventKind::ProposedAgain { call } => {
                self.made.get(call)?.lane.clone()
            }
            EventKind::Started { .. }
            | EventKind::Answered { .. }
            | EventKind::Interrupted
            | EventKind::Resumed { .. }
            | EventKind::Granted(_)
            | EventKind::ChangesSettled(_)
            | EventKind::Replanned { .. } => None,
        }
    }

    fn ended(&self, call: CallId, outcome: &ToolOutcome, own: &State) -> String {
        let made = self.made.get(&call);
        let step = made.map_or(0, |made| made.step.0);
        let again = own.stage.worked_on().turn().and_then(|turn| {
            let slot = turn.slots.iter().find(|slot| slot.call.call == call)?;
            Some(slot.call.attempt).filter(|attempt| made.is_some_and(|made| made.attempt < *attempt))
        });
        let status = match outcome.status {
            OutcomeStatus::Done => "done".to_owned(),
            OutcomeStatus::Failed
            | OutcomeStatus::Trapped
            | OutcomeStatus::Denied
            | OutcomeStatus::Exceeded
            | OutcomeStatus::Cancelled => {
                format!("{}: {}", outcome.status.name(), plain(&outcome.message))
            }
        };
        let again = again.map_or_else(String::new, |attempt| format!(" (in passing; try {attempt} follows)"));
        format!("step {step}: {status}{again}")
    }

    /// A plan that was approved without being seen.
    fn plan(&mut self, state: &State, lines: &mut Vec<String>) {
        let Some(plan) = state.plans.last() else { return };
        if !plan.approved || plan.version <= self.told_plan {
            return;
        }
        self.told_plan = plan.version;
        lines.push(format!("plan, version {} ({}):", plan.version, short(&plan.hash.0)));
        for (number, task) in plan.tasks.iter().enumerate() {
            lines.push(format!("{}. {}: {}", number + 1, plain(&task.id.0), plain(&task.description)));
        }
    }

    /// Tasks that begin to be worked on at the same time, and what came of those that were.
    fn delegation(&self, state: &State, number: u32, lines: &mut Vec<String>) {
        let now: Vec<&TaskId> = lanes::lanes(state).iter().map(|lane| &lane.task).collect();
        let gone = |task: &&TaskId| !now.contains(task);
        let joined: Vec<String> = self
            .together
            .iter()
            .filter(gone)
            .filter_map(|task| {
                let done = state.done.iter().find(|done| done.planned.id == *task)?;
                let how = if done.status == TaskStatus::Completed { "completed" } else { "failed" };
                Some(format!("{} {how}", plain(&task.0)))
            })
            .collect();
        if !joined.is_empty() {
            let count = plural(joined.len() as u64, "task");
            lines.push(format!("[{number}] joined {count}: {}", joined.join(", ")));
        }
        let new: Vec<_> = now.iter().filter(|task| !self.together.contains(task)).collect();
        if !new.is_empty() {
            let new: Vec<_> = new.into_iter().map(|task| plain(&task.0)).collect();
            lines.push(format!("[{number}] working at the same time on {}", new.join(", ")));
        }
    }
}

/// Where the run goes aside: to a review of its work, or to a person because it stands still.
fn detours(own: &State, by: &str, number: u32, lines: &mut Vec<String>) {
    match &own.stage {
        Stage::Reflecting { why, asking, .. } if asking.reask.is_none() => {
            lines.push(format!("[{number}] {by}the work so far is to be reviewed: {}", plain(why)));
        }
        Stage::PausedForReview { review, .. } => match &review.subject {
            Subject::Stagnation { seen } => {
                lines.push(format!("[{number}] {by}paused, since it repeats itself: {}", plain(seen)));
            }
            Subject::Plan { .. }
            | Subject::Call { .. }
            | Subject::Judgement { .. }
            | Subject::Finish { .. }
            | Subject::Question { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { .. }
            | Subject::Interrupted => {}
        },
        Stage::Reflecting { .. }
        | Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Delegating { .. }
        | Stage::Finished
        | Stage::Failed { .. } => {}
    }
}

/// The run that an event was for: the delegated one, or the one above once it has joined.
fn own_state<'s>(state: &'s State, lane: Option<&TaskId>) -> &'s State {
    let below = lane.and_then(|task| lanes::lanes(state).iter().find(|lane| lane.task == *task));
    below.map_or(state, |lane| &lane.state)
}

fn of_task(task: Option<&TaskId>) -> String {
    task.map_or_else(String::new, |task| format!("{}: ", plain(&task.0)))
}

fn doing(stage: ModelStage) -> &'static str {
    match stage {
        ModelStage::Plan => "planning",
        ModelStage::Decide => "deciding",
        ModelStage::Evaluate => "evaluating",
        ModelStage::Reason => "reasoning",
        ModelStage::Converse => "thinking",
        ModelStage::Reflect => "reviewing the work so far",
    }
}

#[cfg(test)]
mod tests;
