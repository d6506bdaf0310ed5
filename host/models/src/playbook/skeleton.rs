//! One search that shows what every file of a language defines at its top level.

use regex::Regex;
use std::sync::LazyLock;

/// How a language's top-level definitions look.
pub(super) struct Skeleton {
    /// As in the inventory.
    pub(super) language: &'static str,
    /// For the search tool.
    pub(super) glob: &'static str,
    /// The shape; the first group that takes part is the name.
    pub(super) pattern: &'static str,
    regex: LazyLock<Regex>,
}

macro_rules! skeleton {
    ($language:literal, $glob:literal, $pattern:literal) => {
        Skeleton {
            language: $language,
            glob: $glob,
            pattern: $pattern,
            regex: LazyLock::new(|| Regex::new($pattern).expect("a valid pattern")),
        }
    };
}

/// Languages whose definitions can be told from single lines.
pub(super) static SKELETONS: [Skeleton; 9] = [
    skeleton!("Python", "*.py", r"^(?:async\s+)?(?:def|class)\s+([A-Za-z]\w*)"),
    skeleton!(
        "JavaScript",
        "*.{js,mjs,cjs,jsx}",
        r"^export\s+(?:default\s+)?(?:async\s+)?(?:function\*?|class|const|let)\s+([\w$]+)|^(?:async\s+)?(?:function\*?|class)\s+([\w$]+)|^((?:module\.)?exports(?:\.[\w$]+)?|[a-z][\w$]*(?:\.prototype)?\.[\w$]+)\s*=\s*(?:async\s+)?(?:function|class)\b|^module\.exports\s*=\s*([\w$.]+)"
    ),
    skeleton!(
        "TypeScript",
        "*.{ts,tsx,mts,cts}",
        r"^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|interface|type|enum|namespace)\s+([\w$]+)"
    ),
    skeleton!(
        "Rust",
        "*.rs",
        r"^pub(?:\([^)]*\))?\s+(?:unsafe\s+|async\s+|const\s+|extern\s+\S+\s+)*(?:fn|struct|enum|trait|union|type|mod)\s+(\w+)|^macro_rules!\s*(\w+)"
    ),
    skeleton!("Go", "*.go", r"^type\s+([A-Z]\w*)|^func\s+([A-Z]\w*)"),
    skeleton!(
        "Java",
        "*.java",
        r"^(?:public\s+|abstract\s+|final\s+|sealed\s+)*(?:class|interface|enum|record|@interface)\s+(\w+)"
    ),
    skeleton!("Ruby", "*.rb", r"^\s*(?:class|module)\s+([A-Z][\w:]*)"),
    skeleton!(
        "PHP",
        "*.php",
        r"^(?:abstract\s+|final\s+|readonly\s+)*(?:class|interface|trait|enum)\s+(\w+)"
    ),
    skeleton!(
        "C#",
        "*.cs",
        r"^\s*(?:public|internal)\s+(?:abstract\s+|sealed\s+|static\s+|partial\s+)*(?:class|interface|struct|enum|record)\s+(\w+)"
    ),
];

impl Skeleton {
    /// The skeleton of a language.
    pub(super) fn of(language: &str) -> Option<&'static Self> {
        SKELETONS.iter().find(|skeleton| skeleton.language == language)
    }

    /// The skeleton that a search was made with.
    pub(super) fn of_search(pattern: &str) -> Option<&'static Self> {
        SKELETONS.iter().find(|skeleton| skeleton.pattern == pattern)
    }

    /// The name that a line defines.
    pub(super) fn name<'l>(&self, line: &'l str) -> Option<&'l str> {
        let found = self.regex.captures(line)?;
        found.iter().skip(1).flatten().next().map(|name| name.as_str())
    }
}
