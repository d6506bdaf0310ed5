//! The standard tools `read_file`, `list_files` and `search_text`.
//!
//! Owns: which lines, entries and matches a call returns, and their bounds. Doesn't own: which
//! files there are to see; that is the host's view.
#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]

mod failure;
mod glob;
#[cfg(target_family = "wasm")]
mod guest;
mod list;
mod page;
mod pattern;
mod search;

pub use failure::Failure;
pub use list::{Entry, ListRequest, Listing, list_files};
pub use page::{FileText, ReadRequest, read_file};
pub use ringfence_guest_project::Kind;
pub use search::{SearchRequest, SearchResult, TextMatch, search_text};
