//! PHP.

use super::{Rules, head_end, parameters};
use crate::collect::{Found, name};
use crate::complexity::Branches;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use std::collections::HashSet;
use tree_sitter::Node;

#[derive(Default)]
pub(crate) struct Php {
    /// Variables so far: the first assignment defines them.
    known: HashSet<String>,
}

impl Rules for Php {
    fn is_doc(&self, comment: &str) -> bool {
        comment.starts_with("/**")
    }

    fn branches(&self) -> &'static Branches {
        const PHP: Branches = Branches {
            deeper: &[
                "if_statement",
                "for_statement",
                "foreach_statement",
                "while_statement",
                "do_statement",
                "catch_clause",
            ],
            holders: &["switch_statement", "match_expression"],
            cases: &["case_statement", "match_conditional_expression"],
            beside: &["else_if_clause", "conditional_expression"],
            guarded: &[],
            logical: &["binary_expression"],
        };
        &PHP
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        let (kind, opens) = match node.kind() {
            "namespace_definition" => {
                let own = cx.field(node, "name");
                if found.package.is_none() && !own.is_empty() {
                    found.package = Some(name(own));
                }
                if node.child_by_field_name("body").is_none() || own.is_empty() {
                    return None;
                }
                (SymbolKind::Module, ScopeKind::Module)
            }
            "class_declaration" => (SymbolKind::Class, ScopeKind::Type),
            "interface_declaration" => (SymbolKind::Interface, ScopeKind::OpenType),
            "trait_declaration" => (SymbolKind::Trait, ScopeKind::Type),
            "enum_declaration" => (SymbolKind::Enum, ScopeKind::Type),
            "function_definition" => (SymbolKind::Function, ScopeKind::Function),
            "method_declaration" => (SymbolKind::Method, ScopeKind::Function),
            "anonymous_class" => return Scope::new(ScopeKind::Type, "class"),
            "const_declaration" => {
                constants(node, cx, found);
                return None;
            }
            "property_declaration" => {
                property(node, cx, found);
                return None;
            }
            "namespace_use_declaration" => {
                uses(node, cx, found);
                return None;
            }
            "include_expression"
            | "include_once_expression"
            | "require_expression"
            | "require_once_expression" => {
                if let Some(path) = node.named_child(0).and_then(|path| path_of(path, cx)) {
                    found.import(ImportKind::Include, path, [], node.start_position().row);
                }
                return None;
            }
            "function_call_expression" if matches!(cx.field(node, "function"), "define" | "\\define") => {
                let list = node.child_by_field_name("arguments")?;
                let first = list.named_child(0)?.named_child(0)?;
                let own = cx.of(first).trim_matches(['"', '\'']);
                if matches!(first.kind(), "string" | "encapsed_string") && !cx.in_function() {
                    let exported = true;
                    cx.define(
                        found,
                        Definition { exported, ..Definition::of(SymbolKind::Constant, own, node) },
                    );
                }
                return None;
            }
            "assignment_expression" if is_at_top(cx) => {
                let left = node.child_by_field_name("left").filter(|left| left.kind() == "variable_name")?;
                let own = cx.of(left).trim_start_matches('$');
                if self.known.insert(name(own)) {
                    cx.define(found, Definition::of(SymbolKind::Variable, own, node));
                }
                return None;
            }
            _ => return None,
        };
        let own = cx.field(node, "name");
        let is_function = matches!(kind, SymbolKind::Method | SymbolKind::Function);
        cx.define(
            found,
            Definition {
                from: after_attributes(node),
                head_end: head_end(node),
                exported: !cx.in_function() && (kind != SymbolKind::Method || is_public(node, cx)),
                parameters: parameters(node, |_| false).filter(|_| is_function),
                ..Definition::of(kind, own, node)
            },
        );
        Scope::new(opens, own)
    }
}

/// Whether an assignment is a statement of the file's own.
fn is_at_top(cx: &Cx<'_, '_>) -> bool {
    cx.at_top()
        && cx.parent_kind() == "expression_statement"
        && cx.ancestor(1).is_some_and(|node| match node.kind() {
            "program" => true,
            "compound_statement" => cx.ancestor(2).is_some_and(|node| node.kind() == "namespace_definition"),
            _ => false,
        })
}

fn is_public(member: Node<'_>, cx: &Cx<'_, '_>) -> bool {
    let mut cursor = member.walk();
    !member
        .named_children(&mut cursor)
        .any(|child| child.kind() == "visibility_modifier" && matches!(cx.of(child), "private" | "protected"))
}

/// `const A = 1, B = 2;`, of a namespace or a class.
fn constants<'t>(node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) {
    let mut cursor = node.walk();
    for element in node.named_children(&mut cursor).filter(|child| child.kind() == "const_element") {
        let own = element.named_child(0).map_or("", |own| cx.of(own));
        let (from, exported) = (after_attributes(node), is_public(node, cx));
        cx.define(found, Definition { from, exported, ..Definition::of(SymbolKind::Constant, own, node) });
    }
}

/// A property with hooks; one without is a plain field.
fn property<'t>(node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) {
    let mut cursor = node.walk();
    let children: Vec<_> = node.named_children(&mut cursor).collect();
    let Some(hooks) = children.iter().find(|child| child.kind() == "property_hook_list") else { return };
    for element in children.iter().filter(|child| child.kind() == "property_element") {
        let own = cx.field(*element, "name").trim_start_matches('$');
        let (from, exported, head_end) = (after_attributes(node), is_public(node, cx), hooks.start_byte());
        let of = Definition::of(SymbolKind::Property, own, node);
        cx.define(found, Definition { from, exported, head_end, ..of });
    }
}

/// `use A\B;`, `use A\B as C, D;`, `use A\{B, C};`.
fn uses(node: Node<'_>, cx: &Cx<'_, '_>, found: &mut Found) {
    let row = node.start_position().row;
    let mut cursor = node.walk();
    let children: Vec<_> = node.named_children(&mut cursor).collect();
    if let Some(group) = node.child_by_field_name("body") {
        let base =
            children.iter().find(|child| child.kind() == "namespace_name").map_or("", |base| cx.of(*base));
        let mut cursor = group.walk();
        let names: Vec<_> = group.named_children(&mut cursor).filter(|one| !one.is_extra()).collect();
        found.import(ImportKind::Import, base, names.iter().map(|name| cx.of(*name)), row);
        return;
    }
    for clause in children.iter().filter(|child| child.kind() == "namespace_use_clause") {
        let mut cursor = clause.walk();
        let named = clause
            .named_children(&mut cursor)
            .find(|child| matches!(child.kind(), "name" | "qualified_name"));
        if let Some(named) = named {
            found.import(ImportKind::Import, cx.of(named), [], row);
        }
    }
}

/// A path that is written out; what stands before it (`__DIR__ .`) is left out.
fn path_of<'a>(mut node: Node<'_>, cx: &'a Cx<'_, '_>) -> Option<&'a str> {
    loop {
        node = match node.kind() {
            "parenthesized_expression" => node.named_child(0)?,
            "binary_expression" => node.child_by_field_name("right")?,
            "string" | "encapsed_string" => return Some(cx.of(node).trim_matches(['"', '\''])),
            _ => return None,
        };
    }
}

fn after_attributes(node: Node<'_>) -> usize {
    let mut cursor = node.walk();
    let first =
        node.children(&mut cursor).find(|child| child.kind() != "attribute_list" && !child.is_extra());
    first.map_or(node.start_byte(), |child| child.start_byte())
}
