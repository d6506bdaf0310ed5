//! Reading: lists of runs, journals. Never needs a lease and never waits for a writer.

use crate::agreement;
use crate::codec::Row;
use crate::intent::Intent;
use crate::run::{self, NewRun, Parent, RunSummary};
use crate::step::places;
use crate::store::Store;
use crate::{Result, StoreError};
use ringfence_engine::{Event, ReceiptId, RunId, Timestamp};
use rusqlite::{Connection, params};
use serde_json::Value;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// An event with its number, and what followed from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Its place in the run, from 1.
    pub seq: u64,
    /// The event.
    pub event: Event,
    /// What was wished for on it, in order; none for events of files from before version 2.
    pub intents: Vec<Intent>,
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
    /// What happened and what was meant to happen next, in order.
    pub events: Vec<Recorded>,
    /// What tools did, in order.
    pub receipts: Vec<StoredReceipt>,
}

const SUMMARY: &str =
    "SELECT id, project, goal, model, created, updated, stage, ending, events, n, digest, parent, parent_event
     FROM runs";

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
            0 => Err(self.no_such_run(prefix)),
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
        let receipts = self.read_receipts(&snapshot, &row)?;
        let journal = Journal { run: row.summary, events, receipts };
        agreement::check(&journal).map_err(|why| StoreError::Corrupt { path: self.path.clone(), why })?;
        Ok(journal)
    }

    fn row(&self, run: &RunId) -> Result<SummaryRow> {
        let found = self.summaries(&format!("{SUMMARY} WHERE id = ?1"), [&run.0])?.pop();
        found.ok_or_else(|| self.no_such_run(&run.0))
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
        let failed = |error| self.failed(error);
        let entered = entered(row).map_err(failed)?;
        let corrupt = |why: String| StoreError::Corrupt { path: self.path.clone(), why };
        if row.get_ref(10).and_then(|digest| Ok(digest.as_blob()?)).map_err(failed)? != run::digest(&entered)?
        {
            return Err(corrupt(format!("the entry of run {} isn't what was written", entered.id)));
        }
        let unreadable = |what: &str| corrupt(format!("the {what} of run {} can't be read", entered.id));
        let stage = serde_json::from_value(Value::String(row.get(6).map_err(failed)?))
            .map_err(|_| unreadable("stage"))?;
        let ending = row
            .get::<_, Option<String>>(7)
            .map_err(failed)?
            .map(|ending| serde_json::from_str(&ending).map_err(|_| unreadable("ending")))
            .transpose()?;
        let updated = Timestamp(row.get(5).map_err(failed)?);
        let events = row.get::<_, i64>(8).map_err(failed)?.unsigned_abs();
        let n = row.get(9).map_err(failed)?;
        let NewRun { id, project, goal, model, created, parent } = entered;
        let summary =
            RunSummary { id, project, goal, model, created, parent, updated, stage, ending, events };
        Ok(SummaryRow { summary, n })
    }

    fn read_events(&self, connection: &Connection, of: &SummaryRow) -> Result<Vec<Recorded>> {
        let run = &of.summary.id.0;
        let sql =
            "SELECT seq, body, intents, digest FROM events WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
        let events = self.rows(connection, sql, of.n, |row| {
            let seq: i64 = row.get(0)?;
            let (body, intents) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str_or_null()?);
            let digest = row.get_ref(3)?.as_blob()?;
            Ok(self.recorded(Row::Event { run, seq }, seq, body, intents, digest))
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

    fn recorded(
        &self,
        row: Row<'_>,
        seq: i64,
        body: &str,
        intents: Option<&str>,
        digest: &[u8],
    ) -> Result<Recorded> {
        match intents {
            None => row.verify(&self.path, &[body], digest)?,
            Some(intents) => row.verify(&self.path, &[body, intents], digest)?,
        }
        let event = row.read(&self.path, body)?;
        let intents = intents.map(|intents| row.read(&self.path, intents)).transpose()?.unwrap_or_default();
        Ok(Recorded { seq: seq.unsigned_abs(), event, intents })
    }

    fn read_receipts(&self, connection: &Connection, of: &SummaryRow) -> Result<Vec<StoredReceipt>> {
        let run = &of.summary.id.0;
        let sql = "SELECT seq, id, body, digest FROM receipts WHERE place BETWEEN ?1 AND ?2 ORDER BY place";
        self.rows(connection, sql, of.n, |row| {
            let (seq, id): (i64, String) = (row.get(0)?, row.get(1)?);
            let (body, digest) = (row.get_ref(2)?.as_str()?, row.get_ref(3)?.as_blob()?);
            let row = Row::Receipt { run, seq, id: &id };
            let receipt = row.verify(&self.path, &[body], digest).and_then(|()| row.read(&self.path, body));
            Ok(receipt.map(|receipt| StoredReceipt {
                id: ReceiptId(id.clone()),
                seq: seq.unsigned_abs(),
                receipt,
            }))
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
        let mut rows = select.query(places(run)).map_err(|error| self.failed(error))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(|error| self.failed(error))? {
            found.push(read(row).map_err(|error| self.failed(error))??);
        }
        Ok(found)
    }
}

/// What never changes of a run, from a row of [`SUMMARY`].
fn entered(row: &rusqlite::Row<'_>) -> rusqlite::Result<NewRun> {
    let (parent, event): (Option<String>, Option<i64>) = (row.get(11)?, row.get(12)?);
    let parent =
        parent.zip(event).map(|(run, event)| Parent { run: RunId(run), event: event.unsigned_abs() });
    Ok(NewRun {
        id: RunId(row.get(0)?),
        project: PathBuf::from(OsString::from_vec(row.get(1)?)),
        goal: row.get(2)?,
        model: row.get(3)?,
        created: Timestamp(row.get(4)?),
        parent,
    })
}
