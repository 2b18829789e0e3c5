//! Joints between parts of a body, made of the connectors LS, TS and JS of Joukhadar, "Robot-Phi", section 4.1 and Fig. 4.
//!
//! A revolute joint: two points on the axis in the one part are kept in place in the other by three LS each, which leaves
//! the turn about the axis; that is the angle of a JS, whose fourth particle says what is positive. A prismatic joint:
//! two points of the one part are kept on a rail of the other by TS of 180 degrees, "very useful in representing
//! prismatic joints"; a JS about the rail keeps them from turning, and an LS along it is the coordinate.
//!
//! In print JS takes the angle between ca and cb in space, which is that about its axis only where both are
//! perpendicular to it, and its fourth particle feels nothing. Here the angle is the one about the axis, from c to the
//! fourth particle; that takes its share of the force, so that force and torque sum to zero however the arms lie.

mod anchor;
mod params;

pub(super) use anchor::Anchor;
pub use params::{JointKind, JointSpec, Motor};

use super::connectors::{Hinge, LinkKind};
use crate::error::BuildError;
use crate::frame::JointFrame;
use crate::math::{Vec3, atan2, sincos};

use std::f64::consts::{PI, TAU};

/// Limit on the points of a joint.
const MOST: usize = 10;

/// Vectors of all points of a joint: places, velocities.
type Points = [Vec3; MOST];

/// A joint of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    spec: JointSpec,
    /// Points of its connectors: c, s, a of the first part, b of the second, and then those that keep them together.
    anchors: Vec<Anchor>,
    /// LS that keep the parts together: points, and length at rest [m].
    ties: Vec<([usize; 2], f64)>,
    /// TS of 180 degrees: ends and middle.
    rails: Vec<[usize; 3]>,
    /// Stiffness of the connectors LS [N/m], TS and JS [N m/rad] that keep the parts together.
    firm: Firm,
    /// Their damping over their stiffness [s].
    damping: f64,
    /// Distance of the points whose distance is the coordinate, where that is zero [m].
    zero: f64,
    /// Angle from a to b as built [rad].
    built: f64,
    /// Coordinate at which the spring is at rest now [rad or m].
    pub rest: f64,
}

/// Stiffnesses of what keeps parts together, and of the stops.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Firm {
    line: f64,
    bend: f64,
    twist: f64,
    stop: f64,
}

/// A value with its slopes by the places of four points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Slope {
    value: f64,
    points: [usize; 4],
    by: [Vec3; 4],
}

/// Indices of c, s, a and b.
const C: usize = 0;
const S: usize = 1;
const A: usize = 2;
const B: usize = 3;
/// The point between those that slide on a rail.
const SLIDER: usize = 6;

/// What a joint is built between.
pub(super) struct Between<'a> {
    /// Name of the body.
    pub body: &'a str,
    /// Particles of the two parts.
    pub sites: [&'a [u32]; 2],
    /// Places and masses of all particles.
    pub places: &'a [Vec3],
    pub masses: &'a [f64],
    /// Edge of a cell [m], and Young's modulus [Pa].
    pub grain: f64,
    pub young: f64,
}

impl Joint {
    /// Build it from checked parameters. Fails if a part cannot carry a point of it, as particles in a plane cannot.
    pub(super) fn new(spec: &JointSpec, between: &Between<'_>) -> Result<Joint, BuildError> {
        let axis = spec.axis.normalize();
        let width = spec.width.unwrap_or(between.grain);
        let refused = |why: String| {
            let (body, name) = (between.body, &spec.name);
            BuildError::Solid { body: body.into(), why: format!("its joint {name} {why}") }
        };
        if width <= 0.0 {
            return Err(refused("needs a width, as no cells say how large it is".into()));
        }
        let across = axis.any_orthonormal_vector();
        // part and place of each point
        let (mut points, mut ties, mut rails) = (vec![], vec![], vec![]);
        let half = axis * (0.5 * width);
        let arm = |part: usize, from: Vec3| {
            let among =
                between.sites[part].iter().map(|n| (between.places[*n as usize] - from, between.masses[*n as usize]));
            arm(among, axis, width)
        };
        let mut zero = 0.0;
        let mut reach = width;
        match spec.kind {
            JointKind::Revolute => {
                let ends = [spec.at - half, spec.at + half];
                points.extend([(0, ends[0]), (0, ends[1])]);
                points.extend([0, 1].map(|part| (part, ends[0] + arm(part, ends[0]))));
                for (point, end) in ends.into_iter().enumerate() {
                    for way in [axis, across, axis.cross(across)] {
                        ties.push(([point, points.len()], width));
                        points.push((1, end + way * width));
                    }
                }
            }
            JointKind::Prismatic => {
                let [low, high] = spec.stops.unwrap_or_default();
                // twice as long as the way of its two points
                reach = high - low + width;
                let middle = spec.at + axis * (0.5 * (low + high));
                points.extend([(0, middle - axis * reach), (0, middle + axis * reach)]);
                points.extend([0, 1].map(|part| (part, spec.at + arm(part, spec.at))));
                points.extend([(1, spec.at - half), (1, spec.at + half), (1, spec.at)]);
                rails.extend([[C, S, 4], [C, S, 5]]);
                zero = (points[SLIDER].1 - points[C].1).length();
            }
        }
        let anchor = |(part, place): &(usize, Vec3)| {
            let found = Anchor::new(*place, between.sites[*part], between.places, between.masses);
            found.ok_or_else(|| {
                let part = ["first", "second"][*part];
                refused(format!("has a place at {place} that its {part} part cannot carry: all its particles are in a plane or on a line"))
            })
        };
        let anchors: Vec<Anchor> = points.iter().map(anchor).collect::<Result<_, _>>()?;
        let line = spec.holding.unwrap_or(between.young * between.grain);
        if line <= 0.0 {
            return Err(refused("needs `holding`, as no cells say how stiff it is".into()));
        }
        // a rail gives way like an LS where its point is in the middle: force over way is lambda (1/a + 1/b)^2
        let firm = Firm {
            line,
            bend: 0.25 * line * reach * reach,
            twist: line * width * width,
            stop: spec.stop_stiffness.unwrap_or(match spec.kind {
                JointKind::Revolute => line * width * width,
                JointKind::Prismatic => line,
            }),
        };
        let rest = spec.rest;
        let mut joint = Joint { spec: spec.clone(), anchors, ties, rails, firm, damping: 0.0, zero, built: 0.0, rest };
        joint.built = angle(&joint.points(between.places)).value;
        Ok(joint)
    }

    /// Its name, and whether it slides.
    pub(crate) fn layout(&self) -> (&str, bool) {
        (&self.spec.name, self.slides())
    }

    fn slides(&self) -> bool {
        self.spec.kind == JointKind::Prismatic
    }

    /// Whether it has a motor.
    pub(super) fn is_driven(&self) -> bool {
        self.spec.motor.is_some()
    }

    /// Move the coordinate at which its spring is at rest to where its motor has it at a time [s].
    pub(super) fn drive(&mut self, time: f64) {
        if let Some(motor) = &self.spec.motor {
            self.rest = motor.at(self.spec.rest, time);
        }
    }

    /// Scale what follows from the material.
    pub(super) fn stiffen(&mut self, factor: f64) {
        if self.spec.holding.is_none() {
            let Firm { line, bend, twist, stop } = &mut self.firm;
            [line, bend, twist].into_iter().for_each(|stiffness| *stiffness *= factor);
            if self.spec.stop_stiffness.is_none() {
                *stop *= factor;
            }
        }
    }

    /// Damp what keeps the parts together, with this ratio of damping to stiffness [s].
    pub(super) fn damp(&mut self, ratio: f64) {
        self.damping = ratio;
    }

    fn points(&self, vectors: &[Vec3]) -> Points {
        let mut points = [Vec3::ZERO; MOST];
        points.iter_mut().zip(&self.anchors).for_each(|(point, anchor)| *point = anchor.mean(vectors));
        points
    }

    /// Add the forces of its connectors.
    pub(super) fn push(&self, places: &[Vec3], velocities: &[Vec3], forces: &mut [Vec3]) {
        let (at, moving) = (self.points(places), self.points(velocities));
        let mut on = [Vec3::ZERO; MOST];
        let Firm { line, bend, twist, .. } = self.firm;
        for &([p, q], rest) in &self.ties {
            let kind = LinkKind { rest, stiffness: line, damping: self.damping * line };
            let force = kind.force(at[p] - at[q], moving[p] - moving[q]);
            on[p] += force;
            on[q] -= force;
        }
        for rail in &self.rails {
            let turned = straight(bend, self.damping).turn(rail.map(|n| at[n]), rail.map(|n| moving[n]), None);
            rail.iter().zip(turned.forces).for_each(|(n, force)| on[*n] += force);
        }
        let mut add = |slope: &Slope, size: f64| {
            slope.points.iter().zip(slope.by).for_each(|(n, by)| on[*n] += by * size);
        };
        if self.slides() {
            let turn = self.turn(&at);
            add(&turn, -twist * (turn.value + self.damping * turn.rate(&moving)));
        }
        let way = self.coordinate(&at);
        add(&way, self.effort(way.value, way.rate(&moving)));
        self.anchors.iter().zip(on).for_each(|(anchor, force)| anchor.push(force, forces));
    }

    /// The angle by which its second part has turned about the axis [rad], from -180 to 180 degrees.
    fn turn(&self, at: &Points) -> Slope {
        let slope = angle(at);
        Slope { value: whole(slope.value - self.built), ..slope }
    }

    /// Its coordinate [rad or m].
    fn coordinate(&self, at: &Points) -> Slope {
        if !self.slides() {
            return self.turn(at);
        }
        let along = at[SLIDER] - at[C];
        let length = along.length();
        let way = if length > 0.0 { along / length } else { Vec3::ZERO };
        Slope { value: length - self.zero, points: [C, SLIDER, C, C], by: [-way, way, Vec3::ZERO, Vec3::ZERO] }
    }

    /// Deviation of a coordinate from the rest of its spring; an angle by less than half a turn.
    fn off(&self, value: f64) -> f64 {
        let off = value - self.rest;
        if self.slides() { off } else { whole(off) }
    }

    /// How far a coordinate is beyond a stop.
    fn beyond(&self, value: f64) -> f64 {
        self.spec.stops.map_or(0.0, |[low, high]| value - value.clamp(low, high))
    }

    /// Force or torque of spring, damper and stops along the coordinate [N or N m].
    fn effort(&self, value: f64, rate: f64) -> f64 {
        let beyond = self.beyond(value);
        let stop = self.firm.stop * beyond + self.spec.stop_damping * rate;
        // it pushes out, and never pulls
        let stop = if stop * beyond > 0.0 { stop } else { 0.0 };
        -self.spec.stiffness * self.off(value) - self.spec.damping * rate - stop
    }

    /// Energy of its connectors [J].
    pub(super) fn elastic(&self, places: &[Vec3]) -> f64 {
        let at = self.points(places);
        let Firm { line, bend, twist, stop } = self.firm;
        let ties = self.ties.iter().map(|&([p, q], rest)| {
            let kind = LinkKind { rest, stiffness: line, damping: 0.0 };
            kind.energy(at[p] - at[q])
        });
        let bends = self.rails.iter().map(|rail| {
            let off = straight(bend, 0.0).turn(rail.map(|n| at[n]), [Vec3::ZERO; 3], None).off;
            0.5 * bend * off * off
        });
        let turn = if self.slides() { self.turn(&at).value } else { 0.0 };
        let value = self.coordinate(&at).value;
        let beyond = self.beyond(value);
        ties.sum::<f64>()
            + bends.sum::<f64>()
            + 0.5 * twist * turn * turn
            + self.driven(value)
            + 0.5 * stop * beyond * beyond
    }

    /// Energy of its spring [J].
    pub(super) fn spring(&self, places: &[Vec3]) -> f64 {
        self.driven(self.coordinate(&self.points(places)).value)
    }

    fn driven(&self, value: f64) -> f64 {
        0.5 * self.spec.stiffness * self.off(value).powi(2)
    }

    /// What a frame shows of it.
    pub(super) fn frame(&self, places: &[Vec3], velocities: &[Vec3]) -> JointFrame {
        let way = self.coordinate(&self.points(places));
        let speed = way.rate(&self.points(velocities));
        JointFrame { position: way.value, speed, torque: self.effort(way.value, speed) }
    }

    /// Upper bound on what connectors contribute to the squared angular frequency of a vibration [1/s2], or dampers that are given
    /// to the rate of its decay [1/s]: of each, stiffness times the square of its slope over the roots of masses. Rails count as
    /// where their points are at a stop, and arms as turned against each other.
    pub(super) fn bound(&self, places: &[Vec3], masses: &[f64], only: Rows) -> f64 {
        let at = self.points(places);
        let yielding = |n: usize| {
            self.anchors[n].shares().iter().map(|(i, weight)| weight * weight / masses[*i as usize]).sum::<f64>().sqrt()
        };
        let one = |stiffness: f64, slopes: &[(usize, f64)]| {
            stiffness * slopes.iter().map(|(n, slope)| slope * yielding(*n)).sum::<f64>().powi(2)
        };
        let turned = angle(&at).by.map(Vec3::length);
        let turn = [(C, turned[2] + turned[3]), (S, turned[1]), (A, turned[2]), (B, turned[3])];
        let slide = [(C, 1.0), (SLIDER, 1.0)];
        let way = if self.slides() { &slide[..] } else { &turn[..] };
        let Firm { line, bend, twist, stop } = self.firm;
        if only == Rows::Damping {
            return one(self.spec.damping + self.spec.stop_damping, way);
        }
        let stop = if self.spec.stops.is_some() { one(stop, way) } else { 0.0 };
        let rail = |rail: &[usize; 3]| {
            let reach = 0.5 * (at[C] - at[S]).length();
            // the distance of its point from the end of the rail, at the stop
            let [low, high] = self.spec.stops.unwrap_or_default();
            let short = reach - 0.5 * (high - low) - (at[rail[2]] - at[SLIDER]).length();
            let [a, b] = [1.0 / short, 1.0 / (2.0 * reach - short)];
            one(bend, &[(rail[0], a), (rail[1], b), (rail[2], a + b)])
        };
        let hidden = stop + self.rails.iter().map(rail).sum::<f64>();
        if only == Rows::Hidden {
            return hidden;
        }
        let turn = if self.slides() { one(twist, &turn) } else { 0.0 };
        let ties = self.ties.iter().map(|&([p, q], _)| one(line, &[(p, 1.0), (q, 1.0)]));
        hidden + turn + one(self.spec.stiffness, way) + ties.sum::<f64>()
    }
}

/// An angle less the turns in it [rad].
fn whole(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

/// From a point on an axis to where a part is taken hold of to turn it: perpendicular to the axis, to its middle or, where that is
/// near the axis, along its longer extent. `among` are places of its particles from that point [m], and masses [kg].
fn arm(among: impl Iterator<Item = (Vec3, f64)> + Clone, axis: Vec3, least: f64) -> Vec3 {
    let mass: f64 = among.clone().map(|(_, m)| m).sum();
    let middle = among.clone().map(|(p, m)| p * m).sum::<Vec3>() / mass;
    let middle = middle - axis * middle.dot(axis);
    let (x, y) = axis.any_orthonormal_pair();
    let [mut xx, mut xy, mut yy] = [0.0; 3];
    for (p, m) in among {
        let d = p - middle;
        let (u, v) = (d.dot(x), d.dot(y));
        (xx, xy, yy) = (xx + m * u * u, xy + m * u * v, yy + m * v * v);
    }
    let spread = ((xx + yy) / mass).sqrt();
    if middle.length() > 0.5 * spread.max(least) {
        return middle;
    }
    // the larger principal axis of the spread
    let (sin, cos) = sincos(0.5 * atan2(2.0 * xy, xx - yy));
    (x * cos + y * sin) * spread.max(least)
}

/// Which connectors of a joint count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// All stiffnesses.
    All,
    /// Those that are larger elsewhere than as built: stops and rails.
    Hidden,
    /// Dampers that are given.
    Damping,
}

impl Slope {
    /// Its rate.
    fn rate(&self, moving: &Points) -> f64 {
        self.points.iter().zip(self.by).map(|(n, by)| by.dot(moving[*n])).sum()
    }
}

/// A TS of 180 degrees.
fn straight(stiffness: f64, damping: f64) -> Hinge {
    Hinge { ends: [0; 2], middle: 0, side: None, rest: PI, stiffness, damping: damping * stiffness }
}

/// The angle of JS, from a to b about the axis from c to s [rad].
fn angle(at: &Points) -> Slope {
    let still = Slope { points: [C, S, A, B], ..Slope::default() };
    let along = at[S] - at[C];
    let length = along.length();
    if length < 1e-12 {
        return still;
    }
    let n = along / length;
    let [a, b] = [at[A] - at[C], at[B] - at[C]];
    // heights on the axis, and what is perpendicular to it
    let [high_a, high_b] = [a.dot(n), b.dot(n)];
    let [a, b] = [a - n * high_a, b - n * high_b];
    let (square_a, square_b) = (a.length_squared(), b.length_squared());
    if square_a < 1e-24 || square_b < 1e-24 {
        return still;
    }
    let value = atan2(a.cross(b).dot(n), a.dot(b));
    let [by_a, by_b] = [n.cross(a) / -square_a, n.cross(b) / square_b];
    // a tilt of the axis moves it at the heights of a and b
    let by_s = (by_a * high_a + by_b * high_b) / -length;
    Slope { value, by: [-(by_a + by_b + by_s), by_s, by_a, by_b], ..still }
}

#[cfg(test)]
mod tests;
