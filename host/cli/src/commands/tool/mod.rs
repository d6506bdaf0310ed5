//! `ringfence tool …`

mod argument;
mod bring;
mod build;
mod call;
mod inspect;
mod list;
pub(super) mod shape;
mod test;

use crate::args::{GlobalArgs, GrantArgs, ToolArgs, ToolCommand};
use crate::config::{Flags, Locked, Resolved, Role};
use crate::exit::{Exit, OrUsage};
use crate::state_dir::Folders;
use crate::terminal::is_interactive;
use crate::toolset::{Toolbox, sandbox};
use anyhow::Result;
use ringfence_sandbox::{ProjectDir, Sandbox, Tool};
use std::path::Path;
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
        ToolCommand::Test(args) => test::execute(args, global),
    }
}

/// A project with its tools.
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
        Self::open(project, &Flags::from(grants), global, Resolved::look)
    }

    /// For telling what there is, also where pinned components can't be used.
    fn to_list(project: &Path, grants: &GrantArgs, global: &GlobalArgs) -> Result<Self> {
        Self::open(project, &Flags::from(grants), global, Resolved::look_around)
    }

    /// The pinned component that a tool is of, if it is of one.
    fn pinned(&self, tool: &Tool) -> Option<&Locked> {
        self.locked.iter().find(|locked| locked.entry.digest == tool.component().digest())
    }

    /// For calling a tool, within this time.
    fn to_call(
        project: &Path,
        grants: &GrantArgs,
        timeout: Option<Duration>,
        global: &GlobalArgs,
    ) -> Result<Self> {
        let mut flags = Flags::from(grants);
        flags.limits.tool_timeout = timeout;
        let bench = Self::open(project, &flags, global, Resolved::load)?;
        let folders = Folders::find(global.state.as_deref())?;
        Ok(Self { toolbox: bench.toolbox.with_values(&folders)?, ..bench })
    }

    fn open(
        project: &Path,
        flags: &Flags,
        global: &GlobalArgs,
        resolve: impl FnOnce(&ProjectDir, &Flags, &Folders, bool) -> Result<Resolved>,
    ) -> Result<Self> {
        let folders = Folders::find(global.state.as_deref())?;
        let project = ProjectDir::open(project).or_usage()?;
        let resolved = resolve(&project, flags, &folders, is_interactive())?;
        let sandbox = sandbox(&folders)?;
        let toolbox = Toolbox::open(&sandbox, &project, &resolved)?;
        if let Some(role) = &resolved.role {
            role.tools.iter().try_for_each(|name| toolbox.tool_of(role, name).map(drop))?;
        }
        let Resolved { role, locked, .. } = resolved;
        Ok(Self { folders, project, sandbox, toolbox, role, locked })
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
