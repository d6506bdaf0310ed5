//! The analysis of sources in every language, natively.

mod bash;
mod bounds;
mod c;
mod complexity;
mod corpus;
mod cpp;
mod csharp;
mod data;
mod exports;
mod go;
mod ground;
mod hostile;
mod java;
mod javascript;
mod map;
mod own_rules;
mod pages;
mod php;
mod problems;
mod python;
mod ruby;
mod rust;
mod stack;
mod typescript;
