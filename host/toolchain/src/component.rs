//! From what a compiler made, a core module or a component, to a component with its docs.

use crate::error::BuildError;
use crate::wit::{Wit, exports};
use std::collections::BTreeSet;
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wit_component::{ComponentEncoder, DecodedWasm, StringEncoding, embed_component_metadata, metadata};

/// The custom section that holds a WIT package, encoded, doc comments included; compilers drop those
/// of interfaces.
pub const WIT_SECTION: &str = "ringfence:wit";

const PACKAGE_DOCS: &str = "package-docs";

/// A module's first eight bytes; a component's differ in the second four.
const CORE_HEADER: [u8; 8] = [0, b'a', b's', b'm', 1, 0, 0, 0];

/// Makes a component of `compiled`, checks that it exports what the world exports, and adds the WIT
/// package with its docs. A core module is a WASI preview 1 reactor (or imports nothing of WASI) that
/// exports what the world exports, by the canonical ABI's names.
pub(crate) fn finished(compiled: Vec<u8>, wit: &Wit) -> Result<Vec<u8>, BuildError> {
    let mut component = if compiled.starts_with(&CORE_HEADER) { encoded(compiled, wit)? } else { compiled };
    let found = exported_by(&component)?;
    let lacking: Vec<String> = wit.exports().difference(&found).map(|name| format!("`{name}`")).collect();
    if !lacking.is_empty() {
        return Err(BuildError::component(format!(
            "what was built doesn't export {}, which the world `{}` wants",
            lacking.join(", "),
            wit.world().name
        )));
    }
    for package in wit.documented() {
        let docs = wit_component::encode(wit.resolve(), package)
            .map_err(|error| BuildError::component(format!("the WIT can't be encoded: {error:#}")))?;
        append_custom_section(&mut component, WIT_SECTION, &docs);
    }
    Ok(component)
}

fn encoded(mut module: Vec<u8>, wit: &Wit) -> Result<Vec<u8>, BuildError> {
    let (tells_its_world, _) = metadata::decode(&module).map_err(|error| {
        BuildError::component(format!("what was built is no WebAssembly module that is whole: {error:#}"))
    })?;
    let wrong = |reason: String| {
        // Where in the encoder it was found helps nobody.
        let reason = reason.replace("failed to decode world from module: module was not valid: ", "");
        let world = &wit.world().name;
        BuildError::component(format!("what was built doesn't fit the world `{world}`: {reason}"))
    };
    if tells_its_world.is_none() {
        embed_component_metadata(&mut module, wit.resolve(), wit.world_id(), StringEncoding::UTF8)
            .map_err(|error| wrong(format!("{error:#}")))?;
    }
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|encoder| {
            encoder.adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER)
        })
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| wrong(format!("{error:#}")))
}

fn exported_by(component: &[u8]) -> Result<BTreeSet<String>, BuildError> {
    let wrong = |reason| BuildError::component(format!("what was built is no component: {reason}"));
    // The decoder takes docs that some tools leave for a sign that this is a WIT package.
    let decoded = wit_component::decode(&without_package_docs(component));
    match decoded.map_err(|error| wrong(format!("{error:#}")))? {
        DecodedWasm::Component(resolve, world) => Ok(exports(&resolve, world)),
        DecodedWasm::WitPackage(..) => Err(wrong("it is a WIT package".to_owned())),
    }
}

/// The binary without its sections named `package-docs`; unchanged from where it isn't well-formed.
fn without_package_docs(wasm: &[u8]) -> Vec<u8> {
    let (mut kept, mut rest) = wasm.split_at(wasm.len().min(CORE_HEADER.len()));
    let mut out = kept.to_vec();
    while let Some((section, after)) = first_section(rest) {
        (kept, rest) = (section, after);
        if custom_name(kept) != Some(PACKAGE_DOCS.as_bytes()) {
            out.extend_from_slice(kept);
        }
    }
    out.extend_from_slice(rest);
    out
}

/// The first section with its head, and what follows it.
fn first_section(wasm: &[u8]) -> Option<(&[u8], &[u8])> {
    let (size, length) = read_leb128(wasm.get(1..)?)?;
    let end = size.checked_add(1 + length)?;
    (end <= wasm.len()).then(|| wasm.split_at(end))
}

/// The name of a custom section.
fn custom_name(section: &[u8]) -> Option<&[u8]> {
    let (&0, rest) = section.split_first()? else { return None };
    let (_, length) = read_leb128(rest)?;
    let rest = &rest[length..];
    let (size, length) = read_leb128(rest)?;
    rest.get(length..size.checked_add(length)?)
}

/// A number and how many bytes it takes.
fn read_leb128(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
    }
    None
}

fn append_custom_section(wasm: &mut Vec<u8>, name: &str, data: &[u8]) {
    let mut body = Vec::with_capacity(name.len() + data.len() + 5);
    leb128(&mut body, name.len());
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(data);
    wasm.push(0);
    leb128(wasm, body.len());
    wasm.extend_from_slice(&body);
}

fn leb128(out: &mut Vec<u8>, mut value: usize) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_seven_bits_at_a_time() {
        let written = |value| {
            let mut out = Vec::new();
            leb128(&mut out, value);
            out
        };
        assert_eq!(written(0), [0]);
        assert_eq!(written(127), [127]);
        assert_eq!(written(128), [0x80, 1]);
        assert_eq!(written(624_485), [0xe5, 0x8e, 0x26]);
    }

    #[test]
    fn a_number_is_read_as_it_is_written() {
        for value in [0, 127, 128, 624_485, (1 << 32) - 1] {
            let mut written = Vec::new();
            leb128(&mut written, value);
            assert_eq!(read_leb128(&written), Some((value, written.len())));
        }
        assert_eq!(read_leb128(&[0x80; 9]), None);
        assert_eq!(read_leb128(&[]), None);
    }

    #[test]
    fn only_the_sections_of_that_name_are_left_out_and_broken_ones_stay() {
        let mut wasm = CORE_HEADER.to_vec();
        append_custom_section(&mut wasm, "name", b"one");
        let without = wasm.clone();
        append_custom_section(&mut wasm, PACKAGE_DOCS, b"docs");
        assert_eq!(without_package_docs(&wasm), without);
        for cut in 0..wasm.len() {
            assert!(without_package_docs(&wasm[..cut]).len() <= cut);
        }
        let broken = [&without[..], &[0, 0xff, 0xff]].concat();
        assert_eq!(without_package_docs(&broken), broken);
    }

    #[test]
    fn a_component_whose_docs_confuse_the_decoder_is_built() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tool.wit");
        std::fs::write(&path, "package a:b; world tool { export f: func(); }").unwrap();
        let wit = Wit::read(&path, None).unwrap();
        let mangling = wit_parser::ManglingAndAbi::Legacy(wit_parser::LiftLowerAbi::Sync);
        let module = wit_component::dummy_module(wit.resolve(), wit.world_id(), mangling);
        let mut component = finished(module, &wit).unwrap();
        append_custom_section(
            &mut component,
            PACKAGE_DOCS,
            b"\x01{\"worlds\":{\"tool\":{\"docs\":\"A tool.\"}}}",
        );
        assert!(wit_component::decode(&component).is_err(), "the decoder has learned to read it");
        finished(component, &wit).unwrap();
    }
}
