//! Fetching, verifying and publishing, against servers on this machine.

mod artifact;
mod files;
mod hostile;
mod login;
mod maker;
mod real;
mod signed;
