//! TOML with line numbers: values by path, each with the line that it begins on.

use super::{Spot, Text, line_at};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A parsed document; what could be read of it where it isn't valid.
pub(super) struct Document<'t> {
    text: &'t Text,
    root: Spanned<DeTable<'t>>,
    pub(super) broken: bool,
}

/// A value somewhere in a document.
#[derive(Clone, Copy)]
pub(super) struct Node<'d> {
    text: &'d Text,
    value: &'d DeValue<'d>,
    start: usize,
    end: usize,
}

impl<'t> Document<'t> {
    pub(super) fn parse(text: &'t Text) -> Self {
        let (root, errors) = DeTable::parse_recoverable(&text.text);
        Self { text, root, broken: !errors.is_empty() }
    }

    /// The value at a path of keys.
    pub(super) fn get<'d>(&'d self, path: &[&str]) -> Option<Node<'d>> {
        let (first, rest) = path.split_first()?;
        let mut node = entry(self.text, self.root.get_ref(), first)?;
        for key in rest {
            node = node.get(key)?;
        }
        Some(node)
    }

    /// A text at a path, with its line.
    pub(super) fn spot(&self, path: &[&str]) -> Option<Spot> {
        self.get(path).and_then(Node::spot)
    }
}

fn entry<'d>(text: &'d Text, table: &'d DeTable<'_>, key: &str) -> Option<Node<'d>> {
    let (_, value) = table.iter().find(|(name, _)| name.get_ref() == key)?;
    Some(node(text, value))
}

fn node<'d>(text: &'d Text, value: &'d Spanned<DeValue<'_>>) -> Node<'d> {
    Node { text, value: value.get_ref(), start: value.span().start, end: value.span().end }
}

impl<'d> Node<'d> {
    pub(super) fn get(self, key: &str) -> Option<Node<'d>> {
        entry(self.text, self.value.as_table()?, key)
    }

    pub(super) fn as_str(self) -> Option<&'d str> {
        self.value.as_str()
    }

    pub(super) fn is_true(self) -> bool {
        self.value.as_bool() == Some(true)
    }

    pub(super) fn line(self) -> u32 {
        line_at(self.text, self.start)
    }

    /// The text itself and the lines it stands on.
    pub(super) fn spot(self) -> Option<Spot> {
        let last = line_at(self.text, self.end.saturating_sub(1).max(self.start));
        Some(Spot {
            text: self.as_str()?.split_whitespace().collect::<Vec<_>>().join(" "),
            lines: (self.line(), last),
        })
    }

    /// The members of a list; nothing for another value.
    pub(super) fn items(self) -> impl Iterator<Item = Node<'d>> {
        let text = self.text;
        self.value.as_array().into_iter().flat_map(|list| list.iter()).map(move |value| node(text, value))
    }

    /// The entries of a table with their keys and the keys' lines, in the order of the lines.
    pub(super) fn entries(self) -> Vec<(&'d str, u32, Node<'d>)> {
        let text = self.text;
        let mut entries: Vec<_> = self
            .value
            .as_table()
            .into_iter()
            .flat_map(|table| table.iter())
            .map(|(key, value)| (key.get_ref().as_ref(), line_at(text, key.span().start), node(text, value)))
            .collect();
        entries.sort_by_key(|(_, line, _)| *line);
        entries
    }
}
