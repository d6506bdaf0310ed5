//! A loopback HTTP server that answers as scripted, byte by byte where a test wants it.

use serde_json::Value;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What happens to one request.
#[derive(Clone)]
pub(crate) enum Act {
    /// An answer with these headers and this body.
    Answer(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// The connection is closed without a word.
    Close,
    /// The head promises more than is sent, then the connection is closed.
    CloseInBody,
    /// A stream that breaks off after these bytes.
    Cut(Vec<u8>),
    /// A stream that comes to a stop after these bytes.
    Held(Vec<u8>),
    /// Nothing is ever sent.
    Silence,
    /// The head and half of the body, then nothing.
    SilenceInBody,
    /// The body never ends.
    Endless,
}

impl Act {
    pub(crate) fn json(status: u16, body: Value) -> Self {
        Self::Answer(status, Vec::new(), body.to_string().into_bytes())
    }

    pub(crate) fn header(self, name: &'static str, value: impl Into<String>) -> Self {
        match self {
            Self::Answer(status, mut headers, body) => {
                headers.push((name, value.into()));
                Self::Answer(status, headers, body)
            }
            other => other,
        }
    }
}

/// A request as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

pub(crate) struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Answers the requests in this order; any more get a 418.
    pub(crate) fn start(acts: impl IntoIterator<Item = Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let acts: Arc<Mutex<VecDeque<Act>>> = Arc::new(Mutex::new(acts.into_iter().collect()));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (acts, log) = (acts.clone(), log.clone());
                thread::spawn(move || serve(stream, &acts, &log));
            }
        });
        Self { address, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// An address where nobody listens.
pub(crate) fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn serve(stream: TcpStream, acts: &Mutex<VecDeque<Act>>, log: &Mutex<Vec<Seen>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some(seen) = receive(&mut reader) {
        log.lock().unwrap().push(seen);
        let unscripted = || Act::json(418, serde_json::json!({"error": {"message": "no script"}}));
        let act = acts.lock().unwrap().pop_front().unwrap_or_else(unscripted);
        match act {
            Act::Answer(status, headers, body) => {
                let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
                for (name, value) in headers {
                    head.push_str(&format!("{name}: {value}\r\n"));
                }
                head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
                if stream.write_all(&[head.as_bytes(), &body].concat()).is_err() {
                    return;
                }
            }
            Act::Close => return,
            Act::CloseInBody => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"content\"");
                return;
            }
            Act::Cut(part) => {
                let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
                let length = format!("content-length: {}\r\n\r\n", part.len() + 900);
                let _ = stream.write_all(&[head, length.as_bytes(), &part].concat());
                return;
            }
            Act::Held(part) => {
                let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
                let length = format!("content-length: {}\r\n\r\n", part.len() + 900);
                let _ = stream.write_all(&[head, length.as_bytes(), &part].concat());
                return thread::sleep(Duration::from_secs(60));
            }
            Act::Silence => return thread::sleep(Duration::from_secs(60)),
            Act::SilenceInBody => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"content\"");
                return thread::sleep(Duration::from_secs(60));
            }
            Act::Endless => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                while stream.write_all(b"8\r\n        \r\n").is_ok() {}
                return;
            }
        }
    }
}

fn receive(reader: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        match header.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_lowercase(), value.to_owned())),
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(Seen { line: line.trim_end().to_owned(), headers, body })
}
