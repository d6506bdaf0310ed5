//! The shape of a claim. Serialised it is part of the report's JSON, so names are stable.

use serde::{Deserialize, Serialize};

/// A statement about the project and the places that show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The part of a report that it belongs to.
    pub about: About,
    /// What it is about within that part, a stable word such as `languages`, `dependencies` or
    /// `outline`; for a problem the id of its rule.
    pub topic: String,
    /// The statement, one or two sentences.
    pub text: String,
    /// Why it matters and what to do; for problems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How bad it is; for problems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// What it endangers; for problems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concern: Option<Concern>,
    /// The rule that found it; for problems that a rule found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Card>,
    /// Where it doesn't hold for the whole project: for which part, or why. `the 200 entries that
    /// the listings showed (12 more weren't shown)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// Where it can be seen; never empty.
    pub evidence: Vec<Evidence>,
    /// The parts of the statement, each with its own place: dependencies, definitions, lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// How many more items there are than `items` holds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u32,
}

/// What is known of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Its id: `python-sql-injection`.
    pub id: String,
    /// Its language, as ast-grep names it.
    pub language: String,
    /// How sure it is of what it finds.
    pub confidence: Confidence,
    /// The weakness in MITRE's list: `CWE-89`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwe: Option<String>,
    /// What to do instead; may be empty.
    pub fix: String,
    /// Where it comes from: `standard`, `project`, else the path of its file.
    pub origin: String,
}

/// How sure a rule is of what it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// It shows where to look.
    Low,
    /// Often a problem.
    Medium,
    /// A problem as a rule.
    High,
}

/// What is known of a place that a rule found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What is wrong here.
    pub message: String,
    /// First and last column, from 1; the last one is after the last character.
    pub columns: (u32, u32),
    /// The hash of the file's content (BLAKE3, hex).
    pub content: String,
    /// Stays the same while the code around moves.
    pub fingerprint: String,
    /// What kind of place the file is: `product`, `test` and the like.
    pub setting: String,
}

/// One part of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What is there: a name, or a line of code.
    pub text: String,
    /// More about it: a version, a role; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Where it can be seen.
    pub evidence: Evidence,
    /// For a place that a rule found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
}

/// A place that supports a claim.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Evidence {
    /// The step whose result showed it.
    pub step: u64,
    /// The file, relative to the project; absent where the whole result supports the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// First and last line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
}

/// Parts of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// Languages, frameworks, builds, dependencies.
    Stack,
    /// Modules and what they define.
    Module,
    /// Possible problems.
    Problem,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Unlikely to hurt.
    Low,
    /// Should be looked at.
    Medium,
    /// Likely to hurt.
    High,
}

impl Severity {
    /// The name in snake_case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// What a problem endangers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Concern {
    /// What an attacker can do.
    Security,
    /// Time and memory.
    Performance,
    /// Right results.
    Correctness,
    /// How well the code can be understood and changed.
    Maintainability,
}

impl Concern {
    /// The name in snake_case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Security => "security",
            Self::Performance => "performance",
            Self::Correctness => "correctness",
            Self::Maintainability => "maintainability",
        }
    }
}

impl Claim {
    /// A claim about the stack or the modules.
    pub(super) fn new(about: About, topic: &str, text: String, evidence: Vec<Evidence>) -> Self {
        Self {
            about,
            topic: topic.to_owned(),
            text,
            why: None,
            severity: None,
            concern: None,
            rule: None,
            partial: None,
            evidence,
            items: Vec::new(),
            omitted: 0,
        }
    }

    /// The same, about a part of the project only; the text says so too.
    pub(super) fn about_part(mut self, part: Option<String>) -> Self {
        if let Some(part) = &part {
            self.text.push_str(&format!(" This counts only {part}."));
        }
        self.partial = part;
        self
    }

    /// The same with parts; evidence is added for them, adjacent lines as one range.
    pub(super) fn with_items(mut self, items: Vec<Item>) -> Self {
        let mut places: Vec<Evidence> = items.iter().map(|item| item.evidence.clone()).collect();
        self.evidence.append(&mut places);
        self.evidence = merge(std::mem::take(&mut self.evidence));
        self.items = items;
        self
    }
}

impl Evidence {
    /// A whole result.
    pub(super) fn step(step: u64) -> Self {
        Self { step, file: None, lines: None }
    }

    /// A file as a whole.
    pub(super) fn file(step: u64, file: &str) -> Self {
        Self { step, file: Some(file.to_owned()), lines: None }
    }

    /// Lines of a file.
    pub(super) fn lines(step: u64, file: &str, first: u32, last: u32) -> Self {
        Self { step, file: Some(file.to_owned()), lines: Some((first, last.max(first))) }
    }
}

/// Sorted, without repeats, lines of one file that touch joined into ranges.
pub(super) fn merge(mut places: Vec<Evidence>) -> Vec<Evidence> {
    places.sort();
    let mut merged: Vec<Evidence> = Vec::new();
    for place in places {
        if let Some(last) = merged.last_mut()
            && last.step == place.step
            && last.file == place.file
        {
            match (&mut last.lines, place.lines) {
                (Some(had), Some(new)) if new.0 <= had.1.saturating_add(1) => {
                    had.1 = had.1.max(new.1);
                    continue;
                }
                (None, None) => continue,
                _ => {}
            }
        }
        merged.push(place);
    }
    merged
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
