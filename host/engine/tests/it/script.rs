//! A scripted driver: answers effects, keeps the journal, checks the run after every event.

use crate::sound::is_sound;
use ringfence_engine::*;
use serde_json::{Value, json};

pub(crate) use crate::settings::*;
pub(crate) use crate::words::*;

/// A run, its journal and a clock that moves one second an event.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) run: Run,
    pub(crate) journal: Vec<Event>,
    pub(crate) now: i64,
    /// What each event took by a clock that stands still while the machine sleeps.
    pub(crate) worked_ms: Option<u64>,
    /// Whether it is checked after every event: after many, that would take minutes.
    pub(crate) is_checked: bool,
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
}

impl Script {
    pub(crate) fn start(settings: Settings) -> Self {
        let first = Event { at: Timestamp(1_000), worked_ms: None, kind: started(settings) };
        let (run, owed) = Run::start(first.clone()).expect("the settings are fine");
        assert_eq!(owed, run.owed());
        let script = Self { run, journal: vec![first], now: 1_000, worked_ms: None, is_checked: true };
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
                if self.is_checked {
                    assert_eq!(owed, self.run.owed());
                    self.check();
                }
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
            failure: ModelFailure::unpaid("the server could not be reached", true),
        })
    }
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
