//! What is asked of `find_problems` and what it answers.

use super::card::Card;
use crate::language::Language;
use crate::setting::Setting;
use crate::skipped::Skipped;
use ringfence_guest_project::Fault;
use serde::Serialize;

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The file system said no.
    Fault(Fault),
    /// A rule can't be used: its file, its id, what is wrong.
    BadRule(String),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// What to search, with which rules, and which page of it is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// A folder or a file; the project's folder if left out.
    pub directory: Option<&'a str>,
    /// A file or folder with rules that are run as well.
    pub rules: Option<&'a str>,
    /// How many problems to leave out at the beginning.
    pub skip: Option<u32>,
    /// How many to show at most.
    pub max_problems: Option<u32>,
}

/// A place that a rule found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The rule's id.
    pub rule: String,
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub first_line: u32,
    /// The first column, in characters from 1.
    pub first_column: u32,
    /// The last line.
    pub last_line: u32,
    /// The column after the last character.
    pub last_column: u32,
    /// What is wrong here.
    pub message: String,
    /// The line where it starts.
    pub excerpt: String,
    /// What kind of place it is.
    pub setting: Setting,
    /// The function or class that it is in.
    pub symbol: Option<String>,
    /// BLAKE3 of the file's content, hex.
    pub content: String,
    /// Stays the same while the code around moves.
    pub fingerprint: String,
}

/// How many files of a language were searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Searched {
    /// The language.
    pub language: Language,
    /// Its files.
    pub files: u32,
    /// How many rules there are for it.
    pub rules: u32,
}

/// What the rules found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problems {
    /// What was asked for, tidied.
    pub directory: String,
    /// One page of the places, the worst first.
    pub found: Vec<Problem>,
    /// How many there are in all.
    pub total: u32,
    /// Where the next page begins.
    pub next: Option<u32>,
    /// The rules that found what is on this page.
    pub rules: Vec<Card>,
    /// How many rules were run.
    pub rules_run: u32,
    /// How many files each language's rules were run on.
    pub searched: Vec<Searched>,
    /// How many problems comments have silenced.
    pub suppressed: u32,
    /// How many files were set apart as vendored or generated.
    pub set_apart: u32,
    /// What was left out, at most 50.
    pub skipped: Vec<Skipped>,
    /// Whether all files were searched.
    pub complete: bool,
}
