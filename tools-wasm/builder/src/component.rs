//! From a core module (or a component that the compiler made) to a component with its docs.

use anyhow::{Context, Result, bail};
use std::path::Path;
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wit_component::{ComponentEncoder, DecodedWasm};
use wit_parser::{Resolve, WorldItem};

/// Holds the WIT package, encoded, doc comments included; compilers drop those of interfaces.
pub(crate) const WIT_SECTION: &str = "ringfence:wit";

/// A module's first eight bytes; a component's differ in the second four.
const CORE_HEADER: [u8; 8] = [0, b'a', b's', b'm', 1, 0, 0, 0];

/// Encodes `module` as a component, checks that it exports what `world` of the WIT package in
/// `wit` (a folder or a file) exports, and adds that package with its docs.
pub(crate) fn from_module(module: &[u8], wit: &Path, world: &str) -> Result<Vec<u8>> {
    let mut resolve = Resolve::default();
    let (package, _) =
        resolve.push_path(wit).with_context(|| format!("cannot read the WIT in {}", wit.display()))?;
    let mut component = if module.starts_with(&CORE_HEADER) { encode(module)? } else { module.to_vec() };

    let wanted = resolve.select_world(&[package], Some(world))?;
    let wanted = export_names(&resolve, wanted);
    let found = exported_by(&component)?;
    if wanted != found {
        bail!("exports {found:?}; world {world} wants {wanted:?}");
    }
    let docs = wit_component::encode(&resolve, package).context("cannot encode the WIT package")?;
    append_custom_section(&mut component, WIT_SECTION, &docs);
    Ok(component)
}

fn encode(module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)?
        .adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER)?
        .encode()
}

fn exported_by(component: &[u8]) -> Result<Vec<String>> {
    match wit_component::decode(component)? {
        DecodedWasm::Component(resolve, world) => Ok(export_names(&resolve, world)),
        DecodedWasm::WitPackage(..) => bail!("a WIT package, not a component"),
    }
}

fn export_names(resolve: &Resolve, world: wit_parser::WorldId) -> Vec<String> {
    let mut names = Vec::new();
    for (key, item) in &resolve.worlds[world].exports {
        match item {
            WorldItem::Interface { id, .. } => {
                let functions = resolve.interfaces[*id].functions.keys();
                names.extend(functions.map(|function| format!("{}#{function}", resolve.name_world_key(key))));
            }
            WorldItem::Function(function) => names.push(function.name.clone()),
            WorldItem::Type { .. } => {}
        }
    }
    names.sort();
    names
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
    fn the_docs_of_an_encoded_package_can_be_read_back() {
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit/files.wit");
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_path(&wit).unwrap();
        let bytes = wit_component::encode(&resolve, package).unwrap();
        let DecodedWasm::WitPackage(resolve, package) = wit_component::decode(&bytes).unwrap() else {
            panic!("not a package")
        };
        let files = resolve.packages[package].interfaces["files"];
        let read_file = &resolve.interfaces[files].functions["read-file"];
        assert!(read_file.docs.contents.as_deref().unwrap().starts_with("Reads lines of a text file."));
    }
}
