//! The configuration language as data: every table and key, what its value can be, what it is for.
//!
//! Owns: the one description that the JSON Schema, the words about mistakes and the commented
//! beginning of `policy init` are made from. Doesn't own: reading a file (`file`), which decides
//! what is accepted; tests hold the two against each other.

mod check;
mod literal;
mod rest;
mod schema;
mod tables;
mod write;

pub(super) use check::{Faults, MOST, faults, positions};
pub use check::{Position, Problem, nearest};
pub use schema::schema;
pub use write::commented;

/// A table: its keys, in the order in which they are shown.
#[derive(Debug)]
pub(super) struct Table {
    /// What the schema calls it.
    pub(super) name: &'static str,
    pub(super) keys: &'static [Key],
}

/// One key of a table.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// What it is for, in a line.
    pub(super) about: &'static str,
    /// The value that says what holds anyway, as TOML; none where nothing does.
    pub(super) usual: Option<&'static str>,
    /// Whether the table is useless without it.
    pub(super) required: bool,
    /// Whether only the user's own file may have it.
    pub(super) user_only: bool,
    /// Whether it is one of several of which a table has exactly one.
    pub(super) alternative: bool,
}

/// What a value can be.
#[derive(Debug)]
pub(super) enum Kind {
    /// `true` or `false`.
    Bool,
    /// Any text.
    Text,
    /// A whole number from the first to the second, both included.
    Count(u64, u64),
    /// Any number.
    Number,
    /// `"30s"`
    Time,
    /// `65536`, `"64KiB"`
    Size,
    /// `2`, `0.5`, `"$1.50"`
    Money,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A folder or file of the project.
    Path,
    /// A pattern of things to hide.
    Mask,
    /// A scheme, a host, and a path if need be.
    Url,
    /// Names of methods, one at least.
    Methods,
    /// The name of a header.
    Header,
    /// The name of an entry of a keyring.
    KeyringEntry,
    /// The name of a variable of the environment.
    Variable,
    /// The name of a secret.
    Secret,
    /// The name of a tool.
    ToolName,
    /// Several, in order.
    List(&'static Kind),
    /// A path, or a table that has one.
    PathOr(&'static Table),
    /// A file's path, or a table that has one.
    FileOr(&'static Table),
    /// The URL of a host, or a table that has one.
    HostOr(&'static Table),
    /// A table.
    Table(&'static Table),
    /// Tables under names of the user's choice: what a name stands for, and the table.
    Named(&'static str, &'static Table),
    /// A value for each of some words.
    Each(&'static [&'static str], &'static Kind),
}

/// The whole file.
pub(super) fn root() -> &'static Table {
    &tables::ROOT
}

#[cfg(test)]
mod tests;
