//! Signs of life of whoever drives a run.
//!
//! Owns: the latest sign of each run, for a supervisor to read. Doesn't own: what silence means;
//! a process that hangs is silent as well, and only the lock file tells whether it lives.

use crate::durability::Durability;
use crate::lock_file::{machine, this_machine};
use crate::step::Driven;
use crate::store::{Store, connect};
use crate::{Result, StoreError};
use ringfence_engine::{RunId, Timestamp};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::path::Path;

/// The latest sign of life under the lease that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heartbeat {
    /// When it was given, by the clock of that machine.
    pub at: Timestamp,
    /// The process that gave it.
    pub pid: u32,
    /// The token of its lease.
    pub token: u64,
    /// The machine that it runs on.
    pub host: String,
}

impl Store {
    /// The latest sign of life of the run's driver. Taking a lease is the first one under its
    /// token, so this never tells of a driver that has been replaced. None for a run that
    /// nobody has driven since its file was of version 1.
    pub fn heartbeat(&self, run: &RunId) -> Result<Option<Heartbeat>> {
        let found = self
            .connection
            .prepare_cached(
                "SELECT b.at, b.pid, b.token, b.host FROM runs AS r LEFT JOIN heartbeats AS b ON b.run = r.n
                 WHERE r.id = ?1",
            )
            .and_then(|mut select| select.query_row([&run.0], heartbeat).optional())
            .map_err(|error| self.failed(error))?;
        found.ok_or_else(|| self.no_such_run(&run.0))
    }
}

fn heartbeat(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<Heartbeat>> {
    let Some(at) = row.get(0)? else { return Ok(None) };
    let host: String = row.get(3)?;
    Ok(Some(Heartbeat {
        at: Timestamp(at),
        pid: row.get(1)?,
        token: row.get::<_, i64>(2)?.unsigned_abs(),
        host: machine(&host),
    }))
}

/// A lease's own connection for its signs of life, so that they need not wait for the disk.
#[derive(Debug)]
pub(crate) struct Pulse {
    connection: Connection,
    host: String,
}

impl Pulse {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        Durability::Relaxed.prepare(path, &connection)?;
        Ok(Self { connection, host: this_machine() })
    }

    /// Records a sign of life, if this token is the one that counts.
    pub(crate) fn beat(&self, path: &Path, driven: &Driven) -> Result<()> {
        let failed = |error| StoreError::sqlite(path, error);
        if record(&self.connection, driven, &self.host).map_err(failed)? {
            return Ok(());
        }
        let current = self
            .connection
            .query_row("SELECT token FROM runs WHERE n = ?1", [driven.row], |row| row.get(0))
            .map_err(failed)?;
        Err(driven.lost_to(current))
    }

    /// Records the first sign of life, in the transaction that gave out the token.
    pub(crate) fn begin(&self, path: &Path, leasing: &Connection, driven: &Driven) -> Result<()> {
        // Nobody else can have taken the run before this transaction ends, so it is recorded.
        record(leasing, driven, &self.host).map(|_| ()).map_err(|error| StoreError::sqlite(path, error))
    }
}

/// Whether it was recorded: not under a token that no longer counts.
fn record(connection: &Connection, driven: &Driven, host: &str) -> rusqlite::Result<bool> {
    let recorded = connection
        .prepare_cached(
            "INSERT INTO heartbeats (run, token, at, pid, host)
             SELECT n, token, ?3, ?4, ?5 FROM runs WHERE n = ?1 AND token = ?2
             ON CONFLICT (run) DO UPDATE
             SET token = excluded.token, at = excluded.at, pid = excluded.pid, host = excluded.host",
        )?
        .execute(params![driven.row, driven.token, Store::now().0, std::process::id(), host])?;
    Ok(recorded == 1)
}
