//! A component that is loaded: its tools, and its code once that is needed.
//!
//! Owns: where a component's bytes come from, checking that they're the right ones, and holding
//! what was made of them. Doesn't own: making it (`sandbox`).

use crate::code_cell::CodeCell;
use crate::digest::Digest;
use crate::engine::{Budget, EngineError};
use crate::fan_out::{EACH_FILE, WORK};
use crate::host_state::HostState;
use crate::overrides::{OverrideError, Overrides};
use crate::reflect::{ComponentTools, ExportPath, ReflectError};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use wasmtime::component::{Component, ComponentExportIndex, InstancePre};

/// Larger files aren't read.
pub const MAX_COMPONENT_BYTES: u64 = 64 << 20;

type Fetch = dyn Fn() -> Result<Arc<[u8]>, String> + Send + Sync;

/// Where a component's bytes come from. They are asked for only where nothing is cached.
#[derive(Clone)]
pub struct ComponentSource {
    name: String,
    digest: Digest,
    fetch: Arc<Fetch>,
    overrides: Overrides,
}

impl ComponentSource {
    /// Bytes in hand. `name` is what errors call the component: a file name, `files`.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        let digest = Digest::of(&bytes);
        let bytes: Arc<[u8]> = bytes.into();
        let fetch = Arc::new(move || Ok(bytes.clone()));
        Self { name: name.into(), digest, fetch, overrides: Overrides::default() }
    }

    /// Bytes that are costly to get, such as compressed ones: with code and definitions cached
    /// they're never asked for. What `fetch` gives must have this digest.
    pub fn lazy(
        name: impl Into<String>,
        digest: Digest,
        fetch: impl Fn() -> Result<Vec<u8>, String> + Send + Sync + 'static,
    ) -> Self {
        let fetch = Arc::new(move || fetch().map(Arc::from));
        Self { name: name.into(), digest, fetch, overrides: Overrides::default() }
    }

    /// A file, read now.
    pub fn from_file(path: &Path) -> Result<Self, LoadError> {
        let read = |source| LoadError::Read { path: path.to_owned(), source };
        let meta = std::fs::metadata(path).map_err(read)?;
        if !meta.is_file() {
            let source = std::io::Error::other("it is no regular file");
            return Err(LoadError::Read { path: path.to_owned(), source });
        }
        let name = path.display().to_string();
        if meta.len() > MAX_COMPONENT_BYTES {
            return Err(LoadError::TooLarge { name, bytes: meta.len() });
        }
        let bytes = std::fs::read(path).map_err(read)?;
        Ok(Self::from_bytes(name, bytes))
    }

    /// The same with other names and descriptions for its tools. Bytes and digest stay as they are.
    pub fn with_overrides(self, overrides: Overrides) -> Self {
        Self { overrides, ..self }
    }

    /// What is said of its tools in place of its own words.
    pub fn overrides(&self) -> &Overrides {
        &self.overrides
    }

    /// What errors call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The digest of its bytes.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Its bytes, if they have the promised digest and size.
    pub fn bytes(&self) -> Result<Arc<[u8]>, LoadError> {
        let name = self.name.clone();
        let bytes = (self.fetch)().map_err(|reason| LoadError::Fetch { name: name.clone(), reason })?;
        if bytes.len() as u64 > MAX_COMPONENT_BYTES {
            return Err(LoadError::TooLarge { name, bytes: bytes.len() as u64 });
        }
        let found = Digest::of(&bytes);
        if found != self.digest {
            return Err(LoadError::OtherDigest { name, expected: self.digest, found });
        }
        Ok(bytes)
    }
}

impl fmt::Debug for ComponentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComponentSource").field("name", &self.name).field("digest", &self.digest).finish()
    }
}

/// Why a component can't be used.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file can't be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// More than [`MAX_COMPONENT_BYTES`].
    #[error("{name} has {bytes} bytes; a component may have at most {MAX_COMPONENT_BYTES}")]
    TooLarge {
        /// The component.
        name: String,
        /// Its size.
        bytes: u64,
    },
    /// Whoever has the bytes didn't give them.
    #[error("{name}: its bytes can't be had: {reason}")]
    Fetch {
        /// The component.
        name: String,
        /// Why not.
        reason: String,
    },
    /// These are other bytes than were promised.
    #[error("{name} isn't the component it should be: its digest is {found}, expected {expected}")]
    OtherDigest {
        /// The component.
        name: String,
        /// What was promised.
        expected: Digest,
        /// What is there.
        found: Digest,
    },
    /// It isn't a component with tools.
    #[error("{name}: {source}")]
    Reflect {
        /// The component.
        name: String,
        /// What is wrong.
        source: ReflectError,
    },
    /// What is said of its tools doesn't fit them.
    #[error("{name}: {source}")]
    Override {
        /// The component.
        name: String,
        /// What doesn't fit.
        source: OverrideError,
    },
    /// It doesn't compile, or not in time.
    #[error("{name} can't be compiled: {reason}")]
    Compile {
        /// The component.
        name: String,
        /// What the compiler says, or how long it was given.
        reason: String,
    },
    /// It needs what this host can't do, or doesn't offer.
    #[error("{name} can't run here: {reasons}")]
    Obstacles {
        /// The component.
        name: String,
        /// All of it, and what can be done.
        reasons: String,
    },
    /// It imports something that isn't offered here.
    #[error("{name} needs something that isn't offered here: {reason}")]
    Import {
        /// The component.
        name: String,
        /// Which import.
        reason: String,
    },
    /// There is no engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The host failed, not the component.
    #[error("{name} could not be prepared: {reason}")]
    Host {
        /// The component.
        name: String,
        /// What happened.
        reason: String,
    },
}

/// A component with its tools known. Its code is loaded or compiled at
/// [`Sandbox::prepare`](crate::Sandbox::prepare), or else at the first call.
pub struct LoadedComponent {
    pub(crate) source: ComponentSource,
    tools: ComponentTools,
    timed: CodeCell,
    metered: CodeCell,
}

impl LoadedComponent {
    pub(crate) fn new(source: ComponentSource, tools: ComponentTools) -> Self {
        Self { source, tools, timed: CodeCell::default(), metered: CodeCell::default() }
    }

    /// What errors call it.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// The digest of its bytes.
    pub fn digest(&self) -> Digest {
        self.source.digest()
    }

    /// Its bytes, fetched for this.
    pub fn bytes(&self) -> Result<Arc<[u8]>, LoadError> {
        self.source.bytes()
    }

    /// Its tools, the functions that can't be tools, and what it imports.
    pub fn tools(&self) -> &ComponentTools {
        &self.tools
    }

    /// Whether it can run here, as far as that shows without compiling it; the error names everything
    /// that is in the way.
    pub fn can_run(&self) -> Result<(), LoadError> {
        let reasons: Vec<_> = self.tools.obstacles.iter().map(ToString::to_string).collect();
        match reasons.is_empty() {
            true => Ok(()),
            false => Err(LoadError::Obstacles { name: self.name().to_owned(), reasons: reasons.join("; ") }),
        }
    }

    pub(crate) fn code_cell(&self, budget: Budget) -> &CodeCell {
        match budget {
            Budget::Time => &self.timed,
            Budget::Fuel => &self.metered,
        }
    }
}

impl fmt::Debug for LoadedComponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedComponent").field("source", &self.source).finish_non_exhaustive()
    }
}

/// How code came to be ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prepared {
    /// Whether it had to be compiled, because it wasn't cached.
    pub compiled: bool,
    /// How long it took; zero where it was ready already.
    pub took: Duration,
}

/// A component's code, linked and ready to be instantiated.
pub(crate) struct Code {
    pub(crate) instance: InstancePre<HostState>,
    pub(crate) exports: HashMap<ExportPath, ComponentExportIndex>,
    /// What it does with one file, where it has the host do it with many.
    pub(crate) each_file: Option<ComponentExportIndex>,
    pub(crate) prepared: Prepared,
}

/// Where the tools' functions are in the component, so that no call looks them up by name.
pub(crate) fn export_indices(
    component: &Component,
    tools: &ComponentTools,
) -> HashMap<ExportPath, ComponentExportIndex> {
    let find = |export: &ExportPath| {
        let interface = match &export.interface {
            Some(interface) => Some(component.get_export_index(None, interface)?),
            None => None,
        };
        component.get_export_index(interface.as_ref(), &export.function)
    };
    tools.tools.iter().filter_map(|tool| Some((tool.export.clone(), find(&tool.export)?))).collect()
}

/// Where the function is that does something with one file.
pub(crate) fn each_file(component: &Component) -> Option<ComponentExportIndex> {
    let interface = component.get_export_index(None, EACH_FILE)?;
    component.get_export_index(Some(&interface), WORK)
}
