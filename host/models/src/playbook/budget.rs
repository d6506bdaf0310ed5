//! How many more calls there may be, for the task on top or before the answer, so that the run ends
//! inside its iterations.

use super::facts::{Facts, Flow, Stage, Task};
use super::kind::Kind;

/// Stages that one call takes: decide, execute, evaluate.
const STAGES_PER_CALL: u32 = 3;
/// Kept back: the closing question to the planner, and one for a reply that had to be asked again.
const KEPT: u32 = 2;
/// A run of fewer iterations keeps none back for what may come between.
const ROOMY: u32 = 10;

/// How many calls the rest of the run has room for, the one being decided included.
pub(super) fn calls_left(facts: &Facts) -> u32 {
    let this_stage = match facts.stage {
        Stage::Plan | Stage::Evaluate | Stage::Reflect => 1,
        Stage::Decide | Stage::Reason | Stage::Converse => 0,
    };
    facts.iterations.limit.saturating_sub(facts.iterations.used + this_stage + KEPT) / STAGES_PER_CALL
}

/// How many more turns with calls a run without tasks has room for before its answer, the one
/// being decided included.
pub(super) fn turns_left(facts: &Facts) -> u32 {
    let review = u32::from(facts.stage == Stage::Reflect);
    let stages = match facts.flow {
        // Reasoning and the call count one each.
        Flow::Staged | Flow::Pipeline => 2,
        Flow::React => 1,
    };
    let limit = facts.iterations.limit;
    // The answer, and where there is room one for a review on the way.
    let kept = if limit >= ROOMY { 2 } else { 1 };
    limit.saturating_sub(facts.iterations.used.saturating_add(review).saturating_add(kept)) / stages
}

/// Whether a question to a person leaves a stage for the answer.
pub(super) fn has_room_to_ask(facts: &Facts) -> bool {
    facts.iterations.limit.saturating_sub(facts.iterations.used) >= 2
}

/// How many more calls are for this task: each later task keeps what it needs at least, and what
/// is left beyond that is shared in proportion.
pub(super) fn share(facts: &Facts, task: &Task) -> u32 {
    let made = made_for(facts, task);
    let own = Kind::of(task).wanted().saturating_sub(made);
    let own_least = Kind::of(task).least().saturating_sub(made);
    let left = calls_left(facts);
    let later: Vec<Kind> = facts.open.iter().filter(|open| open.id != task.id).map(Kind::of).collect();
    let wanted = own + later.iter().map(|kind| kind.wanted()).sum::<u32>();
    if wanted <= left {
        return own;
    }
    let least = own_least + later.iter().map(|kind| kind.least()).sum::<u32>();
    let (spare, asked) = (left.saturating_sub(least), (wanted - least).max(1));
    let keeps = |kind: &Kind| kind.least() + (kind.wanted() - kind.least()) * spare / asked;
    own.min(left.saturating_sub(later.iter().map(keeps).sum()))
}

/// How many calls were made for a task.
fn made_for(facts: &Facts, task: &Task) -> u32 {
    facts.observations.iter().filter(|seen| seen.task == task.id).count() as u32
}
