//! Whether bodies that advance separately have passed through each other in a step: forces found at its start may be
//! too small to stop what is fast or heavy.
//!
//! Rods have if their centre lines have. A point has passed through a solid if it comes out of it at the side opposite
//! to the one it came in by.

use super::outline::{Outline, Side};
use super::press::Key;
use crate::body::Body;
use crate::contact::{nearest_of_triangle, normal, segments_cross};
use crate::math::Vec3;

/// Cosine between normals below which two facets are opposite sides of a solid: near an edge a point may slip out at the
/// side.
const OTHER_SIDE: f64 = -0.5;

/// Parts of two bodies that are near each other at the start of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// Bodies and parts.
    pub key: Key,
    /// A point, if it is near a solid.
    pub point: Side,
    /// The facet that the point came in by, if it is inside; otherwise `u32::MAX`.
    pub entry: u32,
    /// Distance of the point from the surface [m].
    pub distance: f64,
}

/// Two bodies that have passed through each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Passage {
    /// Their indices.
    pub bodies: [usize; 2],
    /// Node of the first body.
    pub node: usize,
}

/// Find the bodies that have passed through each other, each pair once.
pub(crate) fn find(near: &[Near], bodies: &[Body], outlines: &[Outline], passages: &mut Vec<Passage>) {
    passages.clear();
    for near in near {
        let two = near.key.bodies.map(|n| n as usize);
        let known = |p: &Passage| p.bodies == two || p.bodies == [two[1], two[0]];
        if passages.iter().any(known) {
            continue;
        }
        let [first, second] = two.map(|n| &outlines[n]);
        let through = if near.key.crossing {
            rods_have_crossed(near.key.parts, first, second)
        } else {
            bodies[two[1]].skin().facets.is_some_and(|facets| point_has_passed(near, first, second, facets))
        };
        if through {
            let node = if near.key.crossing { near.key.parts[0] } else { near.point.nodes[0] };
            passages.push(Passage { bodies: two, node: node as usize });
        }
    }
}

fn rods_have_crossed(parts: [u32; 2], first: &Outline, second: &Outline) -> bool {
    let ends = |places: &[Vec3], n: u32| [places[n as usize], places[n as usize + 1]];
    let way = |outline: &Outline, n: u32| [ends(&outline.start, n), ends(&outline.nodes.places, n)];
    let ([a0, a1], [b0, b1]) = (way(first, parts[0]), way(second, parts[1]));
    segments_cross([&a0, &a1], [&b0, &b1])
}

fn point_has_passed(near: &Near, first: &Outline, second: &Outline, facets: &[[u32; 3]]) -> bool {
    let [from, to] = [&first.start, &first.nodes.places].map(|places| near.point.of(places));
    let reach = |node: &u32| {
        let n = *node as usize;
        ((to - from) - (second.nodes.places[n] - second.start[n])).length()
    };
    // no node of the solid has come as near as the surface was
    if !second.corners.iter().any(|node| reach(node) > near.distance) {
        return false;
    }
    let mut entry = facets.get(near.entry as usize);
    let mut exit = None;
    for facet in facets {
        let corners = |places: &[Vec3]| facet.map(|n| places[n as usize]);
        match passes([from, to], [corners(&second.start), corners(&second.nodes.places)]) {
            Some(true) => entry = entry.or(Some(facet)),
            Some(false) => exit = exit.or(Some(facet)),
            None => {}
        }
    }
    let side = |facet: &[u32; 3]| normal(&facet.map(|n| second.nodes.places[n as usize]));
    entry.zip(exit).is_some_and(|(entry, exit)| side(entry).dot(side(exit)) < OTHER_SIDE)
}

/// Whether a point passes through a facet on its way, and if so, inwards.
fn passes([from, to]: [Vec3; 2], [before, after]: [[Vec3; 3]; 2]) -> Option<bool> {
    let height = |point: Vec3, corners: &[Vec3; 3]| normal(corners).dot(point - corners[0]);
    let (here, there) = (height(from, &before), height(to, &after));
    if (here > 0.0) == (there > 0.0) {
        return None;
    }
    let part = here / (here - there);
    let corners: [Vec3; 3] = std::array::from_fn(|k| before[k].lerp(after[k], part));
    let point = from.lerp(to, part);
    // inside the triangle, to rounding of where it passes
    let weights = nearest_of_triangle(point, corners);
    let at = corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
    let size = (corners[1] - corners[0]).length() + (corners[2] - corners[0]).length();
    let aside = point - at;
    let flat = normal(&corners);
    ((aside - flat * flat.dot(aside)).length() <= 1e-9 * size).then_some(here > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_passes_a_facet_that_moves() {
        let facet = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let up = |by: f64| facet.map(|corner| corner + Vec3::Z * by);
        let at = |x: f64, z: f64| Vec3::new(x, 0.2, z);
        assert_eq!(passes([at(0.2, 1.0), at(0.2, -1.0)], [facet; 2]), Some(true));
        assert_eq!(passes([at(0.2, -1.0), at(0.2, 1.0)], [facet; 2]), Some(false));
        assert_eq!(passes([at(0.9, 1.0), at(0.9, -1.0)], [facet; 2]), None);
        // both move alike, or the facet alone does
        assert_eq!(passes([at(0.2, 1.0), at(0.2, -1.0)], [facet, up(-2.0)]), None);
        assert_eq!(passes([at(0.2, 1.0); 2], [facet, up(2.0)]), Some(true));
    }
}
