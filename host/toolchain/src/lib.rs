#![forbid(unsafe_code)]
//! From a tool's source in any language to a component: finds the language and its toolchain, runs it,
//! and puts the WIT with its docs into what comes out.
//!
//! Building runs what the project brings along (build scripts, package scripts) with the rights of
//! whoever builds: only a built component is fenced. Keys and tokens in the environment aren't handed
//! on.

mod bindings;
mod build;
mod component;
mod error;
mod file;
mod install;
mod language;
mod likely;
mod machine;
mod manifest;
mod ordinary;
mod project;
mod recipe;
mod run;
mod settings;
mod sources;
mod template;
mod toolchain;
mod turn;
mod wit;
mod workshop;

pub use build::{Built, Module, Options, Progress, build, build_module};
pub use component::WIT_SECTION;
pub use error::BuildError;
pub use language::Language;
pub use machine::Missing;
pub use manifest::check;
pub use ordinary::{MAX_TEXT, read_opened, read_ordinary, read_text, text};
pub use project::{Engine, FILE, Project, ToolProject};
pub use run::Cancel;
pub use template::{NewError, NewTool, ToolName, create};
pub use toolchain::Toolchain;
