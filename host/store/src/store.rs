//! Opening the file, entering runs, taking leases.

use crate::agreement::check_start;
use crate::lease::{Entry, Lease};
use crate::lock_file::LockFile;
use crate::run::{NewRun, check_id};
use crate::{Result, StoreError, schema};
use ringfence_engine::{RunId, Timestamp};
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The journal of all runs, in one file.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

impl Store {
    /// Opens the file for reading and writing; creates it (mode 0600) where it is missing.
    /// Its folder must exist.
    pub fn open(path: &Path) -> Result<Self> {
        let path = plain_path(path)?;
        create_private(&path)?;
        let mut connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let current = schema::is_current(&path, &connection)?;
        schema::make_durable(&path, &connection)?;
        if !current {
            schema::bring_up_to_date(&path, &mut connection)?;
        }
        Ok(Self { connection, path })
    }

    /// Opens an existing file for reading alone; a folder that can't be written to will do.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        let path = plain_path(path)?;
        let opened = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| {
            schema::is_current(&path, &connection).map(|current| (connection, current))
        });
        let (connection, current) = match opened {
            // With no log beside it the file is whole, and SQLite can do without shared memory.
            Err(StoreError::CannotOpen { .. } | StoreError::ReadOnly { .. })
                if path.exists() && !beside(&path, "-wal").exists() =>
            {
                let connection = connect_immutable(&path)?;
                let current = schema::is_current(&path, &connection)?;
                (connection, current)
            }
            other => other?,
        };
        if !current {
            let why = "it holds no journal yet".to_owned();
            return Err(StoreError::CannotOpen { path, why });
        }
        Ok(Self { connection, path })
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Enters a run with its first event and intents, and leases it to this process.
    pub fn create_run(&self, run: &NewRun, first: &Entry<'_>) -> Result<Lease> {
        check_id(&run.id)?;
        check_start(&run.id, &run.goal, first.event)
            .map_err(|why| StoreError::Inconsistent { run: run.id.clone(), why: why.to_owned() })?;
        let digest = crate::run::digest(&run.id, &run.project, &run.goal, &run.model, run.created)?;
        let lock = LockFile::take(&self.leases(), &run.id)?;
        let mut connection = self.writer()?;
        let transaction = self.begin(&mut connection)?;
        let known = transaction
            .query_row("SELECT 1 FROM runs WHERE id = ?1", [&run.id.0], |_| Ok(()))
            .optional()
            .map_err(|error| self.failed(error))?;
        if known.is_some() {
            return Err(StoreError::Exists { run: run.id.clone() });
        }
        transaction
            .execute(
                "INSERT INTO runs (id, project, goal, model, created, updated, stage, ending, events, token, digest)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5, 'initializing', NULL, 0, 1, ?6)",
                params![
                    run.id.0,
                    run.project.as_os_str().as_bytes(),
                    run.goal,
                    run.model,
                    run.created.0,
                    digest
                ],
            )
            .map_err(|error| self.failed(error))?;
        let row = transaction.last_insert_rowid();
        crate::lease::write(&self.path, &transaction, &run.id, row, 1, first)?;
        transaction.commit().map_err(|error| self.failed(error))?;
        Ok(Lease::new(connection, self.path.clone(), run.id.clone(), row, 1, lock))
    }

    /// Takes the run for this process. Fails at once while a live process has it; whatever
    /// lease was held before can't write any more.
    pub fn lease(&self, run: &RunId) -> Result<Lease> {
        check_id(run)?;
        let known = self
            .connection
            .query_row("SELECT n FROM runs WHERE id = ?1", [&run.0], |row| row.get::<_, i64>(0))
            .optional()
            .map_err(|error| self.failed(error))?;
        let Some(row) = known else {
            return Err(StoreError::NoSuchRun { asked: run.0.clone(), path: self.path.clone() });
        };
        let lock = LockFile::take(&self.leases(), run)?;
        let mut connection = self.writer()?;
        let transaction = self.begin(&mut connection)?;
        let token: i64 = transaction
            .query_row("UPDATE runs SET token = token + 1 WHERE n = ?1 RETURNING token", [row], |row| {
                row.get(0)
            })
            .map_err(|error| self.failed(error))?;
        transaction.commit().map_err(|error| self.failed(error))?;
        Ok(Lease::new(connection, self.path.clone(), run.clone(), row, token, lock))
    }

    /// Reads through the whole file and reports damage.
    pub fn check(&self) -> Result<()> {
        let found: String = self
            .connection
            .pragma_query_value(None, "integrity_check", |row| row.get(0))
            .map_err(|error| self.failed(error))?;
        if found == "ok" { Ok(()) } else { Err(StoreError::Corrupt { path: self.path.clone(), why: found }) }
    }

    /// The time to put on an event or a new run: now.
    pub fn now() -> Timestamp {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    pub(crate) fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.path, error)
    }

    fn leases(&self) -> PathBuf {
        self.path.with_file_name("leases")
    }

    /// Each lease writes through its own connection, so that readers never wait for it.
    fn writer(&self) -> Result<Connection> {
        let connection = connect(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        schema::make_durable(&self.path, &connection)?;
        Ok(connection)
    }

    fn begin<'c>(&self, connection: &'c mut Connection) -> Result<rusqlite::Transaction<'c>> {
        connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| self.failed(error))
    }
}

fn connect(path: &Path, access: OpenFlags) -> Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let failed = |error| StoreError::sqlite(path, error);
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    schema::harden(&connection).map_err(failed)?;
    Ok(connection)
}

fn connect_immutable(path: &Path) -> Result<Connection> {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(*byte))
            }
            other => uri.push_str(&format!("%{other:02x}")),
        }
    }
    uri.push_str("?immutable=1");
    connect(Path::new(&uri), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI).map_err(|error| {
        match error {
            StoreError::CannotOpen { why, .. } => StoreError::CannotOpen { path: path.to_owned(), why },
            other => other,
        }
    })
}

/// The real folder with the file's name: links in the folder's path are fine, a link in place
/// of the file isn't.
fn plain_path(path: &Path) -> Result<PathBuf> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = path.file_name().ok_or_else(|| StoreError::CannotOpen {
        path: path.to_owned(),
        why: "it names no file".to_owned(),
    })?;
    let folder = fs::canonicalize(folder).map_err(|error| StoreError::io(folder, &error))?;
    let path = folder.join(name);
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() => Ok(path),
        Ok(_) => {
            let why = "it is not an ordinary file".to_owned();
            Err(StoreError::CannotOpen { path, why })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path),
        Err(error) => Err(StoreError::io(&path, &error)),
    }
}

/// Creates the file for this user alone and makes its name durable.
fn create_private(path: &Path) -> Result<()> {
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match created {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(StoreError::io(path, &error)),
    }
    let folder = path.parent().unwrap_or(path);
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| StoreError::io(folder, &error))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
