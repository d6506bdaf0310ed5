//! How much a commit is worth, and how large the log beside the file may become.
//!
//! Owns: the settings of a connection that writes. Doesn't own: what is written.

use crate::schema::BUSY_TIMEOUT;
use crate::{Result, StoreError};
use rusqlite::Connection;
use std::path::Path;
use std::time::{Duration, Instant};

/// Pages in the log at which a commit moves them into the file: some dozens of steps.
const LOG_PAGES: i64 = 96;

/// Bytes that the log keeps when it starts over; a step of megabytes doesn't leave it large.
const LOG_BYTES: i64 = LOG_PAGES * 4096;

/// What a step survives once it is acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Durability {
    /// The death of the machine: each commit waits until the disk has it.
    #[default]
    Full,
    /// The death of the process, however it ends, but not of the machine: after a power failure
    /// the latest steps may be gone. Those that are there are whole and without a gap. The disk is
    /// waited for only now and then, when the log is moved into the file.
    Relaxed,
}

impl Durability {
    /// Prepares a connection for writing.
    pub(crate) fn prepare(self, path: &Path, connection: &Connection) -> Result<()> {
        write_ahead(path, connection)?;
        // With a log, NORMAL can lose the latest commits but never tear the file; OFF could.
        let synchronous = match self {
            Self::Full => "FULL",
            Self::Relaxed => "NORMAL",
        };
        let set = || {
            connection.pragma_update(None, "synchronous", synchronous)?;
            connection.pragma_update(None, "fullfsync", self == Self::Full)?;
            connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
            connection.pragma_update(None, "journal_size_limit", LOG_BYTES)
        };
        set().map_err(|error| StoreError::sqlite(path, error))
    }
}

/// Switches the file to a write-ahead log. That doesn't wait for others by itself, hence the loop.
fn write_ahead(path: &Path, connection: &Connection) -> Result<()> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)) {
            Ok(mode) if mode.eq_ignore_ascii_case("wal") => return Ok(()),
            Ok(mode) => {
                let why = format!("the file system allows no write-ahead log (journal mode {mode})");
                return Err(StoreError::CannotOpen { path: path.to_owned(), why });
            }
            Err(error) => match StoreError::sqlite(path, error) {
                StoreError::Locked { .. } if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                other => return Err(other),
            },
        }
    }
}
