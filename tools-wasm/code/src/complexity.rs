//! How hard functions are to follow, counted while the tree is gone through.
//!
//! Cyclomatic complexity is 1 and one for each branch (`if`, `elif`, conditional expression, `let …
//! else`), loop (comprehensions too), case that isn't the default, handler, and `&&` or `||` however
//! they are spelt. Nesting is how many branches, loops, switches and handlers stand in each other at
//! most; an `else if` stands beside its `if`. Functions without a name of their own count for the one
//! around them, named ones for themselves.

use crate::collect::{Found, Opened};
use crate::model::Complexity;
use tree_sitter::Node;

/// What a language's grammar calls decisions.
#[derive(Debug, Default)]
pub(crate) struct Branches {
    /// Branches, loops and handlers: they count and nest.
    pub(crate) deeper: &'static [&'static str],
    /// What holds cases: it nests, its cases count.
    pub(crate) holders: &'static [&'static str],
    /// Cases: they count unless they are the default.
    pub(crate) cases: &'static [&'static str],
    /// They count and don't nest.
    pub(crate) beside: &'static [&'static str],
    /// They count where they have an `alternative`.
    pub(crate) guarded: &'static [&'static str],
    /// What `&&` and `||` stand in as operators.
    pub(crate) logical: &'static [&'static str],
}

/// The functions that the node at hand is in.
#[derive(Debug, Default)]
pub(crate) struct Complexities(Vec<Function>);

#[derive(Debug)]
struct Function {
    depth: usize,
    symbol: Option<usize>,
    counted: Complexity,
    /// How deep in the tree the branches are that the node at hand is in.
    nests: Vec<usize>,
}

impl Complexities {
    /// The node at this depth is a function.
    pub(crate) fn open(&mut self, opened: Opened, depth: usize) {
        let Opened { symbol, parameters } = opened;
        let counted = Complexity { cyclomatic: 1, nesting: 0, parameters };
        self.0.push(Function { depth, symbol, counted, nests: Vec::new() });
    }

    /// Looks at a node, whose parent is at the end of `path`.
    pub(crate) fn enter(&mut self, node: Node<'_>, path: &[Node<'_>], text: &str, branches: &Branches) {
        let (Some(function), Some(parent)) = (self.0.last_mut(), path.last()) else { return };
        let kind = node.kind();
        let (counts, nests) = if !node.is_named() {
            let is_logical = matches!(kind, "&&" | "||" | "and" | "or");
            (is_logical && branches.logical.contains(&parent.kind()), false)
        } else if branches.deeper.contains(&kind) {
            (true, !is_else_if(node, *parent))
        } else if branches.holders.contains(&kind) {
            (false, true)
        } else if branches.cases.contains(&kind) {
            (!is_default(text.get(node.byte_range()).unwrap_or_default()), false)
        } else if branches.guarded.contains(&kind) {
            (node.child_by_field_name("alternative").is_some(), false)
        } else {
            (branches.beside.contains(&kind), false)
        };
        function.counted.cyclomatic += u32::from(counts);
        if nests {
            function.nests.push(path.len());
            let deep = u32::try_from(function.nests.len()).unwrap_or(u32::MAX);
            function.counted.nesting = function.counted.nesting.max(deep);
        }
    }

    /// The node at this depth has been gone through.
    pub(crate) fn leave(&mut self, depth: usize, found: &mut Found) {
        let Some(function) = self.0.last_mut() else { return };
        if function.nests.last() == Some(&depth) {
            function.nests.pop();
        }
        if function.depth == depth
            && let Some(done) = self.0.pop()
            && let Some(symbol) = done.symbol.and_then(|at| found.symbols.get_mut(at))
        {
            symbol.complexity = Some(done.counted);
        }
    }
}

/// Whether an `if` is what another `if` does else.
fn is_else_if(node: Node<'_>, parent: Node<'_>) -> bool {
    node.kind().starts_with("if")
        && (parent.kind() == "else_clause"
            || (parent.kind() == node.kind() && parent.child_by_field_name("alternative") == Some(node)))
}

/// Whether a case is for all that no other is for: `default`, `_`, `*)`.
fn is_default(case: &str) -> bool {
    let case = case.strip_prefix("case ").unwrap_or(case).trim_start_matches(['(', ' ']);
    let after = |word: &str| case.strip_prefix(word).map(str::trim_start);
    after("default").is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '-', '=']))
        || after("_").is_some_and(|rest| rest.starts_with([':', '=']))
        || after("*").is_some_and(|rest| rest.starts_with(')'))
}

#[cfg(test)]
mod tests {
    use super::is_default;

    #[test]
    fn the_default_case_is_told_in_every_language() {
        for case in ["default:", "default -> 1", "default : x", "case _:", "_ => 1", "*)", "(*)", "default"] {
            assert!(is_default(case), "{case}");
        }
        for case in
            ["case 1:", "case _x:", "_a => 1", "*.c)", "defaults => 1", "default_of(x) => 1", "_ if a => b"]
        {
            assert!(!is_default(case), "{case}");
        }
    }
}
