//! The standard tool `analyze_code`.
//!
//! Owns: what a source file defines, needs and how much of it there is, per language. Doesn't
//! own: which files there are to see; that is the host's view.
#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]

mod analyze;
mod collect;
mod comments;
mod excerpt;
#[cfg(target_family = "wasm")]
mod guest;
mod language;
mod lines;
mod model;
mod rules;
mod scan;

pub use analyze::{Failure, analyze_code, analyze_text};
pub use language::Language;
pub use model::{Analysis, Counts, Import, ImportKind, Place, Symbol, SymbolKind};
