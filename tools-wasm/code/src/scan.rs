//! Going through a syntax tree once, without recursion, however deep it is.

use crate::collect::{Found, joined, line, name};
use crate::comments::{Comments, rows};
use crate::excerpt::one_line;
use crate::model::{Place, Symbol, SymbolKind};
use crate::rules::Rules;
use tree_sitter::{Node, Tree};

const MOST_ERRORS: usize = 10;
/// The longest head of a definition, in bytes.
const LONGEST_SIGNATURE: usize = 300;

/// What a scan found.
pub(crate) struct Scanned {
    pub(crate) found: Found,
    pub(crate) errors: u32,
    pub(crate) first_errors: Vec<Place>,
}

/// What a node opens for what is below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) name: String,
    pub(crate) kind: ScopeKind,
}

/// What kind of thing definitions stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// Functions in it are methods.
    Type,
    /// As `Type`, and its members are as reachable as it is, whatever they say.
    OpenType,
    Function,
    Module,
}

impl Scope {
    pub(crate) fn new(kind: ScopeKind, text: &str) -> Option<Self> {
        Some(Self { name: name(text), kind })
    }
}

/// Where in the tree a node is.
pub(crate) struct Cx<'a, 't> {
    pub(crate) text: &'a str,
    /// From the root to the node's parent.
    path: &'a [Node<'t>],
    scopes: &'a [(usize, Scope)],
    comments: &'a Comments,
}

/// A definition as the rules of a language see it.
pub(crate) struct Definition<'t, 'n> {
    pub(crate) kind: SymbolKind,
    pub(crate) name: &'n str,
    /// From where to where it goes, attributes and comments left out.
    pub(crate) from: usize,
    pub(crate) node: Node<'t>,
    /// Where its head ends, in bytes.
    pub(crate) head_end: usize,
    pub(crate) exported: bool,
    /// Where that isn't what it stands in.
    pub(crate) owner: Option<String>,
    /// Where that isn't in a comment before it.
    pub(crate) doc: Option<String>,
    /// What a comment would stand before, if not `node`.
    pub(crate) outer: Node<'t>,
}

impl<'t> Cx<'_, 't> {
    /// The text of a node.
    pub(crate) fn of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a node's field, empty if it has none.
    pub(crate) fn field(&self, node: Node<'_>, field: &str) -> &str {
        node.child_by_field_name(field).map_or("", |node| self.of(node))
    }

    /// The node's parent (0), its parent (1) and so on.
    pub(crate) fn ancestor(&self, nth: usize) -> Option<Node<'t>> {
        self.path.len().checked_sub(nth + 1).and_then(|at| self.path.get(at)).copied()
    }

    /// The kind of the node's parent.
    pub(crate) fn parent_kind(&self) -> &'t str {
        self.ancestor(0).map_or("", |node| node.kind())
    }

    /// `node`, or the outermost of the nodes around it that are of these kinds, one in the other.
    pub(crate) fn outermost(&self, node: Node<'t>, kinds: &[&str]) -> Node<'t> {
        self.path.iter().rev().take_while(|node| kinds.contains(&node.kind())).last().copied().unwrap_or(node)
    }

    /// What kind of thing the node stands in, if any.
    pub(crate) fn inside(&self) -> Option<ScopeKind> {
        self.scopes.last().map(|(_, scope)| scope.kind)
    }

    /// Whether functions here are methods.
    pub(crate) fn in_type(&self) -> bool {
        matches!(self.inside(), Some(ScopeKind::Type | ScopeKind::OpenType))
    }

    /// Whether the node is local to a function.
    pub(crate) fn in_function(&self) -> bool {
        self.scopes.iter().any(|(_, scope)| scope.kind == ScopeKind::Function)
    }

    /// What the node stands in.
    pub(crate) fn owner(&self) -> Option<String> {
        joined(self.scopes.iter().map(|(_, scope)| scope.name.as_str()))
    }

    /// Records a definition.
    pub(crate) fn define(&self, found: &mut Found, definition: Definition<'_, '_>) {
        let Definition { kind, name: own, from, node, head_end, exported, owner, doc, outer } = definition;
        found.symbol(kind, || {
            let first = row_of(node, from, self.text);
            Symbol {
                kind,
                name: name(own),
                owner: owner.or_else(|| self.owner()),
                first_line: line(first),
                last_line: line(rows(node).1),
                signature: one_line(
                    self.text.get(from..head_end).unwrap_or_default().trim_end().trim_end_matches(['{', ';']),
                    LONGEST_SIGNATURE,
                ),
                exported,
                doc: doc.or_else(|| self.comments.before(outer, self.text)),
            }
        });
    }
}

/// The row of a byte in or before a node.
fn row_of(node: Node<'_>, at: usize, text: &str) -> usize {
    let start = node.start_byte();
    let breaks = |range| text.get(range).map_or(0, |part: &str| part.bytes().filter(|b| *b == b'\n').count());
    let row = node.start_position().row;
    if at >= start { row + breaks(start..at) } else { row.saturating_sub(breaks(at..start)) }
}

/// Goes through the tree and asks the rules about each named node.
pub(crate) fn scan(tree: &Tree, text: &str, rules: &mut dyn Rules) -> Scanned {
    let mut scanned = Scanned { found: Found::default(), errors: 0, first_errors: Vec::new() };
    let mut path: Vec<Node<'_>> = Vec::new();
    let mut scopes: Vec<(usize, Scope)> = Vec::new();
    let mut comments = Comments::default();
    // Errors inside errors are one.
    let mut erroneous_until = 0;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if (node.is_error() || node.is_missing())
            && (node.start_byte() >= erroneous_until || node.is_missing())
        {
            erroneous_until = erroneous_until.max(node.end_byte());
            scanned.errors += 1;
            if scanned.first_errors.len() < MOST_ERRORS {
                let at = node.start_position();
                scanned.first_errors.push(Place { line: line(at.row), column: line(at.column) });
            }
        }
        if node.is_named() {
            let kind = node.kind();
            if rules.is_comment(kind) {
                scanned.found.comments.push(node.byte_range());
                comments.add(node, text, rules.is_doc(text.get(node.byte_range()).unwrap_or_default()));
            } else if matches!(kind, "attribute_item" | "decorator") {
                comments.bridge(node);
            }
            let cx = Cx { text, path: &path, scopes: &scopes, comments: &comments };
            if let Some(scope) = rules.visit(node, &cx, &mut scanned.found) {
                scopes.push((path.len(), scope));
            }
        }
        if cursor.goto_first_child() {
            path.push(node);
            continue;
        }
        loop {
            if scopes.last().is_some_and(|(depth, _)| *depth == path.len()) {
                scopes.pop();
            }
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                rules.finish(&mut scanned.found);
                return scanned;
            }
            path.pop();
        }
    }
}
