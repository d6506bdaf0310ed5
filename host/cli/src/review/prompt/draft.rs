//! What a person changes before they answer. What was typed and can't be read yet is kept, so
//! that a slip costs no work.

use super::person::Person;
use crate::review::plan_file;
use crate::terminal::plain;
use anyhow::{Result, bail};
use ringfence_engine::{PlannedTask, TaskId};

/// A text in the editor until it can be read.
#[derive(Debug, Default)]
pub(super) struct Typed(Option<String>);

impl Typed {
    /// Opens the editor on what was typed last, else on `text`; `None` where it can't be read.
    pub(super) fn edit<T>(
        &mut self,
        person: &mut dyn Person,
        text: impl FnOnce() -> Result<String>,
        suffix: &str,
        read: impl FnOnce(&str) -> Result<T>,
    ) -> Result<Option<T>> {
        let opened = match self.0.clone() {
            Some(kept) => kept,
            None => text()?,
        };
        let edited = match person.edit(&opened, suffix) {
            Ok(edited) => edited,
            Err(error) => {
                person.say(&plain(&format!("{error:#}")));
                return Ok(None);
            }
        };
        match read(&edited) {
            Ok(value) => {
                self.0 = Some(edited);
                Ok(Some(value))
            }
            Err(error) => {
                person.say(&plain(&format!("{error:#}")));
                person.say("Nothing is changed; [e] opens your text again.");
                self.0 = Some(edited);
                Ok(None)
            }
        }
    }

    /// What was typed is of no use any more.
    pub(super) fn drop(&mut self) {
        self.0 = None;
    }
}

/// The open tasks as a person wants them.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) tasks: Vec<PlannedTask>,
    pub(super) edited: bool,
    /// Ids of tasks that are done with.
    done: Vec<TaskId>,
    typed: Typed,
}

impl Draft {
    /// The tasks as they were proposed.
    pub(super) fn of(tasks: Vec<PlannedTask>, done: Vec<TaskId>) -> Self {
        Self { tasks, edited: false, done, typed: Typed::default() }
    }

    /// In the editor, as readable TOML.
    pub(super) fn edit(&mut self, person: &mut dyn Person) -> Result<()> {
        let text = || plan_file::write(&self.tasks);
        let read = |text: &str| plan_file::read(text, "the edited plan");
        match self.typed.edit(person, text, ".toml", read)? {
            Some(tasks) if tasks.is_empty() || tasks == self.tasks => person.say("The plan is as it was."),
            Some(tasks) => self.change(person, tasks),
            None => {}
        }
        Ok(())
    }

    /// One more task, in a line.
    pub(super) fn add(&mut self, person: &mut dyn Person) -> Result<()> {
        let ids = self.tasks.iter().map(|task| task.id.clone());
        let taken: Vec<TaskId> = ids.chain(self.done.iter().cloned()).collect();
        if let Some(task) = new_task(person, &taken)? {
            let tasks = self.tasks.iter().cloned().chain([task]).collect();
            self.change(person, tasks);
            self.typed.drop();
        }
        Ok(())
    }

    /// Without the tasks that they name by number.
    pub(super) fn remove(&mut self, person: &mut dyn Person) -> Result<()> {
        let Some(numbers) = person.sentence("Which numbers go? ")? else { return Ok(()) };
        let mut tasks = self.tasks.clone();
        match remove(&mut tasks, &numbers) {
            Ok(()) => {
                self.change(person, tasks);
                self.typed.drop();
            }
            Err(error) => person.say(&format!("{error}")),
        }
        Ok(())
    }

    /// Whether an answer that leaves the changes aside may be given.
    pub(super) fn may_be_lost(&self, person: &mut dyn Person) -> Result<bool> {
        if !self.edited {
            return Ok(true);
        }
        let sure = person.line("Your changes to the plan are lost with that. Go on? [y/N] ")?;
        Ok(sure.is_none_or(|word| matches!(word.as_str(), "y" | "yes")))
    }

    fn change(&mut self, person: &mut dyn Person, tasks: Vec<PlannedTask>) {
        (self.tasks, self.edited) = (tasks, true);
        person.say("The plan as edited:");
        for (number, task) in self.tasks.iter().enumerate() {
            let (id, what) = (plain(&task.id.0), plain(&task.description));
            person.say(&format!("  {}. {id}: {what}", number + 1));
        }
    }
}

/// A task in a line, with an id that isn't taken.
pub(super) fn new_task(person: &mut dyn Person, taken: &[TaskId]) -> Result<Option<PlannedTask>> {
    let description = person.sentence("What is to be done? ")?;
    Ok(description.map(|description| PlannedTask {
        id: free_id(taken),
        description,
        kind: None,
        depends_on: None,
    }))
}

/// Drops the tasks with these numbers; references to them from other tasks go too.
fn remove(tasks: &mut Vec<PlannedTask>, numbers: &str) -> Result<()> {
    let mut gone: Vec<TaskId> = Vec::new();
    for word in numbers.split([' ', ',']).filter(|word| !word.is_empty()) {
        let task = word.parse::<usize>().ok().and_then(|number| tasks.get(number.checked_sub(1)?));
        match task {
            Some(task) => gone.push(task.id.clone()),
            None => bail!("There is no task number `{}`.", plain(word)),
        }
    }
    if gone.len() >= tasks.len() {
        bail!("A plan needs a task; reject it or end the run instead.");
    }
    tasks.retain(|task| !gone.contains(&task.id));
    for task in tasks {
        if let Some(ids) = &mut task.depends_on {
            ids.retain(|id| !gone.contains(id));
        }
    }
    Ok(())
}

fn free_id(taken: &[TaskId]) -> TaskId {
    let mut number = taken.len() + 1;
    loop {
        let id = TaskId(format!("added_{number}"));
        if !taken.contains(&id) {
            return id;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str, after: Option<&[&str]>) -> PlannedTask {
        let depends_on = after.map(|ids| ids.iter().map(|id| TaskId::from(*id)).collect());
        PlannedTask { id: id.into(), description: id.to_owned(), kind: None, depends_on }
    }

    #[test]
    fn removing_a_task_removes_references_to_it() {
        let mut tasks = vec![task("a", None), task("b", None), task("c", Some(&["a", "b"]))];
        remove(&mut tasks, "1").unwrap();
        assert_eq!(tasks, [task("b", None), task("c", Some(&["b"]))]);
    }

    #[test]
    fn numbers_that_name_no_task_remove_nothing() {
        for numbers in ["0", "3", "x", "1,9", "-1"] {
            let mut tasks = vec![task("a", None), task("b", None)];
            assert!(remove(&mut tasks, numbers).is_err(), "{numbers}");
            assert_eq!(tasks.len(), 2);
        }
    }

    #[test]
    fn the_last_task_stays() {
        let mut tasks = vec![task("a", None)];
        assert!(remove(&mut tasks, "1").is_err());
    }

    #[test]
    fn an_added_task_gets_an_id_that_is_free() {
        assert_eq!(free_id(&["added_2".into()]), TaskId::from("added_3"));
    }
}
