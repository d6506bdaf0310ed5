//! What rules find in one file.
//!
//! Owns: running all rules in one pass over one tree, and what is told of a match. Doesn't own:
//! which rules there are (`standard`, `supplied`), what is told of many files (`find`).

use super::excerpt::excerpt;
use super::hushed::{is_hushed, may_hush};
use super::names::in_ast_grep;
use super::rule_set::{Origin, Rule, RuleSet};
use super::standard::{standard_rules, supplied_rules};
use super::supplied::Supplied;
use crate::analyze::analyze_text;
use crate::excerpt::bounded;
use crate::language::Language;
use crate::model::Symbol;
use crate::setting::Setting;
use ast_grep_config::CombinedScan;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{AstGrep, NodeMatch};
use ast_grep_language::SupportLang;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// The most places that are kept of one file.
const MOST: usize = 500;
/// The most bytes of a message.
const MESSAGE: usize = 300;
/// The comment that ast-grep heeds, and something as long that it doesn't.
const IGNORE: (&str, &str) = ("ast-grep-ignore", "ast-grep-heeded");

type Doc = StrDoc<SupportLang>;

/// Places that rules found in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Matches {
    /// What the file is, by its path and first lines; of a foreign one nothing is searched.
    pub(crate) setting: Setting,
    /// In the order of the file, at most [`MOST`].
    pub(crate) found: Vec<Match>,
    /// How many comments have silenced.
    pub(crate) suppressed: u32,
    /// How many more there are.
    pub(crate) left_out: u32,
    /// Why nothing was searched.
    pub(crate) trouble: Option<String>,
}

/// A place that a rule found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Match {
    pub(crate) rule: String,
    pub(crate) first_line: u32,
    pub(crate) first_column: u32,
    pub(crate) last_line: u32,
    pub(crate) last_column: u32,
    pub(crate) message: String,
    pub(crate) excerpt: String,
    pub(crate) symbol: Option<String>,
    pub(crate) fingerprint: String,
    /// In code for tests that stands in a file of the product.
    pub(crate) in_tests: bool,
}

impl Matches {
    /// What the standard rules find.
    pub(crate) fn of_standard_rules(language: Language, path: &str, text: &str) -> Self {
        match standard_rules(language) {
            Ok(rules) => Self::of(&rules, language, path, text),
            Err(why) => Self { trouble: Some(why), ..Self::none(Setting::of(path, text)) },
        }
    }

    /// What supplied rules find; or what is wrong with the rules.
    pub(crate) fn of_rules(
        rules: &Supplied,
        language: Language,
        path: &str,
        text: &str,
    ) -> Result<Self, String> {
        Ok(Self::of(&*supplied_rules(rules, language)?, language, path, text))
    }

    fn none(setting: Setting) -> Self {
        Self { setting, found: Vec::new(), suppressed: 0, left_out: 0, trouble: None }
    }

    fn of(rules: &RuleSet, language: Language, path: &str, text: &str) -> Self {
        let mut matches = Self::none(Setting::of(path, text));
        let Some(parser) = in_ast_grep(language) else { return matches };
        if matches.setting.is_foreign() || rules.rules.is_empty() {
            return matches;
        }
        let (grep, by_id) = match StrDoc::try_new(text, parser) {
            Ok(doc) => (AstGrep::doc(doc), by_id(rules, path, parser)),
            Err(why) => return Self { trouble: Some(why), ..matches },
        };
        let scan = CombinedScan::new(by_id.values().map(|(_, config)| *config).collect());
        let mut places: Vec<_> = scan
            .scan(&grep, false)
            .matches
            .into_iter()
            .filter_map(|(config, found)| Some((by_id.get(config.id.as_str())?.0, config, found)))
            .flat_map(|(rule, config, found)| found.into_iter().map(move |at| Place { rule, config, at }))
            .collect();
        if text.contains(IGNORE.0) {
            let heard = places.len();
            if let Ok(doc) = StrDoc::try_new(&text.replace(IGNORE.0, IGNORE.1), parser) {
                let all = AstGrep::doc(doc);
                let all = scan.scan(&all, false).matches.iter().map(|(_, found)| found.len()).sum::<usize>();
                matches.suppressed = count(all.saturating_sub(heard));
            }
        }
        places.sort_by_cached_key(|place| {
            (place.range().start, usize::MAX - place.range().end, &place.rule.card.id)
        });
        let lines: Vec<_> = text.split('\n').collect();
        let before = places.len();
        let may_hush = may_hush(text);
        places.retain(|place| {
            let (first, last) = (place.at.start_pos().line(), place.at.end_pos().line());
            !may_hush || !is_hushed(&lines, first, last, &place.rule.card)
        });
        matches.suppressed = matches.suppressed.saturating_add(count(before - places.len()));
        let places = surest(places);
        matches.left_out = count(places.len().saturating_sub(MOST));
        let symbols = if places.is_empty() { Vec::new() } else { symbols(language, text) };
        let mut equals = HashMap::new();
        matches
            .found
            .extend(places.iter().take(MOST).map(|place| place.told(path, &lines, &symbols, &mut equals)));
        matches
    }
}

/// The rules that are for a path.
fn by_id<'r>(
    rules: &'r RuleSet,
    path: &str,
    language: SupportLang,
) -> BTreeMap<&'r str, (&'r Rule, &'r ast_grep_config::RuleConfig<SupportLang>)> {
    let for_path = |rule: &'r Rule| Some((rule.card.id.as_str(), (rule, rule.for_path(path, language)?)));
    rules.rules.iter().filter_map(for_path).collect()
}

/// A match on its way to being told.
struct Place<'t, 'r> {
    rule: &'r Rule,
    config: &'r ast_grep_config::RuleConfig<SupportLang>,
    at: NodeMatch<'t, Doc>,
}

impl Place<'_, '_> {
    fn range(&self) -> Range<usize> {
        self.at.range()
    }

    fn told(
        &self,
        path: &str,
        lines: &[&str],
        symbols: &[Symbol],
        equals: &mut HashMap<[u8; 32], u32>,
    ) -> Match {
        let (start, end) = (self.at.start_pos(), self.at.end_pos());
        let (line, last) = (count(start.line()), count(end.line()));
        let excerpt = excerpt(&self.at, lines, self.rule.directions.secret);
        // A secret's rule speaks of names at most, and a name may be the secret's own text.
        let message = if self.rule.directions.secret {
            self.rule.card.message.clone()
        } else {
            bounded(self.config.get_message(&self.at).replace(char::is_control, " "), MESSAGE)
        };
        let message = if message.trim().is_empty() { self.rule.card.message.clone() } else { message };
        Match {
            rule: self.rule.card.id.clone(),
            first_line: line.saturating_add(1),
            first_column: count(start.column(&self.at)).saturating_add(1),
            last_line: last.saturating_add(1),
            last_column: count(end.column(&self.at)).saturating_add(1),
            message,
            excerpt,
            symbol: enclosing(symbols, line.saturating_add(1)),
            fingerprint: self.fingerprint(path, equals),
            in_tests: is_in_rust_tests(&self.at),
        }
    }

    fn fingerprint(&self, path: &str, equals: &mut HashMap<[u8; 32], u32>) -> String {
        let mut hash = blake3::Hasher::new();
        for part in [self.rule.card.id.as_str(), path] {
            hash.update(part.as_bytes()).update(&[0]);
        }
        for word in self.at.text().split_whitespace() {
            hash.update(word.as_bytes()).update(b" ");
        }
        let before = equals.entry(*hash.finalize().as_bytes()).or_default();
        hash.update(&before.to_le_bytes());
        *before = before.saturating_add(1);
        hash.finalize().to_hex().chars().take(32).collect()
    }
}

/// Without what a surer rule, or the same one further out, says of the same place.
fn surest<'t, 'r>(places: Vec<Place<'t, 'r>>) -> Vec<Place<'t, 'r>> {
    let is_said = |at: usize, place: &Place<'_, '_>| {
        let range = place.range();
        let overlaps = |other: &&Place<'_, '_>| {
            let other = other.range();
            other.start < range.end && range.start < other.end
        };
        let standard = place.rule.origin == Origin::Standard;
        let (earlier, later) = places.split_at(at);
        let by_surer =
            earlier.iter().rev().take(NEAR).chain(later.iter().skip(1).take(NEAR)).filter(overlaps);
        let mut by_surer = by_surer.map(|other| &other.rule.directions.supersedes);
        let mut by_itself = earlier.iter().rev().take(NEAR).filter(overlaps).filter(|other| {
            other.rule.card.id == place.rule.card.id
                && other.at.start_pos().line() == place.at.start_pos().line()
        });
        standard
            && (by_surer.any(|supersedes| supersedes.contains(&place.rule.card.id))
                || by_itself.next().is_some())
    };
    let keep: Vec<_> = places.iter().enumerate().map(|(at, place)| !is_said(at, place)).collect();
    places.into_iter().zip(keep).filter_map(|(place, keep)| keep.then_some(place)).collect()
}

/// How many neighbours in the order of places are compared.
const NEAR: usize = 20;

fn symbols(language: Language, text: &str) -> Vec<Symbol> {
    analyze_text(language, text).map(|analysis| analysis.outline).unwrap_or_default()
}

/// The innermost symbol around a line.
fn enclosing(symbols: &[Symbol], line: u32) -> Option<String> {
    let around = symbols.iter().filter(|symbol| (symbol.first_line..=symbol.last_line).contains(&line));
    let symbol = around.min_by_key(|symbol| symbol.last_line - symbol.first_line)?;
    Some(match &symbol.owner {
        Some(owner) => format!("{owner}.{}", symbol.name),
        None => symbol.name.clone(),
    })
}

/// Whether a match is below `#[cfg(test)]` or `#[test]`.
fn is_in_rust_tests(at: &NodeMatch<'_, Doc>) -> bool {
    *at.lang() == SupportLang::Rust
        && at.ancestors().filter(|node| matches!(&*node.kind(), "mod_item" | "function_item")).any(|node| {
            let attributes = node.prev_all().take_while(|before| {
                matches!(&*before.kind(), "attribute_item" | "line_comment" | "block_comment")
            });
            attributes.filter(|before| before.kind() == "attribute_item").any(|attribute| {
                let text = attribute.text();
                text.contains("cfg(test)") || text.contains("test]")
            })
        })
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
