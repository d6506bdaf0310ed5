//! Where two requests first differ, for a person to see.

use crate::words::{cut, plain};
use crate::{Ask, Request, Turn};
use serde::Serialize;

/// Longest line that is shown, in characters.
const SHOWN: usize = 160;

/// The first line in which two requests differ.
pub(super) fn between(recorded: &Request, asked: &Request) -> String {
    let (recorded, asked) = (sheet(recorded), sheet(asked));
    let same = recorded.iter().zip(&asked).take_while(|(a, b)| a == b).count();
    let shown = |lines: &[Line]| match lines.get(same) {
        Some(line) => format!("“{}”", cut(plain(&line.text), SHOWN)),
        None => "nothing more".to_owned(),
    };
    let place = match recorded.get(same).or(asked.get(same)) {
        Some(line) => format!("{} line {}", line.part, line.number),
        None => "somewhere".to_owned(),
    };
    format!("{place} was {} and is {}", shown(&recorded), shown(&asked))
}

/// One line of a request.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    /// What of the request it belongs to.
    part: String,
    /// Counted from 1 within the part.
    number: usize,
    text: String,
}

/// A request as lines, so that a difference has a place.
fn sheet(request: &Request) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut put = |part: &str, text: &str| {
        let numbered = text.split('\n').enumerate();
        lines.extend(numbered.map(|(index, text)| Line {
            part: part.to_owned(),
            number: index + 1,
            text: text.to_owned(),
        }));
    };
    put("the expert", request.expert.as_deref().unwrap_or("(none)"));
    put("the cap on tokens", &request.max_tokens.to_string());
    match &request.ask {
        Ask::Stage { system, user, schema } => {
            put("the system text", system);
            put("the user text", user);
            put("the schema", &pretty(schema));
        }
        Ask::Conversation { system, turns, tools } => {
            put("the system text", system);
            for (index, turn) in turns.iter().enumerate() {
                put(&format!("turn {}", index + 1), &spelled(turn));
            }
            for tool in tools {
                put(&format!("the tool {}", plain(&tool.name)), &pretty(tool));
            }
        }
    }
    lines
}

fn spelled(turn: &Turn) -> String {
    match turn {
        Turn::User { text } => format!("(user)\n{text}"),
        Turn::Model { text, calls, content } => {
            format!("(model)\n{text}\n{}\n{}", pretty(calls), pretty(content))
        }
        Turn::Results { results, text } => {
            let results = results.iter().map(|result| {
                let failed = if result.is_error { " (failed)" } else { "" };
                format!("{}{failed}\n{}", result.id, result.text)
            });
            let lines: Vec<_> = results.chain(text.clone()).collect();
            format!("(results)\n{}", lines.join("\n"))
        }
    }
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
