//! `analyze_code`: from a path to an analysis.

use crate::language::Language;
use crate::lines;
use crate::macros;
use crate::model::Analysis;
use crate::rules::html;
use crate::scan;
use ringfence_guest_project::{Fault, Root, decode, quoted, read_whole};
use std::borrow::Cow;
use tree_sitter::Parser;

/// The largest file that is parsed, in bytes. A dense source takes ninety times its size as a tree,
/// and that has to fit into the host's usual 256 MiB.
const LARGEST: u64 = 2 << 20;

/// Why a call failed, with a message that names what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The file system said no.
    Fault(Fault),
    /// Neither the extension nor the file's first line names a known language.
    UnknownLanguage(String),
    /// Too large to parse.
    TooLarge(String),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Analyses a source file.
pub fn analyze_code(root: &Root, asked: &str) -> Result<Analysis, Failure> {
    // The file first: of one that isn't there, the extension is no matter.
    let mut file = root.open(asked)?;
    let path = root.tidy(asked);
    let size = file.size();
    if Language::of(&path).is_none() && !Language::may_be_script(&path) {
        return Err(unknown(asked));
    }
    if size > LARGEST {
        let why = format!("{}: {size} bytes; files over {LARGEST} are not parsed", quoted(asked));
        return Err(Failure::TooLarge(why));
    }
    let mut bytes = Vec::new();
    read_whole(&mut file, usize::try_from(size).unwrap_or(0), &mut bytes)
        .map_err(|error| Fault::of(asked, &error))?;
    let (text, _) =
        decode(bytes).map_err(|why| Fault::NotText(format!("{}: {why} ({size} bytes)", quoted(asked))))?;
    let language = Language::of_file(&path, &text).ok_or_else(|| unknown(asked))?;
    let mut analysis = analyze_text(language, &text)
        .ok_or_else(|| Fault::Io(format!("{}: the parser gave up", quoted(asked))))?;
    analysis.path = path;
    analysis.size = size;
    Ok(analysis)
}

fn unknown(asked: &str) -> Failure {
    let known = Language::list();
    Failure::UnknownLanguage(format!("{}: not a known language; known are {known}", quoted(asked)))
}

/// Analyses source text; none if the parser gives up, which it does for no text in particular.
pub fn analyze_text(language: Language, text: &str) -> Option<Analysis> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let source: Cow<'_, str> = match language {
        Language::C | Language::Cpp => macros::blanked(text).map_or(text.into(), Into::into),
        Language::Html => text.get(..html::parsed(text)).unwrap_or(text).into(),
        Language::Python
        | Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::Rust
        | Language::Go
        | Language::Java
        | Language::CSharp
        | Language::Ruby
        | Language::Php
        | Language::Bash
        | Language::Json
        | Language::Yaml
        | Language::Toml
        | Language::Css => text.into(),
    };
    let tree = parser.parse(source.as_bytes(), None)?;
    let scanned = scan::scan(&tree, text, language.rules().as_mut());
    let mut found = scanned.found;
    let exports = found.take_exports();
    let mut counts = found.counts;
    lines::count(text, found.comments, &mut counts);
    Some(Analysis {
        path: String::new(),
        language,
        package_name: found.package,
        outline: found.symbols,
        imports: found.imports,
        exports,
        counts,
        syntax_errors: scanned.errors,
        first_errors: scanned.first_errors,
        cut: found.cut || source.len() < text.len(),
        size: text.len() as u64,
    })
}
