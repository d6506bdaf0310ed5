//! Driving a run: the right to append, and the appending.

use crate::agreement::check_step;
use crate::codec::{Row, encode};
use crate::lock_file::LockFile;
use crate::{Result, StoreError};
use ringfence_engine::{Effect, Event, ReceiptId, RunId, Stage};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, params};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One step of a run: what happened, what it left behind, what is to happen next.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The fact.
    pub event: &'a Event,
    /// The effects that the engine wished for on it: recorded before any of them is begun.
    pub intents: &'a [Effect],
    /// The receipt of the tool call that the event reports: the one it names, or none.
    pub receipts: &'a [(ReceiptId, Value)],
    /// The stage of the run after the event; what lists show.
    pub stage: &'a Stage,
}

/// The right to append to one run. Ends when dropped, or when the process ends; a later lease
/// on the same run makes this one unable to write.
#[derive(Debug)]
pub struct Lease {
    connection: Connection,
    path: PathBuf,
    run: RunId,
    row: i64,
    token: i64,
    _alive: LockFile,
}

impl Lease {
    pub(crate) fn new(
        connection: Connection,
        path: PathBuf,
        run: RunId,
        row: i64,
        token: i64,
        alive: LockFile,
    ) -> Self {
        Self { connection, path, run, row, token, _alive: alive }
    }

    /// The run.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// The fencing token: larger than that of every earlier lease on this run.
    pub fn token(&self) -> u64 {
        self.token.unsigned_abs()
    }

    /// Lets the file grow to this many pages at most; beyond, appending fails as on a full disk.
    pub fn cap_pages(&self, pages: i64) -> Result<()> {
        self.connection
            .pragma_update(None, "max_page_count", pages)
            .map_err(|error| StoreError::sqlite(&self.path, error))
    }

    /// Records one step, all of it or nothing, and returns the event's number in the run
    /// (from 1, without gaps). When this returns, the step survives a crash of the machine.
    pub fn append(&mut self, entry: &Entry<'_>) -> Result<u64> {
        let failed = |error| StoreError::sqlite(&self.path, error);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let seq = write(&self.path, &transaction, &self.run, self.row, self.token, entry)?;
        transaction.commit().map_err(failed)?;
        Ok(seq)
    }
}

/// Writes one step within a transaction, if `token` is the one that counts.
pub(crate) fn write(
    path: &Path,
    transaction: &Transaction<'_>,
    run: &RunId,
    row: i64,
    token: i64,
    entry: &Entry<'_>,
) -> Result<u64> {
    let failed = |error| StoreError::sqlite(path, error);
    let (current, events): (i64, i64) = transaction
        .prepare_cached("SELECT token, events FROM runs WHERE n = ?1")
        .and_then(|mut select| select.query_row([row], |row| Ok((row.get(0)?, row.get(1)?))))
        .map_err(failed)?;
    if current != token {
        let (held, current) = (token.unsigned_abs(), current.unsigned_abs());
        return Err(StoreError::LeaseLost { run: run.clone(), held, current });
    }
    let seq = events + 1;
    check_step(entry.event, entry.receipts)
        .map_err(|why| StoreError::Inconsistent { run: run.clone(), why })?;
    // A number that is taken although the run doesn't count that far.
    let taken = |row: Row<'_>, error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Corrupt {
            path: path.to_owned(),
            why: format!("{row} is there already, and the run counts {events} events"),
        },
        _ => failed(error),
    };

    let place = Row::Event { run: &run.0, seq };
    let event = encode(place, entry.event)?;
    transaction
        .prepare_cached("INSERT INTO events (run, seq, token, body, digest) VALUES (?1, ?2, ?3, ?4, ?5)")
        .and_then(|mut insert| insert.execute(params![row, seq, token, event.body, event.digest]))
        .map_err(|error| taken(place, error))?;

    for (ordinal, effect) in (0_i64..).zip(entry.intents) {
        let place = Row::Intent { run: &run.0, seq, ordinal };
        let intent = encode(place, effect)?;
        transaction
            .prepare_cached(
                "INSERT INTO intents (run, seq, ordinal, body, digest) VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .and_then(|mut insert| insert.execute(params![row, seq, ordinal, intent.body, intent.digest]))
            .map_err(|error| taken(place, error))?;
    }

    for (id, receipt) in entry.receipts {
        let stored = encode(Row::Receipt { run: &run.0, seq, id: &id.0 }, receipt)?;
        transaction
            .prepare_cached("INSERT INTO receipts (run, seq, id, body, digest) VALUES (?1, ?2, ?3, ?4, ?5)")
            .and_then(|mut insert| insert.execute(params![row, seq, id.0, stored.body, stored.digest]))
            .map_err(|error| match error.sqlite_error_code() {
                Some(ErrorCode::ConstraintViolation) => {
                    StoreError::DuplicateReceipt { run: run.clone(), receipt: id.0.clone() }
                }
                _ => failed(error),
            })?;
    }

    let stage = entry.stage.name();
    let ending = entry
        .stage
        .ending()
        .map(|ending| serde_json::to_string(&ending))
        .transpose()
        .map_err(|error| StoreError::Unwritable { what: "an ending", why: error.to_string() })?;
    transaction
        .prepare_cached("UPDATE runs SET updated = ?2, stage = ?3, ending = ?4, events = ?5 WHERE n = ?1")
        .and_then(|mut update| update.execute(params![row, entry.event.at.0, stage.as_str(), ending, seq]))
        .map_err(failed)?;
    Ok(seq.unsigned_abs())
}
