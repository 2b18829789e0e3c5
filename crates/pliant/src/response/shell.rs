//! The surface of a solid at rest: nodes relative to its centre of mass, facets and their neighbours.

use std::collections::HashMap;

use super::Hull;
use crate::contact::{blend, nearest_of_triangle, twice_area};
use crate::error::BuildError;
use crate::math::{Vec3, unit_or};

/// A surface of triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Shell {
    /// Nodes relative to the centre of mass, in the body's frame [m].
    pub nodes: Vec<Vec3>,
    /// Facets, as indices of nodes, counter-clockwise seen from outside.
    pub facets: Vec<[u32; 3]>,
    /// For each facet, its neighbour across the edge from corner k to the next.
    pub across: Vec<[u32; 3]>,
    /// Start of the facets of each node in `around`, plus one entry for the end.
    starts: Vec<u32>,
    around: Vec<u32>,
    /// Outward unit normals of facets.
    pub normals: Vec<Vec3>,
    /// Distance of the farthest node from the centre of mass [m].
    pub radius: f64,
    /// The longest and the mean edge [m].
    pub edges: [f64; 2],
}

impl Shell {
    /// Build from a hull. Fails if its facets do not form a closed surface.
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
        // in the order of facets, not of the map, so that every run gives the same bits
        let sum: f64 =
            hull.facets.iter().flat_map(|f| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]).map(|e| length(&e)).sum();
        let mean = sum / edges.len().max(1) as f64;
        let radius = nodes.iter().map(|node| node.length()).fold(0.0, f64::max);
        let around = lists.concat();
        // facets without area need a normal too, as fingers may slide over them
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

    /// Facets around a node.
    pub fn around(&self, node: u32) -> &[u32] {
        &self.around[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Walk over the surface at rest, from a point of a facet by a displacement along it [m]. Returns the facet reached
    /// and barycentric coordinates in it.
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
            // cross the edge that the nearest point is on; from a corner go to any facet around it, as the path may
            // continue beyond the neighbours
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

/// The nearest of points on facets, given their squared distances.
fn nearest(found: impl Iterator<Item = (f64, u32, [f64; 3])>) -> Option<(f64, u32, [f64; 3])> {
    found.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Limit on facets that a point may cross in one walk.
const MOST_FACETS: usize = 16;
