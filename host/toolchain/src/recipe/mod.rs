//! Recipes: how a tool is compiled, one file a language.
//!
//! A recipe says what it misses and makes a core module or a component; everything else (docs, the
//! adapter, checks, writing the file) is the same for all and lies around it.

mod c;
mod clang;
mod cpp;
mod go;
mod javascript;
mod python;
mod rust;
mod sources;
mod zig;

use crate::error::BuildError;
use crate::language::Language;
use crate::machine::{Machine, Missing};
use crate::project::ToolProject;
use crate::toolchain::Toolchain;
use crate::wit::Wit;
use crate::workshop::Workshop;

/// What a recipe made.
pub(crate) struct Made {
    /// A component, or a core module that becomes one.
    pub(crate) bytes: Vec<u8>,
    /// What was taken for it.
    pub(crate) toolchain: Toolchain,
}

/// What the recipe needs for this project and doesn't find here; everything at once.
pub(crate) fn missing(project: &ToolProject, machine: &Machine) -> Vec<Missing> {
    match project.language {
        Language::Rust => rust::missing(project, machine),
        Language::Python => python::missing(project, machine),
        Language::JavaScript | Language::TypeScript => javascript::missing(project, machine),
        Language::C => c::missing(project, machine),
        Language::Cpp => cpp::missing(project, machine),
        Language::Go => go::missing(project, machine),
        Language::Zig => zig::missing(project, machine),
    }
}

/// Compiles the project; nothing is missing.
pub(crate) fn build(project: &ToolProject, wit: &Wit, shop: &mut Workshop<'_>) -> Result<Made, BuildError> {
    match project.language {
        Language::Rust => rust::build(project, wit, shop),
        Language::Python => python::build(project, wit, shop),
        Language::JavaScript | Language::TypeScript => javascript::build(project, wit, shop),
        Language::C => c::build(project, wit, shop),
        Language::Cpp => cpp::build(project, wit, shop),
        Language::Go => go::build(project, wit, shop),
        Language::Zig => zig::build(project, wit, shop),
    }
}
