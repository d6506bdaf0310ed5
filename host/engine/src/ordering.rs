//! Which tasks a plan may hold, and in what order they are worked on.
//!
//! A task without `depends_on` comes after the one before it in its own list; with an empty one it
//! is independent. The order is the planned one, changed only where a dependency asks for it.

use crate::bounds;
use crate::canonical::canonical;
use crate::id::{PlanHash, TaskId};
use crate::plan::{PlanVersion, PlannedTask};
use std::collections::HashMap;
use thiserror::Error;

/// Why a list of tasks can't be a plan: where in it, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{at}: {why}")]
pub struct TasksError {
    /// Path below the list, e.g. `[2].depends_on[0]`; the list's own name comes first.
    pub at: String,
    /// What is wrong and what would be right.
    pub why: String,
}

/// What a new list of tasks is checked against.
pub(crate) struct Surroundings<'a> {
    /// What the list is called in errors.
    pub(crate) list: &'a str,
    /// Tasks that stay open beside the new ones, first to be done first.
    pub(crate) open: &'a [PlannedTask],
    /// Tasks that are done with.
    pub(crate) done: &'a [TaskId],
}

impl PlanVersion {
    /// The hash of a list of tasks: BLAKE3 over their canonical JSON, in hex.
    pub fn hash_of(tasks: &[PlannedTask]) -> PlanHash {
        // Serializing these plain structs can't fail.
        let value = serde_json::to_value(tasks).unwrap_or_default();
        PlanHash(blake3::hash(canonical(&value).as_bytes()).to_hex().to_string())
    }
}

/// Checks the new tasks and puts them and the open ones in order, first to be done first.
pub(crate) fn arrange(
    new: &[PlannedTask],
    around: &Surroundings<'_>,
) -> Result<Vec<PlannedTask>, TasksError> {
    check_sizes(new, around)?;
    let mut places: HashMap<&TaskId, usize> = HashMap::new();
    for (index, task) in around.open.iter().enumerate() {
        places.insert(&task.id, new.len() + index);
    }
    for (index, task) in new.iter().enumerate() {
        let taken = if around.done.contains(&task.id) {
            Some("is the id of a task that is done with; choose a new id")
        } else {
            places.insert(&task.id, index).map(|_| "is the id of another open task; choose a new id")
        };
        if let Some(why) = taken {
            return Err(error(around, index, ".id", format!("{:?} {why}", task.id.0)));
        }
    }
    let mut needs: Vec<Vec<usize>> = Vec::new();
    for (index, task) in new.iter().enumerate() {
        let mut before = Vec::new();
        match &task.depends_on {
            None => before.extend(index.checked_sub(1)),
            Some(ids) => {
                for (nth, id) in ids.iter().enumerate() {
                    match places.get(id) {
                        Some(place) => before.push(*place),
                        None if around.done.contains(id) => {}
                        None => {
                            let at = format!(".depends_on[{nth}]");
                            let why = format!("there is no task {:?}", bounds::cut(&id.0, bounds::TASK_ID));
                            return Err(error(around, index, &at, why));
                        }
                    }
                }
            }
        }
        needs.push(before);
    }
    for (index, task) in around.open.iter().enumerate() {
        needs.push(match &task.depends_on {
            None => index.checked_sub(1).map(|i| new.len() + i).into_iter().collect(),
            // What an open task waits for was checked with it; what is gone is done with.
            Some(ids) => ids.iter().filter_map(|id| places.get(id).copied()).collect(),
        });
    }
    let all: Vec<&PlannedTask> = new.iter().chain(around.open).collect();
    let order = sort(&needs).map_err(|stuck| {
        let ids: Vec<&str> =
            stuck.iter().filter_map(|place| all.get(*place).map(|task| task.id.0.as_str())).collect();
        let first = stuck.first().copied().unwrap_or_default();
        let why = format!("these tasks wait for each other: {}", ids.join(", "));
        error(around, first, ".depends_on", why)
    })?;
    Ok(spell(&order, &all, &needs))
}

fn error(around: &Surroundings<'_>, index: usize, below: &str, why: String) -> TasksError {
    TasksError { at: format!("{}[{index}]{below}", around.list), why }
}

fn check_sizes(new: &[PlannedTask], around: &Surroundings<'_>) -> Result<(), TasksError> {
    let whole = |why: String| TasksError { at: around.list.to_owned(), why };
    if new.len() + around.open.len() > bounds::OPEN_TASKS {
        let open = new.len() + around.open.len();
        return Err(whole(format!("{open} open tasks; at most {} are allowed", bounds::OPEN_TASKS)));
    }
    for (index, task) in new.iter().enumerate() {
        let refuse = |below: &str, why: String| Err(error(around, index, below, why));
        if task.id.0.trim().is_empty() || task.id.0.chars().any(char::is_control) {
            return refuse(".id", "must be a short name without control characters".to_owned());
        }
        if bounds::longer_than(&task.id.0, bounds::TASK_ID) {
            return refuse(".id", format!("has more than {} characters", bounds::TASK_ID));
        }
        if task.description.trim().is_empty() {
            return refuse(".description", "is empty; say what to do".to_owned());
        }
        if bounds::longer_than(&task.description, bounds::DESCRIPTION) {
            let why = format!("has more than {} characters", bounds::DESCRIPTION);
            return refuse(".description", why);
        }
        if task.kind.as_ref().is_some_and(|kind| bounds::longer_than(kind, bounds::KIND)) {
            return refuse(".kind", format!("has more than {} characters", bounds::KIND));
        }
        if task.depends_on.as_ref().is_some_and(|ids| ids.len() > bounds::DEPENDS_ON) {
            return refuse(".depends_on", format!("has more than {} ids", bounds::DEPENDS_ON));
        }
    }
    Ok(())
}

/// Stable topological order; or the places that wait for each other.
fn sort(needs: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut order: Vec<usize> = Vec::with_capacity(needs.len());
    let mut placed = vec![false; needs.len()];
    while order.len() < needs.len() {
        let ready = needs.iter().enumerate().position(|(place, before)| {
            !is_placed(&placed, place) && before.iter().all(|b| is_placed(&placed, *b))
        });
        match ready {
            Some(place) => {
                if let Some(slot) = placed.get_mut(place) {
                    *slot = true;
                }
                order.push(place);
            }
            None => {
                return Err((0..needs.len()).filter(|p| !is_placed(&placed, *p)).collect());
            }
        }
    }
    Ok(order)
}

fn is_placed(placed: &[bool], place: usize) -> bool {
    placed.get(place).copied().unwrap_or(false)
}

/// The tasks in order, with `depends_on` spelled so that each still means the same there: absent
/// only where it stands for the task right before.
fn spell(order: &[usize], all: &[&PlannedTask], needs: &[Vec<usize>]) -> Vec<PlannedTask> {
    let mut before: Option<usize> = None;
    let mut spelled = Vec::with_capacity(order.len());
    for place in order {
        if let (Some(task), Some(needed)) = (all.get(*place), needs.get(*place)) {
            let mut task = PlannedTask::clone(task);
            let implied = task.depends_on.is_none();
            if implied && needed.first().copied() != before {
                let ids = needed.iter().filter_map(|n| all.get(*n).map(|t| t.id.clone()));
                task.depends_on = Some(ids.collect());
            }
            spelled.push(task);
        }
        before = Some(*place);
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str, depends_on: Option<&[&str]>) -> PlannedTask {
        PlannedTask {
            id: id.into(),
            description: format!("do {id}"),
            kind: None,
            depends_on: depends_on.map(|ids| ids.iter().map(|id| TaskId::from(*id)).collect()),
        }
    }

    fn order(new: &[PlannedTask], open: &[PlannedTask]) -> Result<Vec<String>, String> {
        let around = Surroundings { list: "$.new_sub_tasks", open, done: &["gone".into()] };
        arrange(new, &around)
            .map(|tasks| tasks.into_iter().map(|t| t.id.0).collect())
            .map_err(|e| e.to_string())
    }

    #[test]
    fn tasks_keep_the_planned_order() {
        let plan = [task("a", None), task("b", None), task("c", Some(&[]))];
        assert_eq!(order(&plan, &[]), Ok(vec!["a".into(), "b".into(), "c".into()]));
    }

    #[test]
    fn a_dependency_changes_the_order_no_more_than_needed() {
        let plan = [task("a", Some(&["c"])), task("b", Some(&[])), task("c", Some(&["gone"]))];
        assert_eq!(order(&plan, &[]), Ok(vec!["b".into(), "c".into(), "a".into()]));
    }

    #[test]
    fn new_tasks_come_before_the_open_ones_and_may_wait_for_them() {
        let open = [task("x", None), task("y", None)];
        assert_eq!(order(&[task("a", None)], &open), Ok(vec!["a".into(), "x".into(), "y".into()]));
        let waiting = [task("a", Some(&["y"])), task("b", None)];
        assert_eq!(order(&waiting, &open), Ok(vec!["x".into(), "y".into(), "a".into(), "b".into()]));
    }

    #[test]
    fn an_implied_dependency_is_spelled_out_where_the_order_hides_it() {
        let around = Surroundings { list: "tasks", open: &[task("x", None)], done: &[] };
        let arranged = arrange(&[task("a", None), task("b", Some(&[]))], &around).unwrap();
        let spelled: Vec<_> = arranged.iter().map(|t| t.depends_on.clone()).collect();
        assert_eq!(spelled, [None, Some(vec![]), Some(vec![])]);
        let again = Surroundings { list: "tasks", open: &[], done: &[] };
        assert_eq!(arrange(&arranged, &again).unwrap(), arranged);
    }

    #[test]
    fn bad_ids_are_named_with_their_place() {
        let twice = order(&[task("a", None), task("a", None)], &[]);
        assert!(twice.unwrap_err().starts_with("$.new_sub_tasks[1].id: \"a\""));
        let unknown = order(&[task("a", Some(&["b", "z"])), task("b", None)], &[]);
        assert_eq!(unknown.unwrap_err(), "$.new_sub_tasks[0].depends_on[1]: there is no task \"z\"");
        let done = order(&[task("gone", None)], &[]);
        assert!(done.unwrap_err().contains("done with"));
        let long = order(&[task(&"x".repeat(65), None)], &[]);
        assert!(long.unwrap_err().contains("[0].id"));
    }

    #[test]
    fn tasks_that_wait_for_each_other_are_named() {
        let cycle = [task("a", Some(&["b"])), task("b", Some(&["a"])), task("c", Some(&[]))];
        assert_eq!(
            order(&cycle, &[]).unwrap_err(),
            "$.new_sub_tasks[0].depends_on: these tasks wait for each other: a, b"
        );
        assert!(order(&[task("a", Some(&["a"]))], &[]).is_err());
    }

    #[test]
    fn equal_tasks_have_equal_hashes_and_others_dont() {
        let a = [task("a", None)];
        assert_eq!(PlanVersion::hash_of(&a), PlanVersion::hash_of(&a.clone()));
        assert_ne!(PlanVersion::hash_of(&a), PlanVersion::hash_of(&[task("a", Some(&[]))]));
    }
}
