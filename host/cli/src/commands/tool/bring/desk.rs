//! A project whose pinned components are to be changed: its files, confirmed, and what they come to.

use super::turn::Turn;
use crate::args::{GlobalArgs, ProjectArgs};
use crate::config::{CONFIG, ComponentName, Entry, Flags, LOCK, Lock, ProjectFiles, Resolved};
use crate::exit::{OrUsage, Refusal};
use crate::shelf::Shelf;
use crate::state_dir::Folders;
use crate::terminal::is_interactive;
use crate::toolset::sandbox;
use crate::trust::{self, Asking};
use anyhow::{Context, Result};
use ringfence_registry::TrustedKeys;
use ringfence_sandbox::{ProjectDir, Sandbox};
use std::fs::Permissions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What a lock is called until it is whole; more letters follow.
const UNFINISHED: &str = ".ringfence.lock.";

/// The project.
pub(super) struct Desk {
    pub(super) folders: Folders,
    pub(super) project: ProjectDir,
    pub(super) sandbox: Sandbox,
    pub(super) files: ProjectFiles,
    pub(super) resolved: Resolved,
    pub(super) keys: TrustedKeys,
    pub(super) shelf: Shelf,
    _turn: Turn,
}

impl Desk {
    /// Opens it; its files must be confirmed, since they decide what a component gets.
    pub(super) fn open(args: &ProjectArgs, global: &GlobalArgs) -> Result<Self> {
        let folders = Folders::find(global.state.as_deref())?;
        let project = ProjectDir::open(&args.project).or_usage()?;
        let turn = Turn::wait(project.path(), &folders, global.quiet)?;
        let files = ProjectFiles::read(project.path())?;
        let asking = Asking { hash: args.trust.as_deref(), interactive: is_interactive() };
        trust::require(project.path(), &files, asking, &folders)?;
        let resolved = Resolved::of_files(&project, &files, &Flags::default(), &folders)?;
        let keys = Resolved::trusted_keys(&folders)?;
        let shelf = Shelf::open(folders.state()?)?;
        Ok(Self { sandbox: sandbox(&folders)?, folders, project, files, resolved, keys, shelf, _turn: turn })
    }

    /// A pinned component; the error names those that there are.
    pub(super) fn entry(&self, name: &ComponentName) -> Result<&Entry> {
        let lock = &self.files.lock;
        lock.get(name).ok_or_else(|| {
            let names: Vec<_> = lock.entries().iter().map(|entry| entry.name.as_str()).collect();
            let hint = match names.as_slice() {
                [] => "nothing is pinned; `ringfence tool add SOURCE` does that".to_owned(),
                names => format!("there are: {}", names.join(", ")),
            };
            Refusal::usage(format!("{LOCK} has no component `{name}`")).hint(hint).into()
        })
    }

    /// Writes another lock, whole, and confirms it: who gave this command has seen what it changes.
    pub(super) fn write(self, lock: Lock) -> Result<()> {
        let path = self.project.path().join(LOCK);
        let wrong = || format!("{} can't be written", path.display());
        let now = ProjectFiles::read(self.project.path())?;
        if now.hash() != self.files.hash() {
            return Err(Refusal::usage(format!(
                "{CONFIG} or {LOCK} was changed meanwhile; nothing was written"
            ))
            .hint("give the command again")
            .into());
        }
        remove_unfinished(self.project.path());
        match lock.text() {
            Some(text) => {
                let mut file = tempfile::Builder::new()
                    .prefix(UNFINISHED)
                    .tempfile_in(self.project.path())
                    .with_context(wrong)?;
                file.write_all(text.as_bytes()).with_context(wrong)?;
                file.as_file().set_permissions(Permissions::from_mode(0o644)).with_context(wrong)?;
                file.as_file().sync_all().with_context(wrong)?;
                file.persist(&path).with_context(wrong)?;
            }
            None => match std::fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error).with_context(wrong),
                Ok(()) | Err(_) => {}
            },
        }
        trust::confirm_own_change(self.project.path(), &self.files.with_lock(lock), &self.folders)
    }
}

/// Removes what a command that was killed has left. That it can't be is the lesser trouble.
fn remove_unfinished(project: &Path) {
    for entry in std::fs::read_dir(project).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
