//! Angles between neighbouring facets at their edges.

use std::collections::HashMap;

use super::triangle::normal;
use crate::math::Vec3;

/// Upper limit of the result, the tangent of half of 150 degrees: sharper edges would need an ever wider border.
const SHARPEST: f64 = 3.7;

/// Edges count as flat where the sine of the angle is below this.
const FLAT: f64 = 1e-6;

/// For each facet and each edge, from a corner to the next, the tangent of half the angle between its normal and that
/// of the facet across the edge, where the surface is convex; zero where it is flat or concave, or ends.
///
/// A place inside, at a depth g under a facet and farther than g times this from its edges, is nearer to the facet than
/// to its neighbours: at a distance s from the edge, the depth under the facet across is s sin a + g cos a, which is g
/// at s = g tan(a / 2).
pub fn edge_turns(vertices: &[Vec3], facets: &[[u32; 3]]) -> Vec<[f64; 3]> {
    let place = |n: u32| vertices[n as usize];
    let normal = |facet: &[u32; 3]| normal(&facet.map(place));
    let edges = |facet: &[u32; 3]| [0, 1, 2].map(|k| [facet[k], facet[(k + 1) % 3]]);
    let mut across: HashMap<[u32; 2], usize> = HashMap::with_capacity(3 * facets.len());
    for (n, facet) in facets.iter().enumerate() {
        across.extend(edges(facet).map(|edge| (edge, n)));
    }
    let turn = |facet: &[u32; 3], [a, b]: [u32; 2]| {
        // the other facet has the edge in the opposite direction
        let Some(other) = across.get(&[b, a]).map(|n| &facets[*n]) else { return 0.0 };
        let (here, there) = (normal(facet), normal(other));
        // out of the facet, across the edge: the direction to which a convex surface turns
        let out = (place(b) - place(a)).cross(here).normalize_or_zero();
        let (sine, cosine) = (there.dot(out), here.dot(there));
        let half = if 1.0 + cosine > 1e-9 { sine / (1.0 + cosine) } else { SHARPEST };
        if sine > FLAT { half.min(SHARPEST) } else { 0.0 }
    };
    facets.iter().map(|facet| edges(facet).map(|edge| turn(facet, edge))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roof_and_a_trough() {
        // two facets with an edge along y, the second falling by 60 degrees, then rising
        let (sine, cosine) = (60f64.to_radians().sin(), 60f64.to_radians().cos());
        for (fall, expected) in [(-sine, 30f64.to_radians().tan()), (sine, 0.0)] {
            let vertices = [Vec3::new(-1.0, 0.0, 0.0), Vec3::ZERO, Vec3::Y, Vec3::new(cosine, 0.0, fall)];
            let turns = edge_turns(&vertices, &[[0, 1, 2], [1, 3, 2]]);
            assert!((turns[0][1] - expected).abs() < 1e-12, "{turns:?}");
            assert!((turns[1][2] - expected).abs() < 1e-12, "{turns:?}");
            assert_eq!([turns[0][0], turns[0][2], turns[1][0], turns[1][1]], [0.0; 4]);
        }
    }
}
