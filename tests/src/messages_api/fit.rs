//! A value in the form that a schema forces a model into.
//!
//! A constrained model can't write an object where the schema says string: it writes the
//! object's JSON as text. Scripts give the value that is meant and this does the rest.

use serde_json::{Map, Value};

/// The value with objects and arrays written as text wherever the schema says string.
pub(super) fn fit(schema: &Value, value: Value) -> Value {
    if let Some(branches) = schema["anyOf"].as_array() {
        let branch = branches.iter().find(|branch| takes(branch, &value)).or_else(|| {
            let is_text = |branch: &&Value| says(branch, "string");
            branches.iter().find(is_text)
        });
        return match branch {
            Some(branch) => fit(branch, value),
            None => value,
        };
    }
    match value {
        Value::Object(map) if says(schema, "object") => Value::Object(fit_members(schema, map)),
        Value::Array(items) if says(schema, "array") => {
            items.into_iter().map(|item| fit(&schema["items"], item)).collect()
        }
        Value::Object(_) | Value::Array(_) if says(schema, "string") => Value::String(value.to_string()),
        other => other,
    }
}

fn fit_members(schema: &Value, map: Map<String, Value>) -> Map<String, Value> {
    map.into_iter()
        .map(|(name, value)| {
            let value = match schema["properties"].get(&name) {
                Some(property) => fit(property, value),
                None => value,
            };
            (name, value)
        })
        .collect()
}

/// Whether a branch could hold the value as it is: by type and, for objects, by keys.
fn takes(branch: &Value, value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            let required = branch["required"].as_array().into_iter().flatten();
            says(branch, "object")
                && map.keys().all(|name| branch["properties"].get(name).is_some())
                && required.filter_map(Value::as_str).all(|name| map.contains_key(name))
        }
        Value::Array(_) => says(branch, "array"),
        Value::String(_) => says(branch, "string"),
        Value::Number(_) => says(branch, "number") || says(branch, "integer"),
        Value::Bool(_) => says(branch, "boolean"),
        Value::Null => says(branch, "null"),
    }
}

fn says(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::String(one) => one == name,
        Value::Array(several) => several.iter().any(|one| one == name),
        _ => false,
    }
}
