//! Contact of a rod with obstacles: Voigt's law, (29) to (31) of Wakamatsu et al.
//!
//! The paper has circles, and one nearest point of the rod. Here obstacles are cut by the rod's plane: a distance phi in
//! space changes within the plane by its gradient there, g, so that phi / |g| is the distance from the outline of the cut and
//! g / |g| its normal. Every interval touches an obstacle where it is nearest to it. Forces never pull (the printed law
//! may as the rod leaves), and friction acts against sliding.

use super::equations::Spring;
use super::plane::Plane;
use super::rod::{Kinematics, Rod};
use crate::contact::Obstacle;
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

/// Distance of a place from an outline, and its normal.
type Face = (f64, Vec2);

impl Touching<'_> {
    /// Find all touches at a fraction of the step.
    pub fn find<const K: usize>(&self, rod: &Rod, at: &Kinematics, f: f64, touches: &mut Vec<Touch>) {
        touches.clear();
        for &index in self.near {
            let obstacle = &self.obstacles[index];
            let pose = obstacle.sweep.at(f);
            for interval in 0..rod.intervals() {
                let near = |fraction: f64| self.nearest::<K>(rod, at, (obstacle, &pose), interval, fraction);
                let Some((fraction, (distance, normal))) = lowest::<K>(rod, at, interval, near) else { continue };
                let depth = rod.radius - distance;
                if depth <= 0.0 {
                    continue;
                }
                let place = at.at::<K>(rod.h, interval, fraction).0.place;
                let point = self.plane.lift_point(place - normal * distance);
                let carried = self.plane.direction(obstacle.sweep.velocity_of(point, f, self.dt));
                let force = Vec2::ZERO;
                touches.push(Touch { obstacle: index, interval, fraction, normal, depth, carried, force });
            }
        }
    }

    fn nearest<const K: usize>(
        &self,
        rod: &Rod,
        at: &Kinematics,
        (obstacle, pose): (&Obstacle, &Pose),
        interval: usize,
        fraction: f64,
    ) -> Option<Face> {
        let place = at.at::<K>(rod.h, interval, fraction).0.place;
        let reach = rod.radius + 2.0 * rod.h;
        let face = obstacle.params.shape.surface_near(pose, self.plane.lift_point(place), reach)?;
        let g = self.plane.direction(face.normal);
        let size = g.length();
        (size > PARALLEL).then(|| (face.distance / size, g / size))
    }

    /// What touches push with.
    pub fn push<const K: usize>(&self, rod: &Rod, at: &Kinematics, touches: &mut [Touch], springs: &mut Vec<Spring>) {
        let [stiffness, damping] = rod.voigt;
        for touch in touches {
            let (node, offset) = at.at::<K>(rod.h, touch.interval, touch.fraction);
            let speed = node.velocity - touch.carried;
            let force = stiffness * touch.depth - damping * speed.dot(touch.normal);
            touch.force = Vec2::ZERO;
            if force <= 0.0 {
                continue;
            }
            let row = offset.row(touch.normal);
            springs.push(Spring { interval: touch.interval, row, force, slopes: [stiffness, damping] });
            touch.force = touch.normal * force;
            let friction = self.obstacles[touch.obstacle].params.friction.unwrap_or(rod.friction);
            let limit = friction.coefficient * force.powf(friction.exponent);
            if limit > 0.0 {
                let along = touch.normal.perp();
                let sliding = speed.dot(along);
                let slope = limit / (sliding * sliding + CREEP * CREEP).sqrt();
                let (row, force) = (offset.row(along), -slope * sliding);
                springs.push(Spring { interval: touch.interval, row, force, slopes: [0.0, slope] });
                touch.force += along * force;
            }
        }
    }
}

/// Where an interval is nearest to something, if it is near at all.
fn lowest<const K: usize>(
    rod: &Rod,
    at: &Kinematics,
    interval: usize,
    near: impl Fn(f64) -> Option<Face>,
) -> Option<(f64, Face)> {
    let middle = near(0.5)?;
    // no place of the interval is farther than half its length from its middle, unless stretched
    if middle.0 > rod.radius + rod.h {
        return None;
    }
    let rise = |x: f64, face: &Face| {
        let (sin, cos) = at.angle(interval, x)[0].sin_cos();
        face.1.dot(Vec2::new(cos, sin))
    };
    let (mut low, mut high) = ((0.0, near(0.0)?), (1.0, near(1.0)?));
    let (mut left, mut right) = (rise(0.0, &low.1), rise(1.0, &high.1));
    if left >= 0.0 || right <= 0.0 {
        // towards an end, or from a summit: the nearer end, or the middle where all are alike
        let best = if (high.1).0 < (low.1).0 { high } else { low };
        let flat = (best.1).0 >= middle.0 && left.abs().max(right.abs()) < 1e-9;
        return Some(if flat { (0.5, middle) } else { best });
    }
    // regula falsi after Illinois for the place where the distance no longer falls
    let mut found = (0.5, middle);
    for _ in 0..MOST_STEPS {
        let x = low.0 + (high.0 - low.0) * (left / (left - right)).clamp(0.01, 0.99);
        let face = near(x)?;
        let slope = rise(x, &face);
        found = (x, face);
        if slope.abs() < 1e-10 {
            break;
        }
        if slope < 0.0 {
            (low, left, right) = ((x, face), slope, 0.5 * right);
        } else {
            (high, right, left) = ((x, face), slope, 0.5 * left);
        }
    }
    Some(found)
}
