//! What whole-product tests share.
//!
//! Owns: servers and scripts that stand in for what lies outside of the product. Doesn't
//! own: any part of the product; tests drive the real binary and the real crates.

#![forbid(unsafe_code)]

pub mod loopback;
pub mod messages_api;
pub mod product;
pub mod teller;
