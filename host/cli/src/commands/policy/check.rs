//! `ringfence policy check`: everything that would stop a run on this project before it begins.

use crate::args::{GlobalArgs, PolicyCheckArgs};
use crate::config::{CONFIG, Survey, env};
use crate::exit::{Exit, OrUsage, describe};
use crate::output::{err, out};
use crate::state_dir::Folders;
use crate::terminal::{one_line, plain};
use crate::toolset::{find, load, said_in, sandbox};
use crate::trust;
use anyhow::Result;
use ringfence_sandbox::{GrantedTree, Grants, ProjectDir};

/// Names everything that is wrong. Trusts nothing, and calls nothing.
pub(super) fn execute(args: &PolicyCheckArgs, global: &GlobalArgs) -> Result<Exit> {
    let folders = Folders::find(global.state.as_deref())?;
    let project = ProjectDir::open(&args.project).or_usage()?;
    let mut survey = Survey::of(&project, &folders)?;
    let mut notes = Vec::new();
    if let Some(resolved) = survey.resolved.take() {
        let mut wrong = Vec::new();
        match load(&sandbox(&folders)?, &resolved.components) {
            Ok(tools) => {
                let tool = |name: &str| find(&tools, name).map(drop);
                for (name, policy) in &resolved.tools {
                    wrong.extend(tool(name).map_err(|error| said_in(error, &policy.said_in)).err());
                }
                for role in &survey.roles {
                    for name in &role.tools {
                        wrong.extend(tool(name).map_err(|error| said_in(error, &role.said_in)).err());
                    }
                }
            }
            Err(error) => wrong.push(error),
        }
        for dir in &resolved.grants.dirs {
            let one = Grants { dirs: vec![dir.clone()], ..resolved.grants.clone() };
            wrong.extend(GrantedTree::open(&project, &one).or_usage().err().map(anyhow::Error::from));
        }
        // What only shows where they are together.
        if wrong.is_empty() {
            wrong.extend(
                GrantedTree::open(&project, &resolved.grants).or_usage().err().map(anyhow::Error::from),
            );
        }
        let granted: Vec<_> = resolved.grants.dirs.iter().map(|dir| dir.path.clone()).collect();
        wrong.extend(folders.out_of_reach(project.path(), &granted).err());
        wrong.extend(env::values(&resolved.grants, &folders).err());
        notes.extend(resolved.unanswered.told());
        notes.extend(
            env::unset(&resolved.grants)
                .into_iter()
                .map(|name| format!("`{name}` is granted, and isn't set")),
        );
        survey.wrong.append(&mut wrong);
    }
    if survey.wrong.is_empty() {
        out(&fine(&project, &survey, &folders)?)?;
        for note in notes {
            out(&format!("note: {}\n", one_line(&note, 1_000)))?;
        }
        return Ok(Exit::Done);
    }
    for error in &survey.wrong {
        err(&describe(error));
    }
    Ok(Exit::Usage)
}

/// What was looked at, and whether the project's part counts.
fn fine(project: &ProjectDir, survey: &Survey, folders: &Folders) -> Result<String> {
    let mut text = String::new();
    let mut line = |what: &str, state: &str| text.push_str(&format!("{}: {state}\n", plain(what)));
    match &survey.user_file {
        Some(path) => line(&path.display().to_string(), "nothing is wrong"),
        None => line("your own configuration", "there is none"),
    }
    if survey.files.is_empty() {
        line(&project.path().join(CONFIG).display().to_string(), "there is none");
    }
    let trusted = trust::is_trusted(project.path(), &survey.files, folders)?;
    for (path, _) in &survey.files.files {
        let state = match trusted {
            true => "nothing is wrong",
            false => "nothing is wrong; it counts once it is confirmed",
        };
        line(&project.path().join(path).display().to_string(), state);
    }
    if !survey.files.is_empty() {
        line("hash", &survey.files.hash());
    }
    Ok(text)
}
