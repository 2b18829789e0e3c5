//! Contact of a rod with obstacles: Voigt's law, (29) to (31) of Wakamatsu et al.
//!
//! The paper has circles, and one nearest point of the rod. Here obstacles are cut by the rod's plane: a distance phi in
//! space changes within the plane by its gradient there, g, so that phi / |g| is the distance from the outline of the cut and
//! g / |g| its normal. Every node touches an obstacle that it is in, and every interval that is nearest to it in between
//! touches it there, with the part of the force by which it is deeper than its nodes: one contact has the whole force of the
//! paper's, wherever it is, and it passes from interval to interval without a jump. Forces never pull (the printed law may
//! as the rod leaves), and friction acts against sliding.

use super::equations::Spring;
use super::plane::Plane;
use super::rod::{Kinematics, Rod};
use crate::contact::Obstacle;
use crate::material::Friction;
use crate::math::{Pose, Vec2};

/// What a rod may touch during a step.
#[derive(Clone, Copy)]
pub struct Touching<'a> {
    /// All obstacles.
    pub obstacles: &'a [Obstacle],
    /// Those near the rod.
    pub near: &'a [usize],
    /// The rod's plane.
    pub plane: &'a Plane,
    /// The world's step [s].
    pub dt: f64,
}

/// A place of the rod that touches an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Which obstacle.
    pub obstacle: usize,
    /// Which interval.
    pub interval: usize,
    /// Fraction of it.
    pub fraction: f64,
    /// Out of the obstacle, in the plane.
    pub normal: Vec2,
    /// How deep the rod's surface is inside [m].
    pub depth: f64,
    /// Part of the force that acts here.
    pub part: f64,
    /// Velocity of the obstacle there, in the plane [m/s].
    pub carried: Vec2,
    /// Force on the rod, in the plane [N].
    pub force: Vec2,
}

/// A plane that an obstacle's surface is this parallel to does not cut it.
const PARALLEL: f64 = 1e-3;

/// Steps to the nearest place of an interval.
const MOST_STEPS: usize = 12;

/// Friction reaches its limit at this speed [m/s].
const CREEP: f64 = 1e-4;

/// Damping acts in full at this depth, in radii.
const BEGUN: f64 = 0.01;

/// Distance of a place from an outline, and its normal.
type Face = (f64, Vec2);

impl Touching<'_> {
    /// Find all touches at a fraction of the step.
    pub fn find<const K: usize>(&self, rod: &Rod, at: &Kinematics, f: f64, touches: &mut Vec<Touch>) {
        touches.clear();
        for &index in self.near {
            let obstacle = &self.obstacles[index];
            let pose = obstacle.sweep.at(f);
            let face = |place: Vec2| self.face(rod, obstacle, &pose, place);
            let mut touch = |interval: usize, fraction: f64, place: Vec2, (distance, normal): Face, beyond: f64| {
                let depth = rod.radius - distance;
                if depth > beyond.max(0.0) {
                    let point = self.plane.lift_point(place - normal * distance);
                    let carried = self.plane.direction(obstacle.sweep.velocity_of(point, f, self.dt));
                    let (part, force) = (1.0 - beyond.max(0.0) / depth, Vec2::ZERO);
                    touches.push(Touch { obstacle: index, interval, fraction, normal, depth, part, carried, force });
                }
            };
            let mut start = face(at.nodes[0].place);
            if let Some(start) = start {
                touch(0, 0.0, at.nodes[0].place, start, 0.0);
            }
            for interval in 0..rod.intervals() {
                let end = face(at.nodes[interval + 1].place);
                if let (Some(a), Some(b)) = (start, end)
                    && let Some((x, place, least)) = lowest::<K>(rod, at, interval, [a, b], face)
                {
                    touch(interval, x, place, least, rod.radius - a.0.min(b.0));
                }
                if let Some(end) = end {
                    touch(interval, 1.0, at.nodes[interval + 1].place, end, 0.0);
                }
                start = end;
            }
        }
    }

    /// Distance and normal of an obstacle's outline near a place.
    fn face(&self, rod: &Rod, obstacle: &Obstacle, pose: &Pose, place: Vec2) -> Option<Face> {
        let reach = rod.radius + 2.0 * rod.h;
        let face = obstacle.params.shape.surface_near(pose, self.plane.lift_point(place), reach)?;
        let g = self.plane.direction(face.normal);
        let size = g.length();
        (size > PARALLEL).then(|| (face.distance / size, g / size))
    }

    /// What touches push with.
    pub fn push<const K: usize>(&self, rod: &Rod, at: &Kinematics, touches: &mut [Touch], springs: &mut Vec<Spring>) {
        for touch in touches {
            let (node, offset) = at.at::<K>(rod.h, touch.interval, touch.fraction);
            let friction = self.obstacles[touch.obstacle].params.friction.unwrap_or(rod.friction);
            let law = Law { rod, friction, depth: touch.depth, part: touch.part };
            touch.force = Vec2::ZERO;
            for (direction, force, slopes) in law.push(touch.normal, node.velocity - touch.carried) {
                let (interval, fraction, row) = (touch.interval, touch.fraction, offset.row(direction));
                springs.push(Spring { interval, fraction, row, force, slopes });
                touch.force += direction * force;
            }
        }
    }
}

/// Voigt's law with friction, for one contact.
pub struct Law<'a> {
    /// The rod.
    pub rod: &'a Rod,
    /// Friction of the contact.
    pub friction: Friction,
    /// How deep it is [m].
    pub depth: f64,
    /// Part of the force that acts.
    pub part: f64,
}

/// A direction, the force along it [N], and how fast that falls with place and speed [N/m, N s/m].
pub type Pushing = (Vec2, f64, [f64; 2]);

impl Law<'_> {
    /// Forces at a relative velocity: along the normal, and of friction; none where they would pull.
    pub fn push(&self, normal: Vec2, speed: Vec2) -> impl Iterator<Item = Pushing> {
        // damping begins with the contact, but without a jump
        let begun = (self.depth / (BEGUN * self.rod.radius)).min(1.0);
        let [stiffness, damping] = [self.rod.voigt[0] * self.part, self.rod.voigt[1] * self.part * begun];
        let force = stiffness * self.depth - damping * speed.dot(normal);
        let pressed = (force > 0.0).then_some((normal, force, [stiffness, damping]));
        let along = normal.perp();
        let limit = self.friction.coefficient * force.max(0.0).powf(self.friction.exponent);
        let sliding = speed.dot(along);
        let slope = limit / (sliding * sliding + CREEP * CREEP).sqrt();
        let rubbed = (force > 0.0 && limit > 0.0).then_some((along, -slope * sliding, [0.0, slope]));
        pressed.into_iter().chain(rubbed)
    }
}

/// Where an interval is nearest to something, if that is neither of its nodes, which are at faces `ends`.
fn lowest<const K: usize>(
    rod: &Rod,
    at: &Kinematics,
    interval: usize,
    ends: [Face; 2],
    face: impl Fn(Vec2) -> Option<Face>,
) -> Option<(f64, Vec2, Face)> {
    // no place of it is farther from the nearer node than half its length, unless stretched
    if ends[0].0.min(ends[1].0) > rod.radius + rod.h {
        return None;
    }
    let rise = |x: f64, face: &Face| {
        let (sin, cos) = at.angle(interval, x)[0].sin_cos();
        face.1.dot(Vec2::new(cos, sin))
    };
    let (mut low, mut high) = (0.0, 1.0);
    let (mut left, mut right) = (rise(0.0, &ends[0]), rise(1.0, &ends[1]));
    if left >= 0.0 || right <= 0.0 {
        return None;
    }
    // regula falsi after Illinois for the place where the distance no longer falls
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
