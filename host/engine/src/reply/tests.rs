//! The shapes that models return when asked for JSON, one by one, by the number of their row.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn value(text: &str) -> Value {
    match find(text) {
        Ok(read) => read.value,
        Err(unusable) => panic!("{text}: {unusable}"),
    }
}

fn repairs(text: &str) -> Vec<String> {
    find(text).map(|read| read.repairs).unwrap_or_default()
}

fn unusable(text: &str) -> String {
    match find(text) {
        Ok(read) => panic!("{text} was read as {}", read.value),
        Err(unusable) => unusable.to_string(),
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "name": {"type": "string"},
            "ids": {"type": "array", "items": {"type": "string"}},
            "count": {"type": "integer"},
            "size": {"type": "number"},
            "done": {"type": "boolean"},
            "input": {"type": "object"},
            "level": {"type": "string", "enum": ["low", "high"]},
        },
        "required": ["name"],
    })
}

fn fitted(value: Value) -> Result<Value, String> {
    let read = Read { value, repairs: Vec::new() };
    fit(read, &schema()).map(|read| read.value).map_err(|unusable| unusable.to_string())
}

#[test]
fn row_1_a_fence_around_the_object_is_stripped() {
    assert_eq!(value("```json\n{\"a\": 1}\n```"), json!({"a": 1}));
    assert_eq!(value("```json {\"a\": 1} ```"), json!({"a": 1}));
    assert_eq!(value("```JSON\n{\"a\": 1}"), json!({"a": 1}));
    assert_eq!(value("```\n{\"a\": 1}\n```"), json!({"a": 1}));
    assert_eq!(value("````json\n{\"a\": \"```\"}\n````"), json!({"a": "```"}));
    assert_eq!(repairs("```json\n{\"a\": 1}\n```"), Vec::<String>::new());
}

#[test]
fn row_2_another_fence_before_the_object_is_skipped_and_backticks_in_values_stay() {
    let text = "```bash\ncurl -d '{\"x\": 1}' localhost\n```\nand so:\n```json\n{\"a\": 2}\n```";
    assert_eq!(value(text), json!({"a": 2}));
    let inside = r#"{"a": "run ```bash\nls\n``` or `ls`", "b": "{\"c\": 1}"}"#;
    assert_eq!(value(inside), json!({"a": "run ```bash\nls\n``` or `ls`", "b": "{\"c\": 1}"}));
    assert_eq!(value("```python\nx = {'a': 1}\n```\n{\"a\": 2}"), json!({"a": 2}));
}

#[test]
fn row_3_prose_around_the_object_is_left_out_and_noted() {
    let text = "Sure! Here's the {plan}:\n{\"a\": {\"b\": [1]}}\nI hope it helps. }";
    assert_eq!(value(text), json!({"a": {"b": [1]}}));
    assert_eq!(repairs(text), ["$: text around the object was left out"]);
    assert_eq!(value("{\"a\": 1}}"), json!({"a": 1}));
    assert_eq!(value("With [1] and {} in prose: {\"a\": 1}"), json!({"a": 1}));
}

#[test]
fn row_4_equal_objects_are_one_and_different_ones_are_none() {
    assert_eq!(value("{\"a\": 1}\n{\"a\": 1}"), json!({"a": 1}));
    assert_eq!(repairs("{\"a\": 1} {\"a\": 1}"), ["$: the object was sent more than once"]);
    assert_eq!(unusable("{\"a\": 1} {\"a\": 2}"), "$: expected one JSON object, found 2 different ones");
    assert!(unusable("{\"a\": 1, \"b\": 2} {\"a\": 1}").contains("different"));
}

#[test]
fn row_5_of_a_text_sent_twice_the_superset_counts() {
    assert_eq!(value("{\"a\": 1}{\"a\": 1, \"b\": [2]}"), json!({"a": 1, "b": [2]}));
    let twice = "{\"reasoning\": \"first look\", \"new_{\"reasoning\": \"first look\", \"new_sub\": 1}";
    assert_eq!(value(twice), json!({"reasoning": "first look", "new_sub": 1}));
    assert!(repairs(twice).contains(&"$: the text was sent twice".to_owned()));
}

#[test]
fn row_6_trailing_commas_single_quotes_and_python_words_are_read() {
    let text = "{'a': [1, 2,], 'b': None, 'c': True, 'd': False,}";
    assert_eq!(value(text), json!({"a": [1, 2], "b": null, "c": true, "d": false}));
    assert_eq!(
        repairs(text),
        [
            "$: single quotes around a string",
            "$.a: a trailing comma",
            "$.b: a Python word for null, true or false",
        ]
    );
    assert_eq!(value("{'a': \"it's\", 'b': 'don\\'t'}"), json!({"a": "it's", "b": "don't"}));
    assert!(unusable("{\"a\": 1,, \"b\": 2}").contains("expected a key"));
    assert!(unusable("{\"a\": undefined}").contains("expected a value"));
}

#[test]
fn row_7_a_raw_line_break_in_a_string_is_kept_and_noted() {
    assert_eq!(value("{\"a\": \"one\ntwo\tthree\"}"), json!({"a": "one\ntwo\tthree"}));
    assert_eq!(repairs("{\"a\": \"one\ntwo\"}"), ["$.a: a raw line break or tab in a string"]);
}

#[test]
fn row_8_escapes_and_inner_quotes_are_repaired_only_where_unambiguous() {
    assert_eq!(value(r#"{"a": "\*.py and \d+"}"#), json!({"a": r"\*.py and \d+"}));
    assert_eq!(value(r#"{"a": "he said "no" twice", "b": 1}"#), json!({"a": "he said \"no\" twice", "b": 1}));
    assert_eq!(
        value(r#"{"a": "use "foo", then bar", "b": 1}"#),
        json!({"a": "use \"foo\", then bar", "b": 1})
    );
    assert!(unusable(r#"{"a": "x" "b": 1}"#).contains("$.a: not valid JSON here"));
    assert!(unusable(r#"{"a": "x", "y", "b": 1}"#).contains("expected `:`"));
    assert!(unusable(r#"{"a": "\q"}"#).contains("$.a: an invalid escape"));
    assert!(unusable(r#"{"a": "\x41"}"#).contains("invalid escape"));
    assert!(unusable(r#"{"a": "\u12"}"#).contains("invalid escape"));
}

#[test]
fn row_9_a_truncated_text_is_never_completed() {
    assert_eq!(unusable("{\"a\": \"and so"), "$.a: the JSON ends before it is complete");
    assert!(unusable("{\"a\": [1, 2").contains("$.a[1]: the JSON ends"));
    assert!(unusable("{\"a\": tr").contains("$.a: the JSON ends"));
    assert!(unusable("{\"a\": 1,").contains("the JSON ends"));
    // The whole of an inner object is no answer.
    assert!(unusable("{\"tasks\": [{\"id\": 1}, {\"id\": 2}").contains("the JSON ends"));
}

#[test]
fn row_10_nothing_but_white_space_is_empty() {
    assert_eq!(unusable(""), "the reply is empty");
    assert_eq!(unusable(" \n\t "), "the reply is empty");
    assert_eq!(unusable("{   \n\n\n    "), "the reply is empty");
}

#[test]
fn row_11_values_are_coerced_only_where_the_schema_asks() {
    let given = json!({"name": "12", "ids": "[\"a\"]", "count": "200000", "size": "1.5",
        "done": "true", "input": "{\"a\": 1}"});
    assert_eq!(
        fitted(given),
        Ok(json!({"name": "12", "ids": ["a"], "count": 200_000, "size": 1.5, "done": true,
            "input": {"a": 1}}))
    );
    assert_eq!(fitted(json!({"name": 7, "count": 3.0})), Ok(json!({"name": "7", "count": 3})));
    assert!(fitted(json!({"name": "n", "count": "many"})).is_err());
    assert!(fitted(json!({"name": "n", "count": 1.5})).is_err());
    assert!(fitted(json!({"name": "n", "ids": "a"})).is_err());
    let doubled = json!({"name": "n", "input": "{\"a\": 1, \"a\": 2}"});
    assert!(fitted(doubled).is_err(), "what the reader refuses isn't let in by a detour");
    assert_eq!(value("\"{\\\"a\\\": 1}\""), json!({"a": 1}));
}

#[test]
fn row_12_what_doesnt_fit_is_named_with_its_path_and_type() {
    let error = |value| fitted(value).unwrap_err();
    assert_eq!(error(json!({"name": null})), "$.name: expected string, found null");
    assert_eq!(error(json!({})), "$.name: is missing");
    assert_eq!(error(json!({"name": "n", "more": 1})), "$.more: isn't a key that is known here");
    assert_eq!(error(json!({"name": "n", "ids": ["a", {}]})), "$.ids[1]: expected string, found an object");
    assert_eq!(unusable("[{\"a\": 1}]"), "$: expected one JSON object, found an array");
    assert_eq!(unusable("[1]"), "$: expected one JSON object, found an array");
    assert_eq!(unusable("42"), "$: expected one JSON object, found a number");
    assert_eq!(unusable("\"words\""), "$: expected one JSON object, found a string");
    assert_eq!(fitted(json!({"name": "n", "ids": null})), Ok(json!({"name": "n"})));
}

#[test]
fn row_12_a_value_that_fits_no_branch_is_told_the_types_unless_it_has_one_of_them() {
    let schema = json!({"properties": {
        "count": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
    }});
    let said = |value: Value| mismatch(&value, &schema, "$");
    let expected = "$.count: expected integer or null, found a string";
    assert_eq!(said(json!({"count": "many"})).as_deref(), Some(expected));
    assert_eq!(said(json!({"count": -1})).as_deref(), Some("$.count: fits none of the allowed shapes"));
}

#[test]
fn row_11_a_value_that_fits_no_branch_is_coerced_where_just_one_form_does() {
    let optional = json!({"properties": {
        "count": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
        "level": {"anyOf": [{"type": "string", "enum": ["low", "high"]}, {"type": "null"}]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "array"}]},
        "any": {"oneOf": [{"type": "object", "properties": {"n": {"type": "number"}}}, {"type": "boolean"}]},
    }});
    let coerced = |mut value: Value| {
        let mut repairs = Vec::new();
        coerce(&mut value, &optional, &mut repairs);
        (value, repairs.len())
    };
    assert_eq!(coerced(json!({"count": "200000"})), (json!({"count": 200_000}), 1));
    assert_eq!(coerced(json!({"count": null})), (json!({"count": null}), 0));
    assert_eq!(coerced(json!({"count": "-1"})), (json!({"count": "-1"}), 0), "it fits no branch then either");
    assert_eq!(coerced(json!({"level": "LOW"})), (json!({"level": "low"}), 1));
    assert_eq!(coerced(json!({"either": "[1]"})), (json!({"either": [1]}), 1));
    assert_eq!(coerced(json!({"any": {"n": "1.5"}})), (json!({"any": {"n": 1.5}}), 1));
    assert_eq!(coerced(json!({"any": "nothing"})), (json!({"any": "nothing"}), 0));
}

// Row 13 (other names for keys, unknown tools) is the decision's own: `tests/it/decisions.rs`.

#[test]
fn row_14_tool_calls_as_xml_text_are_refused() {
    let value_with = |end: &str| format!("{{\"a\": \"src{end}\"}}");
    assert_eq!(
        unusable(&value_with("</invoke>")),
        "$.a: contains XML markup of a tool call (`invoke`); answer with plain JSON only"
    );
    assert!(unusable(&value_with("</x:parameter>\\n")).contains("$.a: contains XML markup"));
    assert!(unusable("<tool_call>\n{\"name\": \"read_file\"}\n</tool_call>").contains("XML markup"));
    assert!(
        unusable("<function_calls><invoke name=\"x\"><parameter name=\"p\">v</parameter></invoke>")
            .contains("XML markup")
    );
    assert_eq!(value("{\"a\": \"the </b> tag ends it\"}"), json!({"a": "the </b> tag ends it"}));
    assert_eq!(value("{\"a\": \"<p>text</p>\"}"), json!({"a": "<p>text</p>"}));
}

#[test]
fn row_15_an_enum_value_in_another_case_is_folded() {
    assert_eq!(fitted(json!({"name": "n", "level": "HIGH"})), Ok(json!({"name": "n", "level": "high"})));
    assert_eq!(
        fitted(json!({"name": "n", "level": "middling"})),
        Err("$.level: expected one of [\"low\",\"high\"]".to_owned())
    );
    assert_eq!(fitted(json!({"name": "HIGH"})), Ok(json!({"name": "HIGH"})));
}

#[test]
fn row_16_what_isnt_json_is_refused_by_name() {
    for (text, said) in [
        ("{\"a\": 1, \"a\": 1}", "$.a: the same key occurs twice in one object"),
        ("{\"b\": {\"a\": 1, \"a\": 2}}", "$.b.a: the same key occurs twice in one object"),
        ("{\"a\": NaN}", "$.a: NaN and infinities aren't JSON"),
        ("{\"a\": -Infinity}", "$.a: NaN and infinities aren't JSON"),
        ("{\"a\": 1e999}", "$.a: not a valid JSON number"),
        ("{\"a\": 01}", "$.a: not a valid JSON number"),
        ("{\"a\": 1} // done", "text around the object"),
        ("{\"a\": 1, // one\n \"b\": 2}", "$: comments aren't JSON"),
        ("{/* a */ \"a\": 1}", "$: comments aren't JSON"),
        ("{\"a\": \"x\", // one\n \"b\": 2}", "$: comments aren't JSON"),
        ("\u{feff}{\"a\": 1}", "$: a byte order mark isn't JSON"),
        ("{\u{feff}\"a\": 1}", "$: a byte order mark isn't JSON"),
        ("{\"a\": \"\\ud83d\"}", "$.a: an escape names half of a surrogate pair"),
        ("{\"a\": \"\\ude00\\ud83d\"}", "$.a: an escape names half of a surrogate pair"),
        ("{\"a\": \"\\u0000\"}", "$.a: a NUL character isn't accepted"),
        ("{\"a\": \"\0\"}", "$.a: a NUL character isn't accepted"),
        ("{\"a\": \"\u{1b}[1m\"}", "$.a: a raw control character in a string"),
    ] {
        match find(text) {
            Ok(read) => assert!(read.repairs.iter().any(|r| r.contains(said)), "{text}"),
            Err(unusable) => assert_eq!(unusable.to_string(), said, "{text}"),
        }
    }
    assert_eq!(value("{\"a\": \"\\ud83d\\ude00\"}"), json!({"a": "😀"}));
}

#[test]
fn a_reply_without_bounds_is_not_read() {
    let long = format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20));
    assert!(unusable(&long).contains("at most 1048576 are read"));
    let deep = format!("{{\"a\": {}", "[".repeat(100_000));
    assert!(unusable(&deep).ends_with("nested too deeply"));
}

// What reads such text again and again from each of its characters never comes to an end here.
#[test]
fn hostile_repetition_comes_to_an_end_and_names_no_object() {
    for piece in ["{", "[", "[{", "{\"", "`", "```", "```x", "\"", "{}", "[{}]", "{\"a\":", "{'a' "] {
        let text = piece.repeat((1 << 20) / piece.len());
        if let Ok(read) = find(&text) {
            assert_eq!(read.value, json!({}), "{piece}");
        }
    }
    let text = format!("{}x{}", "{".repeat(1 << 18), "{".repeat(1 << 18));
    assert!(find(&text).is_err());
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |f| f.is_finite()).prop_map(Value::from),
        "[^\u{0}]{0,12}".prop_map(Value::from),
        "[\"'\\\\,:{}\\[\\]/ \n]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map("[^\u{0}]{0,6}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn valid_json_is_read_as_it_is(inner in any_json(), pretty in any::<bool>()) {
        let object = json!({"reasoning": inner});
        let text = if pretty {
            serde_json::to_string_pretty(&object).expect("serializes")
        } else {
            object.to_string()
        };
        let parsed = lenient::parse_at(&text, 0).map_err(|broken| {
            TestCaseError::fail(format!("{text}: {}: {}", broken.path, broken.fault))
        })?;
        prop_assert_eq!(parsed.value, object);
        prop_assert_eq!(parsed.repairs, Vec::<String>::new());
        prop_assert_eq!(parsed.end, text.len());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\x00-\\x7f\u{4efb}]{0,80}") {
        let _ = find(&text);
        let _ = find(&format!("{{\"a\": {text}}}"));
        let _ = find(&format!("{{\"a\": \"{text}\"}}"));
    }
}
