//! The working context: what of the state a model is shown, trimmed so that it stays bounded.
//!
//! The last three steps stand in full (each cut at a size), older ones in one line each, the
//! oldest only as a number. Data is written so that it can't close the tags it stands in.

use crate::bounds::{cut, one_line};
use crate::effect::ModelStage;
use crate::event::OutcomeStatus;
use crate::example;
use crate::plan::{PlannedTask, SubTask, TaskStatus};
use crate::scope::Scope;
use crate::settings::ToolSpec;
use crate::stages;
use crate::state::{Action, Deed, Progress};
use serde::Serialize;
use serde_json::Value;

/// Steps shown in full.
const RECENT: usize = 3;
/// Older steps shown in one line.
const EARLIER: usize = 30;
/// Characters of one step's result.
const RESULT: usize = 24_000;
/// Characters of an input in a step's line.
const INPUT: usize = 1_000;
/// Characters of an older step's line.
const LINE: usize = 300;
/// Open tasks shown.
const OPEN: usize = 30;
/// Tasks shown of those done with: what came of older ones is in the steps and the claims.
const DONE: usize = 12;
/// Characters of a task that isn't on top.
const TASK: usize = 500;
/// Things shown that a person said.
const SAID: usize = 10;
/// Characters of the last observation, and of each thing that a person said.
const OBSERVATION: usize = 4_000;
/// Characters of a tool's description and of its input schema.
const TOOL: usize = 6_000;

/// Everything that a template can show. Its names are the templates' variables.
#[derive(Debug, Serialize)]
pub(crate) struct Context {
    goal: String,
    iterations: Iterations,
    task: Option<Task>,
    open: Open,
    done: Done,
    steps: Steps,
    action: Option<Step>,
    said: Vec<Words>,
    observation: Option<String>,
    instruction: Option<String>,
    memories: Vec<String>,
    expert: Option<String>,
    kinds: Vec<String>,
    why: Option<String>,
    recovers: Option<String>,
    reask: Option<String>,
    tools: Vec<Tool>,
}

/// The names of [`Context`]'s fields.
pub(crate) const VARIABLES: [&str; 17] = [
    "goal",
    "iterations",
    "task",
    "open",
    "done",
    "steps",
    "action",
    "said",
    "observation",
    "instruction",
    "memories",
    "expert",
    "kinds",
    "why",
    "recovers",
    "reask",
    "tools",
];

#[derive(Debug, Serialize)]
struct Iterations {
    used: u32,
    limit: u32,
}

#[derive(Debug, Serialize)]
struct Task {
    id: String,
    description: String,
    kind: Option<String>,
    status: &'static str,
    summary: String,
}

#[derive(Debug, Serialize)]
struct Open {
    /// Next one first, the one on top included.
    shown: Vec<Task>,
    /// The same without the one on top.
    below: Vec<Task>,
    /// How many more there are.
    later: usize,
}

#[derive(Debug, Serialize)]
struct Done {
    /// Oldest first.
    shown: Vec<Task>,
    /// How many older ones there are.
    earlier: usize,
}

#[derive(Debug, Serialize)]
struct Steps {
    /// The last ones, oldest first.
    recent: Vec<Step>,
    /// One line each for the ones before.
    earlier: Vec<String>,
    /// One line each for everything but the very last.
    before: Vec<String>,
    /// How many older ones there are.
    omitted: usize,
}

#[derive(Debug, Serialize)]
struct Step {
    /// What was done and how it ended.
    line: String,
    /// What it gave, cut at a size.
    result: String,
    /// Both in one line, with what the evaluation said.
    summary: String,
}

#[derive(Debug, Serialize)]
struct Words {
    to: String,
    text: String,
}

#[derive(Debug, Serialize)]
struct Tool {
    name: String,
    summary: String,
    description: String,
    schema: String,
    example: Option<String>,
}

impl Context {
    /// What is shown of this state.
    pub(crate) fn of(scope: Scope<'_>, stage: ModelStage) -> Self {
        let state = scope.state;
        let steps = scope.steps();
        let recent = steps.saturating_sub(RECENT);
        let earlier = recent.saturating_sub(EARLIER);
        let lines = |from: usize, to: usize| -> Vec<String> {
            let between = scope.history().skip(from).take(to.saturating_sub(from));
            between.map(|action| guarded(&summary(action))).collect()
        };
        let shown_tasks = |tasks: &mut dyn Iterator<Item = &SubTask>| -> Vec<Task> {
            tasks.take(OPEN).map(|task| shown(task, TASK)).collect()
        };
        let done = scope.done().count();
        let said = scope.said().count();
        let words = scope.said().skip(said.saturating_sub(SAID));
        let expert = stages::expert(state, stage).and_then(|name| state.settings.experts.get(&name));
        Self {
            goal: state.goal.clone(),
            iterations: Iterations { used: state.iterations, limit: state.settings.limits.iterations },
            task: state.stack.last().map(|task| shown(task, usize::MAX)),
            open: Open {
                shown: shown_tasks(&mut state.stack.iter().rev()),
                below: shown_tasks(&mut state.stack.iter().rev().skip(1)),
                later: state.stack.len().saturating_sub(OPEN),
            },
            done: Done {
                shown: shown_tasks(&mut scope.done().skip(done.saturating_sub(DONE))),
                earlier: done.saturating_sub(DONE),
            },
            steps: Steps {
                recent: scope.history().skip(recent).map(step).collect(),
                earlier: lines(earlier, recent),
                before: lines(earlier, steps.saturating_sub(1)),
                omitted: earlier,
            },
            action: scope.history().last().map(step),
            said: words
                .map(|said| Words { to: said.to.clone(), text: cut(&said.text, OBSERVATION) })
                .collect(),
            observation: state.observation.as_ref().map(|o| guarded(&cut(o, OBSERVATION))),
            instruction: scope.instruction().map(|instruction| guarded(&instruction.text)),
            memories: state.settings.memories.iter().map(|text| guarded(&one_line(text, TASK))).collect(),
            expert: expert.map(|expert| expert.prompt.clone()).filter(|text| !text.trim().is_empty()),
            kinds: state.settings.experts.keys().cloned().collect(),
            why: state.stage.reflects_on().map(guarded),
            recovers: state.stage.asking().and_then(|(_, asking)| asking.recovers.clone()),
            reask: state.stage.asking().and_then(|(_, asking)| asking.reask.clone()),
            tools: state.settings.tools.iter().map(tool).collect(),
        }
    }
}

fn shown(task: &SubTask, max: usize) -> Task {
    let PlannedTask { id, description, kind, depends_on: _ } = &task.planned;
    Task {
        id: id.0.clone(),
        description: guarded(&one_line_below(description, max)),
        kind: kind.clone(),
        status: status(task.status),
        summary: guarded(&one_line(&task.summary, TASK)),
    }
}

/// On one line where it is cut, as it is where not.
fn one_line_below(text: &str, max: usize) -> String {
    if max == usize::MAX { text.to_owned() } else { one_line(text, max) }
}

fn status(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "pending",
        TaskStatus::InProgress => "in_progress",
        TaskStatus::Completed => "completed",
        TaskStatus::Failed => "failed",
    }
}

fn tool(spec: &ToolSpec) -> Tool {
    let first = spec.description.split("\n\n").next().unwrap_or_default();
    Tool {
        name: spec.name.clone(),
        summary: one_line(first, LINE),
        description: cut(spec.description.trim(), TOOL),
        schema: cut(&spec.input_schema.to_string(), TOOL),
        example: example::input(&spec.input_schema).map(|example| example.to_string()),
    }
}

fn step(action: &Action) -> Step {
    Step {
        line: guarded(&headline(action, INPUT)),
        result: guarded(&result(action)),
        summary: guarded(&summary(action)),
    }
}

/// `step 3, task_1: read_file {"file_path":"a"}: done`
fn headline(action: &Action, input_max: usize) -> String {
    let Action { step, task, deed, .. } = action;
    match deed {
        Deed::Tool { tool, input, status, .. } => {
            let input = cut(&input.to_string(), input_max);
            format!("step {step}, {task}: {tool} {input}: {}", status.name())
        }
        Deed::Human { question, .. } => {
            format!("step {step}, {task}: a person was asked: {}", one_line(question, input_max))
        }
        Deed::Rejected { tool, input, .. } => {
            let input = cut(&input.to_string(), input_max);
            format!("step {step}, {task}: {tool} {input}: a person rejected this call")
        }
    }
}

/// What an action gave, cut at a size.
pub(crate) fn result(action: &Action) -> String {
    match &action.deed {
        Deed::Tool { value, message, status, .. } => {
            let value = match value {
                Value::Null => String::new(),
                Value::String(text) => bounded(text),
                other => bounded(&other.to_string()),
            };
            match status {
                OutcomeStatus::Done => value,
                OutcomeStatus::Failed
                | OutcomeStatus::Trapped
                | OutcomeStatus::Denied
                | OutcomeStatus::Exceeded
                | OutcomeStatus::Cancelled => format!("{message}\n{value}").trim().to_owned(),
            }
        }
        Deed::Human { answer, .. } => format!("the person said: {}", bounded(answer)),
        Deed::Rejected { reason, .. } => format!("the person said: {}", bounded(reason)),
    }
}

fn bounded(text: &str) -> String {
    match text.char_indices().nth(RESULT) {
        None => text.to_owned(),
        Some((end, _)) => format!(
            "{}\n… cut here; {} of {} bytes are shown",
            text.get(..end).unwrap_or_default(),
            end,
            text.len()
        ),
    }
}

/// One line on an older step: what was done and what the evaluation said of it.
fn summary(action: &Action) -> String {
    let head = headline(action, 120);
    let verdict = action.verdict.as_ref().map_or("", |verdict| match verdict.status {
        Progress::Completed => ", completed the task",
        Progress::Failed => ", the task failed",
        Progress::NeedsMoreWork => "",
    });
    let said = match &action.deed {
        // Nobody judged it: its beginning says more than nothing.
        Deed::Tool { .. } if action.summary.is_empty() => one_line(&result(action), LINE),
        Deed::Tool { .. } => action.summary.clone(),
        Deed::Human { answer, .. } => answer.clone(),
        Deed::Rejected { reason, .. } => reason.clone(),
    };
    one_line(&format!("{head}{verdict}. {said}"), LINE)
}

/// Text that can't close the tag around it.
fn guarded(text: &str) -> String {
    text.replace("</data", "<\\/data")
}
