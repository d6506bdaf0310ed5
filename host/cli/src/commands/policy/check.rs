//! `ringfence policy check`: everything that would stop a run on this project before it begins.

use crate::args::{GlobalArgs, PolicyCheckArgs};
use crate::config::secrets::Looked;
use crate::config::{CONFIG, Lowered, Survey, env};
use crate::exit::{Exit, OrUsage, describe};
use crate::output::{err, out};
use crate::state_dir::Folders;
use crate::terminal::{one_line, plain};
use crate::toolset::{find, load, said_in, sandbox};
use crate::trust;
use anyhow::Result;
use ringfence_sandbox::{DirGrant, GrantedTree, Grants, ProjectDir};

/// Names everything that is wrong. Trusts nothing, and calls nothing.
pub(super) fn execute(args: &PolicyCheckArgs, global: &GlobalArgs) -> Result<Exit> {
    let folders = Folders::find(global.state.as_deref())?;
    let project = ProjectDir::open(&args.project).or_usage()?;
    let mut survey = Survey::of(&project, &folders)?;
    let (mut wrong, mut notes) = (Vec::new(), Vec::new());
    // What a tool is called can be told only where all components are there.
    if let Some(components) = &survey.components {
        match load(&sandbox(&folders)?, components) {
            Ok(tools) => {
                let tool = |name: &str| find(&tools, name).map(drop);
                for narrowed in &survey.tools {
                    let unknown = tool(&narrowed.name).map_err(|error| said_in(error, &narrowed.said_in));
                    wrong.extend(unknown.err());
                }
                for role in &survey.roles {
                    for name in &role.tools {
                        wrong.extend(tool(name).map_err(|error| said_in(error, &role.said_in)).err());
                    }
                }
            }
            Err(error) => wrong.push(error),
        }
    }
    for narrowed in &survey.tools {
        wrong.extend(unopened(&project, &narrowed.dirs, &survey.grants, &narrowed.said_in));
    }
    if let Some(resolved) = &survey.resolved {
        wrong.extend(env::values(&resolved.grants, &folders).err());
        notes.extend(resolved.unanswered.told());
        notes.extend(survey.lowered.iter().map(Lowered::told));
        notes.append(&mut survey.unsearched);
        let unset = env::unset(&resolved.grants);
        notes.extend(unset.into_iter().map(|name| format!("`{name}` is granted, and isn't set")));
    }
    wrong.extend(unopened(
        &project,
        &survey.grants.dirs,
        &Grants { dirs: Vec::new(), ..survey.grants.clone() },
        "",
    ));
    for role in &survey.roles {
        wrong.extend(unopened(&project, role.named_dirs(), &survey.grants, &role.said_in));
    }
    let granted: Vec<_> = survey.grants.dirs.iter().map(|dir| dir.path.clone()).collect();
    wrong.extend(folders.out_of_reach(project.path(), &granted).err());
    survey.wrong.append(&mut wrong);
    let (unusable, secrets) = survey.secrets.into_iter().partition(|it| it.is_needed && it.value.is_err());
    let unusable: Vec<Looked> = unusable;
    survey.secrets = secrets;
    survey.wrong.extend(unusable.into_iter().filter_map(|secret| secret.value.err()));
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

/// Why these folders can't be granted: each by itself, and those that can, together. Of those that
/// are granted to all the reason is told there.
fn unopened(
    project: &ProjectDir,
    dirs: &[DirGrant],
    to_all: &Grants,
    said_in_file: &str,
) -> Vec<anyhow::Error> {
    let open = |dirs: Vec<DirGrant>| {
        let opened = GrantedTree::open(project, &Grants { dirs, ..to_all.clone() }).or_usage();
        opened.err().map(|error| said_in(error.into(), said_in_file))
    };
    let (mut wrong, mut good) = (Vec::new(), Vec::new());
    for dir in dirs.iter().filter(|dir| to_all.dirs.iter().all(|other| other.path != dir.path)) {
        match open(vec![dir.clone()]) {
            Some(error) => wrong.push(error),
            None => good.push(dir.clone()),
        }
    }
    // What only shows where they are together.
    wrong.extend(open(good));
    wrong
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
    for secret in &survey.secrets {
        let state = match &secret.value {
            Ok(()) => "its value can be read".to_owned(),
            Err(why) => format!("no granted host needs it; {why}"),
        };
        line(&format!("secret `{}`", secret.name), &plain(&state));
    }
    Ok(text)
}
