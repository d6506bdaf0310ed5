//! The support package of Go's bindings, `go.bytecodealliance.org/pkg`: as it comes with their
//! generator, with its licence, so that no module proxy is needed. Only `cabi_realloc` is changed.

use crate::error::BuildError;
use std::fs;
use std::path::Path;

/// Its path as a module.
pub(super) const MODULE: &str = "go.bytecodealliance.org/pkg";
/// The version that the generator asks for.
pub(super) const VERSION: &str = "v0.2.2";

const FILES: [(&str, &str); 11] = [
    ("LICENSE", include_str!("pkg/LICENSE")),
    ("go.mod", include_str!("pkg/go.mod")),
    ("wit/async/async.go", include_str!("pkg/wit/async/async.go")),
    ("wit/async/empty.s", include_str!("pkg/wit/async/empty.s")),
    ("wit/runtime/runtime.go", include_str!("pkg/wit/runtime/runtime.go")),
    ("wit/types/future.go", include_str!("pkg/wit/types/future.go")),
    ("wit/types/option.go", include_str!("pkg/wit/types/option.go")),
    ("wit/types/result.go", include_str!("pkg/wit/types/result.go")),
    ("wit/types/stream.go", include_str!("pkg/wit/types/stream.go")),
    ("wit/types/tuple.go", include_str!("pkg/wit/types/tuple.go")),
    ("wit/types/unit.go", include_str!("pkg/wit/types/unit.go")),
];

/// Writes the package into a folder.
pub(super) fn write(folder: &Path) -> Result<(), BuildError> {
    for (name, text) in FILES {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| BuildError::write(parent, error))?;
        fs::write(&path, text).map_err(|error| BuildError::write(&path, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_asks_for_the_version_that_is_shipped() {
        assert_eq!(wit_bindgen_go::remote_pkg_version(), format!("{MODULE} {VERSION}"));
    }
}
