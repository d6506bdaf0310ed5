//! HTML.

use super::Rules;
use crate::collect::Found;
use crate::model::{ImportKind, SymbolKind};
use crate::scan::{Cx, Definition, Scope};
use tree_sitter::Node;

/// Elements with an id, and the code that a page takes along.
pub(crate) struct Html;

impl Rules for Html {
    fn is_doc(&self, _comment: &str) -> bool {
        false
    }

    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope> {
        if !matches!(node.kind(), "start_tag" | "self_closing_tag") {
            return None;
        }
        let element = cx.ancestor(0)?;
        let tag = node.named_child(0).map_or("", |tag| cx.of(tag));
        let row = node.start_position().row;
        let attribute = |wanted: &str| attribute(node, wanted, cx);
        if let Some(id) = attribute("id").filter(|id| !id.is_empty()) {
            let (from, head_end) = (node.start_byte(), node.end_byte());
            cx.define(
                found,
                Definition { from, head_end, ..Definition::of(SymbolKind::Element, id, element) },
            );
        }
        let is = |name: &str| tag.eq_ignore_ascii_case(name);
        if is("script") {
            if let Some(source) = attribute("src") {
                found.import(ImportKind::Include, source, [], row);
            }
        } else if is("link") {
            let relation = attribute("rel").unwrap_or_default().to_ascii_lowercase();
            let is_code =
                relation.split_whitespace().any(|word| matches!(word, "stylesheet" | "modulepreload"));
            if let Some(target) = attribute("href").filter(|_| is_code) {
                found.import(ImportKind::Include, target, [], row);
            }
        }
        None
    }
}

/// The value of a tag's attribute.
fn attribute<'a>(tag: Node<'_>, wanted: &str, cx: &'a Cx<'_, '_>) -> Option<&'a str> {
    let mut cursor = tag.walk();
    let found =
        tag.named_children(&mut cursor).filter(|child| child.kind() == "attribute").find(|attribute| {
            attribute.named_child(0).is_some_and(|name| cx.of(name).eq_ignore_ascii_case(wanted))
        })?;
    found.named_child(1).map(|value| cx.of(value).trim_matches(['"', '\'']).trim())
}

/// How deep elements may be nested: each token costs the parser as much as it is deep.
const DEEPEST: usize = 2000;

/// Elements that are never closed, or needn't be.
const UNCLOSED: [&str; 29] = [
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
    "input", "li", "link", "meta", "option", "p", "param", "rp", "rt", "source", "tbody", "td", "th", "tr",
    "track", "wbr",
];

/// How much of a page is parsed, in bytes: up to where it is nested deeper than a page ever is.
pub(crate) fn parsed(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, _) in text.match_indices('<') {
        let rest = text.get(at + 1..).unwrap_or_default();
        if rest.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else if rest.starts_with(|first: char| first.is_ascii_alphabetic()) {
            let end = rest.bytes().take(20).take_while(u8::is_ascii_alphanumeric).count();
            let tag = rest.get(..end).unwrap_or_default();
            depth += usize::from(!UNCLOSED.iter().any(|unclosed| tag.eq_ignore_ascii_case(unclosed)));
            if depth > DEEPEST {
                return at;
            }
        }
    }
    text.len()
}
