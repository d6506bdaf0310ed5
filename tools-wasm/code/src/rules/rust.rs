//! Rust.

use super::{Rules, head_end, parameters};
use crate::collect::Found;
use crate::complexity::Branches;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use tree_sitter::Node;

#[derive(Default)]
pub(crate) struct Rust {
    /// The row after the last `#[macro_export]`.
    exported_macro: usize,
}

impl Rules for Rust {
    fn is_comment(&self, kind: &str) -> bool {
        matches!(kind, "line_comment" | "block_comment")
    }

    fn is_doc(&self, comment: &str) -> bool {
        (comment.starts_with("///") && !comment.starts_with("////")) || comment.starts_with("/**")
    }

    fn branches(&self) -> &'static Branches {
        const RUST: Branches = Branches {
            deeper: &["if_expression", "for_expression", "while_expression", "loop_expression"],
            holders: &["match_expression"],
            cases: &["match_arm"],
            beside: &[],
            guarded: &["let_declaration"],
            logical: &["binary_expression", "let_chain"],
        };
        &RUST
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        let (kind, opens) = match node.kind() {
            "function_item" | "function_signature_item" => {
                let kind = if cx.in_type() { SymbolKind::Method } else { SymbolKind::Function };
                (kind, ScopeKind::Function)
            }
            "struct_item" => (SymbolKind::Struct, ScopeKind::Type),
            "enum_item" => (SymbolKind::Enum, ScopeKind::Type),
            "union_item" => (SymbolKind::Union, ScopeKind::Type),
            "trait_item" => (SymbolKind::Trait, ScopeKind::OpenType),
            // Inside an impl or a trait it's a part of that.
            "type_item" if !cx.in_type() => (SymbolKind::TypeAlias, ScopeKind::Type),
            "macro_definition" => (SymbolKind::Macro, ScopeKind::Function),
            "const_item" | "static_item" if !cx.in_function() && cx.field(node, "name") != "_" => {
                (SymbolKind::Constant, ScopeKind::Module)
            }
            "mod_item" if node.child_by_field_name("body").is_some() => {
                (SymbolKind::Module, ScopeKind::Module)
            }
            "mod_item" => {
                let name = cx.field(node, "name");
                found.import(ImportKind::Submodule, name, [], node.start_position().row);
                if is_visible(node) && cx.at_top() {
                    found.export(name);
                }
                return None;
            }
            "impl_item" => {
                let name = type_name(node.child_by_field_name("type")?, cx);
                let of_trait = node.child_by_field_name("trait").is_some();
                return Scope::new(if of_trait { ScopeKind::OpenType } else { ScopeKind::Type }, name);
            }
            "use_declaration" => {
                uses(node, cx, found);
                return None;
            }
            "extern_crate_declaration" => {
                found.import(import_kind(node), cx.field(node, "name"), [], node.start_position().row);
                return None;
            }
            "attribute_item" => {
                if cx.of(node).contains("macro_export") {
                    self.exported_macro = node.end_position().row + 1;
                }
                return None;
            }
            _ => return None,
        };
        let name = cx.field(node, "name");
        let exported = match kind {
            SymbolKind::Macro => node.start_position().row == self.exported_macro,
            _ => is_visible(node) || cx.inside() == Some(ScopeKind::OpenType),
        };
        cx.define(
            found,
            Definition {
                kind,
                name,
                head_end: match kind {
                    SymbolKind::Macro => node.child_by_field_name("name").map_or(0, |name| name.end_byte()),
                    _ => head_end(node),
                },
                exported,
                parameters: parameters(node, |one| matches!(one.kind(), "self_parameter" | "attribute_item"))
                    .filter(|_| opens == ScopeKind::Function && kind != SymbolKind::Macro),
                ..Definition::of(kind, name, node)
            },
        );
        if kind == SymbolKind::Constant { None } else { Scope::new(opens, name) }
    }
}

fn is_visible(node: Node<'_>) -> bool {
    node.named_children(&mut node.walk()).any(|child| child.kind() == "visibility_modifier")
}

fn import_kind(node: Node<'_>) -> ImportKind {
    if is_visible(node) { ImportKind::ReExport } else { ImportKind::Import }
}

/// The name of a type without paths, generics and references.
fn type_name<'a>(mut node: Node<'_>, cx: &'a Cx<'_, '_>) -> &'a str {
    loop {
        let inner = match node.kind() {
            "generic_type" | "reference_type" => "type",
            "scoped_type_identifier" => "name",
            _ => return cx.of(node),
        };
        match node.child_by_field_name(inner) {
            Some(child) => node = child,
            None => return cx.of(node),
        }
    }
}

fn uses(node: Node<'_>, cx: &Cx<'_, '_>, found: &mut Found) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    let (kind, row) = (import_kind(node), node.start_position().row);
    let (module, names) = match argument.kind() {
        "scoped_use_list" => {
            let list = argument.child_by_field_name("list");
            (cx.field(argument, "path"), list.map(|list| items(list, cx)).unwrap_or_default())
        }
        "use_list" => {
            for item in items(argument, cx) {
                found.import(kind, item, [], row);
            }
            ("", items(argument, cx))
        }
        "use_wildcard" => (argument.named_child(0).map_or("", |path| cx.of(path)), vec!["*"]),
        "use_as_clause" => (cx.field(argument, "path"), Vec::new()),
        _ => (cx.of(argument), Vec::new()),
    };
    if kind == ImportKind::ReExport && cx.at_top() {
        let one = [cx.of(argument)];
        let handed_on = if names.is_empty() { one.as_slice() } else { names.as_slice() };
        // The last part of a path, or what it is called here; what `a::{b, c}` holds within is left.
        for name in handed_on.iter().filter(|name| !name.contains('{')) {
            let name = name.rsplit(" as ").next().unwrap_or_default();
            let name = name.rsplit("::").next().unwrap_or_default().trim();
            if !matches!(name, "*" | "self" | "_") {
                found.export(name);
            }
        }
    }
    if !module.is_empty() {
        found.import(kind, module, names, row);
    }
}

fn items<'a>(list: Node<'_>, cx: &'a Cx<'_, '_>) -> Vec<&'a str> {
    let mut cursor = list.walk();
    let items = list.named_children(&mut cursor).filter(|item| !item.is_extra());
    items.map(|item| cx.of(item)).collect()
}
