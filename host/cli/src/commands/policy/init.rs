//! `ringfence policy init`

use crate::args::{GlobalArgs, PolicyInitArgs};
use crate::config::{CONFIG, language};
use crate::exit::{Exit, OrUsage, Refusal};
use crate::output::{err, out};
use crate::session::own_command;
use crate::shell::quote;
use crate::state_dir::Folders;
use crate::terminal::plain;
use anyhow::{Context, Result};
use ringfence_sandbox::{GrantPath, ProjectDir};
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;

/// So many folders are named as an example.
const FOLDERS: usize = 8;
/// Folders of what others made, and of what builds make.
const NOT_OWN: [&str; 8] =
    ["node_modules", "target", "dist", "build", "out", "vendor", "venv", "__pycache__"];

/// Writes a configuration that changes nothing yet.
pub(super) fn execute(args: &PolicyInitArgs, global: &GlobalArgs) -> Result<Exit> {
    let folders = Folders::find(global.state.as_deref())?;
    let project = ProjectDir::open(&args.project).or_usage()?;
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = rustix::fs::openat(CWD, project.path(), flags, Mode::empty())
        .with_context(|| format!("the project folder {} can't be opened", project.path().display()))?;
    let text = language::commented(&folders_in(&root)?);
    let check = own_command(&format!("policy check {}", quote(&args.project.to_string_lossy())), &folders);
    write_new(&root, &text, &check)?;
    out(&format!("{}\n", plain(&project.path().join(CONFIG).display().to_string())))?;
    if !global.quiet {
        err(&format!(
            "It changes nothing yet. Edit it, then:\n  {}\nThe next command on the project asks whether to trust it.\n",
            plain(&check),
        ));
    }
    Ok(Exit::Done)
}

/// Makes the file, which mustn't be there; a link is there whatever it leads to.
fn write_new(root: &OwnedFd, text: &str, check: &str) -> Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = match rustix::fs::openat(root, CONFIG, flags, Mode::from_raw_mode(0o644)) {
        Ok(opened) => opened,
        Err(Errno::EXIST) => {
            let what = format!("there is a {CONFIG} already; nothing was written");
            return Err(Refusal::usage(what).hint(format!("check what it says: {check}")).into());
        }
        Err(error) => return Err(Refusal::usage(format!("{CONFIG} can't be written: {error}")).into()),
    };
    let mut file = File::from(opened);
    file.write_all(text.as_bytes()).with_context(|| format!("{CONFIG} can't be written"))
}

/// The project's own folders at its top, as grants, by name.
fn folders_in(root: &OwnedFd) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(root).context("the project can't be listed")? {
        let entry = entry.context("the project can't be listed")?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        let own = !name.starts_with('.') && !NOT_OWN.contains(&name) && !name.chars().any(char::is_control);
        if own && entry.file_type() == FileType::Directory && GrantPath::parse(name).is_ok() {
            found.push(name.to_owned());
        }
    }
    found.sort();
    found.truncate(FOLDERS);
    Ok(found)
}
