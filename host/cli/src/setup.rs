//! What a run was started with beyond what the loop needs: project, grants, components, models.
//!
//! It travels in the run's first event, so that the run is taken up again on the terms that a
//! person saw, whatever configuration says by then. Holds no secret. Owns as well: making those
//! terms real again (opening folders, loading components).

use crate::config::{Approved, ExpertSection, LockCommands, Locked, Named, Resolved, Role, ToolPolicy};
use crate::driver::rates_of;
use crate::executor::Fenced;
use crate::exit::{OrUsage, Refusal};
use crate::granted::host_of;
use crate::model_choice::ModelPlan;
use crate::recall::Recall;
use crate::shelf::Shelf;
use crate::state_dir::Folders;
use crate::toolset::{self, Bound, Bounds, Toolbox};
use anyhow::{Context, Result};
use ringfence_engine::{Expert, LaterGrant, Settings, State};
use ringfence_models::Model;
use ringfence_sandbox::{
    Access, ComponentSource, Digest, DirGrant, GrantPath, Grants, MaskPattern, Masks, Overrides, ProjectDir,
    VariableName,
};
use ringfence_store::{Memory, NoMemory};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Things remembered of earlier runs that a run is told at most.
const MEMORIES: usize = 5;

/// Who a run works as, as far as its terms say so.
pub fn role_of(state: &State) -> Option<String> {
    Some(state.settings.metadata.get("role")?.as_str()?.to_owned())
}

/// Adds a folder; one that is there already can only be given more access.
fn add(dirs: &mut Vec<DirGrant>, dir: &DirGrant) {
    match dirs.iter_mut().find(|known| known.path == dir.path) {
        Some(known) => known.access = known.access.max(dir.access),
        None => dirs.push(dir.clone()),
    }
}

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
    /// Who the run works as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// What the role names of its own.
    #[serde(default, skip_serializing_if = "Named::is_nothing")]
    pub role_named: Named,
    /// Where the role's tools are named, for errors; empty for a run that is taken up again.
    #[serde(skip)]
    pub role_said_in: String,
    /// Components besides the standard ones. Their bytes are kept in the state folder.
    #[serde(default)]
    pub components: Vec<Pinned>,
    /// Tools whose equal calls in a row are their nature.
    #[serde(default)]
    pub polling: BTreeSet<String>,
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
    /// What its tools may touch at most, where a person approved so much and no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<Approved>,
    /// Other names and descriptions for its tools.
    #[serde(default, skip_serializing_if = "Overrides::is_empty")]
    pub overrides: Overrides,
}

impl Pinned {
    fn of(source: &ComponentSource, bounds: &Bounds) -> Self {
        Self {
            name: source.name().to_owned(),
            digest: source.digest(),
            approved: bounds.get(&source.digest()).map(|bound| bound.approved.clone()),
            overrides: source.overrides().clone(),
        }
    }
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
        let (mut components, bounds) = (Vec::new(), Locked::bounds(&resolved.locked));
        let shelf = Shelf::open(folders.state()?)?;
        for source in &resolved.components {
            shelf.keep(source)?;
            components.push(Pinned::of(source, &bounds));
        }
        Ok(Self {
            project: project.path().to_owned(),
            grants: resolved.grants.clone(),
            tools: resolved.tools.clone(),
            allowed: resolved.allowed(allowed)?,
            role: resolved.role.as_ref().map(|role| role.name.clone()),
            role_named: resolved.role.as_ref().map(Role::named).unwrap_or_default(),
            role_said_in: resolved.role.as_ref().map_or_else(String::new, |role| role.said_in.clone()),
            components,
            polling: resolved.polling.clone(),
            models,
        })
    }

    /// What the loop is to be told of these terms, and of everything else that shapes the run.
    pub fn settings(
        &self,
        goal: &str,
        resolved: &Resolved,
        fenced: &Fenced,
        model: &dyn Model,
    ) -> Result<Settings> {
        let prompt = |section: &ExpertSection| Expert { prompt: section.prompt.clone() };
        let experts = resolved.experts.iter().map(|(name, section)| (name.clone(), prompt(section)));
        Ok(Settings {
            flow: resolved.flow,
            limits: resolved.limits.clone(),
            pause: resolved.pause.clone(),
            on_stage_failure: resolved.on_stage_failure,
            parallel: resolved.parallel,
            tools: fenced.specs(),
            prompts: resolved.prompts.clone(),
            experts: experts.collect(),
            rates: rates_of(model, resolved.experts.keys().cloned()),
            memories: NoMemory.related(goal, MEMORIES),
            metadata: serde_json::to_value(self).context("the run's terms can't be written as JSON")?,
        })
    }

    /// The terms that a run is on: those it was started on, and what a person allowed since.
    pub fn of(state: &State) -> Result<Self> {
        Self::after(state, state.granted.len())
    }

    /// The same when a person had allowed only the first so many things.
    pub fn after(state: &State, grants: usize) -> Result<Self> {
        let mut setup: Self = serde_json::from_value(state.settings.metadata.clone()).with_context(|| {
            format!("run {} was started by another version, or its journal is damaged", state.run)
        })?;
        for granted in state.granted.iter().take(grants) {
            setup.allow(&granted.grant).with_context(|| {
                format!("what was granted to run {} can't be read by this version", state.run)
            })?;
        }
        Ok(setup)
    }

    /// Takes in what a person allows during the run. A tool that was given folders, hosts or variables of
    /// its own keeps to them. No new secret comes with a host: they were chosen when the run began, though one
    /// of them goes with requests to this host too where it belongs there.
    pub fn allow(&mut self, grant: &LaterGrant) -> Result<()> {
        match grant {
            LaterGrant::Dir { path, access, masks } => {
                let access: Access = serde_json::from_value(json!(access)).context("an unknown access")?;
                let patterns = masks.iter().map(|mask| MaskPattern::parse(mask)).collect::<Result<_, _>>()?;
                let masks = Masks { defaults: true, patterns };
                let dir = DirGrant { path: GrantPath::parse(path)?, access, masks };
                for policy in self.tools.values_mut().filter(|policy| policy.dirs == self.grants.dirs) {
                    add(&mut policy.dirs, &dir);
                }
                add(&mut self.grants.dirs, &dir);
                Ok(())
            }
            LaterGrant::Host { url, methods, private } => {
                let host = host_of(url, methods, *private)?;
                for policy in self.tools.values_mut().filter(|policy| policy.hosts == self.grants.hosts) {
                    policy.hosts.push(host.clone());
                }
                self.grants.hosts.push(host);
                Ok(())
            }
            LaterGrant::Variable { name } => {
                let name = VariableName::parse(name)?;
                for policy in self.tools.values_mut().filter(|policy| policy.env == self.grants.env) {
                    policy.env.insert(name.clone());
                }
                self.grants.env.insert(name);
                Ok(())
            }
        }
    }

    /// Opens what is granted and loads the tools. Compiles nothing yet.
    pub fn fence(&self, folders: &Folders) -> Result<Fenced> {
        self.fence_with(folders, Toolbox::with_values)
    }

    /// The same for a run that is about to be ended by a person: no call is made any more, so nothing
    /// that calls are given is read, and nothing of it can be in the way.
    pub fn fence_to_end(&self, folders: &Folders) -> Result<Fenced> {
        self.fence_with(folders, |toolbox, _| Ok(toolbox))
    }

    fn bounds(&self, commands: &LockCommands) -> Bounds {
        let bound = |pinned: &Pinned| {
            let update = commands.update(&pinned.name);
            Some((pinned.digest, Bound { approved: pinned.approved.clone()?, update }))
        };
        self.components.iter().filter_map(bound).collect()
    }

    fn fence_with(
        &self,
        folders: &Folders,
        given: impl FnOnce(Toolbox, &Folders) -> Result<Toolbox>,
    ) -> Result<Fenced> {
        let project = ProjectDir::open(&self.project).or_usage()?;
        if project.path() != self.project {
            return Err(Refusal::usage(format!(
                "{} is not the folder that the run was started on: it leads to {} now",
                self.project.display(),
                project.path().display()
            ))
            .hint("put the folder back, or start a new run")
            .into());
        }
        let granted: Vec<_> = self.grants.dirs.iter().map(|dir| dir.path.clone()).collect();
        folders.out_of_reach(project.path(), &granted)?;
        let sandbox = toolset::sandbox(folders)?;
        let shelf = Shelf::open(folders.state()?)?;
        let kept =
            |pinned: &Pinned| shelf.get(&pinned.name, pinned.digest).with_overrides(pinned.overrides.clone());
        let kept: Vec<_> = self.components.iter().map(kept).collect();
        let bounds = self.bounds(&LockCommands::of(&self.project, folders));
        let toolbox = Toolbox::under(&sandbox, &project, &self.grants, &self.tools, &kept, &bounds)?;
        let toolbox = given(toolbox, folders)?;
        let toolbox = match &self.role {
            Some(role) => toolbox.with_sections(|sections| sections.with_role(role, &self.role_named)),
            None => toolbox,
        };
        let allowed = match &self.allowed {
            None => toolbox.offered().map(|tool| tool.name().to_owned()).collect(),
            Some(names) => {
                for name in names {
                    toolbox
                        .offered_tool(name)
                        .map_err(|error| toolset::said_in(error, &self.role_said_in))?;
                }
                names.iter().cloned().collect()
            }
        };
        for name in &self.polling {
            toolbox.tool(name)?;
        }
        let polling = self.polling.clone();
        let recall = toolbox.is_deterministic().then(|| Recall::of(folders));
        Ok(Fenced { sandbox: Arc::new(sandbox), toolbox, allowed, polling, staging: None, recall })
    }
}
