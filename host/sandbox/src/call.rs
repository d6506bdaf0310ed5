//! One tool call: a fresh store, context and instance, thrown away when it ends.
//!
//! Owns: the way of a call from its request to its report, its deadline and cancelling. Doesn't
//! own: how an end is judged (`outcome`), what the guest sees (`host_state`).

use crate::chance::Seed;
use crate::component::{Code, LoadError};
use crate::cpu::{CpuSpent, CpuTimed};
use crate::egress::{EgressContext, NetworkLog};
use crate::engine::Budget;
use crate::fan_out::{FanOut, Terms};
use crate::grant::Limits;
use crate::host_state::HostState;
use crate::json::{Arguments, InputError, Results, arguments};
use crate::memo::canonical;
use crate::outcome::{Ended, judge};
use crate::receipt::{Outcome, Receipt};
use crate::sandbox::{Core, Sandbox};
use crate::stage::{KnownReads, Stage, StageError};
use crate::stdio::Captured;
use crate::ticker::Ticking;
use crate::toolset::Tool;
use crate::trap::{CpuUsedUp, DeadlinePassed};
use crate::variable::{VariableName, VariableValue, Variables};
use crate::view::{Footprint, GrantedTree, PastEnd, View};
use serde_json::Value;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
pub use tokio_util::sync::CancellationToken;
use wasmtime::component::ComponentExportIndex;
use wasmtime::{Store, UpdateDeadline};

/// Bytes that one crossing of the boundary may carry from the guest to the host.
pub(crate) const EXCHANGE_BYTES: usize = 64 << 20;
/// Handles of resources that a guest may hold in all its tables.
pub(crate) const GUEST_HANDLES: usize = 10_000;

/// A longer time limit is this long.
pub(crate) const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// What to call, with what, within which bounds.
#[derive(Clone)]
pub struct CallRequest {
    /// The tool.
    pub tool: Tool,
    /// Its arguments: a JSON object, as the tool's input schema says.
    pub input: Value,
    /// What it may see of the files.
    pub tree: Arc<GrantedTree>,
    /// The run's staged writes: seen by the call, and where its changes go. A call with a grant to
    /// write has to have one.
    pub stage: Option<Arc<Stage>>,
    /// What the run has read before, so that it may change it.
    pub known: Arc<KnownReads>,
    /// The bounds.
    pub limits: Limits,
    /// How it reaches the hosts that it is granted, with the values of secrets.
    pub egress: EgressContext,
    /// The values of the variables that it may see.
    pub env: Arc<Variables>,
    /// Cancels the call; cancelling twice or after its end does nothing.
    pub cancel: CancellationToken,
}

impl CallRequest {
    /// What the guest finds in its environment.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&VariableName, &VariableValue)> {
        self.env.among(self.tree.grants().env_of(&self.tool))
    }
}

/// What came of a call that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct CallReport {
    /// How it ended.
    pub outcome: Outcome,
    /// The record of it.
    pub receipt: Receipt,
    /// What the guest wrote to standard output, up to the bound.
    pub stdout: String,
    /// What the guest wrote to standard error, up to the bound.
    pub stderr: String,
    /// What the runtime says of a guest that crashed, also where the outcome is a denial or a
    /// limit.
    pub crash: Option<String>,
    /// What the answer rests on, where the call was deterministic and all of it could be noted.
    pub footprint: Option<Footprint>,
}

/// Why a call was not made: no guest code ran.
#[derive(Debug, Error)]
pub enum CallError {
    /// The arguments don't fit the tool.
    #[error("the arguments for `{tool}` don't fit: {source}")]
    Input {
        /// The tool.
        tool: String,
        /// What doesn't fit.
        source: InputError,
    },
    /// There is a grant to write, and nowhere to write to.
    #[error("`{tool}` was not called: it is granted to write, which needs a stage")]
    NoStage {
        /// The tool.
        tool: String,
    },
    /// The stage can't be used. If that came out at the call's end, its changes are dropped.
    #[error("`{tool}` could not use its stage: {source}")]
    Stage {
        /// The tool.
        tool: String,
        /// What is wrong.
        source: StageError,
    },
    /// The component can't be used.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The host failed, not the tool.
    #[error("the call of `{tool}` could not be carried out: {reason}")]
    Host {
        /// The tool.
        tool: String,
        /// What happened.
        reason: String,
    },
}

impl Sandbox {
    /// Calls a tool in a fresh instance. Can be awaited on any runtime: the call itself runs on
    /// the sandbox's own. Dropping the future stops the guest.
    ///
    /// Time spent on loading code or waiting for other calls to end doesn't count against the
    /// call's limit; compiling has one of its own. Cancelling ends the wait for either at once.
    pub async fn call(&self, request: CallRequest) -> Result<CallReport, CallError> {
        let definition = request.tool.definition();
        let tool = request.tool.name().to_owned();
        let arguments = arguments(&definition.signature, &request.input)
            .map_err(|source| CallError::Input { tool: tool.clone(), source })?;
        let call = run(self.core().clone(), request, arguments);
        if Handle::try_current().is_ok_and(|here| here.id() == self.handle().id()) {
            return call.await;
        }
        let mut task = StopOnDrop(self.handle().spawn(call));
        match (&mut task.0).await {
            Ok(report) => report,
            Err(error) => Err(CallError::Host { tool, reason: error.to_string() }),
        }
    }
}

/// A task that ends when nobody waits for it any more.
struct StopOnDrop<T>(JoinHandle<T>);

impl<T> Drop for StopOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn run(core: Arc<Core>, request: CallRequest, arguments: Arguments) -> Result<CallReport, CallError> {
    let limits = &request.limits;
    let host_failed = |reason: String| CallError::Host { tool: request.tool.name().to_owned(), reason };
    let budget = if limits.fuel.is_some() { Budget::Fuel } else { Budget::Time };
    let grants = request.tree.grants();
    if let Some(secret) =
        grants.open_secrets().iter().find(|one| request.egress.secrets().get(&one.name).is_none())
    {
        return Err(host_failed(format!("the secret `{}` has no value", secret.name)));
    }
    let ready = async {
        let code = core.code(request.tool.component(), budget).await?;
        let export = &request.tool.definition().export;
        let Some(export) = code.exports.get(export) else {
            return Err(host_failed(format!("the component has no {export}")));
        };
        let slot = core.slots.acquire().await.map_err(|error| host_failed(error.to_string()))?;
        Ok((code, export, slot))
    };
    let ready = tokio::select! {
        biased;
        () = request.cancel.cancelled() => None,
        ready = ready => Some(ready?),
    };

    let started = Instant::now();
    let deadline = started + limits.time().min(LONGEST);
    let stdout = Captured::new(limits.stdio_bytes);
    let stderr = Captured::new(limits.stdio_bytes);
    let view = view_of(&request)?.until(deadline, request.cancel.clone());
    let scrubs = request.egress.scrubs(grants);
    let network = NetworkLog::new(limits.requests.clone(), scrubs);
    let made_up = grants.makes_up_chance().then(|| {
        let digest = request.tool.component().digest().hex();
        // Calls that may be answered by one another must have one chance.
        let input = if request.tree.grants().deterministic {
            canonical(&request.input)
        } else {
            request.input.clone()
        };
        Seed::of(&digest, request.tool.name(), &input)
    });
    let mut state =
        HostState::new(view, &request, [stdout.clone(), stderr.clone()], made_up, network.clone());
    let Some((code, export, slot)) = ready else {
        let spent = Spent { cpu: Duration::ZERO, fuel: limits.fuel.map(|_| 0), wall: started.elapsed() };
        return judge(&request, Ended::Cancelled, state, [stdout, stderr], spent);
    };
    let cpu = Arc::new(CpuSpent::default());
    if code.each_file.is_some() {
        let terms = Terms::new(core.clone(), &request, cpu.clone(), started, deadline);
        state.fan_out = FanOut::Offered(Arc::new(terms));
    }
    let mut store =
        new_store(code, state, limits, deadline).map_err(|error| host_failed(error.to_string()))?;
    let ended = {
        let guest = pin!(instantiate_and_call(code, &mut store, export, arguments));
        run_guest(guest, &cpu, &request, deadline, &network).await
    };
    let fuel = limits.fuel.map(|given| given.saturating_sub(store.get_fuel().unwrap_or(0)));
    let state = store.into_data();
    drop(slot);
    let spent = Spent { cpu: cpu.so_far(), fuel, wall: started.elapsed() };
    judge(&request, ended, state, [stdout, stderr], spent)
}

fn view_of(request: &CallRequest) -> Result<View, CallError> {
    let tool = || request.tool.name().to_owned();
    match &request.stage {
        Some(stage) => View::staged(request.tree.clone(), &request.limits, stage, request.known.clone())
            .map_err(|source| CallError::Stage { tool: tool(), source }),
        None if request.tree.grants().facts().writes => Err(CallError::NoStage { tool: tool() }),
        None => Ok(View::new(request.tree.clone(), &request.limits)),
    }
}

/// What a call used.
pub(crate) struct Spent {
    pub(crate) cpu: Duration,
    pub(crate) fuel: Option<u64>,
    pub(crate) wall: Duration,
}

async fn run_guest(
    guest: std::pin::Pin<&mut impl Future<Output = wasmtime::Result<Results>>>,
    cpu: &CpuSpent,
    request: &CallRequest,
    deadline: Instant,
    network: &NetworkLog,
) -> Ended {
    let _ticking = Ticking::start();
    let time_is_up = tokio::time::sleep_until(deadline.into());
    let cpu_limit = request.limits.cpu_ms.map(Duration::from_millis);
    let cpu_is_used_up = || cpu_limit.is_some_and(|limit| cpu.so_far() >= limit);
    // A guest that had to wait for a turn isn't given another one when its time is over.
    let mut had_a_turn = false;
    let turns_are_over = std::future::poll_fn(|_| match std::mem::replace(&mut had_a_turn, true) {
        true if request.cancel.is_cancelled() => Poll::Ready(Ended::Cancelled),
        true if cpu_is_used_up() => Poll::Ready(Ended::Raised(CpuUsedUp.into())),
        true if Instant::now() >= deadline => Poll::Ready(Ended::Raised(DeadlinePassed.into())),
        true | false => Poll::Pending,
    });
    let ended = tokio::select! {
        // The guest before the timer: most calls end without ever waiting, and set no timer then.
        biased;
        ended = turns_are_over => ended,
        result = (CpuTimed { future: guest, spent: cpu }) => match result {
            Ok(results) => Ended::Returned(results),
            Err(error) => Ended::Raised(error),
        },
        () = request.cancel.cancelled() => Ended::Cancelled,
        exceeded = network.halted() => Ended::Raised(exceeded.into()),
        () = time_is_up => Ended::Raised(DeadlinePassed.into()),
    };
    // Whatever the guest made of the error that it saw.
    match (ended, network.exceeded()) {
        (Ended::Cancelled, _) => Ended::Cancelled,
        (Ended::Raised(error), None) => match error.downcast_ref() {
            Some(PastEnd::Cancelled) => Ended::Cancelled,
            Some(PastEnd::Deadline) => Ended::Raised(DeadlinePassed.into()),
            None => Ended::Raised(error),
        },
        (_, Some(exceeded)) => Ended::Raised(exceeded.into()),
        (ended, None) => ended,
    }
}

/// A store for a guest of this code.
pub(crate) fn new_store(
    code: &Code,
    state: HostState,
    limits: &Limits,
    deadline: Instant,
) -> wasmtime::Result<Store<HostState>> {
    let mut store = Store::new(code.instance.engine(), state);
    store.limiter(|state| &mut state.limiter);
    store.set_hostcall_fuel(EXCHANGE_BYTES);
    store.set_max_component_handles(GUEST_HANDLES);
    if let Some(fuel) = limits.fuel {
        store.set_fuel(fuel)?;
    }
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |_| {
        if Instant::now() >= deadline {
            Err(DeadlinePassed.into())
        } else {
            // Not tokio's `yield_now`: it puts the guest in front of all others again.
            Ok(UpdateDeadline::Yield(1))
        }
    });
    Ok(store)
}

async fn instantiate_and_call(
    code: &Code,
    store: &mut Store<HostState>,
    export: &ComponentExportIndex,
    arguments: Arguments,
) -> wasmtime::Result<Results> {
    let instance = code.instance.instantiate_async(&mut *store).await?;
    let function = instance
        .get_func(&mut *store, export)
        .ok_or_else(|| wasmtime::Error::msg("the instance lacks the tool's function"))?;
    arguments.call(&function, store).await
}
