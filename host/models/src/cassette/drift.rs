//! Where two requests first differ, for a person to see.

use crate::words::{cut, plain};
use crate::{Ask, Request, ToolDeclaration, Turn};
use serde::Serialize;

/// Longest line that is shown, in characters.
const SHOWN: usize = 160;

/// The first line in which two requests differ.
pub(super) fn between(recorded: &Request, asked: &Request) -> String {
    let (recorded, asked) = (sheet(recorded), sheet(asked));
    let pairs = recorded.iter().zip(&asked);
    match pairs.into_iter().find(|(a, b)| a != b) {
        Some((a, b)) if a.0 == b.0 => format!("{} {}", a.0, in_lines(&a.1, &b.1)),
        Some((a, b)) => format!("{} was there and now {} is", a.0, b.0),
        None => match (recorded.get(asked.len()), asked.get(recorded.len())) {
            (Some(a), _) => format!("{} is missing", a.0),
            (None, Some(b)) => format!("{} is new", b.0),
            (None, None) => "it differs".to_owned(),
        },
    }
}

fn in_lines(recorded: &str, asked: &str) -> String {
    let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
    let (recorded, asked) = (lines(recorded), lines(asked));
    let same = recorded.iter().zip(&asked).take_while(|(a, b)| a == b).count();
    let shown = |lines: &[String]| match lines.get(same) {
        Some(line) => format!("“{}”", around(line, first_difference(&recorded, &asked, same))),
        None => "nothing more".to_owned(),
    };
    format!("line {} was {} and is {}", same + 1, shown(&recorded), shown(&asked))
}

/// How many characters both lines begin with.
fn first_difference(recorded: &[String], asked: &[String], line: usize) -> usize {
    match (recorded.get(line), asked.get(line)) {
        (Some(a), Some(b)) => a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count(),
        (_, _) => 0,
    }
}

/// A line, of a long one only what stands around the difference.
fn around(line: &str, place: usize) -> String {
    let before = if place > SHOWN / 2 { place - SHOWN / 4 } else { 0 };
    let mark = if before > 0 { "…" } else { "" };
    format!("{mark}{}", cut(plain(&line.chars().skip(before).collect::<String>()), SHOWN))
}

/// The parts of a request with their texts, so that a difference has a place.
fn sheet(request: &Request) -> Vec<(String, String)> {
    let mut parts = vec![
        ("the expert".to_owned(), request.expert.clone().unwrap_or_else(|| "(none)".to_owned())),
        ("the cap on tokens".to_owned(), request.max_tokens.to_string()),
    ];
    match &request.ask {
        Ask::Stage { system, user, schema } => parts.extend([
            ("the system text".to_owned(), system.clone()),
            ("the user text".to_owned(), user.clone()),
            ("the schema".to_owned(), pretty(schema)),
        ]),
        Ask::Conversation { system, turns, tools } => {
            parts.push(("the system text".to_owned(), system.clone()));
            let tool = |tool: &ToolDeclaration| (format!("the tool {}", plain(&tool.name)), pretty(tool));
            parts.extend(tools.iter().map(tool));
            let turn = |(index, turn)| (format!("turn {}", index + 1), spelled(turn));
            parts.extend(turns.iter().enumerate().map(turn));
        }
    }
    parts
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
