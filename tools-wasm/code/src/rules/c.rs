//! C.

use super::{Rules, head_end};
use crate::collect::{Found, name};
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use std::collections::HashSet;
use tree_sitter::Node;

#[derive(Default)]
pub(crate) struct C {
    /// Functions with a body, by name.
    defined: HashSet<String>,
    /// Which of the symbols found are prototypes.
    prototypes: HashSet<usize>,
}

impl Rules for C {
    fn is_doc(&self, _comment: &str) -> bool {
        true
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        match node.kind() {
            "preproc_include" => {
                found.import(ImportKind::Include, cx.field(node, "path"), [], node.start_position().row);
                None
            }
            "preproc_function_def" => {
                let end =
                    node.child_by_field_name("parameters").map_or(node.end_byte(), |list| list.end_byte());
                define(node, SymbolKind::Macro, cx.field(node, "name"), end, true, cx, found);
                None
            }
            "function_definition" => {
                let own = function_name(node.child_by_field_name("declarator")?, cx)?;
                self.defined.insert(name(own));
                define(node, SymbolKind::Function, own, head_end(node), !is_static(node, cx), cx, found);
                Scope::new(ScopeKind::Function, own)
            }
            "declaration" if !cx.in_function() => {
                let exported = !is_static(node, cx);
                let mut cursor = node.walk();
                for declarator in node.children_by_field_name("declarator", &mut cursor) {
                    if let Some(own) = function_name(declarator, cx) {
                        self.prototypes.insert(found.symbols.len());
                        define(node, SymbolKind::Function, own, node.end_byte(), exported, cx, found);
                    }
                }
                None
            }
            "type_definition" => type_definition(node, cx, found),
            "struct_specifier" | "union_specifier" | "enum_specifier"
                if cx.parent_kind() != "type_definition" =>
            {
                node.child_by_field_name("body")?;
                let own = node.child_by_field_name("name").map(|name| cx.of(name))?;
                define(node, specifier_kind(node)?, own, head_end(node), true, cx, found);
                Scope::new(ScopeKind::Type, own)
            }
            _ => None,
        }
    }

    /// A prototype says nothing that the function itself, or an earlier prototype, doesn't.
    fn finish(&mut self, found: &mut Found) {
        let Self { defined, prototypes } = self;
        found.retain(|at, symbol| !prototypes.contains(&at) || defined.insert(symbol.name.clone()));
    }
}

fn define<'t>(
    node: Node<'t>,
    kind: SymbolKind,
    own: &str,
    head_end: usize,
    exported: bool,
    cx: &Cx<'_, 't>,
    found: &mut Found,
) {
    let from = node.start_byte();
    cx.define(
        found,
        Definition { kind, name: own, from, node, head_end, exported, owner: None, doc: None, outer: node },
    );
}

fn is_static(node: Node<'_>, cx: &Cx<'_, '_>) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .any(|child| child.kind() == "storage_class_specifier" && cx.of(child) == "static")
}

fn specifier_kind(specifier: Node<'_>) -> Option<SymbolKind> {
    match specifier.kind() {
        "struct_specifier" => Some(SymbolKind::Struct),
        "union_specifier" => Some(SymbolKind::Union),
        "enum_specifier" => Some(SymbolKind::Enum),
        _ => None,
    }
}

/// `typedef struct { … } Name;` defines a struct, any other typedef another name.
fn type_definition<'t>(node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
    let base = node.child_by_field_name("type")?;
    let declarator = node.child_by_field_name("declarator")?;
    let (_, alias) = innermost(declarator);
    let alias = cx.of(alias?);
    let body = base.child_by_field_name("body");
    match specifier_kind(base).zip(body) {
        Some((kind, body)) => {
            define(node, kind, alias, body.start_byte(), true, cx, found);
            Scope::new(ScopeKind::Type, alias)
        }
        None => {
            define(node, SymbolKind::TypeAlias, alias, node.end_byte(), true, cx, found);
            None
        }
    }
}

/// The name that a declarator gives a function; none if it declares something else.
fn function_name<'a>(declarator: Node<'_>, cx: &'a Cx<'_, '_>) -> Option<&'a str> {
    let (is_function, name) = innermost(declarator);
    name.filter(|_| is_function).map(|name| cx.of(name))
}

/// The name in the middle of a declarator, and whether what is nearest around it makes it a
/// function: `*f(void)` is one, `(*f)(void)` is a pointer.
fn innermost(declarator: Node<'_>) -> (bool, Option<Node<'_>>) {
    let (mut node, mut is_function) = (declarator, false);
    loop {
        let inner = match node.kind() {
            "identifier" | "type_identifier" | "field_identifier" | "primitive_type" => {
                return (is_function, Some(node));
            }
            "function_declarator" => {
                is_function = true;
                node.child_by_field_name("declarator")
            }
            "pointer_declarator" | "array_declarator" => {
                is_function = false;
                node.child_by_field_name("declarator")
            }
            "parenthesized_declarator" | "attributed_declarator" => node.named_child(0),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return (false, None),
        }
    }
}
