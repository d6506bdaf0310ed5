//! A run: its state, the events that change it, the effects that it owes.

use crate::admit::{Admitted, admit, worked_on};
use crate::effect::{Effect, Ending, ModelCall, ModelStage, Subject};
use crate::event::{Event, EventKind};
use crate::facts::Facts;
use crate::flow::{self, Outcome, Step, enter};
use crate::guard;
use crate::prompts::{self, PromptError};
use crate::refused::{Refused, ReplayError};
use crate::review::{settle, take_up};
use crate::schema;
use crate::settings::Prompts;
use crate::stages;
use crate::start;
use crate::state::{Asking, Stage, State};

/// A run. Two runs that saw the same events are equal.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    state: State,
}

/// Whether a first event is asked for or was accepted before. What was recorded isn't checked
/// again: a run stays readable where later checks are stricter.
enum Known {
    New,
    Recorded,
}

impl Run {
    /// Begins a run with its first event, which must be `Started`; gives what is owed.
    ///
    /// Refuses a goal, settings, tools or prompt templates that can't be worked with.
    pub fn start(event: Event) -> Result<(Self, Vec<Effect>), Refused> {
        let run = Self::begin(event, Known::New)?;
        let owed = run.owed();
        Ok((run, owed))
    }

    /// Takes one event; gives what is owed now.
    ///
    /// An event that doesn't fit is refused with a reason, and the state stays as it was. An
    /// answer to a call that an interruption put aside is still taken: the run stays paused and
    /// goes on from there.
    pub fn apply(&mut self, event: Event) -> Result<Vec<Effect>, Refused> {
        self.take(event)?;
        Ok(self.owed())
    }

    /// Takes up a saved state, as it was.
    pub fn from_state(state: State) -> Self {
        Self { state }
    }

    /// Rebuilds a run from its journal; gives what its state says is owed.
    ///
    /// Whoever takes over from a driver that is gone applies `Resumed` next, instead of carrying
    /// these effects out: they may have been under way.
    pub fn replay(events: impl IntoIterator<Item = Event>) -> Result<(Self, Vec<Effect>), ReplayError> {
        let mut events = events.into_iter().zip(1..);
        let (first, number) = events.next().ok_or(ReplayError::Empty)?;
        let unfit = |number| move |why| ReplayError::Unfit { number, why };
        let mut run = Self::begin(first, Known::Recorded).map_err(unfit(number))?;
        for (event, number) in events {
            run.take(event).map_err(unfit(number))?;
        }
        let owed = run.owed();
        Ok((run, owed))
    }

    /// The whole state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What is owed now: it follows from the state alone. At present it is always one effect.
    pub fn owed(&self) -> Vec<Effect> {
        vec![match &self.state.stage {
            Stage::Planning(asking) => self.request(ModelStage::Plan, asking),
            Stage::Deciding(asking) => self.request(ModelStage::Decide, asking),
            Stage::Evaluating(asking) => self.request(ModelStage::Evaluate, asking),
            Stage::Executing { call } => Effect::CallTool(call.clone()),
            Stage::PausedForReview { review, .. } => Effect::AskPerson(review.clone()),
            Stage::Finished => Effect::Finish(Ending::Achieved),
            Stage::Failed { ending } => Effect::Finish(ending.clone()),
            // Never outside `start`, which leaves it at once.
            Stage::Initializing => return Vec::new(),
        }]
    }

    fn begin(event: Event, known: Known) -> Result<Self, Refused> {
        let EventKind::Started { run, goal, settings } = event.kind else {
            return Err(Refused::NotStarted);
        };
        match known {
            Known::New => start::check(&goal, &settings)?,
            Known::Recorded => {}
        }
        let mut run = Self { state: start::state(run, goal, *settings, event.at) };
        run.go(Outcome::Began);
        Ok(run)
    }

    fn take(&mut self, event: Event) -> Result<(), Refused> {
        let admitted = admit(&self.state, event.kind)?;
        if self.state.stage.ending().is_none() {
            let resumed = matches!(admitted, Admitted::Resumed);
            guard::tick(&mut self.state.clock, &self.state.stage, event.at, resumed);
        }
        self.fold(admitted);
        Ok(())
    }

    fn fold(&mut self, admitted: Admitted) {
        let state = &mut self.state;
        match admitted {
            Admitted::Nothing => {}
            Admitted::Replied { stage, asking, reply } => {
                self.working(|state| stages::replied(state, stage, &asking, &reply))
            }
            Admitted::Unanswered { stage, asking, failure } => {
                self.working(|state| stages::unanswered(state, stage, &asking, &failure))
            }
            Admitted::ToolEnded { call, outcome } => {
                self.working(|state| stages::tool_ended(state, call, outcome));
            }
            Admitted::Answered(resolution) => {
                let then = match std::mem::replace(&mut state.stage, Stage::Initializing) {
                    Stage::PausedForReview { then, .. } => *then,
                    other => other,
                };
                let outcome = settle(state, resolution, then);
                self.go(outcome);
            }
            Admitted::Interrupted => {
                let stage = std::mem::replace(&mut state.stage, Stage::Initializing);
                self.go(Outcome::Interrupted(Box::new(stage)));
            }
            Admitted::Resumed => {
                let stage = std::mem::replace(&mut state.stage, Stage::Initializing);
                self.go(take_up(stage));
            }
        }
    }

    /// Folds the answer to the stage that is worked on. Under an interruption the run goes on to
    /// where the answer leads, and stays interrupted there.
    fn working(&mut self, answer: impl FnOnce(&mut State) -> Outcome) {
        let in_place = std::ptr::eq(worked_on(&self.state.stage), &self.state.stage);
        if in_place {
            let outcome = answer(&mut self.state);
            self.go(outcome);
            return;
        }
        let paused = std::mem::replace(&mut self.state.stage, Stage::Initializing);
        let Stage::PausedForReview { review, then } = paused else {
            self.state.stage = paused;
            return;
        };
        self.state.stage = *then;
        let outcome = answer(&mut self.state);
        self.go(outcome);
        if self.state.stage.ending().is_none() {
            let then = std::mem::replace(&mut self.state.stage, Stage::Initializing);
            self.state.stage = Stage::PausedForReview { review, then: Box::new(then) };
        }
    }

    /// Goes where the flow and the guards lead.
    fn go(&mut self, outcome: Outcome) {
        let step = guard::hold(&self.state, flow::next(&self.state, outcome));
        enter(&mut self.state, step);
        // A person's own template may fail on data that its check didn't try.
        if let Some((stage, error)) = self.unrenderable() {
            let step = Step::Pause {
                subject: Subject::StageFailed { stage, why: error.to_string(), unreachable: false },
                then: Box::new(Step::Ask(stage)),
            };
            enter(&mut self.state, step);
        }
    }

    fn unrenderable(&self) -> Option<(ModelStage, PromptError)> {
        let stage = match &self.state.stage {
            Stage::Planning(_) => ModelStage::Plan,
            Stage::Deciding(_) => ModelStage::Decide,
            Stage::Evaluating(_) => ModelStage::Evaluate,
            Stage::Initializing
            | Stage::Executing { .. }
            | Stage::PausedForReview { .. }
            | Stage::Finished
            | Stage::Failed { .. } => return None,
        };
        let rendered = prompts::render(&self.state.settings.prompts, stage, &self.state);
        rendered.err().map(|error| (stage, error))
    }

    fn request(&self, stage: ModelStage, asking: &Asking) -> Effect {
        let state = &self.state;
        // `go` never leaves a stage here whose template fails; the built-in one is for a state
        // that came from elsewhere.
        let rendered = prompts::render(&state.settings.prompts, stage, state)
            .or_else(|_| prompts::render(&Prompts::default(), stage, state))
            .unwrap_or_default();
        Effect::CallModel(ModelCall {
            call: asking.call,
            stage,
            system: rendered.system,
            user: rendered.user,
            schema: schema::sent(stage, &state.settings.tools),
            // Plain data: writing it as JSON can't fail.
            facts: serde_json::to_value(Facts::of(state, stage)).unwrap_or_default(),
            max_tokens: asking.max_tokens,
            timeout_ms: state.settings.limits.model_call_ms,
        })
    }
}
