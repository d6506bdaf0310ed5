//! What a call may touch. Deny by default: a grant that isn't here doesn't exist.
//!
//! Owns the data and its validation. Opening what is granted is `view`'s business.

use crate::digest::Digest;
use crate::egress::{HostGrant, RequestLimits, SecretGrant};
use crate::mask::Masks;
use crate::toolset::Tool;
use crate::variable::VariableName;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;
use thiserror::Error;

/// Everything that one call may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grants {
    /// Directories and single files of the project.
    pub dirs: Vec<DirGrant>,
    /// Real clocks and random numbers. Without it they are made up, and the same for equal calls,
    /// so that a tool's answer can be checked by calling it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub entropy: bool,
    /// Hosts that requests may be made to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostGrant>,
    /// Secrets that the host adds to some of these requests; their values aren't here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<SecretGrant>,
    /// Variables of the environment that are seen; their values aren't here.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub env: BTreeSet<VariableName>,
    /// Nothing but the input and what is read of the files may decide an answer: no real clocks or
    /// random numbers, whatever else is granted, nothing from the network, no environment. Equal calls on equal
    /// files may then be answered from an earlier one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
    /// What a component that asks for configuration is told, by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Bounds.
    pub limits: Limits,
}

/// One granted directory, or a single file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DirGrant {
    /// Where it is, seen from the project folder.
    pub path: GrantPath,
    /// What may be done there.
    pub access: Access,
    /// What is hidden there.
    #[serde(default, skip_serializing_if = "Masks::is_default")]
    pub masks: Masks,
}

impl DirGrant {
    /// To be read, with nothing hidden but what always is and what is by default.
    pub fn read(path: GrantPath) -> Self {
        Self { path, access: Access::Read, masks: Masks::default() }
    }

    /// To be read and changed, with the same hidden as for [`Self::read`].
    pub fn write(path: GrantPath) -> Self {
        Self { access: Access::Write, ..Self::read(path) }
    }
}

/// What may be done in a granted directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Look, not touch.
    Read,
    /// Read and change. Changes land in the run's stage, never in the project itself.
    Write,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

/// A normalised path relative to the project: names only, no `.`, no `..`, no leading slash.
/// Empty is the project folder itself. Shown as `.` then.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GrantPath(Vec<String>);

/// Why a text is no grant path.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrantPathError {
    /// Absolute paths name nothing in a project.
    #[error("`{0}` is absolute; a grant is a path inside the project folder")]
    Absolute(String),
    /// `..` leaves the project.
    #[error("`{0}` leaves the project folder")]
    Leaves(String),
    /// NUL or too long a name.
    #[error("`{0}` can't be a path")]
    Invalid(String),
}

impl GrantPath {
    /// The project folder itself.
    pub fn root() -> Self {
        Self(Vec::new())
    }

    /// Reads a path as a person writes it: `src`, `./src`, `src/`, `src/../src`.
    pub fn parse(text: &str) -> Result<Self, GrantPathError> {
        if text.starts_with('/') {
            return Err(GrantPathError::Absolute(text.to_owned()));
        }
        if text.is_empty() || text.contains('\0') || text.len() > 4096 {
            return Err(GrantPathError::Invalid(text.to_owned()));
        }
        let mut names: Vec<String> = Vec::new();
        for name in text.split('/') {
            match name {
                "" | "." => {}
                ".." => {
                    names.pop().ok_or_else(|| GrantPathError::Leaves(text.to_owned()))?;
                }
                name => names.push(name.to_owned()),
            }
        }
        Ok(Self(names))
    }

    /// The names from the project folder down.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for GrantPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str(".") } else { f.write_str(&self.0.join("/")) }
    }
}

impl TryFrom<String> for GrantPath {
    type Error = GrantPathError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<GrantPath> for String {
    fn from(path: GrantPath) -> Self {
        path.to_string()
    }
}

/// Bounds of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Linear memory of the instance, in bytes.
    pub memory_bytes: u64,
    /// Guest code and host waits together, in milliseconds.
    pub time_ms: u64,
    /// Time on the processor, host calls included, in milliseconds; none means that only
    /// `time_ms` bounds it. A guest is stopped within a tick (1 ms) of its own time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<u64>,
    /// The result as JSON, in bytes; a longer one is truncated with a mark.
    pub output_bytes: u64,
    /// Standard output and standard error, each, in bytes; the rest is dropped with a mark.
    pub stdio_bytes: u64,
    /// Files, folders and listings that are open at once.
    pub open_files: u64,
    /// Entries of folders that are read.
    pub dir_entries: u64,
    /// Bytes that are read from files.
    pub read_bytes: u64,
    /// Bytes that are written to the stage: copies of the project's files and holes count as well.
    #[serde(skip_serializing_if = "is_usual_write_bytes")]
    pub write_bytes: u64,
    /// Files and folders that are staged, moved or deleted.
    #[serde(skip_serializing_if = "is_usual_write_entries")]
    pub write_entries: u64,
    /// Deterministic instruction budget; none means that only time bounds it.
    pub fuel: Option<u64>,
    /// Requests to the network.
    #[serde(skip_serializing_if = "RequestLimits::is_default")]
    pub requests: RequestLimits,
}

const USUAL_WRITE_BYTES: u64 = 256 << 20;
const USUAL_WRITE_ENTRIES: u64 = 10_000;

// Left out where they are the usual ones, so that grants without them keep their digest.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_usual_write_bytes(bytes: &u64) -> bool {
    *bytes == USUAL_WRITE_BYTES
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_usual_write_entries(entries: &u64) -> bool {
    *entries == USUAL_WRITE_ENTRIES
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 256 << 20,
            time_ms: 30_000,
            cpu_ms: None,
            output_bytes: 256 << 10,
            stdio_bytes: 64 << 10,
            open_files: 512,
            dir_entries: 1_000_000,
            read_bytes: 4 << 30,
            write_bytes: USUAL_WRITE_BYTES,
            write_entries: USUAL_WRITE_ENTRIES,
            fuel: None,
            requests: RequestLimits::default(),
        }
    }
}

impl Limits {
    /// The deadline as a duration.
    pub fn time(&self) -> Duration {
        Duration::from_millis(self.time_ms)
    }
}

static NO_VARIABLES: BTreeSet<VariableName> = BTreeSet::new();

impl Grants {
    /// What a call on a project gets when nobody said anything: its folder, for reading.
    pub fn whole_project() -> Self {
        Self {
            dirs: vec![DirGrant::read(GrantPath::root())],
            entropy: false,
            hosts: Vec::new(),
            secrets: Vec::new(),
            env: BTreeSet::new(),
            deterministic: false,
            settings: BTreeMap::new(),
            limits: Limits::default(),
        }
    }

    /// What these grants let any tool do.
    pub fn facts(&self) -> Facts {
        let egress = !self.open_hosts().is_empty();
        let sees_variables = !self.open_env().is_empty();
        Facts {
            reads: !self.dirs.is_empty() || sees_variables,
            writes: self.dirs.iter().any(|dir| dir.access == Access::Write),
            egress,
            deterministic: self.makes_up_chance() && !egress && !sees_variables,
        }
    }

    /// The hosts that requests may be made to: none for a deterministic call, whatever is granted.
    pub(crate) fn open_hosts(&self) -> &[HostGrant] {
        if self.deterministic { &[] } else { &self.hosts }
    }

    /// The secrets that go with these requests.
    pub(crate) fn open_secrets(&self) -> &[SecretGrant] {
        if self.deterministic { &[] } else { &self.secrets }
    }

    /// The variables that are seen: none in a deterministic call, since their values can differ
    /// from one command to the next.
    pub fn open_env(&self) -> &BTreeSet<VariableName> {
        if self.deterministic { &NO_VARIABLES } else { &self.env }
    }

    /// Whether time and chance are made up.
    pub(crate) fn makes_up_chance(&self) -> bool {
        self.deterministic || !self.entropy
    }

    /// What these grants let one tool do: who doesn't import `wasi:http` asks no host, who doesn't
    /// import `wasi:filesystem` opens no file, and who doesn't import `wasi:cli/environment` sees no
    /// variable.
    pub fn facts_of(&self, tool: &Tool) -> Facts {
        let component = tool.component().tools();
        let hosts = if component.asks_hosts() { self.hosts.clone() } else { Vec::new() };
        let dirs = if component.opens_files() { self.dirs.clone() } else { Vec::new() };
        Self { hosts, dirs, env: self.env_of(tool).clone(), ..self.clone() }.facts()
    }

    /// The variables that one tool sees, as far as they are set.
    pub fn env_of(&self, tool: &Tool) -> &BTreeSet<VariableName> {
        let blind = self.deterministic || !tool.component().tools().sees_variables();
        if blind { &NO_VARIABLES } else { &self.env }
    }

    /// Over the canonical JSON of the grants, and what is hidden by default.
    pub fn digest(&self) -> Digest {
        let mut all = serde_json::to_vec(self).expect("grants are plain data");
        all.extend_from_slice(Masks::built_in_digest().hex().as_bytes());
        Digest::of(&all)
    }
}

/// What a tool can do under its grants; never what it says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Sees what is the user's: files of the project, or variables of the environment.
    pub reads: bool,
    /// Can change files.
    pub writes: bool,
    /// Can send something off the machine.
    pub egress: bool,
    /// Gives equal answers to equal calls on an unchanged project: nothing of it comes from chance,
    /// real time, the environment or the network.
    pub deterministic: bool,
}
