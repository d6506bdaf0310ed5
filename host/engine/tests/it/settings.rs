//! What scripts are started with.

use ringfence_engine::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(crate) const GOAL: &str =
    "analyse the main technology stack, the core module structure and possible problems of `./my_project`";

pub(crate) fn started(settings: Settings) -> EventKind {
    EventKind::Started { run: "run-1".into(), goal: GOAL.to_owned(), settings: Box::new(settings) }
}

/// What a tool of the scripts can do.
const READS: ToolFacts =
    ToolFacts { reads: true, writes: false, staged: false, egress: false, deterministic: true };
const WRITES: ToolFacts =
    ToolFacts { reads: false, writes: true, staged: false, egress: false, deterministic: false };
const SENDS: ToolFacts =
    ToolFacts { reads: false, writes: false, staged: false, egress: true, deterministic: false };

fn tool(name: &str, properties: Value, required: &[&str], can: ToolFacts) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: format!("What {name} does.\n\nAnd in detail."),
        input_schema: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        can,
        timeout_ms: None,
        polling: false,
    }
}

pub(crate) fn settings() -> Settings {
    let limits = Limits { iterations: 30, ..Limits::default() };
    let max_lines = json!({"type": "integer", "minimum": 1});
    Settings {
        flow: Flow::Staged,
        limits,
        pause: [PausePoint::AfterPlan].into(),
        tools: vec![
            tool(
                "read_file",
                json!({"file_path": {"type": "string"}, "max_lines": max_lines}),
                &["file_path"],
                READS,
            ),
            tool(
                "list_files",
                json!({"directory": {"type": "string"}, "recursive": {"type": "boolean"}}),
                &["directory"],
                READS,
            ),
            tool("analyze_code", json!({"file_path": {"type": "string"}}), &["file_path"], READS),
        ],
        prompts: Prompts::default(),
        on_stage_failure: OnStageFailure::Pause,
        parallel: 1,
        experts: Default::default(),
        rates: Rates::default(),
        memories: Vec::new(),
        metadata: json!({"project": "my_project"}),
    }
}

pub(crate) fn without_pauses() -> Settings {
    Settings { pause: [].into(), ..settings() }
}

/// The same with a tool that sends something off the machine.
pub(crate) fn with_egress() -> Settings {
    let mut settings = without_pauses();
    settings.tools.push(tool("post", json!({"text": {"type": "string"}}), &["text"], SENDS));
    settings
}

/// The same with a tool that changes files.
pub(crate) fn with_writes() -> Settings {
    let mut settings = with_egress();
    let properties = json!({"file_path": {"type": "string"}, "content": {"type": "string"}});
    settings.tools.push(tool("write_file", properties, &["file_path", "content"], WRITES));
    settings
}

/// The same in another flow.
pub(crate) fn in_flow(flow: Flow, settings: Settings) -> Settings {
    let limits = Limits { iterations: 30, ..Limits::of(flow) };
    Settings { flow, limits, ..settings }
}

/// The settings with these pause points.
pub(crate) fn pausing(settings: Settings, points: &[PausePoint]) -> Settings {
    Settings { pause: points.iter().copied().collect::<BTreeSet<_>>(), ..settings }
}
