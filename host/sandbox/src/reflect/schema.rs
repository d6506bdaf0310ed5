//! JSON Schemas of signatures: the subset of 2020-12 that model APIs take. Objects are closed,
//! every value that `json` takes is valid here and nothing else of its shape is.
//!
//! What a schema can't say (a string's base64 must decode, a 64-bit string must be in range) is in
//! its description, and refused by `json`.

use super::signature::{Field, Names, Record, Signature, Variant, WitType};
use serde_json::{Map, Value, json};

const BYTES: &str = "Bytes as base64 (standard alphabet, padded).";

/// The arguments: an object with one property a parameter; `option` parameters may be left out.
pub fn input_schema(signature: &Signature) -> Value {
    let params = signature.params.iter().map(|param| (param.name.snake(), &param.ty, None));
    object(params)
}

/// What the function gives when it goes well; of a `result<T, E>` its T, null for nothing.
pub fn output_schema(signature: &Signature) -> Value {
    or_null(signature.value_type())
}

/// What it gives when it fails; none if its type has no failure.
pub fn error_schema(signature: &Signature) -> Option<Value> {
    signature.error_type().map(or_null)
}

fn or_null(ty: Option<&WitType>) -> Value {
    ty.map_or_else(|| json!({"type": "null"}), schema)
}

fn schema(ty: &WitType) -> Value {
    match ty {
        WitType::Bool => json!({"type": "boolean"}),
        WitType::S8 => integer(i8::MIN.into(), i8::MAX.into()),
        WitType::U8 => integer(u8::MIN.into(), u8::MAX.into()),
        WitType::S16 => integer(i16::MIN.into(), i16::MAX.into()),
        WitType::U16 => integer(u16::MIN.into(), u16::MAX.into()),
        WitType::S32 => integer(i32::MIN.into(), i32::MAX.into()),
        WitType::U32 => integer(u32::MIN.into(), u32::MAX.into()),
        WitType::S64 => json!({
            "type": ["integer", "string"],
            "pattern": "^(0|-?[1-9][0-9]{0,18})$",
            "description": "A signed 64-bit integer; as a decimal string where it is beyond ±2^53.",
        }),
        WitType::U64 => json!({
            "type": ["integer", "string"],
            "minimum": 0,
            "pattern": "^(0|[1-9][0-9]{0,19})$",
            "description": "An unsigned 64-bit integer; as a decimal string where it is beyond 2^53.",
        }),
        WitType::F32 | WitType::F64 => json!({"type": "number"}),
        WitType::Char => json!({
            "type": "string", "minLength": 1, "maxLength": 1, "description": "One character."
        }),
        WitType::String => json!({"type": "string"}),
        WitType::Bytes => json!({"type": "string", "contentEncoding": "base64", "description": BYTES}),
        WitType::List(element) => json!({"type": "array", "items": schema(element)}),
        WitType::FixedList { element, length } => {
            json!({"type": "array", "items": schema(element), "minItems": length, "maxItems": length})
        }
        WitType::Map { key, value } => map(key, value),
        WitType::Tuple(types) => tuple(types.iter()),
        WitType::Option(inner) => option(inner),
        WitType::Result { ok, err } => {
            json!({"anyOf": [one_key("ok", or_null(ok.as_deref())), one_key("err", or_null(err.as_deref()))]})
        }
        WitType::Record(record) => record_schema(record),
        WitType::Variant(variant) => variant_schema(variant),
        WitType::Enum(names) => described(enumeration(names), &names_docs(names)),
        WitType::Flags(names) => described(
            json!({"type": "array", "items": enumeration(names), "uniqueItems": true}),
            &names_docs(names),
        ),
    }
}

fn integer(minimum: i64, maximum: i64) -> Value {
    json!({"type": "integer", "minimum": minimum, "maximum": maximum})
}

fn option(inner: &WitType) -> Value {
    let some = match inner {
        // Without the wrapping, none and some(none) would both be null.
        WitType::Option(_) => one_key("some", schema(inner)),
        _ => schema(inner),
    };
    json!({"anyOf": [some, {"type": "null"}]})
}

fn map(key: &WitType, value: &WitType) -> Value {
    match key {
        WitType::String => json!({"type": "object", "additionalProperties": schema(value)}),
        _ => json!({
            "type": "array",
            "items": tuple([key, value].into_iter()),
            "description": "A map, as a list of [key, value] pairs.",
        }),
    }
}

fn tuple<'a>(types: impl ExactSizeIterator<Item = &'a WitType>) -> Value {
    let length = types.len();
    let items: Vec<Value> = types.map(schema).collect();
    json!({"type": "array", "prefixItems": items, "items": false, "minItems": length, "maxItems": length})
}

fn one_key(key: &str, value: Value) -> Value {
    json!({
        "type": "object", "properties": {key: value}, "required": [key], "additionalProperties": false
    })
}

fn record_schema(record: &Record) -> Value {
    let fields = record.fields.iter().map(|Field { name, docs, ty }| (name.snake(), ty, docs.as_deref()));
    described(object(fields), record.docs.as_deref().unwrap_or_default())
}

fn object<'a>(properties: impl Iterator<Item = (&'a str, &'a WitType, Option<&'a str>)>) -> Value {
    let mut map = Map::new();
    let mut required = Vec::new();
    for (name, ty, docs) in properties {
        if !matches!(ty, WitType::Option(_)) {
            required.push(name);
        }
        map.insert(name.to_owned(), described(schema(ty), docs.unwrap_or_default()));
    }
    json!({"type": "object", "properties": map, "required": required, "additionalProperties": false})
}

fn variant_schema(variant: &Variant) -> Value {
    let cases = variant.cases.iter().map(|case| {
        let mut properties = Map::new();
        properties.insert("case".to_owned(), json!({"type": "string", "const": case.name.snake()}));
        let mut required = vec!["case"];
        if let Some(ty) = &case.ty {
            properties.insert("value".to_owned(), schema(ty));
            required.push("value");
        }
        let object = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false
        });
        described(object, case.docs.as_deref().unwrap_or_default())
    });
    let cases: Vec<Value> = cases.collect();
    described(json!({"anyOf": cases}), variant.docs.as_deref().unwrap_or_default())
}

fn enumeration(names: &Names) -> Value {
    let names: Vec<&str> = names.names.iter().map(|named| named.name.snake()).collect();
    json!({"type": "string", "enum": names})
}

/// An enum has no place for the words about each case: they go into the description of the whole.
fn names_docs(names: &Names) -> String {
    let mut lines: Vec<String> = names.docs.iter().cloned().collect();
    lines.extend(
        names
            .names
            .iter()
            .filter_map(|named| Some(format!("- `{}`: {}", named.name.snake(), named.docs.as_ref()?))),
    );
    lines.join("\n")
}

/// Puts a description on a schema, above what its type says of itself.
fn described(mut schema: Value, text: &str) -> Value {
    if text.is_empty() {
        return schema;
    }
    if let Value::Object(map) = &mut schema {
        let whole = match map.get("description").and_then(Value::as_str) {
            Some(own) => format!("{text}\n{own}"),
            None => text.to_owned(),
        };
        map.insert("description".to_owned(), Value::String(whole));
    }
    schema
}
