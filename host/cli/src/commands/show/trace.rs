//! A journal walked event by event: which one recorded what.

use crate::granted::granted_words;
use crate::lanes;
use crate::progress::Telling;
use crate::review::short;
use crate::terminal::one_line;
use anyhow::{Context, Result};
use ringfence_engine::{Answer, CallId, Effect, Event, EventKind, Run, StageName, State, StepId, Timestamp};
use ringfence_store::Journal;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of an event's line.
const LINE: usize = 400;

/// What the events of a run recorded.
pub(super) struct Trace {
    /// The event that recorded a step.
    pub(super) steps: BTreeMap<StepId, u64>,
    /// The event that led to the present stage, and when.
    pub(super) since: (u64, Timestamp),
    /// All events.
    pub(super) log: Vec<Logged>,
}

/// One event.
pub(super) struct Logged {
    /// Its number, from 1.
    pub(super) number: u64,
    pub(super) at: Timestamp,
    /// Its kind, as it is journaled.
    pub(super) kind: &'static str,
    /// Where it led.
    pub(super) stage: StageName,
    /// What it came to, in one line.
    pub(super) line: String,
    /// The steps that it recorded.
    pub(super) steps: Vec<StepId>,
}

impl Trace {
    /// Walks the journal. It has been replayed before: that it folds is known.
    pub(super) fn of(journal: &Journal) -> Result<Self> {
        let mut recorded = journal.events.iter();
        let first = recorded.next().context("the journal is empty")?;
        let (mut run, _) = Run::replay([first.event.clone()])?;
        let mut walk = Walk::default();
        walk.step(first.seq, &first.event, &run);
        for recorded in recorded {
            run.apply(recorded.event.clone())?;
            walk.step(recorded.seq, &recorded.event, &run);
        }
        Ok(Self { steps: walk.steps, since: walk.since, log: walk.log })
    }
}

struct Walk {
    telling: Telling,
    begun: BTreeSet<(CallId, u32)>,
    history: usize,
    steps: BTreeMap<StepId, u64>,
    stage: Option<StageName>,
    since: (u64, Timestamp),
    log: Vec<Logged>,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            telling: Telling::new(true),
            begun: BTreeSet::new(),
            history: 0,
            steps: BTreeMap::new(),
            stage: None,
            since: (0, Timestamp(0)),
            log: Vec::new(),
        }
    }
}

impl Walk {
    fn step(&mut self, number: u64, event: &Event, run: &Run) {
        let state = run.state();
        let stage = state.stage.name();
        if self.stage != Some(stage) {
            (self.stage, self.since) = (Some(stage), (number, event.at));
        }
        let steps = self.recorded(state);
        self.steps.extend(steps.iter().map(|step| (*step, number)));
        let told = self.telling.told(event, state);
        let line = one_line(&line(&event.kind, &told), LINE);
        self.log.push(Logged { number, at: event.at, kind: kind(&event.kind), stage, line, steps });
        self.begin(run);
    }

    /// The steps that weren't there before: in the record, or in that of a delegated run.
    fn recorded(&mut self, state: &State) -> Vec<StepId> {
        let own = state.history.iter().skip(self.history);
        let below = lanes::lanes(state).iter().flat_map(|lane| &lane.state.history);
        let steps = own.chain(below).map(|action| action.step);
        let new = steps.filter(|step| !self.steps.contains_key(step)).collect();
        self.history = state.history.len();
        new
    }

    /// What is under way from here on, so that its end can be told.
    fn begin(&mut self, run: &Run) {
        for effect in run.owed() {
            match effect {
                Effect::CallModel(call) if self.begun.insert((call.call, 1)) => {
                    self.telling.asked(&call, run.state());
                }
                Effect::CallTool(call) if self.begun.insert((call.call, call.attempt)) => {
                    self.telling.called(&call);
                }
                Effect::CallModel(_) | Effect::CallTool(_) | Effect::AskPerson(_) | Effect::Finish(_) => {}
            }
        }
    }
}

fn kind(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Started { .. } => "started",
        EventKind::ModelReplied { .. } => "model_replied",
        EventKind::ModelFailed { .. } => "model_failed",
        EventKind::ModelDropped { .. } => "model_dropped",
        EventKind::ToolFinished { .. } => "tool_finished",
        EventKind::ProposedAgain { .. } => "proposed_again",
        EventKind::Answered { .. } => "answered",
        EventKind::Interrupted => "interrupted",
        EventKind::Resumed { .. } => "resumed",
        EventKind::Replanned { .. } => "replanned",
        EventKind::Granted(_) => "granted",
        EventKind::ChangesSettled(_) => "changes_settled",
    }
}

fn line(kind: &EventKind, told: &[String]) -> String {
    let told = told.join("; ");
    let own = match kind {
        EventKind::Started { goal, .. } => goal.clone(),
        EventKind::Answered { review, answer } => format!("review {review}: {}", words(answer)),
        EventKind::ModelDropped { usage, .. } => {
            format!("given up in the middle; {} tokens had been used", usage.total())
        }
        EventKind::Resumed { rates: Some(_) } => "with other models".to_owned(),
        EventKind::ChangesSettled(settled) => match &settled.paths {
            None => format!("all staged changes {}", settled.how.name()),
            Some(paths) => format!("{}: {}", settled.how.name(), paths.join(", ")),
        },
        EventKind::Granted(granted) => {
            format!("{} allowed {}", granted.by, granted_words(&granted.grant))
        }
        EventKind::Resumed { rates: None }
        | EventKind::Interrupted
        | EventKind::Replanned { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::ModelFailed { .. }
        | EventKind::ToolFinished { .. }
        | EventKind::ProposedAgain { .. } => String::new(),
    };
    match (own.is_empty(), told.is_empty()) {
        (true, _) => told,
        (false, true) => own,
        (false, false) => format!("{own}; {told}"),
    }
}

fn words(answer: &Answer) -> String {
    match answer {
        Answer::Approve { plan: Some(hash) } => format!("approved plan {}", short(&hash.0)),
        Answer::Approve { plan: None } => "approved".to_owned(),
        Answer::EditPlan { tasks } => format!("edited the plan to {}", ids(tasks)),
        Answer::AddTasks { tasks } => format!("added {}", ids(tasks)),
        Answer::EditCall { input } => format!("edited the input to {input}"),
        Answer::EditAnswer { text } => format!("edited the answer to: {text}"),
        Answer::Reject { reason } => format!("rejected: {reason}"),
        Answer::Reply { text } => format!("said: {text}"),
        Answer::Abort => "aborted".to_owned(),
    }
}

fn ids(tasks: &[ringfence_engine::PlannedTask]) -> String {
    let ids: Vec<_> = tasks.iter().map(|task| task.id.0.as_str()).collect();
    ids.join(", ")
}
