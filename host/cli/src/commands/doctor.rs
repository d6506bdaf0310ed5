//! `ringfence doctor`: does everything work on this machine?
//!
//! Each check tries the real thing; none of them reads a project or sends anything.

use crate::args::{DoctorArgs, GlobalArgs};
use crate::config::{Durability, Flags, Resolved, secrets};
use crate::exit::{Exit, describe};
use crate::model_choice::{Environment, ModelPlan};
use crate::output::{out, out_json};
use crate::state_dir::Folders;
use crate::terminal::{is_interactive, plain};
use crate::toolset::{Toolbox, sandbox};
use anyhow::{Context, Result, bail};
use ringfence_sandbox::{CallRequest, CancellationToken, Outcome, ProjectDir};
use serde::Serialize;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// One check.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    /// Works, with something worth knowing.
    Note,
    Failed,
}

/// Runs all checks and prints them.
pub(super) fn execute(args: &DoctorArgs, global: &GlobalArgs) -> Result<Exit> {
    let state = global.state.as_deref();
    let checks = [
        check("version", || Ok(versions())),
        check("system", system),
        check("state", || state_folder(state)),
        check("code cache", || code_cache(state)),
        check("sandbox", || call_a_tool(state)),
        check("fence", || be_refused(state)),
        check("configuration", || configuration(state)),
        check("secrets", || readable_secrets(state)),
        check("model", || model(state)),
        check("terminal", || Ok(terminal())),
    ];
    let failed = checks.iter().any(|check| check.status == Status::Failed);
    if args.json {
        out_json(&checks)?;
    } else {
        for check in &checks {
            let mark = match check.status {
                Status::Ok => "ok    ",
                Status::Note => "note  ",
                Status::Failed => "FAILED",
            };
            out(&format!(
                "{mark}  {:13}  {}\n",
                check.name,
                plain(&check.detail).trim_end().replace('\n', "\n        ")
            ))?;
        }
    }
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

fn check(name: &'static str, try_it: impl FnOnce() -> Result<(Status, String)>) -> Check {
    match try_it() {
        Ok((status, detail)) => Check { name, status, detail },
        Err(error) => {
            let said = describe(&error);
            let detail = said.trim_end().trim_start_matches("error: ").to_owned();
            Check { name, status: Status::Failed, detail }
        }
    }
}

fn versions() -> (Status, String) {
    let detail =
        format!("ringfence {}, store schema {}", env!("CARGO_PKG_VERSION"), ringfence_store::SCHEMA_VERSION);
    (Status::Ok, detail)
}

/// The kernel's own way to walk a path below a handle; without it the view walks name by name.
fn system() -> Result<(Status, String)> {
    let name = rustix::system::uname();
    let kernel = format!("{} {}", name.sysname().to_string_lossy(), name.release().to_string_lossy());
    let root = fs::File::open("/").context("/ can't be opened")?;
    let how = rustix::fs::ResolveFlags::BENEATH | rustix::fs::ResolveFlags::NO_SYMLINKS;
    let flags = rustix::fs::OFlags::PATH | rustix::fs::OFlags::CLOEXEC;
    match rustix::fs::openat2(&root, ".", flags, rustix::fs::Mode::empty(), how) {
        Ok(_) => Ok((Status::Ok, format!("{kernel} with openat2"))),
        Err(error) => Ok((
            Status::Note,
            format!("{kernel} without openat2 ({error}); a project's own configuration can't be read"),
        )),
    }
}

fn state_folder(state: Option<&Path>) -> Result<(Status, String)> {
    let folders = Folders::find(state)?;
    let store = folders.open_store(Durability::Full)?;
    store.check()?;
    let runs = store.runs(None)?.len();
    Ok((Status::Ok, format!("{}, {runs} runs", folders.state_path().display())))
}

fn code_cache(state: Option<&Path>) -> Result<(Status, String)> {
    let folders = Folders::find(state)?;
    let code = folders.code()?;
    // The sandbox creates the folder and refuses it if others can write to it.
    sandbox(&folders)?;
    if !code.is_dir() {
        return Ok((
            Status::Note,
            format!("{} can't be made; code is compiled anew each time", code.display()),
        ));
    }
    match tempfile::Builder::new().prefix("doctor-").tempfile_in(code) {
        Ok(_) => {
            let files = fs::read_dir(code).map(Iterator::count).unwrap_or(0);
            Ok((Status::Ok, format!("{}, {files} files", code.display())))
        }
        Err(error) => Ok((
            Status::Note,
            format!("{} can't be written ({error}); code is compiled anew each time", code.display()),
        )),
    }
}

/// Really calls `read_file` on a folder made for it.
fn call_a_tool(state: Option<&Path>) -> Result<(Status, String)> {
    let (took, outcome) = try_reading(state, "doctor.txt")?;
    match outcome {
        Outcome::Done(value) if value.to_string().contains("all is well") => {
            Ok((Status::Ok, format!("a tool read a file in a fresh instance ({took})")))
        }
        other => bail!("a tool that should have read a file ended otherwise: {other:?}"),
    }
}

/// A tool that asks for what isn't granted must be refused.
fn be_refused(state: Option<&Path>) -> Result<(Status, String)> {
    let (_, outcome) = try_reading(state, "../outside.txt")?;
    match outcome {
        Outcome::Denied { .. } => {
            Ok((Status::Ok, "a tool that asked for a file outside was refused".to_owned()))
        }
        other => bail!("a tool that asked for a file outside should have been refused: {other:?}"),
    }
}

fn try_reading(state: Option<&Path>, path: &str) -> Result<(String, Outcome)> {
    let home = tempfile::tempdir().context("no temporary folder can be made")?;
    let project = home.path().join("project");
    fs::create_dir(&project)?;
    fs::write(project.join("doctor.txt"), "all is well\n")?;
    fs::write(home.path().join("outside.txt"), "not for tools\n")?;

    let folders = Folders::find(state)?;
    let project = ProjectDir::open(&project)?;
    let sandbox = sandbox(&folders)?;
    let toolbox = Toolbox::open(&sandbox, &project, &Resolved::built_in())?;
    let tool = toolbox.tool("read_file")?.clone();
    let request = CallRequest {
        input: json!({"file_path": path}),
        tree: toolbox.tree("read_file").clone(),
        limits: toolbox.limits("read_file").clone(),
        egress: toolbox.egress().clone(),
        env: toolbox.env().clone(),
        stage: None,
        known: Arc::default(),
        cancel: CancellationToken::new(),
        tool: tool.clone(),
    };
    let prepared = sandbox.block_on(sandbox.prepare(tool.component()))?;
    let started = Instant::now();
    let report = sandbox.block_on(sandbox.call(request))?;
    let how = if prepared.compiled { "compiled" } else { "loaded" };
    let took = format!("{how} in {:.1?}, called in {:.1?}", prepared.took, started.elapsed());
    Ok((took, report.outcome))
}

fn configuration(state: Option<&Path>) -> Result<(Status, String)> {
    let folders = Folders::find(state)?;
    let path = folders.user_config().map(|path| path.display().to_string()).unwrap_or_default();
    let found = folders.user_config().is_some_and(|path| path.exists());
    Resolved::of_user(&Flags::default(), &folders)?;
    Ok((Status::Ok, if found { path } else { format!("none ({path})") }))
}

/// Reads every value, shows none.
fn readable_secrets(state: Option<&Path>) -> Result<(Status, String)> {
    let found = secrets::look(&Folders::find(state)?)?;
    let mut unusable = Vec::new();
    let mut names = Vec::new();
    for (name, usable) in found {
        match usable {
            Ok(()) => names.push(name.to_string()),
            Err(error) => unusable.push(error.to_string()),
        }
    }
    if !unusable.is_empty() {
        return Ok((Status::Note, unusable.join("\n")));
    }
    Ok((Status::Ok, if names.is_empty() { "none".to_owned() } else { names.join(", ") }))
}

fn model(state: Option<&Path>) -> Result<(Status, String)> {
    let folders = Folders::find(state)?;
    let resolved = Resolved::of_user(&Flags::default(), &folders)?;
    let environment = Environment::read();
    match ModelPlan::choose(true, None, None, &resolved.models, &resolved.experts, &environment) {
        Ok(plan) => Ok((Status::Ok, plan.connect(&environment, &folders, None)?.identity())),
        Err(_) => Ok((
            Status::Note,
            "none is set: the built-in analysis works without, a goal of your own needs one".to_owned(),
        )),
    }
}

fn terminal() -> (Status, String) {
    if is_interactive() {
        (Status::Ok, "plans are reviewed here".to_owned())
    } else {
        (Status::Note, "none: a run stops at a review and is continued with `ringfence resume`".to_owned())
    }
}
