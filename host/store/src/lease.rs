//! Driving a run: the right to append, and the saying that one is still there.

use crate::heartbeat::Pulse;
use crate::lock_file::LockFile;
use crate::step::{Driven, Entry};
use crate::{Result, StoreError};
use ringfence_engine::RunId;
use rusqlite::{Connection, TransactionBehavior};
use std::path::PathBuf;

/// The right to append to one run. Ends when dropped, or when the process ends; a later lease
/// on the same run makes this one unable to write.
#[derive(Debug)]
pub struct Lease {
    connection: Connection,
    pulse: Pulse,
    path: PathBuf,
    driven: Driven,
    _alive: LockFile,
}

impl Lease {
    pub(crate) fn new(
        connection: Connection,
        pulse: Pulse,
        path: PathBuf,
        driven: Driven,
        alive: LockFile,
    ) -> Self {
        Self { connection, pulse, path, driven, _alive: alive }
    }

    /// The run.
    pub fn run(&self) -> &RunId {
        &self.driven.run
    }

    /// The fencing token: larger than that of every earlier lease on this run.
    pub fn token(&self) -> u64 {
        self.driven.token.unsigned_abs()
    }

    /// Lets the file grow to this many pages at most; beyond, appending fails as on a full disk.
    pub fn cap_pages(&self, pages: i64) -> Result<()> {
        self.connection
            .pragma_update(None, "max_page_count", pages)
            .map_err(|error| StoreError::sqlite(&self.path, error))
    }

    /// Records one step, all of it or nothing, and returns the event's number in the run
    /// (from 1, without gaps). When this returns, the step survives what the store's
    /// [`Durability`](crate::Durability) says.
    pub fn append(&mut self, entry: &Entry<'_>) -> Result<u64> {
        let failed = |error| StoreError::sqlite(&self.path, error);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let seq = self.driven.write(&self.path, &transaction, entry)?;
        transaction.commit().map_err(failed)?;
        Ok(seq)
    }

    /// Says that this process is still driving the run; whoever watches reads it with
    /// [`Store::heartbeat`](crate::Store::heartbeat). Cheap and not worth much: it waits for the
    /// disk only when the log is moved into the file, and the latest may be lost with the machine.
    /// To be called every few seconds, also while a model or a tool is being waited for.
    ///
    /// # Errors
    /// [`StoreError::LeaseLost`] once another process has taken the run over.
    pub fn beat(&self) -> Result<()> {
        self.pulse.beat(&self.path, &self.driven)
    }
}
