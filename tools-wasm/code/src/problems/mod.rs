//! `find_problems`: what rules over the syntax find.

mod card;
mod excerpt;
mod find;
mod hushed;
mod matches;
mod model;
mod names;
mod rule_set;
mod standard;
mod supplied;
#[cfg(test)]
mod tests;

pub use card::{Card, Concern, Confidence, Severity};
pub use find::find_problems;
pub(crate) use matches::Matches;
pub use model::{Failure, Problem, Problems, Request, Searched};
pub(crate) use supplied::Supplied;
