//! Why there is no component.

use crate::language::Language;
use crate::machine::Missing;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a tool couldn't be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A file or folder can't be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A file or folder can't be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// There is no project, or its `tool.toml` says something that can't be.
    #[error("{}: {reason}", path.display())]
    Settings {
        /// The folder, or the file.
        path: PathBuf,
        /// What is wrong with it, and what would be right.
        reason: String,
    },
    /// Nothing in the folder tells of a language.
    #[error(
        "{} holds no source of a tool that is known: want a Cargo.toml, package.json, go.mod, build.zig, \
         pyproject.toml, or a file *.zig, *.cpp, *.c, *.py; or a tool.toml with `language = \"…\"`, which is one \
         of {}",
        folder.display(), Language::names()
    )]
    NoLanguage {
        /// The folder.
        folder: PathBuf,
    },
    /// More than one language lies there.
    #[error(
        "{} could be written in {}: say which in a tool.toml beside it, as `language = \"{}\"`",
        folder.display(), candidates(found), found[0].0
    )]
    Languages {
        /// The folder.
        folder: PathBuf,
        /// Each language with the file that tells of it; at least two.
        found: Vec<(Language, String)>,
    },
    /// The WIT can't be read, or has no world to build for.
    #[error("{reason}")]
    Wit {
        /// What is wrong, with file and line where the parser knows them.
        reason: String,
    },
    /// Programs that the recipe needs aren't here.
    #[error("{}", missing(.0))]
    Missing(Vec<Missing>),
    /// What was missing couldn't be installed.
    #[error("`{command}` failed ({status}){}", said(tail))]
    Install {
        /// The command.
        command: String,
        /// How it ended.
        status: String,
        /// The end of what it said.
        tail: String,
    },
    /// A compiler ended with an error.
    #[error("`{command}` failed ({status}){}", said(tail))]
    Compiler {
        /// The command.
        command: String,
        /// How it ended.
        status: String,
        /// The end of what it said, which was told line by line as well.
        tail: String,
    },
    /// A program can't be started.
    #[error("`{command}` can't be started: {reason}")]
    Start {
        /// The command.
        command: String,
        /// What the system says.
        reason: String,
    },
    /// A recipe's own reason: what the source lacks.
    #[error("{reason}")]
    Source {
        /// What is wrong with the source, and what to do.
        reason: String,
    },
    /// What the compiler made is no component for the world.
    #[error("{reason}")]
    Component {
        /// What is wrong with it.
        reason: String,
    },
    /// There is no recipe.
    #[error("tools in {language} can't be built yet")]
    NoRecipe {
        /// The language.
        language: Language,
    },
    /// A built file doesn't belong to the sources.
    #[error("{reason}")]
    Stale {
        /// Which, and what to do.
        reason: String,
    },
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl BuildError {
    /// Whether it is about what was asked or what is installed: nothing was compiled.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Settings { .. }
            | Self::NoLanguage { .. }
            | Self::Languages { .. }
            | Self::Missing(_)
            | Self::NoRecipe { .. } => true,
            Self::Read { .. }
            | Self::Write { .. }
            | Self::Wit { .. }
            | Self::Install { .. }
            | Self::Compiler { .. }
            | Self::Start { .. }
            | Self::Source { .. }
            | Self::Component { .. }
            | Self::Stale { .. }
            | Self::Cancelled => false,
        }
    }

    pub(crate) fn read(path: &Path, error: impl ToString) -> Self {
        Self::Read { path: path.to_owned(), reason: error.to_string() }
    }

    pub(crate) fn write(path: &Path, error: impl ToString) -> Self {
        Self::Write { path: path.to_owned(), reason: error.to_string() }
    }

    pub(crate) fn source(reason: impl Into<String>) -> Self {
        Self::Source { reason: reason.into() }
    }

    pub(crate) fn component(reason: impl Into<String>) -> Self {
        Self::Component { reason: reason.into() }
    }
}

fn candidates(found: &[(Language, String)]) -> String {
    let each: Vec<String> = found.iter().map(|(language, file)| format!("{language} ({file})")).collect();
    each.join(" or ")
}

fn missing(list: &[Missing]) -> String {
    let each: Vec<String> = list.iter().map(Missing::to_string).collect();
    format!("what builds the tool is missing:\n{}", each.join("\n"))
}

fn said(tail: &str) -> String {
    if tail.is_empty() { " without a word".to_owned() } else { format!(":\n{tail}") }
}
