//! Sizes: how much a model or a person may make a run grow.
//!
//! Counts of characters unless a name says bytes. What a tool returns is bounded by the fence.

/// A goal.
pub(crate) const GOAL: usize = 16_000;
/// Tasks that one plan may add.
pub(crate) const NEW_TASKS: usize = 100;
/// Tasks that may be open at once.
pub(crate) const OPEN_TASKS: usize = 200;
/// A task's id.
pub(crate) const TASK_ID: usize = 64;
/// A task's description.
pub(crate) const DESCRIPTION: usize = 2_000;
/// A task's kind.
pub(crate) const KIND: usize = 64;
/// Ids in one `depends_on`.
pub(crate) const DEPENDS_ON: usize = OPEN_TASKS;
/// A model's question to a person.
pub(crate) const QUESTION: usize = 4_000;
/// What a person says: an answer, a reason.
pub(crate) const PERSON: usize = 32_000;
/// What a person's words were said to.
pub(crate) const SAID_TO: usize = 300;
/// A model's reasons; the rest is cut off with a mark.
pub(crate) const REASONING: usize = 8_000;
/// An evaluator's summary or suggestion; the rest is cut off with a mark.
pub(crate) const SUMMARY: usize = 4_000;
/// A final answer.
pub(crate) const ANSWER: usize = 64_000;
/// What a review of the working memory tells the run to do.
pub(crate) const INSTRUCTION: usize = 2_000;
/// Memories of earlier runs that a run is begun with.
pub(crate) const MEMORIES: usize = 20;
/// A line in the notes, or a one-line message of a tool or a provider.
pub(crate) const LINE: usize = 2_000;
/// Claims of one evaluation.
pub(crate) const CLAIMS: usize = 100;
/// Claims of a run.
pub(crate) const CLAIMS_OF_A_RUN: usize = 5_000;
/// Notes of a run; later ones are dropped.
pub(crate) const NOTES: usize = 5_000;
/// A claim's text.
pub(crate) const CLAIM: usize = 1_000;
/// Bytes of a path that a claim names.
pub(crate) const PATH_BYTES: usize = 1_024;
/// Places that support one claim.
pub(crate) const EVIDENCE: usize = 20;
/// Bytes of a model's reply that are looked at; a longer one is unusable.
pub(crate) const REPLY_BYTES: usize = 1 << 20;
/// Nesting of a model's JSON.
pub(crate) const DEPTH: usize = 64;

/// `text`, or its beginning and a mark where it has more than `max` characters.
pub(crate) fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// `text` on one line, cut to `max` characters: line breaks and runs of space become one space.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > max.saturating_mul(4) {
            break;
        }
    }
    cut(&line, max)
}

/// Whether `text` has more than `max` characters.
pub(crate) fn longer_than(text: &str, max: usize) -> bool {
    text.len() > max && text.char_indices().nth(max).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_character_and_marked() {
        assert_eq!(cut("任务一二三", 2), "任务…");
        assert_eq!(cut("ab", 2), "ab");
    }

    #[test]
    fn a_line_has_no_line_breaks() {
        assert_eq!(one_line(" a\n\n b\tc ", 10), "a b c");
        assert_eq!(one_line("abc def", 5), "abc d…");
    }
}
