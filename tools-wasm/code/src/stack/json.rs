//! JSON with the line of each value; comments and trailing commas do no harm.

use tree_sitter::{Node, Parser};

/// Deeper values are left out.
const DEEPEST: usize = 40;

/// A value and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Json {
    pub(super) line: u32,
    pub(super) value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    /// A number, true, false or null, as written.
    Plain(String),
    List(Vec<Json>),
    /// With the line of each key.
    Object(Vec<(String, u32, Json)>),
}

impl Json {
    /// Reads a document: what can be understood of it, and what is wrong with it.
    pub(super) fn read(text: &str) -> (Self, Option<String>) {
        let nothing = Self { line: 1, value: Value::Object(Vec::new()) };
        let mut parser = Parser::new();
        let set = parser.set_language(&tree_sitter_json::LANGUAGE.into());
        let Some(tree) = set.ok().and_then(|()| parser.parse(text, None)) else {
            return (nothing, Some("it is no JSON".to_owned()));
        };
        let root = tree.root_node();
        let first = root.named_children(&mut root.walk()).find(|node| node.kind() != "comment");
        let found = first.filter(|first| first.kind() == "object").and_then(|first| value(first, text, 0));
        match found {
            Some(found) => (found, broken(root, text).map(|line| format!("line {line} is no JSON"))),
            None => (nothing, Some("it is no JSON object".to_owned())),
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.fields().find(|(name, ..)| name == key).map(|(_, _, value)| value)
    }

    /// A field's key line and value.
    pub(super) fn field(&self, key: &str) -> Option<(u32, &Self)> {
        self.fields().find(|(name, ..)| name == key).map(|(_, line, value)| (*line, value))
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::Plain(_) | Value::List(_) | Value::Object(_) => None,
        }
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = &(String, u32, Self)> {
        match &self.value {
            Value::Object(fields) => fields.iter(),
            Value::Text(_) | Value::Plain(_) | Value::List(_) => [].iter(),
        }
    }
}

/// The first line that isn't understood. A comma too many does no harm.
fn broken(root: Node<'_>, text: &str) -> Option<usize> {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        let is_comma = text.get(node.byte_range()) == Some(",");
        if node.is_missing() || (node.is_error() && !is_comma) {
            return Some(node.start_position().row + 1);
        }
        let from = open.len();
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor).filter(|child| child.has_error() || child.is_missing()));
        open.get_mut(from..).unwrap_or_default().reverse();
    }
    None
}

fn value(node: Node<'_>, text: &str, depth: usize) -> Option<Json> {
    if depth > DEEPEST {
        return None;
    }
    let line = u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX);
    let source = text.get(node.byte_range()).unwrap_or_default();
    let value = match node.kind() {
        "string" => Value::Text(unescaped(source)),
        "array" => {
            let items = node
                .named_children(&mut node.walk())
                .filter_map(|item| value(item, text, depth + 1))
                .collect();
            Value::List(items)
        }
        "object" => {
            let mut fields = Vec::new();
            for pair in node.named_children(&mut node.walk()).filter(|pair| pair.kind() == "pair") {
                let (Some(key), Some(inner)) =
                    (pair.child_by_field_name("key"), pair.child_by_field_name("value"))
                else {
                    continue;
                };
                let at = u32::try_from(key.start_position().row + 1).unwrap_or(u32::MAX);
                if let Some(inner) = value(inner, text, depth + 1) {
                    fields.push((unescaped(text.get(key.byte_range()).unwrap_or_default()), at, inner));
                }
            }
            Value::Object(fields)
        }
        "number" | "true" | "false" | "null" => Value::Plain(source.to_owned()),
        _ => return None,
    };
    Some(Json { line, value })
}

fn unescaped(source: &str) -> String {
    serde_json::from_str(source).unwrap_or_else(|_| source.trim_matches('"').to_owned())
}
