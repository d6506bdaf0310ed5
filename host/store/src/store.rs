//! Opening the file.

use crate::durability::Durability;
use crate::schema::Tables;
use crate::{Result, StoreError, schema};
use ringfence_engine::Timestamp;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Bytes of the smallest page that SQLite has; no file with anything in it is shorter.
const SMALLEST_PAGE: u64 = 512;

/// The journal of all runs, in one file.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) durability: Durability,
}

impl Store {
    /// Opens the file for reading and writing; creates it (mode 0600) where it is missing, and
    /// migrates one of an older version. Its folder must exist. What is acknowledged survives the
    /// death of the machine.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, Durability::default())
    }

    /// The same, with leases whose steps survive what is asked for. A file may be driven with
    /// either at any time, also at once.
    pub fn open_with(path: &Path, durability: Durability) -> Result<Self> {
        let path = plain_path(path)?;
        refuse_stump(&path)?;
        create_private(&path)?;
        let mut connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        // SQLite opens it for reading where it can't be written, and says so only much later.
        if connection.is_readonly("main").map_err(|error| StoreError::sqlite(&path, error))? {
            return Err(StoreError::ReadOnly { path });
        }
        let tables = schema::tables(&path, &connection)?;
        // Nobody asks for a migration that a power failure takes back.
        Durability::Full.prepare(&path, &connection)?;
        match tables {
            Tables::Missing | Tables::Older(_) => schema::bring_up_to_date(&path, &mut connection)?,
            Tables::Current => {}
        }
        let store = Self { connection, path, durability };
        store.check_if_cut()?;
        Ok(store)
    }

    /// Opens an existing file for reading alone, also one of an older version, which stays as it
    /// is. A folder that can't be written to will do.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        let path = plain_path(path)?;
        refuse_stump(&path)?;
        let opened = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .and_then(|connection| schema::tables(&path, &connection).map(|tables| (connection, tables)));
        let (connection, tables) = match opened {
            // With no log beside it the file is whole, and SQLite can do without shared memory.
            Err(StoreError::CannotOpen { .. } | StoreError::ReadOnly { .. })
                if path.exists() && !beside(&path, "-wal").exists() =>
            {
                let connection = connect_immutable(&path)?;
                let tables = schema::tables(&path, &connection)?;
                (connection, tables)
            }
            other => other?,
        };
        match tables {
            Tables::Missing => {
                let why = "it holds no journal yet".to_owned();
                return Err(StoreError::CannotOpen { path, why });
            }
            Tables::Older(version) => schema::view_as_current(&path, &connection, version)?,
            Tables::Current => {}
        }
        let store = Self { connection, path, durability: Durability::default() };
        store.check_if_cut()?;
        Ok(store)
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads through the whole file and reports damage.
    pub fn check(&self) -> Result<()> {
        let found: String = self
            .connection
            .pragma_query_value(None, "integrity_check", |row| row.get(0))
            .map_err(|error| self.failed(error))?;
        if found == "ok" { Ok(()) } else { Err(StoreError::Corrupt { path: self.path.clone(), why: found }) }
    }

    /// Reads through a file that ends within a page: it was cut, or its disk was full while the log
    /// was moved into it. SQLite takes the rest of the page for an empty one, and finds nothing in it.
    fn check_if_cut(&self) -> Result<()> {
        let page: i64 = self
            .connection
            .pragma_query_value(None, "page_size", |row| row.get(0))
            .map_err(|error| self.failed(error))?;
        let length = fs::metadata(&self.path).map_err(|error| StoreError::io(&self.path, &error))?.len();
        if length.is_multiple_of(page.unsigned_abs()) { Ok(()) } else { self.check() }
    }

    /// The time to put on an event or a new run: now.
    pub fn now() -> Timestamp {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    pub(crate) fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.path, error)
    }

    pub(crate) fn no_such_run(&self, asked: &str) -> StoreError {
        StoreError::NoSuchRun { asked: asked.chars().take(80).collect(), path: self.path.clone() }
    }
}

pub(crate) fn connect(path: &Path, access: OpenFlags) -> Result<Connection> {
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
pub(crate) fn plain_path(path: &Path) -> Result<PathBuf> {
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

/// Refuses what SQLite would take for an empty file, and write over, though something was in it.
pub(crate) fn refuse_stump(path: &Path) -> Result<()> {
    // In this order: the file has its first page before there is a log.
    let log = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    let shortest = if log { 0 } else { 1 };
    match fs::metadata(path) {
        Ok(file) if (shortest..SMALLEST_PAGE).contains(&file.len()) => {
            let why = format!("it ends after {} bytes", file.len());
            Err(StoreError::Corrupt { path: path.to_owned(), why })
        }
        // What isn't there is found missing, or made, by who asked.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Creates the file for this user alone and makes its name durable.
pub(crate) fn create_private(path: &Path) -> Result<()> {
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match created {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(StoreError::io(path, &error)),
    }
    let folder = path.parent().unwrap_or(path);
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| StoreError::io(folder, &error))
}

pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
