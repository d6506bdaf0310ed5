//! From a folder to a page of problems.
//!
//! Owns: which files are searched with which rules, their order, pages and bounds. Doesn't own:
//! what is found in a file (`matches`), how many are worked on at once (`FanOut`).

use super::card::Card;
use super::matches::{Match, Matches};
use super::model::{Failure, Problem, Problems, Request, Searched};
use super::rule_set::RuleSet;
use super::standard::{has_rules, standard_rules, supplied_rules};
use super::supplied::Supply;
use crate::each_file::{Facts, FanOut, Outcome, Task};
use crate::excerpt::bounded;
use crate::language::Language;
use crate::setting::Setting;
use crate::skipped::Skipped;
use ringfence_guest_project::{Fault, Kind, Root, Walk, look};
use std::collections::{BTreeMap, BTreeSet};

/// How many problems are on a page unless asked otherwise, and at most.
const PAGE: u32 = 200;
const MOST_ON_A_PAGE: u32 = 1000;
/// The most bytes of JSON that a page's problems and rules make.
const PAGE_BYTES: usize = 180 << 10;
/// The most problems that are kept at all.
const MOST: usize = 50_000;
/// The most files and rules that are named as left out.
const MOST_SKIPPED: usize = 50;
/// How many files are handed out at once.
const CHUNK: usize = 500;

/// Searches a folder or file with the standard rules, the project's confirmed ones and those asked for.
///
/// `confirmed` is the text of the project's own rules, as the host hands it over.
pub fn find_problems(
    root: &Root,
    fan_out: &dyn FanOut,
    confirmed: Option<&str>,
    request: &Request<'_>,
) -> Result<Problems, Failure> {
    let supply = Supply::gather(root, confirmed, request.rules)?;
    let asked = request.directory.unwrap_or(".");
    let mut search = Search::over(root, asked, &supply)?;
    search.standard(fan_out)?;
    search.supplied(fan_out)?;
    let skip = request.skip.unwrap_or(0);
    let most = request.max_problems.unwrap_or(PAGE).min(MOST_ON_A_PAGE);
    Ok(search.page(skip, most))
}

/// A problem with what decides on its place in the order.
struct Weighed {
    problem: Problem,
    card: usize,
    aside: bool,
}

/// A search while it goes on.
struct Search<'s> {
    supply: &'s Supply,
    directory: String,
    files: BTreeMap<Language, Vec<String>>,
    cards: Vec<Card>,
    by_id: BTreeMap<(String, Language), (usize, bool)>,
    found: Vec<Weighed>,
    foreign: BTreeSet<String>,
    rules: BTreeMap<Language, u32>,
    suppressed: u32,
    set_apart: u32,
    skipped: BTreeMap<String, String>,
    complete: bool,
}

impl<'s> Search<'s> {
    fn over(root: &Root, asked: &str, supply: &'s Supply) -> Result<Self, Failure> {
        let directory = root.tidy(asked);
        let mut search = Self {
            supply,
            directory: directory.clone(),
            files: BTreeMap::new(),
            cards: Vec::new(),
            by_id: BTreeMap::new(),
            found: Vec::new(),
            foreign: BTreeSet::new(),
            rules: BTreeMap::new(),
            suppressed: 0,
            set_apart: 0,
            skipped: BTreeMap::new(),
            complete: true,
        };
        for (path, why) in &supply.skipped {
            search.skip(path.clone(), why.clone());
        }
        let (kind, _) = look(&root.resolve(asked)).map_err(|error| Fault::of(asked, &error))?;
        if kind == Kind::File {
            search.add(directory);
            return Ok(search);
        }
        let mut walk = Walk::start(root, asked, &directory, true)?;
        for found in walk.by_ref().filter(|found| found.kind == Kind::File) {
            search.add(found.path);
        }
        search.complete = walk.complete;
        for folder in walk.unreadable {
            search.skip(folder, "can't be listed".to_owned());
        }
        Ok(search)
    }

    fn add(&mut self, path: String) {
        let Some(language) = Language::of(&path) else { return };
        if !has_rules(language) && !self.supply.languages.contains(&language) {
            return;
        }
        if Setting::of_path(&path).is_foreign() {
            self.set_apart = self.set_apart.saturating_add(1);
            return;
        }
        self.files.entry(language).or_default().push(path);
    }

    fn skip(&mut self, path: String, reason: String) {
        if self.skipped.len() < MOST_SKIPPED {
            self.skipped.entry(bounded(path, 300)).or_insert(bounded(reason, 300));
        }
    }

    /// Runs the standard rules, and drops what rules found that aren't run.
    fn standard(&mut self, fan_out: &dyn FanOut) -> Result<(), Failure> {
        let languages: Vec<_> = self.files.keys().copied().filter(|language| has_rules(*language)).collect();
        for language in &languages {
            let rules = standard_rules(*language).map_err(Failure::BadRule)?;
            self.know(&rules, *language, |id| !self.supply.replaced.contains(id));
        }
        let of = |value: &[u8]| postcard::from_bytes::<Facts>(value).ok().map(|facts| facts.matches);
        self.run(fan_out, &Task::Facts, &languages, of);
        Ok(())
    }

    fn supplied(&mut self, fan_out: &dyn FanOut) -> Result<(), Failure> {
        let supply = self.supply;
        let languages = self.files.keys().copied().filter(|language| supply.languages.contains(language));
        let languages: Vec<_> = languages.collect();
        if languages.is_empty() {
            return Ok(());
        }
        for language in &languages {
            let rules = supplied_rules(&supply.rules, *language).map_err(Failure::BadRule)?;
            self.know(&rules, *language, |_| true);
        }
        let of = |value: &[u8]| postcard::from_bytes::<Matches>(value).ok();
        self.run(fan_out, &Task::Rules(supply.rules.clone()), &languages, of);
        Ok(())
    }

    /// Notes the cards of a language's rules.
    fn know(&mut self, rules: &RuleSet, language: Language, is_run: impl Fn(&str) -> bool) {
        for rule in rules.rules.iter().filter(|rule| is_run(&rule.card.id)) {
            let known = self.cards.iter().position(|card| card.id == rule.card.id);
            let at = known.unwrap_or_else(|| {
                self.cards.push(rule.card.clone());
                self.cards.len() - 1
            });
            self.by_id.insert((rule.card.id.clone(), language), (at, rule.directions.tests));
            let count = self.rules.entry(language).or_default();
            *count = count.saturating_add(1);
        }
    }

    fn run(
        &mut self,
        fan_out: &dyn FanOut,
        task: &Task,
        languages: &[Language],
        matches: impl Fn(&[u8]) -> Option<Matches>,
    ) {
        let Ok(task) = postcard::to_stdvec(task) else { return };
        let mut files = Vec::new();
        for language in languages {
            let paths = self.files.get(language).into_iter().flatten();
            files.extend(paths.map(|path| (path.clone(), *language)));
        }
        for chunk in files.chunks(CHUNK) {
            let paths: Vec<_> = chunk.iter().map(|(path, _)| path.clone()).collect();
            let mut reached = false;
            for ((path, language), outcome) in chunk.iter().zip(fan_out.run(&task, &paths)) {
                reached |= outcome != Outcome::NotReached;
                match outcome {
                    Outcome::Done { value, content } => match matches(&value) {
                        Some(matches) => self.keep(path, *language, &content, matches),
                        None => self.skip(path.clone(), "its result can't be read".to_owned()),
                    },
                    Outcome::Unreadable(why) | Outcome::Failed(why) => self.skip(path.clone(), why),
                    Outcome::TooLarge(_) => self.skip(path.clone(), "over 2 MiB".to_owned()),
                    Outcome::NotReached => self.complete = false,
                }
            }
            if !reached {
                return;
            }
        }
    }

    fn keep(&mut self, path: &str, language: Language, content: &str, matches: Matches) {
        let Matches { setting, found, suppressed, left_out, trouble } = matches;
        if setting.is_foreign() {
            self.foreign.insert(path.to_owned());
            return;
        }
        if let Some(why) = trouble {
            self.skip(path.to_owned(), why);
        }
        if left_out > 0 {
            self.skip(path.to_owned(), format!("{left_out} more problems than are kept of one file"));
        }
        self.suppressed = self.suppressed.saturating_add(suppressed);
        for found in found {
            let Some((card, tests)) = self.by_id.get(&(found.rule.clone(), language)).copied() else {
                continue;
            };
            if self.found.len() >= MOST {
                self.skip(path.to_owned(), format!("more than {MOST} problems"));
                self.complete = false;
                return;
            }
            let setting = if found.in_tests { setting.max(Setting::Test) } else { setting };
            let aside = !tests && is_aside(setting);
            self.found.push(Weighed { problem: problem(found, path, setting, content), card, aside });
        }
    }

    fn page(mut self, skip: u32, most: u32) -> Problems {
        let cards = &self.cards;
        self.found.sort_by(|a, b| {
            let key = |one: &Weighed| {
                let card = cards.get(one.card);
                let product = one.problem.setting != Setting::Product;
                (one.aside, card.map(|card| card.severity), product, card.map(|card| card.confidence))
            };
            let place = |one: &Weighed| (one.problem.first_line, one.problem.first_column);
            (key(a), &a.problem.path, place(a), &a.problem.rule).cmp(&(
                key(b),
                &b.problem.path,
                place(b),
                &b.problem.rule,
            ))
        });
        let total = count(self.found.len());
        let (mut found, mut shown, mut bytes) = (Vec::new(), BTreeMap::new(), 0_usize);
        for one in self.found.into_iter().skip(skip as usize).take(most as usize) {
            let mut more = json_len(&one.problem);
            if let (false, Some(card)) = (shown.contains_key(&one.card), cards.get(one.card)) {
                more += json_len(card);
            }
            // One at least, so that each page goes further.
            if !found.is_empty() && bytes + more > PAGE_BYTES {
                break;
            }
            bytes += more;
            if let Some(card) = cards.get(one.card) {
                shown.insert(one.card, card.clone());
            }
            found.push(one.problem);
        }
        let end = skip.saturating_add(count(found.len()));
        let foreign = &self.foreign;
        let searched = self.rules.iter().map(|(language, rules)| {
            let files = self.files.get(language).into_iter().flatten();
            let files = files.filter(|path| !foreign.contains(*path)).count();
            Searched { language: *language, files: count(files), rules: *rules }
        });
        Problems {
            directory: self.directory,
            next: (end < total && !found.is_empty()).then_some(end),
            total,
            found,
            rules: shown.into_values().collect(),
            rules_run: count(cards.len()),
            searched: searched.collect(),
            suppressed: self.suppressed,
            set_apart: self.set_apart.saturating_add(count(foreign.len())),
            skipped: self.skipped.into_iter().map(|(path, reason)| Skipped { path, reason }).collect(),
            complete: self.complete,
        }
    }
}

/// Where a rule's finds count only if it says so: what doesn't run where others could harm it.
fn is_aside(setting: Setting) -> bool {
    match setting {
        Setting::Test | Setting::Documentation => true,
        Setting::Product | Setting::Tooling | Setting::Example | Setting::Vendored | Setting::Generated => {
            false
        }
    }
}

fn problem(found: Match, path: &str, setting: Setting, content: &str) -> Problem {
    Problem {
        rule: found.rule,
        path: path.to_owned(),
        first_line: found.first_line,
        first_column: found.first_column,
        last_line: found.last_line,
        last_column: found.last_column,
        message: found.message,
        excerpt: found.excerpt,
        setting,
        symbol: found.symbol,
        content: content.to_owned(),
        fingerprint: found.fingerprint,
    }
}

fn json_len(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).map_or(usize::MAX / 2, |text| text.len())
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
