//! Translates a schema into the part of JSON Schema that providers take.
//!
//! Owns: the walk. What only narrows a value (`minimum`, `pattern`, …) moves into the
//! description; what can't be expressed with closed objects (maps, any shape, recursion)
//! is asked for as JSON text, and the plan says so.

use super::Dialect;
use super::limits::{MAX_NODES, join};
use super::plan::{Ambiguous, Kind, Null, Plan, Text};
use crate::ModelError;
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Keywords that only narrow: left to the check of the reply, told in the description.
const NARROWING: [&str; 14] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];

/// Keywords that widen or relate: a schema with one of them is sent as JSON text.
const BEYOND: [&str; 7] = [
    "allOf",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "dependentSchemas",
    "$dynamicRef",
    "$recursiveRef",
];

/// How much of a schema is repeated in a description.
const MAX_TOLD: usize = 2_000;

type Translated = Result<(Value, Plan), ModelError>;

/// The schema as it is sent and how replies to it are read. `folded` holds the paths of
/// parts that are to be sent as JSON text although they could be expressed.
pub(super) fn translate(schema: &Value, dialect: Dialect, folded: &BTreeSet<String>) -> Translated {
    let walk = Walk { root: schema, dialect, folded, nodes: Cell::new(0) };
    let closed = schema.get("properties").is_some_and(Value::is_object)
        && schema.get("type").and_then(Value::as_str) == Some("object");
    if !closed {
        return Err(unsupported("", "must be an object with named properties"));
    }
    let (sent, plan) = walk.node(schema, "", &[])?;
    if plan.text.is_some() {
        return Err(unsupported("", "must be an object with named properties and no others"));
    }
    Ok((sent, plan))
}

struct Walk<'s> {
    root: &'s Value,
    dialect: Dialect,
    folded: &'s BTreeSet<String>,
    nodes: Cell<usize>,
}

impl Walk<'_> {
    fn node(&self, schema: &Value, path: &str, refs: &[&str]) -> Translated {
        self.nodes.set(self.nodes.get() + 1);
        if self.nodes.get() > MAX_NODES {
            return Err(unsupported(path, &format!("has more than {MAX_NODES} parts")));
        }
        let node = match schema {
            Value::Object(node) => node,
            Value::Bool(true) => return Ok(as_text(&Map::new(), Kind::Any, false)),
            Value::Bool(false) => return Err(unsupported(path, "allows no value at all")),
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(unsupported(path, "isn't a JSON Schema"));
            }
        };
        if let Some(target) = node.get("$ref") {
            return self.reference(node, target, path, refs);
        }
        let types = types(node, path)?;
        let nullable = types.contains(&"null");
        let kind = match types.iter().filter(|name| **name != "null").collect::<Vec<_>>()[..] {
            [&"object"] => Kind::Object,
            [&"array"] => Kind::Array,
            _ => Kind::Any,
        };
        if self.folded.contains(path) || BEYOND.iter().any(|keyword| node.contains_key(*keyword)) {
            return Ok(as_text(node, kind, nullable));
        }
        if let Some(values) = node.get("enum").and_then(Value::as_array) {
            return Ok(choice(node, "enum", values));
        }
        if let Some(value) = node.get("const") {
            return Ok(choice(node, "const", std::slice::from_ref(value)));
        }
        if let Some(branches) = branches(node) {
            return self.union(node, branches, path, refs);
        }
        match (kind, &types[..]) {
            (Kind::Object, _) => self.object(node, nullable, path, refs),
            (Kind::Array, _) => self.array(node, nullable, path, refs),
            (Kind::Any, []) => Ok(as_text(node, kind, false)),
            (Kind::Any, types) if types.contains(&"object") || types.contains(&"array") => {
                Ok(as_text(node, kind, nullable))
            }
            (Kind::Any, types) => {
                let plan = Plan {
                    text: types.contains(&"string").then_some(Text::Verbatim),
                    null: nullable.then_some(Null::Real),
                    ..Plan::default()
                };
                let sent = match types {
                    [one] => json!({ "type": one }),
                    more => json!({ "type": more }),
                };
                Ok((described(node, sent), plan))
            }
        }
    }

    fn reference(&self, node: &Map<String, Value>, target: &Value, path: &str, refs: &[&str]) -> Translated {
        let name = target.as_str().unwrap_or_default();
        let found = name.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let Some(found) = found else {
            return Err(unsupported(path, &format!("refers to {target}, which isn't in the schema")));
        };
        if refs.contains(&name) {
            // Only JSON text can nest as deep as it likes.
            let told = found.as_object().unwrap_or(node);
            return Ok(as_text(told, Kind::Any, false));
        }
        let (mut sent, plan) = self.node(found, path, &[refs, &[name]].concat())?;
        if let (Some(text), Value::Object(sent)) = (node.get("description"), &mut sent) {
            sent.entry("description").or_insert_with(|| text.clone());
        }
        Ok((sent, plan))
    }

    fn object(&self, node: &Map<String, Value>, nullable: bool, path: &str, refs: &[&str]) -> Translated {
        let properties = node.get("properties").and_then(Value::as_object);
        let closed = match node.get("additionalProperties") {
            Some(Value::Bool(false)) => true,
            None => properties.is_some_and(|properties| !properties.is_empty()),
            Some(_) => false,
        };
        if !closed {
            return Ok(as_text(node, Kind::Object, nullable));
        }
        let required = names(node.get("required"));
        let mut sent = Map::new();
        let mut sent_required = Vec::new();
        let mut fields = BTreeMap::new();
        for (name, property) in properties.into_iter().flatten() {
            let (mut property, mut plan) = self.node(property, &join(path, name), refs)?;
            let optional = !required.contains(&name.as_str());
            if optional && self.dialect == Dialect::OpenAi && plan.null.is_none() {
                property = or_null(property);
                plan.null = Some(Null::Absent);
            }
            if !optional || self.dialect == Dialect::OpenAi {
                sent_required.push(name.clone());
            }
            sent.insert(name.clone(), property);
            fields.insert(name.clone(), plan);
        }
        let schema = json!({
            "type": if nullable { json!(["object", "null"]) } else { json!("object") },
            "properties": sent,
            "required": sent_required,
            "additionalProperties": false,
        });
        let null = nullable.then_some(Null::Real);
        Ok((described(node, schema), Plan { fields: Some(fields), null, ..Plan::default() }))
    }

    fn array(&self, node: &Map<String, Value>, nullable: bool, path: &str, refs: &[&str]) -> Translated {
        let inside = format!("{path}[]");
        let (items, plan) = match (node.get("prefixItems"), node.get("items")) {
            (Some(Value::Array(places)), rest) => {
                let rest = rest.filter(|rest| **rest != Value::Bool(false));
                let branches: Vec<_> = places.iter().chain(rest).collect();
                self.union(&Map::new(), branches, &inside, refs)?
            }
            (_, Some(items)) => self.node(items, &inside, refs)?,
            (_, None) => return Ok(as_text(node, Kind::Array, nullable)),
        };
        let mut sent = json!({
            "type": if nullable { json!(["array", "null"]) } else { json!("array") },
            "items": items,
        });
        if let Some(at_least @ (0 | 1)) = node.get("minItems").and_then(Value::as_u64) {
            sent["minItems"] = json!(at_least);
        }
        let null = nullable.then_some(Null::Real);
        Ok((described(node, sent), Plan { items: Some(Box::new(plan)), null, ..Plan::default() }))
    }

    fn union(
        &self,
        node: &Map<String, Value>,
        branches: Vec<&Value>,
        path: &str,
        refs: &[&str],
    ) -> Translated {
        let mut sent: Vec<Value> = Vec::new();
        let mut plan = Ok(Plan::default());
        for branch in branches {
            let (schema, branch_plan) = self.node(branch, path, refs)?;
            if !sent.contains(&schema) {
                sent.push(schema);
                plan = plan.and_then(|plan| plan.either(branch_plan));
            }
        }
        match (plan, sent.len()) {
            (Err(Ambiguous), _) => Ok(as_text(node, Kind::Any, false)),
            (Ok(_), 0) => Err(unsupported(path, "allows no value at all")),
            (Ok(plan), 1) => Ok((described(node, sent.remove(0)), plan)),
            (Ok(plan), _) => Ok((described(node, json!({ "anyOf": sent })), plan)),
        }
    }
}

/// The alternatives of a schema; alternatives that only say which keys are needed, or that
/// stand beside properties, don't count.
fn branches(node: &Map<String, Value>) -> Option<Vec<&Value>> {
    let branches = node.get("anyOf").or_else(|| node.get("oneOf"))?.as_array()?;
    let says = |branch: &Value| {
        ["type", "properties", "$ref", "enum", "const", "anyOf", "oneOf", "items"]
            .iter()
            .any(|keyword| branch.get(keyword).is_some())
    };
    (!node.contains_key("properties") && branches.iter().all(says)).then(|| branches.iter().collect())
}

/// The types of a schema, guessed from its keywords where it names none.
fn types<'n>(node: &'n Map<String, Value>, path: &str) -> Result<Vec<&'n str>, ModelError> {
    match node.get("type") {
        Some(Value::String(name)) => Ok(vec![name]),
        Some(list @ Value::Array(_)) => Ok(names(Some(list))),
        Some(_) => Err(unsupported(path, "has a `type` that is neither a name nor a list")),
        None if node.contains_key("properties") => Ok(vec!["object"]),
        None if node.contains_key("items") => Ok(vec!["array"]),
        None => Ok(Vec::new()),
    }
}

fn names(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn choice(node: &Map<String, Value>, keyword: &str, values: &[Value]) -> (Value, Plan) {
    if values.iter().any(|value| value.is_object() || value.is_array()) {
        return as_text(node, Kind::Any, false);
    }
    let plan = Plan {
        text: values.iter().any(Value::is_string).then_some(Text::Verbatim),
        null: values.iter().any(Value::is_null).then_some(Null::Real),
        ..Plan::default()
    };
    let mut sent = Map::new();
    match node.get("type") {
        Some(types) => {
            sent.insert("type".to_owned(), types.clone());
        }
        // Some servers want a type beside the values.
        None if values.iter().all(Value::is_string) => {
            sent.insert("type".to_owned(), json!("string"));
        }
        None => {}
    }
    if let Some(choice) = node.get(keyword) {
        sent.insert(keyword.to_owned(), choice.clone());
    }
    (described(node, Value::Object(sent)), plan)
}

/// A string that holds JSON of the wanted shape.
fn as_text(node: &Map<String, Value>, kind: Kind, nullable: bool) -> (Value, Plan) {
    let what = match kind {
        Kind::Object => "A JSON object written as text, such as {\"key\":\"value\"}.",
        Kind::Array => "A JSON array written as text, such as [1,2].",
        Kind::Any => "A JSON value written as text; a string keeps its quotes.",
    };
    let mut text = match node.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} {what}"),
        None => what.to_owned(),
    };
    let mut shape = node.clone();
    shape.retain(|keyword, _| !matches!(keyword.as_str(), "description" | "title" | "$schema"));
    let shape = Value::Object(shape).to_string();
    let says_more =
        !["{}", r#"{"type":"object"}"#, r#"{"type":["object","null"]}"#].contains(&shape.as_str());
    if says_more && shape.len() <= MAX_TOLD {
        text.push_str(&format!(" Its JSON Schema: {shape}"));
    }
    let types = if nullable { json!(["string", "null"]) } else { json!("string") };
    let plan = Plan { null: nullable.then_some(Null::Real), ..Plan::encoded(kind) };
    (json!({ "type": types, "description": text }), plan)
}

fn or_null(schema: Value) -> Value {
    let mut schema = schema;
    let has_values = ["enum", "const", "anyOf"].iter().any(|word| schema.get(word).is_some());
    match schema.get_mut("type") {
        Some(Value::Array(types)) if !has_values => types.push(json!("null")),
        Some(types @ Value::String(_)) if !has_values => *types = json!([types.clone(), "null"]),
        _ => match schema.get_mut("anyOf") {
            Some(Value::Array(branches)) => branches.push(json!({ "type": "null" })),
            _ => return json!({ "anyOf": [schema, { "type": "null" }] }),
        },
    }
    schema
}

/// The schema with the original's description, which also tells what was left out.
fn described(node: &Map<String, Value>, sent: Value) -> Value {
    let mut sent = sent;
    let Value::Object(target) = &mut sent else { return sent };
    let left_out: Vec<_> = NARROWING
        .iter()
        .filter(|keyword| !target.contains_key(**keyword))
        .filter_map(|keyword| Some(format!("{keyword} {}", node.get(*keyword)?)))
        .filter(|told| told.len() <= MAX_TOLD)
        .collect();
    let text = node.get("description").and_then(Value::as_str);
    let told = (!left_out.is_empty()).then(|| format!("({})", left_out.join(", ")));
    let parts: Vec<_> = text.into_iter().chain(told.as_deref()).collect();
    if !parts.is_empty() {
        target.insert("description".to_owned(), Value::String(parts.join(" ")));
    }
    sent
}

fn unsupported(path: &str, what: &str) -> ModelError {
    let field = if path.is_empty() {
        "the reply's schema".to_owned()
    } else {
        format!("`{path}` in the reply's schema")
    };
    ModelError::Unsupported { why: format!("{field} {what}") }
}
