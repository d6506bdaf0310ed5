//! A scripted driver: answers effects, keeps the journal, checks the run after every event.

use crate::sound::is_sound;
use ringfence_engine::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(crate) const GOAL: &str =
    "analyse the main technology stack, the core module structure and possible problems of `./my_project`";

/// A run, its journal and a clock that moves one second an event.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) run: Run,
    pub(crate) journal: Vec<Event>,
    pub(crate) now: i64,
    /// What each event took by a clock that stands still while the machine sleeps.
    pub(crate) worked_ms: Option<u64>,
}

/// A model call with everything that it says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) call: CallId,
    pub(crate) stage: ModelStage,
    pub(crate) expert: Option<String>,
    pub(crate) max_tokens: u32,
    pub(crate) timeout_ms: u64,
    pub(crate) digest: PromptDigest,
    /// Empty in a conversation's place: `messages` holds what is said there.
    pub(crate) user: String,
    pub(crate) system: String,
    pub(crate) schema: Value,
    pub(crate) messages: Vec<Message>,
    pub(crate) facts: Value,
}

impl Asked {
    fn of(run: &Run, owed: ModelCall) -> Self {
        let ModelCall { call, stage, expert, prompt: digest, max_tokens, timeout_ms } = owed;
        let prompt = run.prompt(call).expect("an owed call has a prompt");
        assert_eq!(prompt.digest(), digest, "what is sent is what was announced");
        let facts = run.facts(call).expect("an owed call has facts");
        let facts = serde_json::to_value(facts).expect("facts serialize");
        let (system, user, schema, messages) = match prompt {
            Prompt::Stage { system, user, schema } => (system, user, schema, Vec::new()),
            Prompt::Conversation { conversation, .. } => {
                (conversation.system, String::new(), json!(null), conversation.messages)
            }
        };
        Self { call, stage, expert, max_tokens, timeout_ms, digest, user, system, schema, messages, facts }
    }

    /// Bytes of everything that is said.
    pub(crate) fn size(&self) -> usize {
        let messages = serde_json::to_string(&self.messages).expect("messages serialize");
        self.system.len() + self.user.len() + messages.len()
    }
}

impl Script {
    pub(crate) fn start(settings: Settings) -> Self {
        let first = Event { at: Timestamp(1_000), worked_ms: None, kind: started(settings) };
        let (run, owed) = Run::start(first.clone()).expect("the settings are fine");
        assert_eq!(owed, run.owed());
        let script = Self { run, journal: vec![first], now: 1_000, worked_ms: None };
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
        let event = Event { at: Timestamp(self.now), worked_ms: self.worked_ms, kind };
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

    /// Straight to the run, where a replay after each of many events would take minutes.
    pub(crate) fn unchecked(&mut self, kind: EventKind) {
        self.now += 1;
        let event = Event { at: Timestamp(self.now), worked_ms: None, kind };
        self.run.apply(event).expect("the event fits");
    }

    /// The journal gives the same run, and so does the saved state.
    fn check(&self) {
        is_sound(&self.run).expect("the state is sound");
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

    /// Every model call that is owed.
    pub(crate) fn model_calls(&self) -> Vec<Asked> {
        let calls = self.run.owed().into_iter().filter_map(|effect| match effect {
            Effect::CallModel(call) => Some(Asked::of(&self.run, call)),
            Effect::CallTool(_) | Effect::AskPerson(_) | Effect::Finish(_) => None,
        });
        calls.collect()
    }

    /// Every tool call that is owed.
    pub(crate) fn tool_calls(&self) -> Vec<ToolCall> {
        let calls = self.run.owed().into_iter().filter_map(|effect| match effect {
            Effect::CallTool(call) => Some(call),
            Effect::CallModel(_) | Effect::AskPerson(_) | Effect::Finish(_) => None,
        });
        calls.collect()
    }

    /// Every review that is owed.
    pub(crate) fn reviews(&self) -> Vec<Review> {
        let reviews = self.run.owed().into_iter().filter_map(|effect| match effect {
            Effect::AskPerson(review) => Some(review),
            Effect::CallModel(_) | Effect::CallTool(_) | Effect::Finish(_) => None,
        });
        reviews.collect()
    }

    pub(crate) fn model_call(&self) -> Asked {
        let calls = self.model_calls();
        calls.into_iter().next().unwrap_or_else(|| panic!("a model is asked: {:?}", self.run.owed()))
    }

    pub(crate) fn tool_call(&self) -> ToolCall {
        let calls = self.tool_calls();
        calls.into_iter().next().unwrap_or_else(|| panic!("a tool is called: {:?}", self.run.owed()))
    }

    pub(crate) fn review(&self) -> Review {
        let reviews = self.reviews();
        reviews.into_iter().next().unwrap_or_else(|| panic!("a person is asked: {:?}", self.run.owed()))
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

    /// One of several models that are asked says this.
    pub(crate) fn say_to(&mut self, call: CallId, value: Value) -> Vec<Effect> {
        self.send(EventKind::ModelReplied { call, reply: reply(&value.to_string(), StopReason::End) })
    }

    /// The model's turn in a conversation asks for these tools: id, name, arguments.
    pub(crate) fn turn(&mut self, calls: &[(&str, &str, &str)]) -> Vec<Effect> {
        let call = self.model_call().call;
        self.send(EventKind::ModelReplied { call, reply: tools("I look.", calls) })
    }

    /// One of several tools that are called gives this.
    pub(crate) fn tool_ends(&mut self, call: CallId, status: OutcomeStatus, value: Value) -> Vec<Effect> {
        self.send(EventKind::ToolFinished { call, outcome: outcome(status, value) })
    }

    /// A tool fails in passing.
    pub(crate) fn tool_stumbles(&mut self) -> Vec<Effect> {
        let call = self.tool_call().call;
        let outcome = ToolOutcome { transient: true, ..outcome(OutcomeStatus::Failed, json!("busy")) };
        self.send(EventKind::ToolFinished { call, outcome })
    }

    /// Uses up a stage that got no usable answer: both replies, and both of the recovery.
    pub(crate) fn nothing_usable(&mut self) {
        for _ in 0..4 {
            self.say_text("no");
        }
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
        calls: Vec::new(),
        content: None,
        usage: Usage { input_tokens: 100, cached_tokens: 40, output_tokens: 10 },
        cost: None,
        model: "scripted".to_owned(),
    }
}

/// A turn of a conversation that asks for tools.
pub(crate) fn tools(text: &str, calls: &[(&str, &str, &str)]) -> ModelReply {
    let request = |(id, name, arguments): &(&str, &str, &str)| ToolRequest {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    ModelReply { calls: calls.iter().map(request).collect(), ..reply(text, StopReason::ToolUse) }
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
        transient: false,
    }
}

/// What a tool of the scripts can do.
const READS: ToolFacts = ToolFacts { reads: true, writes: false, egress: false, deterministic: true };
const WRITES: ToolFacts = ToolFacts { reads: false, writes: true, egress: false, deterministic: false };
const SENDS: ToolFacts = ToolFacts { reads: false, writes: false, egress: true, deterministic: false };

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

/// A reasoner that calls a tool.
pub(crate) fn call_tool(tool: &str, input: Value) -> Value {
    json!({"thought": "it shows what is there", "decision": "CALL_TOOL", "confidence": "high",
        "details": {"tool_name": tool, "tool_input": input}})
}

/// A reasoner that answers.
pub(crate) fn final_answer(answer: &str) -> Value {
    json!({"thought": "all is known", "decision": "FINAL_ANSWER", "confidence": "high",
        "details": {"answer": answer}})
}

/// A reasoner that asks a person.
pub(crate) fn need_more_info(question: &str) -> Value {
    json!({"thought": "no tool can tell", "decision": "NEED_MORE_INFO", "confidence": "low",
        "details": {"question": question}})
}

/// A review of the working memory.
pub(crate) fn reflection(instruction: &str) -> Value {
    json!({"assessment": "it goes round in circles", "instruction": instruction, "confidence": "high"})
}

/// A task that waits for no other.
pub(crate) fn free(id: &str) -> Value {
    json!({"id": id, "description": format!("look at {id}"), "depends_on": []})
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
