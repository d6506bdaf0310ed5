//! The two tools on real folders, natively.

mod ground;
mod patching;
mod random;
mod replacing;
mod writing;
