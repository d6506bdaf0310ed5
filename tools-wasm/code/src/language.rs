//! The languages that are known, and how they are told apart.

use crate::rules::{Rules, c, go, java, javascript, python, rust};

/// A programming language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Python.
    Python,
    /// JavaScript, JSX included.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C.
    C,
}

const EXTENSIONS: [(Language, &str, &[&str]); 8] = [
    (Language::Python, "Python", &["py", "pyi", "pyw"]),
    (Language::JavaScript, "JavaScript", &["js", "jsx", "mjs", "cjs"]),
    (Language::TypeScript, "TypeScript", &["ts", "mts", "cts"]),
    (Language::Tsx, "TSX", &["tsx"]),
    (Language::Rust, "Rust", &["rs"]),
    (Language::Go, "Go", &["go"]),
    (Language::Java, "Java", &["java"]),
    (Language::C, "C", &["c", "h"]),
];

impl Language {
    /// The language of a file, told by the extension; case doesn't matter.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let (_, extension) = name.rsplit_once('.')?;
        let known = |known: &&str| extension.eq_ignore_ascii_case(known);
        EXTENSIONS.iter().find(|(_, _, extensions)| extensions.iter().any(known)).map(|found| found.0)
    }

    /// All languages with their extensions, for a person to read.
    pub(crate) fn list() -> String {
        let one = |(_, name, extensions): &(Self, &str, &[&str])| {
            let dotted: Vec<_> = extensions.iter().map(|extension| format!(".{extension}")).collect();
            format!("{name} ({})", dotted.join(" "))
        };
        EXTENSIONS.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::Go => tree_sitter_go::LANGUAGE,
            Self::Java => tree_sitter_java::LANGUAGE,
            Self::C => tree_sitter_c::LANGUAGE,
        }
        .into()
    }

    pub(crate) fn rules(self) -> Box<dyn Rules> {
        match self {
            Self::Python => Box::new(python::Python),
            Self::JavaScript | Self::TypeScript | Self::Tsx => Box::<javascript::JavaScript>::default(),
            Self::Rust => Box::<rust::Rust>::default(),
            Self::Go => Box::new(go::Go),
            Self::Java => Box::new(java::Java),
            Self::C => Box::<c::C>::default(),
        }
    }
}
