//! What a test came to, for a person and for programs.

use crate::exit::Exit;
use crate::shell;
use crate::terminal::{one_line, plain};
use ringfence_sandbox::Digest;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// Findings of one check in words; programs get all.
const SHOWN: usize = 3;
/// Characters of an input.
const INPUT: usize = 300;

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Check {
    /// The component can run here, and has a tool.
    Runs,
    /// A model is told what the tool does.
    Described,
    /// No input crashes it.
    Survives,
    /// No call goes over its bounds.
    Bounded,
    /// Equal calls have equal answers.
    Equal,
    /// A case of its own.
    Case,
}

/// One check of one thing.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) check: Check,
    /// The tool; none where it is about the component.
    pub(super) tool: Option<String>,
    pub(super) verdict: Verdict,
}

/// What came of it; the text says what was seen.
#[derive(Debug)]
pub(super) enum Verdict {
    Passed(String),
    /// Nothing that fails a test, and worth knowing.
    Noted(String),
    Failed {
        what: String,
        findings: Vec<Finding>,
    },
}

/// An input that something is wrong with.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    /// Its number, for trying it again.
    #[serde(rename = "input")]
    pub(super) number: usize,
    /// What is special about it.
    pub(super) said: String,
    /// The arguments as JSON.
    #[serde(rename = "arguments")]
    pub(super) input: String,
    /// What came of it.
    pub(super) got: String,
}

/// A whole test.
#[derive(Debug)]
pub(super) struct Report {
    /// The component's file, as it was named.
    pub(super) component: String,
    pub(super) digest: Digest,
    /// Calls that were made.
    pub(super) calls: usize,
    pub(super) checks: Vec<Checked>,
    /// The words of the command that was given, without a number of an input.
    pub(super) command: Vec<String>,
}

impl Report {
    /// 0 if nothing failed, else 1.
    pub(super) fn exit(&self) -> Exit {
        if self.count("failed") == 0 { Exit::Done } else { Exit::Failed }
    }

    fn count(&self, status: &str) -> usize {
        self.checks.iter().filter(|checked| checked.verdict.status() == status).count()
    }

    fn again(&self, number: usize) -> String {
        let words = self.command.iter().cloned().chain(["--only".to_owned(), number.to_string()]);
        shell::command(words)
    }

    /// One line a check; of failures a few inputs with how to try them again.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}  {}\n", plain(&self.component), self.digest);
        for checked in &self.checks {
            let whose = checked.tool.as_ref().map(|tool| format!("{tool}: ")).unwrap_or_default();
            let line = one_line(&format!("{whose}{}", checked.verdict.what()), 1_000);
            let _ = writeln!(text, "{} {line}", checked.verdict.mark());
            let Verdict::Failed { findings, .. } = &checked.verdict else { continue };
            for finding in findings.iter().take(SHOWN) {
                let _ = writeln!(text, "    {}: {}", plain(&finding.said), one_line(&finding.got, 600));
                let _ = writeln!(text, "      arguments  {}", one_line(&finding.input, INPUT));
                let _ = writeln!(text, "      again      {}", plain(&self.again(finding.number)));
            }
            match findings.len().saturating_sub(SHOWN) {
                0 => {}
                more => {
                    let numbers: Vec<_> =
                        findings.iter().skip(SHOWN).map(|finding| finding.number.to_string()).collect();
                    let _ =
                        writeln!(text, "    and {more} more: --only {}", one_line(&numbers.join(", "), 200));
                }
            }
        }
        let counted = |status: &str| match self.count(status) {
            0 => String::new(),
            count => format!(", {count} {status}"),
        };
        let _ = writeln!(
            text,
            "{} passed{}{}; {} calls",
            self.count("passed"),
            counted("failed"),
            counted("noted"),
            self.calls
        );
        text
    }

    pub(super) fn json(&self) -> Value {
        let checks = self.checks.iter().map(|checked| {
            let findings: &[Finding] = match &checked.verdict {
                Verdict::Failed { findings, .. } => findings,
                Verdict::Passed(_) | Verdict::Noted(_) => &[],
            };
            let findings = findings.iter().map(|finding| {
                let mut told = json!(finding);
                told["arguments"] = json!(cut(&finding.input));
                told["again"] = json!(self.again(finding.number));
                told
            });
            json!({
                "check": checked.check,
                "tool": checked.tool,
                "status": checked.verdict.status(),
                "what": checked.verdict.what(),
                "findings": findings.collect::<Vec<_>>(),
            })
        });
        json!({
            "component": self.component,
            "digest": self.digest,
            "calls": self.calls,
            "passed": self.count("passed"),
            "failed": self.count("failed"),
            "noted": self.count("noted"),
            "checks": checks.collect::<Vec<_>>(),
        })
    }
}

/// Large arguments by their beginning.
fn cut(input: &str) -> String {
    const BYTES: usize = 4 << 10;
    if input.len() <= BYTES {
        return input.to_owned();
    }
    let end = (0..=BYTES).rev().find(|at| input.is_char_boundary(*at)).unwrap_or(0);
    format!("{}… [{} bytes]", input.get(..end).unwrap_or_default(), input.len())
}

impl Verdict {
    fn status(&self) -> &'static str {
        match self {
            Self::Passed(_) => "passed",
            Self::Noted(_) => "noted",
            Self::Failed { .. } => "failed",
        }
    }

    fn mark(&self) -> &'static str {
        match self {
            Self::Passed(_) => "✓",
            Self::Noted(_) => "–",
            Self::Failed { .. } => "✗",
        }
    }

    fn what(&self) -> &str {
        match self {
            Self::Passed(what) | Self::Noted(what) | Self::Failed { what, .. } => what,
        }
    }
}
