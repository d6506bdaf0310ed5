//! Cutting a result that is too long, so that what is left is still valid and says so.
//!
//! What a cut leaves:
//! - of a string its beginning, then `…[cut: 1000 of 52000 bytes]`;
//! - of a list its first items, then one string `…[cut: 20 of 900 items]`;
//! - of an object all fields, the long ones cut, sharing the room that the short ones leave; where
//!   not even the names fit, the first fields and a field `…` with `[cut: 20 of 900 fields]`;
//! - numbers, booleans and null as they are;
//! - where nothing of this fits, one string in place of the whole: `…[cut: 0 of 52000 bytes]`.

use serde_json::{Map, Value};
use std::io::Write;

/// Room that is set aside for a mark, with its quotes and comma.
const MARK: usize = 64;

/// How many bytes this is as JSON.
pub(crate) fn json_len(value: &Value) -> usize {
    struct Counter(usize);
    impl Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}

/// Cuts `value` to at most `limit` bytes of JSON (or to a bare mark, where the limit is shorter
/// than that). Says how long it was, and whether anything was cut.
pub(crate) fn cut_to(value: Value, limit: u64) -> (Value, u64, bool) {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let len = json_len(&value);
    if len <= limit {
        return (value, len as u64, false);
    }
    let cut = fit(value, len, limit);
    let cut = if json_len(&cut) <= limit { cut } else { Value::String(mark(0, len, "bytes")) };
    (cut, len as u64, true)
}

fn mark(kept: usize, of: usize, what: &str) -> String {
    format!("…[cut: {kept} of {of} {what}]")
}

/// `len` is the length of `value` as JSON.
fn fit(value: Value, len: usize, room: usize) -> Value {
    if len <= room {
        return value;
    }
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
        Value::String(text) => Value::String(fit_string(text, room)),
        Value::Array(items) => Value::Array(fit_list(items, room)),
        Value::Object(fields) => Value::Object(fit_object(fields, room)),
    }
}

fn fit_string(mut text: String, room: usize) -> String {
    let mut left = room.saturating_sub(MARK);
    let end = text.char_indices().find_map(|(at, char)| {
        let needs = escaped_len(char);
        match left.checked_sub(needs) {
            Some(rest) => {
                left = rest;
                None
            }
            None => Some(at),
        }
    });
    let of = text.len();
    let kept = end.unwrap_or(of);
    text.truncate(kept);
    text.push_str(&mark(kept, of, "bytes"));
    text
}

fn escaped_len(char: char) -> usize {
    match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        other => other.len_utf8(),
    }
}

fn fit_list(items: Vec<Value>, room: usize) -> Vec<Value> {
    let of = items.len();
    let mut left = room.saturating_sub(MARK + 2);
    let mut kept: Vec<Value> = Vec::new();
    for item in items {
        let len = json_len(&item);
        match left.checked_sub(len + 1) {
            Some(rest) => {
                left = rest;
                kept.push(item);
            }
            None => {
                if kept.is_empty() && left > MARK {
                    kept.push(fit(item, len, left - 1));
                }
                break;
            }
        }
    }
    if kept.len() < of {
        kept.push(Value::String(mark(kept.len(), of, "items")));
    }
    kept
}

fn fit_object(fields: Map<String, Value>, room: usize) -> Map<String, Value> {
    let of = fields.len();
    let mut left = room.saturating_sub(MARK + 2);
    let mut entries = Vec::new();
    for (name, value) in fields {
        // The name in quotes, a colon, a comma.
        let name_len = name.chars().map(escaped_len).sum::<usize>() + 4;
        let Some(rest) = left.checked_sub(name_len) else { break };
        left = rest;
        entries.push((name, json_len(&value), value));
    }
    let kept = entries.len();
    let rooms = shares(entries.iter().map(|(_, len, _)| *len).collect(), left);
    let mut cut: Map<String, Value> = entries
        .into_iter()
        .zip(rooms)
        .map(|((name, len, value), room)| (name, fit(value, len, room)))
        .collect();
    if kept < of {
        cut.insert("…".to_owned(), Value::String(format!("[cut: {kept} of {of} fields]")));
    }
    cut
}

/// Shares `room` so that the short ones get what they need and the long ones equal parts.
fn shares(lens: Vec<usize>, mut room: usize) -> Vec<usize> {
    let mut order: Vec<(usize, usize)> = lens.iter().copied().enumerate().collect();
    order.sort_by_key(|(_, len)| *len);
    let mut shares = vec![0; lens.len()];
    let mut waiting = order.len();
    for (index, len) in order {
        let share = len.min(room / waiting.max(1));
        room -= share;
        waiting -= 1;
        if let Some(slot) = shares.get_mut(index) {
            *slot = share;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_result_that_fits_is_left_alone() {
        let value = json!({"a": [1, 2], "b": "ä\n"});
        let len = json_len(&value) as u64;
        assert_eq!(cut_to(value.clone(), len), (value, len, false));
    }

    #[test]
    fn short_fields_survive_a_long_neighbour() {
        let value = json!({"text": "x".repeat(5000), "lines": 12, "cut": false, "path": "src/a.rs"});
        let (cut, len, was_cut) = cut_to(value, 500);
        assert!(was_cut && len > 5000);
        assert_eq!(cut["lines"], 12);
        assert_eq!(cut["path"], "src/a.rs");
        let text = cut["text"].as_str().unwrap();
        assert!(text.starts_with("xxx") && text.ends_with(" of 5000 bytes]"), "{text}");
        assert!((300..=500).contains(&json_len(&cut)), "{cut}");
    }

    #[test]
    fn a_list_keeps_whole_items_and_counts_the_rest() {
        let value = Value::Array((0..900).map(|n| json!({"line": n, "text": "hello"})).collect());
        let (cut, _, _) = cut_to(value, 1000);
        let items = cut.as_array().unwrap();
        let (last, whole) = items.split_last().unwrap();
        assert_eq!(last.as_str().unwrap(), format!("…[cut: {} of 900 items]", whole.len()));
        assert!(whole.len() > 20 && whole.iter().all(|item| item["text"] == "hello"));
    }

    #[test]
    fn a_limit_too_short_for_anything_leaves_a_mark() {
        let (cut, _, was_cut) = cut_to(json!({"a": "x".repeat(100)}), 3);
        assert!(was_cut);
        assert_eq!(cut, json!("…[cut: 0 of 108 bytes]"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,200}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 12, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
                prop::collection::btree_map(".{0,20}", inner, 0..12)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_cut_never_exceeds_the_limit(value in any_json(), limit in 40_u64..4000) {
            let whole = json_len(&value);
            let (cut, len, was_cut) = cut_to(value.clone(), limit);
            prop_assert_eq!(len, whole as u64);
            prop_assert_eq!(was_cut, whole as u64 > limit);
            prop_assert!(json_len(&cut) as u64 <= limit, "{} > {}", json_len(&cut), limit);
            if !was_cut {
                prop_assert_eq!(cut, value);
            }
        }
    }
}
