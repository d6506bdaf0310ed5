//! The standard tools `write_file` and `edit_file`.
//!
//! Owns: what a change makes of a file's text, and what it tells of that. Doesn't own: which files
//! may be written, whether they were read before, where the bytes go; that is the host's view.
#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]

mod diff;
mod document;
mod edit;
mod failure;
#[cfg(target_family = "wasm")]
mod guest;
mod nearest;
mod patch;
mod replace;
mod write;

pub use edit::{EditRequest, Edited, edit_file};
pub use failure::Failure;
pub use write::{WriteRequest, Written, write_file};

/// The largest file that is written or changed, in bytes.
pub const LARGEST: usize = 16 << 20;
