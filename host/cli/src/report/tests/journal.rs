//! A run carried out by the engine: each thing it asks for is answered from a script.

use crate::report::{Journal, Report};
use ringfence_engine::{
    Answer, Effect, Event, EventKind, Flow, Limits, ModelReply, OnStageFailure, OutcomeStatus, PausePoint,
    Prompts, Rates, ReceiptId, Run, Settings, StopReason, Timestamp, ToolFacts, ToolOutcome, ToolSpec, Usage,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What comes next in a script.
enum Line {
    Reply(Value),
    Tool(OutcomeStatus, Value, String, Value),
    Answer(Answer),
}

/// What a run is told, in order.
pub(super) struct Script {
    goal: String,
    lines: Vec<Line>,
    /// What each receipt had no room for.
    omitted: u64,
    /// Whether each receipt has a granted host and a request to it.
    asking: bool,
    iterations: u32,
}

/// A run as far as its script went.
pub(super) struct Carried {
    run: Run,
    receipts: BTreeMap<ReceiptId, Value>,
}

/// A plan reply with these tasks.
pub(super) fn planned(tasks: &[(&str, &str)]) -> Value {
    let tasks: Vec<Value> = tasks.iter().map(|(id, what)| json!({ "id": id, "description": what })).collect();
    json!({ "reasoning": "step by step", "new_sub_tasks": tasks, "is_goal_achieved": false })
}

/// A decide reply.
pub(super) fn call(tool: &str, input: Value) -> Value {
    json!({ "reasoning": "needed", "action": tool, "action_input": input, "query_to_human": "", "confidence": "high" })
}

/// An evaluate reply.
pub(super) fn evaluated(status: &str, summary: &str, claims: Value) -> Value {
    json!({ "reasoning": "seen", "sub_task_status": status, "summary": summary, "suggested_next_step": "",
            "confidence": "high", "claims": claims })
}

impl Script {
    pub(super) fn new(goal: &str) -> Self {
        Self { goal: goal.to_owned(), lines: Vec::new(), omitted: 0, asking: false, iterations: 50 }
    }

    pub(super) fn reply(mut self, reply: Value) -> Self {
        self.lines.push(Line::Reply(reply));
        self
    }

    pub(super) fn tool(mut self, value: Value) -> Self {
        self.lines.push(Line::Tool(OutcomeStatus::Done, value, String::new(), json!([])));
        self
    }

    pub(super) fn exceeded(mut self) -> Self {
        let message = "it exceeded its limit of time".to_owned();
        self.lines.push(Line::Tool(OutcomeStatus::Exceeded, Value::Null, message, json!([])));
        self
    }

    /// Each receipt has no room for so many openings or denials.
    pub(super) fn omitting(self, omitted: u64) -> Self {
        Self { omitted, ..self }
    }

    /// Each call had a granted host, and asked it once.
    pub(super) fn asking(self) -> Self {
        Self { asking: true, ..self }
    }

    pub(super) fn capped(self, iterations: u32) -> Self {
        Self { iterations, ..self }
    }

    pub(super) fn denied(mut self, asked: &str) -> Self {
        let denials = json!([{ "operation": "open", "asked": asked, "resolved": "", "reason": "leaves_root",
            "would_allow": null }]);
        let error = json!({ "case": "not_permitted", "value": asked });
        self.lines.push(Line::Tool(
            OutcomeStatus::Denied,
            error,
            format!("`{asked}` leaves the root"),
            denials,
        ));
        self
    }

    pub(super) fn approve(mut self) -> Self {
        self.lines.push(Line::Answer(Answer::Approve { plan: None }));
        self
    }

    pub(super) fn abort(mut self) -> Self {
        self.lines.push(Line::Answer(Answer::Abort));
        self
    }

    /// Runs until the script or the run ends.
    pub(super) fn carry_out(self) -> Carried {
        let mut clock = 1_700_000_000_000;
        let mut at = || {
            clock += 250;
            Timestamp(clock)
        };
        let started = EventKind::Started {
            run: "run-1".into(),
            goal: self.goal.clone(),
            settings: Box::new(settings(self.iterations)),
        };
        let (mut run, mut owed) = Run::start(event(at(), started)).expect("the run starts");
        let mut receipts = BTreeMap::new();
        for line in self.lines {
            let kind = match (owed.pop().expect("something is owed"), line) {
                (Effect::CallModel(call), Line::Reply(reply)) => EventKind::ModelReplied {
                    call: call.call,
                    reply: ModelReply {
                        text: reply.as_str().map_or_else(|| reply.to_string(), str::to_owned),
                        calls: Vec::new(),
                        content: None,
                        stop: StopReason::End,
                        usage: Usage { input_tokens: 1000, cached_tokens: 400, output_tokens: 50 },
                        cost: None,
                        model: "scripted".to_owned(),
                    },
                },
                (Effect::CallTool(call), Line::Tool(status, value, message, denials)) => {
                    let id = ReceiptId(format!("receipt-{}", call.step));
                    let mut receipt = receipt(&call.tool, denials, self.omitted);
                    if self.asking {
                        receipt["hosts"] = json!([{ "url": "https://api.example.com" }, { "url": "https://b.example", "methods": ["PUT"] }]);
                        receipt["requests"] = json!([{ "method": "GET", "url": "https://api.example.com/x", "secrets": ["key"] }]);
                    }
                    receipts.insert(id.clone(), receipt);
                    let outcome = ToolOutcome { status, value, message, receipt: Some(id), transient: false };
                    EventKind::ToolFinished { call: call.call, outcome }
                }
                (Effect::AskPerson(review), Line::Answer(answer)) => {
                    EventKind::Answered { review: review.id, answer }
                }
                (effect, _) => panic!("the script has nothing for {effect:?}"),
            };
            owed = run.apply(event(at(), kind)).expect("the event fits");
        }
        Carried { run, receipts }
    }
}

impl Carried {
    pub(super) fn report(&self) -> Report {
        Report::from_journal(Journal {
            state: self.run.state(),
            receipts: &self.receipts,
            project: "/home/anna/my_project",
            model: "scripted (tests)",
        })
    }
}

fn event(at: Timestamp, kind: EventKind) -> Event {
    Event { at, worked_ms: None, kind }
}

fn settings(iterations: u32) -> Settings {
    let can = ToolFacts { reads: true, writes: false, staged: false, egress: false, deterministic: true };
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "A tool.".to_owned(),
        input_schema: json!({ "type": "object" }),
        can,
        timeout_ms: None,
        polling: false,
    };
    Settings {
        flow: Flow::Staged,
        limits: Limits { iterations, ..Limits::default() },
        pause: [PausePoint::AfterPlan].into(),
        tools: vec![
            tool("read_file"),
            tool("list_files"),
            tool("analyze_code"),
            tool("search_text"),
            tool("find_problems"),
        ],
        on_stage_failure: OnStageFailure::default(),
        parallel: 1,
        prompts: Prompts::default(),
        experts: BTreeMap::new(),
        rates: Rates::default(),
        memories: Vec::new(),
        metadata: Value::Null,
    }
}

fn receipt(tool: &str, denials: Value, omitted: u64) -> Value {
    let opened = match tool {
        "read_file" => json!([{ "path": "pyproject.toml", "bytes_read": 90 }]),
        _ => json!([]),
    };
    json!({ "tool": tool, "component": "blake3:0123", "grants": "blake3:4567",
        "dirs": [{ "path": ".", "access": "read" }], "opened": opened, "denials": denials, "omitted": omitted,
        "truncated": false, "output_bytes": 10, "stdio_bytes": 0, "peak_memory_bytes": 1, "cpu_us": 1500,
        "fuel": null, "wall_us": 2000 })
}
