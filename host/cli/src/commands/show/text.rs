//! `show`: a run at a glance, for a terminal. Words of models and tools are neutralised.

use super::{Shown, steps};
use crate::amounts::{dollars, grouped, moment, money, span};
use crate::granted::granted_lines;
use crate::lanes;
use crate::review::{describe, quoted, would_change};
use crate::session::ended;
use crate::terminal::{one_line, plain};
use ringfence_engine::{Flow, Stage, SubTask, TaskId, TaskStatus};
use ringfence_models::playbook::analyst::plural;
use std::fmt::Write;

/// The whole page.
pub(super) fn page(shown: &Shown) -> String {
    let mut text = head(shown);
    text.push_str(&spent(shown));
    text.push_str(&tasks(shown));
    text.push_str(&steps::section(shown));
    text.push_str(&memory(shown));
    text.push_str(&notes(shown));
    text.push('\n');
    text.push_str(&onward(shown));
    text
}

fn head(shown: &Shown) -> String {
    let Shown { journal, state, trace, .. } = shown;
    let mut text = String::new();
    let _ = writeln!(text, "run      {}", journal.run.id);
    let _ = writeln!(text, "goal     {}", one_line(&state.goal, 400));
    let _ = writeln!(text, "project  {}", plain(&journal.run.project.display().to_string()));
    let _ = writeln!(text, "model    {}", plain(&journal.run.model));
    let _ = writeln!(text, "flow     {}", state.settings.flow.name());
    if let Some(role) = &shown.role {
        let _ = writeln!(text, "role     {}", one_line(role, 200));
    }
    if let Some(parent) = &journal.run.parent {
        let _ = writeln!(text, "forked   from run {} at event {}", parent.run, parent.event);
    }
    let _ = writeln!(text, "begun    {} UTC", moment(state.clock.started));
    for (number, line) in granted_lines(state).into_iter().enumerate() {
        let label = if number == 0 { "granted" } else { "" };
        let _ = writeln!(text, "{label:<8} {line}");
    }
    let (event, at) = trace.since;
    let passed = match state.stage.ending() {
        Some(_) => String::new(),
        None => {
            let passed = u64::try_from(shown.now.0.saturating_sub(at.0)).unwrap_or(0);
            format!(", for {}", span(passed))
        }
    };
    let _ =
        writeln!(text, "stage    {} since {} UTC{passed} (event {event})", state.stage.name(), moment(at));
    text
}

fn spent(shown: &Shown) -> String {
    let state = &shown.state;
    let (spent, limits) = (&state.spent, &state.settings.limits);
    let none = || "no limit".to_owned();
    let tokens = &spent.tokens;
    let mut text = "\nspent\n".to_owned();
    let _ = writeln!(text, "  iterations   {} of {}", state.iterations, limits.iterations);
    let _ = writeln!(
        text,
        "  time worked  {} of {}",
        span(state.clock.active_ms),
        limits.wall_clock_ms.map_or_else(none, span)
    );
    let _ = writeln!(
        text,
        "  tokens       {} of {} ({} in, {} of them cached; {} out; {})",
        grouped(tokens.total()),
        limits.tokens.map_or_else(none, grouped),
        grouped(tokens.input_tokens),
        grouped(tokens.cached_tokens),
        grouped(tokens.output_tokens),
        plural(u64::from(spent.model_calls), "model call")
    );
    // A limit of money is only ever kept where prices are known.
    let paid = match (money(state), spent.money) {
        (Some(paid), _) => format!("{} of {}", dollars(paid), limits.money.map_or_else(none, dollars)),
        (None, 0) => "price unknown".to_owned(),
        (None, known) => format!("at least {}: a price is unknown", dollars(known)),
    };
    let _ = writeln!(text, "  money        {paid}");
    let _ = writeln!(text, "  tool calls   {}", spent.tool_calls);
    text
}

fn tasks(shown: &Shown) -> String {
    let state = &shown.state;
    let lanes = lanes::lanes(state);
    let mut text = String::new();
    if state.done.is_empty() && state.stack.is_empty() && lanes.is_empty() {
        return text;
    }
    let _ = writeln!(text, "\ntasks");
    for task in &state.done {
        let _ = writeln!(text, "  {}", task_line(task, None));
    }
    for lane in lanes {
        let below = &lane.state;
        for task in below.done.iter().chain(below.stack.iter().rev()) {
            let _ = writeln!(text, "  {}", task_line(task, Some((&lane.task, &below.stage))));
        }
    }
    for task in state.stack.iter().rev() {
        let _ = writeln!(text, "  {}", task_line(task, None));
    }
    text
}

fn task_line(task: &SubTask, lane: Option<(&TaskId, &Stage)>) -> String {
    let mark = match (task.status, lane) {
        (TaskStatus::Completed, _) => "done",
        (TaskStatus::Failed, _) => "fail",
        (TaskStatus::InProgress, _) | (TaskStatus::Pending, Some(_)) => "now ",
        (TaskStatus::Pending, None) => "    ",
    };
    let planned = &task.planned;
    let mut line = format!("{mark} {}: {}", plain(&planned.id.0), one_line(&planned.description, 200));
    if !task.summary.is_empty() {
        let _ = write!(line, " — {}", one_line(&task.summary, 200));
    }
    if let Some((_, stage)) = lane {
        let _ = write!(line, " [at the same time as others: {}]", stage.name());
    }
    line
}

/// What the run was told to do differently, what a person said, and its answer.
fn memory(shown: &Shown) -> String {
    let state = &shown.state;
    let mut text = String::new();
    if let Some(instruction) = &state.instruction {
        let _ = writeln!(text, "\nlast review of the work: {}", one_line(&instruction.why, 400));
        let _ = writeln!(text, "  it saw   {}", one_line(&instruction.assessment, 400));
        let _ = writeln!(text, "  told     {}", one_line(&instruction.text, 400));
    }
    if !state.said.is_empty() {
        let _ = writeln!(text, "\nsaid by a person");
    }
    let hidden = if shown.all { 0 } else { state.said.len().saturating_sub(steps::LAST) };
    for said in state.said.iter().skip(hidden) {
        let _ = writeln!(text, "  to {}: {}", one_line(&said.to, 100), one_line(&said.text, 400));
    }
    if let Some(answer) = &state.answer {
        let _ = writeln!(text, "\nanswer");
        text.push_str(&quoted(answer));
    }
    text
}

fn notes(shown: &Shown) -> String {
    let state = &shown.state;
    let mut text = String::new();
    if state.notes.is_empty() {
        return text;
    }
    let hidden = if shown.all { 0 } else { state.notes.len().saturating_sub(steps::LAST) };
    let _ = match hidden {
        0 => writeln!(text, "\nnotes"),
        _ => writeln!(
            text,
            "\nnotes (the last {} of {}; all of them with --all)",
            steps::LAST,
            state.notes.len()
        ),
    };
    for note in state.notes.iter().skip(hidden) {
        let _ = writeln!(text, "  {}: {}", note.stage.name(), one_line(&note.text, 400));
    }
    text
}

/// What is to be done: the open questions with the commands that answer them, or the end.
fn onward(shown: &Shown) -> String {
    let mut text = String::new();
    if let Some(ending) = shown.state.stage.ending() {
        let _ = writeln!(text, "{}", how_it_ended(shown, &ended(&ending)));
        return text;
    }
    let questions = shown.questions();
    match &shown.driven_by {
        Some(by) => {
            let _ = writeln!(text, "Being driven by {}.", plain(&by.text(shown.now)));
        }
        None if questions.is_empty() => {
            let _ = writeln!(text, "Not driven to an end. To go on:\n  {}", plain(&shown.resume));
        }
        None => {}
    }
    let mut proposed = shown.proposed.as_deref();
    for (review, _, ways) in questions {
        text.push_str(&describe(&review, &shown.state));
        text.push_str(&proposed.take().map(|diff| would_change(diff, &shown.whole_diff)).unwrap_or_default());
        let _ = match ways.is_empty() {
            true => writeln!(text, "It is asked once the one above is answered."),
            false if shown.driven_by.is_some() => writeln!(text, "Once that process has stopped, one of:"),
            false => writeln!(text, "To go on, one of:"),
        };
        for way in ways {
            let _ = writeln!(text, "  {}", plain(&way));
        }
    }
    text
}

/// A question that was answered is no goal that was achieved.
fn how_it_ended(shown: &Shown, ended: &str) -> String {
    match (shown.state.settings.flow, &shown.state.stage) {
        (Flow::Pipeline | Flow::React, Stage::Finished) => "Finished with the answer above.".to_owned(),
        (Flow::Staged | Flow::Pipeline | Flow::React, _) => ended.to_owned(),
    }
}
