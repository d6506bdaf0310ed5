//! The packages and their imports as a picture: SVG that needs neither script nor network.
//!
//! Owns which packages are drawn, and drawing them. Where they stand is `layout`'s; the colours are
//! the page's, by class.

mod fold;
mod layout;

use super::html::escaped;
use layout::{Layout, Spot};
use ringfence_models::playbook::analyst::{Graph, Package, plural};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Most packages that are drawn one by one.
const DRAWN: usize = 60;
/// Most imports that are drawn, those with the highest counts.
const LINES: usize = 240;
/// Most characters of a name inside its box.
const NAME: usize = 20;

/// The graph as an SVG element; nothing for a project of fewer than two packages.
pub(super) fn svg(graph: &Graph) -> String {
    let folded = fold::folded(graph, DRAWN);
    if folded.packages.len() < 2 {
        return String::new();
    }
    let layout = Layout::of(&folded);
    let mut svg = format!(
        "<svg class=\"graph\" role=\"img\" aria-label=\"Packages and their imports\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" xmlns=\"http://www.w3.org/2000/svg\">\n\
         <title>Packages and their imports: who imports stands above what is imported</title>\n",
        w = layout.width,
        h = layout.height,
    );
    let circle = in_circles(&folded);
    let mut edges: Vec<_> = folded.edges.iter().filter(|edge| edge.from != edge.to).collect();
    edges.sort_by_key(|edge| std::cmp::Reverse(edge.count));
    for edge in edges.into_iter().take(LINES) {
        let (Some(from), Some(to)) = (layout.spot(&edge.from), layout.spot(&edge.to)) else { continue };
        let class =
            if circle.contains(&(edge.from.as_str(), edge.to.as_str())) { "edge cycle" } else { "edge" };
        let told = format!("{} imports {}: {}", edge.from, edge.to, plural(edge.count.into(), "import"));
        let _ = writeln!(
            svg,
            "<path class=\"{class}\" d=\"{}\"><title>{}</title></path>",
            curve(from, to),
            escaped(&told)
        );
    }
    for package in &folded.packages {
        if let Some(spot) = layout.spot(&package.path) {
            node(&mut svg, package, spot);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn node(svg: &mut String, package: &Package, spot: &Spot) {
    let kind = if package.setting == "product" { "node" } else { "node apart" };
    let told = format!(
        "{}: {}, {} ({})",
        package.path,
        plural(package.files.into(), "file"),
        plural(package.code_lines.into(), "line of code").replace("line of codes", "lines of code"),
        package.setting,
    );
    let _ = writeln!(
        svg,
        "<g class=\"{kind}\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\"/>\
         <text x=\"{}\" y=\"{}\">{}</text></g>",
        escaped(&told),
        spot.x,
        spot.y,
        spot.width,
        spot.height,
        spot.x + spot.width / 2,
        spot.y + spot.height / 2 + 4,
        escaped(&short(&package.name)),
    );
}

/// The end of a name that is too long: there it differs from its neighbours.
fn short(name: &str) -> String {
    let count = name.chars().count();
    if count <= NAME {
        return name.to_owned();
    }
    let end: String = name.chars().skip(count - (NAME - 1)).collect();
    format!("…{end}")
}

/// From the bottom of one box to the top of another; beside each other, over their heads.
fn curve(from: &Spot, to: &Spot) -> String {
    let (x1, x2) = (from.x + from.width / 2, to.x + to.width / 2);
    if from.layer == to.layer {
        let lift = 26;
        return format!("M{x1} {} C{x1} {} {x2} {} {x2} {}", from.y, from.y - lift, to.y - lift, to.y);
    }
    let (y1, y2) =
        if from.layer > to.layer { (from.y + from.height, to.y) } else { (from.y, to.y + to.height) };
    let middle = (y1 + y2) / 2;
    format!("M{x1} {y1} C{x1} {middle} {x2} {middle} {x2} {y2}")
}

/// The imports that run inside of a cycle.
fn in_circles(graph: &Graph) -> BTreeSet<(&str, &str)> {
    let groups: Vec<BTreeSet<&str>> =
        graph.cycles.iter().map(|cycle| cycle.iter().map(String::as_str).collect()).collect();
    let inside = |from: &str, to: &str| groups.iter().any(|group| group.contains(from) && group.contains(to));
    let pairs = graph.edges.iter().map(|edge| (edge.from.as_str(), edge.to.as_str()));
    pairs.filter(|(from, to)| inside(from, to)).collect()
}
