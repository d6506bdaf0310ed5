//! The tools that a command can use, each with what it may touch.
//!
//! Owns: which components are loaded, the granted folders of each tool. Doesn't own: policy
//! (`config`), the terms that a run keeps (`setup`), fencing (`ringfence-sandbox`).

mod refused;

pub use refused::{check_names, find, said_in};
use refused::{no_tools, no_words};

use crate::config::{Approved, Differences, Here, LOCK, Locked, Resolved, Role, ToolPolicy, env, secrets};
use crate::exit::{OrUsage, Refusal};
use crate::left_out::Sections;
use crate::state_dir::Folders;
use crate::worked_files::WorkedFiles;
use anyhow::Result;
use ringfence_engine::ToolFacts;
use ringfence_sandbox::standard::{self, Need};
use ringfence_sandbox::{
    Access, CallReport, ComponentSource, Denial, Digest, EgressContext, Facts, FileMemory, GrantedTree,
    Grants, Limits, LoadedComponent, ProjectDir, Sandbox, SandboxConfig, Tool, Toolset, Variables,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the tools of one component may touch at most, as a person approved it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// What may be touched.
    pub approved: Approved,
    /// The command that approves more.
    pub update: String,
}

/// The bounds of those components that have one.
pub type Bounds = BTreeMap<Digest, Bound>;

/// Tools ready to be called on one project.
pub struct Toolbox {
    tools: Toolset,
    /// What each tool may touch, where it is less than the rest.
    own: BTreeMap<String, Scope>,
    all: Scope,
    sections: Sections,
    egress: EgressContext,
    env: Arc<Variables>,
}

/// What a tool may touch, opened.
struct Scope {
    tree: Arc<GrantedTree>,
    limits: Limits,
}

impl Toolbox {
    /// Loads the standard components and the configured ones and opens what is granted.
    pub fn open(sandbox: &Sandbox, project: &ProjectDir, resolved: &Resolved) -> Result<Self> {
        let bounds = Locked::bounds(&resolved.locked);
        let Resolved { grants, tools, components, .. } = resolved;
        let toolbox = Self::under(sandbox, project, grants, tools, components, &bounds)?;
        toolbox.check_lock(&resolved.locked)?;
        Ok(toolbox.with_sections(|sections| sections.as_role(resolved.role.as_ref())))
    }

    /// The same under these grants, with some tools narrowed, and those of some components bounded.
    pub fn under(
        sandbox: &Sandbox,
        project: &ProjectDir,
        grants: &Grants,
        narrowed: &BTreeMap<String, ToolPolicy>,
        components: &[ComponentSource],
        bounds: &Bounds,
    ) -> Result<Self> {
        Self::of(load(sandbox, components)?, project, grants, narrowed, bounds)
    }

    /// The tools of one component and no others, under what is said of all tools and of these.
    pub fn of_one(
        project: &ProjectDir,
        resolved: &Resolved,
        component: Arc<LoadedComponent>,
    ) -> Result<Self> {
        let tools = Toolset::new([component]).or_usage()?;
        let own = resolved.tools.iter().filter(|(name, _)| tools.get(name).is_some());
        let own = own.map(|(name, policy)| (name.clone(), policy.clone())).collect();
        let bounds = Locked::bounds(&resolved.locked);
        let toolbox = Self::of(tools, project, &resolved.grants, &own, &bounds)?;
        Ok(toolbox.with_sections(|sections| sections.as_role(resolved.role.as_ref())))
    }

    fn of(
        mut tools: Toolset,
        project: &ProjectDir,
        grants: &Grants,
        narrowed: &BTreeMap<String, ToolPolicy>,
        bounds: &Bounds,
    ) -> Result<Self> {
        let open = |grants: &Grants| -> Result<Scope> {
            let tree = GrantedTree::open(project, grants).or_usage()?;
            Ok(Scope { tree, limits: grants.limits.clone() })
        };
        let mut own = BTreeMap::new();
        for (name, policy) in narrowed {
            // A policy for a tool that isn't there is a mistake, not a wish to be ignored.
            find(&tools, name).map_err(|error| said_in(error, &policy.said_in))?;
            if let Some(text) = &policy.description {
                tools = tools.described(name, text).ok_or_else(|| no_words(name, &policy.said_in))?;
            }
            own.insert(name.clone(), open(&policy.grants())?);
        }
        for tool in tools.iter() {
            let digest = tool.component().digest();
            let given = narrowed.get(tool.name()).map_or_else(|| grants.clone(), ToolPolicy::grants);
            let bounded =
                bounds.get(&digest).map_or_else(|| given.clone(), |bound| bound.approved.narrow(&given));
            let enough = match standard::by_digest(digest) {
                Some(component) => as_needed(component.need(), &bounded),
                None => bounded,
            };
            if enough != given {
                own.insert(tool.name().to_owned(), open(&enough)?);
            }
        }
        let all = open(grants)?;
        let bounded =
            tools.iter().filter_map(|tool| Some((tool.name(), bounds.get(&tool.component().digest())?)));
        let sections = Sections::of_tools(narrowed).with_bounds(bounded);
        Ok(Self { tools, own, all, sections, egress: EgressContext::default(), env: Arc::default() })
    }

    /// Refuses a lock that says of a component what isn't so: somebody has edited it by hand.
    pub fn check_lock(&self, locked: &[Locked]) -> Result<()> {
        for Locked { entry, here, commands } in locked {
            let Here::Ready(_) = here else { continue };
            let found = self.tools.components().iter().find(|component| component.digest() == entry.digest);
            let differences =
                found.map(|found| Differences::between(entry, found.tools())).unwrap_or_default();
            if !differences.is_empty() {
                let (name, told) = (entry.name.as_str(), differences.told().join("; "));
                return Err(Refusal::usage(format!("{LOCK} says of `{name}` what isn't so: {told}"))
                    .hint(commands.update(name))
                    .into());
            }
        }
        Ok(())
    }

    /// The same with what sections name changed.
    pub fn with_sections(self, change: impl FnOnce(Sections) -> Sections) -> Self {
        Self { sections: change(self.sections), ..self }
    }

    /// What leaves out what a tool was refused, where no grant would help.
    pub fn leaving_out(&self, tool: &str, denial: &Denial) -> Option<String> {
        self.sections.leaving_out(tool, denial, &self.all.tree.grants().dirs)
    }

    /// The same of what a person approved for the tool's component.
    pub fn lock_leaving_out(&self, tool: &str, denial: &Denial) -> Option<String> {
        self.sections.lock_leaving_out(tool, denial, &self.all.tree.grants().dirs)
    }

    /// A tool's report, with no hint that can't be followed.
    pub fn told(&self, tool: &str, report: CallReport) -> CallReport {
        report.with_left_out(|denial| self.leaving_out(tool, denial))
    }

    /// The same with what its calls are given: the values of the secrets that go with their requests
    /// (without them, calls that may need one aren't made), and those of the variables that they see.
    pub fn with_values(self, folders: &Folders) -> Result<Self> {
        let grants = self.all.tree.grants();
        let (secrets, env) = (secrets::values(grants, folders)?, env::values(grants, folders)?);
        Ok(Self { egress: EgressContext::new(Arc::new(secrets)), env: Arc::new(env), ..self })
    }

    /// How tools reach the hosts that they are granted.
    pub fn egress(&self) -> &EgressContext {
        &self.egress
    }

    /// The values of the variables that tools may see.
    pub fn env(&self) -> &Arc<Variables> {
        &self.env
    }

    /// A tool that a role names.
    pub fn tool_of(&self, role: &Role, name: &str) -> Result<&Tool> {
        self.tool(name).map_err(|error| said_in(error, &role.said_in))
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

    /// What a tool sees that nothing was said of.
    pub fn common_tree(&self) -> &Arc<GrantedTree> {
        &self.all.tree
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
            Some(need) => {
                let hint = match need {
                    Need::Write => "grant one with --dir PATH:write",
                    Need::Egress => "grant one with --allow-host URL",
                };
                Err(Refusal::usage(format!("`{name}` needs {need}")).hint(hint).into())
            }
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
        match self.tools.get(tool) {
            Some(tool) => self.facts_of(tool),
            None => as_told(self.tree(tool).grants().facts()),
        }
    }

    /// The same of a tool that need not be one of these.
    pub fn facts_of(&self, tool: &Tool) -> ToolFacts {
        as_told(self.tree(tool.name()).grants().facts_of(tool))
    }

    /// Whether a tool could open a file if a folder were granted: not without importing
    /// `wasi:filesystem`, and not a standard one that asks hosts.
    pub fn opens_files(&self, tool: &Tool) -> bool {
        let component = tool.component();
        let need = standard::by_digest(component.digest()).and_then(|standard| standard.need());
        component.tools().opens_files() && !matches!(need, Some(Need::Egress))
    }

    /// Whether a tool could ask a host if one were granted: not without importing `wasi:http`, and not
    /// a standard one that isn't made for it.
    pub fn asks_hosts(&self, tool: &Tool) -> bool {
        let component = tool.component();
        let standard = standard::by_digest(component.digest());
        component.tools().asks_hosts()
            && standard.is_none_or(|standard| matches!(standard.need(), Some(Need::Egress)))
    }

    /// Whether a tool could see a variable if one were granted: not without importing
    /// `wasi:cli/environment`, and not a standard one.
    pub fn sees_variables(&self, tool: &Tool) -> bool {
        let component = tool.component();
        component.tools().sees_variables() && standard::by_digest(component.digest()).is_none()
    }

    /// Whether calls of any tool may be answered by earlier ones.
    pub fn is_deterministic(&self) -> bool {
        self.own.values().chain([&self.all]).any(|scope| scope.tree.grants().deterministic)
    }

    fn scope(&self, tool: &str) -> &Scope {
        self.own.get(tool).unwrap_or(&self.all)
    }
}

/// The sandbox's facts as the loop knows them.
pub fn as_told(facts: Facts) -> ToolFacts {
    ToolFacts {
        reads: facts.reads,
        writes: facts.writes,
        staged: facts.writes,
        egress: facts.egress,
        deterministic: facts.deterministic,
    }
}

/// What a standard tool is given of a grant: to write only if it's made for that, so that the others
/// can work side by side; hosts, with their secrets, only if it's made for those; of the environment
/// nothing, since none of them heeds it.
fn as_needed(need: Option<Need>, given: &Grants) -> Grants {
    let mut enough = Grants { env: BTreeSet::new(), ..given.clone() };
    match need {
        // What it reads it could send.
        Some(Need::Egress) => enough.dirs.clear(),
        Some(Need::Write) => {
            enough.hosts.clear();
            enough.secrets.clear();
        }
        None => {
            enough.dirs.iter_mut().for_each(|dir| dir.access = Access::Read);
            enough.hosts.clear();
            enough.secrets.clear();
        }
    }
    enough
}

/// The sandbox for a command that makes a few calls, with compiled code kept in the user's cache, and what
/// was made of files in the user's state folder.
pub fn sandbox(folders: &Folders) -> Result<Sandbox> {
    let cache_dir = Some(folders.code()?.to_owned());
    let file_memory: Option<Arc<dyn FileMemory>> = Some(Arc::new(WorkedFiles::of(folders)));
    Ok(Sandbox::new(SandboxConfig { cache_dir, file_memory, ..SandboxConfig::for_few_calls() }).or_usage()?)
}

/// The tools of the standard components and of these.
pub fn load(sandbox: &Sandbox, others: &[ComponentSource]) -> Result<Toolset> {
    let mut components = Vec::new();
    for component in standard::components() {
        components.push(sandbox.load(component.source()?)?);
    }
    for source in others {
        let component = sandbox.load(source.clone()).or_usage()?;
        component.can_run().or_usage()?;
        if component.tools().tools.is_empty() {
            return Err(no_tools(&component));
        }
        check_names(&component)?;
        components.push(component);
    }
    Ok(Toolset::new(components).or_usage()?)
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
        let toolbox =
            Toolbox::under(&sandbox, &project, &grants, &BTreeMap::new(), &[], &Bounds::new()).unwrap();
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
