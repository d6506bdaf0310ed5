//! Makes a component of a core module of any language: `componentize MODULE WIT_FOLDER WORLD OUT`.
//!
//! The module is a WASI preview 1 reactor that exports what the world exports, by the canonical
//! ABI's names. The component gets the WIT package with its docs, as the standard tools do.

#[path = "../src/component.rs"]
mod component;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use wit_component::StringEncoding;
use wit_parser::Resolve;

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [module, wit, world, out] = arguments.as_slice() else {
        bail!("usage: componentize MODULE WIT_FOLDER WORLD OUT");
    };
    let world = world.to_str().context("a world's name is UTF-8")?;
    let bytes = std::fs::read(module).with_context(|| format!("cannot read {}", module.display()))?;
    let component = with_world(bytes, wit, world)
        .and_then(|module| component::from_module(&module, wit, world))
        .with_context(|| format!("cannot make a component of {}", module.display()))?;
    std::fs::write(out, component).with_context(|| format!("cannot write {}", out.display()))
}

/// Says in the module which world it is for: most compilers leave no word of it.
fn with_world(mut module: Vec<u8>, wit: &Path, world: &str) -> Result<Vec<u8>> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(wit)?;
    let id = resolve.select_world(&[package], Some(world))?;
    wit_component::embed_component_metadata(&mut module, &resolve, id, StringEncoding::UTF8)?;
    Ok(module)
}
