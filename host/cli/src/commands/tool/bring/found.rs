//! A fetched component, read: what would be pinned.

use super::desk::Desk;
use super::{online, refusal, renames};
use crate::config::{Approved, ComponentName, Entry, component_of};
use crate::exit::{OrUsage, Refusal};
use crate::toolset::check_names;
use anyhow::{Context, Result};
use ringfence_registry::{Fetched, Resolved, Source};
use ringfence_sandbox::reflect::ToolName;
use ringfence_sandbox::{ComponentSource, GrantPath, LoadedComponent};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// What a person says of a component.
pub(super) struct Terms {
    /// What it may touch at most.
    pub(super) approved: Approved,
    /// Other names for its tools, by its own: a tool that isn't there is an error.
    pub(super) renamed: Vec<(ToolName, ToolName)>,
    /// The same from before, as far as the tools are still there.
    pub(super) kept: BTreeMap<ToolName, ToolName>,
}

/// A component that is not pinned yet.
pub(super) struct Found {
    pub(super) entry: Entry,
    pub(super) component: Arc<LoadedComponent>,
    bytes: ComponentSource,
    /// Parts of its artifact that were passed over.
    pub(super) passed_over: Vec<String>,
}

impl Found {
    /// Fetches what a source has now. `pinned` is how the lock writes the source.
    pub(super) fn fetch(
        desk: &Desk,
        name: ComponentName,
        source: &Source,
        pinned: Source,
        terms: Terms,
    ) -> Result<Self> {
        renames::each_once(&terms.renamed)?;
        if let Source::File(path) = &pinned
            && path.is_relative()
        {
            // Every command will read it so, with no link followed.
            component_of(desk.project.path(), path)?;
        }
        let fetched = fetched(desk, source)?;
        let Fetched { bytes, sha256, resolved, signed_by, passed_over } = fetched;
        let size = bytes.len() as u64;
        let bytes = ComponentSource::from_bytes(name.as_str(), bytes);
        let component = desk.sandbox.load(bytes.clone()).or_usage()?;
        component.can_run().or_usage()?;
        let known = component.tools();
        if known.tools.is_empty() {
            let reasons: Vec<_> =
                known.unsupported.iter().take(3).map(|it| format!("{}: {}", it.export, it.reason)).collect();
            let why =
                if reasons.is_empty() { "it exports no function".to_owned() } else { reasons.join("; ") };
            return Err(Refusal::usage(format!("{source} has no tool: {why}")).into());
        }
        let resolved = match resolved {
            Resolved::Same => None,
            Resolved::At(place) => Some(place),
        };
        let Terms { approved, renamed, kept: mut names } = terms;
        names.retain(|own, _| known.tools.iter().any(|tool| tool.name == *own));
        names.extend(renamed);
        let (mut imports, digest) = (known.imports.clone(), bytes.digest());
        imports.sort();
        let mut entry = Entry {
            name,
            source: pinned,
            resolved,
            digest,
            sha256,
            size,
            imports,
            tools: Vec::new(),
            names,
            signed_by,
            approved,
        };
        let bytes = bytes.with_overrides(entry.overrides());
        let component = desk.sandbox.load(bytes.clone()).or_usage()?;
        check_names(&component)?;
        entry.tools = component.tools().tools.iter().map(|tool| tool.name.to_string()).collect();
        entry.tools.sort();
        Ok(Self { entry, component, bytes, passed_over })
    }

    /// Keeps its bytes, and that its signature was checked.
    pub(super) fn keep(&self, desk: &Desk) -> Result<()> {
        desk.shelf.keep(&self.bytes)?;
        match self.entry.signed_by {
            Some(key) => desk.shelf.note_signed(self.entry.digest, key),
            None => Ok(()),
        }
    }
}

/// Files are read here and now, also where nothing else could be reached.
pub(super) fn fetched(desk: &Desk, source: &Source) -> Result<Fetched> {
    online(async |client| client.fetch(source, &desk.keys).await)
}

/// How the lock writes a source: a file in the project as seen from it, any other one from the root.
pub(super) fn pinned(source: &Source, project: &Path) -> Result<Source> {
    let Source::File(path) = source else { return Ok(source.clone()) };
    let unreadable = |error: std::io::Error| {
        refusal(ringfence_registry::Error::File { path: path.clone(), source: error })
    };
    let name = path.file_name().with_context(|| format!("{} names no file", path.display()))?;
    let above = match path.parent() {
        Some(above) if above != Path::new("") => above.to_owned(),
        Some(_) | None => PathBuf::from("."),
    };
    // Links inside of the project stay in the path: they are refused where it is read.
    let inside = |path: &Path| GrantPath::parse(&path.strip_prefix(project).ok()?.to_string_lossy()).ok();
    let goes_up = path.components().any(|part| part == Component::ParentDir);
    let written = std::path::absolute(path).map_err(unreadable)?;
    let path = above.canonicalize().map_err(unreadable)?.join(name);
    let inside = Some(&written).filter(|_| !goes_up).and_then(|path| inside(path)).or_else(|| inside(&path));
    Ok(Source::File(inside.map_or(path, |inside| PathBuf::from(inside.to_string()))))
}
