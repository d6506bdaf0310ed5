//! `find_problems`: what rules over the syntax find.

mod matches;

pub(crate) use matches::Matches;
