//! From a file's text to what it says, or to everything that is wrong with it.

use super::enforceable;
use super::file::{ConfigFile, parse};
use super::language::{Faults, MOST, Position, Problem, faults, positions};
use crate::exit::Refusal;
use serde::Deserialize;

/// Characters of what is wrong in one place.
const QUOTED: usize = 500;

/// A file as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// What it says, without what nobody can read.
    pub(super) config: ConfigFile,
    /// All that is wrong with it, in its order.
    pub(super) problems: Vec<Problem>,
    /// Whether it may name components that `config` doesn't.
    pub(super) lacks_components: bool,
}

/// Reads the text of a file that is called so in messages; one with a mistake is an error.
pub(super) fn read(named: &str, text: &str) -> Result<ConfigFile, Vec<Problem>> {
    let reading = survey(named, text);
    if reading.problems.is_empty() { Ok(reading.config) } else { Err(reading.problems) }
}

/// Reads of a text what can be read, and says everything that is wrong with it.
pub(super) fn survey(named: &str, text: &str) -> Reading {
    let mut reading = match parse(text) {
        Ok(config) => Reading { config, ..Reading::default() },
        Err(error) => {
            let Faults { mut problems, rest } = faults(text);
            if problems.is_empty() {
                let at = Position::of(text, error.span().map_or(0, |span| span.start));
                problems.push(Problem { at, what: error.message().to_owned() });
            }
            let whole: Option<toml::Table> = text.parse().ok();
            let components = |table: &Option<toml::Table>| table.as_ref()?.get("components").cloned();
            let is_less = components(&whole) != components(&rest);
            let config = rest.and_then(|rest| ConfigFile::deserialize(rest).ok());
            let lacks_components = is_less || config.is_none();
            Reading { config: config.unwrap_or_default(), problems, lacks_components }
        }
    };
    reading.config.named = named.to_owned();
    reading.config.said_at = positions(text);
    reading.problems.extend(enforceable::check(&reading.config));
    reading.problems.sort();
    reading.problems.truncate(MOST);
    reading
}

/// What is wrong with a file, each on a line of its own.
pub(super) fn unreadable(file: &str, problems: &[Problem]) -> anyhow::Error {
    let line = |problem: &Problem| format!("{}: {}", problem.at, cut(&problem.what));
    let lines: Vec<_> = problems.iter().map(line).collect();
    anyhow::Error::from(Refusal::usage(lines.join("\n"))).context(format!("{file} can't be used"))
}

/// What the file says may be quoted, and that may be all of the file.
fn cut(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// Where a key is said: `ringfence.toml, line 3, column 1`.
pub(super) fn place(config: &ConfigFile, key: &str) -> String {
    match config.said_at.get(key) {
        Some(at) => format!("{}, {at}", config.named),
        None => config.named.clone(),
    }
}
