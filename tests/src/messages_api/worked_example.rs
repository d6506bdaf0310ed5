//! The replies of a model that works the sample project through: four sub-tasks, each
//! decided, carried out and evaluated, then the goal is achieved. In the flows that don't plan, the
//! same calls and then an answer ([`one_stage`]).
//!
//! The script has no memory: what it answers follows from the request alone. So a run that
//! was killed, sent back or answered with nonsense in between goes on where it is.

pub mod one_stage;

use super::{Answer, Asked, Stage};
use serde_json::{Value, json};

/// The goal, as a person gives it.
pub const GOAL: &str = "analyse the main technology stack, the core module structure and \
                        possible problems of ./my_project";

/// The worked example's command: its goal, 30 iterations, a pause after the plan, three tools
/// that read and none that writes.
pub const WORKED_EXAMPLE: &[&str] = &[
    "run",
    "my_project",
    GOAL,
    "--max-iterations",
    "30",
    "--pause",
    "after_plan",
    "--tools",
    "read_file,list_files,analyze_code",
];

/// The sample project, relative to the repository's root.
pub const PROJECT: &str = "examples/my_project";

/// One sub-task with all that the model says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// Its id in the plan.
    pub id: &'static str,
    /// Its description in the plan.
    pub description: &'static str,
    /// The tool that is decided on.
    pub tool: &'static str,
    /// The parameter that names the file or folder.
    parameter: &'static str,
    /// The file or folder.
    pub path: &'static str,
    /// The evaluation's summary.
    pub summary: &'static str,
    /// What is claimed: about, text, first and last line, severity.
    claims: &'static [Claim],
}

type Claim = (&'static str, &'static str, u32, u32, Option<&'static str>);

/// The four sub-tasks, first to be done first.
pub const TASKS: [Task; 4] = [
    Task {
        id: "list_files",
        description: "List the files of the project to see how it is laid out",
        tool: "list_files",
        parameter: "directory",
        path: ".",
        summary: "A Python service in shop/ (with shop/main.py, shop/settings.py, shop/api and \
                  shop/db) and a TypeScript front end in web/; manifests are pyproject.toml and \
                  web/package.json.",
        claims: &[],
    },
    Task {
        id: "read_manifests",
        description: "Read the manifests to find languages, frameworks and dependencies",
        tool: "read_file",
        parameter: "file_path",
        path: "pyproject.toml",
        summary: "pyproject.toml: project shop 0.3.0, Python 3.10 or later, built with hatchling; \
                  depends on flask, requests and pyyaml.",
        claims: &[("stack", "Python 3.10+ with Flask, requests and PyYAML.", 8, 13, None)],
    },
    Task {
        id: "entry_ast",
        description: "Analyse the syntax tree of the entry files for the core modules",
        tool: "analyze_code",
        parameter: "file_path",
        path: "shop/main.py",
        summary: "shop/main.py: create_app builds the Flask application and registers the \
                  blueprints of shop.api; main starts it.",
        claims: &[(
            "module",
            "shop/main.py is the entry: create_app wires settings and blueprints, main runs it.",
            10,
            20,
            None,
        )],
    },
    Task {
        id: "known_problems",
        description: "Look for known problems in the files that handle input and secrets",
        tool: "read_file",
        parameter: "file_path",
        path: "shop/settings.py",
        summary: "shop/settings.py holds a payment key in the source and loads YAML with a \
                  loader that can run code.",
        claims: &[
            ("problem", "A live payment key is written into the source.", 8, 8, Some("high")),
            ("problem", "yaml.load with yaml.Loader can run code.", 14, 14, Some("high")),
        ],
    },
];

/// A script for the whole run.
pub fn script() -> impl FnMut(&Asked) -> Answer + Send + 'static {
    answer
}

/// The reply to one request.
pub fn answer(asked: &Asked) -> Answer {
    match asked.stage {
        Some(Stage::Plan) => Answer::Json(plan(asked)),
        Some(Stage::Decide) => Answer::Json(decide(asked)),
        Some(Stage::Evaluate) => Answer::Json(evaluate(asked)),
        Some(Stage::Reason) => Answer::Json(one_stage::reason(asked)),
        Some(Stage::Converse) => one_stage::converse(asked),
        Some(Stage::Reflect) | None => {
            Answer::Failure { status: 400, kind: "invalid_request_error", headers: Vec::new() }
        }
    }
}

/// The plan; once tasks are done with and none is open, that the goal is achieved.
fn plan(asked: &Asked) -> Value {
    if asked.section("Tasks done with").is_some() && asked.section("Open tasks").is_none() {
        return json!({
            "reasoning": "All sub-tasks are done and cover stack, modules and problems.",
            "new_sub_tasks": [],
            "is_goal_achieved": true,
        });
    }
    // A plan that was sent back comes again under new names.
    let sent_back = asked.section("What happened last").is_some_and(|text| text.contains("reject"));
    let suffix = if sent_back { "_again" } else { "" };
    let tasks =
        TASKS.map(|task| json!({ "id": format!("{}{suffix}", task.id), "description": task.description }));
    json!({
        "reasoning": "First the layout, then what the manifests say, then the entry files, then \
                      known problems.",
        "new_sub_tasks": tasks,
        "is_goal_achieved": false,
    })
}

fn decide(asked: &Asked) -> Value {
    let (tool, parameter, path) = match asked.known_task() {
        Some(task) => (task.tool, task.parameter, task.path),
        // A task that a person added.
        None => ("read_file", "file_path", "README.md"),
    };
    json!({
        "reasoning": format!("{path} is what the task needs."),
        "action": tool,
        "confidence": "high",
        "action_input": input(tool, parameter, path),
    })
}

fn input(tool: &str, parameter: &str, path: &str) -> Value {
    match tool {
        "list_files" => json!({ parameter: path, "recursive": true }),
        _ => json!({ parameter: path }),
    }
}

fn evaluate(asked: &Asked) -> Value {
    let mut reply = json!({
        "reasoning": "The result answers the task.",
        "sub_task_status": "completed",
        "summary": "README.md says what the project is.",
        "suggested_next_step": "",
        "confidence": "high",
    });
    let Some(task) = asked.known_task() else { return reply };
    reply["summary"] = json!(task.summary);
    let step = asked.section("The action").and_then(|text| first_number(&text));
    if let Some(step) = step.filter(|_| !task.claims.is_empty()) {
        reply["claims"] = claims(&task, step).collect();
    }
    reply
}

/// What is claimed of a task, shown by this step.
fn claims(task: &Task, step: u32) -> impl Iterator<Item = Value> {
    task.claims.iter().map(move |(about, text, first, last, severity)| {
        let evidence = json!({ "step": step, "file": task.path, "first_line": first, "last_line": last });
        let mut claim = json!({ "about": about, "text": text, "evidence": [evidence] });
        if let Some(severity) = severity {
            claim["severity"] = json!(severity);
        }
        claim
    })
}

impl Asked {
    /// What stands under a heading of the prompt, up to the next empty line or the end of
    /// its data.
    pub fn section(&self, heading: &str) -> Option<String> {
        let mut lines = self.user.lines().skip_while(|line| !line.starts_with(heading));
        lines.next()?;
        let lines = lines.take_while(|line| !line.trim().is_empty() && *line != "</data>");
        Some(lines.filter(|line| *line != "<data>").collect::<Vec<_>>().join("\n"))
    }

    /// The description of the task that a decision or an evaluation is about.
    pub fn top_task(&self) -> Option<String> {
        let section = self.section("The task on top")?;
        let (_, description) = section.lines().next()?.split_once(": ")?;
        Some(description.to_owned())
    }

    fn known_task(&self) -> Option<Task> {
        let description = self.top_task()?;
        TASKS.into_iter().find(|task| description.starts_with(task.description))
    }
}

fn first_number(text: &str) -> Option<u32> {
    let start = text.find(|character: char| character.is_ascii_digit())?;
    let digits: String = text[start..].chars().take_while(|character| character.is_ascii_digit()).collect();
    digits.parse().ok()
}
