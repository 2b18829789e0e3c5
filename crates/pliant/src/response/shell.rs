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

impl Shell {
    /// Whether a point of a facet lies on an edge, or at a corner, at which the surface turns by more than 45 degrees.
    pub fn is_on_an_edge(&self, facet: u32, weights: &[f64; 3]) -> bool {
        let turns = |other: &u32| self.normals[facet as usize].dot(self.normals[*other as usize]) < SHARP;
        match weights.iter().position(|weight| *weight == 1.0) {
            Some(corner) => self.around(self.facets[facet as usize][corner]).iter().any(turns),
            None => (0..3).any(|k| weights[(k + 2) % 3] == 0.0 && turns(&self.across[facet as usize][k])),
        }
    }
}

/// Cosine of normals below which an edge is sharp.
const SHARP: f64 = 0.7;

/// The nearest of points on facets, given their squared distances.
fn nearest(found: impl Iterator<Item = (f64, u32, [f64; 3])>) -> Option<(f64, u32, [f64; 3])> {
    found.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Limit on facets that a point may cross in one walk.
const MOST_FACETS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A ball of triangles: an octahedron, of which each facet is divided into four, `times` over.
    fn ball(times: usize) -> Hull {
        let mut nodes = vec![Vec3::X, Vec3::Y, -Vec3::X, -Vec3::Y, Vec3::Z, -Vec3::Z];
        let mut facets: Vec<[u32; 3]> = (0..4).flat_map(|k| [[k, (k + 1) % 4, 4], [(k + 1) % 4, k, 5]]).collect();
        for _ in 0..times {
            let mut halves: HashMap<[u32; 2], u32> = HashMap::new();
            let mut half = |a: u32, b: u32| {
                *halves.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    nodes.push((nodes[a as usize] + nodes[b as usize]).normalize());
                    nodes.len() as u32 - 1
                })
            };
            let divide = |[a, b, c]: [u32; 3]| {
                let [d, e, f] = [half(a, b), half(b, c), half(c, a)];
                [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
            };
            facets = facets.into_iter().flat_map(divide).collect();
        }
        Hull { nodes, facets, mass: 1.0, centre: Vec3::new(0.1, 0.2, 0.3), inertia: [[1.0, 0.0, 0.0]; 3], fixed: None }
    }

    fn shell(hull: &Hull) -> Shell {
        Shell::new("ball", hull).unwrap_or_else(|error| unreachable!("{error}"))
    }

    #[test]
    fn neighbours_are_those_that_a_search_through_all_facets_finds() {
        let shell = shell(&ball(1));
        for (n, facet) in shell.facets.iter().enumerate() {
            for k in 0..3 {
                let edge = [facet[k], facet[(k + 1) % 3]];
                let shares = |m: &usize| *m != n && edge.iter().all(|node| shell.facets[*m].contains(node));
                let found: Vec<usize> = (0..shell.facets.len()).filter(shares).collect();
                assert_eq!(found, [shell.across[n][k] as usize]);
            }
        }
        for node in 0..shell.nodes.len() as u32 {
            let around: Vec<u32> =
                (0u32..).zip(&shell.facets).filter(|(_, f)| f.contains(&node)).map(|(n, _)| n).collect();
            assert_eq!(shell.around(node), around);
        }
    }

    /// Normals times areas of a closed surface sum to zero, and by the divergence theorem those of the places to three volumes.
    #[test]
    fn normals_point_outwards() {
        let shell = shell(&ball(3));
        let corners = |f: &[u32; 3]| f.map(|node| shell.nodes[node as usize]);
        let (mut sum, mut volume) = (Vec3::ZERO, 0.0);
        for (facet, normal) in shell.facets.iter().zip(&shell.normals) {
            let [a, b, c] = corners(facet);
            let area = 0.5 * (b - a).cross(c - a).length();
            assert!((normal.length() - 1.0).abs() < 1e-12);
            sum += *normal * area;
            volume += normal.dot(a) * area / 3.0;
        }
        assert!(sum.length() < 1e-12);
        // chords of an eighth of a right angle leave out about a part (pi / 16)^2 / 2 of the ball
        let ball = 4.0 / 3.0 * std::f64::consts::PI;
        assert!(volume < ball && volume > 0.96 * ball, "{volume}");
        // the longest edge of a ball is no longer than that of the octahedron, divided
        assert!(shell.edges[1] < shell.edges[0] && shell.edges[0] < 2.0_f64.sqrt() / 4.0);
    }

    #[test]
    fn surfaces_that_are_not_closed_are_refused() {
        let whole = ball(0);
        let open = Hull { facets: whole.facets[1..].to_vec(), ..whole.clone() };
        let [a, b, c] = whole.facets[0];
        let turned = Hull { facets: [&[[b, a, c]], &whole.facets[1..]].concat(), ..whole.clone() };
        let beyond = Hull { facets: whole.facets.iter().map(|f| f.map(|n| n + 1)).collect(), ..whole.clone() };
        let mut nan = whole;
        nan.nodes[2].x = f64::NAN;
        for hull in [open, turned, beyond, nan] {
            assert!(Shell::new("ball", &hull).is_err());
        }
    }

    /// A walk ends at the point of the surface that is nearest to where it leads, as a search through all facets finds it.
    #[test]
    fn walks_end_at_the_nearest_point_of_the_surface() {
        let (shell, mut random) = (shell(&ball(2)), Random(8));
        let corners = |facet: u32| shell.facets[facet as usize].map(|node| shell.nodes[node as usize]);
        for n in 0..2000 {
            let facet = n % shell.facets.len() as u32;
            let (u, v) = (random.fraction(), random.fraction());
            let [u, v] = if u + v > 1.0 { [1.0 - u, 1.0 - v] } else { [u, v] };
            let weights = [u, v, 1.0 - u - v];
            // along the facet, by up to two edges
            let normal = shell.normals[facet as usize];
            let way = random.vector() * shell.edges[0];
            let way = way - normal * normal.dot(way);
            let target = blend(&corners(facet), &weights) + way;
            let (reached, weights) = shell.walk(facet, weights, way);
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12 && weights.iter().all(|w| *w >= 0.0));
            let distance = (blend(&corners(reached), &weights) - target).length();
            let of = |m: u32| (blend(&corners(m), &nearest_of_triangle(target, corners(m))) - target).length();
            let least = (0..shell.facets.len() as u32).map(of).fold(f64::INFINITY, f64::min);
            assert!(distance <= least + 1e-12, "{distance} instead of {least}");
        }
    }

    #[test]
    fn walks_within_a_facet_are_straight() {
        let shell = shell(&ball(0));
        let [a, b, c] = shell.facets[0].map(|node| shell.nodes[node as usize]);
        let (facet, weights) = shell.walk(0, [0.5, 0.3, 0.2], 0.2 * (b - a) + 0.1 * (c - a));
        assert_eq!(facet, 0);
        assert!(weights.iter().zip([0.2, 0.5, 0.3]).all(|(x, y)| (x - y).abs() < 1e-12), "{weights:?}");
    }
}
