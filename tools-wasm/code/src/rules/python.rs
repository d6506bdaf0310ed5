//! Python.

use super::Rules;
use crate::collect::Found;
use crate::comments::first_line;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use tree_sitter::Node;

pub(crate) struct Python;

impl Rules for Python {
    fn is_doc(&self, _comment: &str) -> bool {
        false
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        match node.kind() {
            "module" => {
                docstring(node, cx, found);
            }
            "function_definition" => {
                let kind = if cx.in_type() { SymbolKind::Method } else { SymbolKind::Function };
                let end =
                    ["return_type", "parameters"].iter().find_map(|field| node.child_by_field_name(field));
                return define(node, kind, end, ScopeKind::Function, cx, found);
            }
            "class_definition" => {
                let fields = ["superclasses", "type_parameters", "name"];
                let end = fields.iter().find_map(|field| node.child_by_field_name(field));
                return define(node, SymbolKind::Class, end, ScopeKind::Type, cx, found);
            }
            "type_alias_statement" => {
                let name = cx.field(node, "left");
                cx.define(
                    found,
                    Definition {
                        kind: SymbolKind::TypeAlias,
                        name,
                        from: node.start_byte(),
                        node,
                        head_end: node.end_byte(),
                        exported: is_public(name) && !cx.in_function(),
                        owner: None,
                        doc: None,
                        outer: node,
                    },
                );
            }
            "import_statement" => {
                for name in node.children_by_field_name("name", &mut node.walk()) {
                    let module = name.child_by_field_name("name").unwrap_or(name);
                    found.import(ImportKind::Import, cx.of(module), [], name.start_position().row);
                }
            }
            "import_from_statement" | "future_import_statement" => {
                let module = match node.child_by_field_name("module_name") {
                    Some(module) => cx.of(module),
                    None => "__future__",
                };
                let mut cursor = node.walk();
                let mut names: Vec<_> =
                    node.children_by_field_name("name", &mut cursor).map(|name| cx.of(name)).collect();
                if names.is_empty() && has_child(node, "wildcard_import") {
                    names.push("*");
                }
                found.import(ImportKind::Import, module, names, node.start_position().row);
            }
            "call" => dynamic_import(node, cx, found),
            _ => {}
        }
        None
    }
}

fn define<'t>(
    node: Node<'t>,
    kind: SymbolKind,
    head_end: Option<Node<'t>>,
    opens: ScopeKind,
    cx: &Cx<'_, 't>,
    found: &mut Found,
) -> Option<Scope> {
    let name = cx.field(node, "name");
    let doc = node.child_by_field_name("body").and_then(|body| docstring(body, cx, found));
    cx.define(
        found,
        Definition {
            kind,
            name,
            from: node.start_byte(),
            node,
            head_end: head_end.map_or(node.start_byte(), |end| end.end_byte()),
            exported: is_public(name) && !cx.in_function(),
            owner: None,
            doc,
            outer: node,
        },
    );
    Scope::new(opens, name)
}

/// Counts the docstring of a body as a comment; returns its first line.
fn docstring(body: Node<'_>, cx: &Cx<'_, '_>, found: &mut Found) -> Option<String> {
    let mut cursor = body.walk();
    let first = body.named_children(&mut cursor).find(|child| child.kind() != "comment")?;
    let string = (first.kind() == "expression_statement").then(|| first.named_child(0)).flatten()?;
    if string.kind() != "string" {
        return None;
    }
    found.comments.push(string.byte_range());
    let text = cx.of(string).trim_start_matches(|c: char| c.is_ascii_alphabetic());
    first_line(text.trim_matches(['"', '\'']))
}

/// `__import__("x")` and `import_module("x")`.
fn dynamic_import(node: Node<'_>, cx: &Cx<'_, '_>, found: &mut Found) {
    let function = cx.field(node, "function");
    if function != "__import__" && function != "import_module" && !function.ends_with(".import_module") {
        return;
    }
    let argument = node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
    if let Some(argument) = argument.filter(|argument| argument.kind() == "string") {
        let module = cx.of(argument).trim_matches(['"', '\'']);
        found.import(ImportKind::Dynamic, module, [], node.start_position().row);
    }
}

fn has_child(node: Node<'_>, kind: &str) -> bool {
    node.named_children(&mut node.walk()).any(|child| child.kind() == kind)
}

/// No leading underscore, unless it is one of Python's own names.
fn is_public(name: &str) -> bool {
    !name.starts_with('_') || (name.starts_with("__") && name.ends_with("__"))
}
