//! The standard rules are whole, and find what their own cases say.

use super::card::Card;
use super::matches::Matches;
use super::names::named;
use super::rule_set::{Document, Origin, RuleSet};
use super::standard::STANDARD;
use crate::language::Language;
use ast_grep_config::{SerializableRuleConfig, from_str};
use ast_grep_core::AstGrep;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_language::SupportLang;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Cases of a rule, as `ast-grep test` reads them.
#[derive(Deserialize)]
struct Cases {
    id: String,
    valid: Vec<String>,
    invalid: Vec<String>,
}

struct Packed {
    name: String,
    folder: String,
    document: Document,
    config: SerializableRuleConfig<SupportLang>,
    cases: Result<Cases, String>,
}

impl Packed {
    fn languages(&self) -> Vec<Language> {
        let (_, directions) = Card::of(&self.config, "standard");
        let own = named(&self.config.language.to_string()).unwrap();
        let also = directions.also.iter().map(|name| {
            named(name)
                .unwrap_or_else(|| panic!("{}: `also` names `{name}`, which can't be parsed", self.name))
        });
        [own].into_iter().chain(also).collect()
    }
}

fn packs() -> Vec<Packed> {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs");
    let within = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let folders = within(&packs).into_iter().filter(|folder| folder.is_dir() && !folder.ends_with("tests"));
    let files = folders.flat_map(|folder| within(&folder));
    let rules = files.filter(|file| file.extension().is_some_and(|end| end == "yml"));
    let packed = |file: PathBuf| {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let folder = file.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        let yaml = fs::read_to_string(&file).unwrap();
        let config = from_str(&yaml).unwrap_or_else(|error| panic!("{name}: {error}"));
        let cases = packs.join("tests").join(&folder).join(format!("{name}-test.yml"));
        let cases = fs::read_to_string(&cases).map_err(|error| format!("{}: {error}", cases.display()));
        let cases = cases.and_then(|text| from_str(&text).map_err(|error| error.to_string()));
        Packed { name, folder, document: Document { origin: Origin::Standard, yaml }, config, cases }
    };
    rules.map(packed).collect()
}

#[test]
fn every_standard_rule_finds_its_invalid_cases_and_no_valid_one_in_each_of_its_languages() {
    let mut wrong = Vec::new();
    for packed in packs() {
        for language in packed.languages() {
            let set = match RuleSet::load(&[], std::slice::from_ref(&packed.document), language) {
                Ok(set) => set,
                Err(why) => {
                    wrong.push(format!("{} ({language:?}): {why}", packed.name));
                    continue;
                }
            };
            let [rule] = &set.rules[..] else { panic!("{}: not for {language:?}", packed.name) };
            // Its globs are for projects; a case has no path.
            let config = rule.collection.get_rule(&packed.name).unwrap();
            let Ok(cases) = &packed.cases else { continue };
            let finds = |text: &str| {
                let tree = AstGrep::doc(StrDoc::try_new(text, config.language).unwrap());
                tree.root().find(&config.matcher).is_some()
            };
            let missed = cases.invalid.iter().filter(|text| !finds(text)).map(|text| ("misses", text));
            let alarms = cases.valid.iter().filter(|text| finds(text)).map(|text| ("wrongly finds", text));
            let said = missed.chain(alarms);
            wrong.extend(said.map(|(does, text)| format!("{} ({language:?}) {does}: {text}", packed.name)));
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_standard_rule_says_what_is_wrong_why_and_what_to_do_and_has_cases() {
    let mut wrong = Vec::new();
    let mut ids = std::collections::BTreeSet::new();
    for packed in packs() {
        let name = &packed.name;
        let mut lacks = |what: &str| wrong.push(format!("{}/{name}: {what}", packed.folder));
        let metadata = serde_json::to_value(&packed.config.metadata).unwrap();
        let says = |key: &str| metadata.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
        if packed.config.id != *name {
            lacks("its id isn't its file's name");
        }
        if !ids.insert(name.clone()) {
            lacks("its id is another's as well");
        }
        if packed.config.message.trim().is_empty() || packed.config.message.contains('\n') {
            lacks("no message in one line");
        }
        if packed.config.note.as_deref().unwrap_or_default().trim().is_empty() {
            lacks("no note");
        }
        if says("fix").is_empty() {
            lacks("no metadata.fix");
        }
        if !["", "high", "medium", "low"].contains(&says("confidence")) {
            lacks("its confidence is none of high, medium, low");
        }
        if !["", "security", "performance", "correctness", "maintainability"].contains(&says("concern")) {
            lacks("its concern is unknown");
        }
        let cwe = says("cwe").strip_prefix("CWE-").is_some_and(|rest| rest.parse::<u32>().is_ok());
        if says("concern") == "security" && !cwe && says("no-cwe").is_empty() {
            lacks("concerns security, and has neither a cwe nor a reason in metadata.no-cwe");
        }
        match &packed.cases {
            Ok(cases) if cases.id != *name => lacks("its cases are another rule's"),
            Ok(cases) if cases.valid.len() < 3 || cases.invalid.len() < 3 => {
                lacks("fewer than 3 cases of a kind")
            }
            Ok(_) => {}
            Err(why) => lacks(why),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_built_in_is_what_the_packs_say() {
    let packs = packs();
    assert_eq!(packs.len(), STANDARD.len());
    for (packed, built_in) in packs.iter().zip(STANDARD) {
        assert_eq!(packed.document.yaml, built_in.yaml, "{}", packed.name);
        let languages: Vec<_> = built_in.languages.iter().map(|name| named(name).unwrap()).collect();
        assert_eq!(packed.languages(), languages, "{}", packed.name);
    }
}

#[test]
fn all_standard_rules_of_a_language_load_together() {
    for language in STANDARD.iter().flat_map(|rule| rule.languages).map(|name| named(name).unwrap()) {
        assert_eq!(Matches::of_standard_rules(language, "a", "").trouble, None, "{language:?}");
    }
}
