//! What tool results say about a project, as claims that name their evidence.
//!
//! Pure: the same observations give the same claims, whichever model asked for them, so that a
//! report can be made from a journal alone. Nothing is claimed that no observation shows.

mod claim;
mod coverage;
mod graph;
mod inventory;
mod layout;
mod manifest;
mod outline;
mod problems;
mod results;
mod roles;
mod stack;
mod versions;
mod wording;

pub use claim::{About, Card, Claim, Concern, Confidence, Evidence, Finding, Item, Severity};
pub use graph::{Edge, Graph, Package, graph};
pub use results::Observation;

pub(super) use inventory::{Inventory, Language, MANIFESTS, listed_pattern};

pub(super) use manifest::{Manifest, is_manifest, manifests, rank as manifest_rank};
pub use wording::plural;

/// Everything that the observations show: the stack first, then modules, then problems with the
/// worst first.
pub fn claims(observations: &[Observation]) -> Vec<Claim> {
    let inventory = Inventory::of(observations);
    let manifests = manifests(observations);
    let mut claims = stack::claims(&inventory, &manifests);
    claims.extend(layout::claims(&inventory, &manifests));
    claims.extend(outline::claims(observations, &manifests));
    claims.extend(problems::claims(observations, &manifests));
    claims.extend(coverage::claims(observations, &inventory));
    claims
}

#[cfg(test)]
mod tests;
