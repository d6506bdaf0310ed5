//! What is done with one file, and having it done with many.
//!
//! Owns: the tasks, what they give, and the ways to have them carried out: by the host, several at
//! once (`guest::fan_out`), or here, one after another. Doesn't own: what is found out about a file
//! (`map`, `problems`).

use crate::language::Language;
use crate::map::Part;
use crate::problems::{Matches, Supplied};
use ringfence_guest_project::{Fault, File, Root, decode, read_whole};
use serde::{Deserialize, Serialize};

/// The largest file that is parsed, in bytes.
const LARGEST: u64 = 2 << 20;

/// What is to be done with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Everything that the standard tools want to know.
    Facts,
    /// What these rules find.
    Rules(Supplied),
}

/// What is known of a file after [`Task::Facts`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) language: Language,
    /// Its part in the project's map.
    pub(crate) part: Part,
    /// What the standard rules found.
    pub(crate) matches: Matches,
}

/// What came of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// What the work gave, and the content's hash.
    Done {
        /// As `work` returned it.
        value: Vec<u8>,
        /// BLAKE3 of the content, hex.
        content: String,
    },
    /// It can't be read.
    Unreadable(String),
    /// It is too large; its size.
    TooLarge(u64),
    /// The work failed.
    Failed(String),
    /// Time was over before its turn came.
    NotReached,
}

/// A way to have files worked on.
pub trait FanOut {
    /// One outcome for each path, in their order.
    fn run(&self, task: &[u8], paths: &[String]) -> Vec<Outcome>;
}

/// One file after another, in this process.
#[derive(Debug)]
pub struct OneByOne<'r>(pub &'r Root);

impl FanOut for OneByOne<'_> {
    fn run(&self, task: &[u8], paths: &[String]) -> Vec<Outcome> {
        paths.iter().map(|path| one(self.0, task, path)).collect()
    }
}

fn one(root: &Root, task: &[u8], path: &str) -> Outcome {
    let read = || -> Result<Result<Vec<u8>, u64>, Fault> {
        let mut file: File = root.open(path)?;
        let size = file.size();
        if size > LARGEST {
            return Ok(Err(size));
        }
        let mut bytes = Vec::new();
        read_whole(&mut file, usize::try_from(size).unwrap_or(0), &mut bytes)
            .map_err(|error| Fault::of(path, &error))?;
        Ok(Ok(bytes))
    };
    match read() {
        Err(fault) => Outcome::Unreadable(fault.to_string()),
        Ok(Err(size)) => Outcome::TooLarge(size),
        Ok(Ok(bytes)) => {
            let content = blake3::hash(&bytes).to_hex().to_string();
            work(task, path, bytes).map_or_else(Outcome::Failed, |value| Outcome::Done { value, content })
        }
    }
}

/// Works on one file: a task and its result are in `postcard`'s form.
pub(crate) fn work(task: &[u8], path: &str, content: Vec<u8>) -> Result<Vec<u8>, String> {
    let task: Task = postcard::from_bytes(task).map_err(|error| error.to_string())?;
    let (text, _) = decode(content).map_err(|why| why.to_string())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let language = Language::of(path).ok_or("not a known language")?;
    match task {
        Task::Facts => {
            let matches = Matches::of_standard_rules(language, path, text);
            let part = Part::of(language, path, text).ok_or("the parser gave up")?;
            postcard::to_stdvec(&Facts { language, part, matches })
        }
        Task::Rules(rules) => postcard::to_stdvec(&Matches::of_rules(&rules, language, path, text)?),
    }
    .map_err(|error| error.to_string())
}
