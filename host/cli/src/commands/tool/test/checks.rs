//! What a tool should do whatever it is for, and whether this one does.
//!
//! Owns: trying a tool's inputs, twice and in both orders, and judging what came of them. Doesn't own:
//! the inputs (`inputs`), how it is told (`report`).

use super::cases::ended;
use super::desk::Desk;
use super::inputs::{Input, inputs};
use super::report::{Check, Checked, Finding, Verdict};
use crate::commands::tool::shape::size;
use crate::exit::{Exit, Refusal};
use crate::terminal::one_line;
use anyhow::Result;
use ringfence_sandbox::reflect::{Signature, ToolDefinition, WitType};
use ringfence_sandbox::{CallReport, CancellationToken, Digest, Outcome, Sandbox, Tool};
use serde_json::json;

/// Characters of how a call ended.
const MESSAGE: usize = 400;

/// What the calls of one tool came to.
pub(super) struct Tried {
    tool: Tool,
    calls: Vec<Call>,
    /// Inputs that weren't tried, since an earlier call used up its time.
    left: usize,
}

/// One input and what came of it.
struct Call {
    /// Counted from 1 over all tools of the component.
    number: usize,
    input: Input,
    first: Seen,
    /// In the second round, which goes backwards.
    second: Option<Seen>,
}

/// What was seen of a call.
struct Seen {
    report: CallReport,
    /// Of everything that must be equal for equal calls.
    answer: Digest,
}

impl Seen {
    fn of(report: CallReport) -> Self {
        let answer = json!([report.outcome, report.stdout, report.stderr]).to_string();
        Self { answer: Digest::of(answer.as_bytes()), report }
    }

    fn told(&self) -> String {
        ended(&self.report.outcome, &one_line(&self.report.outcome.message(&self.report.receipt), MESSAGE))
    }
}

/// Calls a tool with all of its inputs, or with one; `before` is how many inputs earlier tools have.
pub(super) async fn tried(
    desk: &Desk,
    sandbox: &Sandbox,
    tool: &Tool,
    before: usize,
    only: Option<usize>,
    cancel: &CancellationToken,
) -> Result<Tried> {
    let all = inputs(&tool.definition().signature).into_iter().enumerate();
    let all: Vec<_> = all.map(|(at, input)| (before + at + 1, input)).collect();
    let wanted = all.into_iter().filter(|(number, _)| only.is_none_or(|only| only == *number));
    let (mut calls, mut left): (Vec<Call>, _) = (Vec::new(), 0);
    for (number, input) in wanted {
        // Every other could take as long.
        if calls.iter().any(|call| matches!(call.first.report.outcome, Outcome::Exceeded(_))) {
            left += 1;
            continue;
        }
        let first = seen(desk, sandbox, tool, &input, cancel).await?;
        calls.push(Call { number, input, first, second: None });
    }
    for call in calls.iter_mut().rev() {
        if !matches!(call.first.report.outcome, Outcome::Exceeded(_)) {
            call.second = Some(seen(desk, sandbox, tool, &call.input, cancel).await?);
        }
    }
    Ok(Tried { tool: tool.clone(), calls, left })
}

async fn seen(
    desk: &Desk,
    sandbox: &Sandbox,
    tool: &Tool,
    input: &Input,
    cancel: &CancellationToken,
) -> Result<Seen> {
    let report = desk.call(sandbox, tool, input.value.clone(), cancel).await?;
    match report.outcome {
        Outcome::Cancelled => Err(interrupted()),
        _ => Ok(Seen::of(report)),
    }
}

/// A person doesn't want to know the rest.
pub(super) fn interrupted() -> anyhow::Error {
    Refusal::new(Exit::Interrupted, "interrupted: nothing is said of the component").into()
}

impl Tried {
    /// How many calls were made.
    pub(super) fn calls(&self) -> usize {
        self.calls.iter().map(|call| 1 + usize::from(call.second.is_some())).sum()
    }

    /// The reports, for somebody who wants to see one in full.
    pub(super) fn reports(&self) -> impl Iterator<Item = (usize, &Input, &CallReport)> {
        self.calls.iter().map(|call| (call.number, &call.input, &call.first.report))
    }

    /// What is to be said of the tool; `limits` are those of the calls.
    pub(super) fn judged(&self, desk: &Desk) -> Vec<Checked> {
        let inputs = counted(self.calls.len());
        let none = |what: &str| format!("{inputs}: {what}");
        let bounds = format!(
            "every call kept to {} s, {} of memory and {} of result",
            desk.limits().time_ms / 1_000,
            size(desk.limits().memory_bytes),
            size(desk.limits().output_bytes)
        );
        vec![
            self.checked(Check::Described, described(self.tool.definition())),
            self.found(Check::Survives, "crashed it", &none("none crashed it"), |call| {
                crashed(&call.first.report)
            }),
            self.found(Check::Bounded, "went over a bound", &bounds, |call| over(call, desk)),
            self.found(
                Check::Equal,
                "had another answer the second time",
                "equal calls had equal answers, whatever was called between them",
                unequal,
            ),
        ]
    }

    fn found(
        &self,
        check: Check,
        what: &str,
        fine: &str,
        wrong: impl Fn(&Call) -> Option<String>,
    ) -> Checked {
        let finding = |call: &Call| {
            let got = wrong(call)?;
            let input = call.input.value.to_string();
            Some(Finding { number: call.number, said: call.input.said.clone(), input, got })
        };
        let findings: Vec<_> = self.calls.iter().filter_map(finding).collect();
        let rest = match self.left {
            0 => String::new(),
            left => format!("; {left} more weren't tried after that"),
        };
        let verdict = match findings.len() {
            0 => Verdict::Passed(format!("{fine}{rest}")),
            count => Verdict::Failed {
                what: format!("{count} of {} {what}{rest}", counted(self.calls.len())),
                findings,
            },
        };
        self.checked(check, verdict)
    }

    fn checked(&self, check: Check, verdict: Verdict) -> Checked {
        Checked { check, tool: Some(self.tool.name().to_owned()), verdict }
    }
}

fn counted(inputs: usize) -> String {
    if inputs == 1 { "1 input".to_owned() } else { format!("{inputs} inputs") }
}

/// A crash, also one after a refusal: what is refused can be answered with an error.
fn crashed(report: &CallReport) -> Option<String> {
    match &report.outcome {
        Outcome::Trapped(what) => Some(one_line(what, MESSAGE)),
        Outcome::Denied { crash: Some(what), .. } => {
            Some(format!("{} (after a refusal)", one_line(what, MESSAGE)))
        }
        Outcome::Done(_)
        | Outcome::Failed(_)
        | Outcome::Denied { crash: None, .. }
        | Outcome::Exceeded(_)
        | Outcome::Cancelled => None,
    }
}

/// A bound that the call went over. A long answer to input that was as long isn't one.
fn over(call: &Call, desk: &Desk) -> Option<String> {
    let (report, limits) = (&call.first.report, desk.limits());
    if let Outcome::Exceeded(_) = report.outcome {
        return Some(call.first.told());
    }
    let given = call.input.value.to_string().len() as u64;
    let receipt = &report.receipt;
    if receipt.truncated && given < limits.output_bytes {
        return Some(format!(
            "its result has {}, of which {} are kept",
            size(receipt.output_bytes),
            size(limits.output_bytes)
        ));
    }
    if receipt.stdio_bytes > 2 * limits.stdio_bytes.max(given) {
        return Some(format!("it wrote {} to standard output and standard error", size(receipt.stdio_bytes)));
    }
    None
}

fn unequal(call: &Call) -> Option<String> {
    let second = call.second.as_ref().filter(|second| second.answer != call.first.answer)?;
    Some(format!("first {}, then {}", call.first.told(), second.told()))
}

/// Whether a model is told what the tool does, and what its parameters mean.
fn described(definition: &ToolDefinition) -> Verdict {
    if !definition.documented {
        let what =
            "it has no documentation, so a model is told nothing but its name; write doc comments into \
                    its WIT, or a `description` into the configuration"
                .to_owned();
        return Verdict::Failed { what, findings: Vec::new() };
    }
    let Signature { params, .. } = &definition.signature;
    let words = |text: &str| -> Vec<String> {
        let is_part = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
        text.split(|character| !is_part(character)).map(|word| word.replace('-', "_")).collect()
    };
    let said = words(&definition.description);
    let unsaid: Vec<_> = params
        .iter()
        .filter(|param| !said.iter().any(|word| word == param.name.snake()) && !has_docs(&param.ty))
        .map(|param| format!("`{}`", param.name.snake()))
        .collect();
    if unsaid.is_empty() {
        Verdict::Passed("says what it does and what its parameters mean".to_owned())
    } else {
        Verdict::Noted(format!("says what it does; not what {} means", unsaid.join(", ")))
    }
}

/// Whether a type says itself what it is for.
fn has_docs(ty: &WitType) -> bool {
    match ty {
        WitType::Record(record) => record.docs.is_some() || record.fields.iter().all(|it| it.docs.is_some()),
        WitType::Variant(variant) => {
            variant.docs.is_some() || variant.cases.iter().all(|it| it.docs.is_some())
        }
        WitType::Enum(names) | WitType::Flags(names) => {
            names.docs.is_some() || names.names.iter().all(|it| it.docs.is_some())
        }
        WitType::Option(inner) | WitType::List(inner) => has_docs(inner),
        WitType::FixedList { element, .. } => has_docs(element),
        WitType::Bool
        | WitType::S8
        | WitType::U8
        | WitType::S16
        | WitType::U16
        | WitType::S32
        | WitType::U32
        | WitType::S64
        | WitType::U64
        | WitType::F32
        | WitType::F64
        | WitType::Char
        | WitType::String
        | WitType::Bytes
        | WitType::Map { .. }
        | WitType::Tuple(_)
        | WitType::Result { .. } => false,
    }
}
