//! Where a page is read: as Markdown, or as it stands on a terminal.

use crate::report::safe;
use crate::review::quoted;
use crate::terminal::one_line;

/// What makes a stranger's text harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Rendered: nothing in a text may act as markup.
    Markdown,
    /// Printed: nothing in a text may act on a terminal, and markup is only what it looks like.
    Terminal,
}

impl Form {
    /// A text as one line.
    pub(super) fn inline(self, text: &str) -> String {
        match self {
            Self::Markdown => safe::inline(text),
            Self::Terminal => one_line(text, usize::MAX),
        }
    }

    /// A text as a name.
    pub(super) fn code(self, text: &str) -> String {
        match self {
            Self::Markdown => safe::code(text),
            Self::Terminal => one_line(text, usize::MAX),
        }
    }

    /// A file's name in a list of places; one that looks like markup is shown as code.
    pub(super) fn file(self, name: &str) -> String {
        match self {
            Self::Markdown => {
                let cell = safe::cell(name);
                if cell == name { cell } else { safe::word(name) }
            }
            Self::Terminal => crate::terminal::name(name),
        }
    }

    /// A text of several lines, word for word: nobody can take a line of it for one of ours.
    pub(super) fn block(self, text: &str) -> String {
        match self {
            Self::Markdown => safe::block(text),
            Self::Terminal => quoted(text),
        }
    }
}
