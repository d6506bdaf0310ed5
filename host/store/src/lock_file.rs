//! Who is alive: one lock file for each run, locked by the process that drives it.
//!
//! The kernel releases the lock when the process ends, however it ends, so a run can be taken
//! up at once after a crash. The file's text only says whom to name in an error. The file is
//! never removed: a lock on a removed file would exclude nobody.

use crate::{Result, StoreError};
use ringfence_engine::RunId;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// The lock on a run, held for as long as this value lives.
#[derive(Debug)]
pub(crate) struct LockFile {
    _locked: File,
}

impl LockFile {
    /// Takes the lock, or says who has it.
    pub(crate) fn take(folder: &Path, run: &RunId) -> Result<Self> {
        let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        created.map_err(|error| StoreError::io(folder, &error))?;
        let path = folder.join(format!("{run}.lock"));
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32)
            .open(&path)
            .map_err(|error| StoreError::io(&path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let (pid, host) = holder(&mut file);
                return Err(StoreError::Busy { run: run.clone(), pid, host });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::io(&path, &error)),
        }
        let name = rustix::system::uname();
        let text = format!("{}\n{}\n", std::process::id(), name.nodename().to_string_lossy());
        file.set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(text.as_bytes()))
            .map_err(|error| StoreError::io(&path, &error))?;
        Ok(Self { _locked: file })
    }
}

/// The process and machine that the file names, as far as it does.
fn holder(file: &mut File) -> (u32, String) {
    let mut text = String::new();
    // Whoever holds the lock may be about to write its name: then there is none to read.
    let _ = file.take(512).read_to_string(&mut text);
    let mut lines = text.lines();
    let pid = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
    let host: String = lines.next().unwrap_or("").chars().filter(|c| !c.is_control()).collect();
    (pid, if host.is_empty() { "an unnamed machine".to_owned() } else { host })
}
