//! What has been found so far, bounded.

use crate::excerpt::{bounded, one_line};
use crate::model::{Counts, Import, ImportKind, Symbol, SymbolKind};
use std::collections::HashSet;
use std::ops::Range;

const MOST_SYMBOLS: usize = 2000;
const MOST_IMPORTS: usize = 1000;
const MOST_NAMES: usize = 100;
const MOST_EXPORTS: usize = 500;
/// How much outline, imports and exports may hold, in bytes: as JSON the answer fits into the host's usual
/// bound of 256 KiB.
const OUTLINE_BYTES: usize = 140 * 1024;
const IMPORT_BYTES: usize = 50 * 1024;
const EXPORT_BYTES: usize = 20 * 1024;
/// What a symbol, an import and a name take besides their text.
const SYMBOL_FRAME: usize = 140;
const COMPLEXITY_FRAME: usize = 60;
const IMPORT_FRAME: usize = 60;
const NAME_FRAME: usize = 3;
/// The longest name, module or owner, in bytes.
const LONGEST_NAME: usize = 200;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) imports: Vec<Import>,
    pub(crate) counts: Counts,
    /// Ranges of bytes that are comment.
    pub(crate) comments: Vec<Range<usize>>,
    pub(crate) package: Option<String>,
    pub(crate) cut: bool,
    /// A function that was just defined and has a body.
    pub(crate) opened: Option<Opened>,
    exports: Vec<String>,
    exported: HashSet<String>,
    outline_bytes: usize,
    import_bytes: usize,
    export_bytes: usize,
}

/// A function whose body comes next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opened {
    /// Its place among the symbols, if there was room for it.
    pub(crate) symbol: Option<usize>,
    pub(crate) parameters: u32,
}

impl Found {
    /// Counts a symbol, and keeps it while there is room: then `make` is asked for the rest.
    /// Returns its place if it was kept.
    pub(crate) fn symbol(&mut self, kind: SymbolKind, make: impl FnOnce() -> Symbol) -> Option<usize> {
        if let Some(count) = self.count_of(kind) {
            *count += 1;
        }
        if self.symbols.len() >= MOST_SYMBOLS || self.outline_bytes >= OUTLINE_BYTES {
            self.cut = true;
            return None;
        }
        let symbol = make();
        let optional = [&symbol.owner, &symbol.doc].into_iter().flatten().map(String::len).sum::<usize>();
        let complexity = symbol.complexity.map_or(0, |_| COMPLEXITY_FRAME);
        self.outline_bytes +=
            symbol.name.len() + symbol.signature.len() + optional + SYMBOL_FRAME + complexity;
        self.symbols.push(symbol);
        Some(self.symbols.len() - 1)
    }

    /// Keeps a name that other code can take, once, while there is room.
    pub(crate) fn export(&mut self, text: &str) {
        if text.is_empty() || self.exported.contains(text) {
            return;
        }
        if self.exports.len() >= MOST_EXPORTS || self.export_bytes >= EXPORT_BYTES {
            self.cut = true;
            return;
        }
        let name = name(text);
        self.export_bytes += name.len() + NAME_FRAME;
        self.exported.insert(name.clone());
        self.exports.push(name);
    }

    /// Forgets the names that other code can take: the file lists them itself.
    pub(crate) fn forget_exports(&mut self) {
        self.exports.clear();
        self.exported.clear();
        self.export_bytes = 0;
    }

    /// The names that other code can take.
    pub(crate) fn take_exports(&mut self) -> Vec<String> {
        std::mem::take(&mut self.exports)
    }

    /// Takes back symbols that turned out to be none.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(usize, &Symbol) -> bool) {
        let all = std::mem::take(&mut self.symbols);
        for (at, symbol) in all.into_iter().enumerate() {
            if keep(at, &symbol) {
                self.symbols.push(symbol);
            } else if let Some(count) = self.count_of(symbol.kind) {
                *count -= 1;
            }
        }
    }

    fn count_of(&mut self, kind: SymbolKind) -> Option<&mut u32> {
        match kind {
            SymbolKind::Function => Some(&mut self.counts.functions),
            SymbolKind::Method => Some(&mut self.counts.methods),
            SymbolKind::Class
            | SymbolKind::Struct
            | SymbolKind::Interface
            | SymbolKind::Trait
            | SymbolKind::Enum
            | SymbolKind::Union => Some(&mut self.counts.classes),
            SymbolKind::TypeAlias
            | SymbolKind::Module
            | SymbolKind::Macro
            | SymbolKind::Constant
            | SymbolKind::Variable
            | SymbolKind::Property
            | SymbolKind::Section
            | SymbolKind::Element
            | SymbolKind::Selector => None,
        }
    }

    /// Keeps a reference to other code while there is room.
    pub(crate) fn import<'n>(
        &mut self,
        kind: ImportKind,
        module: &str,
        names: impl IntoIterator<Item = &'n str>,
        row: usize,
    ) {
        if self.imports.len() >= MOST_IMPORTS || self.import_bytes >= IMPORT_BYTES {
            self.cut = true;
            return;
        }
        let mut names: Vec<_> =
            names.into_iter().take(MOST_NAMES + 1).map(|name| one_line(name, LONGEST_NAME)).collect();
        if names.len() > MOST_NAMES {
            names.truncate(MOST_NAMES);
            self.cut = true;
        }
        let module = one_line(module, LONGEST_NAME);
        self.import_bytes += module.len() + IMPORT_FRAME;
        self.import_bytes += names.iter().map(|name| name.len() + NAME_FRAME).sum::<usize>();
        self.imports.push(Import { kind, module, names, line: line(row) });
    }
}

/// A row, counted from 0, as a line, counted from 1.
pub(crate) fn line(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX).saturating_add(1)
}

/// A name, bounded.
pub(crate) fn name(text: &str) -> String {
    bounded(text.to_owned(), LONGEST_NAME)
}

/// Names from the outermost in, joined with dots; bounded.
pub(crate) fn joined<'n>(names: impl Iterator<Item = &'n str>) -> Option<String> {
    let mut out = String::new();
    for name in names {
        if !out.is_empty() {
            out.push('.');
        }
        out.push_str(name);
        if out.len() > LONGEST_NAME {
            break;
        }
    }
    (!out.is_empty()).then(|| bounded(out, LONGEST_NAME))
}
