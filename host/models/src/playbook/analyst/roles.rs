//! What well-known dependencies are for, from the table in `roles.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

type Table = BTreeMap<String, BTreeMap<String, Vec<String>>>;

// The table is part of the program and a test reads it.
static ROLES: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("roles.toml")).expect("the built-in roles are valid TOML"));

/// The role of a dependency in its ecosystem, if it is known.
pub(super) fn role(ecosystem: &str, dependency: &str) -> Option<&'static str> {
    let name = dependency.to_lowercase();
    let name = if ecosystem == "Python" { name.replace('_', "-") } else { name };
    let fits = |known: &String| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => *known == name,
    };
    ROLES.get(ecosystem)?.iter().find(|(_, known)| known.iter().any(fits)).map(|(role, _)| role.as_str())
}

/// How early a role is named, lower first: what shapes a program most comes first.
pub(super) fn rank(role: &str) -> usize {
    const FIRST: [&str; 9] = [
        "web framework",
        "user interface",
        "WebAssembly",
        "machine learning",
        "language models",
        "data and numerics",
        "text search",
        "async runtime",
        "command line",
    ];
    FIRST.iter().position(|first| *first == role).unwrap_or(FIRST.len())
}

/// Whether a role says what kind of program a project is, rather than how it is worked on.
pub(super) fn is_defining(role: &str) -> bool {
    !matches!(role, "tests" | "lint and types" | "lint and format" | "lint" | "language" | "errors")
}
