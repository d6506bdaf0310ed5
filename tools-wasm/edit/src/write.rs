//! `write_file`.

use crate::failure::{Failure, bounded};
use ringfence_guest_project::{Fault, Root, quoted};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// What to write where.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteRequest<'a> {
    /// The file.
    pub file_path: &'a str,
    /// All that it will hold.
    pub content: &'a str,
    /// Whether missing folders are made.
    pub create_folders: bool,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The path, tidied.
    pub path: String,
    /// Whether there was none before.
    pub created: bool,
    /// Its size in bytes.
    pub size: u64,
    /// Its lines.
    pub lines: u32,
}

/// Writes a whole file. Never reads the one that is there: whether the caller knows it is for the
/// host to say, and reading it here would look as if it did.
pub fn write_file(root: &Root, request: &WriteRequest<'_>) -> Result<Written, Failure> {
    let asked = request.file_path;
    bounded(asked, request.content.len())?;
    if asked.is_empty() {
        return Err(Fault::NotFound("the path is empty; name a file, such as `src/main.py`".into()).into());
    }
    if asked.ends_with('/') {
        let path = quoted(asked);
        return Err(Fault::NotAFile(format!("{path}: names a folder; end it with a file's name")).into());
    }
    let (mut file, created) = open(root, request)?;
    put(asked, &mut file, request.content.as_bytes())?;
    Ok(Written {
        path: root.tidy(asked),
        created,
        size: request.content.len() as u64,
        lines: u32::try_from(request.content.lines().count()).unwrap_or(u32::MAX),
    })
}

/// Replaces the content of a file that is there.
pub(crate) fn overwrite(root: &Root, asked: &str, bytes: &[u8]) -> Result<(), Fault> {
    let mut file = truncated(&root.resolve(asked)).map_err(|error| Fault::of_write(asked, &error))?;
    put(asked, &mut file, bytes)
}

fn open(root: &Root, request: &WriteRequest<'_>) -> Result<(File, bool), Fault> {
    let asked = request.file_path;
    let path = root.resolve(asked);
    let fault = |error: io::Error| Fault::of_write(asked, &error);
    match create(&path) {
        Ok(file) => Ok((file, true)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if path.is_dir() {
                return Err(Fault::NotAFile(format!("{}: a directory, not a file", quoted(asked))));
            }
            truncated(&path).map(|file| (file, false)).map_err(fault)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let Some((folder, _)) = asked.rsplit_once('/') else { return Err(fault(error)) };
            if !request.create_folders {
                let (path, folder) = (quoted(asked), quoted(folder));
                return Err(Fault::NotFound(format!(
                    "{path}: there is no folder {folder}; make it with `create_folders`"
                )));
            }
            fs::create_dir_all(root.resolve(folder)).map_err(|error| Fault::of_write(folder, &error))?;
            create(&path).map(|file| (file, true)).map_err(fault)
        }
        Err(error) => Err(fault(error)),
    }
}

fn create(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).open(path)
}

fn truncated(path: &Path) -> io::Result<File> {
    File::options().write(true).truncate(true).open(path)
}

fn put(asked: &str, file: &mut File, bytes: &[u8]) -> Result<(), Fault> {
    file.write_all(bytes).map_err(|error| {
        let path = quoted(asked);
        Fault::Io(format!("{path}: {error}; the file was being written and may be incomplete"))
    })
}
