//! The exports of a component, one by one: a tool, or the reason why not.

use super::binary::{check_framing, check_header};
use super::convert::{Converter, Scope};
use super::docs::Docs;
use super::error::ReflectError;
use super::name::{MAX_TOOL_NAME, ToolName};
use super::outline::{MAX_TEXT, Outline, type_names};
use super::schema::{error_schema, input_schema, output_schema};
use super::text::clean;
use super::tool::{
    ComponentTools, ExportPath, MAX_IMPORTS, Obstacle, ReflectLimits, ToolDefinition, UnsupportedFunction,
};
use crate::fan_out::{EACH_FILE, IMPORT, PACKAGE};
use std::collections::HashMap;
use wasmparser::component_types::{ComponentEntityType, ComponentFuncTypeId};

/// Reads a component's types into tool definitions. Nothing is compiled; the code in it isn't
/// even validated, that is for who loads it.
pub fn reflect(bytes: &[u8], limits: &ReflectLimits) -> Result<ComponentTools, ReflectError> {
    let size = bytes.len() as u64;
    if size > limits.component_bytes {
        return Err(ReflectError::TooLarge { size, limit: limits.component_bytes });
    }
    check_header(bytes)?;
    check_framing(bytes)?;
    let outline = Outline::read(bytes)?;
    let docs = Docs::of_component(bytes);
    let mut found = Found::new(&outline, &docs, limits);
    let root = outline.root_scope();
    for name in &outline.exports {
        // What a component and the host agree on is no tool.
        if name.starts_with(PACKAGE) {
            continue;
        }
        let Some(item) = outline.types.as_ref().component_item_for_export(name) else { continue };
        match item.ty {
            ComponentEntityType::Func(id) => found.function(&root, name, id)?,
            ComponentEntityType::Instance(id) => {
                let exports = &outline.types[id].exports;
                let scope = Scope {
                    interface: Some(name),
                    names: type_names(exports.iter().map(|(name, item)| (name.as_str(), item))),
                };
                for (function, item) in exports {
                    if let ComponentEntityType::Func(id) = item.ty {
                        found.function(&scope, function, id)?;
                    }
                }
            }
            ComponentEntityType::Module(_)
            | ComponentEntityType::Value(_)
            | ComponentEntityType::Type { .. }
            | ComponentEntityType::Component(_) => {}
        }
    }
    Ok(found.finish())
}

/// What was found so far.
struct Found<'a> {
    outline: &'a Outline,
    docs: &'a Docs,
    limits: &'a ReflectLimits,
    converter: Converter<'a>,
    tools: Vec<ToolDefinition>,
    unsupported: Vec<UnsupportedFunction>,
    by_name: HashMap<String, ExportPath>,
}

impl<'a> Found<'a> {
    fn new(outline: &'a Outline, docs: &'a Docs, limits: &'a ReflectLimits) -> Self {
        Self {
            outline,
            docs,
            limits,
            converter: Converter::new(outline.types.as_ref(), docs, limits),
            tools: Vec::new(),
            unsupported: Vec::new(),
            by_name: HashMap::new(),
        }
    }

    fn function(
        &mut self,
        scope: &Scope<'_>,
        function: &str,
        id: ComponentFuncTypeId,
    ) -> Result<(), ReflectError> {
        if self.tools.len() + self.unsupported.len() >= self.limits.functions {
            return Err(ReflectError::TooManyFunctions { limit: self.limits.functions });
        }
        let export =
            ExportPath { interface: scope.interface.map(str::to_owned), function: function.to_owned() };
        match self.tool(scope, &export, id) {
            Ok(tool) => {
                let key = tool.name.as_str().to_ascii_lowercase();
                if let Some(first) = self.by_name.insert(key, export.clone()) {
                    return Err(ReflectError::SameName {
                        name: tool.name.to_string(),
                        first: clean(&first.to_string(), MAX_TEXT),
                        second: clean(&export.to_string(), MAX_TEXT),
                    });
                }
                self.tools.push(tool);
            }
            Err(reason) => self.unsupported.push(UnsupportedFunction { export, reason }),
        }
        Ok(())
    }

    fn tool(
        &mut self,
        scope: &Scope<'_>,
        export: &ExportPath,
        id: ComponentFuncTypeId,
    ) -> Result<ToolDefinition, String> {
        let outline = self.outline;
        let func = &outline.types[id];
        let has_words = self.docs.function(scope.interface, &export.function).is_some();
        if let Some(reason) = not_a_tool(export, has_words) {
            return Err(reason);
        }
        let name = ToolName::of_function(&export.function).ok_or_else(|| {
            format!("its name isn't a plain WIT name of at most {MAX_TOOL_NAME} characters")
        })?;
        if func.async_ {
            return Err(
                "it is async; only functions that run to their end in one call can be tools".to_owned()
            );
        }
        let signature = self.converter.signature(scope, func)?;
        let words = self.converter.function_docs(scope.interface, &export.function);
        let documented = words.is_some();
        let description = words.unwrap_or_else(|| {
            format!("The function {} (it has no documentation).", clean(&export.to_string(), MAX_TEXT))
        });
        Ok(ToolDefinition {
            name,
            description,
            documented,
            input_schema: input_schema(&signature),
            output_schema: output_schema(&signature),
            error_schema: error_schema(&signature),
            export: export.clone(),
            signature,
        })
    }

    fn finish(self) -> ComponentTools {
        let mut warnings = self.docs.warnings.clone();
        if self.converter.docs_cut() {
            warnings.push(format!("documentation over {} bytes was left out", self.limits.all_docs_bytes));
        }
        let imports =
            self.outline.imports.iter().take(MAX_IMPORTS).map(|name| clean(name, MAX_TEXT)).collect();
        ComponentTools {
            tools: self.tools,
            unsupported: self.unsupported,
            imports,
            producers: self.outline.producers.clone(),
            maker: self.outline.maker.clone(),
            obstacles: self.outline.obstacles.iter().cloned().chain(lacks_each_file(self.outline)).collect(),
            warnings,
        }
    }
}

/// Whoever has the host work on many files has to say what is done with one.
fn lacks_each_file(outline: &Outline) -> Option<Obstacle> {
    let has = |names: &[String], name: &str| names.iter().any(|one| one == name);
    (has(&outline.imports, IMPORT) && !has(&outline.exports, EACH_FILE)).then(|| Obstacle {
        import: Some(IMPORT.to_owned()),
        reason: format!(
            "who has the host work on files says what is done with one: export `{EACH_FILE}` as well"
        ),
    })
}

/// Exports that aren't meant to be called with data, whatever their types.
fn not_a_tool(export: &ExportPath, documented: bool) -> Option<String> {
    let function = export.function.as_str();
    if let Some(rest) = function.strip_prefix('[') {
        let of = rest.split_once(']').map_or(rest, |(_, of)| of);
        let resource = clean(of.split('.').next().unwrap_or(of), MAX_TEXT);
        return Some(format!(
            "it belongs to the resource `{resource}`, which lives only as long as one call"
        ));
    }
    match export.interface.as_deref() {
        Some(interface) if interface.starts_with("wasi:") => Some(format!(
            "`{}` is an entry point of WASI for a command or a handler, not a tool",
            clean(interface, MAX_TEXT)
        )),
        Some("exports") if function == "init" => {
            Some("it is the set-up function that Python's toolchain adds".to_owned())
        }
        None if function == "init" && !documented => Some(
            "an undocumented `init` of the world is what JavaScript's toolchain leaves behind; \
             document it to make it a tool"
                .to_owned(),
        ),
        Some(_) | None => None,
    }
}
