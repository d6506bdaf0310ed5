//! TOML with the line of each key.

use super::text::Text;
use ::toml::Spanned;
use ::toml::de::{DeString, DeTable, DeValue};

/// A value and the line of its key.
pub(super) struct Entry<'d, 't> {
    pub(super) line: u32,
    pub(super) value: &'d DeValue<'t>,
}

/// A table.
pub(super) struct Table<'d, 't> {
    inner: &'d DeTable<'t>,
    text: &'d Text<'t>,
}

impl<'d, 't> Table<'d, 't> {
    pub(super) fn new(inner: &'d DeTable<'t>, text: &'d Text<'t>) -> Self {
        Self { inner, text }
    }

    /// The table at a path of keys.
    pub(super) fn at(&self, path: &[&str]) -> Option<Self> {
        let mut table = self.inner;
        for key in path {
            table = match table.get(*key)?.get_ref() {
                DeValue::Table(inner) => inner,
                _ => return None,
            };
        }
        Some(Self { inner: table, text: self.text })
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&'d str, Entry<'d, 't>)> {
        let text = self.text;
        self.inner.iter().map(move |(key, value): (&Spanned<DeString<'t>>, _)| {
            let line = text.line_of(key.span().start);
            (&**key.get_ref(), Entry { line, value: value.get_ref() })
        })
    }

    pub(super) fn get(&self, key: &str) -> Option<Entry<'d, 't>> {
        self.entries().find(|(name, _)| *name == key).map(|(_, entry)| entry)
    }

    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.get(key)?.text().map(str::to_owned)
    }

    /// The texts of a list with the line of each.
    pub(super) fn list(&self, key: &str) -> Vec<(u32, &'d str)> {
        let Some(entry) = self.get(key) else { return Vec::new() };
        entry.list(self.text)
    }
}

impl<'d, 't> Entry<'d, 't> {
    pub(super) fn text(&self) -> Option<&'d str> {
        match self.value {
            DeValue::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn table(&self, text: &'d Text<'t>) -> Option<Table<'d, 't>> {
        match self.value {
            DeValue::Table(inner) => Some(Table::new(inner, text)),
            _ => None,
        }
    }

    pub(super) fn list(&self, text: &Text<'t>) -> Vec<(u32, &'d str)> {
        let DeValue::Array(items) = self.value else { return Vec::new() };
        let one = |item: &'d Spanned<DeValue<'t>>| match item.get_ref() {
            DeValue::String(value) => Some((text.line_of(item.span().start), &**value)),
            _ => None,
        };
        items.iter().filter_map(one).collect()
    }
}
