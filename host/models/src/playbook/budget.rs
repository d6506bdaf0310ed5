//! How many more calls the task on top may have, so that the run ends inside its iterations.

use super::facts::{Facts, Stage, Task};
use super::kind::Kind;

/// Stages that one call takes: decide, execute, evaluate.
const STAGES_PER_CALL: u32 = 3;
/// Kept back: the closing question to the planner, and one for a reply that had to be asked again.
const KEPT: u32 = 2;

/// How many calls the rest of the run has room for, the one being decided included.
pub(super) fn calls_left(facts: &Facts) -> u32 {
    let this_stage = match facts.stage {
        Stage::Plan | Stage::Evaluate => 1,
        Stage::Decide => 0,
    };
    facts.iterations.limit.saturating_sub(facts.iterations.used + this_stage + KEPT) / STAGES_PER_CALL
}

/// How many more calls are for this task, when each later task gets its fair share.
pub(super) fn share(facts: &Facts, task: &Task) -> u32 {
    let made = made_for(facts, task);
    let wanted = |task: &Task| Kind::of(task).wanted(facts.offers("search_text"));
    let own = wanted(task).saturating_sub(made);
    let left = calls_left(facts);
    let later: Vec<u32> = facts.open.iter().filter(|open| open.id != task.id).map(wanted).collect();
    let wanted = own + later.iter().sum::<u32>();
    if wanted <= left {
        return own;
    }
    let reserved: u32 = later.iter().map(|other| (other * left / wanted).max(1)).sum();
    own.min(left.saturating_sub(reserved))
}

/// How many calls were made for a task.
fn made_for(facts: &Facts, task: &Task) -> u32 {
    facts.observations.iter().filter(|seen| seen.task == task.id).count() as u32
}
