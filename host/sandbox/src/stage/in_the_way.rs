//! What a person put in the way of an apply that could not be stopped any more, found by what lies in
//! the project: so that it is told also if who set it aside was cut off before saying so.
//!
//! Doesn't own: setting it aside (`step`), the names for that (`plan`).

use super::changes::path_of;
use super::plan::{Plan, Step};
use super::target::find;
use crate::grant::GrantPath;
use crate::view::ProjectDir;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Something that was in the way of an apply that could not be stopped any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// Where it was.
    pub path: GrantPath,
    /// Where it is now; the same place if it was left alone. What the run wanted there is staged
    /// still, unless it was to be deleted.
    pub now_at: GrantPath,
}

/// What lies in the project because it was in the way of steps, whoever carried them out; `left` are
/// those that were left alone.
pub(super) fn in_the_way(project: &ProjectDir, plan: &Plan, left: &[&Step]) -> Vec<SetAside> {
    let is_there = |place: &str| find(project, place).is_ok_and(|found| found.is_some());
    let kept = plan.steps.iter().flat_map(|step| step.kept().map(move |kept| (step, kept)));
    let put = plan.steps.iter().filter(|step| step.temporary().is_some());
    let put: BTreeSet<_> = put.map(|step| step.place.as_str()).collect();
    // Another step has made room for itself where a removal had been left alone.
    let left = left.iter().filter(|step| step.temporary().is_some() || !put.contains(&*step.place));
    kept.chain(left.map(|step| (*step, step.place.clone())))
        .filter(|(_, now_at)| is_there(now_at))
        .map(|(step, now_at)| SetAside { path: path_of(&step.place), now_at: path_of(&now_at) })
        .collect()
}
