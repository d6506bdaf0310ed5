//! `ringfence tool build`

use crate::args::{GlobalArgs, ToolBuildArgs};
use crate::exit::{Exit, Refusal};
use crate::output::{err, out, out_json};
use crate::shell;
use crate::state_dir::Folders;
use crate::terminal::plain;
use anyhow::{Context, Result};
use ringfence_sandbox::reflect::{ReflectLimits, WitType, reflect};
use ringfence_toolchain::{BuildError, Built, Cancel, Module, Options, Progress, Project};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Where cargo keeps what it compiles for tools, instead of the user's cache.
const CARGO_TARGET: &str = "RINGFENCE_GUEST_TARGET";

/// Builds a tool project, or checks what was built of one.
pub(super) fn execute(args: &ToolBuildArgs, global: &GlobalArgs) -> Result<Exit> {
    if let (true, Some(folder)) = (args.check, &args.out) {
        return check(args, folder);
    }
    let folders = Folders::find(global.state.as_deref())?;
    let options = Options {
        out: args.out.as_deref().map(std::path::absolute).transpose().context("--out")?,
        compress: args.compress,
        install: args.install,
        cache: folders.build_cache()?,
        cargo_target: std::env::var_os(CARGO_TARGET).filter(|path| !path.is_empty()).map(PathBuf::from),
        cancel: Cancel::default(),
    };
    let _signals = cancel_on_signals(&options.cancel)?;
    let mut teller = Teller { global, told_all: false };
    let built = match &args.module {
        Some(file) => {
            let module = Module {
                file: file.clone(),
                project: args.project.clone(),
                wit: args.wit.clone(),
                world: args.world.clone(),
            };
            ringfence_toolchain::build_module(&module, &options).map(|built| vec![built])
        }
        None => ringfence_toolchain::build(&args.project, &options, &mut |progress| teller.tell(progress)),
    };
    let built = built.map_err(|error| {
        if !global.quiet {
            tell_of_earlier(args);
        }
        refusal(error, &teller, args)
    })?;
    if args.json {
        out_json(&json!({ "built": built.iter().map(as_json).collect::<Vec<_>>() }))?;
        return Ok(Exit::Done);
    }
    for one in &built {
        out(&as_text(one))?;
    }
    if let ([one], false) = (built.as_slice(), global.quiet || args.compress) {
        err(&next(one, args));
    }
    Ok(Exit::Done)
}

fn check(args: &ToolBuildArgs, folder: &Path) -> Result<Exit> {
    let names = ringfence_toolchain::check(&args.project, folder).map_err(|error| as_refusal(&error))?;
    if args.json {
        out_json(&json!({ "up_to_date": names }))?;
    } else {
        names.iter().try_for_each(|name| out(&format!("{name}: up to date\n")))?;
    }
    Ok(Exit::Done)
}

/// Ctrl-C and SIGTERM stop the compiler first; what it compiles in is left whole.
fn cancel_on_signals(cancel: &Cancel) -> Result<tokio::runtime::Runtime> {
    use tokio::signal::unix::{SignalKind, signal};
    let unheard = "signals can't be caught";
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.context(unheard)?;
    let entered = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt()).context(unheard)?;
    let mut terminate = signal(SignalKind::terminate()).context(unheard)?;
    let cancel = cancel.clone();
    runtime.spawn(async move {
        tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
        cancel.cancel();
    });
    drop(entered);
    Ok(runtime)
}

/// Says on standard error what is going on.
struct Teller<'a> {
    global: &'a GlobalArgs,
    /// Whether a person has seen the compiler's own words.
    told_all: bool,
}

impl Teller<'_> {
    fn tell(&mut self, progress: Progress) {
        if self.global.quiet {
            return;
        }
        match progress {
            Progress::Installing(what) => err(&format!("installing: {}\n", plain(&what))),
            Progress::Building { name, language } => {
                err(&format!("building {} ({language})\n", plain(&name)));
            }
            Progress::Taking(toolchain) => err(&format!("  with {}\n", plain(&toolchain.to_string()))),
            Progress::Running(command) => {
                self.told_all = true;
                if self.global.verbose > 0 {
                    err(&format!("  running {}\n", plain(&command)));
                }
            }
            Progress::Said(line) => err(&format!("{}\n", plain(&line))),
        }
    }
}

/// Names what is still there of a build before: it would be tested and called as if it were new.
fn tell_of_earlier(args: &ToolBuildArgs) {
    let Ok(project) = Project::open(&args.project) else { return };
    for tool in project.tools() {
        let file = args.out.as_ref().unwrap_or(&tool.folder).join(format!("{}.wasm", tool.name));
        if file.is_file() {
            err(&format!("note: {} is of an earlier build\n", plain(&file.to_string_lossy())));
        }
    }
}

fn refusal(error: BuildError, teller: &Teller<'_>, args: &ToolBuildArgs) -> Refusal {
    match &error {
        BuildError::Compiler { command, status, .. } | BuildError::Install { command, status, .. }
            if teller.told_all =>
        {
            let command = if teller.global.verbose > 0 { command.clone() } else { program(command) };
            Refusal::new(Exit::Failed, format!("`{command}` failed ({status}); its own words are above"))
        }
        BuildError::Missing(missing) if !args.install && missing.iter().all(|one| one.can_be_installed()) => {
            let folder = args.project.to_string_lossy().into_owned();
            let again = shell::command(["ringfence", "tool", "build", &folder, "--install"]);
            as_refusal(&error).hint(format!("to let it be installed: {again}"))
        }
        _ => as_refusal(&error),
    }
}

/// The program of a command, without its folder and arguments: those are long, and `-v` shows them.
fn program(command: &str) -> String {
    let (program, _) = match command.strip_prefix('\'') {
        Some(quoted) => quoted.split_once('\''),
        None => command.split_once(' '),
    }
    .unwrap_or((command, ""));
    program.rsplit('/').next().unwrap_or(program).to_owned()
}

fn as_refusal(error: &BuildError) -> Refusal {
    let exit = match error {
        BuildError::Cancelled => Exit::Interrupted,
        error if error.is_usage() => Exit::Usage,
        _ => Exit::Failed,
    };
    Refusal::new(exit, error.to_string())
}

fn as_json(built: &Built) -> Value {
    let programs: serde_json::Map<String, Value> =
        built.toolchain.programs.iter().map(|(name, version)| (name.clone(), json!(version))).collect();
    json!({
        "name": built.name,
        "language": built.language,
        "file": built.file,
        "digest": built.digest,
        "size": built.size,
        "compressed_size": built.compressed_size,
        "toolchain": { "how": built.toolchain.how, "programs": programs },
    })
}

fn as_text(built: &Built) -> String {
    let mut text = format!("{}\n  {}, {} bytes", shown(&built.file), built.digest, built.size);
    if let Some(size) = built.compressed_size {
        let _ = write!(text, ", {size} compressed");
    }
    text.push('\n');
    text
}

/// A path as it is typed from here.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let near = here.ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    plain(&near.as_deref().unwrap_or(path).to_string_lossy())
}

/// Commands to go on with.
fn next(built: &Built, args: &ToolBuildArgs) -> String {
    let file = shown(&built.file);
    let mut commands = Vec::new();
    if args.module.is_none() {
        commands.push(shell::command(["ringfence", "tool", "test", &file]));
    }
    commands.push(shell::command(["ringfence", "tool", "inspect", &file]));
    commands.extend(call(&built.file, &file));
    commands.iter().fold("next:\n".to_owned(), |text, command| text + "  " + command + "\n")
}

/// How its first tool is called, with a place for each argument that it wants.
fn call(file: &Path, shown: &str) -> Option<String> {
    let bytes = std::fs::read(file).ok()?;
    let tools = reflect(&bytes, &ReflectLimits::default()).ok()?;
    let tool = tools.tools.first()?;
    let mut words = vec!["ringfence".into(), "tool".into(), "call".into(), tool.name.to_string()];
    words.extend(["--component".to_owned(), shown.to_owned()]);
    for param in &tool.signature.params {
        if !matches!(param.ty, WitType::Option(_)) {
            words.extend(["--arg".to_owned(), format!("{}=...", param.name.snake())]);
        }
    }
    Some(shell::command(words))
}
