//! The tools that a command can use, each with what it may touch.
//!
//! Owns: which components are loaded, the granted folders of each tool. Doesn't own: policy
//! (`config`), the terms that a run keeps (`setup`), fencing (`ringfence-sandbox`).

use crate::config::{Resolved, ToolPolicy};
use crate::exit::{OrUsage, Refusal};
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_engine::ToolFacts;
use ringfence_sandbox::standard::{self, Need};
use ringfence_sandbox::{
    ComponentSource, GrantedTree, Grants, Limits, ProjectDir, Sandbox, SandboxConfig, Tool, Toolset,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tools ready to be called on one project.
pub struct Toolbox {
    tools: Toolset,
    /// What each tool may touch, where it is less than the rest.
    own: BTreeMap<String, Scope>,
    all: Scope,
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
        Ok(Self { tools, own, all })
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

    /// The tools that can work under their grants: those that a model is offered.
    pub fn offered(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().filter(|tool| self.lacks(tool).is_none())
    }

    /// The tool of this name, if it can work under its grants; the error names what it lacks.
    pub fn offered_tool(&self, name: &str) -> Result<&Tool> {
        let tool = self.tool(name)?;
        match self.lacks(tool) {
            None => Ok(tool),
            Some(need) => Err(Refusal::usage(format!("`{name}` needs {need}"))
                .hint("grant it, or leave the tool out")
                .into()),
        }
    }

    /// What this tool needs and isn't granted.
    pub fn lacks(&self, tool: &Tool) -> Option<Need> {
        let need = standard::by_digest(tool.component().digest())?.need()?;
        let facts = self.facts(tool.name());
        let is_met = match need {
            Need::Write => facts.writes,
            Need::Egress => facts.egress,
        };
        (!is_met).then_some(need)
    }

    /// What this tool can do under its grants.
    pub fn facts(&self, tool: &str) -> ToolFacts {
        let facts = self.tree(tool).grants().facts();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_offered_where_it_can_work() {
        let folder = tempfile::tempdir().unwrap();
        let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
        let project = ProjectDir::open(folder.path()).unwrap();
        let grants = Grants::whole_project();
        let toolbox = Toolbox::under(&sandbox, &project, &grants, &BTreeMap::new(), &[]).unwrap();
        let offered: Vec<_> = toolbox.offered().map(Tool::name).collect();
        assert_eq!(offered, ["analyze_code", "list_files", "read_file", "search_text"]);
        assert_eq!(toolbox.offered_tool("read_file").unwrap().name(), "read_file");
        for (name, need) in [("edit_file", "writing"), ("write_file", "writing"), ("web_search", "host")] {
            let error = toolbox.offered_tool(name).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{name}` needs ")) && error.contains(need), "{error}");
            assert_eq!(toolbox.tool(name).unwrap().name(), name, "it is there all the same");
        }
    }
}
