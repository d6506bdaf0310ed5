//! A loopback HTTP server whose answers lie at paths, good and bad ones; it remembers what was asked.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What is answered at a path.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Status, headers, body.
    Whole(u16, Vec<(String, String)>, Vec<u8>),
    /// This for whoever sends exactly this `authorization`; the other one for all others.
    For(String, Box<Reply>, Box<Reply>),
    /// A body that never ends.
    Endless,
    /// The head and a part of the body, then nothing more.
    Stalled,
    /// A body that is shorter than its head says.
    Cut,
}

impl Reply {
    /// An ordinary answer.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::Whole(200, Vec::new(), body.into())
    }

    /// An answer with nothing but a status.
    pub fn status(status: u16) -> Self {
        Self::Whole(status, Vec::new(), Vec::new())
    }

    /// An answer that leads elsewhere.
    pub fn redirect(to: &str) -> Self {
        Self::status(307).header("location", to)
    }

    /// The same with a header.
    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Self {
        match self {
            Self::Whole(status, mut headers, body) => {
                headers.push((name.to_owned(), value.to_owned()));
                Self::Whole(status, headers, body)
            }
            other => other,
        }
    }
}

/// A request as it came in.
#[derive(Debug, Clone)]
pub struct Asked {
    /// `GET`, …
    pub method: String,
    /// With the query.
    pub path: String,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    /// What was sent.
    pub body: Vec<u8>,
}

impl Asked {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The server; it ends with the process.
pub struct Loopback {
    address: SocketAddr,
    replies: Arc<Mutex<BTreeMap<String, Reply>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Loopback {
    /// Starts it; at every path there is a 404 at first.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let (replies, asked) = (Arc::new(Mutex::new(BTreeMap::new())), Arc::new(Mutex::new(Vec::new())));
        let (known, log) = (replies.clone(), asked.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (known, log) = (known.clone(), log.clone());
                thread::spawn(move || serve(stream, &known, &log));
            }
        });
        Self { address, replies, asked }
    }

    /// `127.0.0.1:PORT`
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// `http://127.0.0.1:PORT` and a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets what is answered at a path; the query doesn't count.
    pub fn put(&self, path: impl Into<String>, reply: Reply) {
        self.replies.lock().expect("replies").insert(path.into(), reply);
    }

    /// What was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("requests").clone()
    }
}

fn serve(mut stream: TcpStream, replies: &Mutex<BTreeMap<String, Reply>>, log: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    while let Some(asked) = receive(&mut reader) {
        let path = asked.path.split('?').next().unwrap_or_default();
        let reply = replies.lock().expect("replies").get(path).cloned();
        let reply = chosen(reply.unwrap_or_else(|| Reply::status(404)), asked.header("authorization"));
        let without_body = asked.method == "HEAD";
        log.lock().expect("requests").push(asked);
        if !answer(&mut stream, reply, without_body) {
            return;
        }
    }
}

fn chosen(reply: Reply, login: Option<&str>) -> Reply {
    match reply {
        Reply::For(wanted, then, _) if login == Some(wanted.as_str()) => chosen(*then, login),
        Reply::For(_, _, others) => chosen(*others, login),
        other => other,
    }
}

/// Whether the connection goes on.
fn answer(stream: &mut TcpStream, reply: Reply, without_body: bool) -> bool {
    match reply {
        Reply::Whole(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} Said\r\n");
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
            let body = if without_body { Vec::new() } else { body };
            stream.write_all(&[head.into_bytes(), body].concat()).is_ok()
        }
        Reply::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
            let chunk = [b"10000\r\n".as_slice(), &[0; 0x10000], b"\r\n"].concat();
            while stream.write_all(&chunk).is_ok() {}
            false
        }
        Reply::Stalled => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\npart");
            thread::sleep(Duration::from_secs(120));
            false
        }
        Reply::Cut => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\npart");
            false
        }
        Reply::For(..) => false,
    }
}

fn receive(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
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
    let mut body = vec![0; length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { method, path, headers, body })
}
