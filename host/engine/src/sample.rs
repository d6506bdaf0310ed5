//! States to try a prompt template on before a run begins: an empty one, a full one, a re-ask.

use crate::effect::{Confidence, ModelStage};
use crate::event::OutcomeStatus;
use crate::id::{CallId, StepId, Timestamp};
use crate::plan::{PlannedTask, SubTask, TaskStatus};
use crate::settings::{Expert, Flow, Limits, Prompts, Settings, ToolFacts, ToolSpec};
use crate::stage::{Asking, Stage, unsent};
use crate::start;
use crate::state::{Action, Deed, Instruction, Progress, Said, State, Verdict};
use serde_json::json;

/// The states for one stage.
pub(crate) fn states(prompts: &Prompts, stage: ModelStage) -> Vec<State> {
    let mut first = bare(prompts, stage, None);
    first.stack.push(task("task_1", TaskStatus::Pending));
    let mut full = bare(prompts, stage, Some("$.reasoning: is missing".to_owned()));
    full.observation = Some("step 5: read_file is done".to_owned());
    full.said.push(Said { to: "the proposed plan".to_owned(), text: "leave the tests out".to_owned() });
    full.stack.push(task("task_4", TaskStatus::Pending));
    full.stack.push(task("task_3", TaskStatus::InProgress));
    full.done.push(task("task_1", TaskStatus::Completed));
    full.done.push(task("task_2", TaskStatus::Failed));
    full.history.extend((1..=5).map(action));
    full.settings.memories.push("an earlier run found a web server".to_owned());
    full.settings.experts.insert("analysis".to_owned(), Expert { prompt: "Look at tests too.".to_owned() });
    full.instruction = Some(Instruction {
        text: "look elsewhere".to_owned(),
        assessment: "nothing new".to_owned(),
        why: "the same call".to_owned(),
    });
    vec![first, full]
}

fn bare(prompts: &Prompts, stage: ModelStage, reask: Option<String>) -> State {
    let settings = Settings {
        flow: Flow::Staged,
        limits: Limits::default(),
        pause: Default::default(),
        on_stage_failure: Default::default(),
        parallel: 1,
        tools: vec![ToolSpec {
            name: "read_file".to_owned(),
            description: "Reads a file.".to_owned(),
            input_schema: json!({"type": "object", "properties": {"file_path": {"type": "string"}},
                "required": ["file_path"], "additionalProperties": false}),
            can: ToolFacts { reads: true, writes: false, staged: false, egress: false, deterministic: true },
            timeout_ms: None,
            polling: false,
        }],
        prompts: prompts.clone(),
        experts: Default::default(),
        rates: Default::default(),
        memories: Vec::new(),
        metadata: json!(null),
    };
    let mut state = start::state("sample".into(), "a goal".to_owned(), settings, Timestamp(0));
    let recovers = reask.as_ref().map(|_| "two replies were unusable".to_owned());
    let asking = Asking { call: CallId(1), reask, recovers, max_tokens: 1, prompt: unsent() };
    state.stage = match stage {
        ModelStage::Plan => Stage::Planning(asking),
        ModelStage::Decide => Stage::Deciding(asking),
        ModelStage::Evaluate => Stage::Evaluating(asking),
        ModelStage::Reason => Stage::Observing(asking),
        ModelStage::Converse => Stage::Conversing(asking),
        ModelStage::Reflect => {
            let then = Box::new(Stage::Finished);
            Stage::Reflecting { asking, why: "the same action 5 times".to_owned(), then }
        }
    };
    state
}

fn task(id: &str, status: TaskStatus) -> SubTask {
    SubTask {
        planned: PlannedTask {
            id: id.into(),
            description: format!("what {id} is to find out"),
            kind: Some("analysis".to_owned()),
            depends_on: None,
        },
        status,
        steps: Vec::new(),
        summary: format!("what came of {id}"),
    }
}

fn action(number: u64) -> Action {
    let deed = match number {
        1 => Deed::Human { question: "which folder?".to_owned(), answer: "src".to_owned() },
        2 => Deed::Rejected {
            tool: "read_file".to_owned(),
            input: json!({"file_path": "a"}),
            reason: "not that one".to_owned(),
        },
        _ => Deed::Tool {
            tool: "read_file".to_owned(),
            input: json!({"file_path": "a"}),
            status: OutcomeStatus::Done,
            value: json!({"content": "text"}),
            message: String::new(),
            receipt: None,
        },
    };
    Action {
        step: StepId(number),
        task: "task_1".into(),
        reasoning: "because".to_owned(),
        deed,
        confidence: Confidence::High,
        summary: "what it showed".to_owned(),
        verdict: Some(Verdict {
            status: Progress::NeedsMoreWork,
            suggestion: "go on".to_owned(),
            confidence: Confidence::Medium,
        }),
    }
}
