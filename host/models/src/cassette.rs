//! Exchanges with a model, recorded to a file and replayed from it.
//!
//! Owns: the file's form, matching requests with recordings. Doesn't own: what is asked. A
//! request is matched as a whole, so that a prompt that drifted is noticed.
//!
//! The file has one JSON value a line: first who was recorded, then one exchange after the other
//! in the order in which they ended. Requests are kept without their facts.

mod drift;
mod record;
mod replay;

pub use record::Recording;
pub use replay::Replaying;

use crate::{Ledger, ModelError, Price, Reply, Request};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The form of the file that is written and read.
const FORM: u32 = 1;

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// [`FORM`]
    cassette: u32,
    identity: String,
    reads_facts: bool,
}

/// Any further line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Exchange {
    request: Request,
    /// What the model that served it costs.
    price: Option<Price>,
    outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Reply(Reply),
    Error(ModelError),
}

/// Why a file can't be recorded to or replayed.
#[derive(Debug, Error)]
pub enum CassetteError {
    /// It can't be opened, read or written.
    #[error("the cassette {}: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        why: std::io::Error,
    },
    /// It is something else.
    #[error("{} is no cassette: {why}; name a file that isn't there yet", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What was found.
        why: String,
    },
    /// It was recorded with another model.
    #[error("the cassette {} was recorded with {recorded}, not with {asked}; name another file", path.display())]
    OtherModel {
        /// The file.
        path: PathBuf,
        /// Who was recorded.
        recorded: String,
        /// Who was to be recorded.
        asked: String,
    },
    /// One of its lines isn't an exchange.
    #[error("the cassette {} can't be read at line {line}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

impl CassetteError {
    fn io(path: &Path, why: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), why }
    }
}

impl Header {
    /// Reads the first line of a file.
    fn read(line: &str, path: &Path) -> Result<Self, CassetteError> {
        let foreign = |why: &str| CassetteError::Foreign { path: path.to_owned(), why: why.to_owned() };
        let header: Self =
            serde_json::from_str(line).map_err(|_| foreign("its first line is no cassette's"))?;
        if header.cassette != FORM {
            return Err(foreign(&format!("its form is {}, and {FORM} is known", header.cassette)));
        }
        Ok(header)
    }
}

/// A request as it is kept and matched.
fn kept(request: Request) -> Request {
    Request { facts: Value::Null, tries: None, ledger: Ledger::default(), ..request }
}
