//! What a project says of itself: `ringfence.toml`, `ringfence.lock`, its components,
//! `.ringfence/prompts/*.md`, `.ringfence/rules`.
//!
//! All of it is a stranger's. It is read from the project folder's handle with no link followed,
//! and its hash, over all of it together, is what a person confirms.

use crate::config::dirs;
use crate::config::file::ConfigFile;
use crate::config::hosts::Host;
use crate::config::language::nearest;
use crate::config::lock::{LOCK, LOCK_BYTES, Lock};
use crate::config::reading::{self, Reading, unreadable};
use crate::config::rule_files;
use crate::exit::Refusal;
use anyhow::{Context, Result};
use ringfence_sandbox::{ComponentSource, Digest, GrantPath, MAX_COMPONENT_BYTES, Overrides};
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;

/// The project's configuration file.
pub const CONFIG: &str = "ringfence.toml";
/// The folder of its prompts.
pub const PROMPTS: &str = ".ringfence/prompts";
/// The prompts that can be overridden.
const PROMPT_NAMES: [&str; 6] =
    ["plan.md", "decide.md", "evaluate.md", "reason.md", "converse.md", "reflect.md"];
/// Bytes of a configuration file or prompt at most.
const TEXT_BYTES: u64 = 256 << 10;

/// Everything in a project that counts only once it is confirmed.
#[derive(Debug, Default)]
pub struct ProjectFiles {
    /// The configuration file, read.
    pub config: ConfigFile,
    /// The pinned components.
    pub lock: Lock,
    /// All files with their content, by path.
    pub files: Vec<(String, Vec<u8>)>,
    /// What the configuration says of the tools of each component among them, in their order.
    overrides: Vec<Overrides>,
    /// Whether it may name components that aren't among them.
    pub lacks_components: bool,
}

impl ProjectFiles {
    /// Reads what there is.
    pub fn read(project: &Path) -> Result<Self> {
        let (found, wrong) = Self::survey(project)?;
        wrong.into_iter().next().map_or(Ok(found), Err)
    }

    /// Reads what there is, and says everything that is wrong with it.
    pub fn survey(project: &Path) -> Result<(Self, Vec<anyhow::Error>)> {
        let root = rustix::fs::openat(CWD, project, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
            .with_context(|| format!("the project folder {} can't be opened", project.display()))?;
        let (mut found, mut wrong) = (Self::default(), Vec::new());
        match config_in(&root) {
            Ok(Some((Reading { config, problems, lacks_components }, bytes))) => {
                if !problems.is_empty() {
                    wrong.push(unreadable(CONFIG, &problems));
                }
                found.lacks_components = lacks_components;
                wrong.extend(config.not_a_project_s().into_iter().map(anyhow::Error::from));
                found.config = config;
                found.files.push((CONFIG.to_owned(), bytes));
            }
            Ok(None) => {}
            Err(error) => {
                found.lacks_components = true;
                wrong.push(error);
            }
        }
        for component in &found.config.components {
            match component_in(&root, &component.path) {
                Ok(file) => {
                    found.files.push(file);
                    found.overrides.push(component.overrides.clone());
                }
                Err(error) => {
                    found.lacks_components = true;
                    wrong.push(error);
                }
            }
        }
        let (names, unknown) = prompt_names(&root)?;
        wrong.extend(unknown.into_iter().map(anyhow::Error::from));
        for name in names {
            let path = format!("{PROMPTS}/{name}");
            match read_file(&root, &path, TEXT_BYTES) {
                Ok(Some(bytes)) => {
                    wrong.extend(utf8(&path, &bytes).err());
                    found.files.push((path, bytes));
                }
                Ok(None) => {}
                Err(error) => wrong.push(error),
            }
        }
        match rule_files::read(&root) {
            Ok(rules) => found.files.extend(rules),
            Err(error) => wrong.push(error),
        }
        match lock_in(&root) {
            Ok(Some((lock, bytes))) => {
                found.lock = lock;
                found.files.push((LOCK.to_owned(), bytes));
            }
            Ok(None) => {}
            Err(error) => {
                found.lacks_components = true;
                wrong.push(error);
            }
        }
        Ok((found, wrong))
    }

    /// Whether the project says nothing of itself.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Over the names and contents of all files together.
    pub fn hash(&self) -> String {
        let mut all = b"ringfence project configuration 1\0".to_vec();
        for (path, bytes) in &self.files {
            all.extend_from_slice(path.as_bytes());
            all.push(0);
            all.extend_from_slice(Digest::of(bytes).hex().as_bytes());
            all.push(0);
        }
        Digest::of(&all).hex()
    }

    /// The same with another lock, as the files would be with it written.
    #[must_use]
    pub fn with_lock(mut self, lock: Lock) -> Self {
        let text = lock.text().map(String::into_bytes);
        let known = self.files.iter().position(|(path, _)| path == LOCK);
        match (known.and_then(|at| self.files.get_mut(at)), text) {
            (Some((_, bytes)), Some(text)) => *bytes = text,
            (Some(_), None) => self.files.retain(|(path, _)| path != LOCK),
            (None, Some(text)) => self.files.push((LOCK.to_owned(), text)),
            (None, None) => {}
        }
        Self { lock, ..self }
    }

    /// The text of a prompt, if the project has its own.
    pub fn prompt(&self, name: &str) -> Option<String> {
        let path = format!("{PROMPTS}/{name}.md");
        let (_, bytes) = self.files.iter().find(|(known, _)| *known == path)?;
        String::from_utf8(bytes.clone()).ok()
    }

    /// The components, called by their paths.
    pub fn components(&self) -> impl Iterator<Item = ComponentSource> {
        // They come after the configuration that names them, and before prompts and the lock.
        self.files.iter().skip(1).zip(&self.overrides).map(|((path, bytes), overrides)| {
            ComponentSource::from_bytes(path.clone(), bytes.clone()).with_overrides(overrides.clone())
        })
    }
}

const INSIDE: &str =
    "a project's own components lie inside the project; others go into your own configuration";

impl ConfigFile {
    /// What only a user may say: where prompts and keys are sent, what hidden things are shown.
    pub(super) fn not_a_project_s(&self) -> Vec<Refusal> {
        let mut wrong = Vec::new();
        let said = [("notify", self.notify.is_some()), ("durability", self.durability.is_some())];
        for (key, _) in said.into_iter().filter(|(_, said)| *said) {
            let what = format!("{CONFIG} says `{key}`, which isn't a project's to say");
            wrong.push(Refusal::usage(what).hint("put it into your own configuration, or use the flag"));
        }
        if !self.trusted_keys.is_empty() {
            wrong.push(
                Refusal::usage(format!(
                    "{CONFIG} says `[[trusted_keys]]`; a project can't, since it would vouch for itself"
                ))
                .hint("put it into your own configuration"),
            );
        }
        for name in self.secrets.keys() {
            wrong.push(
                Refusal::usage(format!(
                    "{CONFIG} says `[secrets.{name}]`; a project can't, since it could send your keys anywhere"
                ))
                .hint("put it into your own configuration"),
            );
        }
        let of_tools = self.tools.values().filter_map(|tool| tool.dirs.as_ref());
        let of_roles = self.roles.values().filter_map(|role| role.dirs.as_ref());
        let dirs = self.grants.dirs.iter().chain(of_tools).chain(of_roles);
        for shows in dirs.flatten().filter_map(|dir| dirs::shows(&dir.0)) {
            wrong.push(
                Refusal::usage(format!(
                    "{CONFIG} says {shows}; a project can hide more of itself, never show what is hidden by default"
                ))
                .hint("put it into your own configuration, or use --mask"),
            );
        }
        let of_tools = self.tools.values().filter_map(|tool| tool.hosts.as_ref());
        let of_roles = self.roles.values().filter_map(|role| role.hosts.as_ref());
        let hosts = self.grants.hosts.iter().chain(of_tools).chain(of_roles);
        for Host(host) in hosts.flatten().filter(|Host(host)| host.is_private()) {
            wrong.push(
                Refusal::usage(format!(
                    "{CONFIG} says `private = true` for {}; a project can't lead tools into your own networks",
                    host.url()
                ))
                .hint("put it into your own configuration, or use --allow-host"),
            );
        }
        let models = self.models.default.iter().chain(self.models.by_stage().map(|(_, model)| model));
        let elsewhere = models
            .map(|model| model.base_url.is_some() || model.plain_http)
            .chain(self.experts.values().map(|expert| expert.base_url.is_some() || expert.plain_http));
        if elsewhere.into_iter().any(|elsewhere| elsewhere) {
            wrong.push(
                Refusal::usage(format!(
                    "{CONFIG} says where a model is reached; a project can't, since your key and files would go there"
                ))
                .hint("put base_url into your own configuration, or use --base-url"),
            );
        }
        wrong
    }
}

fn config_in(root: &OwnedFd) -> Result<Option<(Reading, Vec<u8>)>> {
    let Some(bytes) = read_file(root, CONFIG, TEXT_BYTES)? else { return Ok(None) };
    let text = utf8(CONFIG, &bytes)?;
    let reading = reading::survey(CONFIG, text);
    Ok(Some((reading, bytes)))
}

fn lock_in(root: &OwnedFd) -> Result<Option<(Lock, Vec<u8>)>> {
    let Some(bytes) = read_file(root, LOCK, LOCK_BYTES)? else { return Ok(None) };
    Ok(Some((Lock::parse(utf8(LOCK, &bytes)?)?, bytes)))
}

/// The bytes of a component that lies in the project.
pub fn component_of(project: &Path, path: &Path) -> Result<Vec<u8>> {
    let root = rustix::fs::openat(CWD, project, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .with_context(|| format!("the project folder {} can't be opened", project.display()))?;
    let shown = path.to_string_lossy();
    let path = GrantPath::parse(&shown)?.to_string();
    let found = read_file(&root, &path, MAX_COMPONENT_BYTES)?;
    found.ok_or_else(|| Refusal::usage(format!("the file `{path}` isn't there")).into())
}

fn component_in(root: &OwnedFd, component: &Path) -> Result<(String, Vec<u8>)> {
    let shown = component.to_string_lossy().into_owned();
    let path = GrantPath::parse(&shown)
        .map_err(|error| Refusal::usage(format!("{CONFIG}: component {error}")).hint(INSIDE))?
        .to_string();
    match read_file(root, &path, MAX_COMPONENT_BYTES)? {
        Some(bytes) => Ok((path, bytes)),
        None => {
            Err(Refusal::usage(format!("{CONFIG} names the component `{path}`, which isn't there")).into())
        }
    }
}

/// The prompts in the project's own folder, sorted; files that are none are errors.
fn prompt_names(root: &OwnedFd) -> Result<(Vec<String>, Vec<Refusal>)> {
    let (mut names, mut unknown) = (Vec::new(), Vec::new());
    let Some(folder) = open(root, PROMPTS, OFlags::DIRECTORY)? else { return Ok((names, unknown)) };
    for entry in Dir::read_from(&folder).with_context(|| format!("{PROMPTS} can't be listed"))? {
        let entry = entry.with_context(|| format!("{PROMPTS} can't be listed"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".md") {
            continue;
        }
        if !PROMPT_NAMES.contains(&name.as_str()) {
            let refusal = Refusal::usage(format!("{PROMPTS}/{name} is no prompt of any stage"));
            unknown.push(refusal.hint(match nearest(&name, PROMPT_NAMES) {
                Some(meant) => format!("did you mean {meant}? There are {}", PROMPT_NAMES.join(", ")),
                None => format!("there are {}", PROMPT_NAMES.join(", ")),
            }));
            continue;
        }
        names.push(name);
    }
    names.sort();
    Ok((names, unknown))
}

/// Opens something below the project with no link followed; none if it isn't there.
pub(super) fn open(root: &OwnedFd, path: &str, kind: OFlags) -> Result<Option<OwnedFd>> {
    let flags = kind | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(root, path, flags, Mode::empty(), within) {
        Ok(opened) => Ok(Some(opened)),
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::LOOP) => Err(Refusal::usage(format!("{path} is a link or lies behind one; a project's configuration is read only from the project itself"))
            .hint("put the file itself there, or remove the link")
            .into()),
        Err(Errno::NOTDIR) => Err(Refusal::usage(format!("{path}: something in its way is not a folder")).into()),
        Err(error) => Err(Refusal::usage(format!("{path} can't be opened: {error}")).into()),
    }
}

pub(super) fn read_file(root: &OwnedFd, path: &str, most: u64) -> Result<Option<Vec<u8>>> {
    let Some(opened) = open(root, path, OFlags::empty())? else { return Ok(None) };
    let found = rustix::fs::fstat(&opened).with_context(|| format!("{path} can't be looked at"))?;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return Err(Refusal::usage(format!("{path} is not an ordinary file")).into());
    }
    let mut bytes = Vec::new();
    File::from(opened)
        .take(most + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("{path} can't be read"))?;
    if bytes.len() as u64 > most {
        return Err(Refusal::usage(format!("{path} has more than {most} bytes")).into());
    }
    Ok(Some(bytes))
}

pub(super) fn utf8<'b>(path: &str, bytes: &'b [u8]) -> Result<&'b str> {
    std::str::from_utf8(bytes).map_err(|_| Refusal::usage(format!("{path} is not UTF-8 text")).into())
}
