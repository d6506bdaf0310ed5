//! The language as a JSON Schema, for editors.
//!
//! It is no wider than the reader in keys, kinds and words; what needs reading a value through (a
//! pattern's brackets, a path that climbs out on its way) is left to the reader.

use super::{Key, Kind, Table, root};
use serde_json::{Map, Value, json};

/// The whole schema: draft 7, which editors for TOML know.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    define(root(), &mut definitions);
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Ringfence configuration",
        "description": "ringfence.toml in a project, and config.toml of a user.",
    });
    if let (Value::Object(schema), Some(Value::Object(mut root))) =
        (&mut schema, definitions.shift_remove(root().name))
    {
        schema.append(&mut root);
    }
    schema["definitions"] = Value::Object(definitions);
    schema
}

/// A table and those in it, each once.
fn define(table: &Table, definitions: &mut Map<String, Value>) {
    if definitions.contains_key(table.name) {
        return;
    }
    definitions.insert(table.name.to_owned(), self::table(table));
    for key in table.keys {
        match &key.kind {
            Kind::Table(below)
            | Kind::Named(_, below)
            | Kind::List(
                Kind::PathOr(below) | Kind::FileOr(below) | Kind::HostOr(below) | Kind::Table(below),
            ) => {
                define(below, definitions);
            }
            Kind::Bool
            | Kind::Text
            | Kind::Count(..)
            | Kind::Number
            | Kind::Time
            | Kind::Size
            | Kind::Money
            | Kind::OneOf(_)
            | Kind::Path
            | Kind::Mask
            | Kind::Url
            | Kind::Methods
            | Kind::Header
            | Kind::KeyringEntry
            | Kind::Variable
            | Kind::Secret
            | Kind::ToolName
            | Kind::List(_)
            | Kind::PathOr(_)
            | Kind::FileOr(_)
            | Kind::HostOr(_)
            | Kind::Each(..) => {}
        }
    }
}

fn table(table: &Table) -> Value {
    let keys = || table.keys.iter();
    let properties: Map<_, _> = keys().map(|key| (key.name.to_owned(), property(key))).collect();
    let required: Vec<_> = keys().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let either: Vec<_> =
        keys().filter(|key| key.alternative).map(|key| json!({ "required": [key.name] })).collect();
    if !either.is_empty() {
        schema["oneOf"] = json!(either);
    }
    schema
}

fn property(key: &Key) -> Value {
    let mut schema = kind(&key.kind);
    let only = if key.user_only { " Only in a user's own file." } else { "" };
    schema["description"] = json!(format!("{}{only}", key.about));
    if let Some(usual) = key.usual.and_then(toml_value) {
        schema["default"] = usual;
    }
    schema
}

/// A value as it stands in a file.
fn toml_value(text: &str) -> Option<Value> {
    let read: toml::Table = toml::from_str(&format!("value = {text}")).ok()?;
    serde_json::to_value(read.get("value")?).ok()
}

fn kind(kind: &Kind) -> Value {
    const TIME: &str = "^([0-9]+(ms|s|m|h))*0*[1-9][0-9]*(ms|s|m|h)([0-9]+(ms|s|m|h))*$";
    const SIZE: &str = "^[0-9]+ ?(B|KiB|MiB|GiB|kB|MB|GB)?$";
    const MONEY: &str = r"^\$?([0-9]+\.[0-9]{0,6}|[0-9]+)$";
    match kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Count(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Number => json!({ "type": "number" }),
        Kind::Time => json!({ "type": "string", "pattern": TIME }),
        Kind::Size => {
            either(json!({ "type": "integer", "minimum": 0 }), json!({ "type": "string", "pattern": SIZE }))
        }
        Kind::Money => either(
            json!({ "type": "number", "exclusiveMinimum": 0 }),
            json!({ "type": "string", "pattern": MONEY }),
        ),
        Kind::OneOf(words) => json!({ "enum": words }),
        Kind::Path => path(),
        Kind::Mask => {
            let nothing = r"^(#|!?/*$)|(^!?|/)\.{1,2}(/|$)";
            json!({ "type": "string", "minLength": 1, "not": { "pattern": nothing } })
        }
        Kind::Url => url(),
        Kind::Methods => {
            let method = json!({ "type": "string", "pattern": "^[A-Z-]{1,32}$", "not": { "enum": ["CONNECT", "TRACE", "TRACK"] } });
            json!({ "type": "array", "minItems": 1, "items": method })
        }
        Kind::Header => json!({ "type": "string", "pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" }),
        Kind::KeyringEntry => {
            json!({ "type": "string", "pattern": "^[^\\u0000-\\u001f]+/[^/\\u0000-\\u001f]+$" })
        }
        Kind::Variable => json!({ "type": "string", "pattern": r"^[^=\u0000-\u001f\u007f-\u009f]{1,256}$" }),
        Kind::Secret => json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" }),
        Kind::ToolName => json!({ "type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]{0,63}$" }),
        Kind::List(of) => json!({ "type": "array", "items": self::kind(of) }),
        Kind::PathOr(of) => either(path(), defined(of)),
        Kind::FileOr(of) => either(json!({ "type": "string" }), defined(of)),
        Kind::HostOr(of) => either(url(), defined(of)),
        // What stands beside a bare reference is ignored.
        Kind::Table(of) => json!({ "allOf": [defined(of)] }),
        Kind::Named(what, of) => {
            json!({ "type": "object", "additionalProperties": defined(of), "title": format!("by {what}") })
        }
        Kind::Each(words, of) => {
            let properties: Map<_, _> =
                words.iter().map(|word| ((*word).to_owned(), self::kind(of))).collect();
            json!({ "type": "object", "additionalProperties": false, "properties": properties })
        }
    }
}

fn defined(table: &Table) -> Value {
    json!({ "$ref": format!("#/definitions/{}", table.name) })
}

/// A path inside the project.
fn path() -> Value {
    json!({ "type": "string", "minLength": 1, "not": { "pattern": r"^(/|(\./)*\.\.(/|$))" } })
}

/// Whom requests go to.
fn url() -> Value {
    json!({ "type": "string", "pattern": r"^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@*\s]+(/[^?#\s]*)?$" })
}

fn either(one: Value, other: Value) -> Value {
    json!({ "anyOf": [one, other] })
}
