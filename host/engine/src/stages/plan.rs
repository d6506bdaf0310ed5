//! Planning: new tasks, or the word that the goal is achieved.

use super::count;
use crate::bounds;
use crate::flow::Outcome;
use crate::guard;
use crate::id::TaskId;
use crate::ordering::{Surroundings, TasksError, arrange};
use crate::plan::{Author, PlanVersion, PlannedTask, SubTask, TaskStatus};
use crate::reply::Unusable;
use crate::settings::PausePoint;
use crate::state::State;
use serde::Deserialize;

/// A planner's reply.
#[derive(Debug, Deserialize)]
pub(super) struct PlanReply {
    reasoning: String,
    new_sub_tasks: Vec<PlannedTask>,
    is_goal_achieved: bool,
    answer: Option<String>,
}

/// Takes a plan.
pub(super) fn planned(state: &mut State, reply: PlanReply) -> Result<Outcome, Unusable> {
    let reasoning = bounds::cut(&reply.reasoning, bounds::REASONING);
    if reply.is_goal_achieved {
        if !reply.new_sub_tasks.is_empty() {
            return Err(Unusable::Schema(
                "$.is_goal_achieved: true, but there are new tasks; it is one or the other".to_owned(),
            ));
        }
        count(state);
        state.watch.empty_plans = 0;
        state.observation = Some(reasoning.clone());
        let answer = reply.answer.as_deref().map(str::trim).filter(|answer| !answer.is_empty());
        return Ok(match answer.map(|answer| bounds::cut(answer, bounds::ANSWER)) {
            Some(answer) => {
                state.answer = Some(answer.clone());
                Outcome::AnswerGiven { answer, reasoning }
            }
            None => Outcome::GoalAchieved { reasoning },
        });
    }
    if reply.new_sub_tasks.is_empty() {
        count(state);
        if state.stack.is_empty() {
            state.watch.empty_plans = state.watch.empty_plans.saturating_add(1);
            state.observation = Some(
                "The goal was said not to be achieved, but no task was planned and none is open. \
                 Plan what is missing, or say that the goal is achieved."
                    .to_owned(),
            );
        }
        let reasoning = bounds::one_line(&reasoning, bounds::LINE);
        return Ok(Outcome::NothingPlanned { reasoning });
    }
    if reply.new_sub_tasks.len() > bounds::NEW_TASKS {
        return Err(Unusable::Schema(format!(
            "$.new_sub_tasks: {} tasks; at most {} can be added at once",
            reply.new_sub_tasks.len(),
            bounds::NEW_TASKS
        )));
    }
    let open = open_tasks(state);
    let tasks = arrange(
        &reply.new_sub_tasks,
        &Surroundings { list: "$.new_sub_tasks", open: &open, done: &done_ids(state) },
    )
    .map_err(|error: TasksError| Unusable::Schema(error.to_string()))?;
    count(state);
    state.watch.empty_plans = 0;
    let plan = version(state, tasks, Author::Model, reasoning);
    state.plans.push(plan.clone());
    if !state.settings.pause.contains(&PausePoint::AfterPlan) {
        stack(state, &plan.tasks);
    }
    Ok(Outcome::TasksProposed(plan))
}

/// The open tasks as planned, next one first.
pub(crate) fn open_tasks(state: &State) -> Vec<PlannedTask> {
    state.stack.iter().rev().map(|task| task.planned.clone()).collect()
}

/// The ids of tasks that are done with.
pub(crate) fn done_ids(state: &State) -> Vec<TaskId> {
    state.done.iter().map(|task| task.planned.id.clone()).collect()
}

fn version(state: &State, tasks: Vec<PlannedTask>, author: Author, reasoning: String) -> PlanVersion {
    PlanVersion {
        version: u32::try_from(state.plans.len()).unwrap_or(u32::MAX).saturating_add(1),
        hash: PlanVersion::hash_of(&tasks),
        author,
        reasoning,
        tasks,
        approved: author == Author::Person,
    }
}

/// A person approved the proposed version.
pub(crate) fn adopt(state: &mut State, plan: &PlanVersion) {
    if let Some(known) = state.plans.iter_mut().find(|p| p.version == plan.version) {
        known.approved = true;
    }
    state.observation = None;
    guard::progress(state);
    stack(state, &plan.tasks);
}

/// A person set the open tasks.
pub(crate) fn set_tasks(state: &mut State, tasks: Vec<PlannedTask>) {
    let plan = version(state, tasks, Author::Person, String::new());
    state.watch.empty_plans = 0;
    guard::progress(state);
    state.observation = Some(if plan.tasks.is_empty() {
        "A person removed all open tasks from the plan.".to_owned()
    } else {
        "A person changed the plan.".to_owned()
    });
    stack(state, &plan.tasks);
    state.plans.push(plan);
}

/// Makes these the open tasks; one that was open already keeps what was done for it.
fn stack(state: &mut State, tasks: &[PlannedTask]) {
    let mut open = std::mem::take(&mut state.stack);
    for planned in tasks.iter().rev() {
        let known = open.iter().position(|task| task.planned.id == planned.id);
        state.stack.push(match known {
            Some(place) => SubTask { planned: planned.clone(), ..open.swap_remove(place) },
            None => SubTask {
                planned: planned.clone(),
                status: TaskStatus::Pending,
                steps: Vec::new(),
                summary: String::new(),
            },
        });
    }
}
