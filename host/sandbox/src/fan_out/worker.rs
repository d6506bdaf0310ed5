//! One worker: a fresh instance of the component that works on one file after the other, and is
//! thrown away once something went wrong in it.

use super::import::{EACH_FILE, WORK};
use super::terms::Terms;
use super::{MOST_VALUE, import};
use crate::call::{CallRequest, new_store};
use crate::chance::Seed;
use crate::component::Code;
use crate::cpu::CpuTimed;
use crate::egress::NetworkLog;
use crate::engine::Budget;
use crate::host_state::HostState;
use crate::stdio::Captured;
use crate::ticker::Ticking;
use crate::trap::{CpuUsedUp, bounded, describe};
use crate::view::View;
use serde_json::Value;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use wasmtime::component::Func;
use wasmtime::{Store, Trap};

/// One file may take so long.
const FILE_TIME: Duration = Duration::from_secs(5);
/// Of what a component says about a file that it can't do anything with.
const REASON_BYTES: usize = 400;
/// Above a value, for what else crosses the boundary at the same time.
const CROSSING_BYTES: usize = 64 << 10;

/// A file to be worked on.
pub(super) struct Job {
    /// Its place in the list that was asked for.
    pub(super) index: usize,
    pub(super) path: String,
    pub(super) content: Vec<u8>,
}

/// A file that was worked on.
pub(super) struct Done {
    pub(super) index: usize,
    pub(super) content_bytes: usize,
    pub(super) end: End,
}

/// How work on a file ended. `settled`: it would end so again.
pub(super) enum End {
    Value {
        bytes: Vec<u8>,
        settled: bool,
    },
    Failed {
        reason: String,
        settled: bool,
    },
    NotReached,
    /// The whole call is over.
    Over(wasmtime::Error),
}

/// What works on files.
pub(super) struct Worker {
    terms: Arc<Terms>,
    request: Arc<CallRequest>,
    task: Arc<[u8]>,
    fuel: Option<u64>,
    live: Option<Live>,
}

/// An instance.
struct Live {
    store: Store<HostState>,
    work: Func,
}

/// How the instance came to its end with a file.
enum Ended {
    Returned(Result<Vec<u8>, String>),
    Raised(wasmtime::Error),
    TimeIsUp,
}

impl Worker {
    pub(super) fn new(
        terms: Arc<Terms>,
        request: Arc<CallRequest>,
        task: Arc<[u8]>,
        fuel: Option<u64>,
    ) -> Self {
        Self { terms, request, task, fuel, live: None }
    }

    /// Works until there is nothing more to do. Says what is left of the instructions.
    pub(super) async fn work(
        mut self,
        jobs: Arc<Mutex<UnboundedReceiver<Job>>>,
        done: UnboundedSender<Done>,
    ) -> Option<u64> {
        let _ticking = Ticking::start();
        loop {
            let job = jobs.lock().await.recv().await;
            let Some(job) = job else { return self.fuel };
            let end = if self.terms.nearly_over() { End::NotReached } else { self.one(&job).await };
            let finished = Done { index: job.index, content_bytes: job.content.len(), end };
            if done.send(finished).is_err() {
                return self.fuel;
            }
        }
    }

    async fn one(&mut self, job: &Job) -> End {
        let own = Instant::now() + FILE_TIME;
        let until = own.min(self.terms.works_until);
        let mut live = match self.live.take() {
            Some(live) => live,
            None => match self.instance(until).await {
                Ok(live) => live,
                Err(end) => return end,
            },
        };
        let ended = live.on(&self.terms, &self.task, job, until).await;
        if self.fuel.is_some() {
            self.fuel = live.store.get_fuel().ok();
        }
        let limiter = &live.store.data().limiter;
        let (refused, ran_short) = (limiter.refused(), limiter.ran_short());
        match ended {
            Ended::Returned(Ok(bytes)) if bytes.len() > MOST_VALUE => {
                End::Failed { reason: too_much(), settled: true }
            }
            Ended::Returned(Ok(bytes)) => {
                let settled = refused.is_none() && !ran_short;
                self.live = settled.then_some(live);
                End::Value { bytes, settled }
            }
            Ended::Returned(Err(reason)) => {
                let settled = refused.is_none() && !ran_short;
                self.live = settled.then_some(live);
                End::Failed { reason: bounded(&reason, REASON_BYTES), settled }
            }
            Ended::TimeIsUp if until < own => End::NotReached,
            Ended::TimeIsUp => End::Failed {
                reason: format!("it took longer than {} s", FILE_TIME.as_secs()),
                settled: false,
            },
            Ended::Raised(error) if ends_the_call(&error) => End::Over(error),
            Ended::Raised(error) => {
                let reason = match refused {
                    Some(exceeded) => format!("a limit was met: {}", exceeded.amounts()),
                    None if hands_over_too_much(&error) => too_much(),
                    None => describe(&error),
                };
                End::Failed { reason, settled: !ran_short }
            }
        }
    }

    async fn instance(&mut self, until: Instant) -> Result<Live, End> {
        match tokio::time::timeout_at(until.into(), self.instantiate()).await {
            Ok(Ok(live)) => Ok(live),
            Ok(Err(error)) => Err(End::Over(error)),
            Err(_) => Err(End::NotReached),
        }
    }

    /// A store with nothing to see, and a fresh instance in it.
    async fn instantiate(&mut self) -> wasmtime::Result<Live> {
        let (limits, tree) = (&self.request.limits, &self.request.tree);
        let component = self.terms.component();
        let budget = if limits.fuel.is_some() { Budget::Fuel } else { Budget::Time };
        let code = component.code_cell(budget).get();
        let code: &Code = code.ok_or_else(|| wasmtime::Error::msg("the component's code is gone"))?;
        let export = code.each_file.as_ref().ok_or_else(|| {
            wasmtime::Error::msg(format!("`{}` needs a component that exports `{EACH_FILE}`", import::IMPORT))
        })?;
        let network = NetworkLog::new(limits.requests.clone(), self.request.egress.scrubs(tree.grants()));
        let seed = Seed::of(&component.digest().hex(), EACH_FILE, &Value::Null);
        let silent = [Captured::new(0), Captured::new(0)];
        let view = View::new(tree.clone(), limits);
        let mut state = HostState::new(view, &self.request, silent, Some(seed), network);
        state.limiter.counts_in(&self.terms.memory);
        let mut store = new_store(code, state, limits, self.terms.deadline)?;
        store.set_hostcall_fuel(MOST_VALUE + CROSSING_BYTES);
        if let Some(fuel) = self.fuel {
            store.set_fuel(fuel)?;
        }
        let instance = {
            let guest = pin!(code.instance.instantiate_async(&mut store));
            CpuTimed { future: guest, spent: &self.terms.cpu }.await?
        };
        let work = instance
            .get_func(&mut store, export)
            .ok_or_else(|| wasmtime::Error::msg(format!("`{EACH_FILE}` has no `{WORK}`")))?;
        Ok(Live { store, work })
    }
}

impl Live {
    async fn on(&mut self, terms: &Terms, task: &[u8], job: &Job, until: Instant) -> Ended {
        let guest = async {
            let work = self.work.typed::<(&[u8], &str, &[u8]), (Result<Vec<u8>, String>,)>(&self.store);
            let work = work.map_err(|error| error.context(format!("`{EACH_FILE}` isn't as it should be")))?;
            work.call_async(&mut self.store, (task, &job.path, &job.content)).await
        };
        let guest = pin!(guest);
        // As with the call itself: who had a turn isn't given another when the time is over.
        let mut had_a_turn = false;
        let turns_are_over = std::future::poll_fn(|_| match std::mem::replace(&mut had_a_turn, true) {
            true if terms.cpu_is_used_up() => Poll::Ready(Ended::Raised(CpuUsedUp.into())),
            true if Instant::now() >= until => Poll::Ready(Ended::TimeIsUp),
            true | false => Poll::Pending,
        });
        tokio::select! {
            biased;
            ended = turns_are_over => ended,
            result = (CpuTimed { future: guest, spent: &terms.cpu }) => match result {
                Ok((value,)) => Ended::Returned(value),
                Err(error) => Ended::Raised(error),
            },
            () = tokio::time::sleep_until(until.into()) => Ended::TimeIsUp,
        }
    }
}

/// What isn't the file's own failure.
fn ends_the_call(error: &wasmtime::Error) -> bool {
    error.downcast_ref::<CpuUsedUp>().is_some() || matches!(error.downcast_ref(), Some(Trap::OutOfFuel))
}

fn hands_over_too_much(error: &wasmtime::Error) -> bool {
    error.chain().any(|cause| cause.to_string().contains("fuel allocated for hostcalls has been exhausted"))
}

fn too_much() -> String {
    format!("it handed over more than {} MiB", MOST_VALUE >> 20)
}
