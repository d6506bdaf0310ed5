//! Everything that is wrong with the configuration of a project and its user, as far as one
//! mistake doesn't hide another.

use super::file::ConfigFile;
use super::lowered::{Lowered, lowered};
use super::project_files::ProjectFiles;
use super::roles::Role;
use super::secrets::{self, Looked};
use super::{Flags, Resolved, layers, search, user_file};
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_sandbox::{Grants, ProjectDir};
use std::path::PathBuf;

/// What was found.
#[derive(Debug)]
pub struct Survey {
    /// What the project says of itself.
    pub files: ProjectFiles,
    /// The user's own file, if there is one.
    pub user_file: Option<PathBuf>,
    /// What is wrong, by file.
    pub wrong: Vec<anyhow::Error>,
    /// What all of it comes to, where that can be told.
    pub resolved: Option<Resolved>,
    /// The project's limits that are above what holds.
    pub lowered: Vec<Lowered>,
    /// What the tool that searches would need besides, in words.
    pub unsearched: Vec<String>,
    /// What every tool may touch, as far as the files can be read.
    pub grants: Grants,
    /// Every role of both files.
    pub roles: Vec<Role>,
    /// Every secret of the user's own file.
    pub secrets: Vec<Looked>,
}

impl Survey {
    /// Reads and layers without asking whether the project is trusted: nothing comes of it.
    pub fn of(project: &ProjectDir, folders: &Folders) -> Result<Self> {
        let (files, mut wrong) = ProjectFiles::survey(project.path())?;
        let user = match user_file::read(folders) {
            Ok(user) => Some(user),
            Err(error) => {
                wrong.push(error);
                None
            }
        };
        let user_file = folders.user_config().filter(|path| path.exists());
        let is_whole = wrong.is_empty();
        let own = user.map(|user| user.config).unwrap_or_default();
        let grants = layers::grants(&files.config, &own, &Flags::default());
        let mut roles = Vec::new();
        for layer in [&files.config, &own] {
            for (name, section) in &layer.roles {
                match Role::of(name, section, layer) {
                    Ok(role) => {
                        wrong.extend(narrows(&files.config, &own, name).err().filter(|_| is_whole));
                        roles.push(role);
                    }
                    Err(error) => wrong.push(error),
                }
            }
        }
        let mut resolved = None;
        if is_whole {
            match Resolved::layered(&files, &Flags::default(), folders) {
                Ok(layered) => resolved = Some(layered),
                Err(error) => wrong.push(error),
            }
        }
        let unsearched = resolved.iter().flat_map(|it| search::lacking(&own, it)).collect();
        let layered = resolved.iter();
        let lowered = layered.flat_map(|it| lowered(&files.config, &Flags::default(), it)).collect();
        let secrets = match own.secrets.is_empty() {
            true => Vec::new(),
            false => secrets::survey(&own, &grants.hosts, folders)?,
        };
        Ok(Self { files, user_file, wrong, resolved, lowered, unsearched, grants, roles, secrets })
    }
}

/// Whether the folders of a role lie in what is granted.
fn narrows(project: &ConfigFile, user: &ConfigFile, role: &str) -> Result<()> {
    // What is wrong without any role is told without it.
    if Resolved::of_layers(project, user, &Flags::default()).is_err() {
        return Ok(());
    }
    let flags = Flags { role: Some(role.to_owned()), ..Flags::default() };
    Resolved::of_layers(project, user, &flags).map(drop)
}
