//! The standard rules, and rules kept ready between files.
//!
//! Owns: what is built in, and that rules are read once in an instance. Doesn't own: the rules
//! themselves (`packs`).

use super::names::named;
use super::rule_set::{Document, Origin, RuleSet};
use super::supplied::Supplied;
use crate::language::Language;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A rule that is built in.
pub(crate) struct Standard {
    /// The languages that it is run on, as ast-grep names them.
    pub(crate) languages: &'static [&'static str],
    pub(crate) yaml: &'static str,
}

/// All of them.
pub(crate) static STANDARD: &[Standard] = include!(concat!(env!("OUT_DIR"), "/standard.rs"));

impl Standard {
    fn is_for(&self, language: Language) -> bool {
        self.languages.iter().any(|name| named(name) == Some(language))
    }
}

type ByLanguage = BTreeMap<Language, Rc<RuleSet>>;

thread_local! {
    static LOADED: RefCell<ByLanguage> = RefCell::default();
    static SUPPLIED: RefCell<Option<(Supplied, ByLanguage)>> = RefCell::default();
}

/// Whether there are standard rules for a language.
pub(crate) fn has_rules(language: Language) -> bool {
    STANDARD.iter().any(|rule| rule.is_for(language))
}

/// The standard rules for a language.
pub(crate) fn standard_rules(language: Language) -> Result<Rc<RuleSet>, String> {
    LOADED.with_borrow_mut(|sets| {
        if let Some(set) = sets.get(&language) {
            return Ok(set.clone());
        }
        let document = |rule: &Standard| Document { origin: Origin::Standard, yaml: rule.yaml.to_owned() };
        let documents: Vec<_> = STANDARD.iter().filter(|rule| rule.is_for(language)).map(document).collect();
        let set = Rc::new(RuleSet::load(&[], &documents, language)?);
        sets.insert(language, set.clone());
        Ok(set)
    })
}

/// Rules that were supplied, for a language.
pub(crate) fn supplied_rules(supplied: &Supplied, language: Language) -> Result<Rc<RuleSet>, String> {
    SUPPLIED.with_borrow_mut(|kept| {
        let (_, sets) = match kept.take() {
            Some(known) if known.0 == *supplied => kept.insert(known),
            Some(_) | None => kept.insert((supplied.clone(), ByLanguage::new())),
        };
        if let Some(set) = sets.get(&language) {
            return Ok(set.clone());
        }
        let set = Rc::new(RuleSet::load(&supplied.utilities, &supplied.rules, language)?);
        sets.insert(language, set.clone());
        Ok(set)
    })
}
