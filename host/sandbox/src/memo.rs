//! The answer of a deterministic call, to be given again while everything it rests on is the same.
//!
//! Owns: what equal calls are (the key), which answers may be given again, and what a report of
//! one says. Doesn't own: what a call saw and whether that still holds (`view`), where answers are
//! kept.

use crate::call::{CallReport, CallRequest};
use crate::component::LoadError;
use crate::digest::Digest;
use crate::engine::Budget;
use crate::grant::Limits;
use crate::receipt::{Cached, Outcome, Receipt};
use crate::sandbox::Sandbox;
use crate::view::{Footprint, GrantedTree};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Instant;

/// An answer and what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memo {
    outcome: Outcome,
    receipt: Receipt,
    stdout: String,
    stderr: String,
    footprint: Footprint,
    made_ms: u64,
}

impl Memo {
    /// What is to be kept of a call; none if its answer can't be given again: it wasn't
    /// deterministic, saw too much to look at again, or didn't come to its own end.
    pub fn of(report: &CallReport, made_ms: u64) -> Option<Self> {
        let kept = match &report.outcome {
            Outcome::Done(_) | Outcome::Failed(_) => !report.receipt.truncated,
            Outcome::Trapped(_) | Outcome::Denied { .. } | Outcome::Exceeded(_) | Outcome::Cancelled => false,
        };
        if !kept || report.receipt.cached.is_some() || report.receipt.omitted > 0 {
            return None;
        }
        Some(Self {
            outcome: report.outcome.clone(),
            receipt: report.receipt.clone(),
            stdout: report.stdout.clone(),
            stderr: report.stderr.clone(),
            footprint: report.footprint.clone()?,
            made_ms,
        })
    }

    /// The same answer for a call now: no guest ran, so none took memory or processor time.
    fn report(self, tree: &GrantedTree, looked: Instant) -> CallReport {
        let receipt = Receipt {
            grants: tree.digest(),
            dirs: tree.dirs().to_vec(),
            peak_memory_bytes: 0,
            cpu_us: 0,
            fuel: None,
            files_worked: None,
            wall_us: u64::try_from(looked.elapsed().as_micros()).unwrap_or(u64::MAX),
            cached: Some(Cached { from_ms: self.made_ms }),
            ..self.receipt
        };
        let Self { outcome, stdout, stderr, .. } = self;
        CallReport { outcome, receipt, stdout, stderr, crash: None, footprint: None }
    }
}

impl Sandbox {
    /// What two calls must have in common for one to be answered by the other's answer: project,
    /// component, tool, input, grants, limits, and the engine that runs it. None for a call that
    /// isn't deterministic, or can write or send.
    ///
    /// The time that is left to a call doesn't count: whoever came to an end came to it in time.
    pub fn memo_key(&self, request: &CallRequest) -> Result<Option<Digest>, LoadError> {
        let grants = request.tree.grants();
        let facts = grants.facts();
        if !grants.deterministic || facts.writes || facts.egress || request.stage.is_some() {
            return Ok(None);
        }
        let tool = &request.tool;
        let budget = if request.limits.fuel.is_some() { Budget::Fuel } else { Budget::Time };
        let engine = self.core().engine(budget)?;
        let limits =
            Limits { time_ms: grants.limits.time_ms, cpu_ms: grants.limits.cpu_ms, ..request.limits.clone() };
        let key = (
            ("ringfence memo 1", env!("CARGO_PKG_VERSION"), engine),
            request.tree.project_path().as_os_str().as_encoded_bytes(),
            ((tool.component().digest(), &tool.definition().export, tool.name()), canonical(&request.input)),
            (request.tree.digest(), request.tree.dirs(), limits),
        );
        let name = request.tool.component().name().to_owned();
        let text =
            serde_json::to_vec(&key).map_err(|error| LoadError::Host { name, reason: error.to_string() })?;
        Ok(Some(Digest::of(&text)))
    }

    /// Gives an answer again if everything that it rests on is still as it was. Reads what the
    /// call read. Can be awaited on any runtime.
    pub async fn recall(&self, memo: Memo, tree: &Arc<GrantedTree>) -> Option<CallReport> {
        let looked = Instant::now();
        let shared = tree.clone();
        let look = move || shared.still_holds(&memo.footprint).then_some(memo);
        let memo = self.handle().spawn_blocking(look).await.ok()??;
        Some(memo.report(tree, looked))
    }
}

/// The same value with the fields of its objects in one order.
pub(crate) fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> =
                fields.iter().map(|(name, value)| (name.clone(), canonical(value))).collect();
            fields.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(fields.into_iter().collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
