//! Rules of one language, ready to be run.
//!
//! Owns: from YAML to matchers, and which of them are for a path. Doesn't own: where the YAML comes
//! from (`standard`, `supplied`), what is made of a match (`matches`).

use super::card::{Card, Directions};
use super::names::{in_ast_grep, named};
use crate::language::Language;
use ast_grep_config::{
    DeserializeEnv, GlobalRules, RuleCollection, RuleConfig, SerializableGlobalRule, SerializableRuleConfig,
    Severity, from_str,
};
use ast_grep_language::SupportLang;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::path::Path;

/// Where a rule comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Origin {
    /// Built in.
    Standard,
    /// Confirmed as the project's own; the file.
    Project(String),
    /// A file that was asked for.
    File(String),
}

impl Origin {
    /// As a card says it.
    pub(crate) fn on_card(&self) -> &str {
        match self {
            Self::Standard => "standard",
            Self::Project(_) => "project",
            Self::File(path) => path,
        }
    }

    /// Where somebody would look for it.
    fn place(&self) -> &str {
        match self {
            Self::Standard => "standard rules",
            Self::Project(path) | Self::File(path) => path,
        }
    }
}

/// A document with a rule or a utility rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Document {
    pub(crate) origin: Origin,
    pub(crate) yaml: String,
}

/// What is read of a document before it is known to be of use.
#[derive(Debug, Deserialize)]
pub(crate) struct Head {
    #[serde(default)]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) language: String,
    #[serde(default)]
    pub(crate) severity: Severity,
    #[serde(default)]
    pub(crate) metadata: Further,
}

/// The further languages of a rule.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Further {
    #[serde(default)]
    pub(crate) also: Vec<String>,
}

/// A rule with what it says of itself.
pub(crate) struct Rule {
    /// Nothing but this rule; it heeds the rule's globs.
    pub(crate) collection: RuleCollection<SupportLang>,
    pub(crate) card: Card,
    pub(crate) directions: Directions,
    pub(crate) origin: Origin,
}

impl Rule {
    /// The rule's matcher, if the rule's own globs let it be run on a path.
    pub(crate) fn for_path(&self, path: &str, language: SupportLang) -> Option<&RuleConfig<SupportLang>> {
        self.collection.get_rule_from_lang(Path::new(path), language).pop()
    }
}

/// Rules of one language.
#[derive(Default)]
pub(crate) struct RuleSet {
    pub(crate) rules: Vec<Rule>,
    /// Rules refer to them weakly, so they are kept.
    utilities: GlobalRules,
}

impl RuleSet {
    /// The rules for a language among documents; or what is wrong with one of them, with its origin and id.
    pub(crate) fn load(
        utilities: &[Document],
        documents: &[Document],
        language: Language,
    ) -> Result<Self, String> {
        let mut set = Self { rules: Vec::new(), utilities: load_utilities(utilities)? };
        for document in documents {
            set.add(document, language).map_err(|why| blamed(document, &why))?;
        }
        Ok(set)
    }

    fn add(&mut self, document: &Document, language: Language) -> Result<(), String> {
        let mut rule: SerializableRuleConfig<SupportLang> = from_str(&document.yaml).map_err(in_words)?;
        let (card, directions) = Card::of(&rule, document.origin.on_card());
        let is_own = in_ast_grep(language) == Some(rule.language);
        if !is_own && !directions.also.iter().any(|also| named(also) == Some(language)) {
            return Ok(());
        }
        rule.language = in_ast_grep(language).unwrap_or(rule.language);
        let config = RuleConfig::try_from(rule, &self.utilities).map_err(in_words)?;
        let collection = RuleCollection::try_new(vec![config]).map_err(in_words)?;
        let origin = document.origin.clone();
        self.rules.push(Rule { collection, card, directions, origin });
        Ok(())
    }
}

fn load_utilities(documents: &[Document]) -> Result<GlobalRules, String> {
    let mut rules = Vec::new();
    for document in documents {
        let rule: SerializableGlobalRule<SupportLang> =
            from_str(&document.yaml).map_err(|error| blamed(document, &in_words(error)))?;
        rules.push(rule);
    }
    DeserializeEnv::parse_global_utils(rules).map_err(|error| format!("a utility rule: {}", in_words(error)))
}

/// What is wrong, with the file and the rule that it is about.
pub(crate) fn blamed(document: &Document, why: &str) -> String {
    let id = from_str::<Head>(&document.yaml).map(|head| head.id).unwrap_or_default();
    let rule = if id.is_empty() { String::new() } else { format!("rule `{id}`: ") };
    format!("{}: {rule}{why}", document.origin.place())
}

/// An error with all its causes: ast-grep's own words name the place only in the innermost one.
pub(crate) fn in_words(error: impl Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_words = inner.to_string();
        if !words.contains(&inner_words) {
            words = format!("{}: {inner_words}", words.trim_end_matches('.'));
        }
        cause = inner.source();
    }
    crate::excerpt::one_line(&words, 600)
}
