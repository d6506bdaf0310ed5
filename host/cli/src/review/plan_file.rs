//! The plan as readable TOML, for an editor and for `--edit` and `--add` files.
//!
//! Owns the format and its error messages. What an edited plan means is the engine's business.

use anyhow::{Context, Result, bail};
use ringfence_engine::PlannedTask;
use serde::{Deserialize, Serialize};

const HEADER: &str = "\
# The plan, first task first. Change, reorder, remove or add tasks, then save and close.
# id: unique. description: what to do. kind (optional): inventory, manifests, structure, problems …
# depends_on (optional): ids that must be done before; left out means the task above.
# Lines with # are ignored. An empty file leaves the plan as it was.

";

/// What stands there where nothing is planned any more.
const EXAMPLE: &str = "\
# [[tasks]]
# id = \"more\"
# description = \"What else is to be done\"
";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    #[serde(default)]
    tasks: Vec<PlannedTask>,
}

/// Writes tasks for a person to edit.
pub fn write(tasks: &[PlannedTask]) -> Result<String> {
    if tasks.is_empty() {
        return Ok(format!("{HEADER}{EXAMPLE}"));
    }
    let body = toml::to_string_pretty(&PlanFile { tasks: tasks.to_vec() })
        .context("the plan can't be shown as TOML")?;
    Ok(format!("{HEADER}{body}"))
}

/// Reads what a person wrote. `origin` names the file in errors.
pub fn read(text: &str, origin: &str) -> Result<Vec<PlannedTask>> {
    let file: PlanFile = toml::from_str(text).with_context(|| {
        format!("{origin} isn't a plan; it wants `[[tasks]]` entries with `id` and `description`")
    })?;
    for task in &file.tasks {
        if task.id.0.trim().is_empty() || task.description.trim().is_empty() {
            bail!("{origin}: every task needs an id and a description (task `{}`)", task.id);
        }
    }
    Ok(file.tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks() -> Vec<PlannedTask> {
        vec![
            PlannedTask {
                id: "task_1".into(),
                description: "列出文件, then \"read\" them\nboth".to_owned(),
                kind: Some("inventory".to_owned()),
                depends_on: None,
            },
            PlannedTask {
                id: "task_2".into(),
                description: "x".to_owned(),
                kind: None,
                depends_on: Some(vec![]),
            },
        ]
    }

    #[test]
    fn a_plan_survives_the_way_through_the_editor() {
        assert_eq!(read(&write(&tasks()).unwrap(), "the plan").unwrap(), tasks());
    }

    #[test]
    fn an_empty_plan_shows_how_a_task_is_written() {
        let text = write(&[]).unwrap();
        assert!(read(&text, "the plan").unwrap().is_empty());
        let filled =
            text.replace("# [[", "[[").replace("# id =", "id =").replace("# description =", "description =");
        assert_eq!(read(&filled, "the plan").unwrap().len(), 1);
    }

    #[test]
    fn a_misspelt_key_is_named_with_its_line() {
        let error = read("[[tasks]]\nid = \"a\"\ndescripton = \"b\"\n", "plan.toml").unwrap_err();
        let text = format!("{error:#}");
        assert!(
            text.contains("plan.toml") && text.contains("line 3") && text.contains("descripton"),
            "{text}"
        );
    }

    #[test]
    fn an_empty_description_is_refused() {
        let error = read("[[tasks]]\nid = \"a\"\ndescription = \" \"\n", "plan.toml").unwrap_err();
        assert!(error.to_string().contains("task `a`"), "{error}");
    }

    #[test]
    fn an_empty_file_is_no_tasks() {
        assert!(read("# nothing\n", "plan.toml").unwrap().is_empty());
    }
}
