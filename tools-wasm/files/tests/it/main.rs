//! The three tools on real folders, natively.

mod ground;
mod listing;
mod reading;
mod searching;
