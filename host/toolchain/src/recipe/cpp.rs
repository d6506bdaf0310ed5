//! Tools in C++: all `*.cpp` files of the folder, over the C bindings that `#include "WORLD.h"`
//! declares. Without exceptions: what would throw ends the call.

use super::clang::{self, Dialect};
use super::{Made, sources};
use crate::error::BuildError;
use crate::machine::{Machine, Missing};
use crate::project::ToolProject;
use crate::wit::Wit;
use crate::workshop::Workshop;

/// What isn't here.
pub(crate) fn missing(_project: &ToolProject, machine: &Machine) -> Vec<Missing> {
    clang::missing(Dialect::Cpp, machine)
}

/// Compiles the project.
pub(crate) fn build(project: &ToolProject, wit: &Wit, shop: &mut Workshop<'_>) -> Result<Made, BuildError> {
    clang::build(Dialect::Cpp, &sources::all(project, &["cpp", "cc", "cxx"])?, project, wit, shop)
}
