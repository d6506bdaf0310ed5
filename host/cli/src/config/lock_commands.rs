//! The commands about a project's pinned components, complete: as hints print them.

use crate::shell;
use crate::state_dir::Folders;
use std::path::Path;

/// Whose components, and where the user's own things lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockCommands {
    project: String,
    state: String,
}

impl LockCommands {
    /// For a project.
    pub fn of(project: &Path, folders: &Folders) -> Self {
        Self { project: project.to_string_lossy().into_owned(), state: folders.flag() }
    }

    /// Fetches what is pinned.
    pub fn fetch(&self) -> String {
        let command = shell::command(["ringfence", "tool", "fetch", &self.project]);
        format!("{command}{}", self.state)
    }

    /// Looks at one component's source again, or approves more for it.
    pub fn update(&self, name: &str) -> String {
        self.about("update", name)
    }

    /// Gives one up.
    pub fn remove(&self, name: &str) -> String {
        self.about("remove", name)
    }

    fn about(&self, what: &str, name: &str) -> String {
        let command = shell::command(["ringfence", "tool", what, name, "--project", &self.project]);
        format!("{command}{}", self.state)
    }
}
