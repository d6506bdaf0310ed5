//! Components made in the test: from WIT alone, or over a core module in text.

use crate::bench::BENCH;
use ringfence_sandbox::reflect::{WIT_SECTION, append_custom_section};
use ringfence_sandbox::{Tool, Toolset, standard};
use std::sync::LazyLock;
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{LiftLowerAbi, ManglingAndAbi, PackageId, Resolve, WorldId};

/// A standard tool.
pub(crate) fn standard(name: &str) -> Tool {
    static TOOLS: LazyLock<Toolset> = LazyLock::new(|| {
        let load = |component: &standard::StandardComponent| BENCH.load(component.source().unwrap()).unwrap();
        Toolset::new(standard::components().iter().map(load)).unwrap()
    });
    TOOLS.get(name).unwrap().clone()
}

fn parse(wit: &str) -> (Resolve, PackageId, WorldId) {
    let mut resolve = Resolve { all_features: true, ..Resolve::default() };
    let package = resolve.push_source("made.wit", wit).unwrap();
    let world = resolve.select_world(&[package], Some("tools")).unwrap();
    (resolve, package, world)
}

fn encode(resolve: &Resolve, world: WorldId, mut module: Vec<u8>) -> Vec<u8> {
    embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().validate(true).encode().unwrap()
}

/// A component with the world `tools` whose functions all trap, with its documentation.
pub(crate) fn trapping(wit: &str) -> Vec<u8> {
    let (resolve, package, world) = parse(wit);
    let module = dummy_module(&resolve, world, ManglingAndAbi::Legacy(LiftLowerAbi::Sync));
    let mut component = encode(&resolve, world, module);
    let docs = wit_component::encode(&resolve, package).unwrap();
    append_custom_section(&mut component, WIT_SECTION, &docs);
    component
}

/// A component with the world `tools` over a core module in text.
pub(crate) fn over(wit: &str, module: &str) -> Vec<u8> {
    let (resolve, _, world) = parse(wit);
    encode(&resolve, world, wat::parse_str(module).unwrap())
}

/// The part of a core module that every component with strings needs: memory, and an allocator
/// that never gives back.
pub(crate) const ALLOCATOR: &str = r#"
  (memory (export "memory") 4)
  (global $free (mut i32) (i32.const 131072))
  (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32) (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (if (i32.gt_u (global.get $free) (i32.shl (memory.size) (i32.const 16))) (then
      (if (i32.eq (memory.grow (i32.add (i32.shr_u (local.get $size) (i32.const 16)) (i32.const 1))) (i32.const -1))
        (then unreachable))))
    (local.get $at))"#;
