//! A language whose definitions aren't told apart yet.

use super::Rules;
use crate::collect::Found;
use crate::scan::{Cx, Scope};
use tree_sitter::Node;

pub(crate) struct None;

impl Rules for None {
    fn is_doc(&self, _comment: &str) -> bool {
        false
    }

    fn visit<'t>(&mut self, _node: Node<'t>, _cx: &Cx<'_, 't>, _found: &mut Found) -> Option<Scope> {
        Option::None
    }
}
