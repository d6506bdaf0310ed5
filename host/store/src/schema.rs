//! The tables, and how a file becomes one of ours.
//!
//! `application_id` marks the file, `user_version` is the schema's version. A newer version is
//! refused; an older one would be migrated step by step in [`STEPS`].

use crate::{Result, StoreError};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;
use std::time::{Duration, Instant};

/// "Rfnc": marks the file as ours.
const APPLICATION_ID: i64 = 0x5266_6e63;

/// How long to wait for another process that is writing.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Step `n` takes a file from version `n` to `n + 1`.
const STEPS: [&str; 1] = [include_str!("schema/v1.sql")];

/// The version of the tables that this program writes.
pub const VERSION: i64 = STEPS.len() as i64;

/// Settings that every connection needs before it touches a table.
pub(crate) fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    Ok(())
}

/// Settings of a connection that writes: every commit is on the disk before it is acknowledged.
pub(crate) fn make_durable(path: &Path, connection: &Connection) -> Result<()> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        // Switching to WAL doesn't wait for others by itself, hence the loop.
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)) {
            Ok(mode) if mode.eq_ignore_ascii_case("wal") => break,
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
    let set = || {
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "fullfsync", true)?;
        connection.pragma_update(None, "journal_size_limit", 8 << 20)
    };
    set().map_err(|error| StoreError::sqlite(path, error))
}

/// Refuses a file that isn't ours or is newer; says whether it has to be brought up to date.
pub(crate) fn is_current(path: &Path, connection: &Connection) -> Result<bool> {
    let number = |pragma: &str| {
        connection
            .pragma_query_value(None, pragma, |row| row.get::<_, i64>(0))
            .map_err(|error| StoreError::sqlite(path, error))
    };
    let (application, version) = (number("application_id")?, number("user_version")?);
    if application != APPLICATION_ID {
        let tables: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(|error| StoreError::sqlite(path, error))?;
        if application != 0 || version != 0 || tables != 0 {
            return Err(StoreError::Foreign { path: path.to_owned() });
        }
        return Ok(false);
    }
    if version > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found: version, known: VERSION });
    }
    Ok(version == VERSION)
}

/// Creates or migrates the tables, in one transaction.
pub(crate) fn bring_up_to_date(path: &Path, connection: &mut Connection) -> Result<()> {
    let failed = |error| StoreError::sqlite(path, error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have done it while this one waited for the lock.
    if is_current(path, &transaction)? {
        return Ok(());
    }
    let version: i64 =
        transaction.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
    for step in STEPS.iter().skip(usize::try_from(version).unwrap_or(0)) {
        transaction.execute_batch(step).map_err(failed)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    transaction.pragma_update(None, "user_version", VERSION).map_err(failed)?;
    transaction.commit().map_err(failed)
}
