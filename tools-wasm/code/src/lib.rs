//! The standard tools that look at code: `analyze_code`, `map_code`, `find_problems`, `detect_stack`.
//!
//! Owns: what source files define, need and do wrong, and what a project is built with. Doesn't
//! own: which files there are to see, and on how many processors at once; that is the host's.
#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]

mod analyze;
mod bounds;
mod collect;
mod comments;
mod complexity;
mod each_file;
mod excerpt;
#[cfg(target_family = "wasm")]
mod guest;
mod language;
mod lines;
mod macros;
mod map;
mod model;
mod problems;
mod rules;
mod scan;
mod scope;
mod setting;
mod skipped;
mod sniff;
mod stack;

pub use analyze::{Failure, analyze_code, analyze_text};
pub use each_file::{FanOut, OneByOne, Outcome};
pub use language::Language;
pub use map::{CodeMap, Cycle, Edge, EntryPoint, External, Hardest, MapRequest, Module, Package, map_code};
pub use model::{Analysis, Complexity, Counts, Import, ImportKind, Place, Symbol, SymbolKind};
pub use problems::{
    Card, Concern, Confidence, Failure as ProblemsFailure, Problem, Problems, Request as ProblemsRequest,
    Searched, Severity, find_problems,
};
pub use setting::Setting;
pub use skipped::Skipped;
pub use stack::{
    Dependency, Ecosystem, LanguageShare, Manifest, Scope, Stack, StackRequest, Technology, TechnologyKind,
    detect_stack,
};
