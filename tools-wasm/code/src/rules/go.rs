//! Go.

use super::{Rules, head_end};
use crate::collect::{Found, name};
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use tree_sitter::Node;

pub(crate) struct Go;

impl Rules for Go {
    fn is_doc(&self, comment: &str) -> bool {
        // Directives such as `//go:build` stand among doc comments.
        !comment.starts_with("//go:") && !comment.starts_with("// +build")
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        match node.kind() {
            "package_clause" => {
                found.package = node.named_child(0).map(|package| name(cx.of(package)));
                None
            }
            "import_spec" => {
                let path = cx.field(node, "path").trim_matches(['"', '`']);
                found.import(ImportKind::Import, path, [], node.start_position().row);
                None
            }
            "function_declaration" => define(node, SymbolKind::Function, head_end(node), None, cx, found),
            "method_declaration" => {
                let owner = node.child_by_field_name("receiver").and_then(|list| receiver(list, cx));
                define(node, SymbolKind::Method, head_end(node), owner, cx, found)
            }
            "method_elem" if cx.in_type() => {
                define(node, SymbolKind::Method, node.end_byte(), None, cx, found)
            }
            "type_spec" => {
                let kind = match node.child_by_field_name("type")?.kind() {
                    "struct_type" => SymbolKind::Struct,
                    "interface_type" => SymbolKind::Interface,
                    _ => SymbolKind::TypeAlias,
                };
                define(node, kind, type_head(node), None, cx, found)
            }
            "type_alias" => define(node, SymbolKind::TypeAlias, node.end_byte(), None, cx, found),
            "var_spec" => {
                let value = node.child_by_field_name("value")?.named_child(0)?;
                if value.kind() != "func_literal" || cx.in_function() {
                    return None;
                }
                define(node, SymbolKind::Function, head_end(value), None, cx, found)
            }
            _ => None,
        }
    }
}

fn define<'t>(
    node: Node<'t>,
    kind: SymbolKind,
    head_end: usize,
    owner: Option<String>,
    cx: &Cx<'_, 't>,
    found: &mut Found,
) -> Option<Scope> {
    let own = cx.field(node, "name");
    // In a lone `type X struct`, keyword and comment stand before the specification.
    let outer = match cx.ancestor(0) {
        Some(parent) if parent.named_child_count() == 1 && parent.kind().ends_with("_declaration") => parent,
        _ => node,
    };
    let scope_name = owner.as_ref().map_or_else(|| own.to_owned(), |owner| format!("{owner}.{own}"));
    cx.define(
        found,
        Definition {
            kind,
            name: own,
            from: outer.start_byte(),
            node,
            head_end,
            exported: own.chars().next().is_some_and(char::is_uppercase) && !cx.in_function(),
            owner,
            doc: None,
            outer,
        },
    );
    let opens = match kind {
        SymbolKind::Function | SymbolKind::Method => ScopeKind::Function,
        _ => ScopeKind::Type,
    };
    Scope::new(opens, &scope_name)
}

/// `type Name[T any] struct`, without what is between the braces.
fn type_head(node: Node<'_>) -> usize {
    let Some(kind) = node.child_by_field_name("type") else { return node.end_byte() };
    match kind.kind() {
        "struct_type" => kind.named_child(0).map_or(kind.end_byte(), |fields| fields.start_byte()),
        "interface_type" => kind.start_byte() + "interface".len(),
        _ => kind.end_byte(),
    }
}

/// The type of a receiver, without pointer and type parameters.
fn receiver(list: Node<'_>, cx: &Cx<'_, '_>) -> Option<String> {
    let mut node = list.named_child(0)?.child_by_field_name("type")?;
    loop {
        node = match node.kind() {
            "pointer_type" | "parenthesized_type" => node.named_child(0)?,
            "generic_type" => node.child_by_field_name("type")?,
            _ => return Some(name(cx.of(node))),
        };
    }
}
