//! Grips and sliders as geometric constraints: (24) to (27) of Wakamatsu et al., extended to moving targets.

use super::equations::{Bound, Push};
use super::rod::Kinematics;
use super::span::angle_row;
use super::{Elastica, Gripped};
use crate::body::Surroundings;
use crate::grip::{ActingLoad, Grip, Wrench};
use crate::math::{Pose, Vec2, Vec3};

/// A constraint at a point of the rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Index of the interval.
    pub interval: usize,
    /// Fraction of the interval, 0 to 1.
    pub fraction: f64,
    /// The quantity that is held.
    pub what: What,
    /// Target at the start, middle and end of the world step: coordinate along the direction [m], or angle [rad].
    pub target: [f64; 3],
    /// What holds it.
    pub by: By,
}

/// The quantity that a constraint holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// The coordinate of the point along a direction in the plane.
    Along(Vec2),
    /// The tangent angle.
    Angle,
}

/// What holds a point of the rod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A grip, by index in the world.
    Grip(usize),
    /// A slider, by index.
    Slider(usize),
}

impl Held {
    /// Target at a fraction of the step, and its first and second derivative by that fraction: a parabola through the
    /// three values.
    fn target_at(&self, f: f64) -> [f64; 3] {
        let [start, middle, end] = self.target;
        let (linear, square) = (4.0 * middle - 3.0 * start - end, 2.0 * (start + end) - 4.0 * middle);
        [start + f * (linear + f * square), linear + 2.0 * f * square, 2.0 * square]
    }

    /// Rate of the target at a fraction of a step of length `dt` [m/s or rad/s].
    pub fn rate(&self, f: f64, dt: f64) -> f64 {
        self.target_at(f)[1] / dt
    }

    /// Change of the target from one fraction of the step to another [m or rad].
    pub fn way(&self, from: f64, to: f64) -> f64 {
        self.target_at(to)[0] - self.target_at(from)[0]
    }

    /// The constraint at a fraction of a step of length `dt`.
    pub fn bound<const K: usize>(&self, at: &Kinematics, h: f64, f: f64, dt: f64) -> Bound {
        let [target, rate, second] = self.target_at(f);
        let target = [target, rate / dt, second / (dt * dt)];
        let (row, now) = match self.what {
            What::Angle => {
                let second = [at.second[self.interval][0], at.second[self.interval + 1][0]];
                let [angle, rate] = at.angle(self.interval, self.fraction);
                let second = (1.0 - self.fraction) * second[0] + self.fraction * second[1];
                (angle_row(self.fraction), [angle, rate, second])
            }
            What::Along(direction) => {
                let (node, offset) = at.at::<K>(h, self.interval, self.fraction);
                let along = |v: Vec2| v.dot(direction);
                (offset.row(direction), [along(node.place), along(node.velocity), along(node.acceleration)])
            }
        };
        let left = std::array::from_fn(|k| now[k] - target[k]);
        Bound { interval: self.interval, fraction: self.fraction, row, left, force: 0.0 }
    }
}

impl Elastica {
    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[ActingLoad]) {
        let n = self.rod.intervals();
        self.scratch.gripped.clear();
        self.scratch.pushes.clear();
        for (grip, of) in grips.iter().enumerate().filter(|(_, g)| g.body == index) {
            let Some(anchor) = of.anchor else { continue };
            let (interval, fraction) = self.rod.locate(of.params.place.along(n));
            let hold = of.params.hold;
            let section = Pose::from_parts(anchor.position, anchor.orientation);
            let gripper = of.gripper;
            self.scratch.gripped.push(Gripped { grip, gripper, interval, fraction, hold, section });
        }
        let bounds = 3 * self.scratch.gripped.len() + 2 * self.settings.sliders.len() + self.ties();
        self.scratch.system.equations.reserve(bounds);
        for load in loads.iter().filter(|l| l.body == index && l.acts_at(time)) {
            let (interval, fraction) = self.rod.locate(load.place.along(n));
            let (force, moment) = (self.plane.direction(load.force), self.plane.normal().dot(load.torque));
            self.scratch.pushes.push(Push { interval, fraction, force, moment });
        }
        self.scratch.loads = self.scratch.pushes.len();
    }

    /// Write the load of each grip, exerted by the rod on the gripper, the torque about the gripper's origin; and that
    /// of each slider on the rod.
    pub(super) fn write_loads(&mut self, around: &mut Surroundings<'_>) {
        self.state.slider_loads.fill(Wrench::default());
        for (held, impulse) in self.scratch.holds.iter().zip(&self.scratch.impulses) {
            let grip = match held.by {
                By::Grip(grip) => grip,
                By::Slider(slider) => {
                    let size = impulse / around.dt;
                    self.state.slider_loads[slider] += match held.what {
                        What::Angle => Wrench { force: Vec3::ZERO, torque: self.plane.normal() * size },
                        What::Along(direction) => {
                            Wrench { force: self.plane.lift(direction) * size, torque: Vec3::ZERO }
                        }
                    };
                    continue;
                }
            };
            let grip = &mut around.grips[grip];
            let sweep = &around.grippers[grip.gripper].sweep;
            let size = -impulse / around.dt;
            grip.load += match held.what {
                What::Angle => Wrench { force: Vec3::ZERO, torque: self.plane.normal() * size },
                What::Along(direction) => {
                    // halfway through the step, where the gripper leads the place, in the plane
                    let led = sweep.at(0.5).transform_point(grip.anchor.map_or(Vec3::ZERO, |anchor| anchor.position));
                    let place = self.plane.lift_point(self.plane.point(led));
                    Wrench::at(place, self.plane.lift(direction) * size, Vec3::ZERO, sweep.origin_at(0.5))
                }
            };
        }
    }
}
