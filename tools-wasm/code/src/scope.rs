//! What definitions stand in, from the outermost in.

use crate::collect::{joined, name};

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

/// The scopes around a node, with the depth at which each was opened.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    stack: Vec<(usize, Scope)>,
    functions: usize,
    types: usize,
    modules: usize,
}

impl Scopes {
    pub(crate) fn open(&mut self, depth: usize, scope: Scope) {
        *self.tally(scope.kind) += 1;
        self.stack.push((depth, scope));
    }

    /// Closes what was opened at this depth.
    pub(crate) fn leave(&mut self, depth: usize) {
        if self.stack.last().is_some_and(|(opened, _)| *opened == depth)
            && let Some((_, scope)) = self.stack.pop()
        {
            *self.tally(scope.kind) -= 1;
        }
    }

    fn tally(&mut self, kind: ScopeKind) -> &mut usize {
        match kind {
            ScopeKind::Function => &mut self.functions,
            ScopeKind::Type | ScopeKind::OpenType => &mut self.types,
            ScopeKind::Module => &mut self.modules,
        }
    }

    /// The innermost.
    pub(crate) fn inside(&self) -> Option<ScopeKind> {
        self.stack.last().map(|(_, scope)| scope.kind)
    }

    /// Whether one of them is a function.
    pub(crate) fn in_function(&self) -> bool {
        self.functions > 0
    }

    /// Whether all of them are modules.
    pub(crate) fn at_top(&self) -> bool {
        self.functions + self.types == 0
    }

    /// Their names, joined.
    pub(crate) fn owner(&self) -> Option<String> {
        joined(self.stack.iter().map(|(_, scope)| scope.name.as_str()))
    }
}
