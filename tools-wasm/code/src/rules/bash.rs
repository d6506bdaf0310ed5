//! Bash and other shells.

use super::Rules;
use crate::collect::{Found, name};
use crate::complexity::Branches;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope, ScopeKind};
use std::collections::HashSet;
use tree_sitter::Node;

#[derive(Default)]
pub(crate) struct Bash {
    /// Variables so far: the first assignment defines them.
    known: HashSet<String>,
}

impl Rules for Bash {
    fn is_doc(&self, comment: &str) -> bool {
        !comment.starts_with("#!")
    }

    fn branches(&self) -> &'static Branches {
        const BASH: Branches = Branches {
            deeper: &["if_statement", "for_statement", "c_style_for_statement", "while_statement"],
            holders: &["case_statement"],
            cases: &["case_item"],
            beside: &["elif_clause", "ternary_expression"],
            guarded: &[],
            logical: &["list", "binary_expression"],
        };
        &BASH
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        match node.kind() {
            "function_definition" => {
                let own = cx.field(node, "name");
                let of = Definition::of(SymbolKind::Function, own, node);
                cx.define(found, Definition { exported: !cx.in_function(), parameters: Some(0), ..of });
                Scope::new(ScopeKind::Function, own)
            }
            "variable_assignment" if cx.at_top() => {
                let own = node.child_by_field_name("name").filter(|own| own.kind() == "variable_name")?;
                let own = cx.of(own);
                // `A=1 command` sets it for that command only.
                if cx.parent_kind() != "command" && self.known.insert(name(own)) {
                    let declaration = cx.ancestor(0).filter(|parent| parent.kind() == "declaration_command");
                    let words = declaration.map_or("", |declaration| cx.of(declaration));
                    let is_constant = words.starts_with("readonly")
                        || words
                            .split_whitespace()
                            .skip(1)
                            .take_while(|word| word.starts_with('-'))
                            .any(|flag| flag.contains('r'));
                    let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Variable };
                    let outer = declaration.unwrap_or(node);
                    let (from, exported) = (outer.start_byte(), words.starts_with("export"));
                    cx.define(found, Definition { from, exported, outer, ..Definition::of(kind, own, node) });
                }
                None
            }
            "command" => {
                let command = cx.field(node, "name");
                if matches!(command, "source" | ".")
                    && let Some(argument) = node.child_by_field_name("argument")
                {
                    let path = cx.of(argument).trim_matches(['"', '\'']);
                    found.import(ImportKind::Include, path, [], node.start_position().row);
                }
                None
            }
            _ => None,
        }
    }
}
