//! Memory across runs: what earlier runs left that bears on a goal.
//!
//! Owns the question and nothing else yet: there is one memory, and it is empty. A run is begun
//! with the answer, which travels in its first event, so that what it was told stays known.

/// Something that remembers earlier runs.
pub trait Memory {
    /// What bears on this goal, most related first: at most `most` short texts.
    fn related(&self, goal: &str, most: usize) -> Vec<String>;
}

/// Remembers nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn related(&self, _: &str, _: usize) -> Vec<String> {
        Vec::new()
    }
}
