//! One step of a run, and the writing of it.
//!
//! Owns: the order in which a step's rows are written, where they stand, and that only the lease
//! that counts writes them. Doesn't own: the transaction around it.

use crate::agreement::check_step;
use crate::codec::{self, Row};
use crate::intent::Intent;
use crate::{Result, StoreError};
use ringfence_engine::{Event, ReceiptId, RunId, Stage};
use rusqlite::{ErrorCode, Transaction, params};
use serde_json::Value;
use std::path::Path;

/// One step of a run: what happened, what it left behind, what is to happen next.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The fact.
    pub event: &'a Event,
    /// What the engine wished for on it: recorded before any of it is begun.
    pub intents: &'a [Intent],
    /// The receipt of the tool call that the event reports: the one it names, or none.
    pub receipts: &'a [(ReceiptId, Value)],
    /// The stage of the run after the event; what lists show.
    pub stage: &'a Stage,
}

/// A run as its driver knows it.
#[derive(Debug)]
pub(crate) struct Driven {
    /// Its id.
    pub(crate) run: RunId,
    /// Its number in the file.
    pub(crate) row: i64,
    /// The token under which it is driven.
    pub(crate) token: i64,
}

/// Bits of a place that number the event; the others number the run.
const SEQ_BITS: u32 = 32;

/// Where the rows of an event stand: those of a run lie together, in order.
fn place(row: i64, seq: i64) -> i64 {
    (row << SEQ_BITS) | seq
}

/// The first and the last place of a run.
pub(crate) fn places(row: i64) -> [i64; 2] {
    [place(row, 0), place(row, (1 << SEQ_BITS) - 1)]
}

impl Driven {
    /// Writes one step within a transaction, if this token is the one that counts.
    pub(crate) fn write(&self, path: &Path, transaction: &Transaction<'_>, entry: &Entry<'_>) -> Result<u64> {
        let failed = |error| StoreError::sqlite(path, error);
        let (current, events): (i64, i64) = transaction
            .prepare_cached("SELECT token, events FROM runs WHERE n = ?1")
            .and_then(|mut select| select.query_row([self.row], |row| Ok((row.get(0)?, row.get(1)?))))
            .map_err(failed)?;
        if current != self.token {
            return Err(self.lost_to(current));
        }
        check_step(entry.event, entry.receipts)
            .map_err(|why| StoreError::Inconsistent { run: self.run.clone(), why })?;
        let seq = events + 1;
        self.write_event(path, transaction, seq, entry)?;
        for (id, receipt) in entry.receipts {
            self.write_receipt(path, transaction, seq, id, receipt)?;
        }
        let ending = entry.stage.ending().map(|ending| codec::write("an ending", &ending)).transpose()?;
        transaction
            .prepare_cached("UPDATE runs SET updated = ?2, stage = ?3, ending = ?4, events = ?5 WHERE n = ?1")
            .and_then(|mut update| {
                let stage = entry.stage.name();
                update.execute(params![self.row, entry.event.at.0, stage.as_str(), ending, seq])
            })
            .map_err(failed)?;
        Ok(seq.unsigned_abs())
    }

    /// The error of a lease that another one has replaced.
    pub(crate) fn lost_to(&self, current: i64) -> StoreError {
        let (held, current) = (self.token.unsigned_abs(), current.unsigned_abs());
        StoreError::LeaseLost { run: self.run.clone(), held, current }
    }

    fn write_event(
        &self,
        path: &Path,
        transaction: &Transaction<'_>,
        seq: i64,
        entry: &Entry<'_>,
    ) -> Result<()> {
        let row = Row::Event { run: &self.run.0, seq };
        let event = codec::write("an event", entry.event)?;
        let (intents, digest) = match entry.intents {
            [] => (None, row.digest(&[&event])),
            intents => {
                let intents = codec::write("an intent", intents)?;
                let digest = row.digest(&[&event, &intents]);
                (Some(intents), digest)
            }
        };
        transaction
            .prepare_cached(
                "INSERT INTO events (place, token, body, intents, digest) VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .and_then(|mut insert| {
                insert.execute(params![place(self.row, seq), self.token, event, intents, digest])
            })
            .map_err(|error| match error.sqlite_error_code() {
                // A number that is taken although the run doesn't count that far.
                Some(ErrorCode::ConstraintViolation) => StoreError::Corrupt {
                    path: path.to_owned(),
                    why: format!("{row} is there already, and the run counts {} events", seq - 1),
                },
                _ => StoreError::sqlite(path, error),
            })?;
        Ok(())
    }

    fn write_receipt(
        &self,
        path: &Path,
        transaction: &Transaction<'_>,
        seq: i64,
        id: &ReceiptId,
        receipt: &Value,
    ) -> Result<()> {
        let body = codec::write("a receipt", receipt)?;
        let digest = Row::Receipt { run: &self.run.0, seq, id: &id.0 }.digest(&[&body]);
        transaction
            .prepare_cached("INSERT INTO receipts (place, id, body, digest) VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut insert| insert.execute(params![place(self.row, seq), id.0, body, digest]))
            .map_err(|error| match error.sqlite_error_code() {
                Some(ErrorCode::ConstraintViolation) => {
                    StoreError::DuplicateReceipt { run: self.run.clone(), receipt: id.0.clone() }
                }
                _ => StoreError::sqlite(path, error),
            })?;
        Ok(())
    }
}
