//! What the languages call things. Each file has one language's rules.

use crate::collect::Found;
use crate::complexity::Branches;
use crate::scan::{Cx, Scope};
use tree_sitter::Node;

pub(crate) mod bash;
pub(crate) mod c;
pub(crate) mod cpp;
pub(crate) mod csharp;
pub(crate) mod css;
pub(crate) mod data;
pub(crate) mod go;
pub(crate) mod html;
pub(crate) mod java;
pub(crate) mod javascript;
pub(crate) mod php;
pub(crate) mod python;
pub(crate) mod ruby;
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

    /// What counts for the complexity of functions.
    fn branches(&self) -> &'static Branches {
        const NONE: Branches =
            Branches { deeper: &[], holders: &[], cases: &[], beside: &[], guarded: &[], logical: &[] };
        &NONE
    }

    /// Puts right what only the whole file can tell.
    fn finish(&mut self, _found: &mut Found) {}
}

/// Where a definition's head ends: where its body starts.
pub(crate) fn head_end(node: Node<'_>) -> usize {
    node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte())
}

/// How many parameters a function takes: what its list holds, without what `left_out` says; none if
/// it has no body.
pub(crate) fn parameters(function: Node<'_>, left_out: impl Fn(Node<'_>) -> bool) -> Option<u32> {
    function.child_by_field_name("body")?;
    Some(function.child_by_field_name("parameters").map_or(0, |list| count_parameters(list, left_out)))
}

/// How many parameters a list holds, without what `left_out` says.
pub(crate) fn count_parameters(list: Node<'_>, left_out: impl Fn(Node<'_>) -> bool) -> u32 {
    let mut cursor = list.walk();
    let taken = list.named_children(&mut cursor).filter(|one| !one.is_extra() && !left_out(*one));
    u32::try_from(taken.count()).unwrap_or(u32::MAX)
}
