//! Tools in C: all `*.c` files of the folder, with the bindings that `#include "WORLD.h"` declares.

use super::clang::{self, Dialect};
use super::{Made, sources};
use crate::error::BuildError;
use crate::machine::{Machine, Missing};
use crate::project::ToolProject;
use crate::wit::Wit;
use crate::workshop::Workshop;

/// What isn't here.
pub(crate) fn missing(_project: &ToolProject, machine: &Machine) -> Vec<Missing> {
    clang::missing(Dialect::C, machine)
}

/// Compiles the project.
pub(crate) fn build(project: &ToolProject, wit: &Wit, shop: &mut Workshop<'_>) -> Result<Made, BuildError> {
    clang::build(Dialect::C, &sources::all(project, &["c"])?, project, wit, shop)
}
