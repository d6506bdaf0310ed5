//! Tool calls of a run, carried out in the sandbox.
//!
//! Owns: turning the engine's call into the sandbox's and its report into an outcome. Doesn't
//! own: deadlines and grants themselves (the sandbox keeps them).

use crate::driver::{Executed, Executor, Readied};
use crate::toolset::Toolbox;
use anyhow::{Context, Result};
use async_trait::async_trait;
use ringfence_engine::{OutcomeStatus, ReceiptId, ToolCall, ToolOutcome, ToolSpec};
use ringfence_sandbox::{
    CallError, CallReport, CallRequest, CancellationToken, Limits, Outcome, Sandbox, Tool,
};
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
        let bounds = self.toolbox.limits(&call.tool);
        let limits = Limits { time_ms: bounds.time_ms.min(call.timeout_ms), ..bounds.clone() };
        let request = CallRequest {
            tool: tool.clone(),
            input: call.input.clone(),
            tree: self.toolbox.tree(&call.tool).clone(),
            limits,
            egress: self.toolbox.egress().clone(),
            cancel: CancellationToken::new(),
        };
        match self.sandbox.call(request).await {
            Ok(report) => executed(call, report),
            Err(error @ (CallError::Input { .. } | CallError::Load(_))) => Ok(not_run(error.to_string())),
            // The host stumbled, not the tool: the next try may well work.
            Err(error @ CallError::Host { .. }) => {
                let mut executed = not_run(error.to_string());
                executed.outcome.transient = true;
                Ok(executed)
            }
        }
    }
}

fn executed(call: &ToolCall, report: CallReport) -> Result<Executed> {
    let id = match call.attempt {
        0 | 1 => ReceiptId(format!("r{}", call.call)),
        attempt => ReceiptId(format!("r{}.{attempt}", call.call)),
    };
    let message = report.outcome.message(&report.receipt);
    let receipt = serde_json::to_value(&report.receipt).context("a receipt can't be written")?;
    let (status, value) = match report.outcome {
        Outcome::Done(value) => (OutcomeStatus::Done, value),
        Outcome::Failed(error) => (OutcomeStatus::Failed, error),
        Outcome::Trapped(_) => (OutcomeStatus::Trapped, Value::Null),
        Outcome::Denied { error, .. } => (OutcomeStatus::Denied, error),
        Outcome::Exceeded(_) => (OutcomeStatus::Exceeded, Value::Null),
        Outcome::Cancelled => (OutcomeStatus::Cancelled, Value::Null),
    };
    let outcome = ToolOutcome { status, value, message, receipt: Some(id.clone()), transient: false };
    Ok(Executed { outcome, receipt: Some((id, receipt)) })
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
    Executed { outcome, receipt: None }
}
