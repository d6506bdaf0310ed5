//! The project's packages and who imports whom: what a report draws.

use super::claim::Evidence;
use super::results::Observation;
use serde::{Deserialize, Serialize};

/// A project's packages and the imports between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graph {
    /// The step whose result showed it.
    pub step: u64,
    /// The packages by size.
    pub packages: Vec<Package>,
    /// The imports from one package to another.
    pub edges: Vec<Edge>,
    /// Packages that import each other in a circle, by their paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycles: Vec<Vec<String>>,
    /// How many packages aren't listed.
    #[serde(default)]
    pub omitted: u32,
}

/// A package: a folder of code that belongs together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    /// Its folder, seen from the project's.
    pub path: String,
    /// How its language names it.
    pub name: String,
    /// Its files.
    pub files: u32,
    /// Their lines with code.
    pub code_lines: u32,
    /// What kind of place most of it is: `product`, `test`, `example` and the like.
    pub setting: String,
    /// How far it is from the ground: 0 imports no other package.
    pub layer: u32,
}

/// Imports from one package to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The importing package's path.
    pub from: String,
    /// The imported package's path.
    pub to: String,
    /// How many imports.
    pub count: u32,
    /// One of them.
    pub evidence: Evidence,
}

/// The graph that the observations show; none if no map was made.
pub fn graph(_observations: &[Observation]) -> Option<Graph> {
    None
}
