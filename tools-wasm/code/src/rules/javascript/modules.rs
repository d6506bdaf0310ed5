//! `import`, `export`, `require` and `import()`.

use crate::collect::Found;
use crate::model::ImportKind;
use crate::scan::Cx;
use tree_sitter::Node;

/// `import a, { b as c } from "x"`, `import "x"`, `import a = require("x")`.
pub(super) fn import(node: Node<'_>, cx: &Cx<'_, '_>, found: &mut Found) {
    let row = node.start_position().row;
    let mut names = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "import_clause" => {
                for part in child.named_children(&mut child.walk()) {
                    match part.kind() {
                        "named_imports" => {
                            let mut cursor = part.walk();
                            let specifiers = part.named_children(&mut cursor).filter(|name| !name.is_extra());
                            names.extend(specifiers.map(|name| cx.of(name)));
                        }
                        "identifier" | "namespace_import" => names.push(cx.of(part)),
                        _ => {}
                    }
                }
            }
            "import_require_clause" => {
                if let Some(source) = child.child_by_field_name("source") {
                    found.import(ImportKind::Require, unquoted(cx.of(source)), names, row);
                }
                return;
            }
            _ => {}
        }
    }
    if let Some(source) = node.child_by_field_name("source") {
        found.import(ImportKind::Import, unquoted(cx.of(source)), names, row);
    }
}

/// `export … from "x"` is a reference; of `export { a, b as c }` and `export default a`, the
/// names that are handed out come back.
pub(super) fn export(node: Node<'_>, cx: &Cx<'_, '_>, found: &mut Found) -> Vec<String> {
    let mut cursor = node.walk();
    let children: Vec<_> = node.named_children(&mut cursor).collect();
    let specifiers = children.iter().filter(|child| child.kind() == "export_clause").flat_map(|clause| {
        let mut cursor = clause.walk();
        clause
            .named_children(&mut cursor)
            .filter(|child| child.kind() == "export_specifier")
            .collect::<Vec<_>>()
    });
    if let Some(source) = node.child_by_field_name("source") {
        let mut names: Vec<_> = specifiers.map(|name| cx.of(name)).collect();
        if names.is_empty() {
            let namespace = children.iter().find(|child| child.kind() == "namespace_export");
            names.push(namespace.map_or("*", |namespace| cx.of(*namespace)));
        }
        for name in &names {
            let name = name.rsplit(" as ").next().unwrap_or_default().trim();
            if name != "*" {
                found.export(name.trim_start_matches("type "));
            }
        }
        found.import(ImportKind::ReExport, unquoted(cx.of(source)), names, node.start_position().row);
        return Vec::new();
    }
    let specifiers: Vec<_> = specifiers.collect();
    for specifier in &specifiers {
        let alias = cx.field(*specifier, "alias");
        found.export(if alias.is_empty() { cx.field(*specifier, "name") } else { alias });
    }
    let mut cursor = node.walk();
    if node.children(&mut cursor).any(|child| child.kind() == "default") {
        found.export("default");
    }
    let handed_out = specifiers.into_iter().map(|specifier| cx.field(specifier, "name").to_owned());
    let default =
        children.iter().filter(|child| child.kind() == "identifier").map(|name| cx.of(*name).to_owned());
    handed_out.chain(default).collect()
}

/// `require("x")` and `import("x")`.
pub(super) fn call(node: Node<'_>, cx: &Cx<'_, '_>, found: &mut Found) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let kind = match function.kind() {
        "import" => ImportKind::Dynamic,
        "identifier" if cx.of(function) == "require" => ImportKind::Require,
        _ => return,
    };
    let argument = node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
    let Some(argument) = argument.filter(|argument| argument.kind() == "string") else { return };
    // Of `const { a, b: c } = require("x")` the names are known.
    let mut around =
        (0..2).filter_map(|nth| cx.ancestor(nth)).filter(|node| node.kind() != "await_expression");
    let pattern = around
        .next()
        .filter(|parent| parent.kind() == "variable_declarator")
        .and_then(|parent| parent.child_by_field_name("name"))
        .filter(|name| name.kind() == "object_pattern");
    let names = pattern.map(|pattern| {
        let mut cursor = pattern.walk();
        let parts = pattern.named_children(&mut cursor).filter(|part| !part.is_extra());
        parts.map(|part| cx.of(part)).collect::<Vec<_>>()
    });
    found.import(kind, unquoted(cx.of(argument)), names.unwrap_or_default(), node.start_position().row);
}

/// The names that an object takes from around it: `{ a, b: c }` takes `a` and `c`.
pub(super) fn members(object: Node<'_>, cx: &Cx<'_, '_>) -> Vec<String> {
    let mut cursor = object.walk();
    let mut names = vec!["exports".to_owned()];
    for child in object.named_children(&mut cursor) {
        let name = match child.kind() {
            "shorthand_property_identifier" => Some(child),
            "pair" => child.child_by_field_name("value").filter(|value| value.kind() == "identifier"),
            _ => None,
        };
        names.extend(name.map(|name| cx.of(name).to_owned()));
    }
    names
}

/// The keys of an object that is handed out.
pub(super) fn keys(object: Node<'_>, cx: &Cx<'_, '_>, found: &mut Found) {
    let mut cursor = object.walk();
    for child in object.named_children(&mut cursor) {
        match child.kind() {
            "shorthand_property_identifier" => found.export(cx.of(child)),
            "pair" => found.export(unquoted(cx.field(child, "key"))),
            "method_definition" => found.export(cx.field(child, "name")),
            _ => {}
        }
    }
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}
