//! Python.

use super::{Rules, count_parameters};
use crate::collect::{Found, name};
use crate::comments::first_line;
use crate::complexity::Branches;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use std::collections::HashSet;
use tree_sitter::Node;

/// How many names of an `__all__` are looked at.
const MOST_LISTED: usize = 1000;

#[derive(Default)]
pub(crate) struct Python {
    /// Variables and constants so far, with what they belong to: the first assignment defines them.
    known: HashSet<(Option<String>, String)>,
    /// What `__all__` lists, if the file has one.
    all: Option<Vec<String>>,
}

impl Rules for Python {
    fn is_doc(&self, _comment: &str) -> bool {
        false
    }

    fn branches(&self) -> &'static Branches {
        const PYTHON: Branches = Branches {
            deeper: &[
                "if_statement",
                "for_statement",
                "while_statement",
                "except_clause",
                "except_group_clause",
            ],
            holders: &["match_statement"],
            cases: &["case_clause"],
            beside: &["elif_clause", "conditional_expression", "for_in_clause", "if_clause"],
            guarded: &[],
            logical: &["boolean_operator"],
        };
        &PYTHON
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
                        exported: is_public(name) && !cx.in_function(),
                        ..Definition::of(SymbolKind::TypeAlias, name, node)
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
                // `import a as a` hands it on.
                for (from, to) in names.iter().filter_map(|name| name.split_once(" as ")) {
                    if from.trim() == to.trim() && cx.at_top() {
                        found.export(to.trim());
                    }
                }
                found.import(ImportKind::Import, module, names, node.start_position().row);
            }
            "assignment" if !cx.in_function() => self.assignment(node, cx, found),
            "augmented_assignment" if cx.at_top() && cx.field(node, "left") == "__all__" => {
                self.all.get_or_insert_default().extend(strings(node, cx));
            }
            "call" => dynamic_import(node, cx, found),
            _ => {}
        }
        None
    }

    fn finish(&mut self, found: &mut Found) {
        if let Some(all) = self.all.take() {
            found.forget_exports();
            all.iter().for_each(|name| found.export(name));
        }
    }
}

impl Python {
    /// `a = 1`, `a: int = 1`, `a = b = 1`, `a, b = 1, 2`: variables of a module; with a name in capitals
    /// constants, of a class too.
    fn assignment<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) {
        let Some(left) = node.child_by_field_name("left") else { return };
        let mut names = vec![left];
        if matches!(left.kind(), "pattern_list" | "tuple_pattern" | "list_pattern") {
            names = left.named_children(&mut left.walk()).collect();
        }
        for own in names.into_iter().filter(|name| name.kind() == "identifier") {
            let own = cx.of(own);
            if own == "__all__" && cx.at_top() {
                self.all.get_or_insert_default().extend(strings(node, cx));
            }
            let is_constant = own.chars().any(char::is_uppercase) && !own.chars().any(char::is_lowercase);
            let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Variable };
            let wanted = is_constant || cx.at_top();
            if wanted && self.known.insert((cx.owner(), name(own))) {
                let exported = is_public(own);
                cx.define(found, Definition { exported, ..Definition::of(kind, own, node) });
            }
        }
    }
}

/// The strings in the list on the right of an assignment, or in those that it puts together.
fn strings(assignment: Node<'_>, cx: &Cx<'_, '_>) -> Vec<String> {
    let mut pending: Vec<_> = assignment.child_by_field_name("right").into_iter().collect();
    let mut strings = Vec::new();
    while let Some(node) = pending.pop() {
        match node.kind() {
            "string" => strings.push(name(cx.of(node).trim_matches(['"', '\'']))),
            "list" | "tuple" | "binary_operator" | "parenthesized_expression" | "expression_list" => {
                let mut cursor = node.walk();
                let mut parts: Vec<_> = node.named_children(&mut cursor).collect();
                parts.reverse();
                pending.extend(parts);
            }
            _ => {}
        }
        if strings.len() > MOST_LISTED {
            break;
        }
    }
    strings
}

/// How many parameters a function takes, without the object that a method is called on.
fn parameters(function: Node<'_>, kind: SymbolKind, cx: &Cx<'_, '_>) -> u32 {
    let Some(list) = function.child_by_field_name("parameters") else { return 0 };
    let own = list.named_child(0).filter(|first| {
        kind == SymbolKind::Method && matches!(cx.of(*first), "self" | "cls" | "mcs" | "mcls")
    });
    let is_mark = |one: Node<'_>| matches!(one.kind(), "keyword_separator" | "positional_separator");
    count_parameters(list, |one| is_mark(one) || Some(one) == own)
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
            head_end: head_end.map_or(node.start_byte(), |end| end.end_byte()),
            exported: is_public(name) && !cx.in_function(),
            doc,
            parameters: (opens == ScopeKind::Function).then(|| parameters(node, kind, cx)),
            ..Definition::of(kind, name, node)
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
