//! What a project says of itself: `ringfence.toml`, its components, `.ringfence/prompts/*.md`.
//!
//! All of it is a stranger's. It is read from the project folder's handle with no link followed,
//! and its hash, over all of it together, is what a person confirms.

use crate::config::dirs;
use crate::config::file::{ConfigFile, parse};
use crate::exit::Refusal;
use anyhow::{Context, Result};
use ringfence_sandbox::{Digest, GrantPath, MAX_COMPONENT_BYTES};
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
    /// All files with their content, by path.
    pub files: Vec<(String, Vec<u8>)>,
}

impl ProjectFiles {
    /// Reads what there is.
    pub fn read(project: &Path) -> Result<Self> {
        let root = rustix::fs::openat(CWD, project, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
            .with_context(|| format!("the project folder {} can't be opened", project.display()))?;
        let mut found = Self::default();
        if let Some(bytes) = read_file(&root, CONFIG, TEXT_BYTES)? {
            let text = utf8(CONFIG, &bytes)?;
            found.config = parse(text).map_err(|error| unreadable(CONFIG, &error))?;
            found.config.refuse_in_project()?;
            found.files.push((CONFIG.to_owned(), bytes));
        }
        for component in found.config.components.clone() {
            let shown = component.to_string_lossy().into_owned();
            let path = GrantPath::parse(&shown)
                .map_err(|error| Refusal::usage(format!("{CONFIG}: component {error}")).hint(INSIDE))?
                .to_string();
            let Some(bytes) = read_file(&root, &path, MAX_COMPONENT_BYTES)? else {
                return Err(Refusal::usage(format!(
                    "{CONFIG} names the component `{path}`, which isn't there"
                ))
                .into());
            };
            found.files.push((path, bytes));
        }
        for name in prompt_names(&root)? {
            let path = format!("{PROMPTS}/{name}");
            if let Some(bytes) = read_file(&root, &path, TEXT_BYTES)? {
                utf8(&path, &bytes)?;
                found.files.push((path, bytes));
            }
        }
        Ok(found)
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

    /// The text of a prompt, if the project has its own.
    pub fn prompt(&self, name: &str) -> Option<String> {
        let path = format!("{PROMPTS}/{name}.md");
        let (_, bytes) = self.files.iter().find(|(known, _)| *known == path)?;
        String::from_utf8(bytes.clone()).ok()
    }

    /// The components, by path.
    pub fn components(&self) -> impl Iterator<Item = &(String, Vec<u8>)> {
        self.files
            .iter()
            .filter(|(path, _)| path != CONFIG && Path::new(path).parent() != Some(Path::new(PROMPTS)))
    }
}

const INSIDE: &str =
    "a project's own components lie inside the project; others go into your own configuration";

impl ConfigFile {
    /// What only a user may say: where prompts and keys are sent, what hidden things are shown.
    fn refuse_in_project(&self) -> Result<()> {
        if self.notify.is_some() || self.durability.is_some() {
            let key = if self.notify.is_some() { "notify" } else { "durability" };
            return Err(Refusal::usage(format!("{CONFIG} says `{key}`, which isn't a project's to say"))
                .hint("put it into your own configuration, or use the flag")
                .into());
        }
        if let Some(name) = self.secrets.keys().next() {
            return Err(Refusal::usage(format!(
                "{CONFIG} says `[secrets.{name}]`; a project can't, since it could send your keys anywhere"
            ))
            .hint("put it into your own configuration")
            .into());
        }
        let dirs = self.grants.dirs.iter().chain(self.tools.values().filter_map(|tool| tool.dirs.as_ref()));
        if let Some(shows) = dirs.flatten().find_map(|dir| dirs::shows(&dir.0)) {
            return Err(Refusal::usage(format!(
                "{CONFIG} says {shows}; a project can hide more of itself, never show what is hidden by default"
            ))
            .hint("put it into your own configuration, or use --mask")
            .into());
        }
        let models = self.models.default.iter().chain(self.models.by_stage().map(|(_, model)| model));
        let elsewhere = models
            .map(|model| model.base_url.is_some() || model.plain_http)
            .chain(self.experts.values().map(|expert| expert.base_url.is_some() || expert.plain_http));
        for elsewhere in elsewhere {
            if elsewhere {
                return Err(Refusal::usage(format!(
                    "{CONFIG} says where a model is reached; a project can't, since your key and files would go there"
                ))
                .hint("put base_url into your own configuration, or use --base-url")
                .into());
            }
        }
        Ok(())
    }
}

/// The prompts in the project's own folder, sorted; unknown names are errors.
fn prompt_names(root: &OwnedFd) -> Result<Vec<String>> {
    let Some(folder) = open(root, PROMPTS, OFlags::DIRECTORY)? else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for entry in Dir::read_from(&folder).with_context(|| format!("{PROMPTS} can't be listed"))? {
        let entry = entry.with_context(|| format!("{PROMPTS} can't be listed"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".md") {
            continue;
        }
        if !PROMPT_NAMES.contains(&name.as_str()) {
            let refusal = Refusal::usage(format!("{PROMPTS}/{name} is no prompt of any stage"));
            return Err(refusal.hint(format!("there are {}", PROMPT_NAMES.join(", "))).into());
        }
        names.push(name);
    }
    names.sort();
    Ok(names)
}

/// Opens something below the project with no link followed; none if it isn't there.
fn open(root: &OwnedFd, path: &str, kind: OFlags) -> Result<Option<OwnedFd>> {
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

fn read_file(root: &OwnedFd, path: &str, most: u64) -> Result<Option<Vec<u8>>> {
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

fn utf8<'b>(path: &str, bytes: &'b [u8]) -> Result<&'b str> {
    std::str::from_utf8(bytes).map_err(|_| Refusal::usage(format!("{path} is not UTF-8 text")).into())
}

/// What is wrong with a file, with the line.
pub(super) fn unreadable(path: &str, error: &toml::de::Error) -> anyhow::Error {
    let refusal = Refusal::usage(error.to_string().trim_end().to_owned());
    anyhow::Error::from(refusal).context(format!("{path} can't be used"))
}
