//! Whether a rule holds for one line: the shape is there, as code, and nothing on the line (or
//! right after it) says that it is fine.

use super::{Rule, RuleSet, SETS};

/// A rule that holds for a line.
#[derive(Debug, Clone, Copy)]
pub(in crate::playbook) struct Finding {
    pub(in crate::playbook) rule: &'static Rule,
}

/// Every rule that holds for a line of a file. `next` are the lines after it, as far as known.
pub(in crate::playbook) fn judge(path: &str, line: &str, next: &[&str]) -> Vec<Finding> {
    SETS.iter()
        .filter(|set| set.covers(path))
        .flat_map(|set| set.rules.iter().filter(move |rule| holds(set, rule, line, next)))
        .map(|rule| Finding { rule })
        .collect()
}

fn holds(set: &RuleSet, rule: &Rule, line: &str, next: &[&str]) -> bool {
    if !rule.in_comments && is_comment(set, line) {
        return false;
    }
    let shown = rule.regex.find_iter(line).any(|found| {
        let before = &line[..first_word(found.as_str(), found.start())];
        if rule.in_comments {
            return true;
        }
        // A mention in prose is quoted or follows a comment sign.
        !before.ends_with('`')
            && !after_comment_sign(set, before)
            && (rule.strings || !in_literal(set, before))
    });
    let fine = rule.not.as_ref().is_some_and(|not| not.is_match(line))
        || rule.and.as_ref().is_some_and(|and| !and.is_match(line))
        || rule.next_not.as_ref().is_some_and(|not| next.iter().take(3).any(|line| not.is_match(line)));
    shown && !fine
}

/// Patterns may begin with a character that isn't part of the word; skip it.
fn first_word(found: &str, start: usize) -> usize {
    found.find(|c: char| c.is_alphanumeric() || c == '_').map_or(start, |offset| start + offset)
}

fn is_comment(set: &RuleSet, line: &str) -> bool {
    let line = line.trim_start();
    set.comments.iter().any(|sign| line.starts_with(sign.as_str()))
}

/// Whether a comment sign stands in the text, outside literals.
fn after_comment_sign(set: &RuleSet, before: &str) -> bool {
    set.comments.iter().filter(|sign| matches!(sign.as_str(), "#" | "//" | "--" | "/*")).any(|sign| {
        before.match_indices(sign.as_str()).any(|(at, _)| {
            let head = &before[..at];
            (head.is_empty() || head.ends_with([' ', '\t', ';', '{', '}', ')'])) && !in_literal(set, head)
        })
    })
}

/// Whether a text ends inside a quoted literal.
fn in_literal(set: &RuleSet, before: &str) -> bool {
    let mut open: Option<char> = None;
    let mut escaped = false;
    for c in before.chars() {
        if escaped {
            escaped = false;
            continue;
        }
        match (c, open) {
            ('\\', Some(_)) => escaped = true,
            (c, Some(quote)) if c == quote => open = None,
            (c, None) if set.quotes.contains(c) => open = Some(c),
            _ => {}
        }
    }
    open.is_some()
}

impl Rule {
    /// A line with what must not be repeated taken out, and all that follows it.
    pub(in crate::playbook) fn hide(&self, line: &str) -> String {
        let Some(found) = self.regex.find(line) else { return "(hidden)".to_owned() };
        let block = found.as_str().find("KEY-----").map(|at| at + "KEY-----".len());
        let sign = block.or_else(|| found.as_str().find(['=', ':', '"', '\'', '`']).map(|at| at + 1));
        let kept = sign.unwrap_or_else(|| found.as_str().char_indices().nth(4).map_or(0, |(at, _)| at));
        let head: String = line[..found.start() + kept].chars().take(120).collect();
        format!("{head} …(hidden)")
    }
}
