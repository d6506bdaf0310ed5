//! A tool means the same in every language: `tools-wasm/examples/word_count`, once in each, built by
//! `ringfence tool build`, gives equal results on equal folders and is refused the same things.
//!
//! Rust's standard `read_file` is always there, so its tests always run. The others are ignored unless
//! asked for: the first time they install toolchains and compile for minutes (README.md).

mod built;
mod corpus;
mod counting;
mod oracle;
mod spelling;
mod table;
mod templates;
