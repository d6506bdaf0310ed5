//! `ringfence tool …`

mod argument;
mod bring;
mod build;
mod call;
mod example;
mod inspect;
mod list;
mod new;
pub(super) mod shape;
mod test;

use crate::args::{GlobalArgs, GrantArgs, ToolArgs, ToolCommand};
use crate::config::{Flags, Locked, Resolved, Role};
use crate::exit::{Exit, OrUsage};
use crate::output::err;
use crate::state_dir::Folders;
use crate::terminal::{is_interactive, plain};
use crate::toolset::{Toolbox, sandbox};
use anyhow::Result;
use ringfence_sandbox::{ComponentSource, LoadedComponent, ProjectDir, Sandbox, Tool};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Carries the command out.
pub(super) fn execute(args: &ToolArgs, global: &GlobalArgs) -> Result<Exit> {
    match &args.command {
        ToolCommand::List(args) => list::execute(args, global),
        ToolCommand::Inspect(args) => inspect::execute(args, global),
        ToolCommand::Call(args) => call::execute(args, global),
        ToolCommand::Add(args) => bring::add(args, global),
        ToolCommand::Remove(args) => bring::remove(args, global),
        ToolCommand::Update(args) => bring::update(args, global),
        ToolCommand::Fetch(args) => bring::fetch(args, global),
        ToolCommand::Push(args) => bring::push(args, global),
        ToolCommand::Build(args) => build::execute(args, global),
        ToolCommand::New(args) => new::execute(args, global),
        ToolCommand::Test(args) => test::execute(args, global),
    }
}

/// What is meant on a command line.
enum Named {
    /// A tool of the project.
    Tool(String),
    /// A component's file.
    File(PathBuf),
}

impl Named {
    /// A tool's name has neither a dot nor a slash. A file that has neither is named with its folder:
    /// `./name`.
    fn of(what: &str) -> Self {
        if what.contains(['.', '/']) { Self::File(what.into()) } else { Self::Tool(what.to_owned()) }
    }
}

/// A project with its tools, or with those of one component.
struct Workbench {
    folders: Folders,
    project: ProjectDir,
    sandbox: Sandbox,
    toolbox: Toolbox,
    role: Option<Role>,
    /// The pinned components, also those that can't be used.
    locked: Vec<Locked>,
}

impl Workbench {
    /// For a command that calls nothing.
    fn to_look(project: &Path, grants: &GrantArgs, global: &GlobalArgs) -> Result<Self> {
        let folders = Folders::find(global.state.as_deref())?;
        let project = ProjectDir::open(project).or_usage()?;
        let resolved = Resolved::look(&project, &Flags::from(grants), &folders, is_interactive())?;
        Self::of_project(folders, project, &resolved)
    }

    /// For looking at a component, as the tools of this project would be. The project matters little: it is
    /// never asked about.
    fn to_look_at(file: &Path, project: &Path, grants: &GrantArgs, global: &GlobalArgs) -> Result<Self> {
        let folders = Folders::find(global.state.as_deref())?;
        let project = ProjectDir::open(project).or_usage()?;
        let (resolved, counts) = Resolved::glance(&project, &Flags::from(grants), &folders)?;
        if !counts && !global.quiet {
            let shown = plain(&project.path().display().to_string());
            err(&format!("note: nobody has confirmed the configuration of {shown}; it doesn't count here\n"));
        }
        Self::of_file(file, folders, project, &resolved)
    }

    /// For telling what there is, also where pinned components can't be used.
    fn to_list(project: &Path, grants: &GrantArgs, global: &GlobalArgs) -> Result<Self> {
        let folders = Folders::find(global.state.as_deref())?;
        let project = ProjectDir::open(project).or_usage()?;
        let resolved = Resolved::look_around(&project, &Flags::from(grants), &folders, is_interactive())?;
        Self::of_project(folders, project, &resolved)
    }

    /// The pinned component that a tool is of, if it is of one.
    fn pinned(&self, tool: &Tool) -> Option<&Locked> {
        self.locked.iter().find(|locked| locked.entry.digest == tool.component().digest())
    }

    /// For calling a tool, within this time.
    fn to_call(
        named: &Named,
        project: &Path,
        grants: &GrantArgs,
        timeout: Option<Duration>,
        global: &GlobalArgs,
    ) -> Result<Self> {
        let mut flags = Flags::from(grants);
        flags.limits.tool_timeout = timeout;
        let folders = Folders::find(global.state.as_deref())?;
        let project = ProjectDir::open(project).or_usage()?;
        let resolved = Resolved::load(&project, &flags, &folders, is_interactive())?;
        let bench = match named {
            Named::Tool(_) => Self::of_project(folders, project, &resolved)?,
            Named::File(file) => {
                let bench = Self::of_file(file, folders, project, &resolved)?;
                bench.component().can_run().or_usage()?;
                bench
            }
        };
        Ok(Self { toolbox: bench.toolbox.with_values(&bench.folders)?, ..bench })
    }

    fn of_project(folders: Folders, project: ProjectDir, resolved: &Resolved) -> Result<Self> {
        let sandbox = sandbox(&folders)?;
        let toolbox = Toolbox::open(&sandbox, &project, resolved)?;
        if let Some(role) = &resolved.role {
            role.tools.iter().try_for_each(|name| toolbox.tool_of(role, name).map(drop))?;
        }
        let Resolved { role, locked, .. } = resolved;
        Ok(Self { folders, project, sandbox, toolbox, role: role.clone(), locked: locked.clone() })
    }

    fn of_file(file: &Path, folders: Folders, project: ProjectDir, resolved: &Resolved) -> Result<Self> {
        let sandbox = sandbox(&folders)?;
        let component = sandbox.load(ComponentSource::from_file(file).or_usage()?).or_usage()?;
        let toolbox = Toolbox::of_one(&project, resolved, component)?;
        let locked = resolved.locked.clone();
        Ok(Self { folders, project, sandbox, toolbox, role: None, locked })
    }

    /// The component that was named, or the first of the project's.
    #[allow(clippy::indexing_slicing)] // there is always one
    fn component(&self) -> &Arc<LoadedComponent> {
        &self.toolbox.tools().components()[0]
    }

    /// The tools that exist for the role.
    fn tools(&self) -> impl Iterator<Item = &Tool> {
        let exists = |tool: &&Tool| self.role.as_ref().is_none_or(|role| role.has(tool.name()).is_ok());
        self.toolbox.tools().iter().filter(exists)
    }

    /// The tool of this name, if it exists for the role.
    fn tool(&self, name: &str) -> Result<&Tool> {
        let tool = self.toolbox.tool(name)?;
        self.role.iter().try_for_each(|role| role.has(name))?;
        Ok(tool)
    }
}
