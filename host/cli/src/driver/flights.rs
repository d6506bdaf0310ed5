//! What is under way: model and tool calls, as many at a time as the run owes.
//!
//! One alone is polled in place, which costs no change of thread; several get tasks of their own.
//! Whatever is taken out of here is dropped, and with it cancelled.

use super::asking::Unanswered;
use super::executor::{Executed, Executor};
use anyhow::Result;
use ringfence_engine::{CallId, Effect, ModelCall, ToolCall};
use ringfence_models::{Ledger, Model, Reply, Request, Spending};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::task::JoinHandle;

/// What came back.
pub(super) enum Landed {
    /// A tool's code is ready, or can't be.
    Ready {
        /// Its component.
        component: String,
        /// How long it took; none if it failed.
        took: Option<Duration>,
    },
    /// A model answered, or not.
    Model {
        /// The call.
        call: CallId,
        /// The answer.
        answer: Result<Reply, Unanswered>,
    },
    /// A tool call ended.
    Tool {
        /// The call.
        call: CallId,
        /// How.
        executed: Executed,
    },
}

/// Which wish is under way: a call made again is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    call: CallId,
    attempt: u32,
}

impl Name {
    /// The name of a wish that can be under way.
    pub(super) fn of(effect: &Effect) -> Option<Self> {
        match effect {
            Effect::CallModel(call) => Some(Self { call: call.call, attempt: 1 }),
            Effect::CallTool(call) => Some(Self { call: call.call, attempt: call.attempt }),
            Effect::AskPerson(_) | Effect::Finish(_) => None,
        }
    }
}

type Flying = Pin<Box<dyn Future<Output = Result<Landed>> + Send>>;

/// One that is under way.
struct Flight {
    name: Name,
    flying: Flying,
    /// What it uses, where it is a model call.
    ledger: Option<Ledger>,
}

impl Flight {
    /// What it has used up to now.
    fn used(&self) -> Option<(CallId, Spending)> {
        self.ledger.as_ref().map(|ledger| (self.name.call, ledger.spending()))
    }
}

/// Everything that is under way.
#[derive(Default)]
pub(super) struct Flights(Vec<Flight>);

impl Flights {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Cancels all; says what the model calls among them had used.
    pub(super) fn clear(&mut self) -> Vec<(CallId, Spending)> {
        self.keep_only(&[])
    }

    /// Whether this wish is under way.
    pub(super) fn has(&self, effect: &Effect) -> bool {
        Name::of(effect).is_some_and(|name| self.0.iter().any(|flight| flight.name == name))
    }

    /// Cancels what isn't owed any more; says what the model calls among it had used.
    pub(super) fn keep_only(&mut self, owed: &[Effect]) -> Vec<(CallId, Spending)> {
        let is_owed = |name: Name| owed.iter().any(|effect| Name::of(effect) == Some(name));
        let dropped = self.0.extract_if(.., |flight| !is_owed(flight.name));
        dropped.filter_map(|flight| flight.used()).collect()
    }

    /// Asks a model.
    pub(super) fn ask(&mut self, model: Arc<dyn Model>, call: &ModelCall, request: Request, together: bool) {
        let (id, limit_ms, ledger) = (call.call, call.timeout_ms, request.ledger.clone());
        let used = ledger.clone();
        self.start(Name { call: id, attempt: 1 }, Some(ledger), together, async move {
            let limit = Duration::from_millis(limit_ms);
            let answer = match tokio::time::timeout(limit, model.complete(request)).await {
                Ok(answer) => answer.map_err(Unanswered::Failed),
                Err(_) => {
                    let (identity, spending) = (model.identity(), used.spending());
                    Err(Unanswered::Late { identity, limit_ms, spending })
                }
            };
            Ok(Landed::Model { call: id, answer })
        });
    }

    /// Makes a tool's code ready.
    pub(super) fn ready(
        &mut self,
        executor: Arc<dyn Executor>,
        call: &ToolCall,
        component: String,
        together: bool,
    ) {
        let tool = call.tool.clone();
        self.start(Name { call: call.call, attempt: call.attempt }, None, together, async move {
            // Code that can't be made ready fails the call itself, where it is journaled.
            let took = executor.ready(&tool).await.ok().map(|readied| readied.took);
            Ok(Landed::Ready { component, took })
        });
    }

    /// Calls a tool.
    pub(super) fn call(&mut self, executor: Arc<dyn Executor>, call: &ToolCall, together: bool) {
        let call = call.clone();
        self.start(Name { call: call.call, attempt: call.attempt }, None, together, async move {
            let executed = executor.call(&call).await?;
            Ok(Landed::Tool { call: call.call, executed })
        });
    }

    fn start(
        &mut self,
        name: Name,
        ledger: Option<Ledger>,
        together: bool,
        flying: impl Future<Output = Result<Landed>> + Send + 'static,
    ) {
        let flying: Flying = match together {
            true => Box::pin(Task(tokio::spawn(flying))),
            false => Box::pin(flying),
        };
        self.0.push(Flight { name, flying, ledger });
    }

    /// The first that comes back.
    pub(super) async fn next(&mut self) -> Result<Landed> {
        poll_fn(|context| {
            for place in 0..self.0.len() {
                let Some(flight) = self.0.get_mut(place) else { break };
                if let Poll::Ready(landed) = flight.flying.as_mut().poll(context) {
                    drop(self.0.remove(place));
                    return Poll::Ready(landed);
                }
            }
            Poll::Pending
        })
        .await
    }
}

/// A task that ends with whoever waits for it.
struct Task(JoinHandle<Result<Landed>>);

impl Future for Task {
    type Output = Result<Landed>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|joined| joined.unwrap_or_else(|error| Err(error.into())))
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}
