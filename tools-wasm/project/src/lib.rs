//! How a standard tool sees the project's files: names, refusals, text, and which files there are.
//!
//! Owns: from the path that was asked to an open file or folder, what to say when that fails, what
//! counts as text. Doesn't own: whether a path may be opened; only the host decides that.
#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]

mod fault;
mod fs;
mod ignored;
mod name;
mod read;
mod text;
mod walk;

pub use fault::Fault;
pub use fs::{Entries, File, Kind, entries, look};
pub use name::{Root, quoted};
pub use read::read_whole;
pub use text::{Binary, binary_head, cut_at, decode, whole_characters};
pub use walk::{Found, Walk};
