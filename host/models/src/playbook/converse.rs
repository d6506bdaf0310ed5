//! Conversing: a turn that asks for calls that can be made together, or the answer while there is
//! still a turn for it.

use super::budget;
use super::conclusion;
use super::facts::Facts;
use super::whole;
use crate::ToolUse;

/// Calls of one turn at most.
const CALLS: usize = 4;

/// What the playbook says in its turn; without calls it is the answer.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) calls: Vec<ToolUse>,
}

/// The next turn.
pub(super) fn converse(facts: &Facts) -> Said {
    let room = budget::turns_left(facts) > 0;
    let next: Vec<_> = whole::ahead(facts).into_iter().filter(|_| room).take(CALLS).collect();
    if next.is_empty() {
        return Said { text: conclusion::text(facts), calls: Vec::new() };
    }
    let reasons: Vec<&str> = next.iter().map(|call| call.why.as_str()).collect();
    let text = reasons.join(" ");
    // Each turn is an iteration, so that no two turns have an id in common, whatever came of them.
    let before = facts.iterations.used as usize * CALLS;
    let calls = next
        .into_iter()
        .enumerate()
        .map(|(place, call)| ToolUse {
            id: format!("call_{}", before + place + 1),
            name: call.tool.to_owned(),
            arguments: call.input.to_string(),
        })
        .collect();
    Said { text, calls }
}
