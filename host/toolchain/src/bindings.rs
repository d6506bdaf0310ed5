//! Bindings: what a language's source sees of its world, generated into a folder.

use crate::error::BuildError;
use crate::wit::Wit;
use std::fs;
use std::path::Path;
use wit_bindgen_core::Files;

/// A generator of bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generator {
    /// `WORLD.h`, `WORLD.c` and `WORLD_component_type.o`.
    C,
    /// A module with one package for each interface.
    Go,
}

/// Writes the bindings of the world into `folder`, which is made where it isn't there. What was in
/// it and isn't generated again stays.
pub(crate) fn generate(generator: Generator, wit: &Wit, folder: &Path) -> Result<(), BuildError> {
    let mut generator = match generator {
        Generator::C => wit_bindgen_c::Opts::default().build(),
        Generator::Go => wit_bindgen_go::Opts::default().build(),
    };
    let mut files = Files::default();
    generator.generate(&mut wit.resolve().clone(), wit.world_id(), &mut files).map_err(|error| {
        BuildError::Wit { reason: format!("no bindings can be made of the WIT: {error:#}") }
    })?;
    for (name, content) in files.iter() {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| BuildError::write(parent, error))?;
        fs::write(&path, content).map_err(|error| BuildError::write(&path, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bindings_of_a_world_are_written_into_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        let wit = dir.path().join("tool.wit");
        fs::write(&wit, "package a:b; world my-tool { export count: func(text: string) -> u32; }").unwrap();
        let wit = Wit::read(&wit, None).unwrap();
        let c = dir.path().join("bindings/c");
        generate(Generator::C, &wit, &c).unwrap();
        assert!(fs::read_to_string(c.join("my_tool.h")).unwrap().contains("exports_my_tool_count"));
        assert!(c.join("my_tool.c").exists() && c.join("my_tool_component_type.o").exists());
        let go = dir.path().join("bindings/go");
        generate(Generator::Go, &wit, &go).unwrap();
        assert!(go.join("go.mod").exists());
    }
}
