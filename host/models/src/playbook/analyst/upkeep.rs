//! Claims about code that is hard to keep up: complex and long functions, long files, and files
//! that could not be parsed as a whole.

use super::map::Map;
use super::results::{Observation, outlines};
use super::setting::Setting;
use super::wording::plural;
use super::{About, Claim, Concern, Evidence, Item, Severity};

/// So many places of one kind are listed; the rest is counted.
const PLACES: usize = 30;
/// A function of this cyclomatic complexity is hard to follow.
const COMPLEX: u32 = 15;
/// So is one of so many lines.
const LONG_FUNCTION: u32 = 150;
/// So many lines of code are much for one file.
const LONG_FILE: u32 = 1_000;

pub(super) fn claims(observations: &[Observation], map: Option<&Map<'_>>) -> Vec<Claim> {
    [
        complex_functions(observations, map),
        long_functions(observations),
        map.and_then(long_files),
        unparsed(observations),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A function and a number that is too large.
struct Excess {
    number: u32,
    item: Item,
}

fn complex_functions(observations: &[Observation], map: Option<&Map<'_>>) -> Option<Claim> {
    let mut found = functions(observations, |symbol| symbol.cyclomatic, COMPLEX, "complexity");
    for (path, module) in map.iter().flat_map(|map| map.core()) {
        let Some(hardest) = module.hardest.as_ref().filter(|hardest| hardest.cyclomatic >= COMPLEX) else {
            continue;
        };
        let is_there = |one: &Excess| {
            one.item.evidence.file.as_deref() == Some(path)
                && one.item.evidence.lines.is_some_and(|lines| lines.0 == hardest.line)
        };
        if !found.iter().any(is_there) {
            let item = Item {
                text: hardest.name.clone(),
                detail: format!("complexity {}", hardest.cyclomatic),
                evidence: Evidence::lines(module.step, path, hardest.line, hardest.line),
                finding: None,
            };
            found.push(Excess { number: hardest.cyclomatic, item });
        }
    }
    let scope = if map.is_some() { "" } else { " in the files analysed" };
    claim(
        "complex-function",
        Severity::Low,
        |count| {
            format!(
                "Functions that are hard to follow: {count} of a cyclomatic complexity of {COMPLEX} or more{scope}."
            )
        },
        "Each branch is a way through that must be understood and tested; split what can stand by itself.",
        found,
    )
}

fn long_functions(observations: &[Observation]) -> Option<Claim> {
    let length = |symbol: &super::results::Symbol| {
        Some(symbol.last_line.saturating_sub(symbol.first_line).saturating_add(1))
    };
    claim(
        "long-function",
        Severity::Low,
        |count| {
            format!("Very long functions: {count} of {LONG_FUNCTION} lines or more in the files analysed.")
        },
        "Long functions are hard to follow, to test and to change without surprises.",
        functions(observations, length, LONG_FUNCTION, "lines"),
    )
}

/// The functions of analysed product code for which a number reaches the limit.
fn functions(
    observations: &[Observation],
    number: impl Fn(&super::results::Symbol) -> Option<u32>,
    limit: u32,
    word: &str,
) -> Vec<Excess> {
    let mut found: Vec<Excess> = Vec::new();
    for outline in outlines(observations).filter(|outline| Setting::of(&outline.path) <= Setting::Tooling) {
        let functions =
            outline.symbols.iter().filter(|symbol| matches!(symbol.kind.as_str(), "function" | "method"));
        for symbol in functions {
            let Some(number) = number(symbol).filter(|number| *number >= limit) else { continue };
            let evidence = Evidence::lines(outline.step, &outline.path, symbol.first_line, symbol.last_line);
            let same = |one: &Excess| {
                one.item.evidence.file == evidence.file && one.item.evidence.lines == evidence.lines
            };
            if found.iter().any(same) {
                continue;
            }
            let name = symbol.owner.as_ref().map(|owner| format!("{owner}.{}", symbol.name));
            let text = name.unwrap_or_else(|| symbol.name.clone());
            let detail = if word == "lines" { format!("{number} lines") } else { format!("{word} {number}") };
            found.push(Excess { number, item: Item { text, detail, evidence, finding: None } });
        }
    }
    found
}

fn long_files(map: &Map<'_>) -> Option<Claim> {
    let long = |(path, module): (&str, &super::map::Module)| {
        (module.code_lines >= LONG_FILE).then(|| Excess {
            number: module.code_lines,
            item: Item {
                text: path.to_owned(),
                detail: format!("{} lines", module.code_lines),
                evidence: Evidence::file(module.step, path),
                finding: None,
            },
        })
    };
    claim(
        "long-file",
        Severity::Info,
        |count| format!("Very long files: {count} of {LONG_FILE} lines of code or more."),
        "What belongs together is hard to find in a long file; split it by what its parts are about.",
        map.core().into_iter().filter_map(long).collect(),
    )
}

fn claim(
    topic: &str,
    severity: Severity,
    text: impl Fn(usize) -> String,
    why: &str,
    mut found: Vec<Excess>,
) -> Option<Claim> {
    if found.is_empty() {
        return None;
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.number));
    let total = found.len();
    let items = found.into_iter().take(PLACES).map(|one| one.item).collect();
    let mut claim = Claim::new(About::Problem, topic, text(total), Vec::new()).with_items(items);
    claim.why = Some(why.to_owned());
    claim.severity = Some(severity);
    claim.concern = Some(Concern::Maintainability);
    claim.omitted = total.saturating_sub(PLACES) as u32;
    Some(claim)
}

fn unparsed(observations: &[Observation]) -> Option<Claim> {
    let items: Vec<Item> = outlines(observations)
        .filter(|outline| outline.syntax_errors > 0)
        .map(|outline| Item {
            text: outline.path.clone(),
            detail: plural(outline.syntax_errors, "place"),
            evidence: Evidence::file(outline.step, &outline.path),
            finding: None,
        })
        .collect();
    if items.is_empty() {
        return None;
    }
    let text = format!("Syntax that could not be parsed in {}.", plural(items.len() as u64, "file"));
    let mut claim = Claim::new(About::Problem, "unparsed", text, Vec::new()).with_items(items);
    claim.why =
        Some("Either a mistake, or a newer or older form of the language than the parser knows.".to_owned());
    claim.severity = Some(Severity::Info);
    claim.concern = Some(Concern::Maintainability);
    Some(claim)
}
