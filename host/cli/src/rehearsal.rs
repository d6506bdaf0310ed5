//! Runs for tests: carried out by the engine, with models, tools and people from a script.

use ringfence_engine::{
    Answer, CallId, Effect, Event, EventKind, Flow, Limits, ModelFailure, ModelReply, OutcomeStatus,
    PausePoint, Prompts, Run, Settings, StopReason, Timestamp, ToolOutcome, ToolRequest, Usage,
};
use serde_json::{Value, json};

/// Tools to read with and one to write with.
pub(crate) fn settings(flow: Flow, pause: &[PausePoint]) -> Settings {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } },
        "required": ["path"], "additionalProperties": false });
    let tool = |name: &str, writes: bool| {
        json!({ "name": name, "description": "A tool.", "input_schema": schema,
            "can": { "reads": true, "writes": writes, "egress": false, "deterministic": !writes } })
    };
    let settings = json!({
        "flow": flow, "limits": Limits::of(flow), "pause": pause, "metadata": null,
        "prompts": Prompts::default(), "tools": [tool("read_file", false), tool("write_file", true)],
    });
    serde_json::from_value(settings).expect("settings")
}

/// A run with everything that happened to it.
pub(crate) struct Rehearsal {
    pub(crate) run: Run,
    pub(crate) events: Vec<Event>,
}

impl Rehearsal {
    pub(crate) fn of(settings: Settings) -> Self {
        let started = EventKind::Started {
            run: "run-1".into(),
            goal: "A goal".to_owned(),
            settings: Box::new(settings),
        };
        let event = event(1, started);
        let (run, _) = Run::start(event.clone()).expect("it starts");
        Self { run, events: vec![event] }
    }

    pub(crate) fn flow(flow: Flow, pause: &[PausePoint]) -> Self {
        Self::of(settings(flow, pause))
    }

    pub(crate) fn take(&mut self, kind: EventKind) -> &mut Self {
        let event = event(self.events.len() as i64 + 1, kind);
        self.run.apply(event.clone()).expect("it fits");
        self.events.push(event);
        self
    }

    /// The first model call that is owed is answered with this.
    pub(crate) fn reply(&mut self, reply: Value) -> &mut Self {
        let call = self.model_call();
        self.reply_to(call, reply, &[])
    }

    /// The first model call that is owed asks for these tools.
    pub(crate) fn ask_for(&mut self, calls: &[(&str, Value)]) -> &mut Self {
        let call = self.model_call();
        self.reply_to(call, json!(""), calls)
    }

    fn model_call(&self) -> CallId {
        let owed = self.run.owed();
        let call = owed.iter().find_map(|effect| match effect {
            Effect::CallModel(call) => Some(call.call),
            Effect::CallTool(_) | Effect::AskPerson(_) | Effect::Finish(_) => None,
        });
        call.unwrap_or_else(|| panic!("no model call among {owed:?}"))
    }

    pub(crate) fn reply_to(&mut self, call: CallId, reply: Value, calls: &[(&str, Value)]) -> &mut Self {
        let request = |(number, (name, input)): (usize, &(&str, Value))| ToolRequest {
            id: format!("t{number}"),
            name: (*name).to_owned(),
            arguments: input.to_string(),
        };
        let reply = ModelReply {
            text: reply.as_str().map_or_else(|| reply.to_string(), str::to_owned),
            calls: calls.iter().enumerate().map(request).collect(),
            content: None,
            stop: if calls.is_empty() { StopReason::End } else { StopReason::ToolUse },
            usage: Usage { input_tokens: 1000, cached_tokens: 400, output_tokens: 50 },
            cost: Some(2_500),
            model: "scripted".to_owned(),
        };
        self.take(EventKind::ModelReplied { call, reply })
    }

    /// The first tool call that is due ends so.
    pub(crate) fn tool(&mut self, status: OutcomeStatus, message: &str, transient: bool) -> &mut Self {
        let owed = self.run.owed();
        let due = owed.iter().find_map(|effect| match effect {
            Effect::CallTool(call) => Some(call.call),
            Effect::CallModel(_) | Effect::AskPerson(_) | Effect::Finish(_) => None,
        });
        let call = due.unwrap_or_else(|| panic!("no tool call among {owed:?}"));
        let (value, message) = (json!({ "text": "x" }), message.to_owned());
        let outcome = ToolOutcome { status, value, message, receipt: None, transient };
        self.take(EventKind::ToolFinished { call, outcome })
    }

    pub(crate) fn done(&mut self) -> &mut Self {
        self.tool(OutcomeStatus::Done, "", false)
    }

    pub(crate) fn unreachable(&mut self, message: &str) -> &mut Self {
        let call = self.model_call();
        let failure = ModelFailure::unpaid(message, true);
        self.take(EventKind::ModelFailed { call, failure })
    }

    /// The open question is answered so.
    pub(crate) fn answer(&mut self, answer: Answer) -> &mut Self {
        let owed = self.run.owed();
        let review = owed.iter().find_map(|effect| match effect {
            Effect::AskPerson(review) => Some(review.id),
            Effect::CallModel(_) | Effect::CallTool(_) | Effect::Finish(_) => None,
        });
        let review = review.unwrap_or_else(|| panic!("no question among {owed:?}"));
        self.take(EventKind::Answered { review, answer })
    }

    pub(crate) fn approve(&mut self) -> &mut Self {
        self.answer(Answer::Approve { plan: None })
    }
}

fn event(number: i64, kind: EventKind) -> Event {
    Event { at: Timestamp(1_700_000_000_000 + number * 250), worked_ms: None, kind }
}

/// A plan of tasks, each after the one before or independent.
pub(crate) fn plan(ids: &[&str], independent: bool) -> Value {
    let task = |id: &&str| match independent {
        true => json!({ "id": id, "description": format!("Do {id}"), "depends_on": [] }),
        false => json!({ "id": id, "description": format!("Do {id}") }),
    };
    let tasks: Vec<Value> = ids.iter().map(task).collect();
    json!({ "reasoning": "so", "new_sub_tasks": tasks, "is_goal_achieved": false })
}

pub(crate) fn achieved() -> Value {
    json!({ "reasoning": "all is done", "new_sub_tasks": [], "is_goal_achieved": true })
}

pub(crate) fn decide(tool: &str, input: Value) -> Value {
    json!({ "reasoning": "needed", "action": tool, "action_input": input, "query_to_human": "",
        "confidence": "high" })
}

pub(crate) fn read(path: &str) -> Value {
    decide("read_file", json!({ "path": path }))
}

pub(crate) fn judge(status: &str, summary: &str) -> Value {
    json!({ "reasoning": "seen", "sub_task_status": status, "summary": summary, "suggested_next_step": "",
        "confidence": "high" })
}

pub(crate) fn reason(decision: &str, details: Value) -> Value {
    json!({ "thought": "thinking", "decision": decision, "details": details })
}
