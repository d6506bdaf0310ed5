//! The analysis as one piece of work, for flows without tasks: which calls are still worth making,
//! the most telling first, so that the work can end after any of them.

use super::calls::{self, Call};
use super::facts::Facts;
use super::kind::Kind;
use std::collections::VecDeque;

/// The kinds of work take turns, so that a short run has seen something of each.
const ROUND: [Kind; 3] = [Kind::Stack, Kind::Problems, Kind::Structure];
/// After so many failures in a row a tool is given up: one fewer than the loop takes for standing
/// still, unless told otherwise.
const FAILURES: usize = 4;
/// The same for failures that no other input would mend: something was refused or broke.
const REFUSALS: usize = 2;

/// The calls that are worth making and were neither made nor rejected. Those at the front can be
/// made together, as none of them needs to know what another brings.
pub(super) fn ahead(facts: &Facts) -> Vec<Call> {
    let mut queues = ROUND.map(|kind| queue(facts, kind));
    let mut order = Vec::new();
    while queues.iter().any(|queue| !queue.is_empty()) {
        order.extend(queues.iter_mut().filter_map(VecDeque::pop_front));
    }
    fresh(facts, order.into_iter())
}

/// The calls for one kind of work. A person who rejects the end gets more of each.
fn queue(facts: &Facts, kind: Kind) -> VecDeque<Call> {
    let wanted = kind.wanted() as usize;
    let most = wanted.saturating_mul(1 + facts.ends_rejected());
    calls::for_kind(facts, kind).into_iter().take(most).collect()
}

fn fresh(facts: &Facts, calls: impl Iterator<Item = Call>) -> Vec<Call> {
    let mut kept: Vec<Call> = Vec::new();
    for call in calls {
        let known = kept.iter().any(|had| had.tool == call.tool && had.input == call.input);
        if !known && !facts.tried(call.tool, &call.input) && !is_given_up(facts, call.tool) {
            kept.push(call);
        }
    }
    kept
}

/// Whether a tool has failed too often to be tried again.
pub(super) fn is_given_up(facts: &Facts, tool: &str) -> bool {
    let last = || facts.observations.iter().rev().filter(|seen| seen.tool == tool);
    let failed = last().take_while(|seen| !seen.is_done());
    let refused = failed.clone().filter(|seen| seen.status != "failed").count();
    failed.count() >= FAILURES || refused >= REFUSALS
}
