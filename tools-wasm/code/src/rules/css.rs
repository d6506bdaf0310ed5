//! CSS.

use super::Rules;
use crate::collect::Found;
use crate::excerpt::one_line;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope};
use tree_sitter::Node;

/// The longest selector, in bytes.
const LONGEST_SELECTOR: usize = 200;

pub(crate) struct Css;

impl Rules for Css {
    fn is_comment(&self, kind: &str) -> bool {
        matches!(kind, "comment" | "js_comment")
    }

    fn is_doc(&self, _comment: &str) -> bool {
        true
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        match node.kind() {
            "rule_set" => {
                let mut cursor = node.walk();
                let children: Vec<_> = node.named_children(&mut cursor).collect();
                let selectors = children.iter().find(|child| child.kind() == "selectors")?;
                let head_end = selectors.end_byte();
                let own = one_line(cx.of(*selectors), LONGEST_SELECTOR);
                cx.define(found, Definition { head_end, ..Definition::of(SymbolKind::Selector, &own, node) });
            }
            "import_statement" => {
                let source = node.named_child(0)?;
                let text = cx.of(source);
                let text = text.strip_prefix("url(").and_then(|text| text.strip_suffix(')')).unwrap_or(text);
                let text = text.trim().trim_matches(['"', '\'']);
                found.import(ImportKind::Import, text, [], node.start_position().row);
            }
            _ => {}
        }
        None
    }
}
