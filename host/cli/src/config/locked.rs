//! Pinned components as they are here now: ready, or why they aren't run.
//!
//! Owns: finding their bytes and holding them against the lock. Doesn't own: fetching, changing the
//! lock.

use super::lock::{Entry, LOCK, Lock};
use super::lock_commands::LockCommands;
use super::project_files::{ProjectFiles, component_of};
use super::{Flags, Resolved, trusted_keys, user_file};
use crate::exit::Refusal;
use crate::shelf::Shelf;
use crate::state_dir::Folders;
use crate::toolset::{Bound, Bounds};
use anyhow::Result;
use ringfence_registry::{Source, TrustedKeys};
use ringfence_sandbox::reflect::{ComponentTools, ReflectLimits, reflect};
use ringfence_sandbox::{ComponentSource, Digest, ProjectDir};
use std::collections::BTreeSet;
use std::path::Path;

/// A pinned component.
#[derive(Debug, Clone)]
pub struct Locked {
    /// As the lock has it.
    pub entry: Entry,
    /// As it is here.
    pub here: Here,
    /// What can be done about it.
    pub commands: LockCommands,
}

/// Whether it can be run.
#[derive(Debug, Clone)]
pub enum Here {
    /// What is here is what is pinned.
    Ready(ComponentSource),
    /// It isn't.
    Not(Unusable),
}

/// Why a pinned component isn't run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// Its bytes aren't on this machine.
    Missing,
    /// The file in the project isn't there, or can't be read.
    NoFile(String),
    /// Its file has other bytes than were pinned.
    Changed(Box<Changed>),
    /// A key is trusted for its source, and no signature of it was ever checked here.
    Unsigned,
}

/// What is different from what was pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Of its bytes.
    pub digest: Digest,
    /// What is no component any more has neither imports nor tools.
    pub lists: Result<Differences, String>,
}

/// What came and what went, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// Imports that weren't there.
    pub imports_added: Vec<String>,
    /// Imports that are gone.
    pub imports_removed: Vec<String>,
    /// Tools that weren't there.
    pub tools_added: Vec<String>,
    /// Tools that are gone.
    pub tools_removed: Vec<String>,
}

impl Differences {
    /// Between what is pinned and what was found, with the names that are given to tools here.
    pub fn between(entry: &Entry, found: &ComponentTools) -> Self {
        let tools: Vec<String> = found.tools.iter().map(|tool| tool.name.to_string()).collect();
        Self::of(entry, found, &tools)
    }

    /// The same where the component's own names were found.
    fn of_own(entry: &Entry, found: &ComponentTools) -> Self {
        let tools: Vec<_> = found.tools.iter().map(|tool| entry.called(&tool.name).to_string()).collect();
        Self::of(entry, found, &tools)
    }

    fn of(entry: &Entry, found: &ComponentTools, tools: &[String]) -> Self {
        let (imports_added, imports_removed) = apart(&entry.imports, &found.imports);
        let (tools_added, tools_removed) = apart(&entry.tools, tools);
        Self { imports_added, imports_removed, tools_added, tools_removed }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// One line for each kind.
    pub fn told(&self) -> Vec<String> {
        let kinds = [
            ("imports that are new", &self.imports_added),
            ("imports that are gone", &self.imports_removed),
            ("tools that are new", &self.tools_added),
            ("tools that are gone", &self.tools_removed),
        ];
        let line = |(kind, names): (&str, &Vec<String>)| format!("{kind}: {}", names.join(", "));
        kinds.into_iter().filter(|(_, names)| !names.is_empty()).map(line).collect()
    }
}

/// What is only in the second, and what is only in the first.
fn apart(before: &[String], after: &[String]) -> (Vec<String>, Vec<String>) {
    let (before, after): (BTreeSet<_>, BTreeSet<_>) = (before.iter().collect(), after.iter().collect());
    let only = |one: &BTreeSet<&String>, other: &BTreeSet<&String>| {
        one.difference(other).map(|name| (*name).clone()).collect()
    };
    (only(&after, &before), only(&before, &after))
}

impl Unusable {
    /// The reason, in words.
    pub fn told(&self, entry: &Entry) -> String {
        match self {
            Self::Missing => format!("its bytes aren't here ({})", entry.digest),
            Self::NoFile(why) => why.clone(),
            Self::Changed(changed) => {
                let mut lines = vec![format!(
                    "it isn't what was approved any more: its digest is {}, pinned is {}",
                    changed.digest, entry.digest
                )];
                match &changed.lists {
                    Ok(differences) if differences.is_empty() => {
                        lines.push("its imports and tools have the same names".to_owned());
                    }
                    Ok(differences) => lines.extend(differences.told()),
                    Err(why) => lines.push(why.clone()),
                }
                lines.join("; ")
            }
            Self::Unsigned => {
                "a key is trusted for its source, and no signature by it was checked here".to_owned()
            }
        }
    }
}

impl Locked {
    /// Its bytes, where it can be run.
    pub fn source(&self) -> Option<&ComponentSource> {
        match &self.here {
            Here::Ready(source) => Some(source),
            Here::Not(_) => None,
        }
    }

    /// What helps where it can't be run.
    pub fn remedy(&self, why: &Unusable) -> String {
        let name = self.entry.name.as_str();
        match why {
            Unusable::Missing | Unusable::Unsigned => self.commands.fetch(),
            Unusable::Changed(_) => self.commands.update(name),
            Unusable::NoFile(_) => {
                format!("put the file back, or give it up: {}", self.commands.remove(name))
            }
        }
    }

    /// Why it isn't run, as an error.
    pub fn refusal(&self, why: &Unusable) -> Refusal {
        let (name, told) = (&self.entry.name, why.told(&self.entry));
        Refusal::usage(format!("the component `{name}` of {LOCK} isn't run: {told}")).hint(self.remedy(why))
    }

    /// All of a lock, as they are here. Reads what lies in the project; of the others it is looked
    /// whether they are kept.
    pub fn all(lock: &Lock, project: &Path, keys: &TrustedKeys, folders: &Folders) -> Result<Vec<Self>> {
        if lock.entries().is_empty() {
            return Ok(Vec::new());
        }
        let shelf = Shelf::open(folders.state()?)?;
        let commands = LockCommands::of(project, folders);
        let one = |entry: &Entry| Self {
            entry: entry.clone(),
            here: here(entry, project, keys, &shelf),
            commands: commands.clone(),
        };
        Ok(lock.entries().iter().map(one).collect())
    }

    /// What these may touch at most.
    pub fn bounds(all: &[Self]) -> Bounds {
        let bound = |locked: &Self| {
            let Entry { name, approved, digest, .. } = &locked.entry;
            let update = locked.commands.update(name.as_str());
            (*digest, Bound { approved: approved.clone(), update })
        };
        all.iter().map(bound).collect()
    }
}

impl Resolved {
    /// What holds with these files of a project, which somebody has confirmed.
    pub fn of_files(
        project: &ProjectDir,
        files: &ProjectFiles,
        flags: &Flags,
        folders: &Folders,
    ) -> Result<Self> {
        let mut resolved = Self::layered(files, flags, folders)?;
        let keys = Self::trusted_keys(folders)?;
        resolved.locked = Locked::all(&files.lock, project.path(), &keys, folders)?;
        for locked in &resolved.locked {
            match &locked.here {
                Here::Ready(source) => resolved.components.push(source.clone()),
                // Its tools aren't there to be narrowed.
                Here::Not(_) => resolved.tools.retain(|tool, _| !locked.entry.tools.contains(tool)),
            }
        }
        Ok(resolved)
    }

    /// The components that configurations and flags name: those that aren't pinned.
    pub fn configured(&self) -> impl Iterator<Item = &ComponentSource> {
        let pinned = self.locked.iter().filter_map(Locked::source).count();
        self.components.iter().take(self.components.len().saturating_sub(pinned))
    }

    /// The keys that the user's own file names.
    pub fn trusted_keys(folders: &Folders) -> Result<TrustedKeys> {
        trusted_keys::read(&user_file::read(folders)?)
    }

    /// Why pinned components aren't run, one by one.
    pub fn unusable(&self) -> impl Iterator<Item = Refusal> {
        self.locked.iter().filter_map(|locked| match &locked.here {
            Here::Ready(_) => None,
            Here::Not(unusable) => Some(locked.refusal(unusable)),
        })
    }
}

fn here(entry: &Entry, project: &Path, keys: &TrustedKeys, shelf: &Shelf) -> Here {
    let source = match entry.in_project() {
        Some(path) => match component_of(project, path) {
            Err(error) => return Here::Not(Unusable::NoFile(format!("{error:#}"))),
            Ok(bytes) => {
                let lists = |bytes: &[u8]| {
                    let found = reflect(bytes, &ReflectLimits::default());
                    found.map(|found| Differences::of_own(entry, &found)).map_err(|error| error.to_string())
                };
                let digest = Digest::of(&bytes);
                if digest != entry.digest {
                    let lists = lists(&bytes);
                    return Here::Not(Unusable::Changed(Box::new(Changed { digest, lists })));
                }
                ComponentSource::from_bytes(entry.name.as_str(), bytes)
            }
        },
        None if shelf.has(entry.digest) => shelf.get(entry.name.as_str(), entry.digest),
        None => return Here::Not(Unusable::Missing),
    };
    let keys = keys.of(&absolute(entry, project));
    if !keys.is_empty() && !keys.iter().any(|key| shelf.is_signed(entry.digest, key.id())) {
        return Here::Not(Unusable::Unsigned);
    }
    Here::Ready(source.with_overrides(entry.overrides()))
}

/// The source of a component, wherever this process works.
pub fn absolute(entry: &Entry, project: &Path) -> Source {
    match entry.in_project() {
        Some(path) => Source::File(project.join(path)),
        None => entry.source.clone(),
    }
}
