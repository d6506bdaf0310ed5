//! Layers and cycles of a graph of numbered nodes.
//!
//! Strongly connected components by Tarjan's algorithm, without recursion: a chain of ten thousand
//! imports is no reason to overflow a stack.

use std::collections::HashSet;

/// Where each node stands.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Graph {
    /// How far each node is from the ground: one above the highest that it leads to, outside its own
    /// cycle.
    pub(super) layers: Vec<u32>,
    /// Nodes that lead to each other, two or more, the largest set first.
    pub(super) cycles: Vec<Vec<usize>>,
}

impl Graph {
    /// Looks at a graph: for each node those it leads to.
    pub(super) fn of(links: &[Vec<usize>]) -> Self {
        let components = components(links);
        let mut owner = vec![0; links.len()];
        for (number, members) in components.iter().enumerate() {
            for &member in members {
                set(&mut owner, member, number);
            }
        }
        // Tarjan gives a component after all that it leads to.
        let mut heights: Vec<u32> = Vec::with_capacity(components.len());
        for (number, members) in components.iter().enumerate() {
            let below = members
                .iter()
                .flat_map(|&member| links.get(member).into_iter().flatten())
                .filter_map(|&to| owner.get(to).copied())
                .filter(|&other| other != number)
                .filter_map(|other| heights.get(other).copied())
                .max();
            heights.push(below.map_or(0, |height| height + 1));
        }
        let layers = owner.iter().map(|&number| heights.get(number).copied().unwrap_or(0)).collect();
        let mut cycles: Vec<Vec<usize>> =
            components.into_iter().filter(|members| members.len() > 1).collect();
        for members in &mut cycles {
            *members = around(links, members);
        }
        cycles.sort_by_key(|members| (std::cmp::Reverse(members.len()), members.first().copied()));
        Self { layers, cycles }
    }
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(place) = list.get_mut(at) {
        *place = value;
    }
}

#[derive(Clone, Copy)]
struct Mark {
    index: usize,
    low: usize,
    on_stack: bool,
}

fn components(links: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut marks: Vec<Option<Mark>> = vec![None; links.len()];
    let mut found = Vec::new();
    let (mut stack, mut next) = (Vec::new(), 0);
    for start in 0..links.len() {
        if marks.get(start).is_some_and(Option::is_some) {
            continue;
        }
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((node, edge)) = path.pop() {
            if edge == 0 {
                set(&mut marks, node, Some(Mark { index: next, low: next, on_stack: true }));
                next += 1;
                stack.push(node);
            }
            let to = links.get(node).and_then(|all| all.get(edge)).copied().filter(|&to| to < links.len());
            if let Some(to) = to {
                path.push((node, edge + 1));
                match marks.get(to).copied().flatten() {
                    None => path.push((to, 0)),
                    Some(mark) if mark.on_stack => lower(&mut marks, node, mark.index),
                    Some(_) => {}
                }
                continue;
            }
            let Some(mark) = marks.get(node).copied().flatten() else { continue };
            if mark.low == mark.index {
                let mut members = Vec::new();
                while let Some(member) = stack.pop() {
                    if let Some(Some(mark)) = marks.get_mut(member) {
                        mark.on_stack = false;
                    }
                    members.push(member);
                    if member == node {
                        break;
                    }
                }
                members.sort_unstable();
                found.push(members);
            }
            if let Some(&(above, _)) = path.last() {
                lower(&mut marks, above, mark.low);
            }
        }
    }
    found
}

fn lower(marks: &mut [Option<Mark>], node: usize, to: usize) {
    if let Some(Some(mark)) = marks.get_mut(node) {
        mark.low = mark.low.min(to);
    }
}

/// The members in an order in which each leads to the next and the last to the first, for the
/// shortest way around from the first; those that aren't on it come after.
fn around(links: &[Vec<usize>], members: &[usize]) -> Vec<usize> {
    let Some(&first) = members.first() else { return Vec::new() };
    let inside = |node: usize| members.binary_search(&node).ok();
    let mut came_from = vec![None; members.len()];
    let mut queue = std::collections::VecDeque::from([first]);
    let mut last = None;
    'search: while let Some(node) = queue.pop_front() {
        for &to in links.get(node).into_iter().flatten() {
            if to == first && node != first {
                last = Some(node);
                break 'search;
            }
            let Some(at) = inside(to).filter(|_| to != first) else { continue };
            if came_from.get(at).is_some_and(Option::is_none) {
                set(&mut came_from, at, Some(node));
                queue.push_back(to);
            }
        }
    }
    let mut way = Vec::new();
    let mut at = last;
    while let Some(node) = at {
        way.push(node);
        at = if node == first {
            None
        } else {
            inside(node).and_then(|at| came_from.get(at).copied().flatten())
        };
    }
    way.reverse();
    let on_it: HashSet<usize> = way.iter().copied().collect();
    way.extend(members.iter().copied().filter(|member| !on_it.contains(member)));
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_chain_has_a_layer_for_each_node_and_no_cycle() {
        let graph = Graph::of(&[vec![1], vec![2], vec![]]);
        assert_eq!(graph, Graph { layers: vec![2, 1, 0], cycles: vec![] });
    }

    #[test]
    fn a_cycle_stands_on_one_layer_and_is_told_in_its_order() {
        let graph = Graph::of(&[vec![2], vec![0, 3], vec![1], vec![]]);
        assert_eq!(graph, Graph { layers: vec![1, 1, 1, 0], cycles: vec![vec![0, 2, 1]] });
    }

    #[test]
    fn a_long_chain_overflows_no_stack() {
        let links: Vec<Vec<usize>> = (0..100_000).map(|node| vec![node + 1]).collect();
        assert_eq!(Graph::of(&links).layers.first(), Some(&99_999));
    }

    fn reaches(links: &[Vec<usize>], from: usize, to: usize) -> bool {
        let (mut seen, mut open) = (vec![false; links.len()], vec![from]);
        while let Some(node) = open.pop() {
            for &next in &links[node] {
                if next == to {
                    return true;
                }
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        false
    }

    proptest! {
        #[test]
        fn cycles_are_the_sets_of_nodes_that_reach_each_other(
            links in (1_usize..9).prop_flat_map(|n| prop::collection::vec(prop::collection::vec(0..n, 0..4), n))
        ) {
            let graph = Graph::of(&links);
            for a in 0..links.len() {
                for b in 0..links.len() {
                    if a == b { continue }
                    let together = reaches(&links, a, b) && reaches(&links, b, a);
                    prop_assert_eq!(together, graph.cycles.iter().any(|one| one.contains(&a) && one.contains(&b)));
                    if !together && links[a].contains(&b) {
                        prop_assert!(graph.layers[a] > graph.layers[b]);
                    }
                }
            }
        }
    }
}
