//! C.

use super::{Rules, head_end};
use crate::collect::{Found, name};
use crate::complexity::Branches;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use declarator::{declared, is_constant, is_guard, is_in_block, is_reserved, parameters, says};
use std::collections::HashSet;
use tree_sitter::Node;

pub(crate) mod declarator;

#[derive(Default)]
pub(crate) struct C {
    /// Functions with a body and variables with a value or room of their own, by name.
    defined: HashSet<String>,
    /// Which of the symbols found only say that something is elsewhere.
    prototypes: HashSet<usize>,
}

impl Rules for C {
    fn is_doc(&self, _comment: &str) -> bool {
        true
    }

    fn branches(&self) -> &'static Branches {
        const C: Branches = Branches {
            deeper: &["if_statement", "for_statement", "while_statement", "do_statement"],
            holders: &["switch_statement"],
            cases: &["case_statement"],
            beside: &["conditional_expression"],
            guarded: &[],
            logical: &["binary_expression"],
        };
        &C
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        match node.kind() {
            "preproc_include" => {
                found.import(ImportKind::Include, cx.field(node, "path"), [], node.start_position().row);
                None
            }
            "preproc_function_def" | "preproc_def" => {
                define_macro(node, cx, found);
                None
            }
            "function_definition" => {
                let declared = declared(node.child_by_field_name("declarator")?)?;
                let function = declared.function?;
                let own = cx.of(declared.name);
                if is_reserved(own) {
                    return None;
                }
                self.defined.insert(name(own));
                let exported = !says(node, "static", cx);
                let parameters = Some(parameters(function, cx));
                let of = Definition::of(SymbolKind::Function, own, node);
                cx.define(found, Definition { exported, parameters, ..of });
                Scope::new(ScopeKind::Function, own)
            }
            "declaration" if cx.at_top() && !is_in_block(cx) => {
                self.declaration(node, cx, found);
                None
            }
            "type_definition" => type_definition(node, cx, found),
            "struct_specifier" | "union_specifier" | "enum_specifier"
                if cx.parent_kind() != "type_definition" =>
            {
                node.child_by_field_name("body")?;
                let own = node.child_by_field_name("name").map(|name| cx.of(name))?;
                define_type(node, specifier_kind(node)?, own, head_end(node), cx, found);
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

impl C {
    /// Prototypes and variables.
    fn declaration<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) {
        let exported = !says(node, "static", cx);
        let is_extern = says(node, "extern", cx);
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let Some(declared) = declared(declarator) else { continue };
            let own = cx.of(declared.name);
            // What wasn't understood declares no variables.
            if is_reserved(own) || (declared.function.is_none() && node.has_error()) {
                continue;
            }
            let kind = match declared.function {
                Some(_) => SymbolKind::Function,
                None if is_constant(node, &declared, cx) => SymbolKind::Constant,
                None => SymbolKind::Variable,
            };
            if declared.function.is_some() || (is_extern && declarator.kind() != "init_declarator") {
                self.prototypes.insert(found.symbols.len());
            } else if !self.defined.insert(name(own)) {
                // `int x;` may be said more than once.
                continue;
            }
            cx.define(found, Definition { exported, ..Definition::of(kind, own, node) });
        }
    }
}

/// `#define A(x) …` is a macro, `#define A …` a constant.
pub(crate) fn define_macro<'t>(node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) {
    let own = cx.field(node, "name");
    let exported = true;
    match node.child_by_field_name("parameters") {
        Some(list) => {
            let head_end = list.end_byte();
            cx.define(
                found,
                Definition { exported, head_end, ..Definition::of(SymbolKind::Macro, own, node) },
            );
        }
        None if is_guard(node, cx) => {}
        None => cx.define(found, Definition { exported, ..Definition::of(SymbolKind::Constant, own, node) }),
    }
}

fn define_type<'t>(
    node: Node<'t>,
    kind: SymbolKind,
    own: &str,
    head_end: usize,
    cx: &Cx<'_, 't>,
    found: &mut Found,
) {
    cx.define(found, Definition { exported: true, head_end, ..Definition::of(kind, own, node) });
}

pub(crate) fn specifier_kind(specifier: Node<'_>) -> Option<SymbolKind> {
    match specifier.kind() {
        "class_specifier" => Some(SymbolKind::Class),
        "struct_specifier" => Some(SymbolKind::Struct),
        "union_specifier" => Some(SymbolKind::Union),
        "enum_specifier" => Some(SymbolKind::Enum),
        _ => None,
    }
}

/// `typedef struct { … } Name;` defines a struct, any other typedef another name;
/// `typedef struct tag { … } Name;` both.
pub(crate) fn type_definition<'t>(node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
    let base = node.child_by_field_name("type")?;
    let body = base.child_by_field_name("body");
    let tag = base.child_by_field_name("name").map_or("", |tag| cx.of(tag));
    let mut opens = None;
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(declared) = declared(declarator) else { continue };
        let own = cx.of(declared.name);
        match specifier_kind(base).zip(body) {
            Some((kind, body)) if opens.is_none() && !declared.is_pointer => {
                define_type(node, kind, own, body.start_byte(), cx, found);
                opens = Scope::new(ScopeKind::Type, own);
                if !tag.is_empty() && tag != own {
                    define_type(base, kind, tag, body.start_byte(), cx, found);
                }
            }
            _ => define_type(node, SymbolKind::TypeAlias, own, node.end_byte(), cx, found),
        }
    }
    opens
}
