//! Coercion, only where the schema asks for it: a number in a string, a list in a string, an enum
//! in another letter case, null for something optional.

use super::path;
use serde_json::{Number, Value};

/// Changes `value` in place and says what was changed.
pub(crate) fn coerce(value: &mut Value, schema: &Value, repairs: &mut Vec<String>) {
    let mut at = "$".to_owned();
    walk(value, schema, &mut at, repairs);
}

fn walk(value: &mut Value, schema: &Value, at: &mut String, repairs: &mut Vec<String>) {
    if let Some(branches) = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array()) {
        into_branch(value, branches, at, repairs);
    }
    if let Some(better) = convert(value, schema) {
        repairs.push(format!("{at}: written as another type than the schema's"));
        *value = better;
    }
    if let Some(better) = fold_case(value, schema) {
        repairs.push(format!("{at}: an enum value in another letter case"));
        *value = better;
    }
    match value {
        Value::Object(map) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                return;
            };
            let required: Vec<&str> = schema
                .get("required")
                .and_then(Value::as_array)
                .map(|names| names.iter().filter_map(Value::as_str).collect())
                .unwrap_or_default();
            map.retain(|key, item| {
                let absent = item.is_null()
                    && !required.contains(&key.as_str())
                    && properties.get(key).is_some_and(|inner| !allows_null(inner));
                if absent {
                    let mut place = at.clone();
                    path::push_key(&mut place, key);
                    repairs.push(format!("{place}: null for something optional"));
                }
                !absent
            });
            for (key, item) in map.iter_mut() {
                if let Some(inner) = properties.get(key) {
                    let length = at.len();
                    path::push_key(at, key);
                    walk(item, inner, at, repairs);
                    at.truncate(length);
                }
            }
        }
        Value::Array(items) => {
            let Some(inner) = schema.get("items") else {
                return;
            };
            for (index, item) in items.iter_mut().enumerate() {
                let length = at.len();
                path::push_index(at, index);
                walk(item, inner, at, repairs);
                at.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Changes a value that fits no branch into the one form that fits some, if there is just one.
fn into_branch(value: &mut Value, branches: &[Value], at: &mut String, repairs: &mut Vec<String>) {
    let fits =
        |value: &Value, branch: &Value| jsonschema::validator_for(branch).is_ok_and(|v| v.is_valid(value));
    if branches.iter().any(|branch| fits(value, branch)) {
        return;
    }
    let changed = branches.iter().filter_map(|branch| {
        let (mut better, mut said) = (value.clone(), Vec::new());
        walk(&mut better, branch, at, &mut said);
        fits(&better, branch).then_some((better, said))
    });
    let mut forms: Vec<(Value, Vec<String>)> = changed.collect();
    forms.dedup_by(|one, other| one.0 == other.0);
    if let [(better, said)] = forms.as_mut_slice() {
        *value = std::mem::take(better);
        repairs.append(said);
    }
}

/// The types that a schema names; empty where it leaves them open.
fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether a value is of the type that a schema calls so.
pub(super) fn is_of(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
        Value::Number(number) => {
            name == "number" || (name == "integer" && (number.is_i64() || number.is_u64()))
        }
    }
}

/// Whether null is a value of its own under this schema; where that can't be told, it is.
fn allows_null(schema: &Value) -> bool {
    let types = types(schema);
    types.is_empty() || types.contains(&"null")
}

fn convert(value: &Value, schema: &Value) -> Option<Value> {
    let wanted = types(schema);
    if wanted.is_empty() || wanted.iter().any(|name| is_of(value, name)) {
        return None;
    }
    match value {
        Value::String(text) => wanted.iter().find_map(|name| from_text(text, name)),
        Value::Number(number) if wanted.contains(&"string") => Some(Value::String(number.to_string())),
        Value::Number(number) if wanted.contains(&"integer") => whole(number),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn from_text(text: &str, name: &str) -> Option<Value> {
    if !matches!(name, "array" | "object" | "number" | "integer" | "boolean") {
        return None;
    }
    let text = text.trim();
    // The same reader as for the reply: what it refuses isn't let in by a detour.
    let parsed = super::lenient::parse_at(text, 0).ok()?;
    if parsed.end != text.len() {
        return None;
    }
    match (&parsed.value, name) {
        (Value::Number(number), "integer") => whole(number),
        (value, name) => is_of(value, name).then(|| value.clone()),
    }
}

/// `3.0` as `3`.
fn whole(number: &Number) -> Option<Value> {
    if number.is_i64() || number.is_u64() {
        return Some(Value::Number(number.clone()));
    }
    let float = number.as_f64()?;
    let exact = float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0;
    exact.then(|| Value::Number(Number::from(float as i64)))
}

fn fold_case(value: &Value, schema: &Value) -> Option<Value> {
    let text = value.as_str()?;
    let options = schema.get("enum")?.as_array()?;
    if options.iter().any(|option| option.as_str() == Some(text)) {
        return None;
    }
    let folded = text.trim().to_lowercase();
    let mut same =
        options.iter().filter(|option| option.as_str().is_some_and(|o| o.to_lowercase() == folded));
    match (same.next(), same.next()) {
        (Some(only), None) => Some(only.clone()),
        _ => None,
    }
}
