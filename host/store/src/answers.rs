//! Answers of earlier calls, to be given again: a file of their own beside the journal. What was made
//! of single files is kept so as well, in another file, many in one go.
//!
//! Owns: finding an answer by its key, proof that it is what was put there, and a bound on all of
//! them together, the longest unused going first. Doesn't own: what a key stands for, or whether an
//! answer still holds. Nothing here is precious: a damaged file is thrown away and begun anew, and
//! no power failure is waited for. Several processes may use the file at once.

use crate::durability::Durability;
use crate::store::{beside, connect, create_private, plain_path, refuse_stump};
use crate::{Result, StoreError};
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// "Rfna": marks the file as one of answers.
const APPLICATION_ID: i64 = 0x5266_6e61;
const VERSION: i64 = 1;
const TABLES: &str = include_str!("schema/answers.sql");

/// Another process that is writing is waited for so long: making the call again isn't much slower.
const BUSY_TIMEOUT: Duration = Duration::from_millis(250);

/// One answer may take this part of the room for all.
const LARGEST_SHARE: u64 = 4;

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerBounds {
    /// Bytes of all answers together.
    pub bytes: u64,
    /// Answers.
    pub entries: u64,
}

impl Default for AnswerBounds {
    fn default() -> Self {
        Self { bytes: 64 << 20, entries: 20_000 }
    }
}

/// The file, open.
#[derive(Debug)]
pub struct Answers {
    connection: Connection,
    path: PathBuf,
    bounds: AnswerBounds,
}

impl Answers {
    /// Opens the file; creates it (mode 0600) where it is missing, and begins anew where it is
    /// damaged. Its folder must exist. A file of another program or of a newer version is refused.
    pub fn open(path: &Path, bounds: AnswerBounds) -> Result<Self> {
        let path = plain_path(path)?;
        match Self::open_as_it_is(&path, bounds) {
            Err(StoreError::Corrupt { .. }) => {
                discard(&path)?;
                Self::open_as_it_is(&path, bounds)
            }
            opened => opened,
        }
    }

    fn open_as_it_is(path: &Path, bounds: AnswerBounds) -> Result<Self> {
        refuse_stump(path)?;
        create_private(path)?;
        let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let failed = |error| StoreError::sqlite(path, error);
        connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
        prepare_tables(path, &mut connection)?;
        Durability::Relaxed.prepare(path, &connection)?;
        // Twice the room, for what SQLite needs besides; beyond it the file is full.
        let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0)).map_err(failed)?;
        let pages = bounds.bytes.saturating_mul(2) / page.unsigned_abs().max(1) + 64;
        let pages = i64::try_from(pages).unwrap_or(i64::MAX);
        connection
            .pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, i64>(0))
            .map_err(failed)?;
        Ok(Self { connection, path: path.to_owned(), bounds })
    }

    /// The answer of this key. One that isn't what was put there is removed and reported as damage.
    pub fn get(&mut self, key: &str) -> Result<Option<Vec<u8>>> {
        let found = self
            .connection
            .prepare_cached("SELECT hash, body FROM answers WHERE key = ?1")
            .and_then(|mut query| {
                let row =
                    query.query_row([key], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?)));
                row.optional()
            })
            .map_err(|error| self.failed(error))?;
        let Some((hash, body)) = found else { return Ok(None) };
        if hash != hash_of(key, &body) {
            // Where it can't be removed it is found damaged again next time.
            let _ = self.connection.execute("DELETE FROM answers WHERE key = ?1", [key]);
            let why = "an answer in it isn't what was put there".to_owned();
            return Err(StoreError::Corrupt { path: self.path.clone(), why });
        }
        // That it was used is worth no wait: it may go a little earlier for it.
        let _ = self.connection.execute(USED, [key]);
        Ok(Some(body))
    }

    /// Keeps an answer, in place of an earlier one of the same key; false if it is too large to be
    /// kept. The longest unused ones make room.
    pub fn put(&mut self, key: &str, body: &[u8]) -> Result<bool> {
        let bytes = body.len() as u64;
        if bytes > self.bounds.bytes / LARGEST_SHARE {
            return Ok(false);
        }
        let (most_bytes, most_entries) = (bound(self.bounds.bytes), bound(self.bounds.entries));
        let put = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.prepare_cached(PUT)?.execute((
                key,
                hash_of(key, body).as_slice(),
                body,
                bound(bytes),
            ))?;
            transaction.prepare_cached(MAKE_ROOM)?.execute((most_bytes, most_entries))?;
            transaction.commit()
        };
        put(&mut self.connection).map_err(|error| self.failed(error))?;
        Ok(true)
    }

    /// The answers of these keys, in their order. Those beyond `room` bytes altogether are left out, and
    /// so is one that isn't what was put there; it is removed.
    pub fn get_many(&mut self, keys: &[String], room: u64) -> Result<Vec<Option<Vec<u8>>>> {
        let mut left = room;
        let (mut found, mut damaged) = (Vec::with_capacity(keys.len()), Vec::new());
        let mut read = |connection: &Connection| {
            // One view of the file for all of them.
            let view = connection.unchecked_transaction()?;
            let mut query =
                view.prepare_cached("SELECT hash, body FROM answers WHERE key = ?1 AND bytes <= ?2")?;
            for key in keys {
                let row = query
                    .query_row((key, bound(left)), |row| {
                        Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
                    })
                    .optional()?;
                let (whole, other) = match row {
                    Some((hash, body)) if hash == hash_of(key, &body) => (Some(body), None),
                    Some(_) => (None, Some(key)),
                    None => (None, None),
                };
                left = left.saturating_sub(whole.as_ref().map_or(0, |body| body.len() as u64));
                damaged.extend(other);
                found.push(whole);
            }
            Ok(())
        };
        read(&self.connection).map_err(|error| self.failed(error))?;
        // Neither is worth a wait: what is damaged is found so again, and what was used may go a little
        // earlier for it.
        let used = keys.iter().zip(&found).filter(|(_, found)| found.is_some()).map(|(key, _)| key);
        let _ = note(&mut self.connection, used, &damaged);
        Ok(found)
    }

    /// Keeps these answers in one go, each in place of an earlier one of the same key; those that are too
    /// large to be kept are passed over. The longest unused ones make room, some more than needed.
    pub fn put_many(&mut self, answers: &[(String, Vec<u8>)]) -> Result<()> {
        let (most, largest) = (self.bounds, self.bounds.bytes / LARGEST_SHARE);
        let put = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut put = transaction.prepare_cached(PUT)?;
            for (key, body) in answers.iter().filter(|(_, body)| body.len() as u64 <= largest) {
                put.execute((key, hash_of(key, body).as_slice(), body, bound(body.len() as u64)))?;
            }
            drop(put);
            let (bytes, entries): (i64, i64) = transaction.query_row(
                "SELECT coalesce(sum(bytes), 0), count(*) FROM answers",
                [],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            if bytes > bound(most.bytes) || entries > bound(most.entries) {
                // Looking at all of them takes long: not for each few.
                let kept = |amount: u64| bound(amount - amount / 8);
                transaction.prepare_cached(MAKE_ROOM)?.execute((kept(most.bytes), kept(most.entries)))?;
            }
            transaction.commit()
        };
        put(&mut self.connection).map_err(|error| self.failed(error))
    }

    /// A failure; a file that turns out to be damaged is taken away, so that the next who opens it
    /// begins anew.
    fn failed(&self, error: rusqlite::Error) -> StoreError {
        let error = StoreError::sqlite(&self.path, error);
        if matches!(error, StoreError::Corrupt { .. }) {
            // If that fails it is found damaged again.
            let _ = discard(&self.path);
        }
        error
    }
}

const PUT: &str = "INSERT OR REPLACE INTO answers (key, hash, body, bytes, used)
    VALUES (?1, ?2, ?3, ?4, (SELECT coalesce(max(used), 0) + 1 FROM answers))";

const USED: &str =
    "UPDATE answers SET used = (SELECT coalesce(max(used), 0) + 1 FROM answers) WHERE key = ?1";

const MAKE_ROOM: &str = "DELETE FROM answers WHERE key IN (
    SELECT key FROM (
        SELECT key, sum(bytes) OVER latest AS total, row_number() OVER latest AS place
        FROM answers WINDOW latest AS (ORDER BY used DESC, key)
    ) WHERE total > ?1 OR place > ?2)";

/// As SQLite counts.
fn bound(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

/// Notes which answers were used, and removes those that are damaged.
fn note<'a>(
    connection: &mut Connection,
    used: impl Iterator<Item = &'a String>,
    damaged: &[&String],
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut use_it = transaction.prepare_cached(USED)?;
    for key in used {
        use_it.execute([key])?;
    }
    drop(use_it);
    for key in damaged {
        transaction.execute("DELETE FROM answers WHERE key = ?1", [key])?;
    }
    transaction.commit()
}

fn hash_of(key: &str, body: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key.as_bytes()).update(b"\0").update(body);
    *hasher.finalize().as_bytes()
}

/// Takes the file away. A process that has it open goes on with what it has.
fn discard(path: &Path) -> Result<()> {
    for file in [beside(path, "-wal"), beside(path, "-shm"), path.to_owned()] {
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io(&file, &error));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Whether the file has the table; refuses what isn't a file of answers of this version.
fn has_tables(path: &Path, connection: &Connection) -> Result<bool> {
    let failed = |error| StoreError::sqlite(path, error);
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let (application, version) =
        (number("application_id").map_err(failed)?, number("user_version").map_err(failed)?);
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
    match (application, version) {
        (APPLICATION_ID, VERSION) => Ok(true),
        (APPLICATION_ID, found) if found > VERSION => {
            Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION })
        }
        (0, 0) if tables == 0 => Ok(false),
        _ => Err(StoreError::Foreign { path: path.to_owned() }),
    }
}

/// Creates the table where there is none.
fn prepare_tables(path: &Path, connection: &mut Connection) -> Result<()> {
    let failed = |error| StoreError::sqlite(path, error);
    // In one view of the file: another process may be making it.
    let view = connection.transaction().map_err(failed)?;
    if has_tables(path, &view)? {
        return Ok(());
    }
    drop(view);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Asked again: another process may have made it meanwhile.
    if has_tables(path, &transaction)? {
        return Ok(());
    }
    transaction.execute_batch(TABLES).map_err(failed)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    transaction.pragma_update(None, "user_version", VERSION).map_err(failed)?;
    transaction.commit().map_err(failed)
}
