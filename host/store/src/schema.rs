//! The tables, and how a file becomes one of ours.
//!
//! `application_id` marks the file, `user_version` is the schema's version. A newer version is
//! refused; an older one is migrated step by step in [`STEPS`] by who writes, and seen through the
//! views of [`VIEWS`] by who only reads.

use crate::{Result, StoreError};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// "Rfnc": marks the file as ours.
const APPLICATION_ID: i64 = 0x5266_6e63;

/// How long to wait for another process that is writing.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Step `n` takes a file from version `n` to `n + 1`.
const STEPS: [&str; 2] = [include_str!("schema/v1.sql"), include_str!("schema/v2.sql")];

/// View `n` shows a file of version `n + 1` as one of [`VERSION`].
const VIEWS: [&str; STEPS.len() - 1] = [include_str!("schema/v1_as_v2.sql")];

/// The version of the tables that this program writes.
pub const VERSION: i64 = STEPS.len() as i64;

/// Settings that every connection needs before it touches a table.
pub(crate) fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    // Who reads an older file makes views, and must not need a folder for them.
    connection.pragma_update(None, "temp_store", "MEMORY")
}

/// What a file of ours, or an empty one, holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tables {
    /// None yet.
    Missing,
    /// Those of an older version, from 1.
    Older(usize),
    /// Those that this program writes.
    Current,
}

/// Which tables the file holds; refuses one that isn't ours or is newer. In one view of the file:
/// another process may be making it.
pub(crate) fn tables(path: &Path, connection: &Connection) -> Result<Tables> {
    let view = connection.unchecked_transaction().map_err(|error| StoreError::sqlite(path, error))?;
    tables_within(path, &view)
}

fn tables_within(path: &Path, connection: &Connection) -> Result<Tables> {
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
        return Ok(Tables::Missing);
    }
    match usize::try_from(version) {
        Err(_) => {
            let why = format!("it says that its schema is {version}");
            Err(StoreError::Corrupt { path: path.to_owned(), why })
        }
        Ok(0) => Ok(Tables::Missing),
        Ok(older) if older < STEPS.len() => Ok(Tables::Older(older)),
        Ok(current) if current == STEPS.len() => Ok(Tables::Current),
        Ok(_) => Err(StoreError::Newer { path: path.to_owned(), found: version, known: VERSION }),
    }
}

/// Creates or migrates the tables, in one transaction.
pub(crate) fn bring_up_to_date(path: &Path, connection: &mut Connection) -> Result<()> {
    let failed = |error| StoreError::sqlite(path, error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Asked again: another process may have done it while this one waited for the lock.
    let done = match tables_within(path, &transaction)? {
        Tables::Missing => 0,
        Tables::Older(version) => version,
        Tables::Current => return Ok(()),
    };
    for step in STEPS.iter().skip(done) {
        transaction.execute_batch(step).map_err(|error| match error.sqlite_error_code() {
            // Its own tables forbid what the new ones forbid, so somebody has been at it.
            Some(ErrorCode::ConstraintViolation) => {
                let why = format!("its rows contradict each other ({error})");
                StoreError::Corrupt { path: path.to_owned(), why }
            }
            _ => failed(error),
        })?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    transaction.pragma_update(None, "user_version", VERSION).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Lets this connection read a file of an older version as if it were up to date; the file stays
/// as it is.
pub(crate) fn view_as_current(path: &Path, connection: &Connection, older: usize) -> Result<()> {
    let views = VIEWS.get(older - 1).copied().unwrap_or_default();
    connection.execute_batch(views).map_err(|error| StoreError::sqlite(path, error))
}
