//! Carries out what the engine wishes for, and journals every fact before acting on it.
//!
//! Owns: the order "append, then act", deadlines of model calls, interruption. Doesn't own: what
//! comes next (the engine), how a tool is fenced (the sandbox), how a person is asked (`review`).

use crate::exit::{Exit, Refusal};
use crate::interrupt::Interrupt;
use crate::output::err;
use crate::progress::{Notice, Observer};
use crate::review::{Given, Reviewer, Verdict};
use crate::terminal::plain;
use anyhow::{Context, Result};
use async_trait::async_trait;
use ringfence_engine::{
    Effect, Ending, Event, EventKind, ModelCall, ModelFailure, ModelReply, ReceiptId, Refused, Review, Run,
    Stage, StopReason, Subject, ToolCall, ToolOutcome, Usage,
};
use ringfence_models::{Ask, Model, Request, Stop};
use ringfence_store::{Entry, Lease, Store};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Runs tool calls; the sandbox in the product, anything with declared facts in a test.
#[async_trait]
pub trait Executor: Send + Sync {
    /// The component whose code a call of this tool would have to compile first, if any.
    fn cold(&self, tool: &str) -> Option<String>;

    /// Makes a tool's code ready, so that compiling isn't taken for calling.
    async fn ready(&self, tool: &str) -> Result<Readied>;

    /// Makes one call. Dropping the future cancels it.
    async fn call(&self, call: &ToolCall) -> Result<Executed>;
}

/// A tool's code is ready.
pub struct Readied {
    /// How long that took.
    pub took: Duration,
}

/// What became of a tool call.
pub struct Executed {
    /// For the engine.
    pub outcome: ToolOutcome,
    /// For the store, under the id that the outcome names.
    pub receipt: Option<(ReceiptId, Value)>,
}

/// Why the driver stopped.
#[derive(Debug, Clone, PartialEq)]
pub enum Halt {
    /// The run is over.
    Ended(Ending),
    /// A person must answer first.
    Waiting(Review),
    /// Somebody interrupted; the run can be resumed.
    Interrupted,
}

impl Halt {
    /// What the process says of it.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Ended(Ending::Achieved) => Exit::Done,
            Self::Ended(Ending::Failed { .. } | Ending::Aborted) => Exit::Failed,
            Self::Ended(Ending::Limit { .. }) => Exit::Limit,
            Self::Waiting(review) => match &review.subject {
                Subject::StageFailed { .. } => Exit::Model,
                Subject::Plan { .. }
                | Subject::Call { .. }
                | Subject::Question { .. }
                | Subject::Stagnation { .. }
                | Subject::UnknownOutcome { .. }
                | Subject::Interrupted => Exit::Waiting,
            },
            Self::Interrupted => Exit::Interrupted,
        }
    }
}

/// One run under way.
pub struct Driver {
    /// The state machine.
    pub run: Run,
    /// What it owes now.
    pub owed: Vec<Effect>,
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
}

impl Driver {
    /// Goes on until the run ends, waits for a person or is interrupted.
    pub async fn drive(&mut self) -> Result<Halt> {
        loop {
            // Always one at present; a flow that owes several gets them one after the other.
            let Some(effect) = self.owed.first().cloned() else {
                anyhow::bail!("run {} owes nothing and hasn't ended", self.run.state().run);
            };
            let halt = match effect {
                Effect::CallModel(call) => self.call_model(call).await?,
                Effect::CallTool(call) => self.call_tool(call).await?,
                Effect::AskPerson(review) => self.ask_person(review).await?,
                Effect::Finish(ending) => Some(Halt::Ended(ending)),
            };
            if let Some(halt) = halt {
                self.observer.notice(Notice::Halted { halt: &halt, state: self.run.state() });
                return Ok(halt);
            }
        }
    }

    /// Takes over a run that another driver left. With an answer in hand for a question that is
    /// open, the question stays as it is; `--abort` also ends a run that asks nothing.
    pub fn take_over(&mut self) -> Result<()> {
        let paused = matches!(self.run.state().stage, Stage::PausedForReview { .. });
        match &self.reviewer.given {
            Some(_) if paused => Ok(()),
            Some(Given::Abort) => self.record(EventKind::Interrupted, None),
            Some(_) => Err(Refusal::usage(format!("run {} waits for no answer", self.run.state().run))
                .hint("resume it without an answer")
                .into()),
            None => self.record(EventKind::Resumed, None),
        }
    }

    /// Applies one fact and journals it with the intents that follow from it, in one transaction.
    pub fn record(&mut self, kind: EventKind, receipt: Option<(ReceiptId, Value)>) -> Result<()> {
        let event = Event { at: Store::now(), kind };
        let effects = self.run.apply(event.clone())?;
        let receipts: Vec<_> = receipt.into_iter().collect();
        let stage = &self.run.state().stage;
        let entry = Entry { event: &event, intents: &effects, receipts: &receipts, stage };
        // Should this fail, the run in memory is ahead of the journal: nobody may go on with it.
        self.lease.append(&entry).context("the journal can't be written")?;
        self.owed = effects;
        self.observer.notice(Notice::Happened { event: &event, state: self.run.state() });
        Ok(())
    }

    async fn call_model(&mut self, call: ModelCall) -> Result<Option<Halt>> {
        self.observer.notice(Notice::ModelAsked { call: &call, state: self.run.state() });
        let limit = Duration::from_millis(call.timeout_ms);
        let request = Request {
            stage: call.stage.name().to_owned(),
            expert: None,
            ask: Ask::Stage { system: call.system, user: call.user, schema: call.schema },
            facts: call.facts,
            max_tokens: call.max_tokens,
        };
        let model = self.model.clone();
        let answered = tokio::select! {
            biased;
            () = self.interrupt.raised() => None,
            answered = tokio::time::timeout(limit, model.complete(request)) => Some(answered),
        };
        let kind = match answered {
            None => return self.interrupted(),
            Some(Ok(Ok(reply))) => EventKind::ModelReplied { call: call.call, reply: reply_of(reply) },
            Some(Ok(Err(error))) => EventKind::ModelFailed {
                call: call.call,
                failure: ModelFailure { message: error.to_string(), transient: error.is_transient() },
            },
            Some(Err(_)) => EventKind::ModelFailed {
                call: call.call,
                failure: ModelFailure {
                    message: format!(
                        "{} gave no answer within {} s",
                        self.model.identity(),
                        limit.as_secs_f64()
                    ),
                    transient: true,
                },
            },
        };
        self.record(kind, None)?;
        Ok(None)
    }

    async fn call_tool(&mut self, call: ToolCall) -> Result<Option<Halt>> {
        let executor = self.executor.clone();
        if let Some(component) = executor.cold(&call.tool) {
            self.observer.notice(Notice::Compiling { component: &component });
            let readied = tokio::select! {
                biased;
                () = self.interrupt.raised() => return self.interrupted(),
                readied = executor.ready(&call.tool) => readied,
            };
            // Code that can't be made ready fails the call below, where it is journaled.
            if let Ok(readied) = readied {
                self.observer.notice(Notice::Compiled { component: &component, took: readied.took });
            }
        }
        self.observer.notice(Notice::ToolCalled { call: &call });
        let executed = tokio::select! {
            biased;
            () = self.interrupt.raised() => None,
            executed = executor.call(&call) => Some(executed?),
        };
        match executed {
            None => self.interrupted(),
            Some(Executed { outcome, receipt }) => {
                self.record(EventKind::ToolFinished { call: call.call, outcome }, receipt)?;
                Ok(None)
            }
        }
    }

    async fn ask_person(&mut self, review: Review) -> Result<Option<Halt>> {
        let asked = tokio::select! {
            biased;
            () = self.interrupt.raised() => return Ok(Some(Halt::Interrupted)),
            asked = self.reviewer.ask(&review, self.run.state()) => asked?,
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

    fn interrupted(&mut self) -> Result<Option<Halt>> {
        if !matches!(self.run.state().stage, Stage::PausedForReview { .. }) {
            self.record(EventKind::Interrupted, None)?;
        }
        Ok(Some(Halt::Interrupted))
    }
}

fn reply_of(reply: ringfence_models::Reply) -> ModelReply {
    ModelReply {
        text: reply.text,
        stop: match reply.stop {
            Stop::End | Stop::ToolUse => StopReason::End,
            Stop::Length => StopReason::Length,
            Stop::Refusal => StopReason::Refusal,
        },
        usage: Usage {
            input_tokens: reply.usage.input_tokens,
            cached_tokens: reply.usage.cached_tokens,
            output_tokens: reply.usage.output_tokens,
        },
        model: reply.model,
    }
}
