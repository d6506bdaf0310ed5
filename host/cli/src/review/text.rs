//! How a question to a person reads, and the commands that answer it.

use crate::terminal::plain;
use ringfence_engine::{PlannedTask, Review, State, Subject, ToolCall};
use std::fmt::Write;

/// The question with what is proposed, for a terminal or a log; untrusted text neutralised.
pub fn describe(review: &Review, state: &State) -> String {
    let mut out = String::new();
    match &review.subject {
        Subject::Plan { plan } => {
            let _ = writeln!(
                out,
                "The plan for «{}» (version {}, {}):",
                plain(&state.goal),
                plan.version,
                short(&plan.hash.0)
            );
            for (number, task) in plan.tasks.iter().enumerate() {
                let _ = writeln!(out, "  {}. {}", number + 1, task_line(task));
            }
            if !plan.reasoning.is_empty() {
                let _ = writeln!(out, "Why: {}", plain(&plan.reasoning));
            }
        }
        Subject::Call { call } => {
            let _ = writeln!(out, "A tool call waits for approval:");
            let _ = writeln!(out, "  {}", call_line(call));
        }
        Subject::Question { question, reasoning } => {
            let _ = writeln!(out, "The model asks:");
            let _ = writeln!(out, "  {}", plain(question));
            if !reasoning.is_empty() {
                let _ = writeln!(out, "Why: {}", plain(reasoning));
            }
        }
        Subject::Stagnation { seen } => {
            let _ = writeln!(out, "The run repeats itself: {}.", plain(seen).trim_end_matches('.'));
        }
        Subject::UnknownOutcome { call } => {
            let _ = writeln!(out, "Nobody knows whether this call happened; it can't simply be made again:");
            let _ = writeln!(out, "  {}", call_line(call));
        }
        Subject::StageFailed { stage, why, unreachable } => {
            let what = if *unreachable { "No answer came from the model" } else { "No usable answer came" };
            let _ = writeln!(out, "{what} ({}): {}", stage.name(), plain(why));
        }
        Subject::Interrupted => {
            let _ = writeln!(out, "The run was interrupted.");
        }
    }
    out
}

/// The complete commands that answer a review, the likeliest first. `resume` is the command up to
/// and including the run's id.
pub fn ways_on(resume: &str, subject: &Subject) -> Vec<String> {
    let plan = |hash: &str| {
        vec![
            format!("{resume} --approve {hash}"),
            format!("{resume} --edit PLAN.toml"),
            format!("{resume} --add TASKS.toml"),
            format!("{resume} --reject 'WHY'"),
            format!("{resume} --abort"),
        ]
    };
    match subject {
        Subject::Plan { plan: version } => plan(short(&version.hash.0)),
        Subject::Call { .. } => vec![
            format!("{resume} --approve"),
            format!("{resume} --edit INPUT.json"),
            format!("{resume} --reject 'WHY'"),
            format!("{resume} --abort"),
        ],
        Subject::Question { .. } => vec![
            format!("{resume} --answer 'TEXT'"),
            format!("{resume} --reject 'WHY'"),
            format!("{resume} --abort"),
        ],
        Subject::Stagnation { .. } => vec![
            format!("{resume} --approve"),
            format!("{resume} --answer 'ADVICE'"),
            format!("{resume} --reject 'WHY'"),
            format!("{resume} --abort"),
        ],
        Subject::UnknownOutcome { .. } => vec![
            format!("{resume} --approve"),
            format!("{resume} --reject 'WHY'"),
            format!("{resume} --abort"),
        ],
        Subject::StageFailed { unreachable: true, .. } | Subject::Interrupted => vec![resume.to_owned()],
        Subject::StageFailed { .. } => vec![format!("{resume} --approve"), format!("{resume} --abort")],
    }
}

/// The first digits of a hash, enough to name it.
pub fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

fn task_line(task: &PlannedTask) -> String {
    let mut line = format!("{}: {}", plain(&task.id.0), plain(&task.description));
    if let Some(kind) = &task.kind {
        let _ = write!(line, " [{}]", plain(kind));
    }
    match task.depends_on.as_deref() {
        None => {}
        Some([]) => line.push_str(" (independent)"),
        Some(ids) => {
            let ids: Vec<_> = ids.iter().map(|id| plain(&id.0)).collect();
            let _ = write!(line, " (after {})", ids.join(", "));
        }
    }
    line
}

/// A tool call in one line.
pub fn call_line(call: &ToolCall) -> String {
    format!("{} {}", plain(&call.tool), plain(&call.input.to_string()))
}
