//! Java.

use super::{Rules, head_end};
use crate::collect::{Found, name};
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use tree_sitter::Node;

pub(crate) struct Java;

impl Rules for Java {
    fn is_comment(&self, kind: &str) -> bool {
        matches!(kind, "line_comment" | "block_comment")
    }

    fn is_doc(&self, comment: &str) -> bool {
        comment.starts_with("/**")
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        let (kind, opens) = match node.kind() {
            "class_declaration" | "record_declaration" => (SymbolKind::Class, ScopeKind::Type),
            "interface_declaration" | "annotation_type_declaration" => {
                (SymbolKind::Interface, ScopeKind::OpenType)
            }
            "enum_declaration" => (SymbolKind::Enum, ScopeKind::Type),
            "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
                (SymbolKind::Method, ScopeKind::Function)
            }
            "package_declaration" => {
                let mut cursor = node.walk();
                let named = node.named_children(&mut cursor).last();
                found.package = named.map(|package| name(cx.of(package)));
                return None;
            }
            "import_declaration" => {
                let text = cx.of(node).trim_start_matches("import").trim_end_matches(';').trim();
                let text = text.strip_prefix("static ").unwrap_or(text).trim();
                found.import(ImportKind::Import, text, [], node.start_position().row);
                return None;
            }
            "requires_module_directive" => {
                found.import(ImportKind::Import, cx.field(node, "module"), [], node.start_position().row);
                return None;
            }
            _ => return None,
        };
        let own = cx.field(node, "name");
        let modifiers = node.child(0).filter(|child| child.kind() == "modifiers");
        let says = |word: &str| {
            modifiers.is_some_and(|list| list.children(&mut list.walk()).any(|child| child.kind() == word))
        };
        cx.define(
            found,
            Definition {
                kind,
                name: own,
                from: modifiers.map_or(node.start_byte(), |list| after_annotations(node, list)),
                node,
                head_end: head_end(node),
                exported: says("public") || (cx.inside() == Some(ScopeKind::OpenType) && !says("private")),
                owner: None,
                doc: None,
                outer: node,
            },
        );
        Scope::new(opens, own)
    }
}

/// Where a declaration starts when its annotations are left out.
fn after_annotations(node: Node<'_>, modifiers: Node<'_>) -> usize {
    let is_annotation = |child: &Node<'_>| matches!(child.kind(), "annotation" | "marker_annotation");
    let word =
        modifiers.children(&mut modifiers.walk()).find(|child| !is_annotation(child) && !child.is_extra());
    let rest = || {
        let mut cursor = node.walk();
        node.children(&mut cursor).skip(1).find(|child| !child.is_extra())
    };
    word.or_else(rest).map_or(node.start_byte(), |start| start.start_byte())
}
