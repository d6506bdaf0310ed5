//! What tool results say about a project, as claims that name their evidence.
//!
//! Pure: the same observations give the same claims, whichever model asked for them, so that a
//! report can be made from a journal alone. Nothing is claimed that no observation shows.

mod claim;
mod coverage;
mod detected;
mod found;
mod graph;
mod inventory;
mod map;
mod outline;
mod pages;
mod problems;
mod results;
mod setting;
mod stack;
mod structure;
mod upkeep;
mod versions;
mod wording;

pub use claim::{About, Card, Claim, Concern, Confidence, Evidence, Finding, Item, Severity};
pub use graph::{Edge, Graph, Package, graph};
pub use results::Observation;

pub(super) use inventory::{Inventory, Language, MANIFESTS, listed_pattern, manifest_rank};
pub(super) use map::{Map, Module};
pub(super) use pages::series;
pub(super) use setting::Setting;
pub use wording::plural;

use coverage::Languages;
use detected::Detected;
use found::Found;

/// Everything that the observations show: the stack first, then modules, then problems with the
/// worst first, and how far they were looked for.
pub fn claims(observations: &[Observation]) -> Vec<Claim> {
    let inventory = Inventory::of(observations);
    let detected = Detected::of(observations);
    let map = Map::of(observations);
    let found = Found::of(observations);
    let mut claims = match &detected {
        Some(detected) => stack::claims(detected),
        None => stack::listed(observations, &inventory),
    };
    match &map {
        Some(map) => claims.extend(structure::claims(map)),
        None => claims.extend(structure::folders(&inventory)),
    }
    claims.extend(outline::claims(observations));
    claims.extend(problems::claims(observations, &found, map.as_ref(), detected.as_ref()));
    let languages = Languages::of(detected.as_ref(), map.as_ref(), &inventory);
    claims.extend(coverage::claims(observations, &found, &languages));
    claims
}

#[cfg(test)]
mod tests;
