//! A loopback server that speaks the Messages API, with scripted replies. It streams where the
//! request says so, and speaks chat completions too.
//!
//! Owns: answering like the real one, its refusals of requests that it wouldn't take
//! included; keeping every request; failing as told. Doesn't own: what a test makes of it.
//! Threads only, so that it serves tests that drive the binary as a child process.

mod answer;
mod cache;
mod calling;
mod chat;
mod conversation;
mod fit;
mod http;
mod message;
mod reply;
mod rules;
pub mod worked_example;

pub use answer::{Answer, Called, Delivery};
pub use calling::calling;
use http::Incoming;
use rules::Refusal;
use serde_json::Value;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The key that the server takes; any other is a 401.
pub const KEY: &str = "sk-ant-loopback-0123456789";

/// One accepted request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Counted from 0 over all accepted requests.
    pub number: usize,
    /// The stage, told by the properties of the schema.
    pub stage: Option<Stage>,
    /// The system blocks' text.
    pub system: String,
    /// The messages' text.
    pub user: String,
    /// The schema as it was sent.
    pub schema: Value,
    /// The whole body.
    pub body: Value,
    /// Header names in lower case, and values.
    pub headers: Vec<(String, String)>,
}

/// The stages of all flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Asks for `new_sub_tasks`.
    Plan,
    /// Asks for `action`.
    Decide,
    /// Asks for `sub_task_status`.
    Evaluate,
    /// Asks for `decision`.
    Reason,
    /// Asks for `instruction`.
    Reflect,
    /// A conversation with tools.
    Converse,
}

/// The running server. It stops when it is dropped.
pub struct MessagesApi {
    address: SocketAddr,
    shared: Arc<Shared>,
}

type Script = Box<dyn FnMut(&Asked) -> Answer + Send>;

struct Shared {
    script: Mutex<Script>,
    log: Mutex<Log>,
    changed: Condvar,
}

#[derive(Default)]
struct Log {
    asked: Vec<Asked>,
    said: Vec<conversation::Said>,
    connections: usize,
    refused: Vec<String>,
    cache: cache::Cache,
    stopped: bool,
}

impl MessagesApi {
    /// Starts a server on a free port of the loopback interface. `script` answers every
    /// request that the real API would take, one after the other.
    pub fn start(script: impl FnMut(&Asked) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
        let address = listener.local_addr().expect("the address of a bound socket");
        let shared = Arc::new(Shared {
            script: Mutex::new(Box::new(script)),
            log: Mutex::default(),
            changed: Condvar::new(),
        });
        let serving = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.log().stopped {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let serving = serving.clone();
                serving.log().connections += 1;
                thread::spawn(move || serving.serve(stream));
            }
        });
        Self { address, shared }
    }

    /// Starts a server that gives these answers in this order, then 500s.
    pub fn queue(answers: impl IntoIterator<Item = Answer>) -> Self {
        let mut answers = answers.into_iter().collect::<Vec<_>>().into_iter();
        Self::start(move |_| answers.next().unwrap_or_else(Answer::internal_error))
    }

    /// What `ANTHROPIC_BASE_URL` has to be.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What `OPENAI_BASE_URL` has to be.
    pub fn chat_url(&self) -> String {
        self.base_url() + "/v1"
    }

    /// The environment that leads the binary here.
    pub fn env(&self) -> [(&'static str, String); 2] {
        [("ANTHROPIC_BASE_URL", self.base_url()), ("ANTHROPIC_API_KEY", KEY.to_owned())]
    }

    /// All requests so far that the real API would take.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.log().asked.clone()
    }

    /// The requests so far of one stage.
    pub fn asked_for(&self, stage: Stage) -> Vec<Asked> {
        self.asked().into_iter().filter(|asked| asked.stage == Some(stage)).collect()
    }

    /// Why requests were refused that the real API wouldn't take either. A test that drives
    /// the product asserts that this is empty.
    pub fn refused(&self) -> Vec<String> {
        self.shared.log().refused.clone()
    }

    /// How many connections there have been.
    pub fn connections(&self) -> usize {
        self.shared.log().connections
    }

    /// Waits until so many requests have come in; whether they did in time.
    pub fn wait_for(&self, count: usize, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut log = self.shared.log();
        while log.asked.len() < count {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            log = self.shared.changed.wait_timeout(log, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for MessagesApi {
    fn drop(&mut self) {
        self.shared.log().stopped = true;
        self.shared.changed.notify_all();
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: TcpStream) {
        let Ok(mut connection) = http::Connection::new(stream) else { return };
        while let Some(incoming) = connection.receive() {
            if !self.answer(&mut connection, incoming) {
                return;
            }
        }
    }

    /// Whether the connection can be used again.
    fn answer(&self, connection: &mut http::Connection, incoming: Incoming) -> bool {
        if let Some(about) = rules::model_info(&incoming) {
            return connection.send(200, &[], about.to_string().as_bytes());
        }
        let chat = chat::is_meant(&incoming);
        if let Err(Refusal { status, kind, message }) = self.check(&incoming, chat) {
            self.log().refused.push(message.clone());
            return reply::failure(connection, chat, status, kind, &message, &[]);
        }
        let (asked, counted) = self.keep(incoming, chat);
        let answer = {
            let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
            script(&asked)
        };
        let mut exchange = reply::Exchange { shared: self, connection, asked: &asked, chat, counted };
        exchange.send(answer, Delivery::default())
    }

    fn check(&self, incoming: &Incoming, chat: bool) -> Result<(), Refusal> {
        if chat { chat::check(incoming, KEY) } else { rules::check(incoming, KEY, &self.log().said) }
    }

    /// Remembers what a conversation was told.
    fn remember(&self, said: conversation::Said) {
        self.log().said.push(said);
    }

    /// Waits for the server's end.
    fn hang(&self) {
        let mut log = self.log();
        while !log.stopped {
            log = self.changed.wait(log).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until so many requests have come in, or for the server's end.
    fn await_requests(&self, count: usize) {
        let mut log = self.log();
        while log.asked.len() < count && !log.stopped {
            log = self.changed.wait(log).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Keeps a request; what of it was cached.
    fn keep(&self, incoming: Incoming, chat: bool) -> (Asked, cache::Counted) {
        let mut log = self.log();
        let body = incoming.body;
        let place = if chat { "/response_format/json_schema/schema" } else { "/output_config/format/schema" };
        let schema = body.pointer(place).cloned().unwrap_or_default();
        let messages = || body["messages"].as_array().into_iter().flatten();
        let (system, user) = match chat {
            true => (chat::said(&body, true), chat::said(&body, false)),
            false => (texts(&body["system"]), messages().map(|message| texts(&message["content"])).collect()),
        };
        let asked = Asked {
            number: log.asked.len(),
            stage: stage_of(&schema, &body),
            system,
            user,
            schema,
            headers: incoming.headers,
            body,
        };
        let counted = log.cache.count(&asked.body);
        log.asked.push(asked.clone());
        self.changed.notify_all();
        (asked, counted)
    }
}

fn stage_of(schema: &Value, body: &Value) -> Option<Stage> {
    let has = |name: &str| schema["properties"].get(name).is_some();
    match () {
        () if has("new_sub_tasks") => Some(Stage::Plan),
        () if has("action") => Some(Stage::Decide),
        () if has("sub_task_status") => Some(Stage::Evaluate),
        () if has("decision") => Some(Stage::Reason),
        () if has("instruction") => Some(Stage::Reflect),
        () if body.get("tools").is_some() => Some(Stage::Converse),
        () => None,
    }
}

fn texts(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        blocks => blocks.as_array().into_iter().flatten().map(text_of).collect(),
    }
}

/// A block's text; of a result what it says.
fn text_of(block: &Value) -> String {
    match block["type"].as_str() {
        Some("tool_result") => texts(&block["content"]),
        Some(_) | None => block["text"].as_str().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests;
