//! One command at a time changes a project's pinned components: from reading the lock until its
//! change is confirmed, so that none undoes what another one did.

use crate::output::err;
use crate::state_dir::Folders;
use anyhow::{Context, Result};
use ringfence_sandbox::Digest;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Held for as long as this value lives; the system ends it with the process.
#[derive(Debug)]
pub(super) struct Turn {
    _locked: File,
}

impl Turn {
    /// Waits until no other command has it, and says so unless it is to be quiet.
    pub(super) fn wait(project: &Path, folders: &Folders, quiet: bool) -> Result<Self> {
        let name = format!("{}.lock", Digest::of(project.as_os_str().as_bytes()).hex());
        let path = folders.in_state("tool-changes")?.join(name);
        let cant = || format!("{} can't be locked", path.display());
        // It is never removed: a lock on a removed file would exclude nobody.
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let file = file.with_context(cant)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                if !quiet {
                    err("another command is changing the components of this project: waiting for it\n");
                }
                file.lock().with_context(cant)?;
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(cant),
        }
        Ok(Self { _locked: file })
    }
}
