//! Ruby.

use super::{Rules, count_parameters};
use crate::collect::{Found, joined};
use crate::complexity::Branches;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use std::collections::HashMap;
use tree_sitter::Node;

#[derive(Default)]
pub(crate) struct Ruby {
    /// Whether `private` or `protected` without arguments was last said in a body, by the body's id.
    hidden: HashMap<usize, bool>,
}

impl Rules for Ruby {
    fn is_doc(&self, comment: &str) -> bool {
        !comment.starts_with("#!") && !comment.starts_with("# frozen_string_literal")
    }

    fn branches(&self) -> &'static Branches {
        const RUBY: Branches = Branches {
            deeper: &["if", "unless", "while", "until", "for", "rescue"],
            holders: &["case", "case_match"],
            cases: &["when", "in_clause"],
            beside: &[
                "elsif",
                "if_modifier",
                "unless_modifier",
                "while_modifier",
                "until_modifier",
                "rescue_modifier",
                "conditional",
            ],
            guarded: &[],
            logical: &["binary"],
        };
        &RUBY
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        match node.kind() {
            "class" | "module" => {
                let kind = if node.kind() == "class" { SymbolKind::Class } else { SymbolKind::Module };
                let (owner, own) = constant(node.child_by_field_name("name")?, cx);
                let end = node.child_by_field_name("superclass").or(node.child_by_field_name("name"))?;
                let scope = joined(owner.as_deref().into_iter().chain([own]))?;
                let owner = within(owner, cx);
                let of = Definition::of(kind, own, node);
                cx.define(found, Definition { exported: true, owner, head_end: end.end_byte(), ..of });
                // What a module holds are methods of those that include it.
                Scope::new(ScopeKind::Type, &scope)
            }
            "method" | "singleton_method" => {
                let own = cx.field(node, "name");
                let list = node.child_by_field_name("parameters");
                let end = list.or(node.child_by_field_name("name"))?.end_byte();
                let is_singleton = node.kind() == "singleton_method";
                let kind =
                    if cx.in_type() || is_singleton { SymbolKind::Method } else { SymbolKind::Function };
                let is_hidden = cx.ancestor(0).is_some_and(|body| self.hidden.contains_key(&body.id()))
                    || is_argument_of_private(cx);
                let object = node.child_by_field_name("object").filter(|object| object.kind() != "self");
                let owner = object.and_then(|object| within(joined([cx.of(object)].into_iter()), cx));
                let of = Definition::of(kind, own, node);
                cx.define(
                    found,
                    Definition {
                        exported: !cx.in_function() && (is_singleton || !is_hidden),
                        head_end: end,
                        owner: owner.filter(|_| !cx.in_type()),
                        outer: cx.outermost(node, &["argument_list", "call"]),
                        parameters: Some(list.map_or(0, |list| count_parameters(list, |_| false))),
                        ..of
                    },
                );
                Scope::new(ScopeKind::Function, own)
            }
            "assignment" => {
                let left = node.child_by_field_name("left")?;
                let is_constant = matches!(left.kind(), "constant" | "scope_resolution");
                if is_constant && !cx.in_function() {
                    let (owner, own) = constant(left, cx);
                    let owner = within(owner, cx);
                    let of = Definition::of(SymbolKind::Constant, own, node);
                    cx.define(found, Definition { exported: true, owner, ..of });
                }
                None
            }
            "identifier" if is_statement(cx) => {
                if let Some(body) = cx.ancestor(0) {
                    match cx.of(node) {
                        "private" | "protected" => {
                            self.hidden.insert(body.id(), true);
                        }
                        "public" => {
                            self.hidden.remove(&body.id());
                        }
                        _ => {}
                    }
                }
                None
            }
            "call" => {
                self.call(node, cx, found);
                None
            }
            _ => None,
        }
    }
}

impl Ruby {
    /// `require "x"`, `attr_accessor :a, :b`.
    fn call<'t>(&self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) {
        if node.child_by_field_name("receiver").is_some() {
            return;
        }
        let Some(list) = node.child_by_field_name("arguments") else { return };
        let row = node.start_position().row;
        match cx.field(node, "method") {
            "require" | "load" => {
                if let Some(path) = string(list.named_child(0), cx) {
                    found.import(ImportKind::Require, path, [], row);
                }
            }
            "require_relative" => {
                if let Some(path) = string(list.named_child(0), cx) {
                    let is_relative = path.starts_with('.');
                    let path = if is_relative { path.to_owned() } else { format!("./{path}") };
                    found.import(ImportKind::Require, &path, [], row);
                }
            }
            "autoload" => {
                if let Some(path) = string(list.named_child(1), cx) {
                    found.import(ImportKind::Dynamic, path, [], row);
                }
            }
            "attr_accessor" | "attr_reader" | "attr_writer" | "attr" if cx.in_type() => {
                let exported = !cx.ancestor(0).is_some_and(|body| self.hidden.contains_key(&body.id()));
                let mut cursor = list.walk();
                for symbol in list.named_children(&mut cursor).filter(|one| one.kind() == "simple_symbol") {
                    let own = cx.of(symbol).trim_start_matches(':');
                    // In a list over several lines each has a line of its own.
                    let is_beside = symbol.start_position().row == row;
                    let from = if is_beside { node.start_byte() } else { symbol.start_byte() };
                    let of = Definition::of(SymbolKind::Property, own, symbol);
                    cx.define(found, Definition { exported, from, outer: node, ..of });
                }
            }
            _ => {}
        }
    }
}

/// Whether the node is a statement of its own in a body.
fn is_statement(cx: &Cx<'_, '_>) -> bool {
    matches!(cx.parent_kind(), "body_statement" | "program")
}

/// `private def a`.
fn is_argument_of_private(cx: &Cx<'_, '_>) -> bool {
    cx.parent_kind() == "argument_list"
        && cx.ancestor(1).is_some_and(|call| {
            matches!(cx.field(call, "method"), "private" | "protected" | "private_class_method")
        })
}

/// What a constant belongs to by its qualification, and its own name: of `A::B`, `A` and `B`.
fn constant<'a>(name: Node<'_>, cx: &'a Cx<'_, '_>) -> (Option<String>, &'a str) {
    match name.kind() {
        "scope_resolution" => {
            let scope = cx.field(name, "scope");
            (joined(scope.split("::").filter(|part| !part.is_empty())), cx.field(name, "name"))
        }
        _ => (None, cx.of(name)),
    }
}

/// What stands around, and then `owner`.
fn within(owner: Option<String>, cx: &Cx<'_, '_>) -> Option<String> {
    let owner = owner?;
    joined(cx.owner().as_deref().into_iter().chain([owner.as_str()]))
}

/// The content of a string without anything put into it.
fn string<'a>(node: Option<Node<'_>>, cx: &'a Cx<'_, '_>) -> Option<&'a str> {
    let node = node.filter(|node| node.kind() == "string" && node.named_child_count() == 1)?;
    node.named_child(0).filter(|content| content.kind() == "string_content").map(|content| cx.of(content))
}
