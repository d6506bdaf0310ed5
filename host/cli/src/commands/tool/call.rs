//! `ringfence tool call`

use super::argument::{self, Typed};
use super::{Named, Workbench, example, shape};
use crate::args::{GlobalArgs, ToolCallArgs};
use crate::exit::{Exit, Refusal};
use crate::output::{err, out};
use crate::recall::Recall;
use crate::shell;
use crate::terminal::{diff, json, one_line, plain};
use anyhow::{Context, Result};
use ringfence_sandbox::reflect::Signature;
use ringfence_sandbox::{
    CallError, CallReport, CallRequest, CancellationToken, DenialReason, Exceeded, LimitKind, Outcome, Stage,
    Tool,
};
use serde_json::Value;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Calls one tool and prints what it returned.
pub(super) fn execute(args: &ToolCallArgs, global: &GlobalArgs) -> Result<Exit> {
    let named = Named::of(&args.tool);
    let bench = Workbench::to_call(&named, &args.project, &args.grants, args.timeout, global)?;
    let tool = match &named {
        Named::Tool(name) => bench.tool(name)?.clone(),
        Named::File(file) => only_tool(&bench, file)?,
    };
    let called = tool.name().to_owned();
    let signature = &tool.definition().signature;
    let hint = takes(args, &called, signature);
    let typed = Typed { json: args.input.as_deref(), arguments: &args.arguments, files: &args.files };
    let input = argument::input(signature, typed, &hint)?;
    if !global.quiet && bench.sandbox.would_compile(tool.component()).unwrap_or(false) {
        err(&format!("compiling {} once for this machine\n", plain(tool.component().name())));
    }
    // One call has no run that its changes could wait in: they are shown, and gone.
    let scratch = if bench.toolbox.facts(&called).writes { Some(Scratch::new()?) } else { None };
    let cancel = CancellationToken::new();
    let request = CallRequest {
        input,
        tree: bench.toolbox.tree(&called).clone(),
        limits: bench.toolbox.limits(&called).clone(),
        egress: bench.toolbox.egress().clone(),
        env: bench.toolbox.env().clone(),
        stage: scratch.as_ref().map(|scratch| scratch.stage.clone()),
        known: Arc::default(),
        cancel: cancel.clone(),
        tool,
    };
    if args.no_cache {
        bench.sandbox.forget_files();
    }
    let remembers = !args.no_cache && bench.toolbox.is_deterministic();
    let recall = remembers.then(|| Recall::of(&bench.folders));
    let answered = bench.sandbox.block_on(async {
        let watch = tokio::spawn(cancel_on_signal(cancel)?);
        if global.verbose > 0 {
            let project = bench.project.path().display().to_string();
            err(&format!("calling {called} on {}\n", plain(&project)));
        }
        let answered = Recall::call(recall.as_ref(), &bench.sandbox, request).await;
        watch.abort();
        anyhow::Ok(answered)
    })?;
    let report = match answered {
        Ok(report) => bench.toolbox.told(&called, report),
        Err(error @ CallError::Input { .. }) => {
            return Err(Refusal::usage(error.to_string()).hint(hint).into());
        }
        Err(
            error @ (CallError::Load(_)
            | CallError::Host { .. }
            | CallError::NoStage { .. }
            | CallError::Stage { .. }),
        ) => return Err(error.into()),
    };
    if global.verbose > 0 && report.receipt.cached.is_some() {
        err("answered by an earlier, equal call: nothing that it rested on has changed\n");
    }
    let exit = print(args, &called, global, &report)?;
    if let Some(scratch) = scratch.filter(|_| !global.quiet) {
        scratch.tell()?;
    }
    Ok(exit)
}

/// The tool of a component that has only one.
fn only_tool(bench: &Workbench, file: &Path) -> Result<Tool> {
    let tools: Vec<_> = bench.tools().collect();
    let shown = file.display();
    match tools.as_slice() {
        [only] => Ok((*only).clone()),
        [] => Err(Refusal::usage(format!("{shown} has no tool"))
            .hint(format!(
                "see why not: {}",
                shell::command(["ringfence", "tool", "inspect", &shown.to_string()])
            ))
            .into()),
        several => {
            let names: Vec<_> = several.iter().map(|tool| tool.name()).collect();
            let words = ["ringfence", "tool", "call", names[0], "--component", &shown.to_string()];
            Err(Refusal::usage(format!("{shown} has several tools: {}", names.join(", ")))
                .hint(format!("name one: {}", shell::command(words)))
                .into())
        }
    }
}

/// What a tool takes, and a call of it that is complete.
fn takes(args: &ToolCallArgs, called: &str, signature: &Signature) -> String {
    let mut words = ["ringfence", "tool", "call", args.tool.as_str()].map(str::to_owned).to_vec();
    for component in &args.grants.components {
        words.extend(["--component".to_owned(), component.display().to_string()]);
    }
    if args.project != Path::new(".") {
        words.extend(["--project".to_owned(), args.project.display().to_string()]);
    }
    let takes = plain(&shape::signature(called, signature));
    format!("it is {takes}; for example:\n  {}", plain(&example::command(&words, signature)))
}

/// A stage for one call.
struct Scratch {
    stage: Arc<Stage>,
    _folder: TempDir,
}

impl Scratch {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir().context("no temporary folder can be made")?;
        Ok(Self { stage: Arc::new(Stage::open(&folder.path().join("stage"))?), _folder: folder })
    }

    /// Says what would have been changed.
    fn tell(&self) -> Result<()> {
        let changes = self.stage.changes()?;
        if changes.is_empty() {
            return Ok(());
        }
        err("note: nothing was changed in the project; a run could have applied:\n");
        for change in changes {
            err(&diff(&change.unified_diff()?));
        }
        Ok(())
    }
}

/// Ctrl-C and SIGTERM end the guest, not this process: the call still has an outcome. From the
/// return of this on, not from the first poll.
pub(super) fn cancel_on_signal(cancel: CancellationToken) -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let unheard = "signals can't be caught";
    let mut interrupt = signal(SignalKind::interrupt()).context(unheard)?;
    let mut terminate = signal(SignalKind::terminate()).context(unheard)?;
    Ok(async move {
        tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
        cancel.cancel();
    })
}

fn print(args: &ToolCallArgs, called: &str, global: &GlobalArgs, report: &CallReport) -> Result<Exit> {
    if !global.quiet {
        for (stream, text) in [("stdout", &report.stdout), ("stderr", &report.stderr)] {
            for line in plain(text).lines() {
                err(&format!("{called}'s {stream}: {line}\n"));
            }
        }
    }
    let message = one_line(&report.outcome.message(&report.receipt), 2_000);
    let exit = match &report.outcome {
        Outcome::Done(value) => {
            out(&shown(value))?;
            if report.receipt.truncated && !global.quiet {
                let bytes = report.receipt.output_bytes;
                err(&format!(
                    "note: the result has {bytes} bytes and was cut; [limits] output can allow more\n"
                ));
            }
            Exit::Done
        }
        Outcome::Failed(_) => fail("failed", &message, Exit::Failed),
        Outcome::Trapped(_) => fail("crashed", &message, Exit::Failed),
        Outcome::Denied { .. } => {
            let exit = fail("denied", &message, Exit::Failed);
            if report.receipt.denials.iter().any(|denial| denial.reason == DenialReason::NotRead) {
                err("  hint: a call by itself has read nothing before; `edit_file` reads what it edits\n");
            }
            exit
        }
        Outcome::Exceeded(exceeded) if is_of_the_flag(args, exceeded) => {
            let amounts = exceeded.amounts();
            let message = format!(
                "the tool was stopped: it exceeded its limit of {amounts}; a longer --timeout can allow more"
            );
            fail("stopped", &message, Exit::Limit)
        }
        Outcome::Exceeded(_) => fail("stopped", &message, Exit::Limit),
        Outcome::Cancelled => fail("cancelled", &message, Exit::Interrupted),
    };
    if args.receipt {
        let receipt = serde_json::to_value(&report.receipt).context("the receipt can't be written")?;
        err(&format!("{}\n", plain(&format!("{receipt:#}"))));
    }
    Ok(exit)
}

/// Whether it was `--timeout` that said this limit.
fn is_of_the_flag(args: &ToolCallArgs, exceeded: &Exceeded) -> bool {
    exceeded.which == LimitKind::Time
        && args.timeout.is_some_and(|timeout| timeout.as_millis() == u128::from(exceeded.limit))
}

fn fail(what: &str, message: &str, exit: Exit) -> Exit {
    err(&format!("error: {what}: {message}\n"));
    exit
}

/// One line for programs; indented on a terminal. Safe to look at either way: what is piped may
/// end on a terminal too.
fn shown(value: &Value) -> String {
    if std::io::stdout().is_terminal() { plain(&format!("{value:#}\n")) } else { json(&format!("{value}\n")) }
}
