//! What can be wrong with a reply: one name for each thing, fit for a person and a model.

use thiserror::Error;

/// Why a reply can't be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Unusable {
    /// Longer than is looked at.
    #[error("the reply has {bytes} bytes; at most {limit} are read")]
    TooLong {
        /// Its size.
        bytes: usize,
        /// The bound.
        limit: usize,
    },
    /// Nothing but white space, or an opening brace and white space.
    #[error("the reply is empty")]
    Empty,
    /// Cut off by the output cap.
    #[error("the reply was cut off at {max_tokens} output tokens; answer more briefly")]
    CutOff {
        /// The cap.
        max_tokens: u32,
    },
    /// No JSON object anywhere.
    #[error("$: expected one JSON object, found none")]
    NoObject,
    /// The root is something else.
    #[error("$: expected one JSON object, found {found}")]
    NotAnObject {
        /// What it is, with its article.
        found: &'static str,
    },
    /// More than one object, and they differ.
    #[error("$: expected one JSON object, found {count} different ones")]
    Several {
        /// How many.
        count: usize,
    },
    /// A tool call written as XML text, or XML that leaked into a value.
    #[error("{path}: contains XML markup of a tool call (`{tag}`); answer with plain JSON only")]
    Markup {
        /// Where.
        path: String,
        /// The tag that was found.
        tag: &'static str,
    },
    /// The text isn't JSON and can't be mended in one way only.
    #[error("{path}: {fault}")]
    Broken {
        /// Where, as a JSON path.
        path: String,
        /// What.
        fault: Fault,
    },
    /// The value doesn't fit the schema, or the rules of its stage.
    #[error("{0}")]
    Schema(String),
}

/// What is wrong with a piece of JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum Fault {
    /// The text ends too early.
    #[error("the JSON ends before it is complete")]
    Unterminated,
    /// Something that the grammar doesn't have there.
    #[error("not valid JSON here, expected {0}")]
    Expected(&'static str),
    /// The same key twice in one object.
    #[error("the same key occurs twice in one object")]
    DuplicateKey,
    /// `NaN` or an infinity.
    #[error("NaN and infinities aren't JSON")]
    NotANumber,
    /// A number outside the grammar or the range.
    #[error("not a valid JSON number")]
    BadNumber,
    /// A comment.
    #[error("comments aren't JSON")]
    Comment,
    /// A byte order mark.
    #[error("a byte order mark isn't JSON")]
    ByteOrderMark,
    /// Half of a surrogate pair.
    #[error("an escape names half of a surrogate pair")]
    LoneSurrogate,
    /// A NUL character, raw or escaped.
    #[error("a NUL character isn't accepted")]
    Nul,
    /// Another raw control character.
    #[error("a raw control character in a string")]
    ControlCharacter,
    /// An escape that could mean several things.
    #[error("an invalid escape in a string")]
    BadEscape,
    /// Nested too deeply.
    #[error("nested too deeply")]
    TooDeep,
}
