//! Recording.

use super::{CassetteError, Exchange, FORM, Header, Outcome, kept};
use crate::{Model, ModelError, Price, Reply, Request, Secret, Spending};
use async_trait::async_trait;
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A model whose exchanges are appended to a file.
pub struct Recording {
    inner: Arc<dyn Model>,
    path: PathBuf,
    file: Mutex<File>,
    secrets: Vec<Secret>,
}

impl Recording {
    /// Records `inner` to a file, which only its owner can read. A file that is there already
    /// must be a cassette of the same model, and is gone on with.
    pub fn new(inner: Arc<dyn Model>, path: impl AsRef<Path>) -> Result<Self, CassetteError> {
        let path = path.as_ref();
        let header = Header { cassette: FORM, identity: inner.identity(), reads_facts: inner.reads_facts() };
        let create = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path);
        let file = match create {
            Ok(mut file) => {
                let line = line(&header, &[]).map_err(io::Error::other);
                line.and_then(|line| file.write_all(&line)).map_err(|why| CassetteError::io(path, why))?;
                file
            }
            Err(why) if why.kind() == ErrorKind::AlreadyExists => go_on(path, &header)?,
            Err(why) => return Err(CassetteError::io(path, why)),
        };
        Ok(Self { inner, path: path.to_owned(), file: Mutex::new(file), secrets: Vec::new() })
    }

    /// Keeps these out of the file wherever they stand: a prompt may quote one.
    pub fn without(mut self, secrets: impl IntoIterator<Item = Secret>) -> Self {
        self.secrets.extend(secrets);
        self
    }

    fn append(&self, exchange: &Exchange) -> io::Result<()> {
        let line = line(exchange, &self.secrets).map_err(io::Error::other)?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line)?;
        file.flush()
    }
}

/// One line of the file.
fn line(value: &impl Serialize, secrets: &[Secret]) -> serde_json::Result<Vec<u8>> {
    let value = secrets.iter().fold(serde_json::to_value(value)?, |value, secret| secret.censor_value(value));
    Ok(format!("{value}\n").into_bytes())
}

/// Opens a cassette that is there already, to append to it.
fn go_on(path: &Path, header: &Header) -> Result<File, CassetteError> {
    let io = |why| CassetteError::io(path, why);
    let file = OpenOptions::new().read(true).append(true).open(path).map_err(io)?;
    if !file.metadata().map_err(io)?.is_file() {
        return Err(CassetteError::Foreign { path: path.to_owned(), why: "it isn't a file".to_owned() });
    }
    let mut reader = BufReader::new(&file);
    let mut first = Vec::new();
    read_line(&mut reader, &mut first).map_err(io)?;
    let recorded = Header::read(&String::from_utf8_lossy(&first), path)?;
    if recorded != *header {
        return Err(CassetteError::OtherModel {
            path: path.to_owned(),
            recorded: recorded.identity,
            asked: header.identity.clone(),
        });
    }
    let mut whole = first.len() as u64;
    loop {
        let mut next = Vec::new();
        let length = reader.read_until(b'\n', &mut next).map_err(io)?;
        match next.last() {
            Some(b'\n') => whole += length as u64,
            // Whoever recorded was killed while writing: that exchange is none.
            Some(_) | None => break,
        }
    }
    file.set_len(whole).map_err(io)?;
    let mut file = file;
    file.seek(SeekFrom::End(0)).map_err(io)?;
    Ok(file)
}

/// Reads a first line, which in a file of another kind could be of any length.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    const LONGEST: u64 = 64 * 1024;
    io::Read::take(reader, LONGEST).read_until(b'\n', line).map(drop)
}

#[async_trait]
impl Model for Recording {
    fn identity(&self) -> String {
        self.inner.identity()
    }

    fn price(&self, stage: &str, expert: Option<&str>) -> Option<Price> {
        self.inner.price(stage, expert)
    }

    fn reads_facts(&self) -> bool {
        self.inner.reads_facts()
    }

    fn least(&self, request: &Request) -> Spending {
        self.inner.least(request)
    }

    async fn complete(&self, request: Request) -> Result<Reply, ModelError> {
        let price = self.price(&request.stage, request.expert.as_deref());
        let asked = kept(request.clone());
        let answered = self.inner.complete(request).await;
        let outcome = match &answered {
            Ok(reply) => Outcome::Reply(reply.clone()),
            Err(error) => Outcome::Error(error.clone()),
        };
        // A recording with a gap can't be replayed: better no answer.
        self.append(&Exchange { request: asked, price, outcome }).map_err(|why| ModelError::Unsupported {
            why: format!("the cassette {} can't be written: {why}", self.path.display()),
        })?;
        answered
    }
}
