//! The analysis of sources in every language, natively.

mod bounds;
mod c;
mod corpus;
mod go;
mod ground;
mod java;
mod javascript;
mod own_rules;
mod problems;
mod python;
mod rust;
mod typescript;
