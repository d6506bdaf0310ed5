//! Who is alive: one lock file for each run, locked by the process that drives it.
//!
//! The kernel releases the lock when the process ends, however it ends, so a run can be taken
//! up at once after a crash. The file's text only says whom to name in an error. The file is
//! never removed: a lock on a removed file would exclude nobody.

use crate::{Holder, Result, StoreError};
use ringfence_engine::RunId;
use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::Duration;

/// How often a holder's name is looked for, and how long after each other.
const LOOKS: u32 = 5;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// The lock on a run, held for as long as this value lives.
#[derive(Debug)]
pub(crate) struct LockFile {
    locked: File,
}

impl LockFile {
    /// Takes the lock, or says who has it.
    pub(crate) fn take(folder: &Path, run: &RunId) -> Result<Self> {
        match fs::DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(StoreError::io(folder, &error));
            }
            Ok(()) | Err(_) => {}
        }
        let name = format!("{run}.lock");
        let path = folder.join(&name);
        // From folder to file by handle, so that no link leads the writing elsewhere.
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = open(folder, flags, Mode::empty()).map_err(|error| refusal(folder, "folder", error))?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = openat(&opened, &name, flags, Mode::RUSR | Mode::WUSR)
            .map(File::from)
            .map_err(|error| refusal(&path, "file", error))?;
        if !file.metadata().map_err(|error| StoreError::io(&path, &error))?.is_file() {
            return Err(in_the_way(&path, "file"));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Busy { run: run.clone(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::io(&path, &error)),
        }
        let text = format!("{}\n{}\n", std::process::id(), this_machine());
        file.set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(text.as_bytes()))
            .map_err(|error| StoreError::io(&path, &error))?;
        Ok(Self { locked: file })
    }
}

impl Drop for LockFile {
    /// Takes the name off while the lock is still held, so that whoever loses to the next holder
    /// isn't told of this one. One that was killed is named until the next has written its name.
    fn drop(&mut self) {
        let _ = self.locked.set_len(0);
    }
}

/// The name of this machine.
pub(crate) fn this_machine() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The name of a machine as a file gives it, fit to be shown.
pub(crate) fn machine(name: &str) -> String {
    let name: String = name.chars().filter(|c| !c.is_control()).take(255).collect();
    if name.is_empty() { "an unnamed machine".to_owned() } else { name }
}

fn refusal(path: &Path, want: &str, error: Errno) -> StoreError {
    match error {
        // What Linux says to a link in place of a folder, and what any system says to other links.
        Errno::NOTDIR | Errno::LOOP | Errno::MLINK | Errno::ISDIR => in_the_way(path, want),
        error => StoreError::io(path, &error.into()),
    }
}

fn in_the_way(path: &Path, want: &str) -> StoreError {
    let link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let found = if link { "a link, which isn't followed" } else { "something else" };
    let why = format!("it must be an ordinary {want} and is {found}; move it away");
    StoreError::CannotOpen { path: path.to_owned(), why }
}

/// The process and machine that the file names. Whoever holds the lock may be about to write its
/// name, so that it is looked for a few times.
fn holder(file: &mut File) -> Option<Holder> {
    let mut named = read_holder(file);
    for _ in 1..LOOKS {
        if named.is_some() {
            break;
        }
        std::thread::sleep(BETWEEN_LOOKS);
        named = read_holder(file);
    }
    named
}

/// None where there is less than a whole name.
fn read_holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(512).read_to_string(&mut text).ok()?;
    let (pid, rest) = text.split_once('\n')?;
    let (host, _) = rest.split_once('\n')?;
    Some(Holder { pid: pid.parse().ok()?, host: machine(host) })
}
