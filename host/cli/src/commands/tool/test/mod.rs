//! `ringfence tool test`: whether a component behaves as a tool should.
//!
//! Owns: the way from a file to a report. The policy of no project counts here: a test grants a folder
//! for reading and nothing else, so that its answer is the same for everybody.

mod beneath;
mod cases;
mod checks;
mod desk;
mod inputs;
mod report;
mod target;

use crate::args::{GlobalArgs, ToolTestArgs};
use crate::exit::{Exit, OrUsage, Refusal};
use crate::output::{err, out, out_json};
use crate::state_dir::Folders;
use crate::terminal::{one_line, plain};
use crate::toolset::{find, sandbox};
use anyhow::Result;
use cases::Place;
use checks::{Tried, interrupted, tried};
use desk::Desk;
use report::{Check, Checked, Report, Verdict};
use ringfence_sandbox::{
    CallError, CancellationToken, ComponentSource, GrantPath, LoadedComponent, Outcome, ProjectDir, Sandbox,
    Toolset,
};
use std::path::Path;
use std::sync::Arc;

/// Tests a component and prints what came of it.
pub(super) fn execute(args: &ToolTestArgs, global: &GlobalArgs) -> Result<Exit> {
    let file = target::component(args.file.as_deref())?;
    let folders = Folders::find(global.state.as_deref())?;
    let sandbox = sandbox(&folders)?;
    let component = sandbox.load(ComponentSource::from_file(&file).or_usage()?).or_usage()?;
    let desk = match &args.project {
        Some(project) => {
            out_of_reach(project, &folders)?;
            Desk::on(project, args.timeout)?
        }
        None => Desk::made_up(args.timeout)?,
    };
    let mut report = Report {
        component: file.display().to_string(),
        digest: component.digest(),
        calls: 0,
        checks: vec![runs(&sandbox, &component, global)],
        command: command(args),
    };
    if report.exit() == Exit::Done {
        let tools = Toolset::new([component]).or_usage()?;
        let test = Test { args, sandbox: &sandbox, desk: &desk, tools: &tools };
        sandbox.block_on(async {
            let cancel = CancellationToken::new();
            let watch = tokio::spawn(super::call::cancel_on_signal(cancel.clone())?);
            let done = test.run(&file, &folders, &cancel, &mut report).await;
            watch.abort();
            done
        })?;
    }
    if args.json {
        out_json(&report.json())?
    } else {
        out(&report.text())?
    }
    Ok(report.exit())
}

/// What one test works with.
struct Test<'t> {
    args: &'t ToolTestArgs,
    sandbox: &'t Sandbox,
    desk: &'t Desk,
    tools: &'t Toolset,
}

impl Test<'_> {
    async fn run(
        &self,
        file: &Path,
        folders: &Folders,
        cancel: &CancellationToken,
        report: &mut Report,
    ) -> Result<()> {
        let (mut before, only) = (0, self.args.only.map(|number| number.get() as usize));
        for tool in self.tools.iter() {
            let tried = tried(self.desk, self.sandbox, tool, before, only, cancel).await?;
            before += inputs::inputs(&tool.definition().signature).len();
            if only.is_some() {
                in_full(&tried);
            }
            report.calls += tried.calls();
            if only.is_none() || tried.calls() > 0 {
                report.checks.extend(tried.judged(self.desk));
            }
        }
        match only {
            None => self.cases(file, folders, cancel, report).await,
            Some(number) if report.calls == 0 => {
                let what = format!("there is no input {number}");
                Err(Refusal::usage(what).hint(format!("they are counted from 1 to {before}")).into())
            }
            Some(_) => Ok(()),
        }
    }

    /// The cases of its author.
    async fn cases(
        &self,
        component: &Path,
        folders: &Folders,
        cancel: &CancellationToken,
        report: &mut Report,
    ) -> Result<()> {
        let place = match &self.args.cases {
            Some(named) => Place::named(named)?,
            None => Place::beside(component),
        };
        let Some(cases) = cases::read(&place)? else {
            let what = format!("no cases of its own: {} isn't there", place.display());
            report.checks.push(Checked { check: Check::Case, tool: None, verdict: Verdict::Noted(what) });
            return Ok(());
        };
        let own = match cases.project(&place)? {
            Some(folder) => {
                out_of_reach(&folder, folders)?;
                Some(Desk::on(&folder, self.args.timeout)?)
            }
            None => None,
        };
        let desk = own.as_ref().unwrap_or(self.desk);
        for case in &cases.all {
            let names: Vec<_> = self.tools.iter().map(|tool| tool.name()).collect();
            let tool = match (&case.tool, names.as_slice()) {
                (Some(name), _) => find(self.tools, name),
                (None, [only]) => find(self.tools, only),
                (None, names) => {
                    Err(Refusal::usage(format!("it names no `tool` out of {}", names.join(", "))).into())
                }
            };
            let named = one_line(&case.name, 200);
            let tool = tool.map_err(|error| error.context(format!("the case `{named}`")))?;
            let verdict = match desk.call(self.sandbox, tool, case.input()?, cancel).await {
                Ok(called) if matches!(called.outcome, Outcome::Cancelled) => return Err(interrupted()),
                Ok(called) => case.judge(&called),
                Err(error @ CallError::Input { .. }) => Err(error.to_string()),
                Err(
                    error @ (CallError::Load(_)
                    | CallError::Host { .. }
                    | CallError::NoStage { .. }
                    | CallError::Stage { .. }),
                ) => return Err(error.into()),
            };
            report.calls += 1;
            let verdict = match verdict {
                Ok(()) => Verdict::Passed(named),
                Err(why) => Verdict::Failed { what: format!("{named}: {why}"), findings: Vec::new() },
            };
            report.checks.push(Checked { check: Check::Case, tool: Some(tool.name().to_owned()), verdict });
        }
        Ok(())
    }
}

/// Whether it can run at all, and has a function that can be a tool.
fn runs(sandbox: &Sandbox, component: &Arc<LoadedComponent>, global: &GlobalArgs) -> Checked {
    let failed = |what: String| Verdict::Failed { what, findings: Vec::new() };
    let known = component.tools();
    let verdict = if let Err(error) = component.can_run() {
        failed(error.to_string())
    } else if known.tools.is_empty() {
        let reasons: Vec<_> =
            known.unsupported.iter().map(|one| format!("{}: {}", one.export, one.reason)).collect();
        let why = if reasons.is_empty() { "it exports no function".to_owned() } else { reasons.join("; ") };
        failed(format!("none of its functions can be a tool: {why}"))
    } else {
        if !global.quiet && sandbox.would_compile(component).unwrap_or(false) {
            err(&format!("compiling {} once for this machine\n", plain(component.name())));
        }
        match sandbox.block_on(sandbox.prepare(component)) {
            Ok(_) => Verdict::Passed("it can run here".to_owned()),
            Err(error) => failed(error.to_string()),
        }
    };
    Checked { check: Check::Runs, tool: None, verdict }
}

/// The folders of this program are no tool's business.
fn out_of_reach(project: &Path, folders: &Folders) -> Result<()> {
    let project = ProjectDir::open(project).or_usage()?;
    folders.out_of_reach(project.path(), &[GrantPath::root()])
}

/// The same command without the number of an input.
fn command(args: &ToolTestArgs) -> Vec<String> {
    let mut words = vec!["ringfence".to_owned(), "tool".to_owned(), "test".to_owned()];
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    words.extend(args.file.as_deref().map(shown));
    for (flag, path) in [("--project", &args.project), ("--cases", &args.cases)] {
        words.extend(path.as_deref().into_iter().flat_map(|path| [flag.to_owned(), shown(path)]));
    }
    if let Some(time) = args.timeout {
        words.extend(["--timeout".to_owned(), format!("{}ms", time.as_millis())]);
    }
    words
}

/// Everything that a call said.
fn in_full(tried: &Tried) {
    for (number, input, report) in tried.reports() {
        err(&format!("input {number}: {}\n", plain(&input.said)));
        err(&format!("arguments: {}\n", one_line(&input.value.to_string(), 4_000)));
        for (stream, text) in [("stdout", &report.stdout), ("stderr", &report.stderr)] {
            for line in plain(text).lines() {
                err(&format!("its {stream}: {line}\n"));
            }
        }
        if let Some(crash) = &report.crash {
            err(&format!("{}\n", plain(crash)));
        }
        let message = one_line(&report.outcome.message(&report.receipt), 4_000);
        err(&format!("it gave {}\n", cases::ended(&report.outcome, &message)));
    }
}
