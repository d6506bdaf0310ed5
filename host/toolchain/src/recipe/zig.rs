//! Tools in Zig, by Zig's compiler.

use super::Made;
use crate::error::BuildError;
use crate::machine::{Machine, Missing};
use crate::project::ToolProject;
use crate::wit::Wit;
use crate::workshop::Workshop;

/// What isn't here.
pub(crate) fn missing(_project: &ToolProject, _machine: &Machine) -> Vec<Missing> {
    Vec::new()
}

/// Compiles the project.
pub(crate) fn build(project: &ToolProject, _wit: &Wit, _shop: &mut Workshop<'_>) -> Result<Made, BuildError> {
    Err(BuildError::NoRecipe { language: project.language })
}
