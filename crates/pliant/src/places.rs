//! Places on solids made of nodes: which nodes belong to a place, how a load is distributed over them, and nodal forces
//! with a given torque.

use crate::contact::{blend, twice_area};
use crate::error::BuildError;
use crate::grip::{Anchor, Place};
use crate::math::{Pose, Vec3};
use crate::moments::Moments;

/// Indices of the nodes of a place, ascending: all in a box, or the nearest one.
pub fn nodes_at(place: Place, places: &[Vec3]) -> impl Iterator<Item = u32> + Clone {
    let all = 0..places.len() as u32;
    let only = |node: u32| (node..node + 1, None);
    let (among, bounds) = match place {
        Place::Node(node) => only(node as u32),
        Place::Point(point) => {
            let distance = |n: &u32| (places[*n as usize] - point).length_squared();
            all.min_by(|a, b| distance(a).total_cmp(&distance(b))).map_or((0..0, None), only)
        }
        Place::Box { low, high } => (all, Some([low, high])),
        // counted along the list of nodes, clamped to its ends
        Place::Fraction(fraction) => {
            let last = places.len().saturating_sub(1) as f64;
            only((fraction * last).round().clamp(0.0, last) as u32)
        }
    };
    among.filter(move |n| {
        bounds.is_none_or(|[low, high]: [Vec3; 2]| {
            let p = places[*n as usize];
            p.cmpge(low).all() && p.cmple(high).all()
        })
    })
}

/// Indices of the nodes of a place that a user has given; `them` is what error messages call the nodes. Fails if there
/// are none.
pub fn find_nodes(
    body: &str,
    them: &str,
    place: Place,
    places: &[Vec3],
) -> Result<impl Iterator<Item = u32> + Clone, BuildError> {
    let missing = |place: String, why: String| Err(BuildError::NoSuchPlace { body: body.into(), place, why });
    if let Place::Node(node) = place
        && node >= places.len()
    {
        return missing(format!("node {node}"), format!("{them} are 0 to {}", places.len().saturating_sub(1)));
    }
    let found = nodes_at(place, places);
    if found.clone().next().is_none() {
        return missing("node in the box".into(), format!("none of {them} is there now"));
    }
    Ok(found)
}

/// The mean position of some nodes as a pose; its rotation is the identity, as nodes have no directions.
pub fn mean_pose(nodes: impl Iterator<Item = u32> + Clone, places: &[Vec3]) -> Pose {
    Pose::from_translation(mean(nodes, places))
}

fn mean(nodes: impl Iterator<Item = u32> + Clone, places: &[Vec3]) -> Vec3 {
    let count = nodes.clone().count().max(1);
    nodes.map(|n| places[n as usize]).sum::<Vec3>() / count as f64
}

/// Target of each of some nodes in the frame of a gripper that holds them at `anchor` [m]: they move like a rigid body.
pub fn led(
    nodes: impl Iterator<Item = u32> + Clone,
    places: &[Vec3],
    anchor: Anchor,
) -> impl Iterator<Item = (u32, Vec3)> {
    let mean = mean(nodes.clone(), places);
    nodes.map(move |n| (n, anchor.position + anchor.orientation * (places[n as usize] - mean)))
}

/// Fractions of a load for each of the nodes `among`, ascending: by the area of the facets whose corners are all among
/// them, a third to each; equal fractions if there are no such facets.
pub fn parts_by_area(facets: &[[u32; 3]], places: &[Vec3], among: &[u32], parts: &mut Vec<f64>) {
    parts.clear();
    parts.resize(among.len(), 0.0);
    for facet in facets {
        let [Ok(a), Ok(b), Ok(c)] = facet.map(|node| among.binary_search(&node)) else { continue };
        let area = twice_area(&facet.map(|node| places[node as usize])).length() / 6.0;
        [a, b, c].into_iter().for_each(|n| parts[n] += area);
    }
    let mut sum: f64 = parts.iter().sum();
    if sum == 0.0 {
        parts.fill(1.0);
        sum = parts.len() as f64;
    }
    parts.iter_mut().for_each(|part| *part /= sum);
}

/// Working memory for the nodes of a load and their fractions of it.
#[derive(Debug, Default)]
pub struct Shares {
    nodes: Vec<u32>,
    parts: Vec<f64>,
}

impl Clone for Shares {
    /// Nothing in it outlasts a call.
    fn clone(&self) -> Shares {
        Shares::default()
    }
}

impl Shares {
    /// Preallocate for a number of nodes.
    pub fn reserve(&mut self, nodes: usize) {
        self.nodes.reserve(nodes);
        self.parts.reserve(nodes);
    }

    /// Nodes of a place, where `places` are those now [m], and their fractions by the area of facets `at_rest` [m].
    pub fn find(
        &mut self,
        place: Place,
        places: &[Vec3],
        facets: &[[u32; 3]],
        at_rest: &[Vec3],
    ) -> impl Iterator<Item = (u32, f64)> {
        self.nodes.clear();
        self.nodes.extend(nodes_at(place, places));
        parts_by_area(facets, at_rest, &self.nodes, &mut self.parts);
        self.nodes.iter().copied().zip(self.parts.iter().copied())
    }
}

/// A force and a torque distributed over nodes: the force acts at their weighted centre, the torque by forces
/// perpendicular to the arms from there.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    force: Vec3,
    turn: Vec3,
    centre: Vec3,
}

impl Spread {
    /// Distribute over nodes at positions [m] with fractions of sum one.
    pub fn new(force: Vec3, torque: Vec3, nodes: impl Iterator<Item = (Vec3, f64)> + Clone) -> Spread {
        if torque == Vec3::ZERO {
            return Spread { force, turn: Vec3::ZERO, centre: Vec3::ZERO };
        }
        let moments = Moments::of_pairs(nodes);
        Spread { force, turn: turn_for(torque, &moments), centre: moments.centre }
    }

    /// Force on a node at `place` [m] with fraction `part`, in [N].
    pub fn at(&self, place: Vec3, part: f64) -> Vec3 {
        (self.force + self.turn.cross(place - self.centre)) * part
    }
}

/// Distribute a force that acts at `place` over the corners of a facet, with these fractions, conserving its torque:
/// friction acts between two facets, off the plane of either.
pub fn share(corners: &[Vec3; 3], parts: &[f64; 3], force: Vec3, place: Vec3) -> [Vec3; 3] {
    let moments = Moments::of_points(corners, &[1.0; 3]);
    let turn = turn_for((place - blend(corners, parts)).cross(force), &moments);
    std::array::from_fn(|n| force * parts[n] + turn.cross(corners[n] - moments.centre))
}

/// The vector w for which forces m (w x r) on points of mass m, at r from their centre, have the given torque; zero if
/// they cannot, as for points on a line.
fn turn_for(torque: Vec3, points: &Moments) -> Vec3 {
    let turn = points.inertia.inverse() * torque;
    if torque != Vec3::ZERO && turn.is_finite() { turn } else { Vec3::ZERO }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::math::Quat;

    /// A square of side 2 in the plane z = 1, cut along one diagonal, and a node off it.
    const PLACES: [Vec3; 5] = [
        Vec3::new(-1.0, -1.0, 1.0),
        Vec3::new(1.0, -1.0, 1.0),
        Vec3::new(1.0, 1.0, 1.0),
        Vec3::new(-1.0, 1.0, 1.0),
        Vec3::new(0.0, 0.0, 5.0),
    ];
    const FACETS: [[u32; 3]; 3] = [[0, 1, 2], [0, 2, 3], [0, 3, 4]];

    fn square() -> Place {
        Place::Box { low: Vec3::splat(-1.0), high: Vec3::ONE }
    }

    #[test]
    fn nodes_of_places() {
        let nodes_at = |place| nodes_at(place, &PLACES).collect::<Vec<u32>>();
        assert_eq!(nodes_at(square()), [0, 1, 2, 3]);
        assert_eq!(nodes_at(Place::Point(Vec3::new(2.0, 3.0, 0.0))), [2]);
        for (fraction, node) in [(-1.0, 0), (0.3, 1), (1.0, 4), (7.0, 4), (f64::NAN, 0)] {
            assert_eq!(nodes_at(Place::Fraction(fraction)), [node]);
        }
        let find = |place| find_nodes("body", "its nodes", place, &PLACES);
        assert_eq!(find(Place::Node(3)).unwrap().collect::<Vec<u32>>(), [3]);
        assert!(find(Place::Node(5)).is_err());
        assert!(find(Place::Box { low: Vec3::splat(9.0), high: Vec3::splat(10.0) }).is_err());
        assert_eq!(mean_pose(0..4, &PLACES).translation, Vec3::Z);
    }

    #[test]
    fn a_gripper_leads_a_place_as_a_whole() {
        let turn = Quat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let led: Vec<_> = led(0..4, &PLACES, Anchor { position: Vec3::X, orientation: turn }).collect();
        assert!((led[1].1 - Vec3::new(2.0, 1.0, 0.0)).length() < 1e-15, "{led:?}");
    }

    #[test]
    fn parts_are_by_area() {
        // two facets meet at 0 and 2; the third has a corner elsewhere
        let by_area = |among: &[u32]| {
            let mut parts = vec![];
            parts_by_area(&FACETS, &PLACES, among, &mut parts);
            parts
        };
        let parts = by_area(&[0, 1, 2, 3]);
        assert!(parts.iter().zip([2.0, 1.0, 2.0, 1.0]).all(|(part, n)| (part - n / 6.0).abs() < 1e-15), "{parts:?}");
        assert_eq!(by_area(&[1, 3]), [0.5; 2]);
    }

    /// Force and torque of forces, the torque about a place.
    fn sums(forces: impl Iterator<Item = (Vec3, Vec3)>, about: Vec3) -> [Vec3; 2] {
        forces.fold([Vec3::ZERO; 2], |[f, t], (p, force)| [f + force, t + (p - about).cross(force)])
    }

    #[test]
    fn forces_have_the_force_and_torque_asked_for() {
        let (force, torque) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 5.0, 6.0));
        let mut shares = Shares::default();
        let parts: Vec<f64> = shares.find(square(), &PLACES, &FACETS, &PLACES).map(|(_, part)| part).collect();
        let nodes = || PLACES.into_iter().zip(parts.iter().copied());
        let spread = Spread::new(force, torque, nodes());
        let [f, t] = sums(nodes().map(|(place, part)| (place, spread.at(place, part))), Vec3::Z);
        assert!((f - force).length() < 1e-14 && (t - torque).length() < 1e-14, "{f} {t}");
        // a force at a place above the facet, with its torque about the origin
        let (corners, place) = ([PLACES[0], PLACES[1], PLACES[2]], Vec3::new(0.3, -0.2, 1.1));
        let shared = share(&corners, &[0.2, 0.5, 0.3], force, place);
        let [f, t] = sums(corners.into_iter().zip(shared), Vec3::ZERO);
        assert!((f - force).length() < 1e-14 && (t - place.cross(force)).length() < 1e-14, "{f} {t}");
        // nodes on a line have no torque along it
        let line = [(Vec3::X, 0.5), (-Vec3::X, 0.5)];
        assert_eq!(Spread::new(force, Vec3::X, line.into_iter()).at(Vec3::X, 0.5), 0.5 * force);
    }
}
