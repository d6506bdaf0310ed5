//! Tool calls of a run, carried out in the sandbox.
//!
//! Owns: turning the engine's call into the sandbox's and its report into an outcome. Doesn't
//! own: deadlines and grants themselves (the sandbox keeps them).

use crate::driver::{Executed, Executor, Readied};
use crate::recall::Recall;
use crate::staging::{Staging, Turn, Writing, told};
use crate::state_dir::Folders;
use crate::toolset::Toolbox;
use anyhow::{Context, Result};
use async_trait::async_trait;
use ringfence_engine::{OutcomeStatus, ReceiptId, ReviewId, RunId, ToolCall, ToolOutcome, ToolSpec};
use ringfence_sandbox::{
    CallError, CallReport, CallRequest, CancellationToken, KnownReads, Limits, Mark, Outcome, Sandbox, Stage,
    Tool,
};
use ringfence_store::Journal;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The sandbox with one run's tools and grants.
pub struct Fenced {
    /// Where calls are made.
    pub sandbox: Arc<Sandbox>,
    /// The tools, each with what it may touch.
    pub toolbox: Toolbox,
    /// Those that the run may call.
    pub allowed: BTreeSet<String>,
    /// Those whose equal calls in a row are their nature.
    pub polling: BTreeSet<String>,
    /// Where changes go, where a tool can make any.
    pub staging: Option<Staging>,
    /// Answers of earlier calls; without them every call is made.
    pub recall: Option<Recall>,
}

impl Fenced {
    /// The tools as the loop and its models know them, ordered by name.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.allowed
            .iter()
            .filter_map(|name| self.toolbox.tools().get(name))
            .map(|tool| {
                let definition = tool.definition();
                ToolSpec {
                    name: tool.name().to_owned(),
                    description: definition.description.clone(),
                    input_schema: definition.input_schema.clone(),
                    can: self.toolbox.facts(tool.name()),
                    timeout_ms: Some(self.toolbox.limits(tool.name()).time_ms),
                    polling: self.polling.contains(tool.name()),
                }
            })
            .collect()
    }

    /// The same with the run's stage, where a tool can change something; with the journal of a run
    /// that is taken up.
    pub fn staged(mut self, run: &RunId, journal: Option<&Journal>, folders: &Folders) -> Result<Self> {
        if self.allowed.iter().any(|tool| self.toolbox.facts(tool).writes) {
            self.staging = Some(Staging::open(run, journal, folders)?);
        }
        Ok(self)
    }

    fn request(&self, tool: &Tool, call: &ToolCall, stage: Option<&Arc<Stage>>) -> CallRequest {
        let bounds = self.toolbox.limits(&call.tool);
        CallRequest {
            tool: tool.clone(),
            input: call.input.clone(),
            tree: self.toolbox.tree(&call.tool).clone(),
            stage: stage.cloned(),
            known: self.staging.as_ref().map(Staging::known).unwrap_or_default(),
            limits: Limits { time_ms: bounds.time_ms.min(call.timeout_ms), ..bounds.clone() },
            egress: self.toolbox.egress().clone(),
            env: self.toolbox.env().clone(),
            cancel: CancellationToken::new(),
        }
    }

    /// The stage, and the tool of a call, where the call can change something.
    fn writes(&self, call: &ToolCall) -> Option<(&Staging, &Tool)> {
        let tool = self.allowed(&call.tool).filter(|_| self.toolbox.facts(&call.tool).writes)?;
        Some((self.staging.as_ref()?, tool))
    }

    /// Keeps what a call has changed, if that is what was shown when it was approved.
    fn settled(&self, call: &ToolCall, report: CallReport, writing: Option<Writing>) -> Result<Executed> {
        let Some(staging) = &self.staging else { return executed(call, report, None) };
        let Some(writing) = writing else {
            staging.learn(&report.receipt);
            return executed(call, report, None);
        };
        // Nothing is kept of a call that ended in any other way.
        let keeps = match &report.outcome {
            Outcome::Done(_) | Outcome::Failed(_) => true,
            Outcome::Trapped(_) | Outcome::Denied { .. } | Outcome::Exceeded(_) | Outcome::Cancelled => false,
        };
        if keeps
            && let Some(approved) = staging.approved(call)?
            && writing.effect()? != approved
        {
            return other_than_approved(call, report, writing.leave());
        }
        staging.learn(&report.receipt);
        let turn = writing.keep()?;
        let executed = executed(call, report, Some(staging.stage().mark()?))?;
        Ok(Executed { turn: Some(turn), ..executed })
    }

    fn allowed(&self, tool: &str) -> Option<&Tool> {
        self.allowed.contains(tool).then(|| self.toolbox.tools().get(tool))?
    }
}

#[async_trait]
impl Executor for Fenced {
    fn cold(&self, tool: &str) -> Option<String> {
        let component = self.allowed(tool)?.component();
        let cold = self.sandbox.would_compile(component).unwrap_or(false);
        cold.then(|| component.name().to_owned())
    }

    async fn ready(&self, tool: &str) -> Result<Readied> {
        let tool = self.allowed(tool).with_context(|| format!("there is no tool `{tool}`"))?;
        let prepared = self.sandbox.prepare(tool.component()).await?;
        Ok(Readied { took: prepared.took })
    }

    async fn call(&self, call: &ToolCall) -> Result<Executed> {
        let Some(tool) = self.allowed(&call.tool) else {
            return Ok(not_run(format!("there is no tool `{}`", call.tool)));
        };
        let writing = match self.writes(call) {
            Some((staging, _)) => Some(staging.begin(call.call).await?),
            None => None,
        };
        let staged = || self.staging.as_ref().map(Staging::stage);
        let stage = writing.as_ref().map(Writing::stage).or_else(staged);
        let request = self.request(tool, call, stage);
        match Recall::call(self.recall.as_ref(), &self.sandbox, request).await {
            Ok(report) => self.settled(call, self.toolbox.told(&call.tool, report), writing),
            Err(error @ (CallError::Input { .. } | CallError::Load(_) | CallError::NoStage { .. })) => {
                Ok(not_run(error.to_string()))
            }
            // The host stumbled, not the tool: the next try may well work.
            Err(error @ (CallError::Host { .. } | CallError::Stage { .. })) => {
                let mut executed = not_run(error.to_string());
                executed.outcome.transient = true;
                Ok(executed)
            }
        }
    }

    fn is_unshown(&self, call: &ToolCall) -> Result<bool> {
        match self.writes(call) {
            Some((staging, _)) => Ok(staging.approved(call)?.is_none()),
            None => Ok(false),
        }
    }

    async fn rehearse(&self, review: ReviewId, before: &[ToolCall], call: &ToolCall) -> Result<()> {
        let Some((staging, tool)) = self.writes(call) else { return Ok(()) };
        let (_turn, mut trial) = staging.rehearse().await?;
        let mut known = KnownReads::clone(&staging.known());
        for earlier in before.iter().filter(|earlier| !earlier.can.egress) {
            let Some(tool) = self.allowed(&earlier.tool) else { continue };
            let request = self.request(tool, earlier, Some(trial.stage()));
            // What becomes of it is told when it is made.
            if let Ok(report) =
                self.sandbox.call(CallRequest { known: Arc::new(known.clone()), ..request }).await
            {
                known.learn(&report.receipt);
            }
        }
        trial.from_here()?;
        let request = self.request(tool, call, Some(trial.stage()));
        let fails = match self.sandbox.call(CallRequest { known: Arc::new(known), ..request }).await {
            Ok(report) => {
                let report = self.toolbox.told(&call.tool, report);
                report.outcome.message(&report.receipt)
            }
            Err(error @ (CallError::Input { .. } | CallError::Load(_) | CallError::NoStage { .. })) => {
                error.to_string()
            }
            // Nobody knows what it would change.
            Err(error @ (CallError::Host { .. } | CallError::Stage { .. })) => return Err(error.into()),
        };
        let (changes, effect) = (trial.changes()?, trial.effect()?);
        // Comparing long files takes its time, and somebody may want to stop meanwhile.
        let diff = tokio::task::spawn_blocking(move || told(&changes)).await??;
        let shown = if fails.is_empty() { diff } else { format!("{diff}The call would fail: {fails}\n") };
        staging.propose(review, call, shown, effect)
    }
}

/// The name in a receipt of the stage's state after a call that could change it.
pub(crate) const STAGE_MARK: &str = "stage_mark";

fn executed(call: &ToolCall, report: CallReport, mark: Option<Mark>) -> Result<Executed> {
    let id = match call.attempt {
        0 | 1 => ReceiptId(format!("r{}", call.call)),
        attempt => ReceiptId(format!("r{}.{attempt}", call.call)),
    };
    let message = report.outcome.message(&report.receipt);
    let mut receipt = serde_json::to_value(&report.receipt).context("a receipt can't be written")?;
    if let (Some(mark), Some(receipt)) = (mark, receipt.as_object_mut()) {
        receipt.insert(STAGE_MARK.to_owned(), serde_json::to_value(mark)?);
    }
    let (status, value) = match report.outcome {
        Outcome::Done(value) => (OutcomeStatus::Done, value),
        Outcome::Failed(error) => (OutcomeStatus::Failed, error),
        Outcome::Trapped(_) => (OutcomeStatus::Trapped, Value::Null),
        Outcome::Denied { error, .. } => (OutcomeStatus::Denied, error),
        Outcome::Exceeded(_) => (OutcomeStatus::Exceeded, Value::Null),
        Outcome::Cancelled => (OutcomeStatus::Cancelled, Value::Null),
    };
    let outcome = ToolOutcome { status, value, message, receipt: Some(id.clone()), transient: false };
    Ok(Executed { outcome, receipt: Some((id, receipt)), turn: None })
}

/// A call that did something else than a person was shown: nothing of it stays.
fn other_than_approved(call: &ToolCall, mut report: CallReport, turn: Turn) -> Result<Executed> {
    report.receipt.written.clear();
    let Executed { outcome, receipt, turn: _ } = executed(call, report, None)?;
    let message = "nothing of it was kept: the call changed something else than what was shown when it was \
                   approved; the files may have changed since, or the tool doesn't do the same thing twice";
    let (status, value) = (OutcomeStatus::Failed, Value::Null);
    let outcome = ToolOutcome { status, value, message: message.to_owned(), ..outcome };
    Ok(Executed { outcome, receipt, turn: Some(turn) })
}

/// A call that never reached a guest: the model learns why and can do better.
fn not_run(message: String) -> Executed {
    let outcome = ToolOutcome {
        status: OutcomeStatus::Failed,
        value: Value::Null,
        message,
        receipt: None,
        transient: false,
    };
    Executed { outcome, receipt: None, turn: None }
}
