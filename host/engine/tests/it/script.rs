//! A scripted driver: answers effects, keeps the journal, checks the run after every event.

use ringfence_engine::*;
use serde_json::{Value, json};

pub(crate) const GOAL: &str =
    "analyse the main technology stack, the core module structure and possible problems of `./my_project`";

/// A run, its journal and a clock that moves one second an event.
pub(crate) struct Script {
    pub(crate) run: Run,
    pub(crate) journal: Vec<Event>,
    pub(crate) now: i64,
}

impl Script {
    pub(crate) fn start(settings: Settings) -> Self {
        let first = Event { at: Timestamp(1_000), kind: started(settings) };
        let (run, owed) = Run::start(first.clone()).expect("the settings are fine");
        assert_eq!(owed, run.owed());
        let script = Self { run, journal: vec![first], now: 1_000 };
        script.check();
        script
    }

    pub(crate) fn state(&self) -> &State {
        self.run.state()
    }

    pub(crate) fn stage(&self) -> StageName {
        self.state().stage.name()
    }

    /// Applies an event; a refused one must leave the state as it was.
    pub(crate) fn try_send(&mut self, kind: EventKind) -> Result<Vec<Effect>, Refused> {
        self.now += 1_000;
        let event = Event { at: Timestamp(self.now), kind };
        let before = self.state().clone();
        match self.run.apply(event.clone()) {
            Ok(owed) => {
                self.journal.push(event);
                assert_eq!(owed, self.run.owed());
                self.check();
                Ok(owed)
            }
            Err(refused) => {
                assert_eq!(&before, self.state(), "a refused event changed the state");
                Err(refused)
            }
        }
    }

    pub(crate) fn send(&mut self, kind: EventKind) -> Vec<Effect> {
        self.try_send(kind).expect("the event fits")
    }

    /// The journal gives the same run, and so does the saved state.
    fn check(&self) {
        let (replayed, owed) = Run::replay(self.journal.clone()).expect("the journal replays");
        assert_eq!(replayed.state(), self.state());
        assert_eq!(owed, self.run.owed());
        let text = serde_json::to_string(self.state()).expect("the state serializes");
        let state: State = serde_json::from_str(&text).expect("the state deserializes");
        assert_eq!(&state, self.state());
        let journal = serde_json::to_string(&self.journal).expect("events serialize");
        let journal: Vec<Event> = serde_json::from_str(&journal).expect("events deserialize");
        assert_eq!(journal, self.journal);
    }

    pub(crate) fn model_call(&self) -> ModelCall {
        match self.run.owed().into_iter().next() {
            Some(Effect::CallModel(call)) => call,
            other => panic!("a model call is owed, not {other:?}"),
        }
    }

    pub(crate) fn tool_call(&self) -> ToolCall {
        match self.run.owed().into_iter().next() {
            Some(Effect::CallTool(call)) => call,
            other => panic!("a tool call is owed, not {other:?}"),
        }
    }

    pub(crate) fn review(&self) -> Review {
        match self.run.owed().into_iter().next() {
            Some(Effect::AskPerson(review)) => review,
            other => panic!("a review is owed, not {other:?}"),
        }
    }

    pub(crate) fn ending(&self) -> Ending {
        match self.run.owed().into_iter().next() {
            Some(Effect::Finish(ending)) => ending,
            other => panic!("the run has ended, not {other:?}"),
        }
    }

    /// The model says this, and stops for that reason.
    pub(crate) fn say_and_stop(&mut self, text: &str, stop: StopReason) -> Vec<Effect> {
        let call = self.model_call().call;
        self.send(EventKind::ModelReplied { call, reply: reply(text, stop) })
    }

    pub(crate) fn say_text(&mut self, text: &str) -> Vec<Effect> {
        self.say_and_stop(text, StopReason::End)
    }

    pub(crate) fn say(&mut self, value: Value) -> Vec<Effect> {
        self.say_text(&value.to_string())
    }

    pub(crate) fn tool_gives(&mut self, status: OutcomeStatus, value: Value) -> Vec<Effect> {
        let call = self.tool_call().call;
        self.send(EventKind::ToolFinished { call, outcome: outcome(status, value) })
    }

    pub(crate) fn answer(&mut self, answer: Answer) -> Vec<Effect> {
        self.try_answer(answer).expect("the answer fits")
    }

    pub(crate) fn try_answer(&mut self, answer: Answer) -> Result<Vec<Effect>, Refused> {
        let review = self.review().id;
        self.try_send(EventKind::Answered { review, answer })
    }

    pub(crate) fn approve(&mut self) -> Vec<Effect> {
        self.answer(Answer::Approve { plan: None })
    }

    /// One whole round for the task on top: decided, executed, evaluated.
    pub(crate) fn round(&mut self, decision: Value, value: Value, verdict: Value) {
        self.say(decision);
        self.tool_gives(OutcomeStatus::Done, value);
        self.say(verdict);
    }

    /// A model that can't be reached.
    pub(crate) fn model_fails(&mut self) -> Vec<Effect> {
        let call = self.model_call().call;
        self.send(EventKind::ModelFailed {
            call,
            failure: ModelFailure { message: "the server could not be reached".to_owned(), transient: true },
        })
    }
}

pub(crate) fn started(settings: Settings) -> EventKind {
    EventKind::Started { run: "run-1".into(), goal: GOAL.to_owned(), settings: Box::new(settings) }
}

pub(crate) fn reply(text: &str, stop: StopReason) -> ModelReply {
    ModelReply {
        text: text.to_owned(),
        stop,
        usage: Usage { input_tokens: 100, cached_tokens: 40, output_tokens: 10 },
        model: "scripted".to_owned(),
    }
}

pub(crate) fn outcome(status: OutcomeStatus, value: Value) -> ToolOutcome {
    ToolOutcome {
        status,
        value,
        message: match status {
            OutcomeStatus::Done => String::new(),
            other => format!("it was {}", other.name()),
        },
        receipt: Some("receipt".into()),
    }
}

fn tool(name: &str, properties: Value, required: &[&str], egress: bool) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: format!("What {name} does.\n\nAnd in detail."),
        input_schema: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        can: ToolFacts { reads: true, writes: false, egress, deterministic: !egress },
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
                false,
            ),
            tool(
                "list_files",
                json!({"directory": {"type": "string"}, "recursive": {"type": "boolean"}}),
                &["directory"],
                false,
            ),
            tool("analyze_code", json!({"file_path": {"type": "string"}}), &["file_path"], false),
        ],
        prompts: Prompts::default(),
        metadata: json!({"project": "my_project"}),
    }
}

pub(crate) fn without_pauses() -> Settings {
    Settings { pause: [].into(), ..settings() }
}

/// The same with a tool that sends something off the machine.
pub(crate) fn with_egress() -> Settings {
    let mut settings = without_pauses();
    settings.tools.push(tool("post", json!({"text": {"type": "string"}}), &["text"], true));
    settings
}

pub(crate) fn task(id: &str, description: &str) -> Value {
    json!({"id": id, "description": description})
}

pub(crate) fn plan(tasks: &[Value]) -> Value {
    json!({"reasoning": "first look, then judge", "new_sub_tasks": tasks, "is_goal_achieved": false})
}

pub(crate) fn achieved() -> Value {
    json!({"reasoning": "all is known", "new_sub_tasks": [], "is_goal_achieved": true})
}

pub(crate) fn decide(tool: &str, input: Value) -> Value {
    json!({"reasoning": "it shows what is there", "action": tool, "action_input": input,
        "query_to_human": "", "confidence": "high"})
}

pub(crate) fn ask_human(question: &str) -> Value {
    json!({"reasoning": "no tool can tell", "action": "human_help", "action_input": {},
        "query_to_human": question, "confidence": "low"})
}

pub(crate) fn judge(status: &str, summary: &str) -> Value {
    json!({"reasoning": "the result says so", "sub_task_status": status, "summary": summary,
        "suggested_next_step": "go on", "confidence": "high"})
}

pub(crate) fn planned(id: &str) -> PlannedTask {
    PlannedTask { id: id.into(), description: format!("do {id}"), kind: None, depends_on: None }
}

/// A script whose run works on task `a`, with `b` below it.
pub(crate) fn deciding(settings: Settings) -> Script {
    let mut script = Script::start(settings);
    script.say(plan(&[task("a", "look"), task("b", "judge")]));
    if script.stage() == StageName::PausedForReview {
        script.approve();
    }
    assert_eq!(script.stage(), StageName::Deciding);
    script
}

/// A script whose run executes a read.
pub(crate) fn executing(settings: Settings) -> Script {
    let mut script = deciding(settings);
    script.say(decide("read_file", json!({"file_path": "a.py"})));
    if script.stage() == StageName::PausedForReview {
        script.approve();
    }
    assert_eq!(script.stage(), StageName::Executing);
    script
}

/// A script whose run evaluates a read.
pub(crate) fn evaluating(settings: Settings) -> Script {
    let mut script = executing(settings);
    script.tool_gives(OutcomeStatus::Done, json!({"content": "import flask"}));
    script
}

pub(crate) fn notes(script: &Script) -> Vec<&str> {
    script.state().notes.iter().map(|note| note.text.as_str()).collect()
}

/// The calls that a stage, or the one put aside under an interruption, waits for.
pub(crate) fn pending(stage: &Stage) -> Option<CallId> {
    match stage {
        Stage::Planning(asking) | Stage::Deciding(asking) | Stage::Evaluating(asking) => Some(asking.call),
        Stage::Executing { call } => Some(call.call),
        Stage::PausedForReview { then, .. } => pending(then),
        Stage::Initializing | Stage::Finished | Stage::Failed { .. } => None,
    }
}
