//! The project's packages and who imports whom: what a report draws.

use super::claim::Evidence;
use super::map::Map;
use super::results::Observation;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

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
pub fn graph(observations: &[Observation]) -> Option<Graph> {
    let Map { series, packages, mut edges, total_packages, .. } = Map::of(observations)?;
    let listed: BTreeMap<&str, u32> =
        packages.iter().map(|package| (package.path.as_str(), package.layer)).collect();
    edges.retain(|edge| listed.contains_key(edge.to.as_str()));
    let cycles = cycles(&listed, &edges);
    let omitted = total_packages.saturating_sub(packages.len() as u64);
    Some(Graph {
        step: series.step(),
        cycles,
        omitted: u32::try_from(omitted).unwrap_or(u32::MAX),
        packages,
        edges,
    })
}

/// Packages are on the layer of those that they import only where they import each other.
fn cycles(layers: &BTreeMap<&str, u32>, edges: &[Edge]) -> Vec<Vec<String>> {
    let mut groups: Vec<BTreeSet<&str>> = Vec::new();
    let level = edges.iter().filter(|edge| {
        edge.from != edge.to && layers.get(edge.from.as_str()) == layers.get(edge.to.as_str())
    });
    for edge in level {
        let mut group: BTreeSet<&str> = [edge.from.as_str(), edge.to.as_str()].into();
        groups.retain(|other| {
            let apart = other.is_disjoint(&group);
            if !apart {
                group.extend(other);
            }
            apart
        });
        groups.push(group);
    }
    groups.into_iter().map(|group| group.into_iter().map(str::to_owned).collect()).collect()
}
