//! Entering runs and taking leases.

use crate::agreement::check_start;
use crate::codec::DIGEST_BYTES;
use crate::heartbeat::Pulse;
use crate::lease::Lease;
use crate::lock_file::LockFile;
use crate::run::{self, NewRun, Parent, check_id};
use crate::step::{Driven, Entry};
use crate::store::{Store, connect};
use crate::{Result, StoreError};
use ringfence_engine::RunId;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The token of a run's first lease.
const FIRST_TOKEN: i64 = 1;

impl Store {
    /// Enters a run with its first event and intents, and leases it to this process.
    pub fn create_run(&self, run: &NewRun, first: &Entry<'_>) -> Result<Lease> {
        self.enter(run, std::slice::from_ref(first))
    }

    /// Enters a run that begins as another one did, and leases it to this process: all of the
    /// entries or nothing. They are the caller's to make, from the other run's journal; the first
    /// of them starts the new run.
    ///
    /// # Errors
    /// [`StoreError::Inconsistent`] where the run names no parent, or an event that the parent
    /// hasn't got.
    pub fn fork(&self, run: &NewRun, entries: &[Entry<'_>]) -> Result<Lease> {
        if run.parent.is_none() {
            return Err(inconsistent(run, "a fork names the run that it comes from"));
        }
        self.enter(run, entries)
    }

    /// Takes the run for this process. Fails at once while a live process has it; whatever
    /// lease was held before can't write any more.
    pub fn lease(&self, run: &RunId) -> Result<Lease> {
        check_id(run)?;
        let row = self.number(&self.connection, run)?.ok_or_else(|| self.no_such_run(&run.0))?;
        let lock = LockFile::take(&self.leases(), run)?;
        let (mut connection, pulse) = self.writers()?;
        let transaction = self.begin(&mut connection)?;
        let token = transaction
            .query_row("UPDATE runs SET token = token + 1 WHERE n = ?1 RETURNING token", [row], |row| {
                row.get(0)
            })
            .map_err(|error| self.failed(error))?;
        let driven = Driven { run: run.clone(), row, token };
        pulse.begin(&self.path, &transaction, &driven)?;
        transaction.commit().map_err(|error| self.failed(error))?;
        Ok(Lease::new(connection, pulse, self.path.clone(), driven, lock))
    }

    fn enter(&self, run: &NewRun, entries: &[Entry<'_>]) -> Result<Lease> {
        check_id(&run.id)?;
        let first = entries.first().ok_or_else(|| inconsistent(run, "it has no first event"))?;
        check_start(&run.id, &run.goal, first.event).map_err(|why| inconsistent(run, why))?;
        let digest = run::digest(run)?;
        let lock = LockFile::take(&self.leases(), &run.id)?;
        let (mut connection, pulse) = self.writers()?;
        let transaction = self.begin(&mut connection)?;
        if self.number(&transaction, &run.id)?.is_some() {
            return Err(StoreError::Exists { run: run.id.clone() });
        }
        if let Some(parent) = &run.parent {
            self.check_parent(&transaction, run, parent)?;
        }
        let row = self.insert(&transaction, run, &digest)?;
        let driven = Driven { run: run.id.clone(), row, token: FIRST_TOKEN };
        for entry in entries {
            driven.write(&self.path, &transaction, entry)?;
        }
        pulse.begin(&self.path, &transaction, &driven)?;
        transaction.commit().map_err(|error| self.failed(error))?;
        Ok(Lease::new(connection, pulse, self.path.clone(), driven, lock))
    }

    fn insert(
        &self,
        transaction: &Transaction<'_>,
        run: &NewRun,
        digest: &[u8; DIGEST_BYTES],
    ) -> Result<i64> {
        let parent = run.parent.as_ref();
        transaction
            .execute(
                "INSERT INTO runs (id, project, goal, model, created, updated, stage, ending, events, token,
                                   digest, parent, parent_event)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5, 'initializing', NULL, 0, ?6, ?7, ?8, ?9)",
                params![
                    run.id.0,
                    run.project.as_os_str().as_bytes(),
                    run.goal,
                    run.model,
                    run.created.0,
                    FIRST_TOKEN,
                    digest,
                    parent.map(|parent| &parent.run.0),
                    parent.map(|parent| parent.event.cast_signed()),
                ],
            )
            .map_err(|error| self.failed(error))?;
        Ok(transaction.last_insert_rowid())
    }

    /// The parent is in this file and has got that far.
    fn check_parent(&self, transaction: &Transaction<'_>, run: &NewRun, parent: &Parent) -> Result<()> {
        let events = transaction
            .query_row("SELECT events FROM runs WHERE id = ?1", [&parent.run.0], |row| row.get::<_, i64>(0))
            .optional()
            .map_err(|error| self.failed(error))?
            .ok_or_else(|| self.no_such_run(&parent.run.0))?;
        if (1..=events.unsigned_abs()).contains(&parent.event) {
            return Ok(());
        }
        let why = format!("run {} has no event {}, only 1 to {events}", parent.run, parent.event);
        Err(inconsistent(run, &why))
    }

    /// The run's number in the file.
    fn number(&self, connection: &Connection, run: &RunId) -> Result<Option<i64>> {
        connection
            .query_row("SELECT n FROM runs WHERE id = ?1", [&run.0], |row| row.get(0))
            .optional()
            .map_err(|error| self.failed(error))
    }

    fn leases(&self) -> PathBuf {
        self.path.with_file_name("leases")
    }

    /// Each lease writes through its own connections, so that readers never wait for it.
    fn writers(&self) -> Result<(Connection, Pulse)> {
        let connection = connect(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        self.durability.prepare(&self.path, &connection)?;
        Ok((connection, Pulse::open(&self.path)?))
    }

    fn begin<'c>(&self, connection: &'c mut Connection) -> Result<Transaction<'c>> {
        connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| self.failed(error))
    }
}

fn inconsistent(run: &NewRun, why: &str) -> StoreError {
    StoreError::Inconsistent { run: run.id.clone(), why: why.to_owned() }
}
