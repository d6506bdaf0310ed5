//! The user's own configuration file.

use super::enforceable;
use super::file::ConfigFile;
use super::named_secrets;
use super::reading::{self, unreadable};
use crate::exit::Refusal;
use crate::state_dir::Folders;
use anyhow::Result;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file, if there is one.
#[derive(Debug, Default)]
pub(super) struct UserFile {
    pub(super) config: ConfigFile,
    folder: PathBuf,
}

impl UserFile {
    /// The folder that it is in.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The components it names, relative to its own folder.
    pub(super) fn components(&self) -> impl Iterator<Item = PathBuf> {
        self.config.components.iter().map(|path| self.folder.join(path))
    }
}

pub(super) fn read(folders: &Folders) -> Result<UserFile> {
    let Some(path) = folders.user_config() else { return Ok(UserFile::default()) };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(UserFile::default());
        }
        Err(error) => return Err(Refusal::usage(format!("{} can't be read: {error}", path.display())).into()),
    };
    let named = path.display().to_string();
    let config = reading::read(&named, &text).map_err(|problems| unreadable(&named, &problems))?;
    enforceable::check(&config, &named)?;
    named_secrets::check(&config)?;
    Ok(UserFile { config, folder: path.parent().map(PathBuf::from).unwrap_or_default() })
}
