//! The languages that are known, and how they are told apart.

use crate::rules::{
    Rules, bash, c, cpp, csharp, css, data, go, html, java, javascript, php, python, ruby, rust,
};
use crate::sniff;

/// A programming language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Bash and other shells.
    Bash,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
    /// HTML.
    Html,
    /// CSS.
    Css,
}

const EXTENSIONS: [(Language, &str, &[&str]); 18] = [
    (Language::Python, "Python", &["py", "pyi", "pyw"]),
    (Language::JavaScript, "JavaScript", &["js", "jsx", "mjs", "cjs"]),
    (Language::TypeScript, "TypeScript", &["ts", "mts", "cts"]),
    (Language::Tsx, "TSX", &["tsx"]),
    (Language::Rust, "Rust", &["rs"]),
    (Language::Go, "Go", &["go"]),
    (Language::Java, "Java", &["java"]),
    (Language::C, "C", &["c", "h"]),
    (Language::Cpp, "C++", &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++"]),
    (Language::CSharp, "C#", &["cs"]),
    (Language::Ruby, "Ruby", &["rb"]),
    (Language::Php, "PHP", &["php"]),
    (Language::Bash, "Bash", &["sh", "bash"]),
    (Language::Json, "JSON", &["json", "jsonc"]),
    (Language::Yaml, "YAML", &["yml", "yaml"]),
    (Language::Toml, "TOML", &["toml"]),
    (Language::Html, "HTML", &["html", "htm"]),
    (Language::Css, "CSS", &["css"]),
];

impl Language {
    /// The language of a file, told by the extension; case doesn't matter.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let (_, extension) = name.rsplit_once('.')?;
        let known = |known: &&str| extension.eq_ignore_ascii_case(known);
        EXTENSIONS.iter().find(|(_, _, extensions)| extensions.iter().any(known)).map(|found| found.0)
    }

    /// The language of a file by its path and, where that doesn't say it, by what it begins with: a
    /// header that holds C++, a script without an extension that names what runs it.
    pub fn of_file(path: &str, head: &str) -> Option<Self> {
        match Self::of(path) {
            Some(Self::C) if path.ends_with(['h', 'H']) && sniff::is_cpp(head) => Some(Self::Cpp),
            Some(language) => Some(language),
            None if Self::may_be_script(path) => sniff::interpreter(head),
            None => None,
        }
    }

    /// Whether a file has no extension, so that only its first line can tell what it is.
    pub fn may_be_script(path: &str) -> bool {
        path.rsplit('/').next().is_some_and(|name| !name.contains('.'))
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
            Self::Cpp => tree_sitter_cpp::LANGUAGE,
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE,
            Self::Ruby => tree_sitter_ruby::LANGUAGE,
            Self::Php => tree_sitter_php::LANGUAGE_PHP,
            Self::Bash => tree_sitter_bash::LANGUAGE,
            Self::Json => tree_sitter_json::LANGUAGE,
            Self::Yaml => tree_sitter_yaml::LANGUAGE,
            Self::Toml => tree_sitter_toml_ng::LANGUAGE,
            Self::Html => tree_sitter_html::LANGUAGE,
            Self::Css => tree_sitter_css::LANGUAGE,
        }
        .into()
    }

    pub(crate) fn rules(self) -> Box<dyn Rules> {
        match self {
            Self::Python => Box::<python::Python>::default(),
            Self::JavaScript | Self::TypeScript | Self::Tsx => Box::<javascript::JavaScript>::default(),
            Self::Rust => Box::<rust::Rust>::default(),
            Self::Go => Box::new(go::Go),
            Self::Java => Box::new(java::Java),
            Self::C => Box::<c::C>::default(),
            Self::Cpp => Box::<cpp::Cpp>::default(),
            Self::CSharp => Box::new(csharp::CSharp),
            Self::Ruby => Box::<ruby::Ruby>::default(),
            Self::Php => Box::<php::Php>::default(),
            Self::Bash => Box::<bash::Bash>::default(),
            Self::Json | Self::Yaml | Self::Toml => Box::new(data::Data),
            Self::Html => Box::new(html::Html),
            Self::Css => Box::new(css::Css),
        }
    }
}
