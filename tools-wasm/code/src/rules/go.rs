//! Go.

use super::{Rules, head_end};
use crate::collect::{Found, name};
use crate::complexity::Branches;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use tree_sitter::Node;

pub(crate) struct Go;

impl Rules for Go {
    fn is_doc(&self, comment: &str) -> bool {
        // Directives such as `//go:build` stand among doc comments.
        !comment.starts_with("//go:") && !comment.starts_with("// +build")
    }

    fn branches(&self) -> &'static Branches {
        const GO: Branches = Branches {
            deeper: &["if_statement", "for_statement"],
            holders: &["expression_switch_statement", "type_switch_statement", "select_statement"],
            cases: &["expression_case", "type_case", "communication_case"],
            beside: &[],
            guarded: &[],
            logical: &["binary_expression"],
        };
        &GO
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
            "var_spec" | "const_spec" if cx.at_top() => values(node, cx, found),
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
    let outer = outer(node, cx);
    let own = cx.field(node, "name");
    let parameters = count(node);
    let scope_name = owner.as_ref().map_or_else(|| own.to_owned(), |owner| format!("{owner}.{own}"));
    cx.define(
        found,
        Definition {
            kind,
            name: own,
            from: outer.start_byte(),
            head_end,
            exported: is_capital(own) && !cx.in_function(),
            owner,
            outer,
            parameters,
            ..Definition::of(kind, own, node)
        },
    );
    let opens = match kind {
        SymbolKind::Function | SymbolKind::Method => ScopeKind::Function,
        _ => ScopeKind::Type,
    };
    Scope::new(opens, &scope_name)
}

/// What keyword and comment stand before: in a lone `type X struct` the whole declaration.
fn outer<'t>(node: Node<'t>, cx: &Cx<'_, 't>) -> Node<'t> {
    let is_lone = |list: &Node<'_>| {
        let mut cursor = list.walk();
        list.kind().ends_with("_declaration")
            && list.named_children(&mut cursor).filter(|child| !child.is_extra()).count() == 1
            && list.child(1).is_some_and(|child| child.is_named())
    };
    cx.ancestor(0).filter(is_lone).unwrap_or(node)
}

/// The names of a `const` or `var`; a function that is a variable's only value is a function.
fn values<'t>(node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
    let only = node.child_by_field_name("value").filter(|list| list.named_child_count() == 1);
    if let Some(value) =
        only.and_then(|list| list.named_child(0)).filter(|value| value.kind() == "func_literal")
    {
        let own = cx.field(node, "name");
        let (outer, parameters) = (outer(node, cx), count(value));
        let function = Definition {
            from: outer.start_byte(),
            head_end: head_end(value),
            exported: is_capital(own),
            outer,
            parameters,
            ..Definition::of(SymbolKind::Function, own, node)
        };
        cx.define(found, function);
        return Scope::new(ScopeKind::Function, own);
    }
    let kind = if node.kind() == "const_spec" { SymbolKind::Constant } else { SymbolKind::Variable };
    let outer = outer(node, cx);
    let mut cursor = node.walk();
    for own in node.children_by_field_name("name", &mut cursor).filter(|own| own.kind() == "identifier") {
        let own = cx.of(own);
        if own != "_" {
            let from = outer.start_byte();
            let exported = is_capital(own);
            cx.define(found, Definition { from, exported, outer, ..Definition::of(kind, own, node) });
        }
    }
    None
}

fn is_capital(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// How many parameters a function with a body takes: `a, b int` are two.
fn count(function: Node<'_>) -> Option<u32> {
    function.child_by_field_name("body")?;
    let list = function.child_by_field_name("parameters")?;
    let mut cursor = list.walk();
    let names = |one: Node<'_>| one.children_by_field_name("name", &mut one.walk()).count().max(1);
    let taken: usize = list.named_children(&mut cursor).filter(|one| !one.is_extra()).map(names).sum();
    Some(u32::try_from(taken).unwrap_or(u32::MAX))
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
