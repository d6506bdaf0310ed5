//! Carries out what the engine wishes for, and journals every fact before acting on it.
//!
//! Owns: the order "append, then act", what is under way at the same time, interruption, signs of
//! life. Doesn't own: what comes next (the engine), how a tool is fenced (the sandbox), how a
//! person is asked (`review`).

mod asking;
mod executor;
mod flights;
mod halt;
mod stopwatch;

pub(crate) use asking::rates_of;
pub use executor::{Executed, Executor, Readied};
pub use halt::Halt;
pub use stopwatch::Stopwatch;

use crate::exit::Refusal;
use crate::failpoint;
use crate::interrupt::Interrupt;
use crate::lanes;
use crate::output::err;
use crate::progress::{Notice, Observer};
use crate::review::{Given, Reviewer, Verdict};
use crate::terminal::plain;
use anyhow::{Context, Result};
use flights::{Flights, Landed, Name};
use ringfence_engine::{
    CallId, Effect, Event, EventKind, Intent, ModelCall, Rates, ReceiptId, Refused, Review, Run, Stage,
    Standing, State, Subject, ToolCall,
};
use ringfence_models::{Model, Spending};
use ringfence_store::{Entry, Lease, Store};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::{Interval, MissedTickBehavior};

/// How often a driver says that it is still there.
pub const HEARTBEAT: Duration = Duration::from_secs(1);

/// One run under way.
pub struct Driver {
    /// The state machine.
    pub run: Run,
    /// The right to write this run's journal.
    pub lease: Lease,
    /// Who answers the stages.
    pub model: Arc<dyn Model>,
    /// Who makes the tool calls.
    pub executor: Arc<dyn Executor>,
    /// Who is told what happens.
    pub observer: Box<dyn Observer>,
    /// Who asks a person.
    pub reviewer: Reviewer,
    /// Ctrl-C.
    pub interrupt: Interrupt,
    /// Working time since the latest event.
    pub stopwatch: Stopwatch,
    /// Time that passed while a model or a tool was at work.
    pub awaited: Duration,
}

impl Driver {
    /// Goes on until the run ends, waits for a person or is interrupted.
    pub async fn drive(&mut self) -> Result<Halt> {
        let mut beat = tokio::time::interval(HEARTBEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut flights = Flights::default();
        // Tools whose code was made ready, or can't be: then the call itself says so.
        let mut readied: BTreeSet<String> = BTreeSet::new();
        let halt = loop {
            let owed = self.run.owed();
            if let Some(Effect::Finish(ending)) = owed.first() {
                break Halt::Ended(ending.clone());
            }
            if self.reviewer.given.is_some()
                && let Some(review) = question(&owed)
            {
                // What is in hand is for the question that is open now, not for one that comes up
                // before it while something else is under way.
                match self.ask_person(review, &mut beat).await? {
                    Some(halt) => break halt,
                    None => continue,
                }
            }
            let dropped = flights.keep_only(&owed);
            self.dropped(dropped)?;
            let together = owed.iter().filter(|effect| Name::of(effect).is_some()).count() > 1;
            for effect in &owed {
                match effect {
                    Effect::CallModel(call) if !flights.has(effect) => {
                        self.ask_model(&mut flights, call, together)?
                    }
                    Effect::CallTool(call) if !flights.has(effect) => {
                        self.call_tool(&mut flights, call, &mut readied, together);
                    }
                    Effect::CallModel(_) | Effect::CallTool(_) | Effect::AskPerson(_) | Effect::Finish(_) => {
                    }
                }
            }
            let halt = if flights.is_empty() {
                match owed.into_iter().next() {
                    Some(Effect::AskPerson(review)) => self.ask_person(review, &mut beat).await?,
                    Some(Effect::CallModel(_) | Effect::CallTool(_) | Effect::Finish(_)) | None => {
                        anyhow::bail!("run {} owes nothing and hasn't ended", self.run.state().run)
                    }
                }
            } else {
                self.wait(&mut flights, &mut beat).await?
            };
            if let Some(halt) = halt {
                break halt;
            }
        };
        let dropped = flights.clear();
        self.dropped(dropped)?;
        self.observer.notice(Notice::Halted { halt: &halt, state: self.run.state() });
        Ok(halt)
    }

    /// Takes over a run that another driver left. With an answer in hand for a question that is
    /// open, the question stays as it is; `--abort` also ends a run that asks nothing.
    pub fn take_over(&mut self) -> Result<()> {
        let owed = self.run.owed();
        let asked = question(&owed).map(|review| review.id);
        match (&self.reviewer.given, asked) {
            (None, _) => self.resumed(),
            (Some(Given::Abort), None) => self.record(EventKind::Interrupted, None),
            (Some(Given::Abort), Some(_)) => Ok(()),
            (Some(_), None) => Err(self.waits_for_nothing()),
            // Besides the question, other tasks may have been worked on when the driver was lost;
            // and other models cost something else, which a budget must know first.
            (Some(_), Some(asked))
                if owed.iter().any(|effect| Name::of(effect).is_some()) || self.other_rates().is_some() =>
            {
                self.resumed()?;
                match question(&self.run.owed()) {
                    Some(review) if review.id == asked => Ok(()),
                    Some(_) | None => Err(self.waits_for_nothing()),
                }
            }
            (Some(_), Some(_)) => Ok(()),
        }
    }

    /// Counts what the driver before had asked and heard no answer to: at least the asking was used.
    /// To be called before [`Self::take_over`], where there was such a driver.
    pub fn reckon_lost(&mut self) -> Result<()> {
        let mut lost = Vec::new();
        for effect in self.run.owed() {
            if let Effect::CallModel(call) = effect {
                let request = asking::request(&self.run, &call, false)?;
                lost.push((call.call, self.model.least(&request)));
            }
        }
        self.dropped(lost)
    }

    fn resumed(&mut self) -> Result<()> {
        let rates = self.other_rates();
        self.record(EventKind::Resumed { rates }, None).map_err(|error| match error.downcast::<Refused>() {
            // What is refused is what was asked for with it: a model that a budget can't be kept with.
            Ok(refused) => Refusal::usage(refused.to_string()).into(),
            Err(error) => error,
        })
    }

    /// What the models cost now, where the run knows it otherwise.
    fn other_rates(&self) -> Option<Rates> {
        let rates = asking::rates(self.model.as_ref(), self.run.state());
        (rates != self.run.state().settings.rates).then_some(rates)
    }

    fn waits_for_nothing(&self) -> anyhow::Error {
        Refusal::usage(format!("run {} doesn't wait for that answer", self.run.state().run))
            .hint("resume it without an answer")
            .into()
    }

    /// Applies one fact and journals it with the intents that follow from it, in one transaction.
    pub fn record(&mut self, kind: EventKind, receipt: Option<(ReceiptId, Value)>) -> Result<()> {
        let event = Event { at: Store::now(), worked_ms: Some(self.stopwatch.worked_ms()), kind };
        let before = self.run.owed();
        let owed = self.run.apply(event.clone())?;
        self.stopwatch.restart();
        let intents = intents(&before, &owed);
        let receipts: Vec<_> = receipt.into_iter().collect();
        let stage = &self.run.state().stage;
        let entry = Entry { event: &event, intents: &intents, receipts: &receipts, stage };
        failpoint::hit("append");
        // Should this fail, the run in memory is ahead of the journal: nobody may go on with it.
        self.lease.append(&entry).context("the journal can't be written")?;
        failpoint::hit("appended");
        self.observer.notice(Notice::Happened { event: &event, state: self.run.state() });
        Ok(())
    }

    /// Waits for the first of what is under way, or for a stop.
    async fn wait(&mut self, flights: &mut Flights, beat: &mut Interval) -> Result<Option<Halt>> {
        let begun = Instant::now();
        loop {
            let landed = tokio::select! {
                biased;
                () = self.interrupt.raised() => None,
                _ = beat.tick() => {
                    self.beat();
                    continue;
                }
                landed = flights.next() => Some(landed?),
            };
            self.awaited += begun.elapsed();
            match landed {
                None => {
                    // Before the journal, so that the tools stop at once.
                    let dropped = flights.clear();
                    self.dropped(dropped)?;
                    return self.interrupted();
                }
                Some(Landed::Ready { component, took: Some(took) }) => {
                    self.observer.notice(Notice::Compiled { component: &component, took });
                }
                Some(Landed::Ready { took: None, .. }) => {}
                Some(Landed::Model { call, answer }) => {
                    failpoint::hit("model answered");
                    self.record(asking::event(call, answer), None)?;
                }
                Some(Landed::Tool { call, executed }) => {
                    failpoint::hit("tool ended");
                    let Executed { outcome, receipt, turn } = executed;
                    self.record(EventKind::ToolFinished { call, outcome }, receipt)?;
                    drop(turn);
                }
            }
            return Ok(None);
        }
    }

    fn ask_model(&mut self, flights: &mut Flights, call: &ModelCall, together: bool) -> Result<()> {
        let request = asking::request(&self.run, call, self.model.reads_facts())?;
        self.observer.notice(Notice::ModelAsked { call, state: self.run.state() });
        failpoint::hit("model asked");
        flights.ask(self.model.clone(), call, request, together);
        Ok(())
    }

    fn call_tool(
        &mut self,
        flights: &mut Flights,
        call: &ToolCall,
        readied: &mut BTreeSet<String>,
        together: bool,
    ) {
        if readied.insert(call.tool.clone())
            && let Some(component) = self.executor.cold(&call.tool)
        {
            self.observer.notice(Notice::Compiling { component: &component });
            flights.ready(self.executor.clone(), call, component, together);
            return;
        }
        self.observer.notice(Notice::ToolCalled { call });
        failpoint::hit("tool called");
        flights.call(self.executor.clone(), call, together);
    }

    async fn ask_person(&mut self, review: Review, beat: &mut Interval) -> Result<Option<Halt>> {
        if self.reviewer.would_prompt(&review) {
            self.observer.notice(Notice::Asking { review: &review, state: self.run.state() });
        }
        if let Some(call) = self.unseen(&review)
            && let Some(halt) = self.rehearse(&review, &call, beat).await?
        {
            return Ok(Some(halt));
        }
        let asked = {
            let asked = self.reviewer.ask(&review, self.run.state());
            tokio::pin!(asked);
            loop {
                tokio::select! {
                    biased;
                    () = self.interrupt.raised() => return Ok(Some(Halt::Interrupted)),
                    asked = &mut asked => break asked?,
                    _ = beat.tick() => beat_of(&self.lease),
                }
            }
        };
        match asked {
            Verdict::Answered(answer) => {
                match self.record(EventKind::Answered { review: review.id, answer }, None) {
                    // Somebody at a terminal can answer better.
                    Err(error) if self.reviewer.terminal && error.is::<Refused>() => {
                        err(&format!("{}\n", plain(&error.to_string())));
                    }
                    Err(error) if error.is::<Refused>() => {
                        return Err(Refusal::usage(error.to_string()).into());
                    }
                    recorded => recorded?,
                }
                Ok(None)
            }
            Verdict::Later => Ok(Some(Halt::Waiting(review))),
        }
    }

    /// The call that a person is asked about, where they should see what it would change.
    fn unseen(&self, review: &Review) -> Option<ToolCall> {
        match &review.subject {
            Subject::Call { call, .. }
                if call.can.staged && call.can.repeatable() && self.reviewer.leaves_to_a_person(review) =>
            {
                Some(call.clone())
            }
            Subject::Call { .. }
            | Subject::Plan { .. }
            | Subject::Judgement { .. }
            | Subject::Finish { .. }
            | Subject::Question { .. }
            | Subject::Stagnation { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { .. }
            | Subject::Interrupted => None,
        }
    }

    async fn rehearse(
        &mut self,
        review: &Review,
        call: &ToolCall,
        beat: &mut Interval,
    ) -> Result<Option<Halt>> {
        let executor = self.executor.clone();
        let before = approved_before(lanes::asker(self.run.state(), review.id).1, call);
        let rehearsed = executor.rehearse(review.id, &before, call);
        tokio::pin!(rehearsed);
        loop {
            tokio::select! {
                biased;
                () = self.interrupt.raised() => return Ok(Some(Halt::Interrupted)),
                rehearsed = &mut rehearsed => {
                    // The question stands without it.
                    if let Err(error) = rehearsed {
                        tracing::warn!(%error, "what the call would change can't be shown");
                    }
                    return Ok(None);
                }
                _ = beat.tick() => beat_of(&self.lease),
            }
        }
    }

    fn interrupted(&mut self) -> Result<Option<Halt>> {
        if !matches!(self.run.state().stage, Stage::PausedForReview { .. }) {
            self.record(EventKind::Interrupted, None)?;
        }
        Ok(Some(Halt::Interrupted))
    }

    /// What model calls had used that were given up counts too.
    fn dropped(&mut self, dropped: Vec<(CallId, Spending)>) -> Result<()> {
        dropped
            .into_iter()
            .filter_map(|(call, spending)| asking::dropped(call, spending))
            .try_for_each(|kind| self.record(kind, None))
    }

    fn beat(&self) {
        beat_of(&self.lease);
    }
}

/// What is wished for now and wasn't before, as it is journaled.
pub(crate) fn intents(before: &[Effect], owed: &[Effect]) -> Vec<Intent> {
    owed.iter().filter(|effect| !is_among(effect, before)).map(Effect::intent).collect()
}

/// The question that a person is asked next.
fn question(owed: &[Effect]) -> Option<Review> {
    owed.iter().find_map(|effect| match effect {
        Effect::AskPerson(review) => Some(review.clone()),
        Effect::CallModel(_) | Effect::CallTool(_) | Effect::Finish(_) => None,
    })
}

/// Whether a wish was there before; its deadline may have moved since.
fn is_among(effect: &Effect, before: &[Effect]) -> bool {
    match Name::of(effect) {
        Some(name) => before.iter().any(|known| Name::of(known) == Some(name)),
        None => before.contains(effect),
    }
}

/// A sign of life that can't be given is no reason to stop working; a lost lease shows at the next
/// step.
fn beat_of(lease: &Lease) {
    if let Err(error) = lease.beat() {
        tracing::warn!(%error, "no sign of life could be given");
    }
}

/// The calls of a turn that are approved and will be made before this one of it.
fn approved_before(state: &State, call: &ToolCall) -> Vec<ToolCall> {
    let Some((_, then)) = state.stage.review() else { return Vec::new() };
    let slots = then.turn().map(|turn| turn.slots.as_slice()).unwrap_or_default();
    let earlier = slots.iter().take_while(|slot| slot.call.call != call.call);
    earlier.filter(|slot| slot.standing == Standing::Cleared).map(|slot| slot.call.clone()).collect()
}
