//! `ringfence.lock`: the components of others that a project uses, each pinned, with what a person
//! approved for it.
//!
//! Owns: the file's form. Doesn't own: whether it counts (it is one of the project's files, and those
//! must be confirmed), whether what is pinned is here (`locked`). Written whole and sorted, so that
//! the same components always make the same file.

use super::approved::{Approved, Folder};
use crate::exit::Refusal;
use anyhow::Result;
use ringfence_registry::{KeyId, Sha256, Source};
use ringfence_sandbox::reflect::ToolName;
use ringfence_sandbox::{Digest, GrantPath, HostGrant, Override, Overrides, VariableName};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::path::Path;
use toml::Value;

/// The file, in the project folder.
pub const LOCK: &str = "ringfence.lock";
/// Bytes of it at most.
pub(super) const LOCK_BYTES: u64 = 1 << 20;

const VERSION: u64 = 1;
const HEAD: &str = "# Components of others, pinned, with what each may touch at most.\n# Written by `ringfence tool add`, `tool update` and `tool remove`.\n";

/// What a component is called in this project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComponentName(String);

impl ComponentName {
    /// As a person writes it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if begins && text.len() <= 64 && text.bytes().all(fits) {
            return Ok(Self(text.to_owned()));
        }
        Err(format!("`{text}` is no name of a component: want 64 letters, digits and `_-.` at most"))
    }

    /// The likely name of what comes from here.
    pub fn of(source: &Source) -> Option<Self> {
        let last = match source {
            Source::File(path) => path.file_name()?.to_string_lossy().into_owned(),
            Source::Web(address) => address.url().path_segments()?.next_back()?.to_owned(),
            Source::Oci(reference) => reference.repository.last_name().to_owned(),
        };
        Self::parse(last.strip_suffix(".wasm").unwrap_or(&last)).ok()
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ComponentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One pinned component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is called.
    pub name: ComponentName,
    /// Where it comes from. A relative path is one inside the project.
    pub source: Source,
    /// Exactly where it was found; none where the source says that already.
    pub resolved: Option<Source>,
    /// Of its bytes, as the fence has it.
    pub digest: Digest,
    /// Of its bytes, as registries have it.
    pub sha256: Sha256,
    /// Its bytes.
    pub size: u64,
    /// What it imports, as it names it, sorted.
    pub imports: Vec<String>,
    /// Its tools as they are called here, sorted.
    pub tools: Vec<String>,
    /// Other names for some of them, by the component's own.
    pub names: BTreeMap<ToolName, ToolName>,
    /// The key that signed it, where one had to.
    pub signed_by: Option<KeyId>,
    /// What it may touch at most.
    pub approved: Approved,
}

impl Entry {
    /// The file in the project that it is, where it is one.
    pub fn in_project(&self) -> Option<&Path> {
        match &self.source {
            Source::File(path) if path.is_relative() => Some(path),
            Source::File(_) | Source::Web(_) | Source::Oci(_) => None,
        }
    }

    /// Its other names, as the fence takes them.
    pub fn overrides(&self) -> Overrides {
        let other = |(own, name): (&ToolName, &ToolName)| {
            (own.clone(), Override { name: Some(name.clone()), description: None })
        };
        Overrides { tools: self.names.iter().map(other).collect() }
    }

    /// What a tool is called here, by the component's own name for it.
    pub fn called<'e>(&'e self, own: &'e ToolName) -> &'e ToolName {
        self.names.get(own).unwrap_or(own)
    }
}

/// All pinned components, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock(Vec<Entry>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLock {
    #[serde(rename = "version")]
    _version: IgnoredAny,
    #[serde(default)]
    component: Vec<WrittenEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEntry {
    name: String,
    source: String,
    resolved: Option<String>,
    digest: Digest,
    sha256: Sha256,
    size: u64,
    imports: Vec<String>,
    tools: Vec<String>,
    #[serde(default)]
    names: BTreeMap<ToolName, ToolName>,
    signed_by: Option<KeyId>,
    grants: Approved,
}

impl TryFrom<WrittenEntry> for Entry {
    type Error = String;
    fn try_from(written: WrittenEntry) -> Result<Self, String> {
        let source = |text: &str| text.parse::<Source>().map_err(|error| error.to_string());
        let entry = Self {
            name: ComponentName::parse(&written.name)?,
            source: source(&written.source)?,
            resolved: written.resolved.as_deref().map(source).transpose()?,
            digest: written.digest,
            sha256: written.sha256,
            size: written.size,
            imports: written.imports,
            tools: written.tools,
            names: written.names,
            signed_by: written.signed_by,
            approved: written.grants,
        };
        if let Some(path) = entry.in_project() {
            GrantPath::parse(&path.to_string_lossy()).map_err(|error| error.to_string())?;
        }
        // What is fetched is what the source says: a key for the one is a key for the other.
        let same_place = match (&entry.source, &entry.resolved) {
            (_, None) => true,
            (Source::Oci(source), Some(Source::Oci(resolved))) => {
                source.registry == resolved.registry && source.repository == resolved.repository
            }
            (Source::File(_) | Source::Web(_) | Source::Oci(_), Some(_)) => false,
        };
        if same_place { Ok(entry) } else { Err(format!("`{}` is resolved to another place", entry.name)) }
    }
}

impl Lock {
    /// Reads the file's text.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |what: String| {
            Refusal::usage(format!("{LOCK} can't be used: {what}"))
                .hint("it is written by `ringfence tool add`; take it back from version control, or remove it and add its components again")
        };
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
        match table.get("version").and_then(Value::as_integer).map(u64::try_from) {
            Some(Ok(VERSION)) => {}
            Some(_) => {
                return Err(wrong("it was written by another version of this program".to_owned()).into());
            }
            None => return Err(wrong("it says no `version`".to_owned()).into()),
        }
        let written: WrittenLock = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let entries = written.component.into_iter().map(Entry::try_from).collect::<Result<Vec<_>, _>>();
        let mut entries = entries.map_err(wrong)?;
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        if let Some([twice, _]) = entries.array_windows().find(|[one, other]| one.name == other.name) {
            return Err(wrong(format!("`{}` stands in it twice", twice.name)).into());
        }
        // What is approved for a component is kept by its digest: two entries would widen each other.
        let mut names = BTreeMap::new();
        for Entry { name, digest, .. } in &entries {
            if let Some(first) = names.insert(*digest, name) {
                return Err(wrong(format!("`{first}` and `{name}` are one component ({digest})")).into());
            }
        }
        Ok(Self(entries))
    }

    /// Its components, by name.
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// The component of this name.
    pub fn get(&self, name: &ComponentName) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.name == *name)
    }

    /// The component with these bytes.
    pub fn of_digest(&self, digest: Digest) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.digest == digest)
    }

    /// The same with this component, in place of one of its name.
    #[must_use]
    pub fn with(mut self, entry: Entry) -> Self {
        self.0.retain(|known| known.name != entry.name);
        self.0.push(entry);
        self.0.sort_by(|one, other| one.name.cmp(&other.name));
        self
    }

    /// The same without one.
    #[must_use]
    pub fn without(mut self, name: &ComponentName) -> Self {
        self.0.retain(|known| known.name != *name);
        self
    }

    /// The file's text; none where nothing is pinned, and so there is no file.
    pub fn text(&self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let mut text = format!("{HEAD}version = {VERSION}\n");
        for entry in &self.0 {
            let _ = write_entry(&mut text, entry);
        }
        Some(text)
    }
}

fn write_entry(text: &mut String, entry: &Entry) -> fmt::Result {
    let quoted = |value: &dyn fmt::Display| Value::String(value.to_string());
    writeln!(text, "\n[[component]]\nname = {}", quoted(&entry.name))?;
    writeln!(text, "source = {}", quoted(&entry.source))?;
    if let Some(resolved) = &entry.resolved {
        writeln!(text, "resolved = {}", quoted(resolved))?;
    }
    writeln!(text, "digest = {}\nsha256 = {}", quoted(&entry.digest), quoted(&entry.sha256))?;
    writeln!(text, "size = {}", entry.size)?;
    list(text, "imports", entry.imports.iter().map(|import| quoted(import).to_string()))?;
    list(text, "tools", entry.tools.iter().map(|tool| quoted(tool).to_string()))?;
    if !entry.names.is_empty() {
        let names: Vec<_> = entry.names.iter().map(|(own, name)| format!("{own} = \"{name}\"")).collect();
        writeln!(text, "names = {{ {} }}", names.join(", "))?;
    }
    if let Some(key) = &entry.signed_by {
        writeln!(text, "signed_by = {}", quoted(key))?;
    }
    writeln!(text, "\n[component.grants]")?;
    let folder = |folder: &Folder| {
        format!("{{ path = {}, access = {} }}", quoted(&folder.path), quoted(&folder.access))
    };
    list(text, "dirs", entry.approved.dirs.iter().map(folder))?;
    list(text, "hosts", entry.approved.hosts.iter().map(HostGrant::written))?;
    let name = |name: &VariableName| quoted(&name.as_str()).to_string();
    list(text, "env", entry.approved.env.iter().map(name))
}

/// A list on one line if it has one value at most, else each value on its own.
fn list(text: &mut String, key: &str, values: impl Iterator<Item = String>) -> fmt::Result {
    let values: Vec<_> = values.collect();
    match values.as_slice() {
        [] => writeln!(text, "{key} = []"),
        [only] => writeln!(text, "{key} = [{only}]"),
        several => {
            writeln!(text, "{key} = [")?;
            several.iter().try_for_each(|value| writeln!(text, "    {value},"))?;
            writeln!(text, "]")
        }
    }
}

#[cfg(test)]
mod tests;
