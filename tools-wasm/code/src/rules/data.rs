//! Files of data: JSON, YAML, TOML.

use super::Rules;
use crate::collect::Found;
use crate::model::SymbolKind;
use crate::scan::{Cx, Definition, Scope};
use tree_sitter::Node;

/// Keys at the top, tables of TOML.
pub(crate) struct Data;

impl Rules for Data {
    fn is_doc(&self, _comment: &str) -> bool {
        true
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        match node.kind() {
            // JSON: file, object, pair. TOML: file, pair.
            "pair" if (1..=2).contains(&cx.depth()) && !cx.parent_kind().starts_with("table") => {
                let key = node.child_by_field_name("key").or(node.named_child(0))?;
                section(node, key, cx, found);
            }
            "table" | "table_array_element" => section(node, node.named_child(0)?, cx, found),
            // Stream, document, node, mapping.
            "block_mapping_pair" | "flow_pair" if cx.depth() <= 4 => {
                section(node, node.child_by_field_name("key")?, cx, found);
            }
            _ => {}
        }
        None
    }
}

fn section<'t>(node: Node<'t>, key: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) {
    let own = cx.of(key).trim_matches(['"', '\'']);
    let rest = cx.text.get(key.end_byte()..node.end_byte()).unwrap_or_default();
    // Up to the brackets of a table, the end of the line, or where it opens what it holds.
    let end = rest.find(['\n', '{', '[']).unwrap_or(rest.len());
    let brackets = rest.len() - rest.trim_start_matches(']').len();
    let head_end = key.end_byte() + if brackets > 0 { brackets } else { end };
    cx.define(found, Definition { head_end, ..Definition::of(SymbolKind::Section, own, node) });
}
