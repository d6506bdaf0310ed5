//! An example input for a tool, made from its schema: the required properties, with values that fit.

use crate::reply::mismatch;
use serde_json::{Map, Value, json};

/// An input that the schema accepts, or none where that can't be told from the schema alone.
pub(crate) fn input(schema: &Value) -> Option<Value> {
    let example = value("", schema, 0)?;
    mismatch(&example, schema, "$").is_none().then_some(example)
}

fn value(name: &str, schema: &Value, depth: usize) -> Option<Value> {
    if depth > 8 {
        return None;
    }
    let map = schema.as_object()?;
    if let Some(fixed) = map.get("const").or_else(|| map.get("default")) {
        return Some(fixed.clone());
    }
    for list in ["examples", "enum"] {
        if let Some(first) = map.get(list).and_then(Value::as_array).and_then(|l| l.first()) {
            return Some(first.clone());
        }
    }
    for shapes in ["anyOf", "oneOf"] {
        if let Some(shapes) = map.get(shapes).and_then(Value::as_array) {
            return shapes.iter().find_map(|shape| value(name, shape, depth + 1));
        }
    }
    let kind = match map.get("type")? {
        Value::String(kind) => kind.as_str(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|k| *k != "null")?,
        _ => return None,
    };
    Some(match kind {
        "object" => {
            let mut object = Map::new();
            for key in map.get("required").and_then(Value::as_array).into_iter().flatten() {
                let key = key.as_str()?;
                let inner = map.get("properties")?.get(key)?;
                object.insert(key.to_owned(), value(key, inner, depth + 1)?);
            }
            Value::Object(object)
        }
        "array" => json!([]),
        "string" => json!(word(name)),
        "integer" | "number" => map.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(true),
        "null" => Value::Null,
        _ => return None,
    })
}

/// A text that says what kind of text is meant.
fn word(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    let has = |part: &str| name.contains(part);
    if has("url") || has("uri") {
        "https://example.com/"
    } else if has("dir") || has("folder") {
        "src"
    } else if has("path") || has("file") {
        "README.md"
    } else if has("pattern") || has("regex") {
        "TODO"
    } else {
        "text"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_has_the_required_properties_and_fits() {
        let schema = json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string"},
                "mode": {"type": "string", "enum": ["fast", "slow"]},
                "max_lines": {"type": "integer", "minimum": 5},
                "depth": {"type": ["null", "integer"]},
            },
            "required": ["file_path", "mode", "max_lines"],
            "additionalProperties": false,
        });
        assert_eq!(input(&schema), Some(json!({"file_path": "README.md", "mode": "fast", "max_lines": 5})));
    }

    #[test]
    fn a_schema_that_no_simple_example_fits_has_none() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string", "pattern": "^[0-9]{4}$"}}});
        assert_eq!(input(&schema), None);
    }
}
