//! Java.

use super::{Rules, parameters};
use crate::collect::{Found, name};
use crate::complexity::Branches;
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

    fn branches(&self) -> &'static Branches {
        const JAVA: Branches = Branches {
            deeper: &[
                "if_statement",
                "for_statement",
                "enhanced_for_statement",
                "while_statement",
                "do_statement",
                "catch_clause",
            ],
            holders: &["switch_expression"],
            cases: &["switch_label"],
            beside: &["ternary_expression"],
            guarded: &[],
            logical: &["binary_expression"],
        };
        &JAVA
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        let (kind, opens) = match node.kind() {
            "class_declaration" | "record_declaration" => (SymbolKind::Class, ScopeKind::Type),
            "interface_declaration" | "annotation_type_declaration" => {
                (SymbolKind::Interface, ScopeKind::OpenType)
            }
            "enum_declaration" => (SymbolKind::Enum, ScopeKind::Type),
            "method_declaration"
            | "constructor_declaration"
            | "compact_constructor_declaration"
            | "annotation_type_element_declaration" => (SymbolKind::Method, ScopeKind::Function),
            "field_declaration" | "constant_declaration" => {
                constants(node, cx, found);
                return None;
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
        let head = Head::of(node);
        let parameters = match node.kind() {
            // Its parameters are its record's.
            "compact_constructor_declaration" => Some(0),
            _ => parameters(node, |one| one.kind() == "receiver_parameter"),
        };
        cx.define(
            found,
            Definition {
                from: head.from,
                exported: head.is_exported(cx),
                parameters: parameters.filter(|_| kind == SymbolKind::Method),
                ..Definition::of(kind, own, node)
            },
        );
        Scope::new(opens, own)
    }
}

/// What stands before a declaration.
struct Head<'t> {
    modifiers: Option<Node<'t>>,
    from: usize,
}

impl<'t> Head<'t> {
    fn of(node: Node<'t>) -> Self {
        let modifiers = node.child(0).filter(|child| child.kind() == "modifiers");
        Self { modifiers, from: modifiers.map_or(node.start_byte(), |list| after_annotations(node, list)) }
    }

    fn says(&self, word: &str) -> bool {
        self.modifiers.is_some_and(|list| list.children(&mut list.walk()).any(|child| child.kind() == word))
    }

    fn is_exported(&self, cx: &Cx<'_, '_>) -> bool {
        self.says("public") || (cx.inside() == Some(ScopeKind::OpenType) && !self.says("private"))
    }
}

/// `static final` fields, and all those of interfaces.
fn constants<'t>(node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) {
    let head = Head::of(node);
    let is_constant = node.kind() == "constant_declaration" || (head.says("static") && head.says("final"));
    if !is_constant || cx.in_function() {
        return;
    }
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let own = cx.field(declarator, "name");
        let exported = head.is_exported(cx);
        cx.define(
            found,
            Definition { from: head.from, exported, ..Definition::of(SymbolKind::Constant, own, node) },
        );
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
