//! The beginning of one run as that of another.
//!
//! Owns: where a run can be forked, and the new run's first steps. Doesn't own: writing them,
//! going on from them.

use crate::args::LimitArgs;
use crate::driver::intents;
use crate::executor::STAGE_MARK;
use crate::exit::{OrUsage, Refusal};
use anyhow::{Context, Result};
use ringfence_engine::{
    Answer, Event, EventKind, Intent, PlannedTask, ReceiptId, Run, RunId, Stage, Subject, Timestamp,
};
use ringfence_sandbox::Mark;
use ringfence_store::{Entry, Journal, Recorded};
use serde_json::Value;

/// A new run up to where it leaves the other one.
pub(super) struct Branch {
    /// As it is there.
    pub(super) run: Run,
    steps: Vec<Step>,
}

struct Step {
    event: Event,
    intents: Vec<Intent>,
    receipts: Vec<(ReceiptId, Value)>,
    stage: Stage,
}

impl Branch {
    /// The run `id`, which begins with the first `at` events of another, under these limits where
    /// they are given.
    pub(super) fn of(journal: &Journal, at: u64, id: &RunId, limits: &LimitArgs) -> Result<Self> {
        let mut events = journal.events.iter();
        let first = events.next().context("a journal has a first event")?;
        let started = renamed(&first.event, id, limits)?;
        let (mut run, owed) = match limits.any() {
            true => Run::start(started.clone()).or_usage()?,
            false => Run::replay([started.clone()]).with_context(|| unfit(journal, 1))?,
        };
        let mut receipts = journal.receipts.iter().peekable();
        let mut receipts_of = |seq: u64| {
            let mut own = Vec::new();
            while let Some(stored) = receipts.next_if(|stored| stored.seq <= seq) {
                own.push((stored.id.clone(), stored.receipt.clone()));
            }
            own
        };
        let step = |event: Event, intents: Vec<Intent>, receipts, run: &Run| {
            let stage = run.state().stage.clone();
            Step { event, intents, receipts, stage }
        };
        let mut branch = vec![step(started, intents(&[], &owed), receipts_of(1), &run)];
        for Recorded { seq, event, .. } in events.take_while(|recorded| recorded.seq <= at) {
            let before = run.owed();
            let owed = match run.apply(event.clone()) {
                Ok(owed) => owed,
                Err(_) if limits.any() => return Err(another_way(journal, *seq).into()),
                Err(error) => return Err(error).with_context(|| unfit(journal, *seq)),
            };
            branch.push(step(event.clone(), intents(&before, &owed), receipts_of(*seq), &run));
        }
        if branch.len() as u64 == at && run.state().stage.ending().is_none() {
            return Ok(Self { run, steps: branch });
        }
        Err(out_of_reach(journal, at)?.into())
    }

    /// Sets the open tasks: as the answer where a plan is being reviewed, else unasked.
    pub(super) fn replan(&mut self, tasks: Vec<PlannedTask>, now: Timestamp) -> Result<(), Refusal> {
        let kind = match self.run.state().stage.review() {
            Some((review, _)) if matches!(review.subject, Subject::Plan { .. }) => {
                EventKind::Answered { review: review.id, answer: Answer::EditPlan { tasks } }
            }
            Some(_) | None => EventKind::Replanned { tasks },
        };
        let event = Event { at: now, worked_ms: Some(0), kind };
        let before = self.run.owed();
        let owed = self.run.apply(event.clone()).or_usage()?;
        let stage = self.run.state().stage.clone();
        self.steps.push(Step { event, intents: intents(&before, &owed), receipts: Vec::new(), stage });
        Ok(())
    }

    /// The state of the stage after the last call that could change it; none if there was no such
    /// call.
    pub(super) fn stage_mark(&self) -> Result<Option<Mark>> {
        let receipts = self.steps.iter().rev().flat_map(|step| step.receipts.iter().rev());
        let mark = receipts.filter_map(|(_, receipt)| receipt.get(STAGE_MARK)).next();
        mark.map(|mark| serde_json::from_value(mark.clone())).transpose().context("a receipt is damaged")
    }

    /// What the new run is entered with.
    pub(super) fn entries(&self) -> Vec<Entry<'_>> {
        let steps = self.steps.iter();
        steps
            .map(|Step { event, intents, receipts, stage }| Entry { event, intents, receipts, stage })
            .collect()
    }
}

fn renamed(first: &Event, id: &RunId, limits: &LimitArgs) -> Result<Event> {
    let mut event = first.clone();
    match &mut event.kind {
        EventKind::Started { run, settings, .. } => {
            run.clone_from(id);
            limits.lay_over(&mut settings.limits);
        }
        EventKind::ModelReplied { .. }
        | EventKind::ModelFailed { .. }
        | EventKind::ModelDropped { .. }
        | EventKind::ToolFinished { .. }
        | EventKind::ProposedAgain { .. }
        | EventKind::Answered { .. }
        | EventKind::Interrupted
        | EventKind::Resumed { .. }
        | EventKind::Granted(_)
        | EventKind::ChangesSettled(_)
        | EventKind::Replanned { .. } => anyhow::bail!("a run's first event isn't its start"),
    }
    Ok(event)
}

/// Under other limits an event doesn't fit any more.
fn another_way(journal: &Journal, seq: u64) -> Refusal {
    let id = &journal.run.id;
    Refusal::usage(format!("under these limits run {id} would have gone another way by event {seq}"))
        .hint(format!("fork it before: --at {}, or without new limits", seq - 1))
}

/// Why the run can't be forked there, and where it can.
fn out_of_reach(journal: &Journal, at: u64) -> Result<Refusal> {
    let (id, count) = (&journal.run.id, journal.events.len() as u64);
    let mut run: Option<Run> = None;
    let mut ended = None;
    for Recorded { seq, event, .. } in &journal.events {
        match &mut run {
            None => run = Some(Run::replay([event.clone()]).with_context(|| unfit(journal, *seq))?.0),
            Some(run) => drop(run.apply(event.clone()).with_context(|| unfit(journal, *seq))?),
        }
        if run.as_ref().is_some_and(|run| run.state().stage.ending().is_some()) {
            ended = Some(*seq);
            break;
        }
    }
    let why = match ended {
        Some(end) if at <= count => format!("run {id} had ended by event {at}: its end is event {end}"),
        Some(_) | None => format!("run {id} has no event {at}, only {count}"),
    };
    let last = ended.map_or(count, |end| end - 1);
    let hint = match last {
        0 => "it ended as it began, so there is nothing to fork".to_owned(),
        last => format!("it can be forked with --at 1 to {last}"),
    };
    Ok(Refusal::usage(why).hint(hint))
}

fn unfit(journal: &Journal, seq: u64) -> String {
    format!(
        "event {seq} of run {} doesn't fold: it was written by another version, or is damaged",
        journal.run.id
    )
}
