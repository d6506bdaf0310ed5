//! The languages that tools can be written in.

use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// A language that there is a recipe for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "&'static str")]
pub enum Language {
    /// Built by cargo.
    Rust,
    /// Built by componentize-py.
    Python,
    /// Put into a component together with an engine that runs it.
    JavaScript,
    /// Made JavaScript first.
    TypeScript,
    /// Built by clang.
    C,
    /// Built by clang.
    Cpp,
    /// Built by Go's own compiler.
    Go,
    /// Built by Zig's own compiler.
    Zig,
}

impl Language {
    /// All of them, the likeliest first.
    pub const ALL: [Self; 8] = [
        Self::Rust,
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::C,
        Self::Cpp,
        Self::Go,
        Self::Zig,
    ];

    /// As it is spelled in `tool.toml` and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::TypeScript => "typescript",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Go => "go",
            Self::Zig => "zig",
        }
    }

    /// The names of all, for a message.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Language> for &'static str {
    fn from(language: Language) -> Self {
        language.name()
    }
}

impl FromStr for Language {
    type Err = String;

    /// Reads a name or a usual short one (`js`, `ts`, `rs`, `py`, `c++`); fails with a message that names
    /// the likely language.
    fn from_str(text: &str) -> Result<Self, String> {
        let asked = text.to_lowercase();
        let known = match asked.as_str() {
            "rs" => Some(Self::Rust),
            "py" | "python3" => Some(Self::Python),
            "js" => Some(Self::JavaScript),
            "ts" => Some(Self::TypeScript),
            "c++" | "cxx" | "cc" => Some(Self::Cpp),
            "golang" => Some(Self::Go),
            name => Self::ALL.into_iter().find(|language| language.name() == name),
        };
        let meant = match (known, asked.as_str()) {
            (Some(language), _) => return Ok(language),
            (None, "node" | "nodejs" | "mjs") => Some(Self::JavaScript),
            (None, _) => {
                crate::likely::likely(&asked, &Self::ALL.map(Self::name)).and_then(|name| name.parse().ok())
            }
        };
        let hint = meant.map(|language| format!(" (did you mean `{language}`?)")).unwrap_or_default();
        Err(format!("there is no language `{text}`{hint}; the languages are {}", Self::names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_read_as_it_is_written() {
        for language in Language::ALL {
            assert_eq!(language.to_string().parse(), Ok(language));
        }
    }

    #[test]
    fn usual_short_names_are_understood() {
        let short = ["js", "TS", "rs", "py", "c++", "golang"].map(|name| name.parse::<Language>().unwrap());
        let meant = [
            Language::JavaScript,
            Language::TypeScript,
            Language::Rust,
            Language::Python,
            Language::Cpp,
            Language::Go,
        ];
        assert_eq!(short, meant);
    }

    #[test]
    fn a_wrong_language_names_the_likely_one() {
        for (wrong, likely) in [("pyhton", "python"), ("typscript", "typescript"), ("node", "javascript")] {
            let said = wrong.parse::<Language>().unwrap_err();
            assert!(said.contains(&format!("did you mean `{likely}`?")), "{said}");
        }
        assert!(!"fortran".parse::<Language>().unwrap_err().contains("did you mean"));
    }
}
