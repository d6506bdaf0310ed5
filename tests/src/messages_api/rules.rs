//! What the real API refuses.
//!
//! Written from its documentation and independent of the product's own preparation, so that
//! a request which would fail in earnest fails here as well.

use super::conversation::{self, Said};
use super::http::Incoming;
use serde_json::{Map, Value, json};

const MODELS: [&str; 4] = ["claude-fable-5-1", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"];

/// Keywords of a schema that structured output takes.
const KEYWORDS: [&str; 14] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "enum",
    "const",
    "anyOf",
    "allOf",
    "description",
    "title",
    "$ref",
    "$defs",
];

const MAX_OPTIONAL: usize = 24;
const MAX_UNIONS: usize = 16;
const MAX_OUTPUT: u64 = 128_000;

/// A refusal, as the API words it.
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) message: String,
}

pub(super) fn invalid<T>(message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { status: 400, kind: "invalid_request_error", message: message.into() })
}

/// The answer to `GET /v1/models/{id}`, for a known id.
pub(super) fn model_info(incoming: &Incoming) -> Option<Value> {
    let id = incoming.path.strip_prefix("/v1/models/").filter(|_| incoming.method == "GET")?;
    let id = MODELS.iter().find(|model| **model == id)?;
    Some(json!({
        "type": "model", "id": id, "display_name": id,
        "max_input_tokens": 1_000_000, "max_tokens": MAX_OUTPUT,
    }))
}

/// Refuses what the API refuses, after having said so much.
pub(super) fn check(incoming: &Incoming, key: &str, said: &[Said]) -> Result<(), Refusal> {
    if incoming.header("x-api-key") != Some(key) {
        let message = "invalid x-api-key".to_owned();
        return Err(Refusal { status: 401, kind: "authentication_error", message });
    }
    if (incoming.method.as_str(), incoming.path.as_str()) != ("POST", "/v1/messages") {
        let message = format!("{} {}", incoming.method, incoming.path);
        return Err(Refusal { status: 404, kind: "not_found_error", message });
    }
    if incoming.header("anthropic-version") != Some("2023-06-01") {
        return invalid("anthropic-version: header is required");
    }
    if incoming.header("content-type") != Some("application/json") {
        return invalid("content-type: must be application/json");
    }
    let Some(body) = incoming.body.as_object() else {
        return invalid("the request body is not valid JSON");
    };
    fields(body)?;
    model(body)?;
    prompt(body)?;
    conversation::check(body, said)?;
    match body.get("output_config") {
        None => Ok(()),
        Some(config) => output_config(config),
    }
}

fn fields(body: &Map<String, Value>) -> Result<(), Refusal> {
    for name in body.keys() {
        match name.as_str() {
            "model" | "max_tokens" | "system" | "messages" | "output_config" | "metadata"
            | "stop_sequences" | "tools" => {}
            "stream" if body["stream"].is_boolean() => {}
            "tool_choice" if matches!(body["tool_choice"]["type"].as_str(), Some("auto" | "none")) => {}
            "temperature" | "top_p" | "top_k" => {
                return invalid(format!("{name}: this model takes its default only"));
            }
            "tool_choice" => return invalid("tool_choice: this model can't be forced"),
            other => return invalid(format!("{other}: Extra inputs are not permitted")),
        }
    }
    Ok(())
}

fn model(body: &Map<String, Value>) -> Result<(), Refusal> {
    let model = body.get("model").and_then(Value::as_str).unwrap_or_default();
    if !MODELS.contains(&model) {
        let message = format!("model: {model}");
        return Err(Refusal { status: 404, kind: "not_found_error", message });
    }
    match body.get("max_tokens").and_then(Value::as_u64) {
        Some(1..=MAX_OUTPUT) => Ok(()),
        Some(_) | None => invalid(format!("max_tokens: must be 1 to {MAX_OUTPUT}")),
    }
}

fn prompt(body: &Map<String, Value>) -> Result<(), Refusal> {
    if let Some(system) = body.get("system") {
        blocks(system, "system")?;
    }
    let messages = body.get("messages").and_then(Value::as_array).map(Vec::as_slice);
    let Some(messages @ [_, ..]) = messages else {
        return invalid("messages: at least one message is required");
    };
    for message in messages {
        blocks(&message["content"], "messages.content")?;
    }
    Ok(())
}

fn blocks(content: &Value, what: &str) -> Result<(), Refusal> {
    let empty = |text: &str| text.trim().is_empty();
    match content {
        Value::String(text) if !empty(text) => Ok(()),
        Value::Array(blocks) if !blocks.is_empty() => {
            for block in blocks {
                if block["type"] == "text" && block["text"].as_str().is_none_or(empty) {
                    return invalid(format!("{what}: text content blocks must be non-empty"));
                }
                match block.get("cache_control") {
                    Some(_) if block["type"] == "thinking" => {
                        return invalid(format!("{what}: thinking blocks take no cache_control"));
                    }
                    Some(cache) if cache["type"] != "ephemeral" => {
                        return invalid(format!("{what}: cache_control.type must be ephemeral"));
                    }
                    Some(_) | None => {}
                }
                if block["type"] == "tool_use" && !block["input"].is_object() {
                    return invalid(format!("{what}: tool_use.input: Input should be an object"));
                }
            }
            Ok(())
        }
        _ => invalid(format!("{what}: must be text or content blocks")),
    }
}

fn output_config(config: &Value) -> Result<(), Refusal> {
    for (name, value) in config.as_object().into_iter().flatten() {
        match name.as_str() {
            "effort" => {
                let efforts = ["low", "medium", "high", "xhigh", "max"];
                if !efforts.iter().any(|effort| value == effort) {
                    return invalid("output_config.effort: unknown");
                }
            }
            "format" => {
                if value["type"] != "json_schema" {
                    return invalid("output_config.format.type: must be json_schema");
                }
                schema(&value["schema"])?;
            }
            other => return invalid(format!("output_config.{other}: not permitted")),
        }
    }
    Ok(())
}

fn schema(root: &Value) -> Result<(), Refusal> {
    if root["type"] != "object" {
        return invalid("output_config.format.schema: the root must be an object");
    }
    let mut count = Count::default();
    count.walk(root, "schema")?;
    if count.optional > MAX_OPTIONAL {
        return invalid(format!("schema: {} optional parameters, {MAX_OPTIONAL} allowed", count.optional));
    }
    if count.unions > MAX_UNIONS {
        return invalid(format!("schema: {} union parameters, {MAX_UNIONS} allowed", count.unions));
    }
    Ok(())
}

#[derive(Default)]
struct Count {
    optional: usize,
    unions: usize,
}

impl Count {
    fn walk(&mut self, schema: &Value, path: &str) -> Result<(), Refusal> {
        let Some(map) = schema.as_object() else {
            return invalid(format!("{path}: must be an object"));
        };
        if let Some(keyword) = map.keys().find(|keyword| !KEYWORDS.contains(&keyword.as_str())) {
            return invalid(format!("{path}: property '{keyword}' is not supported"));
        }
        if map.get("minItems").is_some_and(|least| *least != 0 && *least != 1) {
            return invalid(format!("{path}: 'minItems' must be 0 or 1"));
        }
        let has = |keyword: &str| map.contains_key(keyword);
        if !["type", "enum", "const", "anyOf", "allOf", "$ref"].iter().any(|keyword| has(keyword)) {
            return invalid(format!("{path}: must say which values it takes"));
        }
        self.unions += usize::from(has("anyOf") || map.get("type").is_some_and(Value::is_array));
        for keyword in ["anyOf", "allOf"] {
            for branch in map.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                self.walk(branch, path)?;
            }
        }
        let is = |name: &str| match map.get("type") {
            Some(Value::Array(names)) => names.iter().any(|known| known == name),
            Some(known) => known == name,
            None => false,
        };
        if is("array") {
            match map.get("items") {
                Some(items) => self.walk(items, &format!("{path}[]"))?,
                None => return invalid(format!("{path}: 'items' is required for an array")),
            }
        }
        if is("object") {
            self.object(map, path)?;
        }
        for (name, definition) in map.get("$defs").and_then(Value::as_object).into_iter().flatten() {
            self.walk(definition, &format!("$defs.{name}"))?;
        }
        Ok(())
    }

    fn object(&mut self, map: &Map<String, Value>, path: &str) -> Result<(), Refusal> {
        if map.get("additionalProperties") != Some(&Value::Bool(false)) {
            return invalid(format!("{path}: 'additionalProperties' must be false"));
        }
        let required: Vec<_> = map.get("required").and_then(Value::as_array).into_iter().flatten().collect();
        let properties = map.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            self.optional += usize::from(!required.iter().any(|known| *known == name));
            self.walk(property, &format!("{path}.{name}"))?;
        }
        let known = |name: &&&Value| {
            let name = name.as_str().unwrap_or_default();
            properties.is_some_and(|properties| properties.contains_key(name))
        };
        match required.iter().find(|name| !known(name)) {
            Some(name) => invalid(format!("{path}: required {name} isn't a property")),
            None => Ok(()),
        }
    }
}
