//! Contact of a rod with obstacles: the Kelvin-Voigt law, (29) to (31) of Wakamatsu et al.
//!
//! The paper has circles, and one nearest point of the rod. Here obstacles are intersected with the rod's plane: a
//! distance phi in space has the gradient g within the plane, so that phi / |g| is the distance from the outline of the
//! intersection and g / |g| its normal. There is a contact at every node inside an obstacle, and at the deepest point
//! of every interval, of depth d, between its nodes, of depths a and b. Their energies are
//!
//!   k_c a^2 / 2 for a node,   k_c (d^2 - a^2) (d^2 - b^2) / (2 d^2) for an interval.
//!
//! A single contact stores k_c d^2 / 2 as in the paper, wherever it is, also next to a node inside; it passes from
//! interval to interval without a jump of force, and a rod that lies flat rests on its nodes. Contact forces are the
//! gradient of this energy, so that an equilibrium is a minimum of energy. Dampers never pull (the printed ones may as
//! the rod leaves), and friction opposes sliding.

use std::f64::consts::FRAC_PI_2;

use super::equations::Spring;
use super::plane::Plane;
use super::rod::{Kinematics, Rod};
use super::span::{Row, angle_row};
use crate::bytes::stored;
use crate::contact::{Obstacle, ShapeKind};
use crate::material::Friction;
use crate::math::{Pose, Vec2, sincos};

/// Obstacles that a rod may touch during a step.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// All obstacles.
    pub obstacles: &'a [Obstacle],
    /// Indices of those near the rod.
    pub near: &'a [usize],
    /// The rod's plane.
    pub plane: &'a Plane,
    /// Length of the world step [s].
    pub dt: f64,
}

/// A contact of the rod with an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Index of the obstacle.
    pub obstacle: usize,
    /// Index of the interval.
    pub interval: usize,
    /// Fraction of the interval, 0 to 1.
    pub fraction: f64,
    /// Unit normal out of the obstacle, in the plane.
    pub normal: Vec2,
    /// Penetration of the rod's surface [m].
    pub depth: f64,
    /// Elastic force over stiffness: the derivative of the stored energy by depth [m].
    pub press: f64,
    /// Stored energy over stiffness [m2].
    pub stored: f64,
    /// For a contact between nodes: depth of each node, if it is inside, and the normal there.
    pub beside: Option<[Face; 2]>,
    /// Velocity of the obstacle at the contact, in the plane [m/s].
    pub carried: Vec2,
    /// Force on the rod, in the plane [N].
    pub force: Vec2,
}

/// Gradient in the plane below which an obstacle's surface is parallel to the plane and does not intersect it [-].
const PARALLEL: f64 = 1e-3;

/// Limit on steps to the nearest point of an interval.
const MOST_STEPS: usize = 12;

/// Pieces of an interval that are searched separately where an obstacle has corners.
const FEW_PIECES: f64 = 4.0;

/// Limit on the pieces of an interval that are searched separately.
const MOST_PIECES: f64 = 64.0;

/// Sliding speed at which regularised friction reaches its limit [m/s].
pub const CREEP: f64 = 1e-4;

/// Depth at which damping acts fully, in radii.
const BEGUN: f64 = 0.01;

/// Distance over which the curvature of obstacles is evaluated, in radii.
const NEARBY: f64 = 0.01;

/// Distance of a point from an outline, or depth inside it [m], and the normal.
pub type Face = (f64, Vec2);

impl Search<'_> {
    /// Find all contacts at a fraction of the step.
    pub fn find<const K: usize>(&self, rod: &Rod, at: &Kinematics, f: f64, touches: &mut Vec<Touch>) {
        touches.clear();
        for &index in self.near {
            let obstacle = &self.obstacles[index];
            let pose = obstacle.sweep.at(f);
            let face = |place: Vec2| self.face(rod, obstacle, &pose, place);
            // near a corner an interval may approach an obstacle at two points, of which the deeper counts
            let pieces = match obstacle.params.shape.kind() {
                ShapeKind::Plane | ShapeKind::Sphere { .. } | ShapeKind::Capsule { .. } => 1.0,
                _ => FEW_PIECES,
            };
            let touch = |interval: usize, fraction: f64, place: Vec2, (distance, normal): Face| {
                let depth = rod.radius - distance;
                let point = self.plane.lift_point(place - normal * distance);
                let carried = self.plane.direction(obstacle.sweep.velocity_of(point, f, self.dt));
                let (press, stored, force) = (depth, 0.5 * depth * depth, Vec2::ZERO);
                let beside = None;
                Touch { obstacle: index, interval, fraction, normal, depth, press, stored, beside, carried, force }
            };
            let at_node = |interval: usize, fraction: f64, node: usize, face: Option<Face>| {
                let face = face.filter(|face| face.0 < rod.radius)?;
                Some(touch(interval, fraction, at.nodes[node].place, face))
            };
            let mut start = face(at.nodes[0].place);
            let mut before = at_node(0, 0.0, 0, start);
            for interval in 0..rod.intervals() {
                let end = face(at.nodes[interval + 1].place);
                let mut behind = at_node(interval, 1.0, interval + 1, end);
                let mut between = None;
                if let (Some(a), Some(b)) = (start, end)
                    && let Some((x, place, least)) = lowest::<K>(rod, at, (interval, pieces), [a, b], face)
                    && least.0 < rod.radius.min(a.0).min(b.0)
                {
                    let mut here = touch(interval, x, place, least);
                    let beside = [a, b].map(|(distance, normal)| ((rod.radius - distance).max(0.0), normal));
                    let [a, b] = beside.map(|face| face.0);
                    let (stored, [press, less, more], _) = between_nodes(here.depth, a, b);
                    (here.stored, here.press, here.beside) = (stored, press, Some(beside));
                    before.iter_mut().for_each(|touch| touch.press += less);
                    behind.iter_mut().for_each(|touch| touch.press += more);
                    between = Some(here);
                }
                touches.extend(before.into_iter().chain(between));
                (start, before) = (end, behind);
            }
            touches.extend(before);
        }
    }

    /// Distance and normal of an obstacle's outline near a point; `None` if it is out of reach.
    fn face(&self, rod: &Rod, obstacle: &Obstacle, pose: &Pose, place: Vec2) -> Option<Face> {
        let reach = rod.radius + 2.0 * rod.h;
        let face = obstacle.params.shape.surface_near(pose, self.plane.lift_point(place), reach)?;
        let g = self.plane.direction(face.normal);
        let size = g.length();
        (size > PARALLEL).then(|| (face.distance / size, g / size))
    }

    /// Forces of contacts at a fraction of the step and, if requested, their derivatives by position. They act along
    /// the rows at the first kinematics; the second are those at which contacts were found.
    pub fn push<const K: usize>(
        &self,
        rod: &Rod,
        [at, seen]: [&Kinematics; 2],
        (f, slopes): (f64, bool),
        touches: &mut [Touch],
        springs: &mut Vec<Spring>,
    ) {
        for touch in touches {
            let Touch { interval, fraction, depth, press, .. } = *touch;
            let (node, offset) = at.at::<K>(rod.h, interval, fraction);
            let friction = self.obstacles[touch.obstacle].friction_with(rod.friction);
            touch.force = Vec2::ZERO;
            for push in (Law { rod, friction, depth, press }).push(touch.normal, node.velocity - touch.carried) {
                let (row, force, slopes) = (offset.row(push.along), push.force, [push.begins, push.damping]);
                springs.push(Spring { interval, fraction, row, force, slopes });
                touch.force += push.along * push.force;
            }
            if slopes {
                self.stiffen::<K>(rod, seen, f, touch, springs);
            }
        }
    }

    /// Derivative of the elastic force of a contact by positions.
    fn stiffen<const K: usize>(&self, rod: &Rod, at: &Kinematics, f: f64, touch: &Touch, springs: &mut Vec<Spring>) {
        let Touch { interval, fraction, normal, depth, press, .. } = *touch;
        let mut add = |row: Row, slope: f64| {
            let slopes = [rod.voigt[0] * slope, 0.0];
            springs.push(Spring { interval, fraction, row, force: 0.0, slopes });
        };
        let (node, offset) = at.at::<K>(rod.h, interval, fraction);
        let along = normal.perp();
        // an outline that curves away makes the contact less deep beside the point ...
        let obstacle = &self.obstacles[touch.obstacle];
        let nearby = NEARBY * rod.radius;
        let there = self.face(rod, obstacle, &obstacle.sweep.at(f), node.place + along * nearby);
        let curved = there.map_or(0.0, |(_, normal)| normal.dot(along) / nearby);
        add(offset.row(along), -press * curved);
        let row = offset.row(normal);
        let Some(beside) = touch.beside else {
            return add(row, 1.0);
        };
        // ... but the deepest point moves as the rod turns, by the turn over its curvature
        let (sin, cos) = sincos(at.angle(interval, fraction)[0]);
        let tangent = Vec2::new(cos, sin);
        let [from, to] = at.ends[interval].u;
        let side = normal.dot(tangent.perp());
        let bent = side * (to[0] - from[0]) / rod.h + curved;
        if bent > 0.0 {
            let (turned, moved) = (angle_row(fraction), offset.row(tangent));
            add(std::array::from_fn(|k| side * turned[k] + curved * moved[k]), press / bent);
        }
        // and the depths of the interval and of its nodes are coupled
        let [a, b] = [0.0, 1.0].map(|end| at.at::<K>(rod.h, interval, end).1);
        let rows = [row, a.row(beside[0].1), b.row(beside[1].1)];
        let slopes = between_nodes(depth, beside[0].0, beside[1].0).2;
        for i in 0..3 {
            // a symmetric matrix as a sum of squares of one row, and of two
            let others: f64 = (0..3).filter(|j| *j != i).map(|j| slopes[i][j]).sum();
            add(rows[i], slopes[i][i] - others);
            for j in 0..i {
                add(std::array::from_fn(|k| rows[i][k] + rows[j][k]), slopes[i][j]);
            }
        }
    }
}

/// Energy over stiffness of a contact of depth `d` between nodes of depths `a` and `b` [m2], with its first and second
/// derivatives by these.
fn between_nodes(d: f64, a: f64, b: f64) -> (f64, [f64; 3], [[f64; 3]; 3]) {
    let (x, y) = (a / d, b / d);
    let (xx, yy) = (x * x, y * y);
    let stored = 0.5 * d * d * (1.0 - xx) * (1.0 - yy);
    let slopes = [d * (1.0 - xx * yy), -a * (1.0 - yy), -b * (1.0 - xx)];
    let [ab, da, db] = [2.0 * x * y, -2.0 * x * yy, -2.0 * xx * y];
    // a node that is not inside does not contribute
    let aa = if a > 0.0 { yy - 1.0 } else { 0.0 };
    let bb = if b > 0.0 { xx - 1.0 } else { 0.0 };
    (stored, slopes, [[1.0 + 3.0 * xx * yy, da, db], [da, aa, ab], [db, ab, bb]])
}

/// The Kelvin-Voigt law with friction, for one contact.
pub struct Law<'a> {
    /// The rod.
    pub rod: &'a Rod,
    /// Friction of the contact.
    pub friction: Friction,
    /// Penetration [m].
    pub depth: f64,
    /// Elastic force over stiffness [m].
    pub press: f64,
}

/// A component of a contact force.
pub struct Pushing {
    /// Direction, a unit vector in the plane.
    pub along: Vec2,
    /// Magnitude [N].
    pub force: f64,
    /// Decrease of the force per speed [N s/m].
    pub damping: f64,
    /// Decrease of the damping force per distance outwards, as damping starts with depth [N/m]: for a fast impact it is
    /// nearly a wall.
    pub begins: f64,
}

impl Law<'_> {
    /// Forces for a relative velocity [m/s]: along the normal, and friction.
    pub fn push(&self, normal: Vec2, speed: Vec2) -> impl Iterator<Item = Pushing> {
        let elastic = self.rod.voigt[0] * self.press;
        // damping starts with the contact, but without a jump
        let begun = (self.depth / (BEGUN * self.rod.radius)).min(1.0);
        let damping = self.rod.voigt[1] * (self.press / self.depth).max(0.0) * begun;
        let damped = elastic - damping * speed.dot(normal);
        let begins = if begun < 1.0 { (-speed.dot(normal)).max(0.0) * damping / self.depth } else { 0.0 };
        let pressed = match damped > 0.0 {
            true => Some(Pushing { along: normal, force: damped, damping, begins }),
            // a node next to deeper points may pull; their push is larger
            false => (elastic < 0.0).then_some(Pushing { along: normal, force: elastic, damping: 0.0, begins: 0.0 }),
        };
        let along = normal.perp();
        let limit = self.friction.over(self.rod.h).limit(damped.max(0.0));
        let sliding = speed.dot(along);
        let slope = limit / (sliding * sliding + CREEP * CREEP).sqrt();
        let rubbed = (limit > 0.0).then_some(Pushing { along, force: -slope * sliding, damping: slope, begins: 0.0 });
        pressed.into_iter().chain(rubbed)
    }
}

/// The point of an interval nearest to an obstacle, if it is not one of its nodes, whose faces are `ends`.
fn lowest<const K: usize>(
    rod: &Rod,
    at: &Kinematics,
    (interval, least): (usize, f64),
    ends: [Face; 2],
    face: impl Fn(Vec2) -> Option<Face>,
) -> Option<(f64, Vec2, Face)> {
    // a distance changes by no more than the length along the rod, which may be stretched by half
    if 0.5 * (ends[0].0 + ends[1].0) - 0.75 * rod.h > rod.radius {
        return None;
    }
    let rise = |x: f64, face: &Face| {
        let (sin, cos) = sincos(at.angle(interval, x)[0]);
        face.1.dot(Vec2::new(cos, sin))
    };
    // an arc that turns by more than a quarter turn may have several local minima
    let [from, to] = at.ends[interval].u;
    let pieces = ((to[0] - from[0]).abs() / FRAC_PI_2).ceil().clamp(least, MOST_PIECES);
    let mut deepest: Option<(f64, Vec2, Face)> = None;
    let mut left = (0.0, rise(0.0, &ends[0]));
    for piece in 1..=pieces as usize {
        let x = piece as f64 / pieces;
        let right = if x < 1.0 {
            let Some(here) = face(at.at::<K>(rod.h, interval, x).0.place) else { return deepest };
            (x, rise(x, &here))
        } else {
            (1.0, rise(1.0, &ends[1]))
        };
        if left.1 < 0.0 && right.1 > 0.0 {
            let found = lowest_between::<K>(rod, at, interval, [left, right], &face, rise);
            let nearer = |than: &Option<(f64, Vec2, Face)>| found.is_some_and(|f| than.is_none_or(|t| f.2.0 < t.2.0));
            if nearer(&deepest) {
                deepest = found;
            }
        }
        left = right;
    }
    deepest
}

/// The minimum of the distance between two points, given its derivatives there.
fn lowest_between<const K: usize>(
    rod: &Rod,
    at: &Kinematics,
    interval: usize,
    [(mut low, mut left), (mut high, mut right)]: [(f64, f64); 2],
    face: &impl Fn(Vec2) -> Option<Face>,
    rise: impl Fn(f64, &Face) -> f64,
) -> Option<(f64, Vec2, Face)> {
    // regula falsi, Illinois variant
    let mut found = None;
    for _ in 0..MOST_STEPS {
        let x = low + (high - low) * (left / (left - right)).clamp(0.01, 0.99);
        let place = at.at::<K>(rod.h, interval, x).0.place;
        let here = face(place)?;
        let slope = rise(x, &here);
        found = Some((x, place, here));
        if slope.abs() < 1e-10 {
            break;
        }
        if slope < 0.0 {
            (low, left, right) = (x, slope, 0.5 * right);
        } else {
            (high, right, left) = (x, slope, 0.5 * left);
        }
    }
    found
}

stored!(Touch { obstacle, interval, fraction, normal, depth, press, stored, beside, carried, force });
