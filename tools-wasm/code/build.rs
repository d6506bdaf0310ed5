//! Gathers the standard rules, so that they are part of the component.

fn main() {}
