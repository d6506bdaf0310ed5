//! The fence under attack: components that try to get out, written in Rust, C and Python or made
//! in the test, called through the library and through the real binary.
//!
//! Every row of `docs/threats.md` is one test here, and the page is written from the rows. Rows in
//! several languages want the toolchains of `guests/build.sh` and are ignored unless asked for:
//! `cargo test --workspace --test fence -- --include-ignored`.

mod bench;
mod caseless;
mod environment;
mod files;
mod guests;
mod information;
mod interface;
mod links;
mod loading;
mod made;
mod masks;
mod mounted;
mod network;
mod page;
mod people;
mod resources;
mod standard;
mod standing;
mod terminal;
mod threat;
mod writes;
