//! As much HTTP/1.1 as the server needs.

use super::answer::Delivery;
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

const MAX_BODY: usize = 33 * 1024 * 1024;

/// A request as it came in.
pub(super) struct Incoming {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    /// Null when it isn't JSON.
    pub(super) body: Value,
}

impl Incoming {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

pub(super) struct Connection {
    reader: BufReader<TcpStream>,
    stream: TcpStream,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { reader: BufReader::new(stream.try_clone()?), stream })
    }

    /// The next request; none once the client has gone or sends something else than HTTP.
    pub(super) fn receive(&mut self) -> Option<Incoming> {
        let line = self.line()?;
        let mut words = line.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut headers = Vec::new();
        while let Some((name, value)) = self.line()?.split_once(':') {
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.map_or(Some(0), |(_, value)| value.parse().ok())?;
        if length > MAX_BODY {
            return None;
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).ok()?;
        let body = serde_json::from_slice(&body).unwrap_or_default();
        Some(Incoming { method, path, headers, body })
    }

    /// Sends an answer; whether the client was still there.
    pub(super) fn send(&mut self, status: u16, headers: &[(&'static str, String)], body: &[u8]) -> bool {
        let mut answer = format!("HTTP/1.1 {status} Loopback\r\ncontent-type: application/json\r\n");
        for (name, value) in headers {
            answer.push_str(&format!("{name}: {value}\r\n"));
        }
        answer.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        self.stream.write_all(&[answer.as_bytes(), body].concat()).is_ok()
    }

    /// Sends an answer in pieces; whether the client was still there.
    pub(super) fn send_in_pieces(
        &mut self,
        kind: &str,
        headers: &[(&'static str, String)],
        body: &[u8],
        delivery: Delivery,
    ) -> bool {
        self.begin(kind, headers) && self.pieces(body, delivery) && self.end()
    }

    /// Sends the head of an answer whose length isn't known yet.
    pub(super) fn begin(&mut self, kind: &str, headers: &[(&'static str, String)]) -> bool {
        let mut head = format!("HTTP/1.1 200 Loopback\r\ncontent-type: {kind}\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("transfer-encoding: chunked\r\n\r\n");
        self.stream.write_all(head.as_bytes()).is_ok()
    }

    /// Sends more of such an answer.
    pub(super) fn pieces(&mut self, body: &[u8], delivery: Delivery) -> bool {
        let cut_before = |index: usize| match delivery {
            Delivery::Whole | Delivery::ManyLines => false,
            Delivery::Bytes => true,
            // Any byte of a character but its first.
            Delivery::InCharacters => body[index] & 0b1100_0000 == 0b1000_0000,
            Delivery::CarriageReturns => body[index] == b'\n',
        };
        let mut start = 0;
        for index in (1..=body.len()).filter(|index| *index == body.len() || cut_before(*index)) {
            let piece = &body[start..index];
            let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
            if self.stream.write_all(&chunk).is_err() {
                return false;
            }
            start = index;
        }
        true
    }

    /// Ends such an answer.
    pub(super) fn end(&mut self) -> bool {
        self.stream.write_all(b"0\r\n\r\n").is_ok()
    }

    /// Sends the beginning of an answer.
    pub(super) fn send_half(&mut self) -> bool {
        let half = b"HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n{\"id\": \"msg_";
        self.stream.write_all(half).is_ok()
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        Some(line.trim_end().to_owned())
    }
}
