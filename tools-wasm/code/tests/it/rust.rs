use crate::ground::{analyze, head, imports, outline};
use ringfence_code::Language;

#[test]
fn items_impls_and_traits_are_outlined() {
    let analysis = analyze(
        Language::Rust,
        r#"//! The crate.
use std::collections::{BTreeMap as Map, HashMap, hash_map::{Entry, Iter}};
use super::*;
pub use crate::error::Error;
use serde as s;
use {anyhow::Result, log};
extern crate alloc;

mod parser;
pub(crate) mod view {
    pub fn draw() {}
}

/// A queue of things.
///
/// More.
#[derive(Debug, Clone)]
#[serde(rename_all = "snake_case")]
pub struct Queue<T: Clone, const N: usize> {
    items: Vec<T>,
}

pub enum Kind { A, B(u8) }
union Raw { a: u32, b: f32 }
pub type Callback = Box<dyn Fn(u8) -> u8>;
struct Unit;

pub trait Store: Send {
    type Item;
    /// Fetches.
    fn get(&self, id: &str) -> Option<Self::Item>;
    fn put(&mut self) {}
}

impl<T: Clone, const N: usize> Queue<T, N> {
    pub const fn new() -> Self { Self { items: vec![] } }
    fn grow(&mut self) where T: Default {
        fn step() {}
        let f = |x: u8| x;
    }
}

impl<T> Store for &mut crate::Queue<T, 3> {
    type Item = T;
    fn get(&self, id: &str) -> Option<T> { None }
}

#[macro_export]
macro_rules! check {
    ($a:expr) => { $a };
}
macro_rules! local { () => {} }

extern "C" {
    fn c_call(x: i32) -> i32;
}

pub async unsafe fn run<'a>(
    first: &'a str,
) -> impl Iterator<Item = &'a str> + 'a {
    first.split(' ')
}

#[cfg(test)]
mod tests {
    #[test]
    fn works() {}
}
"#,
    );
    assert_eq!(
        outline(&analysis),
        [
            "module view+ 10-12",
            "function view.draw+ 11-11",
            "struct Queue+ 19-21",
            "enum Kind+ 23-23",
            "union Raw 24-24",
            "typealias Callback+ 25-25",
            "struct Unit 26-26",
            "trait Store+ 28-33",
            "method Store.get+ 31-31",
            "method Store.put+ 32-32",
            "method Queue.new+ 36-36",
            "method Queue.grow 37-40",
            "function Queue.grow.step 38-38",
            "method Queue.get+ 45-45",
            "macro check+ 49-51",
            "macro local 52-52",
            "function c_call 55-55",
            "function run+ 58-62",
            "module tests 65-68",
            "function tests.works 67-67",
        ]
    );
    assert_eq!(
        imports(&analysis),
        [
            "2 import std::collections: BTreeMap as Map, HashMap, hash_map::{Entry, Iter}",
            "3 import super: *",
            "4 reexport crate::error::Error",
            "5 import serde",
            "6 import anyhow::Result",
            "6 import log",
            "7 import alloc",
            "9 submodule parser",
        ]
    );
    assert_eq!(
        head(&analysis, "Queue"),
        ("pub struct Queue<T: Clone, const N: usize>", Some("A queue of things."))
    );
    assert_eq!(head(&analysis, "get"), ("fn get(&self, id: &str) -> Option<Self::Item>", Some("Fetches.")));
    assert_eq!(
        head(&analysis, "run").0,
        "pub async unsafe fn run<'a>( first: &'a str, ) -> impl Iterator<Item = &'a str> + 'a"
    );
    assert_eq!(head(&analysis, "grow").0, "fn grow(&mut self) where T: Default");
    let counts = analysis.counts;
    assert_eq!((counts.functions, counts.methods, counts.classes), (5, 5, 5));
    assert_eq!(analysis.syntax_errors, 0);
}

#[test]
fn a_comment_that_documents_nothing_is_no_doc() {
    let analysis = analyze(
        Language::Rust,
        "// plain\nfn a() {}\n\n/// far\n\nfn b() {}\n\nlet x = 1; /// trailing\nfn c() {}\n",
    );
    for name in ["a", "b", "c"] {
        assert_eq!(head(&analysis, name).1, None, "{name}");
    }
}
