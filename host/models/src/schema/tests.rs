//! Schemas out, replies back.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn wire(schema: &Value) -> Wire {
    Wire::new(schema, Dialect::Anthropic).unwrap()
}

fn refused(schema: &Value) -> String {
    Wire::new(schema, Dialect::Anthropic).unwrap_err().to_string()
}

fn object(properties: Value) -> Value {
    let required: Vec<_> = properties.as_object().unwrap().keys().cloned().collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

#[test]
fn what_only_narrows_moves_into_the_description() {
    let schema = object(json!({
        "count": { "type": "integer", "minimum": 1, "maximum": 9, "description": "How many." },
        "name": { "type": "string", "pattern": "^[a-z]+$", "maxLength": 20, "format": "email" },
        "list": { "type": "array", "items": { "type": "string" }, "minItems": 2 },
        "some": { "type": "array", "items": { "type": "string" }, "minItems": 1 },
    }));
    insta::assert_json_snapshot!(wire(&schema).schema);
}

#[test]
fn the_order_of_properties_is_kept_and_every_object_is_closed() {
    let inner = object(json!({ "z": { "type": "null" }, "a": { "type": "boolean" } }));
    let schema = object(json!({ "z": inner, "m": { "type": "array", "items": inner }, "a": inner }));
    let sent = wire(&schema).schema;
    let keys: Vec<_> = sent["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["z", "m", "a"]);
    for object in [&sent, &sent["properties"]["z"], &sent["properties"]["m"]["items"]] {
        assert_eq!(object["additionalProperties"], json!(false));
    }
}

#[test]
fn values_of_any_shape_travel_as_json_text() {
    let schema = object(json!({
        "free": { "type": "object", "description": "The input." },
        "or_null": { "type": ["object", "null"] },
        "map": { "type": "object", "additionalProperties": { "type": "integer" } },
        "open": { "type": "object", "properties": { "a": {} }, "additionalProperties": true },
        "any": {},
        "list": { "type": "array" },
        "empty": { "type": "object", "properties": {}, "additionalProperties": false },
    }));
    insta::assert_json_snapshot!(wire(&schema).schema);
}

#[test]
fn json_text_in_a_reply_is_unwrapped_token_for_token() {
    let schema = object(json!({
        "input": { "type": ["object", "null"] },
        "any": {},
        "note": { "type": "string" },
        "list": { "type": "array", "items": { "type": "object" } },
    }));
    let wire = wire(&schema);
    let read = |text: &str| wire.read(text.to_owned());
    assert_eq!(
        read(
            r#" {"input": "{\"a\": 1.50, \"a\": 2}", "any": "[1e400]", "note": "{}",
                "list": ["{\"b\":\"\\\"\"}", "{}"]} "#
        ),
        r#"{"input":{"a": 1.50, "a": 2},"any":"[1e400]","note":"{}","list":[{"b":"\""},{}]}"#
            .replace("\"[1e400]\"", "[1e400]")
    );
    assert_eq!(read(r#"{"input":null,"any":"\"text\""}"#), r#"{"input":null,"any":"text"}"#);
}

#[test]
fn a_reply_that_isnt_what_was_asked_for_stays_as_it_is() {
    let wire = wire(&object(json!({ "input": { "type": "object" } })));
    for text in [
        "```json\n{\"input\": \"{}\"}\n```",
        "{\"input\": \"{}\"",
        "{\"input\":\"no json\"}",
        "{\"input\":\"[1]\"}",
        "{\"input\":\"{\\\"a\\\":}\"}",
        "",
    ] {
        assert_eq!(wire.read(text.to_owned()), text);
    }
    let deep = format!("{{\"input\":{}1{}}}", "[".repeat(500), "]".repeat(500));
    assert_eq!(wire.read(deep.clone()), deep);
}

#[test]
fn alternatives_of_objects_are_sent_as_they_are() {
    let read = object(json!({ "file_path": { "type": "string" } }));
    let list = object(json!({ "directory": { "type": "string" } }));
    let schema = object(json!({ "action_input": { "oneOf": [read, list] } }));
    let sent = wire(&schema).schema;
    let branches = sent["properties"]["action_input"]["anyOf"].as_array().unwrap();
    assert_eq!(branches.len(), 2);
    assert_eq!(branches[1]["properties"]["directory"], json!({ "type": "string" }));
}

#[test]
fn alternatives_that_could_not_be_told_apart_again_travel_as_json_text() {
    // One tool's `content` is text, the other's a free object: text must stay text.
    let text = object(json!({ "content": { "type": "string" } }));
    let free = object(json!({ "content": { "type": "object" } }));
    let schema = object(json!({ "action_input": { "anyOf": [text, free] } }));
    let wire = wire(&schema);
    assert_eq!(wire.schema["properties"]["action_input"]["type"], "string");
    let reply = r#"{"action_input":"{\"content\":\"{}\"}"}"#;
    assert_eq!(wire.read(reply.to_owned()), r#"{"action_input":{"content":"{}"}}"#);
}

#[test]
fn references_are_followed_and_a_recursive_one_ends_as_json_text() {
    let schema = json!({
        "type": "object",
        "properties": { "tree": { "$ref": "#/$defs/tree", "description": "The tree." } },
        "required": ["tree"],
        "$defs": { "tree": {
            "type": "object",
            "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/tree" } } },
            "required": ["children"],
        }},
    });
    let wire = wire(&schema);
    let tree = &wire.schema["properties"]["tree"];
    assert_eq!(tree["description"], "The tree.");
    assert_eq!(tree["properties"]["children"]["items"]["type"], "string");
    let reply = r#"{"tree":{"children":["{\"children\":[]}"]}}"#;
    assert_eq!(wire.read(reply.to_owned()), r#"{"tree":{"children":[{"children":[]}]}}"#);
    let dangling = object(json!({ "x": { "$ref": "#/$defs/none" } }));
    let why = "`x` in the reply's schema refers to \"#/$defs/none\", which isn't in the schema";
    assert_eq!(refused(&dangling), why);
}

#[test]
fn a_part_that_is_too_rich_travels_as_json_text() {
    let tool = |index: usize| {
        let property = |name: &str| (format!("{name}{index}"), json!({ "type": "string" }));
        let properties: serde_json::Map<_, _> = ["a", "b", "c"].map(property).into_iter().collect();
        json!({ "type": "object", "properties": properties })
    };
    let schema = |tools: usize| {
        object(json!({
            "reasoning": { "type": "string" },
            "action_input": { "anyOf": (0..tools).map(tool).collect::<Vec<_>>() },
        }))
    };
    let kind = |tools| wire(&schema(tools)).schema["properties"]["action_input"].clone();
    assert!(kind(8).get("anyOf").is_some());
    assert_eq!(kind(9)["type"], "string");
    let reply = r#"{"reasoning":"r","action_input":"{\"a1\":\"{}\"}"}"#;
    let read = wire(&schema(9)).read(reply.to_owned());
    assert_eq!(read, r#"{"reasoning":"r","action_input":{"a1":"{}"}}"#);
}

#[test]
fn a_schema_over_a_limit_at_its_root_is_refused_by_field() {
    let properties = |value: Value, count| {
        let named = (0..count).map(|index| (format!("p{index}"), value.clone()));
        named.collect::<serde_json::Map<_, _>>()
    };
    let text = json!({ "type": "string" });
    let fits = json!({ "type": "object", "properties": properties(text.clone(), 24) });
    assert!(Wire::new(&fits, Dialect::Anthropic).is_ok());
    let optional = json!({ "type": "object", "properties": properties(text, 25) });
    assert_eq!(
        refused(&optional),
        "the reply's schema has 25 optional properties and the provider takes 24 (`p0`, `p1`, \
         `p2`, `p3`, `p4`, …); make some of them required or offer fewer tools"
    );
    assert!(Wire::new(&optional, Dialect::OpenAi).is_ok());
    let unions = object(properties(json!({ "type": ["string", "null"] }), 17).into());
    assert!(refused(&unions).contains("has 17 properties of more than one type"));
}

#[test]
fn a_schema_that_asks_for_no_object_is_refused() {
    for schema in [json!(true), json!({}), json!({ "type": "array" }), json!({ "type": "object" })] {
        assert_eq!(refused(&schema), "the reply's schema must be an object with named properties");
    }
    let never = object(json!({ "x": false }));
    assert_eq!(refused(&never), "`x` in the reply's schema allows no value at all");
    let odd = object(json!({ "x": { "y": 7, "properties": { "z": 7 } } }));
    assert_eq!(refused(&odd), "`x.z` in the reply's schema isn't a JSON Schema");
}

#[test]
fn a_schema_that_unfolds_without_end_is_refused() {
    let mut defs = serde_json::Map::new();
    for level in 0..20 {
        let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
        let both = object(json!({ "a": next, "b": next }));
        defs.insert(format!("l{level}"), both);
    }
    defs.insert("l20".to_owned(), json!({ "type": "string" }));
    let mut schema = object(json!({ "x": { "$ref": "#/$defs/l0" } }));
    schema["$defs"] = Value::Object(defs);
    assert!(refused(&schema).ends_with("has more than 4000 parts"));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(".*", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_travelled_as_json_text_is_the_same_value_again(
        any in any_json(), members in prop::collection::hash_map(".*", any_json(), 0..4),
        note in ".*", list in prop::collection::vec(any_json(), 0..4),
    ) {
        let schema = object(json!({
            "any": {},
            "inner": object(json!({ "input": { "type": "object" }, "note": { "type": "string" } })),
            "list": { "type": "array", "items": {} },
        }));
        let input = Value::Object(members.into_iter().collect());
        let text_of = |value: &Value| Value::String(value.to_string());
        let texts: Vec<_> = list.iter().map(text_of).collect();
        let sent = json!({
            "any": text_of(&any), "inner": { "input": text_of(&input), "note": note }, "list": texts,
        });
        let meant = json!({ "any": any, "inner": { "input": input, "note": note }, "list": list });
        for text in [sent.to_string(), serde_json::to_string_pretty(&sent).unwrap()] {
            let read: Value = serde_json::from_str(&wire(&schema).read(text)).unwrap();
            prop_assert_eq!(&read, &meant);
        }
    }

    #[test]
    fn no_reply_breaks_the_reading(text in ".*") {
        let wire = wire(&object(json!({ "any": {}, "list": { "type": "array", "items": {} } })));
        wire.read(text.clone());
        wire.read(format!("{{\"any\":{text},\"list\":[{text}]}}"));
    }
}
