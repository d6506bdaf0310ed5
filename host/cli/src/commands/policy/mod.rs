//! `ringfence policy …`: writing, checking, showing and explaining what holds.

mod allowing;
mod check;
mod explain;
mod explain_env;
mod explain_url;
mod given;
mod init;
mod show;

use crate::args::{GlobalArgs, PolicyArgs, PolicyCommand};
use crate::config::{Flags, Resolved, language};
use crate::exit::{Exit, OrUsage};
use crate::output::out;
use crate::state_dir::Folders;
use crate::terminal::is_interactive;
use crate::toolset::{Toolbox, sandbox};
use anyhow::Result;
use ringfence_sandbox::{ProjectDir, Tool};
use std::path::Path;

/// Carries the command out.
pub(super) fn execute(args: &PolicyArgs, global: &GlobalArgs) -> Result<Exit> {
    match &args.command {
        PolicyCommand::Init(args) => init::execute(args, global),
        PolicyCommand::Check(args) => check::execute(args, global),
        PolicyCommand::Show(args) => show::execute(args, global),
        PolicyCommand::Explain(args) => explain::execute(args, global),
        PolicyCommand::Schema => {
            out(&format!("{:#}\n", language::schema()))?;
            Ok(Exit::Done)
        }
    }
}

/// A project with what holds for it; nothing is called.
struct Desk {
    project: ProjectDir,
    folders: Folders,
    flags: Flags,
    resolved: Resolved,
    toolbox: Toolbox,
}

impl Desk {
    fn open(project: &Path, flags: Flags, global: &GlobalArgs) -> Result<Self> {
        let folders = Folders::find(global.state.as_deref())?;
        let project = ProjectDir::open(project).or_usage()?;
        let resolved = Resolved::look(&project, &flags, &folders, is_interactive())?;
        let toolbox = Toolbox::open(&sandbox(&folders)?, &project, &resolved)?;
        Ok(Self { project, folders, flags, resolved, toolbox })
    }

    /// The tools that exist, or the one that is named.
    fn tools(&self, named: Option<&str>) -> Result<Vec<&Tool>> {
        let mut tools = Vec::new();
        if let Some(name) = named {
            let tool = self.toolbox.tool(name)?;
            self.resolved.role.iter().try_for_each(|role| role.has(name))?;
            tools.push(tool);
            return Ok(tools);
        }
        match &self.resolved.role {
            None => tools.extend(self.toolbox.tools().iter()),
            Some(role) => {
                for name in &role.tools {
                    tools.push(self.toolbox.tool_of(role, name)?);
                }
            }
        }
        Ok(tools)
    }
}
