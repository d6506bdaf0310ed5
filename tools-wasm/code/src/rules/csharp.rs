//! C#.

use super::{Rules, head_end, parameters};
use crate::collect::{Found, name};
use crate::complexity::Branches;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use tree_sitter::Node;

pub(crate) struct CSharp;

impl Rules for CSharp {
    fn is_doc(&self, comment: &str) -> bool {
        comment.starts_with("///") || comment.starts_with("/**")
    }

    fn branches(&self) -> &'static Branches {
        const CSHARP: Branches = Branches {
            deeper: &[
                "if_statement",
                "for_statement",
                "foreach_statement",
                "while_statement",
                "do_statement",
                "catch_clause",
            ],
            holders: &["switch_statement", "switch_expression"],
            cases: &["switch_section", "switch_expression_arm"],
            beside: &["conditional_expression"],
            guarded: &[],
            logical: &["binary_expression"],
        };
        &CSHARP
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        let (kind, opens) = match node.kind() {
            "class_declaration" => (SymbolKind::Class, ScopeKind::Type),
            "record_declaration" => {
                let is_struct = node.children(&mut node.walk()).any(|word| word.kind() == "struct");
                (if is_struct { SymbolKind::Struct } else { SymbolKind::Class }, ScopeKind::Type)
            }
            "struct_declaration" => (SymbolKind::Struct, ScopeKind::Type),
            "interface_declaration" => (SymbolKind::Interface, ScopeKind::OpenType),
            "enum_declaration" => (SymbolKind::Enum, ScopeKind::Type),
            "delegate_declaration" => (SymbolKind::TypeAlias, ScopeKind::Function),
            "method_declaration"
            | "constructor_declaration"
            | "destructor_declaration"
            | "operator_declaration"
            | "conversion_operator_declaration" => (SymbolKind::Method, ScopeKind::Function),
            "local_function_statement" => (SymbolKind::Function, ScopeKind::Function),
            "property_declaration" | "indexer_declaration" => (SymbolKind::Property, ScopeKind::Function),
            "namespace_declaration" => (SymbolKind::Module, ScopeKind::Module),
            "file_scoped_namespace_declaration" => {
                // It has no end of its own: all that follows is in it.
                found.package = Some(name(cx.field(node, "name")));
                return None;
            }
            "field_declaration" => {
                constants(node, cx, found);
                return None;
            }
            "using_directive" => {
                using(node, cx, found);
                return None;
            }
            _ => return None,
        };
        let own = own_name(node, cx);
        // Code that wasn't understood may look like a function of that name.
        if matches!(own.as_str(), "if" | "for" | "foreach" | "while" | "switch" | "catch" | "using" | "lock")
        {
            return None;
        }
        if kind == SymbolKind::Module && found.package.is_none() {
            found.package = Some(name(&own));
        }
        let exported = match kind {
            SymbolKind::Module => true,
            _ => is_exported(node, cx),
        };
        let head_end = match node.child_by_field_name("accessors").or(node.child_by_field_name("value")) {
            Some(body) => body.start_byte(),
            None => head_end(node),
        };
        let is_function = matches!(kind, SymbolKind::Method | SymbolKind::Function);
        cx.define(
            found,
            Definition {
                from: after_attributes(node),
                head_end,
                exported,
                parameters: parameters(node, |one| one.kind() == "attribute_list").filter(|_| is_function),
                ..Definition::of(kind, &own, node)
            },
        );
        Scope::new(opens, &own)
    }
}

/// A declaration's name; operators and indexers are called what C# calls them.
fn own_name(node: Node<'_>, cx: &Cx<'_, '_>) -> String {
    match node.kind() {
        "operator_declaration" => format!("operator {}", cx.field(node, "operator")),
        "conversion_operator_declaration" => format!("operator {}", cx.field(node, "type")),
        "destructor_declaration" => format!("~{}", cx.field(node, "name")),
        "indexer_declaration" => "this".to_owned(),
        _ => name(cx.field(node, "name")),
    }
}

fn says(node: Node<'_>, word: &str, cx: &Cx<'_, '_>) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(|child| child.kind() == "modifier" && cx.of(child) == word)
}

/// `public`; members of an interface are unless they say otherwise.
fn is_exported(node: Node<'_>, cx: &Cx<'_, '_>) -> bool {
    let open = cx.inside() == Some(ScopeKind::OpenType);
    !cx.in_function() && (says(node, "public", cx) || (open && !says(node, "private", cx)))
}

/// `const` and `static readonly` fields.
fn constants<'t>(node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) {
    let is_constant = says(node, "const", cx) || (says(node, "static", cx) && says(node, "readonly", cx));
    if !is_constant {
        return;
    }
    let mut cursor = node.walk();
    let Some(list) = node.named_children(&mut cursor).find(|child| child.kind() == "variable_declaration")
    else {
        return;
    };
    let mut cursor = list.walk();
    for declarator in list.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator") {
        let own = cx.field(declarator, "name");
        let (from, exported) = (after_attributes(node), is_exported(node, cx));
        cx.define(found, Definition { from, exported, ..Definition::of(SymbolKind::Constant, own, node) });
    }
}

/// `using A.B;`, `using static A.B;`, `using X = A.B;`.
fn using(node: Node<'_>, cx: &Cx<'_, '_>, found: &mut Found) {
    let alias = node.child_by_field_name("name");
    let mut cursor = node.walk();
    let named =
        node.named_children(&mut cursor).filter(|child| !child.is_extra() && Some(*child) != alias).last();
    if let Some(named) = named {
        found.import(ImportKind::Import, cx.of(named), [], node.start_position().row);
    }
}

fn after_attributes(node: Node<'_>) -> usize {
    let mut cursor = node.walk();
    let first =
        node.children(&mut cursor).find(|child| child.kind() != "attribute_list" && !child.is_extra());
    first.map_or(node.start_byte(), |child| child.start_byte())
}
