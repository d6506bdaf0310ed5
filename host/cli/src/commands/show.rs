//! `ringfence show`

use crate::args::{GlobalArgs, ShowArgs};
use crate::exit::Exit;
use crate::output::out;
use crate::review::{describe, ways_on};
use crate::session::{ended, replay, resume_command};
use crate::state_dir::Folders;
use crate::terminal::{one_line, plain};
use anyhow::Result;
use ringfence_engine::{Deed, Stage, State, SubTask, TaskStatus};
use ringfence_store::Journal;
use serde_json::json;
use std::fmt::Write;

/// Carries the command out.
pub(super) fn execute(args: &ShowArgs, global: &GlobalArgs) -> Result<Exit> {
    let folders = Folders::find(global.state.as_deref())?;
    let store = super::existing_store(&folders, &args.run)?;
    let journal = store.journal(&store.find(&args.run)?.id)?;
    let state = replay(&journal)?;
    if args.json {
        let receipts: serde_json::Map<_, _> =
            journal.receipts.iter().map(|stored| (stored.id.0.clone(), stored.receipt.clone())).collect();
        let shown = json!({
            "id": journal.run.id,
            "stage": journal.run.stage,
            "goal": journal.run.goal,
            "project": journal.run.project.display().to_string(),
            "model": journal.run.model,
            "state": state,
            "receipts": receipts,
            "events": journal.events.len(),
        });
        out(&format!("{}\n", serde_json::to_string_pretty(&shown)?))?;
    } else {
        out(&text(&journal, &state, &resume_command(&journal.run.id, &folders)))?;
    }
    Ok(Exit::Done)
}

fn text(journal: &Journal, state: &State, resume: &str) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "run      {}", journal.run.id);
    let _ = writeln!(text, "goal     {}", one_line(&state.goal, 400));
    let _ = writeln!(text, "project  {}", plain(&journal.run.project.display().to_string()));
    let _ = writeln!(text, "model    {}", plain(&journal.run.model));
    let _ = writeln!(text, "stage    {}", state.stage.name());
    let spent = &state.spent;
    let _ = writeln!(
        text,
        "spent    {} of {} iterations, {} model calls, {} tokens in, {} out, {} tool calls",
        state.iterations,
        state.settings.limits.iterations,
        spent.model_calls,
        spent.tokens.input_tokens,
        spent.tokens.output_tokens,
        spent.tool_calls
    );
    let _ = writeln!(text, "\ntasks");
    for task in state.done.iter().chain(state.stack.iter().rev()) {
        let _ = writeln!(text, "  {}", task_line(task));
    }
    let _ = writeln!(text, "\nsteps");
    for action in &state.history {
        let _ = writeln!(text, "  {} {} {}", action.step, plain(&action.task.0), deed_line(&action.deed));
    }
    for note in &state.notes {
        let _ = writeln!(text, "note: {}: {}", note.stage.name(), one_line(&note.text, 400));
    }
    let _ = writeln!(text);
    match &state.stage {
        Stage::PausedForReview { review, .. } => {
            text.push_str(&describe(review, state));
            let _ = writeln!(text, "To go on, one of:");
            for way in ways_on(resume, &review.subject, state.settings.flow) {
                let _ = writeln!(text, "  {way}");
            }
        }
        Stage::Finished => {
            let _ = writeln!(text, "{}", ended(&ringfence_engine::Ending::Achieved));
        }
        Stage::Failed { ending } => {
            let _ = writeln!(text, "{}", ended(ending));
        }
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Delegating { .. }
        | Stage::Reflecting { .. } => {
            let _ = writeln!(text, "Not driven to an end. To go on:\n  {resume}");
        }
    }
    text
}

fn task_line(task: &SubTask) -> String {
    let mark = match task.status {
        TaskStatus::Pending => "    ",
        TaskStatus::InProgress => "now ",
        TaskStatus::Completed => "done",
        TaskStatus::Failed => "fail",
    };
    let planned = &task.planned;
    let mut line = format!("{mark} {}: {}", plain(&planned.id.0), one_line(&planned.description, 200));
    if !task.summary.is_empty() {
        let _ = write!(line, " — {}", one_line(&task.summary, 200));
    }
    line
}

fn deed_line(deed: &Deed) -> String {
    match deed {
        Deed::Tool { tool, input, status, message, receipt, .. } => {
            let receipt = receipt.as_ref().map_or("", |receipt| receipt.0.as_str());
            let mut line = format!(
                "{} {} {} [{receipt}]",
                plain(tool),
                one_line(&input.to_string(), 160),
                status.name()
            );
            if !message.is_empty() {
                let _ = write!(line, " {}", one_line(message, 200));
            }
            line
        }
        Deed::Human { question, answer } => {
            format!("asked: {} — {}", one_line(question, 160), one_line(answer, 160))
        }
        Deed::Rejected { tool, input, reason } => {
            format!(
                "rejected: {} {} — {}",
                plain(tool),
                one_line(&input.to_string(), 160),
                one_line(reason, 160)
            )
        }
    }
}
