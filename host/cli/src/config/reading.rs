//! From a file's text to what it says, or to everything that is wrong with it.

use super::file::{ConfigFile, parse};
use super::language::{Position, Problem, positions, problems};
use crate::exit::Refusal;

/// Characters of what is wrong in one place.
const QUOTED: usize = 500;

/// Reads the text of a file that is called so in messages.
pub(super) fn read(named: &str, text: &str) -> Result<ConfigFile, Vec<Problem>> {
    match parse(text) {
        Ok(config) => Ok(ConfigFile { named: named.to_owned(), said_at: positions(text), ..config }),
        Err(error) => {
            let found = problems(text);
            if !found.is_empty() {
                return Err(found);
            }
            let at = Position::of(text, error.span().map_or(0, |span| span.start));
            Err(vec![Problem { at, what: error.message().to_owned() }])
        }
    }
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
