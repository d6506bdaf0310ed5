//! A loopback server that speaks the Messages API, with scripted replies.
//!
//! Owns: answering like the real one, its refusals of requests that it wouldn't take
//! included; keeping every request; failing as told. Doesn't own: what a test makes of it.
//! Threads only, so that it serves tests that drive the binary as a child process.

mod fit;
mod http;
mod rules;
pub mod worked_example;

use http::Incoming;
use serde_json::{Value, json};
use std::collections::HashSet;
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

/// The stages of the staged flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Asks for `new_sub_tasks`.
    Plan,
    /// Asks for `action`.
    Decide,
    /// Asks for `sub_task_status`.
    Evaluate,
}

/// What happens to a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// This value, in the form that the request's schema forces it into.
    Json(Value),
    /// This text, whatever was asked for, with this reason to stop.
    Text {
        /// The text block.
        text: String,
        /// `end_turn`, `max_tokens`, `refusal`, …
        stop_reason: &'static str,
    },
    /// An error of the API.
    Failure {
        /// HTTP status.
        status: u16,
        /// `overloaded_error`, …
        kind: &'static str,
        /// More headers, such as `retry-after`.
        headers: Vec<(&'static str, String)>,
    },
    /// These bytes as the body of a 200.
    Body(Vec<u8>),
    /// The connection is closed without an answer.
    Close,
    /// The connection is closed in the middle of the answer.
    CloseInBody,
    /// No answer for as long as the server lives.
    Hang,
}

impl Answer {
    /// A text that ends by itself.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), stop_reason: "end_turn" }
    }

    /// 429, to be tried again after so many milliseconds.
    pub fn rate_limited(retry_after_ms: u64) -> Self {
        let headers = vec![("retry-after-ms", retry_after_ms.to_string())];
        Self::Failure { status: 429, kind: "rate_limit_error", headers }
    }

    /// 529, to be tried again almost at once.
    pub fn overloaded() -> Self {
        let headers = vec![("retry-after-ms", "5".to_owned())];
        Self::Failure { status: 529, kind: "overloaded_error", headers }
    }

    /// 500, to be tried again almost at once.
    pub fn internal_error() -> Self {
        let headers = vec![("retry-after-ms", "5".to_owned())];
        Self::Failure { status: 500, kind: "api_error", headers }
    }
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
    refused: Vec<String>,
    cached: HashSet<String>,
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
        if let Err(refusal) = rules::check(&incoming, KEY) {
            self.log().refused.push(refusal.message.clone());
            return failure(connection, refusal.status, refusal.kind, &refusal.message, &[]);
        }
        let (asked, cached) = self.keep(incoming);
        let answer = {
            let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
            script(&asked)
        };
        let request_id = ("request-id", format!("req_{:04}", asked.number));
        match answer {
            Answer::Json(value) => {
                let text = fit::fit(&asked.schema, value).to_string();
                let body = message(&asked, &text, "end_turn", cached);
                connection.send(200, &[request_id], body.to_string().as_bytes())
            }
            Answer::Text { text, stop_reason } => {
                let body = message(&asked, &text, stop_reason, cached);
                connection.send(200, &[request_id], body.to_string().as_bytes())
            }
            Answer::Failure { status, kind, headers } => {
                failure(connection, status, kind, "scripted", &headers)
            }
            Answer::Body(body) => connection.send(200, &[request_id], &body),
            Answer::Close => false,
            Answer::CloseInBody => {
                connection.send_half();
                false
            }
            Answer::Hang => {
                let mut log = self.log();
                while !log.stopped {
                    log = self.changed.wait(log).unwrap_or_else(PoisonError::into_inner);
                }
                false
            }
        }
    }

    /// Keeps a request; whether its system text has been seen before.
    fn keep(&self, incoming: Incoming) -> (Asked, bool) {
        let mut log = self.log();
        let body = incoming.body;
        let schema = body.pointer("/output_config/format/schema").cloned().unwrap_or_default();
        let asked = Asked {
            number: log.asked.len(),
            stage: stage_of(&schema),
            system: texts(&body["system"]),
            user: body["messages"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|message| texts(&message["content"]))
                .collect(),
            schema,
            headers: incoming.headers,
            body,
        };
        let cached = !log.cached.insert(asked.system.clone());
        log.asked.push(asked.clone());
        self.changed.notify_all();
        (asked, cached)
    }
}

fn stage_of(schema: &Value) -> Option<Stage> {
    let has = |name: &str| schema["properties"].get(name).is_some();
    match () {
        () if has("new_sub_tasks") => Some(Stage::Plan),
        () if has("action") => Some(Stage::Decide),
        () if has("sub_task_status") => Some(Stage::Evaluate),
        () => None,
    }
}

fn texts(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        blocks => {
            blocks.as_array().into_iter().flatten().filter_map(|block| block["text"].as_str()).collect()
        }
    }
}

/// A message as the API sends it, a thinking block first.
fn message(asked: &Asked, text: &str, stop_reason: &str, cached: bool) -> Value {
    let tokens = |text: &str| text.len().div_ceil(4);
    let system = tokens(&asked.system);
    json!({
        "id": format!("msg_{:04}", asked.number),
        "type": "message",
        "role": "assistant",
        "model": asked.body["model"],
        "content": [
            { "type": "thinking", "thinking": "", "signature": "c2lnbmVk" },
            { "type": "text", "text": text },
        ],
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "usage": {
            "input_tokens": tokens(&asked.user),
            "cache_creation_input_tokens": if cached { 0 } else { system },
            "cache_read_input_tokens": if cached { system } else { 0 },
            "output_tokens": tokens(text) + 20,
        },
    })
}

fn failure(
    connection: &mut http::Connection,
    status: u16,
    kind: &str,
    message: &str,
    headers: &[(&'static str, String)],
) -> bool {
    let body = json!({ "type": "error", "error": { "type": kind, "message": message } });
    connection.send(status, headers, body.to_string().as_bytes())
}

#[cfg(test)]
mod tests;
