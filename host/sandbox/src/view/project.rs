//! The project folder: opened once, so that all grants are looked up below one handle.

use super::beneath::{Handle, Walk};
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// A project folder, open. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ProjectDir {
    path: PathBuf,
    pub(crate) handle: Handle,
    pub(super) walk: Walk,
}

/// Why a project folder can't be opened.
#[derive(Debug, Error)]
pub enum ProjectError {
    /// There is no such folder.
    #[error("there is no project folder `{}`; give the path of a folder that exists", .0.display())]
    Missing(PathBuf),
    /// It is something else.
    #[error("`{}` is not a folder; give the folder that holds it", .0.display())]
    NotAFolder(PathBuf),
    /// The system refuses.
    #[error("the project folder `{}` can't be opened: {source}; check its permissions", path.display())]
    Unreadable {
        /// As it was given.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl ProjectDir {
    /// Opens a project folder. The path may be relative and may lead through links: it's the
    /// user's own word; only what lies below is fenced.
    pub fn open(path: &Path) -> Result<Self, ProjectError> {
        let unreadable = |source| ProjectError::Unreadable { path: path.to_owned(), source };
        let real = path.canonicalize().map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => ProjectError::Missing(path.to_owned()),
            std::io::ErrorKind::NotADirectory => ProjectError::NotAFolder(path.to_owned()),
            _ => unreadable(source),
        })?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = openat(CWD, &real, flags, Mode::empty()).map_err(|errno| match errno {
            Errno::NOTDIR => ProjectError::NotAFolder(path.to_owned()),
            errno => unreadable(errno.into()),
        })?;
        let walk = Walk::detect(&handle);
        Ok(Self { path: real, handle: Arc::new(handle), walk })
    }

    /// The same project, walked in the given way instead of the one that was detected.
    pub fn walked(self, walk: Walk) -> Self {
        Self { walk, ..self }
    }

    /// Opens a folder of the project, for listing and to work in; through no link.
    pub(crate) fn folder(&self, place: &str) -> Result<OwnedFd, Errno> {
        let way = if place.is_empty() { "." } else { place };
        self.walk.open(&self.handle, way, OFlags::RDONLY | OFlags::DIRECTORY)
    }

    /// Opens a file in an open folder of the project for reading, if it is a regular one.
    pub(crate) fn file(&self, folder: &OwnedFd, name: &str) -> Result<Option<File>, Errno> {
        let file = self.walk.open(folder, name, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
        let is_file = FileType::from_raw_mode(fstat(&file)?.st_mode) == FileType::RegularFile;
        Ok(is_file.then(|| File::from(file)))
    }

    /// Its path on the host: absolute, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
