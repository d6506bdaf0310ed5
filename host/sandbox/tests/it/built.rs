//! Components made in the tests, from WIT alone or with a core module that gives back what it
//! is given.

use ringfence_sandbox::reflect::{WIT_SECTION, append_custom_section};
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{LiftLowerAbi, ManglingAndAbi, PackageId, Resolve, WorldId};

fn parse(wit: &str, world: &str) -> (Resolve, PackageId, WorldId) {
    let mut resolve = Resolve { all_features: true, ..Resolve::default() };
    let package = resolve.push_source("test.wit", wit).expect("the test's WIT is right");
    let world = resolve.select_world(&[package], Some(world)).expect("the test's world is there");
    (resolve, package, world)
}

fn encode(resolve: &Resolve, world: WorldId, mut module: Vec<u8>) -> Vec<u8> {
    embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().validate(true).encode().unwrap()
}

/// A component with this world whose functions all trap; no documentation in it.
pub(crate) fn trapping(wit: &str, world: &str) -> Vec<u8> {
    let (resolve, _, world) = parse(wit, world);
    let module = dummy_module(&resolve, world, ManglingAndAbi::Legacy(LiftLowerAbi::Sync));
    encode(&resolve, world, module)
}

/// The same with the WIT package in a section of its own, as the product's tools carry it.
pub(crate) fn documented(wit: &str, world: &str) -> Vec<u8> {
    let mut component = trapping(wit, world);
    append_custom_section(&mut component, WIT_SECTION, &encoded(wit, world));
    component
}

/// The WIT package in binary form.
pub(crate) fn encoded(wit: &str, world: &str) -> Vec<u8> {
    let (resolve, package, _) = parse(wit, world);
    wit_component::encode(&resolve, package).unwrap()
}

/// A component with this world over a core module in text.
pub(crate) fn over(wit: &str, world: &str, module: &str) -> Vec<u8> {
    let (resolve, _, world) = parse(wit, world);
    encode(&resolve, world, wat::parse_str(module).unwrap())
}

/// A core module whose `echo` returns the address it is given, with memory to spare. A function
/// with more than 16 flat parameters gets them all as one block of memory; one with more than one
/// flat result returns a block. So a function whose results are a prefix of its parameters is the
/// identity, whatever their types.
pub(crate) const ECHO: &str = r#"(module
  (memory (export "memory") 1)
  (global $free (mut i32) (i32.const 1024))
  (func (export "echo") (param i32) (result i32) local.get 0)
  (func (export "cabi_realloc") (param $old i32) (param $old_size i32) (param $align i32) (param $size i32)
      (result i32) (local $at i32)
    (local.set $at (i32.and
      (i32.add (global.get $free) (i32.sub (local.get $align) (i32.const 1)))
      (i32.sub (i32.const 0) (local.get $align))))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (block $enough
      (loop $grow
        (br_if $enough (i32.le_u (global.get $free) (i32.shl (memory.size) (i32.const 16))))
        (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))
        (br $grow)))
    (local.get $at)))"#;
