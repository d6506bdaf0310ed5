//! Work on many files at once, by the host: `ringfence:host/fan-out`.
//!
//! Owns: reading the files through the call's own view, giving each to a fresh instance of the same
//! component that sees nothing else, on several processors, and not again for a file that is as it
//! was. Doesn't own: what may be read (`view`), keeping what was made of files ([`FileMemory`]),
//! the call's own end (`call`).
//!
//! What a file's content does to an instance stays in it, and an instance works on many files one
//! after the other: a file that takes over the component's own code could falsify what is made, and
//! remembered, of other files of the same project by the same component for the same task. It
//! reaches nothing else: no other component, no other project, nothing outside the fence.

mod crew;
mod import;
mod memory;
mod spread;
mod terms;
mod worker;

pub use memory::FileMemory;

pub(crate) use crew::most_workers;
pub(crate) use import::{EACH_FILE, IMPORT, PACKAGE, WORK, add_to_linker};
pub(crate) use terms::{FanOut, Terms};

/// Paths that one `run` may name.
const MOST_PATHS: usize = 5_000;
/// Of the task, in bytes.
const MOST_TASK: usize = 2 << 20;
/// Larger files aren't worked on.
const MOST_CONTENT: u64 = 2 << 20;
/// What the component may make of one file, in bytes.
const MOST_VALUE: usize = 4 << 20;
/// Of all values of one `run` together, in bytes.
const MOST_VALUES: usize = 64 << 20;
