//! Where two JSON values differ first.

use serde_json::Value;

/// A place in both values, and what stands there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Difference<'v> {
    /// The place: `$` is the whole value, then `.field` and `[index]`.
    pub(super) path: String,
    /// What was recorded; none where nothing stood.
    pub(super) recorded: Option<&'v Value>,
    /// What stands there now.
    pub(super) now: Option<&'v Value>,
}

/// The first difference in the order of the recorded value; none if they are equal.
pub(super) fn first<'v>(recorded: &'v Value, now: &'v Value) -> Option<Difference<'v>> {
    let mut path = String::from("$");
    let (recorded, now) = descend(Some(recorded), Some(now), &mut path)?;
    Some(Difference { path, recorded, now })
}

type Pair<'v> = (Option<&'v Value>, Option<&'v Value>);

/// Goes down to the first difference and leaves its path; the path is as it was if there is none.
fn descend<'v>(recorded: Option<&'v Value>, now: Option<&'v Value>, path: &mut String) -> Option<Pair<'v>> {
    if recorded == now {
        return None;
    }
    let length = path.len();
    match (recorded, now) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                path.push_str(&step(key));
                if let Some(found) = descend(old.get(key), new.get(key), path) {
                    return Some(found);
                }
                path.truncate(length);
            }
            None
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            for place in 0..old.len().max(new.len()) {
                path.push_str(&format!("[{place}]"));
                if let Some(found) = descend(old.get(place), new.get(place), path) {
                    return Some(found);
                }
                path.truncate(length);
            }
            None
        }
        differing => Some(differing),
    }
}

/// `.name`, or `["any name"]`.
fn step(key: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match !key.is_empty() && key.bytes().all(plain) {
        true => format!(".{key}"),
        false => format!("[{}]", Value::from(key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(recorded: Value, now: Value) -> Option<(String, Option<Value>, Option<Value>)> {
        let found = first(&recorded, &now)?;
        Some((found.path, found.recorded.cloned(), found.now.cloned()))
    }

    #[test]
    fn equal_values_have_no_difference() {
        assert_eq!(at(json!({"a": [1, {"b": null}]}), json!({"a": [1, {"b": null}]})), None);
    }

    #[test]
    fn the_deepest_place_of_the_first_difference_is_named() {
        let found = at(json!({"a": [1, {"b": "x"}], "c": 1}), json!({"a": [1, {"b": "y"}], "c": 2}));
        assert_eq!(found, Some(("$.a[1].b".to_owned(), Some(json!("x")), Some(json!("y")))));
    }

    #[test]
    fn what_is_missing_or_new_is_told_apart_from_null() {
        assert_eq!(at(json!([1, null]), json!([1])), Some(("$[1]".to_owned(), Some(Value::Null), None)));
        assert_eq!(at(json!({}), json!({"n": 1})), Some(("$.n".to_owned(), None, Some(json!(1)))));
        assert_eq!(at(json!(1), json!([1])), Some(("$".to_owned(), Some(json!(1)), Some(json!([1])))));
    }

    #[test]
    fn a_name_that_is_no_word_is_quoted() {
        let found = at(json!({"a b\n": 1}), json!({"a b\n": 2}));
        assert_eq!(found.unwrap().0, r#"$["a b\n"]"#);
    }
}
