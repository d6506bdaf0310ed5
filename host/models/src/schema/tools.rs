//! Tools whose arguments the provider holds to their schemas.
//!
//! Owns: making all of them fit together. Doesn't own: how one schema is translated.

use super::limits::{MAX_STRICT_TOOLS, excess};
use super::{Dialect, Wire};
use crate::{ModelError, ToolDeclaration};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The schemas of tools as they are sent, by the tools' names; or which tool, or which field of
/// one, is too much for the provider.
pub(crate) fn strict_tools(tools: &[ToolDeclaration]) -> Result<BTreeMap<String, Wire>, ModelError> {
    let unsupported = |why: String| Err(ModelError::Unsupported { why });
    if let Some(first) = tools.get(MAX_STRICT_TOOLS) {
        return unsupported(format!(
            "{} strict tools are offered and the provider takes {MAX_STRICT_TOOLS}; \
             offer fewer (`{}` is the first too many), or don't ask for strict ones",
            tools.len(),
            first.name,
        ));
    }
    let mut wires = BTreeMap::new();
    for tool in tools {
        let wire = Wire::new(&tool.input_schema, Dialect::Anthropic).map_err(|error| {
            ModelError::Unsupported { why: format!("the tool `{}` can't be strict: {error}", tool.name) }
        })?;
        wires.insert(tool.name.clone(), wire);
    }
    // The limits hold for all of a request's schemas together.
    let all: Map<String, Value> =
        wires.iter().map(|(name, wire)| (name.clone(), wire.schema.clone())).collect();
    let names: Vec<_> = wires.keys().collect();
    let together = json!({ "type": "object", "properties": all, "required": names });
    match excess(&together, "the strict tools together have") {
        None => Ok(wires),
        Some(excess) => unsupported(excess.why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, properties: Value) -> ToolDeclaration {
        let input_schema = json!({
            "type": "object", "properties": properties, "required": [], "additionalProperties": false,
        });
        ToolDeclaration { name: name.to_owned(), description: String::new(), input_schema }
    }

    fn optional(count: usize) -> Value {
        let text = json!({ "type": "string" });
        (0..count).map(|number| (format!("p{number}"), text.clone())).collect::<Map<_, _>>().into()
    }

    fn refused(tools: &[ToolDeclaration]) -> String {
        strict_tools(tools).unwrap_err().to_string()
    }

    #[test]
    fn more_strict_tools_than_the_provider_takes_are_refused_by_name() {
        let tools: Vec<_> = (0..21).map(|number| tool(&format!("t{number}"), json!({}))).collect();
        assert_eq!(strict_tools(&tools[..20]).unwrap().len(), 20);
        assert_eq!(
            refused(&tools),
            "21 strict tools are offered and the provider takes 20; \
             offer fewer (`t20` is the first too many), or don't ask for strict ones"
        );
    }

    #[test]
    fn the_limits_hold_for_all_tools_together_and_name_their_fields() {
        assert!(strict_tools(&[tool("a", optional(12)), tool("b", optional(12))]).is_ok());
        let why = refused(&[tool("a", optional(12)), tool("b", optional(13))]);
        assert!(why.starts_with("the strict tools together have 25 optional properties"), "{why}");
        assert!(why.contains("`a.p0`"), "{why}");
        let either = json!({ "type": ["string", "integer"] });
        let unions: Map<_, _> = (0..17).map(|number| (format!("u{number}"), either.clone())).collect();
        let tool = ToolDeclaration {
            input_schema: json!({
                "type": "object", "required": unions.keys().collect::<Vec<_>>(), "properties": unions,
            }),
            ..tool("c", json!({}))
        };
        let why = refused(&[tool]);
        assert!(why.contains("17 properties of more than one type") && why.contains("`u0`"), "{why}");
    }

    #[test]
    fn a_schema_that_cant_be_closed_is_refused_with_the_tools_name() {
        let open = ToolDeclaration { input_schema: json!({ "type": "object" }), ..tool("open", json!({})) };
        assert!(refused(&[open]).starts_with("the tool `open` can't be strict: "));
    }
}
