//! What a component says of itself before any of its functions is looked at: types, imports,
//! exports, who made it, and what of it can't run on this host.

use super::convert::Scope;
use super::error::ReflectError;
use super::maker::{Origins, maker};
use super::text::clean;
use super::tool::{Obstacle, Producer};
use std::collections::HashMap;
use wasmparser::component_types::{ComponentAnyTypeId, ComponentEntityType, ComponentItem};
use wasmparser::types::Types;
use wasmparser::{Parser, Payload, ValidPayload, Validator, WasmFeatures};

/// Texts of the component that end up in messages: names of imports, the validator's words.
pub(super) const MAX_TEXT: usize = 256;

/// A validated component's outside. Its code isn't validated, that is for who loads it.
pub(super) struct Outline {
    pub(super) types: Types,
    pub(super) imports: Vec<String>,
    pub(super) exports: Vec<String>,
    pub(super) producers: Vec<Producer>,
    pub(super) maker: Option<String>,
    pub(super) obstacles: Vec<Obstacle>,
}

impl Outline {
    /// Reads it with all that WebAssembly can have, and says what of that this host can't run.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ReflectError> {
        let here = WasmFeatures::default() - WasmFeatures::CM_ASYNC;
        match Self::read_with(bytes, here) {
            Err(ReflectError::Invalid { reason }) => {
                let mut outline = Self::read_with(bytes, WasmFeatures::all())?;
                outline.obstacles.insert(0, Obstacle { import: None, reason: not_here(reason) });
                Ok(outline)
            }
            read => read,
        }
    }

    fn read_with(bytes: &[u8], features: WasmFeatures) -> Result<Self, ReflectError> {
        let mut validator = Validator::new_with_features(features);
        let (mut imports, mut exports, mut origins) = (Vec::new(), Vec::new(), Origins::default());
        let mut depth = 1usize;
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload.map_err(|error| invalid(&error))?;
            match validator.payload(&payload).map_err(|error| invalid(&error))? {
                ValidPayload::Ok | ValidPayload::Func(..) => {}
                ValidPayload::Parser(_) => depth += 1,
                ValidPayload::End(types) => {
                    depth -= 1;
                    origins.end_of_part();
                    if depth == 0 {
                        let (producers, told) = origins.finish();
                        let maker = maker(&producers, &told);
                        let obstacles = Vec::new();
                        let outline = Self { types, imports, exports, producers, maker, obstacles };
                        return Ok(outline.or_wit_package()?.with_exported_components());
                    }
                }
            }
            match payload {
                Payload::ComponentImportSection(section) if depth == 1 => {
                    for import in section {
                        imports.push(import.map_err(|error| invalid(&error))?.name.name.to_owned());
                    }
                }
                Payload::ComponentExportSection(section) if depth == 1 => {
                    for export in section {
                        exports.push(export.map_err(|error| invalid(&error))?.name.name.to_owned());
                    }
                }
                other => origins.look_at(&other),
            }
        }
        Err(ReflectError::Truncated { size: bytes.len() as u64 })
    }

    /// A WIT package in binary form is a component that exports nothing but component types.
    fn or_wit_package(self) -> Result<Self, ReflectError> {
        let types = self.types.as_ref();
        let is_world_or_interface = |name: &String| {
            matches!(
                types.component_item_for_export(name).map(|item| item.ty),
                Some(ComponentEntityType::Type { created: ComponentAnyTypeId::Component(_), .. })
            )
        };
        let package = self.imports.is_empty()
            && !self.exports.is_empty()
            && self.exports.iter().all(is_world_or_interface);
        if package { Err(ReflectError::WitPackage) } else { Ok(self) }
    }

    /// The runtime can't give on a component that lies in another.
    fn with_exported_components(mut self) -> Self {
        let types = self.types.as_ref();
        let is_component = |name: &&String| {
            let item = types.component_item_for_export(name);
            matches!(item.map(|item| item.ty), Some(ComponentEntityType::Component(_)))
        };
        if let Some(name) = self.exports.iter().find(is_component) {
            let reason = format!(
                "it exports a whole component, `{}`, which can't be done here: export that one's functions",
                clean(name, MAX_TEXT)
            );
            self.obstacles.push(Obstacle { import: None, reason });
        }
        self
    }

    /// Types of the world come as imports from the usual tools, and as exports from others.
    pub(super) fn root_scope(&self) -> Scope<'_> {
        let types = self.types.as_ref();
        let imports = self
            .imports
            .iter()
            .filter_map(|name| Some((name.as_str(), types.component_item_for_import(name)?)));
        let exports = self
            .exports
            .iter()
            .filter_map(|name| Some((name.as_str(), types.component_item_for_export(name)?)));
        Scope { interface: None, names: type_names(imports.chain(exports)) }
    }
}

/// What a type is called, by its identity.
pub(super) fn type_names<'a>(
    items: impl Iterator<Item = (&'a str, &'a ComponentItem)>,
) -> HashMap<ComponentAnyTypeId, &'a str> {
    items
        .filter_map(|(name, item)| match item.ty {
            ComponentEntityType::Type { created, .. } => Some((created, name)),
            ComponentEntityType::Module(_)
            | ComponentEntityType::Func(_)
            | ComponentEntityType::Value(_)
            | ComponentEntityType::Instance(_)
            | ComponentEntityType::Component(_) => None,
        })
        .collect()
}

/// Why a component that is valid elsewhere can't run here, from the validator's words.
fn not_here(reason: String) -> String {
    if reason.contains("component model async") {
        "it uses asynchronous functions, streams or futures of the component model (WASI 0.3), and this host \
         runs calls one step at a time: build it for WASI 0.2"
            .to_owned()
    } else {
        format!("it uses a part of WebAssembly that isn't settled yet: {reason}")
    }
}

fn invalid(error: &wasmparser::Error) -> ReflectError {
    ReflectError::Invalid { reason: clean(&error.to_string(), MAX_TEXT) }
}
