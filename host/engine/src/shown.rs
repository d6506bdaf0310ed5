//! Which lines of a file a tool's result shows: what a claim about lines is held against.
//!
//! Knows the shape that results share, whichever tool they come from: an object whose `path` is the
//! file, with `line`, or `first_line` and `last_line`, or how many lines there are in all. Doesn't own:
//! what becomes of a claim that doesn't hold (`claims`).

use serde_json::{Map, Value};

/// How far a claim may lie from the line that a result names: what it is about begins above or below.
const NEAR: u32 = 10;

/// What a result says of a file's lines.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// How many lines the file has.
    total: Option<u32>,
    /// Ranges that are named.
    places: Vec<(u32, u32)>,
}

impl Shown {
    /// What `value` says of the lines of `file`.
    pub(crate) fn of(value: &Value, file: &str) -> Self {
        let mut shown = Self::default();
        shown.look(value, &|path| path == file);
        shown
    }

    /// Why these lines can't be meant; none where nothing speaks against them.
    pub(crate) fn contradicts(&self, (first, last): (u32, u32)) -> Option<String> {
        if let Some(total) = self.total {
            return (last > total).then(|| format!("line {last} of a file that has {total}"));
        }
        let near = |place: &(u32, u32)| {
            place.0.saturating_sub(NEAR) <= last && first <= place.1.saturating_add(NEAR)
        };
        let far = !self.places.is_empty() && !self.places.iter().any(near);
        far.then(|| format!("lines {first} to {last}, which the result doesn't show"))
    }

    fn look(&mut self, value: &Value, is_file: &dyn Fn(&str) -> bool) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.look(item, is_file)),
            Value::Object(fields) => {
                let path = fields.get("path").and_then(Value::as_str);
                if path.is_some_and(|path| is_file(path.trim_start_matches("./"))) {
                    self.take(fields);
                }
                fields.values().for_each(|item| self.look(item, is_file));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn take(&mut self, fields: &Map<String, Value>) {
        let counted = fields.get("counts").and_then(|counts| counts.get("lines"));
        if let Some(total) = fields.get("total_lines").or(counted).and_then(number) {
            self.total = self.total.max(Some(total));
        }
        let field = |name: &str| fields.get(name).and_then(number);
        let first = field("first_line").or_else(|| field("line"));
        if let Some(first) = first {
            self.places.push((first, field("last_line").unwrap_or(first)));
        }
    }
}

fn number(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_beyond_a_file_s_end_are_contradicted_where_its_length_is_known() {
        let read = json!({"path": "./a.py", "first_line": 1, "last_line": 20, "total_lines": 20});
        let shown = Shown::of(&read, "a.py");
        assert_eq!(shown.contradicts((15, 20)), None);
        assert_eq!(shown.contradicts((15, 21)).as_deref(), Some("line 21 of a file that has 20"));
        let analysis = json!({"path": "a.py", "counts": {"lines": 7}, "outline": [{"first_line": 1}]});
        assert!(Shown::of(&analysis, "a.py").contradicts((8, 8)).is_some());
    }

    #[test]
    fn lines_far_from_every_place_that_a_search_shows_are_contradicted() {
        let found = json!({"found": [{"path": "a.py", "first_line": 40, "last_line": 42}, {"path": "b.py", "line": 90}]});
        let shown = Shown::of(&found, "a.py");
        assert_eq!(shown.contradicts((33, 33)), None);
        assert_eq!(shown.contradicts((1, 200)), None);
        assert!(shown.contradicts((90, 90)).is_some());
    }

    #[test]
    fn a_result_that_names_no_lines_contradicts_none() {
        assert_eq!(Shown::of(&json!({"entries": [{"path": "a.py"}]}), "a.py").contradicts((9, 9)), None);
    }
}
