//! Everything that is wrong with the configuration of a project and its user, as far as one
//! mistake doesn't hide another.

use super::file::ConfigFile;
use super::lowered::{Lowered, lowered};
use super::project_files::ProjectFiles;
use super::reading::place;
use super::roles::Role;
use super::secrets::{self, Looked};
use super::user_file::{self, UserFile};
use super::{Flags, Resolved, dirs, layers, search};
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_sandbox::{ComponentSource, DirGrant, Grants, ProjectDir};
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
    /// Every tool that the files narrow.
    pub tools: Vec<Narrowed>,
    /// The components that the files name; none if not all of them can be had.
    pub components: Option<Vec<ComponentSource>>,
    /// Every role of both files.
    pub roles: Vec<Role>,
    /// Every secret of the user's own file.
    pub secrets: Vec<Looked>,
}

impl Survey {
    /// Reads and layers without asking whether the project is trusted: nothing comes of it.
    pub fn of(project: &ProjectDir, folders: &Folders) -> Result<Self> {
        let (files, mut wrong) = ProjectFiles::survey(project.path())?;
        let (user, user_is_wrong) = user_file::survey(folders);
        let user_is_whole = user_is_wrong.is_none();
        wrong.extend(user_is_wrong);
        let user_file = folders.user_config().filter(|path| path.exists());
        let is_whole = wrong.is_empty();
        let own = &user.config;
        let grants = layers::grants(&files.config, own, &Flags::default());
        let mut roles = Vec::new();
        for layer in [&files.config, own] {
            for (name, section) in &layer.roles {
                match Role::of(name, section, layer) {
                    Ok(role) => {
                        wrong.extend(narrows(&files.config, own, name).err().filter(|_| is_whole));
                        roles.push(role);
                    }
                    Err(error) => wrong.push(error),
                }
            }
        }
        let mut resolved = None;
        if is_whole {
            match Resolved::of_files(project, &files, &Flags::default(), folders) {
                Ok(layered) => {
                    wrong.extend(layered.unusable().map(anyhow::Error::from));
                    resolved = Some(layered);
                }
                Err(error) => wrong.push(error),
            }
        }
        let unsearched = resolved.iter().flat_map(|it| search::lacking(own, it)).collect();
        let layered = resolved.iter();
        let lowered = layered.flat_map(|it| lowered(&files.config, &Flags::default(), it)).collect();
        let secrets = match own.secrets.is_empty() || !user_is_whole {
            true => Vec::new(),
            false => secrets::survey(own, &grants.hosts, folders)?,
        };
        let (tools, components) = match &resolved {
            Some(resolved) => (of_resolved(resolved), Some(resolved.components.clone())),
            None => (of_sections(&[&files.config, own]), components(&files, &user)),
        };
        Ok(Self {
            files,
            user_file,
            wrong,
            resolved,
            lowered,
            unsearched,
            grants,
            tools,
            components,
            roles,
            secrets,
        })
    }
}

/// A tool as a file narrows it.
#[derive(Debug)]
pub struct Narrowed {
    /// Its name.
    pub name: String,
    /// The folders that it is left.
    pub dirs: Vec<DirGrant>,
    /// Where it is said, for errors.
    pub said_in: String,
}

fn of_resolved(resolved: &Resolved) -> Vec<Narrowed> {
    let tools = resolved.tools.iter().map(|(name, policy)| Narrowed {
        name: name.clone(),
        dirs: policy.dirs.clone(),
        said_in: policy.said_in.clone(),
    });
    tools.collect()
}

/// As the sections have them, where no more can be told.
fn of_sections(layers: &[&ConfigFile]) -> Vec<Narrowed> {
    let of_layer = |layer: &ConfigFile| -> Vec<_> {
        let tools = layer.tools.iter().map(|(name, section)| Narrowed {
            name: name.clone(),
            dirs: section.dirs.as_deref().map(dirs::plain).unwrap_or_default(),
            said_in: format!("{}: [tools.{name}]", place(layer, &format!("tools.{name}"))),
        });
        tools.collect()
    };
    layers.iter().flat_map(|layer| of_layer(layer)).collect()
}

/// The components of both files, if all of them can be had.
fn components(files: &ProjectFiles, user: &UserFile) -> Option<Vec<ComponentSource>> {
    if files.lacks_components || user.lacks_components {
        return None;
    }
    let of_user = user.components().map(|(path, overrides)| {
        let source = ComponentSource::from_file(&path).ok()?;
        Some(source.with_overrides(overrides))
    });
    files.components().map(Some).chain(of_user).collect()
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
