//! The two tools on pages and answers of all kinds, natively.

mod fetching;
mod hostile;
mod net;
mod pages;
mod searching;
