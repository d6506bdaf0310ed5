//! A run: its state, the events that change it, the effects that it owes.

use crate::afford;
use crate::effect::{Effect, Ending, ModelCall, ToolCall};
use crate::event::{Event, EventKind};
use crate::facts::Facts;
use crate::flow::Outcome;
use crate::fold;
use crate::guard;
use crate::id::CallId;
use crate::prompt::Prompt;
use crate::prompts;
use crate::refused::{Refused, ReplayError};
use crate::scope::Scope;
use crate::settings::Flow;
use crate::stage::Stage;
use crate::stages;
use crate::start;
use crate::state::State;

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

    /// Takes one event; gives what is owed now, which may have been owed before.
    ///
    /// An event that doesn't fit is refused with a reason, and the state stays as it was. An
    /// answer to a call that an interruption put aside is still taken: the run stays paused and
    /// goes on from there.
    pub fn apply(&mut self, event: Event) -> Result<Vec<Effect>, Refused> {
        fold::take(&mut self.state, None, event)?;
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
            fold::take(&mut run.state, None, event).map_err(unfit(number))?;
        }
        let owed = run.owed();
        Ok((run, owed))
    }

    /// The whole state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What is owed now: it follows from the state alone. Several effects are independent of each
    /// other and may be carried out together; reviews come last, the oldest first.
    pub fn owed(&self) -> Vec<Effect> {
        let mut owed = owed(Scope::of(&self.state));
        owed.sort_by_key(|effect| match effect {
            Effect::AskPerson(review) => Some(review.id),
            Effect::CallModel(_) | Effect::CallTool(_) | Effect::Finish(_) => None,
        });
        owed
    }

    /// What an owed model call says; none if the call isn't owed.
    pub fn prompt(&self, call: CallId) -> Option<Prompt> {
        let scope = self.asker(call)?;
        let (stage, _) = scope.state.stage.asking()?;
        prompts::build(scope, stage).ok()
    }

    /// How many exchanges that cost something an owed model call may take before the budgets could
    /// be crossed; 1 if the call isn't owed.
    pub fn tries(&self, call: CallId, prompt: &Prompt) -> u32 {
        let Some(state) = self.asker(call).map(|scope| scope.state) else { return 1 };
        let Some((stage, asking)) = state.stage.asking() else { return 1 };
        let expert = stages::expert(state, stage);
        afford::tries(state, stage, expert.as_deref(), prompt, asking.max_tokens)
    }

    /// The same as data, for models that read no prose; none if the call isn't owed.
    pub fn facts(&self, call: CallId) -> Option<Facts> {
        let scope = self.asker(call)?;
        let (stage, _) = scope.state.stage.asking()?;
        Some(Facts::of(scope, stage))
    }

    /// The run that owes a model call: this one, or one that was delegated.
    fn asker(&self, call: CallId) -> Option<Scope<'_>> {
        let asks = |state: &State| state.stage.asking().is_some_and(|(_, asking)| asking.call == call);
        let state = &self.state;
        if asks(state) {
            return Some(Scope::of(state));
        }
        let lane = state.stage.worked_on().lanes().iter().find(|lane| asks(&lane.state))?;
        Some(Scope { state: &lane.state, above: Some(state) })
    }

    fn begin(event: Event, known: Known) -> Result<Self, Refused> {
        let at = event.at;
        let EventKind::Started { run, goal, settings } = event.kind else {
            return Err(Refused::NotStarted);
        };
        match known {
            Known::New => start::check(&goal, &settings)?,
            Known::Recorded => {}
        }
        let mut state = start::state(run, goal, *settings, at);
        if state.settings.flow == Flow::React {
            state.conversation = Some(prompts::opening(Scope::of(&state))?);
        }
        fold::go(&mut state, None, Outcome::Began);
        Ok(Self { state })
    }
}

fn owed(scope: Scope<'_>) -> Vec<Effect> {
    let Scope { state, above } = scope;
    match &state.stage {
        Stage::Executing { turn } => {
            let left = guard::time_left(above.unwrap_or(state));
            let timed = |call: &ToolCall| ToolCall { timeout_ms: call.timeout_ms.min(left), ..call.clone() };
            turn.due().into_iter().map(timed).map(Effect::CallTool).collect()
        }
        Stage::Delegating { lanes } => lanes
            .iter()
            .flat_map(|lane| owed(Scope { state: &lane.state, above: Some(state) }))
            .filter(|effect| !matches!(effect, Effect::Finish(_)))
            .collect(),
        Stage::PausedForReview { review, .. } => vec![Effect::AskPerson(review.clone())],
        Stage::Finished => vec![Effect::Finish(Ending::Achieved)],
        Stage::Failed { ending } => vec![Effect::Finish(ending.clone())],
        // Never outside `start`, which leaves it at once.
        Stage::Initializing => Vec::new(),
        asked @ (Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Reflecting { .. }) => {
            let call = asked.asking().map(|(stage, asking)| ModelCall {
                call: asking.call,
                stage,
                expert: stages::expert(state, stage),
                prompt: asking.prompt.clone(),
                max_tokens: asking.max_tokens,
                timeout_ms: state
                    .settings
                    .limits
                    .of_stage(stage)
                    .min(guard::time_left(above.unwrap_or(state))),
            });
            call.map(Effect::CallModel).into_iter().collect()
        }
    }
}
