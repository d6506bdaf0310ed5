//! The rows, one test each, in the staged flow and in the pipeline.

use super::Becomes::{Asked, Told, Used};
use super::{Becomes, MARK, first, hold, input_of};
use ringfence_tests::messages_api::{Answer, Stage};
use serde_json::{Value, json};

type Sent = Option<(Answer, Becomes)>;

fn used(text: String, repair: Option<&'static str>) -> Sent {
    Some((Answer::text(text), Used(repair)))
}

fn reasked(text: impl Into<String>, said: impl Into<String>) -> Sent {
    Some((Answer::text(text), Asked(said.into())))
}

/// The reply with these characters in place of its reasons, and what is wrong with them.
fn in_reasons(stage: Stage, good: &Value, token: &str, fault: &str) -> Sent {
    reasked(with_reasons(stage, good, token), format!("$.{}: {fault}", first(stage)))
}

/// The reply's text with these characters as the value of its first key.
fn with_reasons(stage: Stage, good: &Value, token: &str) -> String {
    good.to_string().replacen(&good[first(stage)].to_string(), token, 1)
}

/// The reply with another value in one place.
fn with(mut good: Value, place: &str, value: Value) -> Value {
    if let Some(known) = good.pointer_mut(place) {
        *known = value;
    }
    good
}

#[test]
fn row_1_a_fence_around_the_object_is_stripped() {
    hold(&[
        |_, good| used(format!("```json\n{good}\n```"), None),
        |_, good| used(format!("```json {good} ```"), None),
        |_, good| used(format!("```\n{good:#}\n```"), None),
    ]);
}

#[test]
fn row_2_another_fence_first_isn_t_taken_and_backticks_in_values_stay() {
    hold(&[
        |_, good| used(format!("```bash\ncurl -d '{{\"x\": 1}}' zebra\n```\n```json\n{good}\n```"), None),
        |stage, good| used(with_reasons(stage, &good, r#""run ```bash\nls\n``` or `ls`""#), None),
    ]);
}

#[test]
fn row_3_prose_and_stray_brackets_around_the_object_are_left_out() {
    const LEFT_OUT: Option<&str> = Some("text around the object was left out");
    hold(&[
        |_, good| used(format!("Sure, zebra! Here is what I {{think}}:\n{good}\nI hope it helps."), LEFT_OUT),
        |_, good| used(format!("{good}}}"), LEFT_OUT),
    ]);
}

#[test]
fn row_4_equal_objects_are_one_and_different_ones_are_asked_for_again() {
    hold(&[
        |_, good| used(format!("{good}\n{good}"), Some("the object was sent more than once")),
        |stage, good| {
            let other = with_reasons(stage, &good, "\"another zebra\"");
            reasked(format!("{good}\n{other}"), "$: expected one JSON object, found 2 different ones")
        },
    ]);
}

#[test]
fn row_5_of_a_text_sent_twice_the_superset_counts() {
    hold(&[
        |stage, good| {
            let part = json!({ first(stage): good[first(stage)] });
            used(format!("{part}{good}"), Some("the object was sent more than once"))
        },
        |_, good| {
            let text = good.to_string();
            used(format!("{}{text}", &text[..text.len() / 2]), Some("the text was sent twice"))
        },
    ]);
}

#[test]
fn row_6_trailing_commas_single_quotes_and_python_words_are_read() {
    hold(&[
        |_, good| {
            let text = good.to_string();
            used(format!("{},}}", &text[..text.len() - 1]), Some("a trailing comma"))
        },
        |_, good| used(good.to_string().replace('"', "'"), Some("single quotes around a string")),
        |_, good| {
            let mut good = with(good, "/confidence", Value::Null);
            if let Some(task) = good.pointer_mut("/new_sub_tasks/0") {
                task["kind"] = Value::Null;
            }
            let text = good.to_string().replace("null", "None").replace("false", "False");
            used(text, Some("a Python word for null, true or false"))
        },
    ]);
}

#[test]
fn row_7_a_raw_line_break_or_tab_in_a_string_is_mended_and_noted() {
    const MENDED: Option<&str> = Some("a raw line break or tab in a string");
    hold(&[
        |stage, good| used(with_reasons(stage, &good, "\"one\ntwo\""), MENDED),
        |stage, good| used(with_reasons(stage, &good, "\"one\ttwo\""), MENDED),
    ]);
}

#[test]
fn row_8_escapes_and_inner_quotes_are_mended_only_where_unambiguous() {
    hold(&[
        |stage, good| {
            let text = with_reasons(stage, &good, r#""all \*.py and \d+""#);
            used(text, Some("an escape of a character that needs none"))
        },
        |stage, good| {
            let text = with_reasons(stage, &good, r#""he said "no" twice""#);
            used(text, Some("an unescaped quote inside a string"))
        },
        |stage, good| in_reasons(stage, &good, r#""zebra \q""#, "an invalid escape in a string"),
        |stage, good| {
            in_reasons(stage, &good, r#""zebra" "more": 1"#, "not valid JSON here, expected `,` or `}`")
        },
    ]);
}

#[test]
fn row_9_a_reply_that_was_cut_off_is_never_carried_out() {
    const CUT: &str = "the reply was cut off at 16000 output tokens";
    fn half(good: &Value) -> String {
        let text = good.to_string();
        text[..text.rfind(MARK).map_or(1, |at| at + 2)].to_owned()
    }
    hold(&[
        |_, good| Some((Answer::truncated(half(&good)), Asked(CUT.to_owned()))),
        |_, good| Some((Answer::truncated(good.to_string()), Asked(CUT.to_owned()))),
        |stage, good| {
            let text = with_reasons(stage, &good, "\"zebra");
            let text = &text[..text.find(MARK).map_or(1, |at| at + MARK.len())];
            reasked(text, format!("$.{}: the JSON ends before it is complete", first(stage)))
        },
    ]);
}

#[test]
fn row_10_white_space_is_asked_for_again() {
    hold(&[
        |_, _| reasked("", "the reply is empty"),
        |_, _| reasked(" \n\t \n", "the reply is empty"),
        |_, _| reasked("{  \n\n\n   ", "the reply is empty"),
        |_, _| Some((Answer::truncated("{   \n\n"), Asked("the reply was cut off".to_owned()))),
    ]);
}

#[test]
fn row_11_values_of_another_type_are_coerced_where_the_schema_asks_for_it() {
    const COERCED: Option<&str> = Some("written as another type than the schema's");
    hold(&[|stage, good| {
        let text = |place: &str| good.pointer(place).map(|value| json!(value.to_string()));
        let places: &[&str] = match stage {
            Stage::Plan => &["/new_sub_tasks", "/is_goal_achieved"],
            Stage::Decide => &["/action_input/max_entries"],
            Stage::Reason => &["/details/tool_input/max_entries"],
            Stage::Evaluate => &[],
            Stage::Reflect | Stage::Converse => return None,
        };
        let bad = places.iter().fold(good.clone(), |bad, place| match text(place) {
            Some(text) => with(bad, place, text),
            None => bad,
        });
        used(with(bad, "/summary", json!(200_000)).to_string(), COERCED)
    }]);
}

#[test]
fn row_12_what_doesn_t_fit_is_asked_for_again_by_its_path_and_type() {
    hold(&[
        |stage, good| in_reasons(stage, &good, "null", "expected string, found null"),
        |stage, mut good| {
            good.as_object_mut()?.remove(first(stage));
            reasked(good.to_string(), format!("$.{}: is missing", first(stage)))
        },
        |_, mut good| {
            good["more"] = json!(MARK);
            reasked(good.to_string(), "$.more: isn't a key that is known here")
        },
        |_, good| reasked(json!([good]).to_string(), "$: expected one JSON object, found an array"),
        |stage, good| {
            let bad = with(with(good, "/decision", json!("FINAL_ANSWER")), "/details", json!({}));
            (stage == Stage::Reason).then(|| reasked(bad.to_string(), "$.details.answer: is missing"))?
        },
        |_, _| reasked("42", "$: expected one JSON object, found a number"),
        |_, _| reasked("No zebra.", "$: expected one JSON object, found none"),
        |stage, good| {
            let place = input_of(stage)?;
            let bad = with(good, &format!("{place}/max_entries"), json!(MARK));
            let path = format!("${}.max_entries", place.replace('/', "."));
            let said =
                format!("The input doesn't fit list_files: {path}: expected integer or null, found a string");
            Some((Answer::text(bad.to_string()), Told(said)))
        },
        |stage, good| {
            let place = input_of(stage)?;
            let bad = with(good, place, json!([MARK]));
            let path = format!("${}", place.replace('/', "."));
            reasked_or_told(stage, bad, path)
        },
    ]);
}

/// A tool's input that is no object: the decision's schema says so; the pipeline's leaves it to the
/// tool's.
fn reasked_or_told(stage: Stage, bad: Value, path: String) -> Sent {
    let fault = format!("{path}: expected object, found an array");
    match stage {
        Stage::Reason => {
            Some((Answer::text(bad.to_string()), Told(format!("The input doesn't fit list_files: {fault}"))))
        }
        Stage::Plan | Stage::Decide | Stage::Evaluate | Stage::Reflect | Stage::Converse => {
            reasked(bad.to_string(), fault)
        }
    }
}

#[test]
fn row_13_another_name_for_the_input_and_unknown_tools_are_told_with_what_there_is() {
    fn renamed(stage: Stage, mut good: Value, key: &str) -> Sent {
        input_of(stage)?;
        let (right, holder) = match stage {
            Stage::Reason => ("tool_input", good["details"].as_object_mut()?),
            Stage::Plan | Stage::Decide | Stage::Evaluate | Stage::Reflect | Stage::Converse => {
                ("action_input", good.as_object_mut()?)
            }
        };
        let input = holder.remove(right)?;
        holder.insert(key.to_owned(), input);
        let said = format!("`{key}` isn't a key of the reply; the tool's input goes into `{right}`.");
        Some((Answer::text(good.to_string()), Told(said)))
    }
    fn named(stage: Stage, good: Value, name: &str, said: &str) -> Sent {
        let place = if stage == Stage::Reason { "/details/tool_name" } else { "/action" };
        good.pointer(place)?;
        let bad = with(good, place, json!(name));
        Some((Answer::text(bad.to_string()), Told(said.to_owned())))
    }
    hold(&[
        |stage, good| renamed(stage, good, "parameters"),
        |stage, good| renamed(stage, good, "arguments"),
        |stage, good| named(stage, good, "zebra_tool", "There is no tool of the chosen name."),
        |stage, good| {
            let said = "There is no tool of the chosen name. It looks like several names in one";
            named(stage, good, "list_filesread_file", said)
        },
    ]);
}

#[test]
fn row_14_tool_calls_as_markup_are_refused() {
    const MARKUP: &str = "contains XML markup of a tool call";
    hold(&[
        |stage, good| in_reasons(stage, &good, "\"zebra</invoke>\"", MARKUP),
        |stage, good| in_reasons(stage, &good, r#""zebra</x:parameter>\n""#, MARKUP),
        |_, _| {
            let call =
                r#"<tool_call>{"name": "list_files", "arguments": {"directory": "zebra"}}</tool_call>"#;
            reasked(call, format!("$: {MARKUP} (`tool_call`)"))
        },
        |_, good| {
            let text = format!("<function_calls><invoke name=\"list_files\">\n{good}\n</invoke>");
            reasked(text, format!("$: {MARKUP} (`function_calls`)"))
        },
    ]);
}

#[test]
fn row_15_enum_values_in_another_letter_case_are_folded() {
    hold(&[|stage, good| {
        let place = match stage {
            Stage::Decide => "/confidence",
            Stage::Evaluate => "/sub_task_status",
            Stage::Reason => "/decision",
            Stage::Plan | Stage::Reflect | Stage::Converse => return None,
        };
        let other = good.pointer(place)?.as_str()?;
        let other = if stage == Stage::Reason { other.to_lowercase() } else { other.to_uppercase() };
        used(with(good, place, json!(other)).to_string(), Some("an enum value in another letter case"))
    }]);
}

#[test]
fn row_16_what_isn_t_json_is_refused_by_name() {
    hold(&[
        |stage, good| {
            let key = first(stage);
            let text = with_reasons(stage, &good, &format!("\"zebra\",\"{key}\":\"zebra\""));
            reasked(text, format!("$.{key}: the same key occurs twice in one object"))
        },
        |stage, good| in_reasons(stage, &good, "NaN", "NaN and infinities aren't JSON"),
        |stage, good| {
            let key = format!("\"{}\":", first(stage));
            let text = good.to_string().replacen(&key, &format!("/* zebra */ {key}"), 1);
            reasked(text, "$: comments aren't JSON")
        },
        |_, good| reasked(format!("\u{feff}{good}"), "$: a byte order mark isn't JSON"),
        |stage, good| {
            in_reasons(stage, &good, r#""zebra \ud83d""#, "an escape names half of a surrogate pair")
        },
        |stage, good| in_reasons(stage, &good, r#""zebra \u0000""#, "a NUL character isn't accepted"),
        |stage, good| in_reasons(stage, &good, "\"zebra \u{1b}[1m\"", "a raw control character in a string"),
    ]);
}
