//! A regular expression that is looked for within lines.
//!
//! Lines are not tried one by one: the expression is rewritten so that it can never match across
//! a line's end, and then whole files are searched, which is many times faster.

use crate::failure::Failure;
use regex_automata::Input;
use regex_automata::meta::{BuildError, Config, Regex};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Capture, Class, ClassBytes, ClassUnicode, Hir, HirKind, Look, Repetition};
use ringfence_guest_project::quoted;
use std::ops::Range;

/// The longest expression, in bytes.
const LONGEST: usize = 10_000;
/// How deep an expression may nest; the rewriting below recurses as deep.
const DEEPEST: u32 = 100;
/// What a compiled expression may take, in bytes.
const MOST_MEMORY: usize = 4 << 20;

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct Pattern(Regex);

impl Pattern {
    /// Understands an expression in the syntax of the `regex` crate.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let refuse =
            |why: String| Failure::InvalidPattern(format!("regular expression {}: {why}", quoted(text)));
        if text.is_empty() {
            return Err(refuse("empty".into()));
        }
        if text.len() > LONGEST {
            return Err(refuse(format!("longer than {LONGEST} bytes")));
        }
        let mut parser =
            ParserBuilder::new().multi_line(true).crlf(true).utf8(false).nest_limit(DEEPEST).build();
        let parsed = parser.parse(text).map_err(|error| refuse(error.to_string()))?;
        let within = within_line(&parsed)
            .ok_or_else(|| refuse("asks for a line break, but lines are searched one by one".into()))?;
        let config = Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(MOST_MEMORY))
            .hybrid_cache_capacity(MOST_MEMORY);
        Regex::builder()
            .configure(config)
            .build_from_hir(&within)
            .map(Self)
            .map_err(|error| refuse(too_big(&error)))
    }

    /// The first match at or after `from`; never across a line's end.
    pub(crate) fn find(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        let input = Input::new(text).span(from..text.len());
        self.0.find(input).map(|found| found.range())
    }
}

fn too_big(error: &BuildError) -> String {
    match error.size_limit() {
        Some(limit) => format!("too big: would take more than {limit} bytes"),
        None => error.to_string(),
    }
}

/// The same expression, unable to match a line feed; none where it asks for nothing else.
fn within_line(hir: &Hir) -> Option<Hir> {
    let all = |parts: &[Hir]| parts.iter().map(within_line).collect::<Option<Vec<_>>>();
    Some(match hir.kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => return None,
        HirKind::Literal(literal) => Hir::literal(literal.0.clone()),
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            class.difference(&ClassUnicode::new([regex_syntax::hir::ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut class = class.clone();
            class.difference(&ClassBytes::new([regex_syntax::hir::ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        // The start and the end of the text are those of the line.
        HirKind::Look(Look::Start) => Hir::look(Look::StartCRLF),
        HirKind::Look(Look::End) => Hir::look(Look::EndCRLF),
        HirKind::Look(look) => Hir::look(*look),
        HirKind::Repetition(repetition) => {
            Hir::repetition(Repetition { sub: Box::new(within_line(&repetition.sub)?), ..repetition.clone() })
        }
        HirKind::Capture(capture) => {
            Hir::capture(Capture { sub: Box::new(within_line(&capture.sub)?), ..capture.clone() })
        }
        HirKind::Concat(parts) => Hir::concat(all(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)?),
    })
}
