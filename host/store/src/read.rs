//! Reading: lists of runs, journals. Never needs a lease and never waits for a writer.

use crate::agreement;
use crate::codec::{Row, decode};
use crate::run::{self, RunSummary};
use crate::store::Store;
use crate::{Result, StoreError};
use ringfence_engine::{Effect, Event, ReceiptId, RunId, StageName, Timestamp};
use rusqlite::{Connection, params};
use serde_json::Value;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// An event with its number.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Its place in the run, from 1.
    pub seq: u64,
    /// The event.
    pub event: Event,
}

/// An effect that was wished for; whether it was carried out, later events say.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    /// The event that it came from.
    pub seq: u64,
    /// The effect.
    pub effect: Effect,
}

/// A receipt with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredReceipt {
    /// Its name, unique in the run.
    pub id: ReceiptId,
    /// The event that it belongs to.
    pub seq: u64,
    /// The receipt, as the sandbox made it.
    pub receipt: Value,
}

/// Everything that is recorded of one run, as of one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Journal {
    /// The run.
    pub run: RunSummary,
    /// What happened, in order.
    pub events: Vec<Recorded>,
    /// What was meant to happen, in order.
    pub intents: Vec<Intent>,
    /// What tools did, in order.
    pub receipts: Vec<StoredReceipt>,
}

const SUMMARY: &str =
    "SELECT id, project, goal, model, created, updated, stage, ending, events, n, digest FROM runs";

struct SummaryRow {
    summary: RunSummary,
    n: i64,
}

impl Store {
    /// The runs, newest first; of one project (by its real path), or of all.
    pub fn runs(&self, project: Option<&Path>) -> Result<Vec<RunSummary>> {
        let order = "ORDER BY created DESC, n DESC";
        let rows = match project {
            Some(project) => self.summaries(
                &format!("{SUMMARY} WHERE project = ?1 {order}"),
                params![project.as_os_str().as_bytes()],
            ),
            None => self.summaries(&format!("{SUMMARY} {order}"), []),
        }?;
        Ok(rows.into_iter().map(|row| row.summary).collect())
    }

    /// The run with this id, or the only one whose id begins with it.
    pub fn find(&self, prefix: &str) -> Result<RunSummary> {
        let sql = format!(
            "{SUMMARY} WHERE id = ?1 OR substr(id, 1, length(?1)) = ?1 ORDER BY created DESC, n DESC"
        );
        let mut rows = match prefix {
            "" => Vec::new(),
            prefix => self.summaries(&sql, [prefix])?,
        };
        if let Some(exact) = rows.iter().position(|row| row.summary.id.0 == prefix) {
            return Ok(rows.swap_remove(exact).summary);
        }
        match rows.len() {
            1 => Ok(rows.swap_remove(0).summary),
            0 => Err(StoreError::NoSuchRun {
                asked: prefix.chars().take(80).collect(),
                path: self.path.clone(),
            }),
            count => Err(StoreError::Ambiguous {
                asked: prefix.to_owned(),
                count,
                candidates: rows.into_iter().take(5).map(|row| row.summary.id.0).collect(),
            }),
        }
    }

    /// The run's events, in order. A missing or changed one is an error.
    pub fn events(&self, run: &RunId) -> Result<Vec<Recorded>> {
        let row = self.row(run)?;
        self.read_events(&self.connection, &row)
    }

    /// The run's intents, in order.
    pub fn intents(&self, run: &RunId) -> Result<Vec<Intent>> {
        let row = self.row(run)?;
        self.read_intents(&self.connection, &row)
    }

    /// The run's receipts, in order.
    pub fn receipts(&self, run: &RunId) -> Result<Vec<StoredReceipt>> {
        let row = self.row(run)?;
        self.read_receipts(&self.connection, &row)
    }

    /// All of a run at one moment, also while it is being driven. It is an error if its parts
    /// don't belong together: a receipt that an event names and that is gone, one that no event
    /// names, a goal or a count that the events don't bear out. Whether the listed stage and
    /// ending are those that the events lead to, only who folds them can tell.
    pub fn journal(&self, run: &RunId) -> Result<Journal> {
        let snapshot = self.connection.unchecked_transaction().map_err(|error| self.failed(error))?;
        let row = self.row(run)?;
        let events = self.read_events(&snapshot, &row)?;
        let intents = self.read_intents(&snapshot, &row)?;
        let receipts = self.read_receipts(&snapshot, &row)?;
        let journal = Journal { run: row.summary, events, intents, receipts };
        agreement::check(&journal).map_err(|why| StoreError::Corrupt { path: self.path.clone(), why })?;
        Ok(journal)
    }

    fn row(&self, run: &RunId) -> Result<SummaryRow> {
        let found = self.summaries(&format!("{SUMMARY} WHERE id = ?1"), [&run.0])?.pop();
        found.ok_or_else(|| StoreError::NoSuchRun {
            asked: run.0.chars().take(80).collect(),
            path: self.path.clone(),
        })
    }

    fn summaries(&self, sql: &str, params: impl rusqlite::Params) -> Result<Vec<SummaryRow>> {
        let mut select = self.connection.prepare_cached(sql).map_err(|error| self.failed(error))?;
        let mut rows = select.query(params).map_err(|error| self.failed(error))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(|error| self.failed(error))? {
            found.push(self.summary(row)?);
        }
        Ok(found)
    }

    fn summary(&self, row: &rusqlite::Row<'_>) -> Result<SummaryRow> {
        let read = || -> rusqlite::Result<_> {
            let (stage, ending): (String, Option<String>) = (row.get(6)?, row.get(7)?);
            let project = PathBuf::from(OsString::from_vec(row.get(1)?));
            let summary = RunSummary {
                id: RunId(row.get(0)?),
                project,
                goal: row.get(2)?,
                model: row.get(3)?,
                created: Timestamp(row.get(4)?),
                updated: Timestamp(row.get(5)?),
                stage: StageName::Initializing,
                ending: None,
                events: row.get::<_, i64>(8)?.unsigned_abs(),
            };
            Ok((SummaryRow { summary, n: row.get(9)? }, stage, ending, row.get::<_, Vec<u8>>(10)?))
        };
        let (mut found, stage, ending, digest) = read().map_err(|error| self.failed(error))?;
        let corrupt = |what: &str| StoreError::Corrupt {
            path: self.path.clone(),
            why: format!("the {what} of run {} can't be read", found.summary.id),
        };
        let RunSummary { id, project, goal, model, created, .. } = &found.summary;
        if digest != run::digest(id, project, goal, model, *created)? {
            let why = format!("the entry of run {id} isn't what was written");
            return Err(StoreError::Corrupt { path: self.path.clone(), why });
        }
        let stage = serde_json::from_value(Value::String(stage)).map_err(|_| corrupt("stage"))?;
        let ending = match ending {
            Some(ending) => Some(serde_json::from_str(&ending).map_err(|_| corrupt("ending"))?),
            None => None,
        };
        found.summary.stage = stage;
        found.summary.ending = ending;
        Ok(found)
    }

    fn read_events(&self, connection: &Connection, of: &SummaryRow) -> Result<Vec<Recorded>> {
        let run = &of.summary.id.0;
        let sql = "SELECT seq, body, digest FROM events WHERE run = ?1 ORDER BY seq";
        let events = self.rows(connection, sql, of.n, |row| {
            let seq: i64 = row.get(0)?;
            let (body, digest) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_blob()?);
            Ok(decode(&self.path, Row::Event { run, seq }, body, digest)
                .map(|event| Recorded { seq: seq.unsigned_abs(), event }))
        })?;
        // Events are only ever added, and read after the count: fewer than that are too few.
        let gap = (1..).zip(&events).find(|(want, have)| *want != have.seq).map(|(want, _)| want);
        let short = events.len() as u64 + 1;
        let missing = gap.or((short <= of.summary.events).then_some(short));
        if let Some(seq) = missing {
            let why = format!("event {seq} of run {run} is missing");
            return Err(StoreError::Corrupt { path: self.path.clone(), why });
        }
        Ok(events)
    }

    fn read_intents(&self, connection: &Connection, of: &SummaryRow) -> Result<Vec<Intent>> {
        let run = &of.summary.id.0;
        let sql = "SELECT seq, body, digest, ordinal FROM intents WHERE run = ?1 ORDER BY seq, ordinal";
        self.rows(connection, sql, of.n, |row| {
            let (seq, ordinal): (i64, i64) = (row.get(0)?, row.get(3)?);
            let (body, digest) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_blob()?);
            Ok(decode(&self.path, Row::Intent { run, seq, ordinal }, body, digest)
                .map(|effect| Intent { seq: seq.unsigned_abs(), effect }))
        })
    }

    fn read_receipts(&self, connection: &Connection, of: &SummaryRow) -> Result<Vec<StoredReceipt>> {
        let run = &of.summary.id.0;
        let sql = "SELECT seq, body, digest, id FROM receipts WHERE run = ?1 ORDER BY seq, rowid";
        self.rows(connection, sql, of.n, |row| {
            let (seq, id): (i64, String) = (row.get(0)?, row.get(3)?);
            let (body, digest) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_blob()?);
            Ok(decode(&self.path, Row::Receipt { run, seq, id: &id }, body, digest)
                .map(|receipt| StoredReceipt { id: ReceiptId(id), seq: seq.unsigned_abs(), receipt }))
        })
    }

    fn rows<T>(
        &self,
        connection: &Connection,
        sql: &str,
        run: i64,
        mut read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<Result<T>>,
    ) -> Result<Vec<T>> {
        let mut select = connection.prepare_cached(sql).map_err(|error| self.failed(error))?;
        let mut rows = select.query([run]).map_err(|error| self.failed(error))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(|error| self.failed(error))? {
            found.push(read(row).map_err(|error| self.failed(error))??);
        }
        Ok(found)
    }
}
