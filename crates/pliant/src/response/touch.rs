//! Points of a body that are held, pushed or in contact, and their coupling.

use super::Compliance;
use super::answers::Answers;
use super::guess::Trend;
use super::rows::{Pairs, Products, Scaled};
use super::solid::{Form, Solid};
use super::solve::{Condition, Room, Sweeps, Swept};
use crate::bytes::{stored, stored_enum};
use crate::kernel::Kernel;
use crate::math::{Mat3, Pose, Vec3};

/// A point of the surface: a node, or a point of a facet in barycentric coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// The node three times, or the corners of the facet.
    pub nodes: [u32; 3],
    /// Weights, which sum to one.
    pub weights: [f64; 3],
}

impl Spot {
    /// A node.
    pub fn node(node: u32) -> Spot {
        Spot { nodes: [node; 3], weights: [1.0, 0.0, 0.0] }
    }

    /// Nodes with nonzero weights.
    pub fn parts(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.nodes.iter().zip(self.weights).filter(|(_, w)| *w != 0.0).map(|(node, w)| (*node as usize, w))
    }

    /// The node, if it is one.
    fn single(&self) -> Option<usize> {
        (self.weights == [1.0, 0.0, 0.0]).then_some(self.nodes[0] as usize)
    }

    /// Sort key of spots, so that the block of two is always computed in the same order.
    fn key(&self) -> ([u32; 3], [u64; 3]) {
        (self.nodes, self.weights.map(f64::to_bits))
    }

    /// Interpolate a nodal vector.
    pub fn mean(&self, of: impl Fn(usize) -> Vec3) -> Vec3 {
        self.parts().map(|(node, weight)| of(node) * weight).sum()
    }
}

/// What holds, pushes or touches a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A grip, by index in the world.
    Grip(usize),
    /// An obstacle, by index in the world.
    Obstacle(usize),
    /// A load, by index in the world.
    Load(usize),
    /// Another body.
    Body,
}

/// A point that is held, pushed or in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Location on the surface.
    pub spot: Spot,
    /// Facet that a finger is on; `None` for nodes.
    pub facet: Option<u32>,
    /// Whether it is a further facet touched by a finger, beside that of its own point.
    pub beside: bool,
    /// What holds, pushes or touches it.
    pub by: By,
    /// Point where it is held or sticks, in the frame of the gripper or obstacle [m]; for a load or another body, its
    /// force [N].
    pub anchor: Vec3,
    /// For a load, its fraction of the total [-].
    pub part: f64,
    /// Unit normal out of what it touches, in the world.
    pub normal: Vec3,
    /// Force on the body, in the world [N].
    pub force: Vec3,
    /// Distance from what it touches at the end of the last step [m].
    pub gap: f64,
    /// Position at the end of the last step, in the world [m].
    pub place: Vec3,
    /// Depth when contact began, before a force could act, less what has been pushed out since [m].
    pub sunk: f64,
    /// Depth that a finger is left with until it lifts off, because pushing its point out would create energy [m].
    pub kept: f64,
    /// Recent change of its force.
    pub trend: Trend,
}

impl Touch {
    /// A new point, without a force.
    pub fn new(spot: Spot, by: By, anchor: Vec3, normal: Vec3, place: Vec3) -> Touch {
        let (force, trend) = (Vec3::ZERO, Trend::default());
        let (gap, sunk, kept) = (0.0, 0.0, 0.0);
        Touch { spot, facet: None, beside: false, by, anchor, part: 1.0, normal, force, gap, place, sunk, kept, trend }
    }
}

/// Speed at which points that started contact inside are pushed out [m/s]; all at once would throw them.
pub const RISE: f64 = 0.01;

/// Cosine of the turn of a normal in a step below which a point is on another side of what it touches.
pub const SAME_SIDE: f64 = 0.9;

impl Touch {
    /// Set the sticking point of a finger that did not push to its position at the `start` of the step [m], in
    /// components across the normal or inside. Otherwise a finger beside an edge, or one that has crossed it, would
    /// pull it to its tip.
    pub fn stick_where_it_is(&mut self, finger: &Pose, start: Vec3) {
        let off = finger.transform_point(self.anchor) - start;
        let outside = self.normal.dot(off).min(0.0);
        self.anchor = finger.inverse_transform_point(start + self.normal * outside);
    }

    /// Record the depth at which a contact begins: `deep` is the distance [m] of the surface, as seen in a step of
    /// length `step` [s], beyond the point at its start. A force that pushed it out at once would do work that was
    /// never done on the way in.
    pub fn sink(&mut self, before: Vec3, deep: f64, step: f64) {
        if self.force == Vec3::ZERO || self.normal.dot(before) < SAME_SIDE {
            (self.sunk, self.kept) = (deep.max(0.0), 0.0);
        } else {
            self.sunk = (self.sunk - RISE * step).max(0.0);
        }
    }
}

/// Tolerated error of the turn of the body in a step, due to an outdated point of application [rad].
const TURNED: f64 = 1e-4;

/// Working memory for the points of a step.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// Capacity in points.
    room: usize,
    modes: usize,
    /// Spots whose rows are up to date.
    spots: Vec<Spot>,
    /// Position of each relative to the centre of mass, in the body's frame: at rest, or deformed where that matters
    /// [m].
    arms: Vec<Vec3>,
    /// Mode shapes at each point, in three rows [1/sqrt(kg)].
    rows: Vec<f64>,
    /// W, (9).
    answers: Vec<f64>,
    pub inverses: Vec<Mat3>,
    pub conditions: Vec<Condition>,
    pub missing: Vec<f64>,
    /// Displacements without forces [m].
    pub free: Vec<f64>,
    pub forces: Vec<f64>,
    /// W f: displacements due to the forces [m].
    pub moved: Vec<f64>,
    sweeping: Room,
    scaled: Vec<f64>,
    changed: Vec<usize>,
}

impl Slots {
    /// Preallocate for a number of points.
    pub fn reserve(&mut self, room: usize, modes: usize) {
        if room <= self.room {
            return;
        }
        self.modes = modes;
        // the stride has changed, so all rows must be recomputed
        self.spots.clear();
        self.room = room;
        self.rows.resize(3 * modes * room, 0.0);
        self.answers.resize(9 * room * room, 0.0);
        self.scaled.resize(3 * modes, 0.0);
        self.inverses.resize(room, Mat3::ZERO);
        self.arms.resize(room, Vec3::ZERO);
        for list in [&mut self.missing, &mut self.free, &mut self.forces, &mut self.moved] {
            list.resize(3 * room, 0.0);
        }
        self.sweeping.reserve(3 * room);
        self.spots.reserve(room);
        self.changed.reserve(room);
        self.conditions.reserve(room);
    }

    /// Discard all rows, such as when the step length changes.
    pub fn forget(&mut self) {
        self.spots.clear();
    }

    /// Distance between rows of W.
    pub fn stride(&self) -> usize {
        3 * self.room
    }

    /// Mode shapes at a point, in three rows.
    pub fn rows(&self, n: usize) -> &[f64] {
        &self.rows[3 * n * self.modes..3 * (n + 1) * self.modes]
    }

    /// Mode shapes at the first `count` points.
    pub fn all_rows(&self, count: usize) -> &[f64] {
        &self.rows[..3 * count * self.modes]
    }

    /// Update rows and W for these points; only changes are computed. `place` gives the positions of pushed points.
    pub fn update(
        &mut self,
        kernel: Kernel,
        touches: &[Touch],
        solid: &Solid,
        answers: &Answers,
        place: impl Fn(&Touch) -> Vec3,
    ) {
        if touches.len() > self.room {
            // W grows with the square of it
            self.reserve(touches.len() + touches.len() / 4, self.modes);
        }
        self.spots.truncate(touches.len());
        // upper bound on the turn per torque in a step [rad/(N m)]
        let light = solid.shift(answers.swing.step) * solid.lightest;
        self.changed.clear();
        for (n, touch) in touches.iter().enumerate() {
            match self.spots.get_mut(n) {
                Some(spot) if *spot == touch.spot => {
                    // the torque of a force depends on its current point of application
                    let (force, arm) = (touch.force.length(), place(touch));
                    if force > 0.0 && light * force * (arm - self.arms[n]).length() > TURNED {
                        self.arms[n] = arm;
                        self.changed.push(n);
                    }
                    continue;
                }
                Some(spot) => *spot = touch.spot,
                None => self.spots.push(touch.spot),
            }
            self.arms[n] = touch.spot.mean(|node| solid.shell.nodes[node]);
            self.write_rows(n, solid);
            self.changed.push(n);
        }
        for k in 0..self.changed.len() {
            let n = self.changed[k];
            for m in 0..self.spots.len() {
                self.write_block(kernel, n, m, solid, answers);
            }
            self.inverses[n] = inverse(&self.block(n));
        }
    }

    fn block(&self, n: usize) -> Mat3 {
        let row = |i: usize| {
            let start = (3 * n + i) * self.stride() + 3 * n;
            Vec3::new(self.answers[start], self.answers[start + 1], self.answers[start + 2])
        };
        Mat3::from_cols(row(0), row(1), row(2))
    }

    fn write_rows(&mut self, n: usize, solid: &Solid) {
        let Form::Modes(modes) = &solid.form else { return };
        let rows = &mut self.rows[3 * n * self.modes..3 * (n + 1) * self.modes];
        rows.fill(0.0);
        for (node, weight) in self.spots[n].parts() {
            for (axis, row) in rows.chunks_exact_mut(self.modes.max(1)).enumerate() {
                row.iter_mut().zip(modes.row(3 * node + axis)).for_each(|(x, shape)| *x += weight * shape);
            }
        }
    }

    /// Write the block of W of points `a` and `b`, and its transpose.
    fn write_block(&mut self, kernel: Kernel, a: usize, b: usize, solid: &Solid, answers: &Answers) {
        let (a, b) = if self.spots[a].key() <= self.spots[b].key() { (a, b) } else { (b, a) };
        let mut block = match (self.spots[a].single(), self.spots[b].single(), &answers.dense) {
            (Some(i), Some(j), Some(dense)) => dense.block(i, j),
            _ => self.elastic_block(kernel, a, b, solid, answers),
        };
        block += solid.rigid_answer(self.arms[a], self.arms[b], answers.swing.step);
        block += Mat3::from_diagonal(Vec3::splat(solid.firm.between(&self.spots[a], &self.spots[b])));
        let stride = self.stride();
        for i in 0..3 {
            for j in 0..3 {
                let value = block.col(j)[i];
                self.answers[(3 * a + i) * stride + 3 * b + j] = value;
                self.answers[(3 * b + j) * stride + 3 * a + i] = value;
            }
        }
    }

    /// Block of W of points `a` and `b` without rigid motion [m/N].
    fn elastic_block(&mut self, kernel: Kernel, a: usize, b: usize, solid: &Solid, answers: &Answers) -> Mat3 {
        let both = |f: &dyn Fn(usize, usize) -> Mat3| {
            let parts = self.spots[a].parts().flat_map(|(i, v)| self.spots[b].parts().map(move |(j, w)| (i, j, v * w)));
            parts.map(|(i, j, weight)| f(i, j) * weight).fold(Mat3::ZERO, |sum, block| sum + block)
        };
        let modes = match &solid.form {
            Form::Records(records) => return both(&|i, j| records.first(i, j)),
            Form::Modes(modes) => modes,
        };
        let (beyond, by) = match &modes.basis.compliance {
            Compliance::Full(list) => (both(&|i, j| packed(list, i, j)), &answers.swing.change),
            Compliance::Local(_) => (both(&|i, j| modes.at_once(i, j).unwrap_or(Mat3::ZERO)), &answers.swing.rows[4]),
        };
        let length = self.modes;
        let (rows_a, rows_b) = (3 * a * length..3 * (a + 1) * length, 3 * b * length..3 * (b + 1) * length);
        kernel.run(Scaled { rows: &self.rows[rows_a], by, out: &mut self.scaled });
        let mut products = [0.0; 9];
        kernel.run(Pairs { a: &self.scaled, b: &self.rows[rows_b], length, out: &mut products });
        let [p, q, r, s, t, u, v, w, x] = products;
        beyond + Mat3::from_cols_array_2d(&[[p, s, v], [q, t, w], [r, u, x]])
    }

    /// Displacement of a point from modal coordinates, in the body's frame [m].
    pub fn displacement(&self, kernel: Kernel, n: usize, coordinates: &[f64]) -> Vec3 {
        let mut out = [0.0; 3];
        kernel.run(Products { rows: self.rows(n), with: coordinates, out: &mut out });
        Vec3::from_array(out)
    }

    /// Solve for the forces of the first `count` points, and the displacements due to them.
    pub fn solve(&mut self, kernel: Kernel, count: usize, most: usize, tolerance: f64) -> Swept {
        let stride = self.stride();
        let Slots { answers, inverses, conditions, missing, forces, moved, sweeping, .. } = self;
        let forces = &mut forces[..3 * count];
        let room = sweeping;
        kernel.run(Sweeps { answers, stride, inverses, conditions, missing, forces, moved, room, most, tolerance })
    }
}

/// The block of two nodes, from a lower triangle stored row by row.
pub fn packed(list: &[f64], i: usize, j: usize) -> Mat3 {
    let (i, j, turned) = if i >= j { (i, j, false) } else { (j, i, true) };
    let mut rows = [[0.0; 3]; 3];
    for (r, row) in rows.iter_mut().enumerate() {
        let n = 3 * i + r;
        for (c, value) in row.iter_mut().enumerate() {
            let m = 3 * j + c;
            *value = if n >= m { list[n * (n + 1) / 2 + m] } else { list[m * (m + 1) / 2 + n] };
        }
    }
    // rows given as columns: the transpose
    let block = Mat3::from_cols_array_2d(&rows);
    if turned { block } else { block.transpose() }
}

/// The inverse of a block, or zero if it is singular: forces there have no effect that could be solved for.
fn inverse(block: &Mat3) -> Mat3 {
    let inverse = block.inverse();
    if inverse.is_finite() { inverse } else { Mat3::ZERO }
}

stored!(Spot { nodes, weights });
stored_enum!(By { 0 => Grip { 0: index }, 1 => Obstacle { 0: index }, 2 => Load { 0: index }, 3 => Body {} });
stored!(Touch { spot, facet, beside, by, anchor, part, normal, force, gap, place, sunk, kept, trend });

#[cfg(test)]
mod tests {
    use super::super::sample::{SAMPLE, body};
    use super::*;
    use crate::math::Quat;
    use crate::random::Random;

    const STIFFER: f64 = 1e-6;

    /// Spots at nodes and within facets.
    fn touches() -> Vec<Touch> {
        let inside = Spot { nodes: [1, 2, 3], weights: [0.2, 0.5, 0.3] };
        let other = Spot { nodes: [0, 1, 3], weights: [0.6, 0.1, 0.3] };
        let spots = [Spot::node(2), inside, Spot::node(0), other];
        spots.map(|spot| Touch::new(spot, By::Body, Vec3::ZERO, Vec3::Z, Vec3::ZERO)).to_vec()
    }

    /// Entries of W are the displacements at the end of a step of h by a constant unit force from rest: of each mode as a damped
    /// oscillator, x'' + 2 d x' + w^2 x = p, whose solution is p / w^2 (1 - e^(-d h) (cos v h + d / v sin v h)) with v^2 = w^2 - d^2,
    /// of the rest of the compliance at once, and of the rigid body as s (1 / m + r x I^-1 x r') with its shift s.
    #[test]
    fn answers_are_displacements_by_unit_forces() {
        let mut body = body(Pose::IDENTITY);
        let touches = touches();
        let super::super::Damping::Rayleigh { mass, stiffness } = body.settings.damping else { panic!() };
        let (solid, slots) = (body.solid.clone(), &mut body.scratch.slots);
        slots.update(body.kernel, &touches, &solid, &body.answers, |_| Vec3::ZERO);
        let Form::Modes(modes) = &solid.form else { panic!() };
        let grown = |square: f64| {
            let d = 0.5 * (mass + stiffness * square);
            let v = (square - d * d).sqrt();
            (1.0 - (-d * SAMPLE).exp() * ((v * SAMPLE).cos() + d / v * (v * SAMPLE).sin())) / square
        };
        let shape = |spot: &Spot, n: usize, axis: usize| {
            spot.parts().map(|(node, weight)| weight * modes.row(3 * node + axis)[n]).sum::<f64>()
        };
        for (a, x) in touches.iter().enumerate() {
            for (b, y) in touches.iter().enumerate() {
                let [at, pushed] = [x, y].map(|t| t.spot.mean(|node| solid.shell.nodes[node]));
                let shared: f64 = x
                    .spot
                    .parts()
                    .flat_map(|(i, v)| y.spot.parts().map(move |(j, w)| if i == j { v * w } else { 0.0 }))
                    .sum();
                for i in 0..3 {
                    for j in 0..3 {
                        let swing: f64 = (0..modes.count)
                            .map(|n| shape(&x.spot, n, i) * grown(modes.squares[n]) * shape(&y.spot, n, j))
                            .sum();
                        let at_once = if i == j { STIFFER * shared } else { 0.0 };
                        let force = Vec3::AXES[j];
                        let turned = (solid.inverse_inertia * pushed.cross(force)).cross(at);
                        let rigid = (force / solid.mass + turned)[i] * solid.shift(SAMPLE);
                        let found = slots.answers[(3 * a + i) * slots.stride() + 3 * b + j];
                        let expected = swing + at_once + rigid;
                        assert!(
                            (found - expected).abs() < 1e-9 * STIFFER.max(expected.abs()) + 1e-15,
                            "{found} {expected}"
                        );
                    }
                }
            }
        }
    }

    /// W keeps the bits of what has not changed, whichever points come and go, and is symmetric.
    #[test]
    fn points_that_come_and_go_leave_the_others() {
        let mut body = body(Pose::IDENTITY);
        let (solid, all) = (body.solid.clone(), touches());
        let mut fresh = |order: &[usize]| {
            let some: Vec<Touch> = order.iter().map(|n| all[*n]).collect();
            body.scratch.slots.update(body.kernel, &some, &solid, &body.answers, |_| Vec3::ZERO);
            let slots = &body.scratch.slots;
            let at = |i: usize, j: usize| slots.answers[i * slots.stride() + j];
            let size = 3 * order.len();
            for i in 0..size {
                (0..size).for_each(|j| assert_eq!(at(i, j).to_bits(), at(j, i).to_bits()));
            }
            (0..3).map(|k| at(k, 3 + k)).collect::<Vec<f64>>()
        };
        let first = fresh(&[0, 1, 2, 3]);
        fresh(&[3, 2]);
        assert_eq!(fresh(&[0, 1]), first);
        assert_eq!(fresh(&[1, 0, 3]), first, "reciprocity: W of b and a is the transpose of that of a and b");
    }

    /// A finger sticks where the point is, but not behind where its tip is along the normal.
    #[test]
    fn a_finger_sticks_where_it_is() {
        let mut random = Random(12);
        for _ in 0..100 {
            let finger = Pose::from_parts(random.vector(), Quat::from_scaled_axis(random.vector()));
            let (normal, start, tip) = (random.vector().normalize(), random.vector(), random.vector());
            let anchor = finger.inverse_transform_point(tip);
            let mut touch = Touch::new(Spot::node(0), By::Body, anchor, normal, Vec3::ZERO);
            touch.stick_where_it_is(&finger, start);
            let stuck = finger.transform_point(touch.anchor);
            let (across, along) = ((stuck - start).reject_from_normalized(normal), (stuck - start).dot(normal));
            assert!(across.length() < 1e-12);
            assert!((along - (tip - start).dot(normal).min(0.0)).abs() < 1e-12);
        }
    }

    /// A contact that begins deep inside rises at a constant speed, and not past the surface.
    #[test]
    fn what_began_inside_rises_slowly() {
        let mut touch = touches()[0];
        touch.sink(Vec3::Z, 1e-4, 1e-3);
        assert_eq!(touch.sunk, 1e-4);
        touch.force = Vec3::Z;
        for n in 1..20 {
            touch.sink(Vec3::Z, 5.0, 1e-3);
            assert!((touch.sunk - (1e-4 - f64::from(n) * RISE * 1e-3).max(0.0)).abs() < 1e-18);
        }
        // from another side it begins anew
        touch.sink(Vec3::X, 2e-4, 1e-3);
        assert_eq!(touch.sunk, 2e-4);
    }
}
