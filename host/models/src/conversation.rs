//! What holds for a conversation with any provider.
//!
//! Owns: the order of turns, what stands in for a turn's part that can't be sent. Doesn't own:
//! how a provider writes a turn.

use crate::{ModelError, ToolUse, Turn};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What an empty turn of the model is sent as: providers refuse one without words.
pub(crate) const NO_WORDS: &str = "(no words)";

/// Refuses turns that no provider would take, by their number.
pub(crate) fn check(turns: &[Turn]) -> Result<(), ModelError> {
    let refuse = |number: usize, why: &str| {
        Err(ModelError::Unsupported { why: format!("turn {} of the conversation {why}", number + 1) })
    };
    if !matches!(turns.first(), Some(Turn::User { .. })) {
        return refuse(0, "must be the user's");
    }
    let mut open: Vec<&str> = Vec::new();
    let mut before_is_model = true;
    for (number, turn) in turns.iter().enumerate() {
        let is_model = matches!(turn, Turn::Model { .. });
        if is_model == before_is_model {
            return refuse(number, "is of the same side as the one before");
        }
        before_is_model = is_model;
        match turn {
            Turn::User { text } if text.trim().is_empty() => return refuse(number, "has no text"),
            Turn::User { .. } if !open.is_empty() => return refuse(number, "lacks the results of the calls"),
            Turn::User { .. } => {}
            Turn::Model { calls, .. } => {
                open = calls.iter().map(|call| call.id.as_str()).collect();
                if open.iter().collect::<BTreeSet<_>>().len() < open.len() {
                    return refuse(number, "has two calls of one id");
                }
            }
            Turn::Results { results, .. } => {
                let mut answered: Vec<_> = results.iter().map(|result| result.id.as_str()).collect();
                answered.sort_unstable();
                open.sort_unstable();
                if answered.is_empty() || answered != open {
                    return refuse(number, "must have one result for each call of the turn before");
                }
                open.clear();
            }
        }
    }
    if before_is_model {
        return refuse(turns.len() - 1, "is the model's own: there is nothing to answer");
    }
    Ok(())
}

impl ToolUse {
    /// The arguments for the conversation's history. What couldn't be read isn't repeated
    /// there, and isn't taken for a call without arguments either.
    pub(crate) fn input(&self) -> Value {
        match serde_json::from_str(&self.arguments) {
            Ok(input @ Value::Object(_)) => input,
            Ok(_) | Err(_) => unreadable(),
        }
    }
}

/// In place of arguments that aren't a JSON object.
pub(crate) fn unreadable() -> Value {
    json!({ "INVALID_JSON": "left out: the arguments were not a JSON object" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolResult;

    fn user(text: &str) -> Turn {
        Turn::User { text: text.to_owned() }
    }

    fn model(ids: &[&str]) -> Turn {
        let call = |id: &&str| ToolUse { id: (*id).to_owned(), name: "t".into(), arguments: "{}".into() };
        Turn::Model { text: String::new(), calls: ids.iter().map(call).collect(), content: None }
    }

    fn results(ids: &[&str]) -> Turn {
        let result = |id: &&str| ToolResult { id: (*id).to_owned(), text: "r".into(), is_error: false };
        Turn::Results { results: ids.iter().map(result).collect(), text: None }
    }

    fn refused(turns: &[Turn]) -> String {
        check(turns).unwrap_err().to_string()
    }

    #[test]
    fn turns_alternate_and_every_call_has_its_result() {
        check(&[user("a")]).unwrap();
        check(&[user("a"), model(&["1", "2"]), results(&["2", "1"]), model(&[]), user("b")]).unwrap();
        assert!(refused(&[]).starts_with("turn 1 "));
        assert!(refused(&[model(&[])]).contains("turn 1 of the conversation must be the user's"));
        assert!(refused(&[user(" ")]).contains("turn 1 of the conversation has no text"));
        assert!(
            refused(&[user("a"), user("b")]).starts_with("turn 2 of the conversation is of the same side")
        );
        assert!(refused(&[user("a"), model(&[])]).contains("nothing to answer"));
        assert!(refused(&[user("a"), model(&["1", "1"]), results(&["1"])]).contains("two calls of one id"));
        for wrong in [&["1"][..], &["1", "1"], &["1", "2", "3"], &[]] {
            let turns = [user("a"), model(&["1", "2"]), results(wrong)];
            assert!(refused(&turns).starts_with("turn 3 of the conversation must have one result"));
        }
        assert!(refused(&[user("a"), model(&["1"]), user("b")]).contains("lacks the results"));
    }

    #[test]
    fn arguments_that_are_no_object_are_marked_and_never_emptied() {
        let input = |arguments: &str| {
            ToolUse { id: "1".into(), name: "t".into(), arguments: arguments.into() }.input()
        };
        assert_eq!(input("{\"a\": 1}"), json!({ "a": 1 }));
        for bad in ["", "{\"a\":", "[]", "null", "{} {}"] {
            assert_eq!(input(bad), unreadable(), "{bad}");
        }
    }
}
