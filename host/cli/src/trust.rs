//! Whether a project's own configuration counts.
//!
//! It does once a person has confirmed exactly this content: on a terminal, or by its hash. The
//! confirmations lie in the user's state folder, one file for each project's real path.

use crate::config::ProjectFiles;
use crate::exit::Refusal;
use crate::output::err;
use crate::shell;
use crate::state_dir::Folders;
use crate::terminal::{forget_typed_ahead, plain};
use anyhow::{Context, Result};
use ringfence_sandbox::Digest;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Lines of a project's files that are shown before a person is asked; more must be read apart.
const SHOWN_LINES: usize = 200;

/// How a person can be reached.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asking<'a> {
    /// `--trust`
    pub hash: Option<&'a str>,
    /// Whether somebody sits at a terminal.
    pub interactive: bool,
}

/// A confirmation as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Confirmation {
    project: String,
    hash: String,
}

/// Returns if the project's files are confirmed; asks if that is possible. Anything else is an
/// error that names the command to go on with.
pub fn require(project: &Path, files: &ProjectFiles, asking: Asking<'_>, folders: &Folders) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let hash = files.hash();
    if let Some(given) = asking.hash {
        let given = given.trim().strip_prefix("blake3:").unwrap_or(given.trim());
        if !given.eq_ignore_ascii_case(&hash) {
            return Err(Refusal::usage(format!(
                "the project's configuration has the hash {hash}, not {given}"
            ))
            .hint(format!("read it again ({}), then use the new hash", names(project, files)))
            .into());
        }
        return confirm(project, &hash, folders);
    }
    if is_confirmed(project, &hash, folders)? {
        return Ok(());
    }
    if asking.interactive {
        forget_typed_ahead();
        err(&shown(project, files, &hash));
        err("Trust this configuration? [y/N] ");
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).context("the answer can't be read")?;
        if matches!(line.trim(), "y" | "Y" | "yes") {
            return confirm(project, &hash, folders);
        }
        return Err(Refusal::usage("the project's configuration isn't trusted, so nothing was run").into());
    }
    let command = this_command_with(["--trust", hash.as_str()]);
    Err(Refusal::usage(format!(
        "the project has a configuration of its own that nobody has confirmed ({})",
        names(project, files)
    ))
    .hint(format!("read it; to trust exactly this content:\n{command}"))
    .into())
}

/// Whether the project's files count without anybody being asked.
pub fn is_trusted(project: &Path, files: &ProjectFiles, folders: &Folders) -> Result<bool> {
    Ok(files.is_empty() || is_confirmed(project, &files.hash(), folders)?)
}

/// Confirms the files as this very command has left them: whoever gave it saw them before, and what
/// it changed.
pub fn confirm_own_change(project: &Path, files: &ProjectFiles, folders: &Folders) -> Result<()> {
    if files.is_empty() { Ok(()) } else { confirm(project, &files.hash(), folders) }
}

/// The command that was given, with these words besides.
pub fn this_command_with<'w>(more: impl IntoIterator<Item = &'w str>) -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    command_with(words.collect(), more)
}

fn command_with<'w>(mut words: Vec<String>, more: impl IntoIterator<Item = &'w str>) -> String {
    // Behind `--` everything is an argument.
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, more.into_iter().map(str::to_owned));
    shell::command(words)
}

fn names(project: &Path, files: &ProjectFiles) -> String {
    let names: Vec<_> =
        files.files.iter().map(|(path, _)| project.join(path).display().to_string()).collect();
    names.join(", ")
}

/// The files as a person reads them before deciding.
fn shown(project: &Path, files: &ProjectFiles, hash: &str) -> String {
    let mut out = format!("{} has a configuration of its own:\n", plain(&project.display().to_string()));
    let mut left = SHOWN_LINES;
    for (path, bytes) in &files.files {
        let _ = writeln!(out, "--- {}", plain(path));
        let Ok(text) = std::str::from_utf8(bytes) else {
            let _ = writeln!(out, "    {} bytes, {}", bytes.len(), Digest::of(bytes));
            continue;
        };
        let lines = text.lines().count();
        for line in text.lines().take(left) {
            let _ = writeln!(out, "    {}", plain(line));
        }
        if lines > left {
            let _ =
                writeln!(out, "    … {} more lines: read them in the file before you go on", lines - left);
        }
        left = left.saturating_sub(lines);
    }
    let _ = writeln!(out, "--- hash {hash}");
    out
}

fn file_of(project: &Path, folders: &Folders) -> Result<PathBuf> {
    let name = Digest::of(project.as_os_str().as_bytes()).hex();
    Ok(folders.state()?.join("trust").join(format!("{name}.json")))
}

fn is_confirmed(project: &Path, hash: &str, folders: &Folders) -> Result<bool> {
    let path = file_of(project, folders)?;
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error).with_context(|| format!("{} can't be read", path.display())),
    };
    // A file that can't be read confirms nothing.
    let known = serde_json::from_str::<Confirmation>(&text).ok();
    Ok(known.is_some_and(|known| known.hash == hash))
}

fn confirm(project: &Path, hash: &str, folders: &Folders) -> Result<()> {
    if is_confirmed(project, hash, folders)? {
        return Ok(());
    }
    let path = file_of(project, folders)?;
    let confirmation = Confirmation { project: project.display().to_string(), hash: hash.to_owned() };
    let write = || -> Result<()> {
        let folder = path.parent().context("no folder")?;
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(serde_json::to_string_pretty(&confirmation)?.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&path)?;
        Ok(())
    };
    write().with_context(|| format!("the confirmation can't be kept in {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_to_go_on_with_is_complete() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        assert_eq!(
            command_with(words("ringfence run ./p goal"), ["--trust", "abc"]),
            "ringfence run ./p goal --trust abc"
        );
        let command = command_with(words("ringfence run -- p"), ["--trust", "abc"]);
        assert_eq!(command, "ringfence run --trust abc -- p");
    }
}
