//! A run together with the runs at work on its delegated tasks, as one record.

use crate::lanes;
use ringfence_engine::State;
use std::borrow::Cow;

/// The state with what those below it have done so far; once they have joined, nothing changes.
pub(super) fn with_lanes(state: &State) -> Cow<'_, State> {
    let lanes = lanes::lanes(state);
    if lanes.is_empty() {
        return Cow::Borrowed(state);
    }
    let mut whole = state.clone();
    // The stack's end is its top: the first task of the plan comes last.
    for below in lanes.iter().rev().map(|lane| &lane.state) {
        whole.stack.extend(below.stack.iter().cloned());
    }
    for below in lanes.iter().map(|lane| &lane.state) {
        whole.done.extend(below.done.iter().cloned());
        whole.history.extend(below.history.iter().cloned());
        whole.notes.extend(below.notes.iter().cloned());
        whole.said.extend(below.said.iter().cloned());
        for claim in &below.claims {
            if !whole.claims.contains(claim) {
                whole.claims.push(claim.clone());
            }
        }
    }
    whole.history.sort_by_key(|action| action.step);
    Cow::Owned(whole)
}
