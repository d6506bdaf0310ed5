//! How rich a schema may be on the Messages API.
//!
//! Owns: the numbers and the counting. Doesn't own: what is done about an excess.

use serde_json::{Map, Value};

/// Parts of one schema that are translated; more is refused before it is sent.
pub(crate) const MAX_NODES: usize = 4_000;

/// Tools whose arguments are held to their schemas.
pub(super) const MAX_STRICT_TOOLS: usize = 20;

const MAX_OPTIONAL: usize = 24;
const MAX_UNIONS: usize = 16;

/// A schema that is too rich.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Excess {
    /// What is over which limit, with the names of fields.
    pub(super) why: String,
    /// The part below the root that counts most and could be sent as text.
    pub(super) largest: Option<String>,
}

#[derive(Default)]
struct Count {
    optional: Vec<String>,
    unions: Vec<String>,
    parts: Vec<(usize, String)>,
}

/// What a translated schema has too much of, if anything; `subject` begins the complaint.
pub(super) fn excess(schema: &Value, subject: &str) -> Option<Excess> {
    let mut count = Count::default();
    count.walk(schema, "");
    let why = if count.optional.len() > MAX_OPTIONAL {
        too_many(subject, "optional properties", MAX_OPTIONAL, &count.optional)
    } else if count.unions.len() > MAX_UNIONS {
        too_many(subject, "properties of more than one type", MAX_UNIONS, &count.unions)
    } else {
        return None;
    };
    let largest = count.parts.into_iter().max_by_key(|(size, _)| *size).map(|(_, path)| path);
    Some(Excess { why, largest })
}

fn too_many(subject: &str, what: &str, limit: usize, names: &[String]) -> String {
    let shown: Vec<_> = names.iter().take(5).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    format!(
        "{subject} {} {what} and the provider takes {limit} ({}{more}); \
         make some of them required or offer fewer tools",
        names.len(),
        shown.join(", "),
    )
}

impl Count {
    fn walk(&mut self, schema: &Value, path: &str) {
        let Value::Object(node) = schema else { return };
        let before = self.optional.len() + self.unions.len();
        let branches = node.get("anyOf").and_then(Value::as_array);
        if branches.is_some() || node.get("type").is_some_and(Value::is_array) {
            self.unions.push(path.to_owned());
        }
        for branch in branches.into_iter().flatten() {
            // A branch has its parent's path: only the whole can be sent as text.
            let parts = self.parts.len();
            self.walk(branch, path);
            self.parts.truncate(parts);
        }
        if let Some(items) = node.get("items") {
            self.walk(items, &format!("{path}[]"));
        }
        self.properties(node, path);
        let structured = branches.is_some() || node.contains_key("properties");
        let size = self.optional.len() + self.unions.len() - before;
        if structured && size > 0 && !path.is_empty() {
            self.parts.push((size, path.to_owned()));
        }
    }

    fn properties(&mut self, node: &Map<String, Value>, path: &str) {
        let required: Vec<_> = node
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, property) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let path = join(path, name);
            if !required.contains(&name.as_str()) {
                self.optional.push(path.clone());
            }
            self.walk(property, &path);
        }
    }
}

/// The path of a property: names with dots, items as `[]`, the root empty.
pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
