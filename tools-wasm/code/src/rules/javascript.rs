//! JavaScript and TypeScript, JSX included: their grammars share most names.

use super::{Rules, head_end};
use crate::collect::{Found, joined};
use crate::complexity::Branches;
use crate::model::SymbolKind;
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use std::collections::HashSet;
use tree_sitter::Node;

mod modules;
mod values;

#[derive(Default)]
pub(crate) struct JavaScript {
    /// Names that `export { a }`, `module.exports = { a }` and the like hand out.
    handed_out: HashSet<String>,
}

/// What may stand around a definition and belongs to its statement.
const STATEMENTS: [&str; 7] = [
    "export_statement",
    "ambient_declaration",
    "lexical_declaration",
    "variable_declaration",
    "variable_declarator",
    "expression_statement",
    "assignment_expression",
];

impl Rules for JavaScript {
    fn is_comment(&self, kind: &str) -> bool {
        matches!(kind, "comment" | "html_comment")
    }

    fn is_doc(&self, comment: &str) -> bool {
        comment.starts_with("/**")
    }

    fn branches(&self) -> &'static Branches {
        const JAVASCRIPT: Branches = Branches {
            deeper: &[
                "if_statement",
                "for_statement",
                "for_in_statement",
                "while_statement",
                "do_statement",
                "catch_clause",
            ],
            holders: &["switch_statement"],
            cases: &["switch_case"],
            beside: &["ternary_expression"],
            guarded: &[],
            logical: &["binary_expression"],
        };
        &JAVASCRIPT
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        match node.kind() {
            "import_statement" => {
                modules::import(node, cx, found);
                None
            }
            "export_statement" => {
                self.handed_out.extend(modules::export(node, cx, found));
                None
            }
            "call_expression" => {
                modules::call(node, cx, found);
                None
            }
            "function_declaration" | "generator_function_declaration" | "function_signature" => {
                named(node, SymbolKind::Function, ScopeKind::Function, cx, found)
            }
            "class_declaration" | "abstract_class_declaration" => {
                named(node, SymbolKind::Class, ScopeKind::Type, cx, found)
            }
            // `export default` and no name.
            "class" if cx.parent_kind() == "export_statement" => {
                named(node, SymbolKind::Class, ScopeKind::Type, cx, found)
            }
            "function_expression" | "generator_function" | "arrow_function"
                if cx.parent_kind() == "export_statement" =>
            {
                named(node, SymbolKind::Function, ScopeKind::Function, cx, found)
            }
            "interface_declaration" => named(node, SymbolKind::Interface, ScopeKind::OpenType, cx, found),
            "type_alias_declaration" => named(node, SymbolKind::TypeAlias, ScopeKind::OpenType, cx, found),
            "enum_declaration" => named(node, SymbolKind::Enum, ScopeKind::Type, cx, found),
            "internal_module" | "module" if node.child_by_field_name("body").is_some() => {
                named(node, SymbolKind::Module, ScopeKind::Module, cx, found)
            }
            "method_definition" | "method_signature" | "abstract_method_signature" => {
                member(node, node, "name", cx, found)
            }
            "public_field_definition" | "field_definition" => {
                let field = if node.child_by_field_name("name").is_some() { "name" } else { "property" };
                match node.child_by_field_name("value").filter(|value| is_function(*value)) {
                    Some(value) => member(node, value, field, cx, found),
                    None => values::constant(node, field, cx, found),
                }
            }
            "pair" if cx.in_type() => {
                let value = node.child_by_field_name("value").filter(|value| is_function(*value))?;
                member(node, value, "key", cx, found)
            }
            "variable_declarator" => self.variable(node, cx, found),
            "assignment_expression" => self.assignment(node, cx, found),
            _ => None,
        }
    }

    fn finish(&mut self, found: &mut Found) {
        for symbol in &mut found.symbols {
            if symbol.owner.is_none() && self.handed_out.contains(&symbol.name) {
                symbol.exported = true;
            }
        }
        let reachable = found.symbols.iter().filter(|symbol| symbol.owner.is_none() && symbol.exported);
        let mut reachable: HashSet<String> = reachable.map(|symbol| symbol.name.clone()).collect();
        reachable.extend(self.handed_out.drain());
        for symbol in found.symbols.iter_mut().filter(|symbol| symbol.kind == SymbolKind::Method) {
            symbol.exported &= symbol.owner.as_ref().is_some_and(|owner| reachable.contains(owner));
        }
    }
}

impl JavaScript {
    /// `const f = () => …`, `const C = class …`, `const o = { f() … }`.
    fn variable<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        let pattern = node.child_by_field_name("name")?;
        let value = node.child_by_field_name("value");
        let Some(value) = value.filter(|value| {
            pattern.kind() == "identifier" && (is_function(*value) || value.kind() == "class")
        }) else {
            let opens = value.and_then(|value| self.object(pattern, value, cx));
            values::variables(node, cx, found);
            return opens;
        };
        let (name, exported) = (cx.of(pattern), is_exported(cx));
        let kind = if is_function(value) { SymbolKind::Function } else { SymbolKind::Class };
        whole(node, value, kind, name, exported, None, cx, found)
    }

    /// What a variable's value opens, and whether it is handed out.
    fn object(&mut self, pattern: Node<'_>, value: Node<'_>, cx: &Cx<'_, '_>) -> Option<Scope> {
        if pattern.kind() != "identifier" {
            return None;
        }
        let name = cx.of(pattern);
        match value.kind() {
            "object" => {
                if is_exported(cx) {
                    self.handed_out.insert(name.to_owned());
                }
                Scope::new(ScopeKind::Type, name)
            }
            "assignment_expression" if is_exports(cx.field(value, "left")) => {
                self.handed_out.insert(name.to_owned());
                None
            }
            _ => None,
        }
    }

    /// `exports.f = function …`, `C.prototype.m = function …`, `module.exports = …`.
    fn assignment<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        let left = node.child_by_field_name("left")?;
        let right = node.child_by_field_name("right")?;
        let all = is_exports(cx.of(left));
        let object = cx.field(left, "object");
        let defines = is_function(right) || right.kind() == "class";
        if is_exports(object) && cx.at_top() {
            found.export(cx.field(left, "property"));
        }
        if !defines {
            match right.kind() {
                "identifier" if all || is_exports(object) => {
                    self.handed_out.insert(cx.of(right).to_owned());
                    if all {
                        found.export(cx.of(right));
                    }
                }
                "object" if all => {
                    modules::keys(right, cx, found);
                    self.handed_out.extend(modules::members(right, cx));
                    return Scope::new(ScopeKind::Type, "exports");
                }
                "object"
                    if left.kind() == "member_expression" && cx.field(left, "property") == "prototype" =>
                {
                    return Scope::new(ScopeKind::Type, object);
                }
                _ => {}
            }
            return None;
        }
        let is_class = right.kind() == "class";
        let kind = |function| if is_class { SymbolKind::Class } else { function };
        if all {
            let name = match cx.field(right, "name") {
                "" => "default",
                name => name,
            };
            return whole(node, right, kind(SymbolKind::Function), name, true, None, cx, found);
        }
        match left.kind() {
            "identifier" => {
                whole(node, right, kind(SymbolKind::Function), cx.of(left), false, None, cx, found)
            }
            "member_expression" => {
                let property = cx.field(left, "property");
                if is_exports(object) {
                    return whole(node, right, kind(SymbolKind::Function), property, true, None, cx, found);
                }
                let owner = match object {
                    "this" => cx.owner(),
                    object => joined([object.strip_suffix(".prototype").unwrap_or(object)].into_iter()),
                };
                whole(
                    node,
                    right,
                    kind(SymbolKind::Method),
                    property,
                    !property.starts_with('#'),
                    owner,
                    cx,
                    found,
                )
            }
            _ => None,
        }
    }
}

fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression" | "generator_function")
}

fn is_exports(text: &str) -> bool {
    matches!(text, "exports" | "module.exports")
}

/// Whether the statement that the node is in begins with `export`.
fn is_exported(cx: &Cx<'_, '_>) -> bool {
    let kinds = (0..4).filter_map(|nth| cx.ancestor(nth)).map(|node| node.kind());
    kinds.take_while(|kind| STATEMENTS.contains(kind)).any(|kind| kind == "export_statement")
}

/// A declaration with a name of its own.
fn named<'t>(
    node: Node<'t>,
    kind: SymbolKind,
    opens: ScopeKind,
    cx: &Cx<'_, 't>,
    found: &mut Found,
) -> Option<Scope> {
    let name = match cx.field(node, "name") {
        "" => "default",
        // `declare module "x"`.
        name => name.trim_matches(['"', '\'']),
    };
    let head_end = match kind {
        SymbolKind::TypeAlias => node.child_by_field_name("value").map_or(node.end_byte(), |value| {
            if value.kind() == "object_type" { value.start_byte() } else { value.end_byte() }
        }),
        _ => head_end(node),
    };
    cx.define(
        found,
        Definition {
            from: after_decorators(node),
            head_end,
            exported: is_exported(cx),
            outer: cx.outermost(node, &STATEMENTS),
            parameters: values::parameters(node, cx).filter(|_| kind == SymbolKind::Function),
            ..Definition::of(kind, name, node)
        },
    );
    Scope::new(opens, name)
}

/// A function in a class, an interface or an object.
fn member<'t>(
    node: Node<'t>,
    body_of: Node<'t>,
    field: &str,
    cx: &Cx<'_, 't>,
    found: &mut Found,
) -> Option<Scope> {
    let name = cx.field(node, field).trim_matches(['"', '\'']);
    let kind = if cx.in_type() { SymbolKind::Method } else { SymbolKind::Function };
    // Outside of a class or a named object that is code that wasn't understood.
    if kind == SymbolKind::Function && matches!(name, "if" | "for" | "while" | "switch" | "catch" | "const") {
        return None;
    }
    cx.define(
        found,
        Definition {
            from: after_decorators(node),
            head_end: head_end(body_of),
            exported: cx.in_type() && !is_private(node, name, cx),
            parameters: values::parameters(body_of, cx),
            ..Definition::of(kind, name, node)
        },
    );
    Scope::new(ScopeKind::Function, name)
}

fn is_private(member: Node<'_>, name: &str, cx: &Cx<'_, '_>) -> bool {
    let mut cursor = member.walk();
    name.starts_with('#')
        || member
            .named_children(&mut cursor)
            .any(|child| child.kind() == "accessibility_modifier" && cx.of(child) == "private")
}

/// A definition that is a value: `node` gives it its name.
#[expect(clippy::too_many_arguments, reason = "all of it is one definition, and each call says it in a line")]
fn whole<'t>(
    node: Node<'t>,
    value: Node<'t>,
    kind: SymbolKind,
    name: &str,
    exported: bool,
    owner: Option<String>,
    cx: &Cx<'_, 't>,
    found: &mut Found,
) -> Option<Scope> {
    let outer = cx.outermost(node, &STATEMENTS);
    // `const` and the like belong to the first that is declared.
    let from = match cx.ancestor(0) {
        Some(parent) if parent.named_child(0) == Some(node) && parent.kind().ends_with("_declaration") => {
            parent.start_byte()
        }
        _ => node.start_byte(),
    };
    let scope = joined(owner.as_deref().into_iter().chain([name]));
    cx.define(
        found,
        Definition {
            from,
            head_end: head_end(value),
            exported,
            owner,
            outer,
            parameters: values::parameters(value, cx).filter(|_| kind != SymbolKind::Class),
            ..Definition::of(kind, name, node)
        },
    );
    let opens = if kind == SymbolKind::Class { ScopeKind::Type } else { ScopeKind::Function };
    scope.and_then(|scope| Scope::new(opens, &scope))
}

fn after_decorators(node: Node<'_>) -> usize {
    let mut cursor = node.walk();
    let first = node.children(&mut cursor).find(|child| child.kind() != "decorator" && !child.is_extra());
    first.map_or(node.start_byte(), |child| child.start_byte())
}
