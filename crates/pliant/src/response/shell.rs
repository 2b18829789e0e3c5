//! The surface of a solid at rest: nodes about its centre of mass, facets, and which of them are neighbours.

use std::collections::HashMap;

use super::Hull;
use crate::contact::{blend, nearest_of_triangle, twice_area};
use crate::error::BuildError;
use crate::math::{Vec3, unit_or};

/// A surface of triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Shell {
    /// Nodes, from the centre of mass [m].
    pub nodes: Vec<Vec3>,
    /// Corners of facets, counter-clockwise seen from outside.
    pub facets: Vec<[u32; 3]>,
    /// Across the edge from corner k to the next: the facet there.
    pub across: Vec<[u32; 3]>,
    /// Where the facets of each node begin in `around`; one more at the end.
    starts: Vec<u32>,
    around: Vec<u32>,
    /// Unit normals of facets, outwards.
    pub normals: Vec<Vec3>,
    /// How far the farthest node is from the centre [m].
    pub radius: f64,
    /// The longest and the mean edge [m].
    pub edges: [f64; 2],
}

impl Shell {
    /// Of a hull.
    pub fn new(name: &str, hull: &Hull) -> Result<Shell, BuildError> {
        let bad = |what: &str, value: f64| BuildError::Parameter {
            what: format!("{what} of the surface of {name}"),
            expected: "a closed surface over finite nodes, each edge of it between two facets",
            value,
        };
        let nodes: Vec<Vec3> = hull.nodes.iter().map(|node| *node - hull.centre).collect();
        if let Some(node) = nodes.iter().find(|node| !node.is_finite()) {
            return Err(bad("a node", node.length()));
        }
        let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
        for (n, facet) in hull.facets.iter().enumerate() {
            for k in 0..3 {
                let edge = [facet[k], facet[(k + 1) % 3]];
                if edge[0] as usize >= nodes.len() || edges.insert(edge, n as u32).is_some() {
                    return Err(bad("an edge", f64::from(edge[0])));
                }
            }
        }
        let other = |facet: &[u32; 3], k: usize| {
            let edge = [facet[(k + 1) % 3], facet[k]];
            edges.get(&edge).copied().ok_or_else(|| bad("an edge", f64::from(edge[0])))
        };
        let all = |f: &[u32; 3]| Ok::<_, BuildError>([other(f, 0)?, other(f, 1)?, other(f, 2)?]);
        let across = hull.facets.iter().map(all).collect::<Result<_, _>>()?;
        let mut lists = vec![vec![]; nodes.len()];
        for (n, facet) in hull.facets.iter().enumerate() {
            facet.iter().for_each(|node| lists[*node as usize].push(n as u32));
        }
        let mut starts = vec![0];
        starts.extend(lists.iter().scan(0, |sum, list| {
            *sum += list.len() as u32;
            Some(*sum)
        }));
        let length = |[a, b]: &[u32; 2]| (nodes[*a as usize] - nodes[*b as usize]).length();
        let longest = edges.keys().map(length).fold(0.0, f64::max);
        // in the order of facets, not of the map: the same bits in every run
        let sum: f64 =
            hull.facets.iter().flat_map(|f| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]).map(|e| length(&e)).sum();
        let mean = sum / edges.len().max(1) as f64;
        let radius = nodes.iter().map(|node| node.length()).fold(0.0, f64::max);
        let around = lists.concat();
        // one without area has some normal too: fingers may glide over it
        let normal = |f: &[u32; 3]| unit_or(twice_area(&f.map(|node| nodes[node as usize])), Vec3::Z);
        let normals = hull.facets.iter().map(normal).collect();
        Ok(Shell {
            nodes,
            facets: hull.facets.clone(),
            across,
            starts,
            around,
            normals,
            radius,
            edges: [longest, mean],
        })
    }

    /// Facets of a node.
    pub fn around(&self, node: u32) -> &[u32] {
        &self.around[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Walk over the surface at rest, from a point of a facet by a displacement along it [m]: facet and weights of its corners there.
    pub fn walk(&self, facet: u32, weights: [f64; 3], displacement: Vec3) -> (u32, [f64; 3]) {
        let corners = |facet: u32| self.facets[facet as usize].map(|node| self.nodes[node as usize]);
        let target = blend(&corners(facet), &weights) + displacement;
        let (mut facet, mut weights) = (facet, nearest_of_triangle(target, corners(facet)));
        let mut distance = (blend(&corners(facet), &weights) - target).length_squared();
        for _ in 0..MOST_FACETS {
            let look = |n: u32| {
                let w = nearest_of_triangle(target, corners(n));
                ((blend(&corners(n), &w) - target).length_squared(), n, w)
            };
            // over the edge that the nearest point is on; from a corner to any facet there, as the way may go on behind others
            let best = match weights.iter().position(|weight| *weight == 1.0) {
                Some(corner) => nearest(self.around(self.facets[facet as usize][corner]).iter().map(|n| look(*n))),
                None => nearest(
                    (0..3).filter(|k| weights[(k + 2) % 3] == 0.0).map(|k| look(self.across[facet as usize][k])),
                ),
            };
            let Some(best) = best.filter(|best| best.0 < distance) else { break };
            (distance, facet, weights) = best;
        }
        (facet, weights)
    }
}

/// The nearest of points of facets, given the squares of their distances.
fn nearest(found: impl Iterator<Item = (f64, u32, [f64; 3])>) -> Option<(f64, u32, [f64; 3])> {
    found.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Facets that a point may cross in one step.
const MOST_FACETS: usize = 16;
