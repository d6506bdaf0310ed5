//! What the languages call things. Each file has one language's rules.

use crate::collect::Found;
use crate::scan::{Cx, Scope};
use tree_sitter::Node;

pub(crate) mod c;
pub(crate) mod go;
pub(crate) mod java;
pub(crate) mod javascript;
pub(crate) mod none;
pub(crate) mod python;
pub(crate) mod rust;

/// One language's rules.
pub(crate) trait Rules {
    /// Whether a node of this kind is a comment.
    fn is_comment(&self, kind: &str) -> bool {
        kind == "comment"
    }

    /// Whether a comment documents what comes next.
    fn is_doc(&self, comment: &str) -> bool;

    /// Looks at a node: records what it defines or needs, says what it opens.
    fn visit<'t>(&mut self, node: Node<'t>, cx: &Cx<'_, 't>, found: &mut Found) -> Option<Scope>;

    /// Puts right what only the whole file can tell.
    fn finish(&mut self, _found: &mut Found) {}
}

/// Where a definition's head ends: where its body starts.
pub(crate) fn head_end(node: Node<'_>) -> usize {
    node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte())
}
