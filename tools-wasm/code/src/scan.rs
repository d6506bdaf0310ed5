//! Going through a syntax tree once, without recursion, however deep it is.

use crate::collect::{Found, Opened, line, name};
use crate::comments::Comments;
use crate::complexity::Complexities;
use crate::excerpt::one_line;
use crate::model::{Complexity, Place, Symbol, SymbolKind};
use crate::rules::{Rules, head_end};
use crate::scope::Scopes;
pub(crate) use crate::scope::{Scope, ScopeKind};
use tree_sitter::{Node, Tree};

const MOST_ERRORS: usize = 10;
/// The longest head of a definition, in bytes.
const LONGEST_SIGNATURE: usize = 300;
/// The longest beginning of what has a value, in bytes.
const LONGEST_VALUE: usize = 120;

/// What a scan found.
pub(crate) struct Scanned {
    pub(crate) found: Found,
    pub(crate) errors: u32,
    pub(crate) first_errors: Vec<Place>,
}

/// Where in the tree a node is.
pub(crate) struct Cx<'a, 't> {
    pub(crate) text: &'a str,
    /// From the root to the node's parent.
    path: &'a [Node<'t>],
    scopes: &'a Scopes,
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
    /// How many parameters it takes, if it is a function with a body.
    pub(crate) parameters: Option<u32>,
}

impl<'t, 'n> Definition<'t, 'n> {
    /// A definition that is all of a node and that nothing else can reach.
    pub(crate) fn of(kind: SymbolKind, name: &'n str, node: Node<'t>) -> Self {
        Self {
            kind,
            name,
            from: node.start_byte(),
            node,
            head_end: head_end(node),
            exported: false,
            owner: None,
            doc: None,
            outer: node,
            parameters: None,
        }
    }
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

    /// How many nodes there are around the node.
    pub(crate) fn depth(&self) -> usize {
        self.path.len()
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
        self.scopes.inside()
    }

    /// Whether functions here are methods.
    pub(crate) fn in_type(&self) -> bool {
        matches!(self.inside(), Some(ScopeKind::Type | ScopeKind::OpenType))
    }

    /// Whether the node is local to a function.
    pub(crate) fn in_function(&self) -> bool {
        self.scopes.in_function()
    }

    /// Whether the node is at the top of the file or of a module.
    pub(crate) fn at_top(&self) -> bool {
        self.scopes.at_top()
    }

    /// What the node stands in.
    pub(crate) fn owner(&self) -> Option<String> {
        self.scopes.owner()
    }

    /// Records a definition.
    pub(crate) fn define(&self, found: &mut Found, definition: Definition<'_, '_>) {
        let Definition { kind, name: own, from, node, head_end, exported, owner, doc, outer, parameters } =
            definition;
        if exported && owner.is_none() && self.at_top() {
            found.export(own);
        }
        let symbol = found.symbol(kind, || {
            let first = row_of(node, from, self.text);
            Symbol {
                kind,
                name: name(own),
                owner: owner.or_else(|| self.owner()),
                first_line: line(first),
                last_line: line(last_row(node, self.text).max(first)),
                signature: one_line(
                    self.text.get(from..head_end).unwrap_or_default().trim_end().trim_end_matches(['{', ';']),
                    match kind {
                        // A value is no head: its beginning will do.
                        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Section => LONGEST_VALUE,
                        _ => LONGEST_SIGNATURE,
                    },
                ),
                exported,
                doc: doc.or_else(|| self.comments.before(outer, self.text)),
                complexity: parameters.map(|parameters| Complexity { cyclomatic: 1, nesting: 0, parameters }),
            }
        });
        if let Some(parameters) = parameters {
            found.opened = Some(Opened { symbol, parameters });
        }
    }
}

/// The last row of a node with anything in it.
fn last_row(node: Node<'_>, text: &str) -> usize {
    let own = text.get(node.byte_range()).unwrap_or_default();
    let tail = own.get(own.trim_end().len()..).unwrap_or_default();
    let breaks = tail.bytes().filter(|byte| *byte == b'\n').count();
    node.end_position().row.saturating_sub(breaks).max(node.start_position().row)
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
    let mut scopes = Scopes::default();
    let mut complexities = Complexities::default();
    let branches = rules.branches();
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
        complexities.enter(node, &path, text, branches);
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
                scopes.open(path.len(), scope);
            }
            if let Some(opened) = scanned.found.opened.take() {
                complexities.open(opened, path.len());
            }
        }
        if cursor.goto_first_child() {
            path.push(node);
            continue;
        }
        loop {
            scopes.leave(path.len());
            complexities.leave(path.len(), &mut scanned.found);
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
