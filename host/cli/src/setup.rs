//! What a run was started with beyond what the loop needs: project, grants, components, models.
//!
//! It travels in the run's first event, so that the run is taken up again on the terms that a
//! person saw, whatever configuration says by then. Holds no secret. Owns as well: making those
//! terms real again (opening folders, loading components).

use crate::config::{Resolved, ToolPolicy};
use crate::executor::{Allowed, Fenced};
use crate::exit::{OrUsage, Refusal};
use crate::model_choice::ModelPlan;
use crate::state_dir::Folders;
use anyhow::{Context, Result};
use ringfence_engine::{State, ToolFacts, ToolSpec};
use ringfence_sandbox::standard;
use ringfence_sandbox::{
    ComponentSource, Digest, GrantedTree, Grants, ProjectDir, Sandbox, SandboxConfig, Toolset,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The terms of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The real path of the project folder.
    pub project: PathBuf,
    /// What every tool may touch at most.
    pub grants: Grants,
    /// Tools that may do less.
    #[serde(default)]
    pub tools: BTreeMap<String, ToolPolicy>,
    /// The tools that may be used; none means all.
    #[serde(default)]
    pub allowed: Option<Vec<String>>,
    /// Components besides the standard ones. Their bytes are kept in the state folder.
    #[serde(default)]
    pub components: Vec<Pinned>,
    /// Who answers the stages.
    pub models: ModelPlan,
}

/// A component as it was when the run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pinned {
    /// What errors call it.
    pub name: String,
    /// Of its bytes.
    pub digest: Digest,
}

impl Setup {
    /// The terms that configuration and flags come to; keeps the components' bytes.
    pub fn new(
        project: &ProjectDir,
        resolved: &Resolved,
        allowed: Option<Vec<String>>,
        models: ModelPlan,
        folders: &Folders,
    ) -> Result<Self> {
        let mut components = Vec::new();
        for source in &resolved.components {
            keep(source, folders)?;
            components.push(Pinned { name: source.name().to_owned(), digest: source.digest() });
        }
        Ok(Self {
            project: project.path().to_owned(),
            grants: resolved.grants.clone(),
            tools: resolved.tools.clone(),
            allowed,
            components,
            models,
        })
    }

    /// The terms that a run was started on.
    pub fn of(state: &State) -> Result<Self> {
        serde_json::from_value(state.settings.metadata.clone())
            .with_context(|| format!("run {} was started by another version, or its journal is damaged", state.run))
    }

    /// Opens what is granted and loads the tools. Compiles nothing yet.
    pub fn fence(&self, folders: &Folders) -> Result<Fenced> {
        let project = ProjectDir::open(&self.project).or_usage()?;
        let cache_dir = Some(folders.code()?.to_owned());
        let sandbox = Sandbox::new(SandboxConfig { cache_dir, ..SandboxConfig::for_few_calls() }).or_usage()?;
        let mut loaded = Vec::new();
        for component in standard::components() {
            loaded.push(sandbox.load(component.source()?)?);
        }
        for pinned in &self.components {
            loaded.push(sandbox.load(kept(pinned, folders)?).or_usage()?);
        }
        let tools = Toolset::new(loaded).or_usage()?;
        self.check_names(&tools)?;
        let common = GrantedTree::open(&project, &self.grants).or_usage()?;
        let mut allowed = BTreeMap::new();
        for tool in tools.iter() {
            let name = tool.name();
            if self.allowed.as_ref().is_some_and(|names| !names.iter().any(|other| other == name)) {
                continue;
            }
            let (tree, limits) = match self.tools.get(name) {
                Some(policy) => {
                    let grants = Grants { dirs: policy.dirs.clone(), limits: policy.limits.clone() };
                    (GrantedTree::open(&project, &grants).or_usage()?, policy.limits.clone())
                }
                None => (common.clone(), self.grants.limits.clone()),
            };
            allowed.insert(name.to_owned(), Allowed { tool: tool.clone(), tree, limits });
        }
        Ok(Fenced { sandbox: Arc::new(sandbox), allowed })
    }

    /// Names that no component has are a mistake, not a wish to be ignored.
    fn check_names(&self, tools: &Toolset) -> Result<(), Refusal> {
        let named = self.allowed.iter().flatten().chain(self.tools.keys());
        for name in named {
            if tools.get(name).is_none() {
                let known: Vec<_> = tools.iter().map(|tool| tool.name().to_owned()).collect();
                return Err(Refusal::usage(format!("there is no tool `{name}`"))
                    .hint(format!("the tools are: {}", known.join(", "))));
            }
        }
        Ok(())
    }
}

/// The tools as the loop and its models know them, ordered by name.
pub fn specs(fenced: &Fenced) -> Vec<ToolSpec> {
    fenced
        .allowed
        .iter()
        .map(|(name, allowed)| {
            let definition = allowed.tool.definition();
            let facts = allowed.tree.grants().facts();
            ToolSpec {
                name: name.clone(),
                description: definition.description.clone(),
                input_schema: definition.input_schema.clone(),
                can: ToolFacts {
                    reads: facts.reads,
                    writes: facts.writes,
                    egress: facts.egress,
                    deterministic: facts.deterministic,
                },
            }
        })
        .collect()
}

fn shelf(folders: &Folders) -> Result<PathBuf> {
    Ok(folders.state()?.join("components"))
}

/// Keeps a component's bytes under its digest, so that the run doesn't depend on the file.
fn keep(source: &ComponentSource, folders: &Folders) -> Result<()> {
    let shelf = shelf(folders)?;
    let place = shelf.join(format!("{}.wasm", source.digest().hex()));
    if place.exists() {
        return Ok(());
    }
    let failed = |path: &Path| format!("{} can't be written", path.display());
    std::fs::create_dir_all(&shelf).with_context(|| failed(&shelf))?;
    let mut file = tempfile::NamedTempFile::new_in(&shelf).with_context(|| failed(&shelf))?;
    file.write_all(&source.bytes()?).and_then(|()| file.as_file().sync_all()).with_context(|| failed(&place))?;
    file.persist(&place).with_context(|| failed(&place))?;
    Ok(())
}

/// A kept component; loading it checks the digest.
fn kept(pinned: &Pinned, folders: &Folders) -> Result<ComponentSource> {
    let place = shelf(folders)?.join(format!("{}.wasm", pinned.digest.hex()));
    let read = move || std::fs::read(&place).map_err(|error| format!("{}: {error}", place.display()));
    Ok(ComponentSource::lazy(pinned.name.clone(), pinned.digest, read))
}
