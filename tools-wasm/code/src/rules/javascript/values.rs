//! Variables and constants of modules, constants of classes, and the parameters of functions.

use super::{after_decorators, is_exported, is_private};
use crate::collect::Found;
use crate::model::SymbolKind;
use crate::rules::count_parameters;
use crate::scan::{Cx, Definition, Scope};
use tree_sitter::Node;

/// What may stand between the file and a variable of its own.
const AROUND: [&str; 6] = [
    "lexical_declaration",
    "variable_declaration",
    "export_statement",
    "ambient_declaration",
    "statement_block",
    "internal_module",
];

/// The names that a declarator at the top of a file or namespace gives to values; what is required
/// or imported is no value of the file's own.
pub(super) fn variables<'t>(node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) {
    if !is_at_top(cx) || node.child_by_field_name("value").is_some_and(|value| is_required(value, cx)) {
        return;
    }
    let Some(declaration) = cx.ancestor(0) else { return };
    let is_const = declaration.child(0).is_some_and(|word| word.kind() == "const");
    let kind = if is_const { SymbolKind::Constant } else { SymbolKind::Variable };
    let is_first = declaration.named_child(0) == Some(node);
    let from = if is_first { declaration.start_byte() } else { node.start_byte() };
    let outer = cx.outermost(node, &AROUND);
    let mut pending: Vec<_> = node.child_by_field_name("name").into_iter().collect();
    while let Some(pattern) = pending.pop() {
        match pattern.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                let exported = is_exported(cx);
                let own = cx.of(pattern);
                cx.define(found, Definition { from, exported, outer, ..Definition::of(kind, own, node) });
            }
            "object_pattern" | "array_pattern" | "rest_pattern" => {
                let mut cursor = pattern.walk();
                let mut parts: Vec<_> = pattern.named_children(&mut cursor).collect();
                parts.reverse();
                pending.extend(parts);
            }
            "pair_pattern" => pending.extend(pattern.child_by_field_name("value")),
            "assignment_pattern" | "object_assignment_pattern" => {
                pending.extend(pattern.child_by_field_name("left"));
            }
            _ => {}
        }
    }
}

/// Whether what the node declares belongs to the file, or to a namespace of it.
fn is_at_top(cx: &Cx<'_, '_>) -> bool {
    if !cx.at_top() {
        return false;
    }
    let mut around = (0..).map_while(|nth| cx.ancestor(nth)).skip_while(|node| {
        matches!(
            node.kind(),
            "lexical_declaration" | "variable_declaration" | "export_statement" | "ambient_declaration"
        )
    });
    match around.next().map(|node| node.kind()) {
        Some("program") => true,
        Some("statement_block") => {
            around.next().is_some_and(|node| matches!(node.kind(), "internal_module" | "module"))
        }
        _ => false,
    }
}

/// `require("x")`, `require("x").y`, `await import("x")`.
fn is_required(mut value: Node<'_>, cx: &Cx<'_, '_>) -> bool {
    loop {
        let inner = match value.kind() {
            "call_expression" => {
                let Some(function) = value.child_by_field_name("function") else { return false };
                if function.kind() == "import" || cx.of(function) == "require" {
                    return true;
                }
                Some(function)
            }
            "member_expression" => value.child_by_field_name("object"),
            "await_expression" | "parenthesized_expression" => value.named_child(0),
            _ => None,
        };
        match inner {
            Some(inner) => value = inner,
            None => return false,
        }
    }
}

/// `static readonly a = 1` and `static LIMIT = 1` are constants of a class.
pub(super) fn constant<'t>(node: Node<'t>, field: &str, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
    let own = cx.field(node, field);
    let mut cursor = node.walk();
    let mut words = node.children(&mut cursor).map(|child| child.kind());
    let (mut is_static, mut is_readonly) = (false, false);
    words.by_ref().for_each(|word| {
        is_static |= word == "static";
        is_readonly |= word == "readonly";
    });
    let in_capitals = own.chars().any(char::is_uppercase) && !own.chars().any(char::is_lowercase);
    if is_static && (is_readonly || in_capitals) && cx.in_type() {
        let exported = !is_private(node, own, cx);
        let from = after_decorators(node);
        cx.define(found, Definition { from, exported, ..Definition::of(SymbolKind::Constant, own, node) });
    }
    None
}

/// How many parameters a function with a body takes; `this` with its type is none.
pub(super) fn parameters(function: Node<'_>, cx: &Cx<'_, '_>) -> Option<u32> {
    function.child_by_field_name("body")?;
    if function.child_by_field_name("parameter").is_some() {
        return Some(1);
    }
    let list = function.child_by_field_name("parameters")?;
    Some(count_parameters(list, |one| cx.field(one, "pattern") == "this"))
}
