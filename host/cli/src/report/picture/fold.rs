//! Folding a graph that is too large to draw: packages become one with the others of their folder.

use ringfence_models::playbook::analyst::{Edge, Graph, Package};
use std::collections::{BTreeMap, BTreeSet};

/// The graph with at most so many packages: folded at the deepest level that fits, else the
/// largest top folders.
pub(super) fn folded(graph: &Graph, most: usize) -> Graph {
    if graph.packages.len() <= most {
        return graph.clone();
    }
    let mut folded = at(graph, 1);
    for depth in (2..=6).rev() {
        let deep = at(graph, depth);
        if deep.packages.len() <= most {
            folded = deep;
            break;
        }
    }
    folded.packages.sort_by_key(|package| std::cmp::Reverse(package.code_lines));
    folded.packages.truncate(most);
    let kept: BTreeSet<String> = folded.packages.iter().map(|package| package.path.clone()).collect();
    folded.edges.retain(|edge| kept.contains(&edge.from) && kept.contains(&edge.to));
    folded
}

fn at(graph: &Graph, depth: usize) -> Graph {
    let top = |path: &str| path.split('/').take(depth).collect::<Vec<_>>().join("/");
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    for package in &graph.packages {
        let path = top(&package.path);
        let whole = packages.entry(path.clone()).or_insert_with(|| Package {
            name: path.clone(),
            path,
            files: 0,
            code_lines: 0,
            setting: package.setting.clone(),
            layer: 0,
        });
        whole.files = whole.files.saturating_add(package.files);
        whole.code_lines = whole.code_lines.saturating_add(package.code_lines);
        whole.layer = whole.layer.max(package.layer);
    }
    let mut edges: BTreeMap<(String, String), Edge> = BTreeMap::new();
    for edge in &graph.edges {
        let (from, to) = (top(&edge.from), top(&edge.to));
        if from == to {
            continue;
        }
        let whole = edges.entry((from.clone(), to.clone())).or_insert_with(|| Edge {
            from,
            to,
            count: 0,
            evidence: edge.evidence.clone(),
        });
        whole.count = whole.count.saturating_add(edge.count);
    }
    let cycles = graph.cycles.iter().map(|cycle| {
        let folders: BTreeSet<String> = cycle.iter().map(|path| top(path)).collect();
        folders.into_iter().collect::<Vec<_>>()
    });
    Graph {
        step: graph.step,
        packages: packages.into_values().collect(),
        edges: edges.into_values().collect(),
        cycles: cycles.filter(|cycle| cycle.len() > 1).collect(),
        omitted: graph.omitted,
    }
}
