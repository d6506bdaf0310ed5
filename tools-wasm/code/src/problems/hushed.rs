//! Comments that say a place is all right.
//!
//! Owns: the words of the usual checkers, on the line itself or the one above. Doesn't own:
//! ast-grep's own `ast-grep-ignore`, which it heeds itself.

use super::card::{Card, Concern};

/// What opens a comment in one of the languages.
const OPENERS: [&str; 4] = ["#", "//", "/*", "<!--"];

/// The words that are heeded.
const WORDS: [&str; 6] = ["nosec", "nosemgrep", "noqa:", "eslint-disable-", "nolint", "NOLINT"];
/// How much of a line's end is looked at, in bytes: a comment ends its line.
const LOOKED_AT: usize = 2000;

/// Whether a text has any of the words, so that most files need no closer look.
pub(crate) fn may_hush(text: &str) -> bool {
    WORDS.iter().any(|word| text.contains(word))
}

/// Whether a comment on a place's lines, or alone on the line above, tells a rule to be silent.
///
/// `lines` are the file's, `first` and `last` the place's, from 0.
pub(crate) fn is_hushed(lines: &[&str], first: usize, last: usize, card: &Card) -> bool {
    let line = |at: usize| lines.get(at).copied().unwrap_or_default();
    let above = first.checked_sub(1).map(line).map(str::trim_start).unwrap_or_default();
    let above = OPENERS.iter().any(|opener| above.starts_with(opener)).then_some(above);
    says(line(first), card, false)
        || (last != first && says(line(last), card, false))
        || above.is_some_and(|above| says(above, card, true))
}

fn says(line: &str, card: &Card, above: bool) -> bool {
    let start = (line.len().saturating_sub(LOOKED_AT)..=line.len()).find(|at| line.is_char_boundary(*at));
    let line = start.and_then(|start| line.get(start..)).unwrap_or_default();
    let Some(comment) = OPENERS.iter().filter_map(|opener| line.find(opener)).min() else { return false };
    let comment = line.get(comment..).unwrap_or_default();
    let security = card.concern == Concern::Security;
    let after = |word: &str| after_word(comment, word);
    let of_bandit = security && (after("nosec").is_some() || after("#nosec").is_some());
    let of_flake8 = security
        && after("noqa:").is_some_and(|codes| {
            codes.split(',').any(|code| {
                code.trim()
                    .strip_prefix('S')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            })
        });
    let here = if above { "eslint-disable-next-line" } else { "eslint-disable-line" };
    let of_eslint = after(here).is_some_and(|names| names_it(names, card));
    let of_go = after("nolint").is_some_and(|names| {
        let names = names.trim_start_matches(':');
        names.split(',').any(|name| matches!(name.trim(), "all")) || names_it(names, card)
    });
    let word = if above { "NOLINTNEXTLINE" } else { "NOLINT" };
    let of_clang = after(word).is_some_and(|names| names_it(names.trim_matches(['(', ')']), card));
    of_bandit || of_flake8 || of_eslint || of_go || of_clang || after("nosemgrep").is_some()
}

/// What follows a word that stands alone in a comment.
fn after_word<'c>(comment: &'c str, word: &str) -> Option<&'c str> {
    let at = comment.find(word)?;
    let before = comment.get(..at)?.chars().next_back();
    let rest = comment.get(at + word.len()..)?;
    let joined = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let ends = word.ends_with(':') || !rest.starts_with(joined);
    (ends && !before.is_some_and(joined)).then_some(rest)
}

/// Whether a list of other checkers' rules is empty, or has one that shares a word with this rule.
fn names_it(names: &str, card: &Card) -> bool {
    // What follows ` -- ` or another comment's opener is for people.
    let names = names.split("--").next().unwrap_or_default().split("//").next().unwrap_or_default();
    let names = names.trim().trim_end_matches("*/").trim();
    if names.is_empty() {
        return true;
    }
    let of_security = ["security", "gosec", "cert"];
    let words = |name: &'_ str| -> Vec<String> {
        name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect()
    };
    let own: Vec<_> = words(&card.id).into_iter().skip(1).filter(|word| word.len() >= 4).collect();
    words(names).iter().any(|word| {
        own.contains(word) || (card.concern == Concern::Security && of_security.contains(&word.as_str()))
    })
}
