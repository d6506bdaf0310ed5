//! `ringfence tool new`

use crate::args::{GlobalArgs, ToolNewArgs};
use crate::exit::{Exit, OrUsage, Refusal};
use crate::output::{err, out};
use crate::shell;
use crate::terminal::plain;
use anyhow::Result;
use ringfence_toolchain::{Language, NewError, ToolName};
use std::path::Path;

/// Makes a tool project in a new folder here.
pub(super) fn execute(args: &ToolNewArgs, global: &GlobalArgs) -> Result<Exit> {
    let name = ToolName::parse(&args.name).or_usage()?;
    let language: Language = match &args.lang {
        Some(lang) => lang.parse().map_err(Refusal::usage)?,
        None => {
            let again = shell::command(["ringfence", "tool", "new", &args.name, "--lang", "python"]);
            return Err(Refusal::usage(format!("say what to write it in: {}", Language::names()))
                .hint(format!("such as: {again}"))
                .into());
        }
    };
    let made = ringfence_toolchain::create(Path::new(""), &name, language).map_err(|error| match error {
        NewError::Name { .. } | NewError::Exists { .. } => Refusal::usage(error.to_string()),
        NewError::Write { .. } => Refusal::new(Exit::Failed, error.to_string()),
    })?;
    for file in &made.files {
        out(&format!("{}\n", plain(&made.folder.join(file).to_string_lossy())))?;
    }
    if !global.quiet {
        err(&next(&args.name, &name.snake()));
    }
    Ok(Exit::Done)
}

/// Commands to go on with, as they are typed one after the other.
fn next(folder: &str, name: &str) -> String {
    let file = format!("{name}.wasm");
    let commands = [
        shell::command(["cd", folder]),
        shell::command(["ringfence", "tool", "build", "--install"]),
        shell::command(["ringfence", "tool", "test"]),
        shell::command([
            "ringfence",
            "tool",
            "call",
            "count_words",
            "--component",
            &file,
            "--arg",
            "path=README.md",
        ]),
    ];
    commands.iter().fold("next:\n".to_owned(), |text, command| text + "  " + command + "\n")
}
