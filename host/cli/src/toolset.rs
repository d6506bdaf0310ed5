//! The tools that a command can use, each with what it may touch.
//!
//! Owns: which components are loaded, the granted folders of each tool. Doesn't own: policy
//! (`config`), the terms that a run keeps (`setup`), fencing (`ringfence-sandbox`).

use crate::config::{Resolved, ToolPolicy, secrets};
use crate::exit::{OrUsage, Refusal};
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_engine::ToolFacts;
use ringfence_sandbox::{
    ComponentSource, EgressContext, GrantedTree, Grants, Limits, ProjectDir, Sandbox, SandboxConfig, Tool,
    Toolset, standard,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tools ready to be called on one project.
pub struct Toolbox {
    tools: Toolset,
    /// What each tool may touch, where it is less than the rest.
    own: BTreeMap<String, Scope>,
    all: Scope,
    egress: EgressContext,
}

/// What a tool may touch, opened.
struct Scope {
    tree: Arc<GrantedTree>,
    limits: Limits,
}

impl Toolbox {
    /// Loads the standard components and the configured ones and opens what is granted.
    pub fn open(sandbox: &Sandbox, project: &ProjectDir, resolved: &Resolved) -> Result<Self> {
        Self::under(sandbox, project, &resolved.grants, &resolved.tools, &resolved.components)
    }

    /// The same under these grants, with some tools narrowed.
    pub fn under(
        sandbox: &Sandbox,
        project: &ProjectDir,
        grants: &Grants,
        narrowed: &BTreeMap<String, ToolPolicy>,
        components: &[ComponentSource],
    ) -> Result<Self> {
        let tools = load(sandbox, components)?;
        let open = |grants: &Grants| -> Result<Scope> {
            let tree = GrantedTree::open(project, grants).or_usage()?;
            Ok(Scope { tree, limits: grants.limits.clone() })
        };
        let mut own = BTreeMap::new();
        for (name, policy) in narrowed {
            // A policy for a tool that isn't there is a mistake, not a wish to be ignored.
            find(&tools, name)?;
            own.insert(name.clone(), open(&policy.grants())?);
        }
        let all = open(grants)?;
        Ok(Self { tools, own, all, egress: EgressContext::default() })
    }

    /// The same with the values of the secrets that go with its requests: without them, calls that
    /// may need one aren't made.
    pub fn with_secrets(self, folders: &Folders) -> Result<Self> {
        let values = secrets::values(&self.all.tree.grants().secrets, folders)?;
        Ok(Self { egress: EgressContext::new(Arc::new(values)), ..self })
    }

    /// How tools reach the hosts that they are granted.
    pub fn egress(&self) -> &EgressContext {
        &self.egress
    }

    /// The tool of this name; the error names those that there are.
    pub fn tool(&self, name: &str) -> Result<&Tool> {
        find(&self.tools, name)
    }

    /// All tools.
    pub fn tools(&self) -> &Toolset {
        &self.tools
    }

    /// What this tool sees of the files.
    pub fn tree(&self, tool: &str) -> &Arc<GrantedTree> {
        &self.scope(tool).tree
    }

    /// The bounds of a call of this tool.
    pub fn limits(&self, tool: &str) -> &Limits {
        &self.scope(tool).limits
    }

    /// What this tool can do under its grants.
    pub fn facts(&self, tool: &str) -> ToolFacts {
        let grants = self.tree(tool).grants();
        let facts = self.tools.get(tool).map_or_else(|| grants.facts(), |tool| grants.facts_of(tool));
        ToolFacts {
            reads: facts.reads,
            writes: facts.writes,
            egress: facts.egress,
            deterministic: facts.deterministic,
        }
    }

    fn scope(&self, tool: &str) -> &Scope {
        self.own.get(tool).unwrap_or(&self.all)
    }
}

/// The sandbox for a command that makes a few calls, with compiled code kept in the user's cache.
pub fn sandbox(folders: &Folders) -> Result<Sandbox> {
    let cache_dir = Some(folders.code()?.to_owned());
    Ok(Sandbox::new(SandboxConfig { cache_dir, ..SandboxConfig::for_few_calls() }).or_usage()?)
}

fn load(sandbox: &Sandbox, others: &[ComponentSource]) -> Result<Toolset> {
    let mut components = Vec::new();
    for component in standard::components() {
        components.push(sandbox.load(component.source()?)?);
    }
    for source in others {
        components.push(sandbox.load(source.clone()).or_usage()?);
    }
    Ok(Toolset::new(components).or_usage()?)
}

fn find<'t>(tools: &'t Toolset, name: &str) -> Result<&'t Tool> {
    tools.get(name).ok_or_else(|| {
        let names: Vec<_> = tools.iter().map(Tool::name).collect();
        Refusal::usage(format!("there is no tool `{name}`"))
            .hint(format!("the tools are: {}", names.join(", ")))
            .into()
    })
}
