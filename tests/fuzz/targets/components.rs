//! The bytes of a component, read into tools.

use ringfence_sandbox::reflect::{ReflectLimits, WIT_SECTION, append_custom_section, reflect};
use std::collections::BTreeSet;
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{LiftLowerAbi, ManglingAndAbi, Resolve};

/// One input: what is read is bounded, has no tool twice, and can be written as JSON.
pub(crate) fn target(data: &[u8]) {
    let limits = ReflectLimits::default();
    match reflect(data, &limits) {
        Err(error) => assert!(error.to_string().len() < 10_000, "{error}"),
        Ok(found) => {
            let names: BTreeSet<_> =
                found.tools.iter().map(|tool| tool.name.as_str().to_ascii_lowercase()).collect();
            assert_eq!(names.len(), found.tools.len(), "a tool twice");
            for tool in &found.tools {
                assert!(
                    tool.name.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
                    "{}",
                    tool.name
                );
                assert!(tool.input_schema.is_object());
            }
            serde_json::to_string(&found).unwrap();
        }
    }
}

/// Inputs to begin with.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    [
        "package test:a; world tools { /** Docs. */ export start: func(a: char); }",
        "package test:a; interface a { record r { x: list<tuple<string, option<u8>>> } go: func(r: r) -> result<r, string>; }
         world tools { export a; }",
        "package test:a; interface things { resource thing { constructor(); get: func() -> u32; } }
         world tools { import run: func(); export things; export f: func(x: borrow<x>); resource x; }",
        "package test:a; world tools { flags f { a, b } enum e { x, y } variant v { n, s(string) }
         export all: func(f: f, e: e, v: v, o: option<option<u64>>) -> tuple<f64, list<u8>>; }",
    ]
    .into_iter()
    .filter_map(component)
    .collect()
}

fn component(wit: &str) -> Option<Vec<u8>> {
    let mut resolve = Resolve { all_features: true, ..Resolve::default() };
    let package = resolve.push_source("made.wit", wit).ok()?;
    let world = resolve.select_world(&[package], Some("tools")).ok()?;
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Legacy(LiftLowerAbi::Sync));
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).ok()?;
    let mut component = ComponentEncoder::default().module(&module).ok()?.validate(true).encode().ok()?;
    append_custom_section(&mut component, WIT_SECTION, &wit_component::encode(&resolve, package).ok()?);
    Some(component)
}
