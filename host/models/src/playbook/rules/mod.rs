//! Shapes of known problems, as data: one file for each language, with lines that each rule must
//! find and lines that it must leave alone.
//!
//! Precision comes before completeness: a rule that can't be right from one line isn't here.

mod line;

use crate::playbook::analyst::{Concern, Severity};
use regex::Regex;
use serde::Deserialize;
use std::sync::LazyLock;

pub(super) use line::judge;

/// The rules of one language.
#[derive(Debug)]
pub(super) struct RuleSet {
    /// How the language is called.
    pub(super) language: String,
    /// File extensions without the dot; empty with empty `names`: every text file.
    pub(super) extensions: Vec<String>,
    /// Whole file names.
    pub(super) names: Vec<String>,
    /// What begins a line that is only a comment.
    pub(super) comments: Vec<String>,
    /// What opens and closes a literal.
    pub(super) quotes: String,
    pub(super) rules: Vec<Rule>,
}

/// One shape.
#[derive(Debug)]
pub(super) struct Rule {
    /// Stable name.
    pub(super) id: String,
    pub(super) severity: Severity,
    pub(super) concern: Concern,
    /// What is there, in a few words.
    pub(super) title: String,
    /// Why it matters and what to do.
    pub(super) why: String,
    /// The shape, as text for a search tool.
    pub(super) pattern: String,
    regex: Regex,
    /// Must match as well.
    and: Option<Regex>,
    /// Lines that match this are fine.
    not: Option<Regex>,
    /// Fine where one of the next lines matches this.
    next_not: Option<Regex>,
    /// The shape has quotes in it: being inside a literal is no reason to leave it out.
    strings: bool,
    /// Comments count.
    in_comments: bool,
    /// Tests and examples count as much as product code.
    pub(super) everywhere: bool,
    /// The line holds something that must not be repeated.
    pub(super) secret: bool,
    #[cfg(test)]
    hits: Vec<String>,
    #[cfg(test)]
    misses: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSet {
    language: String,
    extensions: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
    comments: Vec<String>,
    quotes: Option<String>,
    rule: Vec<RawRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    id: String,
    severity: Severity,
    concern: Concern,
    title: String,
    why: String,
    regex: String,
    and: Option<String>,
    not: Option<String>,
    next_not: Option<String>,
    #[serde(default)]
    strings: bool,
    #[serde(default)]
    in_comments: bool,
    #[serde(default)]
    everywhere: bool,
    #[serde(default)]
    secret: bool,
    #[cfg_attr(not(test), allow(dead_code))]
    hits: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code))]
    misses: Vec<String>,
}

/// Every set, the one for all files first.
pub(super) static SETS: LazyLock<Vec<RuleSet>> = LazyLock::new(|| {
    let sources = [
        include_str!("any.toml"),
        include_str!("python.toml"),
        include_str!("javascript.toml"),
        include_str!("rust.toml"),
        include_str!("go.toml"),
        include_str!("jvm.toml"),
        include_str!("c.toml"),
        include_str!("dotnet.toml"),
        include_str!("php.toml"),
        include_str!("ruby.toml"),
        include_str!("shell.toml"),
        include_str!("delivery.toml"),
    ];
    // The sources are part of the program and a test reads them all.
    sources
        .iter()
        .map(|source| build(toml::from_str(source).expect("built-in rules are valid TOML")))
        .collect()
});

fn build(raw: RawSet) -> RuleSet {
    RuleSet {
        language: raw.language,
        extensions: raw.extensions,
        names: raw.names,
        comments: raw.comments,
        quotes: raw.quotes.unwrap_or_else(|| "\"'`".to_owned()),
        rules: raw.rule.into_iter().map(build_rule).collect(),
    }
}

fn build_rule(raw: RawRule) -> Rule {
    let compile = |text: &str| Regex::new(text).expect("built-in rules are valid patterns");
    Rule {
        regex: compile(&raw.regex),
        pattern: raw.regex,
        and: raw.and.as_deref().map(compile),
        not: raw.not.as_deref().map(compile),
        next_not: raw.next_not.as_deref().map(compile),
        id: raw.id,
        severity: raw.severity,
        concern: raw.concern,
        title: raw.title,
        why: raw.why,
        strings: raw.strings,
        in_comments: raw.in_comments,
        everywhere: raw.everywhere,
        secret: raw.secret,
        #[cfg(test)]
        hits: raw.hits,
        #[cfg(test)]
        misses: raw.misses,
    }
}

impl Rule {
    /// Whether it is about what the authors noted themselves, and not about a mistake.
    pub(super) fn is_note(&self) -> bool {
        self.id == "left-to-do"
    }
}

impl RuleSet {
    /// Whether the set is for every text file.
    pub(super) fn is_universal(&self) -> bool {
        self.extensions.is_empty() && self.names.is_empty()
    }

    /// Whether a file is of this language.
    pub(super) fn covers(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        self.is_universal()
            || self.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
            || self.names.iter().any(|known| known == name)
    }

    /// The glob for this language's files; none for the universal set.
    pub(super) fn glob(&self) -> Option<String> {
        let mut parts: Vec<String> =
            self.extensions.iter().map(|extension| format!("*.{extension}")).collect();
        parts.extend(self.names.iter().cloned());
        match parts.len() {
            0 => None,
            1 => parts.pop(),
            _ => Some(format!("{{{}}}", parts.join(","))),
        }
    }
}

#[cfg(test)]
mod tests;
