//! Whether what a component imports is offered here, told without compiling any of its code.
//!
//! Owns: asking the linker about a component's imports alone, and saying what is missing. The
//! question is put with a component that has the same imports and nothing else, so the answer is the
//! linker's own: versions that fit each other, functions that are missing, types that differ. Doesn't
//! own: what is offered (`host_state`).

use crate::engine::LinkedEngine;
use crate::fan_out::{IMPORT, PACKAGE};
use crate::reflect::{Obstacle, Sections, append_section};
use crate::trap::bounded;
use wasmtime::component::Component;

/// Of what the linker says.
const REASON_BYTES: usize = 300;
/// Imports that are named as missing; the rest is as many again or none.
const MOST: usize = 20;

/// Packages of WASI 0.2 that are here, and the configuration that never got beyond drafts.
const PACKAGES: [&str; 8] = ["cli", "clocks", "config", "filesystem", "http", "io", "random", "sockets"];

/// Section ids of the component format.
const CORE_TYPES: u8 = 3;
const ALIASES: u8 = 6;
const TYPES: u8 = 7;
const IMPORTS: u8 = 10;
const CUSTOM: u8 = 0;
/// The header of every component.
const HEADER: &[u8; 8] = b"\0asm\x0d\0\x01\0";

/// What this valid component imports and isn't offered. Empty as well where that can't be told: then it
/// shows when the component is compiled.
pub(crate) fn missing(engine: &LinkedEngine, component: &[u8]) -> Vec<Obstacle> {
    let Some(imports) = imports_alone(component) else { return Vec::new() };
    let Ok(imports) = Component::new(&engine.engine, imports) else { return Vec::new() };
    let (mut linker, mut found) = (engine.linker.clone(), Vec::new());
    while found.len() < MOST {
        let Err(error) = linker.instantiate_pre(&imports) else { break };
        let words: Vec<_> = error.chain().map(ToString::to_string).collect();
        let import = words.first().and_then(|first| first.split('`').nth(1)).unwrap_or_default().to_owned();
        let known = of_package(&import) || import == IMPORT;
        let obstacle = Obstacle { reason: reason(&import, &words), import: Some(import) };
        // What was put there in its place didn't help.
        if found.contains(&obstacle) {
            break;
        }
        found.push(obstacle);
        // Types of an interface that is here in part go on into others, and would be told as theirs.
        if known || stub(&mut linker, &imports, &found).is_err() {
            break;
        }
    }
    found
}

/// Puts something in the place of what is missing, so that the next that is missing shows.
fn stub<T: 'static>(
    linker: &mut wasmtime::component::Linker<T>,
    imports: &Component,
    found: &[Obstacle],
) -> wasmtime::Result<()> {
    use wasmtime::component::ResourceType;
    use wasmtime::component::types::ComponentItem;
    let engine = linker.engine().clone();
    let Some(name) = found.last().and_then(|last| last.import.as_deref()) else { return Ok(()) };
    let types = imports.component_type();
    let Some(item) = types.get_import(&engine, name) else { return Ok(()) };
    match item.ty {
        ComponentItem::ComponentFunc(_) => linker.root().func_new(name, |_, _, _, _| Ok(())),
        ComponentItem::ComponentInstance(instance) => {
            let mut place = linker.instance(name)?;
            for (name, item) in instance.exports(&engine) {
                match item.ty {
                    ComponentItem::ComponentFunc(_) => place.func_new(name, |_, _, _, _| Ok(()))?,
                    ComponentItem::Resource(_) => {
                        place.resource(name, ResourceType::host::<()>(), |_, _| Ok(()))?;
                    }
                    _ => {}
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// A component with the same imports and nothing else; none where they don't come before everything
/// else.
fn imports_alone(component: &[u8]) -> Option<Vec<u8>> {
    let sections: Vec<_> = Sections::of(component).filter(|(id, _)| *id != CUSTOM).collect();
    let end = sections.iter().rposition(|(id, _)| *id == IMPORTS)? + 1;
    let mut alone = HEADER.to_vec();
    for (id, body) in sections.get(..end)? {
        if ![CORE_TYPES, ALIASES, TYPES, IMPORTS].contains(id) {
            return None;
        }
        append_section(&mut alone, *id, body);
    }
    Some(alone)
}

/// Whether it is of a package that is here, in a version that could be.
fn of_package(import: &str) -> bool {
    let Some(rest) = import.strip_prefix("wasi:") else { return false };
    let (package, version) = (rest.split('/').next(), rest.split('@').nth(1).unwrap_or_default());
    package.is_some_and(|package| PACKAGES.contains(&package))
        && version.starts_with("0.2.")
        && !version.contains('-')
}

/// What is wrong with an import, and what can be done.
fn reason(import: &str, words: &[String]) -> String {
    let version = import.split('@').nth(1).unwrap_or_default();
    let package = import.split(['/', ':']).nth(1).unwrap_or_default();
    if of_package(import) {
        // Of the linker's words the first says what was looked for, the others where and why.
        let why = words.get(1..).unwrap_or_default().join(": ");
        let why = why
            .replace("instance export ", "its ")
            .replace(" has the wrong type: function implementation is missing", " isn't offered here")
            .replace(" has the wrong type: resource implementation is missing", " isn't offered here");
        return bounded(&why, REASON_BYTES);
    }
    if import.starts_with("wasi:") && PACKAGES.contains(&package) {
        return format!("version {version} isn't offered here; build it for WASI 0.2");
    }
    if import.starts_with("wasi:") {
        return "no such part of WASI is offered here; there are files, clocks, random numbers, requests over \
                HTTP, variables of the environment, and configuration"
            .to_owned();
    }
    if import == IMPORT {
        return bounded(&words.get(1..).unwrap_or_default().join(": "), REASON_BYTES);
    }
    if import.starts_with(PACKAGE) {
        return format!("of this host's own interfaces only `{IMPORT}` is offered here");
    }
    if words.first().is_some_and(|first| first.contains("core module")) {
        return "a core module, which nobody can give it here; build it with the module inside".to_owned();
    }
    "an interface that isn't WASI's has to come from another component: compose both into one, with \
     `wac plug` or `wasm-tools compose`"
        .to_owned()
}
