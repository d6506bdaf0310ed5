//! What a command may do: the project's file, the user's file and the flags, made into one.
//!
//! Owns: reading, trust, layering. Doesn't own: what is done with it. Nothing of a project's
//! counts before it is confirmed, and nothing in it widens what the user's file or flags say:
//! folders and single values are the user's where the user names any, the environment and secrets
//! are the user's alone, bounds are the smaller
//! of both, and pause points only ever add up.

mod approved;
mod dirs;
mod enforceable;
pub mod env;
mod file;
mod hosts;
pub mod language;
mod layers;
mod lock;
mod lock_commands;
mod locked;
mod lowered;
mod named;
mod named_secrets;
mod origin;
mod project_files;
mod reading;
mod roles;
mod rule_files;
mod search;
pub mod secrets;
mod survey;
mod tools;
mod trusted_keys;
mod user_file;
mod values;
#[cfg(test)]
mod widening;

pub use approved::Approved;
pub use env::Unanswered;
pub use file::{
    Bytes, Component, ConfigFile, Dir, Dollars, Durability, ExpertSection, GrantsSection, LimitsSection,
    ModelSection, ModelsSection, Provider, Span, ToolSection,
};
pub use hosts::Host;
pub use lock::{ComponentName, Entry, LOCK, Lock};
pub use lock_commands::LockCommands;
pub use locked::{Differences, Here, Locked, Unusable, absolute};
pub use lowered::Lowered;
pub use named::Named;
pub use origin::{Layer, Origins, Setting, Source};
pub use project_files::{CONFIG, PROMPTS, ProjectFiles, component_of};
pub use roles::{Role, RoleSection};
pub use survey::Survey;

use crate::args::{DirSpec, GrantArgs, LimitArgs, PauseList, RunArgs};
use crate::exit::{OrUsage, Refusal};
use crate::state_dir::Folders;
use crate::trust::{self, Asking};
use anyhow::Result;
use ringfence_engine::{Flow, Limits as RunLimits, OnStageFailure, PausePoint, Prompts};
use ringfence_sandbox::{
    ComponentSource, DirGrant, Grants, HostGrant, Limits as CallLimits, MaskPattern, ProjectDir, SecretGrant,
    VariableName,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::PathBuf;

/// What the command line says.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `--dir`
    pub dirs: Vec<DirSpec>,
    /// `--mask`
    pub masks: Vec<MaskPattern>,
    /// `--allow-host`
    pub hosts: Vec<HostGrant>,
    /// `--allow-env`
    pub env: Vec<VariableName>,
    /// `--component`
    pub components: Vec<PathBuf>,
    /// `--trust`
    pub trust: Option<String>,
    /// `--role`
    pub role: Option<String>,
    /// `--max-…`, `--…-timeout`
    pub limits: LimitArgs,
    /// `--pause`
    pub pause: Option<PauseList>,
    /// `--flow`
    pub flow: Option<Flow>,
    /// `--parallel`
    pub parallel: Option<NonZeroU32>,
    /// The same where neither a flag nor a file says it.
    pub usual_parallel: Option<NonZeroU32>,
    /// `--on-stage-failure`
    pub on_stage_failure: Option<OnStageFailure>,
    /// `--durability`
    pub durability: Option<Durability>,
    /// `--notify`
    pub notify: Option<String>,
}

impl From<&GrantArgs> for Flags {
    fn from(args: &GrantArgs) -> Self {
        let GrantArgs { dirs, masks, hosts, env, components, trust, role } = args.clone();
        Self { dirs, masks, hosts, env, components, trust, role, ..Self::default() }
    }
}

impl From<&RunArgs> for Flags {
    fn from(args: &RunArgs) -> Self {
        Self {
            limits: args.limits.clone(),
            pause: args.pause.clone(),
            flow: args.flow.map(Flow::from),
            parallel: args.parallel,
            on_stage_failure: args.on_stage_failure.map(OnStageFailure::from),
            durability: args.durability,
            notify: args.notify.clone(),
            ..Self::from(&args.grants)
        }
    }
}

/// What holds for one command on one project.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// What every tool may touch at most, and the bounds of a call.
    pub grants: Grants,
    /// Tools that may do less.
    pub tools: BTreeMap<String, ToolPolicy>,
    /// Who the run works as; the grants are narrowed by it already.
    pub role: Option<Role>,
    /// Bounds of the run.
    pub limits: RunLimits,
    /// The loop architecture.
    pub flow: Flow,
    /// Where the run waits for a person.
    pub pause: BTreeSet<PausePoint>,
    /// Tasks at the same time.
    pub parallel: u32,
    /// What becomes of a failed stage.
    pub on_stage_failure: OnStageFailure,
    /// What an acknowledged step survives.
    pub durability: Durability,
    /// The command that is told what becomes of runs.
    pub notify: Option<String>,
    /// Models by stage, as configured.
    pub models: ModelsSection,
    /// Experts by the kind of task.
    pub experts: BTreeMap<String, ExpertSection>,
    /// Tools whose equal calls in a row are their nature.
    pub polling: BTreeSet<String>,
    /// The stages' prompts.
    pub prompts: Prompts,
    /// Components besides the standard ones.
    pub components: Vec<ComponentSource>,
    /// The pinned ones, whether or not they can be run; those that can are among `components`.
    pub locked: Vec<Locked>,
    /// Variables that the project's file names in vain.
    pub unanswered: Unanswered,
}

/// What one tool may do where that is less than the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolPolicy {
    /// Folders within the granted ones; possibly none.
    pub dirs: Vec<DirGrant>,
    /// Real clocks and random numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub entropy: bool,
    /// Nothing but input and files decides its answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
    /// Hosts among the granted ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostGrant>,
    /// The secrets that go with requests to them, where the user's file or a flag grants the hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<SecretGrant>,
    /// Variables among the granted ones.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub env: BTreeSet<VariableName>,
    /// What it is told of the configuration.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Bounds, none wider than those of all calls.
    pub limits: CallLimits,
    /// What a model is told of it in place of its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What its sections name of their own.
    #[serde(default, skip_serializing_if = "Named::is_nothing")]
    pub named: Named,
    /// Where it is said, for errors; empty for a run that is taken up again.
    #[serde(skip)]
    pub said_in: String,
}

impl ToolPolicy {
    /// All that is granted, and nothing told.
    pub(crate) fn of(grants: &Grants) -> Self {
        Self {
            dirs: grants.dirs.clone(),
            entropy: grants.entropy,
            deterministic: grants.deterministic,
            hosts: grants.hosts.clone(),
            secrets: grants.secrets.clone(),
            env: grants.env.clone(),
            settings: BTreeMap::new(),
            limits: grants.limits.clone(),
            description: None,
            named: Named::default(),
            said_in: String::new(),
        }
    }

    /// The same as grants.
    pub fn grants(&self) -> Grants {
        Grants {
            dirs: self.dirs.clone(),
            entropy: self.entropy,
            deterministic: self.deterministic,
            hosts: self.hosts.clone(),
            secrets: self.secrets.clone(),
            env: self.env.clone(),
            settings: self.settings.clone(),
            limits: self.limits.clone(),
        }
    }
}

impl Resolved {
    /// Reads, confirms and layers everything. Nothing was run when this fails.
    pub fn load(project: &ProjectDir, flags: &Flags, folders: &Folders, interactive: bool) -> Result<Self> {
        let resolved = Self::look(project, flags, folders, interactive)?;
        let granted: Vec<_> = resolved.grants.dirs.iter().map(|dir| dir.path.clone()).collect();
        folders.out_of_reach(project.path(), &granted)?;
        Ok(resolved)
    }

    /// As [`Self::load`], for a command that calls no tool: it may also look at a project whose
    /// tools could read the state folder.
    pub fn look(project: &ProjectDir, flags: &Flags, folders: &Folders, interactive: bool) -> Result<Self> {
        let resolved = Self::look_around(project, flags, folders, interactive)?;
        let unusable = resolved.unusable().next();
        unusable.map_or(Ok(resolved), |refusal| Err(refusal.into()))
    }

    /// As [`Self::look`], also where pinned components can't be run.
    pub fn look_around(
        project: &ProjectDir,
        flags: &Flags,
        folders: &Folders,
        interactive: bool,
    ) -> Result<Self> {
        let files = ProjectFiles::read(project.path())?;
        let asking = Asking { hash: flags.trust.as_deref(), interactive };
        trust::require(project.path(), &files, asking, folders)?;
        Self::of_files(project, &files, flags, folders)
    }

    /// As [`Self::look_around`], for a command to which the project hardly matters: where nobody has confirmed what
    /// the project says, or it can't be read, it says nothing and nobody is asked. Tells whether it counts.
    pub fn glance(project: &ProjectDir, flags: &Flags, folders: &Folders) -> Result<(Self, bool)> {
        let counts = match ProjectFiles::read(project.path()) {
            Ok(files) => flags.trust.is_some() || trust::is_trusted(project.path(), &files, folders)?,
            Err(_) => false,
        };
        let resolved = match counts {
            true => Self::look_around(project, flags, folders, false)?,
            false => Self::of_user(flags, folders)?,
        };
        Ok((resolved, counts))
    }

    /// What the user's own file and flags say, with no project.
    pub fn of_user(flags: &Flags, folders: &Folders) -> Result<Self> {
        Self::layered(&ProjectFiles::default(), flags, folders)
    }

    /// The command that the user's own file names to be told what becomes of runs.
    pub fn user_notify(folders: &Folders) -> Result<Option<String>> {
        Ok(user_file::read(folders)?.config.notify)
    }

    /// What holds where nobody says anything.
    pub fn built_in() -> Self {
        let (nothing, flags) = (ConfigFile::default(), Flags::default());
        Self {
            grants: Grants::whole_project(),
            tools: BTreeMap::new(),
            role: None,
            limits: RunLimits::default(),
            flow: Flow::default(),
            pause: layers::pause(&nothing, &nothing, &flags),
            parallel: 1,
            on_stage_failure: OnStageFailure::default(),
            durability: Durability::default(),
            notify: None,
            models: ModelsSection::default(),
            experts: BTreeMap::new(),
            polling: BTreeSet::new(),
            prompts: Prompts::default(),
            components: Vec::new(),
            locked: Vec::new(),
            unanswered: Unanswered::default(),
        }
    }

    fn layered(files: &ProjectFiles, flags: &Flags, folders: &Folders) -> Result<Self> {
        let user = user_file::read(folders)?;
        let mut components = Vec::new();
        components.extend(files.components());
        for (path, overrides) in user.components() {
            components.push(ComponentSource::from_file(&path).or_usage()?.with_overrides(overrides));
        }
        for path in &flags.components {
            components.push(ComponentSource::from_file(path).or_usage()?);
        }
        let mut resolved = Self::of_layers(&files.config, &user.config, flags)?;
        let prompts = prompts(files)?;
        resolved.prompts = match &resolved.role {
            Some(role) if !role.prompt.is_empty() => prompts.besides(&role.prompt),
            Some(_) | None => prompts,
        };
        resolved.components = components;
        resolved.tell_rules(&files.files);
        Ok(resolved)
    }

    /// What the three layers come to, apart from what lies in files of its own.
    fn of_layers(project: &ConfigFile, user: &ConfigFile, flags: &Flags) -> Result<Self> {
        let mut grants = layers::grants(project, user, flags);
        // A project's hosts alone never set the user's secrets in motion.
        let own = !flags.hosts.is_empty() || user.grants.hosts.is_some();
        grants.secrets = if own { secrets::granted(user, &grants.hosts)? } else { Vec::new() };
        named_secrets::narrow(&mut grants.secrets, project.grants.secrets.as_ref());
        let env = env::granted(project, user, flags)?;
        let unanswered = Unanswered::of(project, &env);
        if !grants.deterministic {
            grants.env = env;
        }
        let mut tools = tools::policies(project, user, &grants, flags)?;
        let mut role = roles::chosen(project, user, flags)?;
        if let Some(role) = &mut role {
            role.narrow(&mut grants, &mut tools, flags)?;
        }
        Ok(Self {
            tools,
            role,
            limits: layers::limits(project, user, flags),
            flow: layers::flow(project, user, flags),
            pause: layers::pause(project, user, flags),
            parallel: layers::parallel(project, user, flags),
            on_stage_failure: layers::on_stage_failure(project, user, flags),
            durability: flags.durability.or(user.durability).unwrap_or_default(),
            notify: flags.notify.clone().or_else(|| user.notify.clone()),
            models: layers::models(project, user),
            experts: layers::experts(project, user),
            polling: layers::polling(project, user),
            prompts: Prompts::default(),
            components: Vec::new(),
            locked: Vec::new(),
            unanswered,
            grants,
        })
    }

    /// The tools that may be used: the role's, and of those only the ones that a flag names.
    pub fn allowed(&self, named: Option<Vec<String>>) -> Result<Option<Vec<String>>> {
        match (&self.role, named) {
            (None, named) => Ok(named),
            (Some(role), None) => Ok(Some(role.tools.clone())),
            (Some(role), Some(named)) => {
                named.iter().try_for_each(|tool| role.has(tool))?;
                Ok(Some(named))
            }
        }
    }
}

/// The built-in prompts with the project's own in place of some.
fn prompts(files: &ProjectFiles) -> Result<Prompts> {
    let mut prompts = Prompts::default();
    let mut own = false;
    let slots = [
        ("plan", &mut prompts.plan),
        ("decide", &mut prompts.decide),
        ("evaluate", &mut prompts.evaluate),
        ("reason", &mut prompts.reason),
        ("converse", &mut prompts.converse),
        ("reflect", &mut prompts.reflect),
    ];
    for (name, slot) in slots {
        if let Some(text) = files.prompt(name) {
            *slot = text;
            own = true;
        }
    }
    if own {
        prompts.check().map_err(|error| {
            Refusal::usage(error.to_string()).hint(format!("mend the file in {PROMPTS}, or remove it"))
        })?;
    }
    Ok(prompts)
}
