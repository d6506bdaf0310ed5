//! The user's own configuration file.

use super::file::ConfigFile;
use super::named_secrets;
use super::reading::{self, Reading, unreadable};
use crate::exit::Refusal;
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_sandbox::Overrides;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file, if there is one.
#[derive(Debug, Default)]
pub(super) struct UserFile {
    pub(super) config: ConfigFile,
    folder: PathBuf,
    /// Whether it may name components that can't be told.
    pub(super) lacks_components: bool,
}

impl UserFile {
    /// The folder that it is in.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The components it names, found from its own folder, with what it says of their tools.
    pub(super) fn components(&self) -> impl Iterator<Item = (PathBuf, Overrides)> {
        let named = self.config.components.iter();
        named.map(|component| (self.folder.join(&component.path), component.overrides.clone()))
    }
}

/// Reads it; one with a mistake is an error.
pub(super) fn read(folders: &Folders) -> Result<UserFile> {
    let (file, wrong) = survey(folders);
    wrong.map_or(Ok(file), Err)
}

/// Reads of it what can be read, and says what is wrong with it.
pub(super) fn survey(folders: &Folders) -> (UserFile, Option<anyhow::Error>) {
    let Some(path) = folders.user_config() else { return (UserFile::default(), None) };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return (UserFile::default(), None);
        }
        Err(error) => {
            let what = format!("{} can't be read: {error}", path.display());
            let unread = UserFile { lacks_components: true, ..UserFile::default() };
            return (unread, Some(Refusal::usage(what).into()));
        }
    };
    let named = path.display().to_string();
    let Reading { config, problems, lacks_components } = reading::survey(&named, &text);
    let wrong = match problems.as_slice() {
        [] => named_secrets::check(&config).err(),
        problems => Some(unreadable(&named, problems)),
    };
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    (UserFile { config, folder, lacks_components }, wrong)
}
