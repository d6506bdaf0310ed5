//! Where packages stand: a row for each layer, the ground at the bottom; inside of a row, near to
//! those that they import and are imported by.

use ringfence_models::playbook::analyst::{Graph, Package};
use std::collections::BTreeMap;

/// Most packages side by side; a fuller layer gets further rows.
const WIDE: usize = 7;
/// Between boxes of a row, and between rows, in pixels.
const GAP: i32 = 16;
const RISE: i32 = 58;
const HEIGHT: i32 = 30;
const MARGIN: i32 = 30;
/// How often the order is looked at again.
const SWEEPS: usize = 8;

/// A package's box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
    pub(super) height: i32,
    /// Its row, counted from the ground.
    pub(super) layer: usize,
}

/// Every package's box and the size of the whole.
#[derive(Debug)]
pub(super) struct Layout {
    spots: BTreeMap<String, Spot>,
    pub(super) width: i32,
    pub(super) height: i32,
}

impl Layout {
    pub(super) fn of(graph: &Graph) -> Self {
        let rows = ordered(rows(&graph.packages), graph);
        let largest = graph.packages.iter().map(|package| package.code_lines).max().unwrap_or(0);
        let widths: Vec<Vec<i32>> =
            rows.iter().map(|row| row.iter().map(|package| width(package, largest)).collect()).collect();
        let whole = |row: &Vec<i32>| row.iter().sum::<i32>() + GAP * (row.len().saturating_sub(1) as i32);
        let inner = widths.iter().map(whole).max().unwrap_or(0);
        let mut spots = BTreeMap::new();
        for (layer, (row, sizes)) in rows.iter().zip(&widths).enumerate() {
            let mut x = MARGIN + (inner - whole(sizes)) / 2;
            let y = MARGIN + (rows.len() - 1 - layer) as i32 * (HEIGHT + RISE);
            for (package, &width) in row.iter().zip(sizes) {
                spots.insert(package.path.clone(), Spot { x, y, width, height: HEIGHT, layer });
                x += width + GAP;
            }
        }
        let height = rows.len() as i32 * (HEIGHT + RISE) - RISE + 2 * MARGIN;
        Self { spots, width: inner + 2 * MARGIN, height }
    }

    pub(super) fn spot(&self, path: &str) -> Option<&Spot> {
        self.spots.get(path)
    }
}

/// Room for the name, and more the more code there is.
fn width(package: &Package, largest: u32) -> i32 {
    let letters = package.name.chars().count().min(super::NAME) as i32;
    let share = f64::from(package.code_lines) / f64::from(largest.max(1));
    letters * 7 + 18 + (share.sqrt() * 60.0) as i32
}

fn rows(packages: &[Package]) -> Vec<Vec<&Package>> {
    let mut layers: BTreeMap<u32, Vec<&Package>> = BTreeMap::new();
    for package in packages {
        layers.entry(package.layer).or_default().push(package);
    }
    layers.into_values().flat_map(|row| row.chunks(WIDE).map(<[_]>::to_vec).collect::<Vec<_>>()).collect()
}

/// Each row sorted by where its neighbours stand on average, several times over.
fn ordered<'g>(mut rows: Vec<Vec<&'g Package>>, graph: &'g Graph) -> Vec<Vec<&'g Package>> {
    let mut near: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in &graph.edges {
        near.entry(&edge.from).or_default().push(&edge.to);
        near.entry(&edge.to).or_default().push(&edge.from);
    }
    for _ in 0..SWEEPS {
        let mut place: BTreeMap<&str, f64> = BTreeMap::new();
        for row in &rows {
            for (at, package) in row.iter().enumerate() {
                place.insert(&package.path, (at as f64 + 0.5) / row.len() as f64);
            }
        }
        let middle = |package: &Package| {
            let own = place.get(package.path.as_str()).copied().unwrap_or(0.5);
            let others: Vec<f64> = near
                .get(package.path.as_str())
                .into_iter()
                .flatten()
                .filter_map(|other| place.get(other).copied())
                .collect();
            if others.is_empty() { own } else { others.iter().sum::<f64>() / others.len() as f64 }
        };
        for row in &mut rows {
            row.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
        }
    }
    rows
}
