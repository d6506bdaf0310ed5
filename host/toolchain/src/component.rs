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
    let wrong = |error| BuildError::component(format!("no component can be made of the module: {error:#}"));
    let (tells_its_world, _) = metadata::decode(&module).map_err(wrong)?;
    if tells_its_world.is_none() {
        embed_component_metadata(&mut module, wit.resolve(), wit.world_id(), StringEncoding::UTF8)
            .map_err(wrong)?;
    }
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|encoder| {
            encoder.adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER)
        })
        .and_then(|mut encoder| encoder.encode())
        .map_err(wrong)
}

fn exported_by(component: &[u8]) -> Result<BTreeSet<String>, BuildError> {
    let wrong = |reason| BuildError::component(format!("what was built is no component: {reason}"));
    match wit_component::decode(component).map_err(|error| wrong(format!("{error:#}")))? {
        DecodedWasm::Component(resolve, world) => Ok(exports(&resolve, world)),
        DecodedWasm::WitPackage(..) => Err(wrong("it is a WIT package".to_owned())),
    }
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
}
