//! What a run was started with beyond what the loop needs: project, grants, components, models.
//!
//! It travels in the run's first event, so that the run is taken up again on the terms that a
//! person saw, whatever configuration says by then. Holds no secret. Owns as well: making those
//! terms real again (opening folders, loading components).

use crate::config::{ExpertSection, Resolved, ToolPolicy};
use crate::driver::rates_of;
use crate::executor::Fenced;
use crate::exit::{OrUsage, Refusal};
use crate::model_choice::ModelPlan;
use crate::shelf::Shelf;
use crate::state_dir::Folders;
use crate::toolset::{self, Toolbox};
use anyhow::{Context, Result};
use ringfence_engine::{Expert, Settings, State};
use ringfence_models::Model;
use ringfence_sandbox::{Digest, Grants, ProjectDir};
use ringfence_store::{Memory, NoMemory};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Things remembered of earlier runs that a run is told at most.
const MEMORIES: usize = 5;

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
        let shelf = Shelf::open(folders.state()?)?;
        for source in &resolved.components {
            shelf.keep(source)?;
            components.push(Pinned { name: source.name().to_owned(), digest: source.digest() });
        }
        Ok(Self {
            project: project.path().to_owned(),
            grants: resolved.grants.clone(),
            tools: resolved.tools.clone(),
            allowed,
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

    /// The terms that a run was started on.
    pub fn of(state: &State) -> Result<Self> {
        serde_json::from_value(state.settings.metadata.clone()).with_context(|| {
            format!("run {} was started by another version, or its journal is damaged", state.run)
        })
    }

    /// Opens what is granted and loads the tools. Compiles nothing yet.
    pub fn fence(&self, folders: &Folders) -> Result<Fenced> {
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
        let kept: Vec<_> =
            self.components.iter().map(|pinned| shelf.get(&pinned.name, pinned.digest)).collect();
        let toolbox =
            Toolbox::under(&sandbox, &project, &self.grants, &self.tools, &kept)?.with_secrets(folders)?;
        let allowed = match &self.allowed {
            None => toolbox.tools().iter().map(|tool| tool.name().to_owned()).collect(),
            Some(names) => {
                for name in names {
                    toolbox.tool(name)?;
                }
                names.iter().cloned().collect()
            }
        };
        for name in &self.polling {
            toolbox.tool(name)?;
        }
        Ok(Fenced { sandbox: Arc::new(sandbox), toolbox, allowed, polling: self.polling.clone() })
    }
}
