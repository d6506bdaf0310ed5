//! Progress for people: one line per thing that happened, and a spinner while something is awaited.

use super::{Notice, Observer};
use crate::output::err;
use crate::review::{call_line, short};
use crate::terminal::{one_line, plain};
use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ringfence_engine::{
    CallId, Deed, EventKind, ModelStage, OutcomeStatus, Stage, State, StepId, Subject, Turn,
};
use ringfence_models::playbook::analyst::plural;
use std::collections::BTreeMap;
use std::time::Duration;

/// Columns of a line that isn't read on a terminal.
const LINE: usize = 160;

/// Writes to standard error; the spinner shows only on a terminal.
pub struct Lines {
    spinner: ProgressBar,
    columns: usize,
    asking: bool,
    /// The newest version of the plan that was told.
    told_plan: u32,
    /// The steps of the calls that were made.
    steps: BTreeMap<CallId, StepId>,
}

impl Lines {
    /// `live`: standard error is a terminal. `asking`: a person sees what they approve, so it
    /// needn't be told again.
    pub fn new(live: bool, asking: bool) -> Self {
        let target = if live { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let spinner = ProgressBar::with_draw_target(None, target);
        spinner.set_style(
            ProgressStyle::with_template("{spinner} {msg} ({elapsed})")
                .unwrap_or(ProgressStyle::default_spinner()),
        );
        let columns =
            if live { usize::from(Term::stderr().size().1).saturating_sub(1).max(40) } else { LINE };
        Self { spinner, columns, asking, told_plan: 0, steps: BTreeMap::new() }
    }

    fn wait_for(&self, what: String) {
        self.spinner.reset();
        self.spinner.set_message(what);
        self.spinner.enable_steady_tick(Duration::from_millis(120));
    }

    fn say(&self, line: &str) {
        let line = one_line(line, self.columns);
        if self.spinner.is_hidden() {
            err(&format!("{line}\n"));
        } else {
            self.spinner.println(line);
        }
    }

    fn rest(&self) {
        self.spinner.disable_steady_tick();
        self.spinner.finish_and_clear();
    }
}

impl Observer for Lines {
    fn notice(&mut self, notice: Notice<'_>) {
        match notice {
            Notice::ModelChosen { identity } => self.say(&format!("model: {}", plain(identity))),
            Notice::Opened { run, resumed: false } => self.say(&format!("run: {run}")),
            Notice::Opened { run, resumed: true } => self.say(&format!("run: {run} (resumed)")),
            Notice::ModelAsked { call, state } => {
                self.wait_for(format!(
                    "[{}/{}] {}",
                    state.iterations + 1,
                    state.settings.limits.iterations,
                    doing(call.stage)
                ));
            }
            Notice::ToolCalled { call } => {
                self.steps.insert(call.call, call.step);
                self.wait_for(one_line(&call_line(call), self.columns.saturating_sub(16)))
            }
            Notice::Compiling { component } => {
                let what = format!("compiling `{}`, once for this version", plain(component));
                if self.spinner.is_hidden() {
                    self.say(&what);
                }
                self.wait_for(what);
            }
            Notice::Compiled { component, took } => {
                self.say(&format!(
                    "compiled `{}` in {:.1} s (kept for later runs)",
                    plain(component),
                    took.as_secs_f64()
                ));
            }
            Notice::Happened { event, state } => {
                self.rest();
                if let (EventKind::Answered { .. }, false, Some(plan)) =
                    (&event.kind, self.asking, state.plans.last())
                    && plan.approved
                    && plan.version > self.told_plan
                {
                    self.told_plan = plan.version;
                    self.say(&format!("plan, version {} ({}):", plan.version, short(&plan.hash.0)));
                    for (number, task) in plan.tasks.iter().enumerate() {
                        let number = number + 1;
                        self.say(&format!("{number}. {}: {}", plain(&task.id.0), plain(&task.description)));
                    }
                }
                if let Some(line) = line_of(&event.kind, state, &self.steps) {
                    self.say(&line);
                }
            }
            Notice::Asking { .. } | Notice::Halted { .. } => self.rest(),
        }
    }
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

/// What there is to say of an event, once the state has taken it in.
fn line_of(event: &EventKind, state: &State, steps: &BTreeMap<CallId, StepId>) -> Option<String> {
    let number = state.iterations;
    match event {
        EventKind::ModelReplied { call, .. } => {
            let noted =
                state.notes.iter().rev().find(|note| note.call == *call).map(|note| plain(&note.text));
            let stage = &state.stage;
            let line = match stage {
                Stage::Executing { turn } => format!("[{number}] decided: {}", turn_line(turn)),
                Stage::Deciding(_) | Stage::Planning(_) | Stage::Finished => last_done(state, number),
                Stage::PausedForReview { review, .. } => match &review.subject {
                    Subject::Plan { plan } => {
                        format!("[{number}] planned: {}", plural(plan.tasks.len() as u64, "task"))
                    }
                    Subject::Call { call, .. } => format!("[{number}] decided: {}", call_line(call)),
                    Subject::Question { .. } => format!("[{number}] decided: to ask a person"),
                    Subject::Judgement { task, summary, .. } => {
                        format!("[{number}] {}: {}", plain(&task.0), plain(summary))
                    }
                    Subject::Finish { .. } => format!("[{number}] the goal is said to be achieved"),
                    Subject::Stagnation { .. }
                    | Subject::UnknownOutcome { .. }
                    | Subject::StageFailed { .. }
                    | Subject::Interrupted => format!("[{number}] paused for review"),
                },
                Stage::Delegating { lanes } => {
                    let tasks: Vec<_> = lanes.iter().map(|lane| plain(&lane.task.0)).collect();
                    format!("[{number}] working at the same time on {}", tasks.join(", "))
                }
                Stage::Reflecting { why, .. } => format!("[{number}] to be reviewed: {}", plain(why)),
                Stage::Initializing
                | Stage::Evaluating(_)
                | Stage::Thinking(_)
                | Stage::Observing(_)
                | Stage::Conversing(_)
                | Stage::Failed { .. } => format!("[{number}] answered"),
            };
            let asked_again = stage.asking().is_some_and(|(_, asking)| asking.reask.is_some());
            Some(match noted {
                Some(note) if asked_again => format!("the reply can't be used, asking once more ({note})"),
                Some(note) => format!("{line} ({note})"),
                None => line,
            })
        }
        EventKind::ModelFailed { failure, .. } => Some(format!("[{number}] {}", plain(&failure.message))),
        EventKind::ToolFinished { call, outcome } => {
            let step = steps.get(call).map_or(0, |step| step.0);
            Some(match outcome.status {
                OutcomeStatus::Done => format!("[{number}] step {step}: done"),
                OutcomeStatus::Failed
                | OutcomeStatus::Trapped
                | OutcomeStatus::Denied
                | OutcomeStatus::Exceeded
                | OutcomeStatus::Cancelled => {
                    format!("[{number}] step {step}: {}: {}", outcome.status.name(), plain(&outcome.message))
                }
            })
        }
        EventKind::Started { .. }
        | EventKind::Answered { .. }
        | EventKind::Interrupted
        | EventKind::Replanned { .. }
        | EventKind::Resumed { .. } => None,
    }
}

/// The calls of a turn in one line.
fn turn_line(turn: &Turn) -> String {
    let calls: Vec<_> = turn.slots.iter().map(|slot| call_line(&slot.call)).collect();
    calls.join("; ")
}

/// After an evaluation: the task it was about; after a plan that needed no review: how many tasks.
fn last_done(state: &State, number: u32) -> String {
    let evaluated = state.history.last().filter(|action| !action.summary.is_empty());
    match (&state.stage, evaluated) {
        (Stage::Finished, _) => format!("[{number}] the goal is achieved"),
        (_, Some(action)) if matches!(action.deed, Deed::Tool { .. }) => {
            format!("[{number}] {}: {}", plain(&action.task.0), plain(&action.summary))
        }
        _ => format!("[{number}] {}", plural(state.stack.len() as u64, "open task")),
    }
}
