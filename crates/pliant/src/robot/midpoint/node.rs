//! A robot at one configuration within a step: its axes and composite inertias, and two velocities at it, with the
//! derivatives of momentum and kinetic energy that a step needs.
//!
//! Velocities are centroidal: a free root has its rotation as coordinates, and the velocity of the centre of mass apart
//! from all others. With a fixed root nothing is taken away (`lightness` zero).
//!
//! Let V_i be the velocity of body i for joint velocities v, less that of the centre of mass, H_j the momentum of all that
//! hangs on j, K_j = I_j S_j with the composite inertia, u_j = S_j x V_j. A coordinate j carries all that hangs on it
//! along, so that the momentum p_k = S_k H_k and the form B = sum V_i(v) I_i V_i(w) have the derivatives
//!
//!   X_j = dH/dq_j = S_j x* H_j - I_j u_j,
//!   dp_k/dq_j = - K_k u_j (k on j or equal),   S_k X_j (j on k),
//!   dB/dq_j = - H_j(v) u_j(w) - H_j(w) u_j(v),
//!   d2B/dq_j dq_k = - u_k(v) X_j(w) - u_k(w) X_j(v) (j on k or equal),
//!
//! each less the share of the centre of mass, with A_k and x_j the forces (linear momenta) of K_k and X_j, and mass m:
//! A_k x_j / m from dp_k/dq_j, and (x_j(w) x_k(v) + x_j(v) x_k(w)) / m from the second derivative.

use crate::math::{Mat3, Vec3};
use crate::robot::algebra::Matrix;
use crate::robot::kinematics::Kinematics;
use crate::robot::model::Model;
use crate::robot::spatial::{Force, Motion};

/// One velocity at a configuration.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    motions: Vec<Motion>,
    momenta: Vec<Force>,
    /// u of each axis, X of each axis.
    turning: Vec<Motion>,
    change: Vec<Force>,
    /// Velocity of the root's origin against the centre of mass.
    pub drift: Vec3,
}

/// A configuration.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub kinematics: Kinematics,
    axes: Vec<Motion>,
    /// K of each axis.
    forces: Vec<Force>,
    /// One over the mass, where the root is free; zero where it is fixed.
    lightness: f64,
    /// Body, column and multiplier of each axis.
    table: Vec<(usize, usize, f64)>,
    /// The velocities at start and end of the step.
    pub flows: [Flow; 2],
}

/// What an axis belongs to: body, column among the unknowns, multiplier.
fn axis_of(model: &Model, axis: usize) -> (usize, usize, f64) {
    let turns = if model.floating() { 3 } else { 0 };
    if axis < turns {
        return (0, 3 + axis, 1.0);
    }
    let body = axis - turns + 1;
    let b = &model.bodies[body];
    (body, model.first_joint() + b.coordinate, b.multiplier)
}

/// Number of axes of a root: its rotations.
#[inline]
pub fn root_axes(model: &Model) -> usize {
    if model.floating() { 3 } else { 0 }
}

impl Node {
    pub fn new(model: &Model) -> Node {
        let count = root_axes(model) + model.bodies.len() - 1;
        let flow = || Flow {
            motions: vec![Motion::default(); model.bodies.len()],
            momenta: vec![Force::default(); model.bodies.len()],
            turning: vec![Motion::default(); count],
            change: vec![Force::default(); count],
            drift: Vec3::ZERO,
        };
        Node {
            kinematics: Kinematics::new(model),
            axes: vec![Motion::default(); count],
            forces: vec![Force::default(); count],
            lightness: 0.0,
            table: (0..count).map(|axis| axis_of(model, axis)).collect(),
            flows: [flow(), flow()],
        }
    }

    /// Go to a configuration.
    pub fn place(&mut self, model: &Model, q: &[f64]) {
        self.kinematics.place(model, q);
        self.kinematics.weigh(model);
        self.kinematics.compose(model);
        let turns = root_axes(model);
        self.lightness = if model.floating() { 1.0 / self.kinematics.composites[0].mass } else { 0.0 };
        for axis in 0..self.axes.len() {
            let (body, ..) = self.table[axis];
            let s = if axis < turns { Motion::new(Vec3::AXES[axis], Vec3::ZERO) } else { self.kinematics.axes[body] };
            self.axes[axis] = s;
            self.forces[axis] = self.kinematics.composites[body].times(s);
        }
    }

    /// Let the robot move: `which` velocity, given as unknowns of a step.
    pub fn flow(&mut self, model: &Model, which: usize, v: &[f64]) {
        let (flow, turns, first) = (&mut self.flows[which], root_axes(model), model.first_joint());
        let kin = &self.kinematics;
        let angular = if turns > 0 { Vec3::new(v[3], v[4], v[5]) } else { Vec3::ZERO };
        flow.motions[0] = Motion::new(angular, Vec3::ZERO);
        flow.momenta.fill(Force::default());
        for (i, body) in model.bodies.iter().enumerate().skip(1) {
            let rate = body.multiplier * v[first + body.coordinate];
            flow.motions[i] = flow.motions[body.parent] + kin.axes[i] * rate;
        }
        // H_i = I_i V_i + sum of K_k q'_k over all joints k that hang on i
        for (i, body) in model.bodies.iter().enumerate().skip(1).rev() {
            let rate = body.multiplier * v[first + body.coordinate];
            let k = self.forces[turns + i - 1];
            let below = flow.momenta[i];
            flow.momenta[body.parent] += below + Force::new(k.moment * rate, k.force * rate);
        }
        let whole = flow.momenta[0].force + kin.composites[0].times(flow.motions[0]).force;
        flow.drift = whole * -self.lightness;
        for i in 0..model.bodies.len() {
            flow.motions[i].linear += flow.drift;
            flow.momenta[i] += kin.composites[i].times(flow.motions[i]);
        }
        for axis in 0..self.axes.len() {
            let (body, ..) = self.table[axis];
            let s = self.axes[axis];
            let u = flow.motions[body].carried(s);
            flow.turning[axis] = u;
            flow.change[axis] = flow.momenta[body].carried(s) - kin.composites[body].times(u);
        }
    }

    /// Momentum of a flow.
    pub fn momentum(&self, which: usize, out: &mut [f64]) {
        out.fill(0.0);
        for (axis, s) in self.axes.iter().enumerate() {
            let (body, column, factor) = self.table[axis];
            out[column] += factor * s.dot(self.flows[which].momenta[body]);
        }
    }

    /// Call `act` for pairs of axes: the near one, the far one, their columns, the product of their multipliers, and whether the far one
    /// hangs on the near one or is the same. Pairs on different branches count where all share a centre of mass.
    #[inline(always)]
    fn pairs(&self, model: &Model, mut act: impl FnMut(usize, usize, [usize; 2], f64, bool)) {
        let turns = root_axes(model);
        for far in 0..self.axes.len() {
            let (body, c, factor) = self.table[far];
            if self.lightness > 0.0 {
                let mut above = body;
                for near in (0..=far).rev() {
                    let (b, d, f) = self.table[near];
                    while above > b {
                        above = model.bodies[above].parent;
                    }
                    act(near, far, [d, c], f * factor, above == b);
                }
                continue;
            }
            let mut above = body;
            while above > 0 {
                let near = turns + above - 1;
                let (_, d, f) = self.table[near];
                act(near, far, [d, c], f * factor, true);
                above = model.bodies[above].parent;
            }
        }
    }

    /// Add `scale` times the mass matrix.
    pub fn add_mass(&self, model: &Model, scale: f64, out: &mut Matrix) {
        self.pairs(model, |near, far, [d, c], factor, on| {
            let direct = if on { self.axes[near].dot(self.forces[far]) } else { 0.0 };
            let value = direct - self.lightness * self.forces[near].force.dot(self.forces[far].force);
            out[(d, c)] += scale * factor * value;
            if near != far {
                out[(c, d)] += scale * factor * value;
            }
        });
    }

    /// Add `scale` times the derivative of the momentum of a flow with respect to the joints: row of the momentum, column of the
    /// joint; the other way round if `flip`.
    pub fn add_momentum_change(&self, model: &Model, which: usize, scale: f64, flip: bool, out: &mut Matrix) {
        let (flow, turns) = (&self.flows[which], root_axes(model));
        self.pairs(model, |near, far, [d, c], factor, on| {
            let mut put = |momentum: usize, joint: usize, [row, column]: [usize; 2], direct: f64| {
                let centre = self.lightness * self.forces[momentum].force.dot(flow.change[joint].force);
                let at = if flip { (column, row) } else { (row, column) };
                out[at] += scale * factor * (direct - centre);
            };
            if near >= turns {
                put(far, near, [c, d], if on { -flow.turning[near].dot(self.forces[far]) } else { 0.0 });
            }
            if near != far && far >= turns {
                put(near, far, [d, c], if on { self.axes[near].dot(flow.change[far]) } else { 0.0 });
            }
        });
    }

    /// Add `scale` times the derivative of B for both flows with respect to the joints.
    pub fn add_slope(&self, model: &Model, scale: f64, out: &mut [f64]) {
        let [v, w] = &self.flows;
        for axis in root_axes(model)..self.axes.len() {
            let (body, column, factor) = self.table[axis];
            let value = w.turning[axis].dot(v.momenta[body]) + v.turning[axis].dot(w.momenta[body]);
            out[column] -= scale * factor * value;
        }
    }

    /// Add `scale` times its second derivative.
    pub fn add_curvature(&self, model: &Model, scale: f64, out: &mut Matrix) {
        let ([v, w], turns) = (&self.flows, root_axes(model));
        self.pairs(model, |near, far, [d, c], factor, on| {
            if near < turns {
                return;
            }
            let mut value = 0.0;
            if on {
                value = -v.turning[near].dot(w.change[far]) - w.turning[near].dot(v.change[far]);
            }
            let (a, b) = (v.change[near].force, w.change[near].force);
            value -= self.lightness * (w.change[far].force.dot(a) + v.change[far].force.dot(b));
            out[(d, c)] += scale * factor * value;
            if near != far {
                out[(c, d)] += scale * factor * value;
            }
        });
    }

    /// Add `scale` times the derivative of the potential energy. Only for a fixed root: gravity acts on the centre of mass of a free robot.
    pub fn add_gravity(&self, model: &Model, scale: f64, out: &mut [f64]) {
        let g = Motion::new(Vec3::ZERO, self.kinematics.world.transpose() * model.gravity);
        for (axis, force) in self.forces.iter().enumerate() {
            let (_, column, factor) = self.table[axis];
            out[column] -= scale * factor * g.dot(*force);
        }
    }

    /// Add `scale` times its second derivative.
    pub fn add_gravity_change(&self, model: &Model, scale: f64, out: &mut Matrix) {
        let g = self.kinematics.world.transpose() * model.gravity;
        self.pairs(model, |near, far, [d, c], factor, _| {
            // S x (0, g) is a motion without rotation
            let value = scale * factor * self.axes[near].angular.cross(g).dot(self.forces[far].force);
            out[(d, c)] += value;
            if near != far {
                out[(c, d)] += value;
            }
        });
    }

    /// Potential energy, for a fixed root [J].
    pub fn potential(&self, model: &Model) -> f64 {
        let g = self.kinematics.world.transpose() * model.gravity;
        -g.dot(self.kinematics.composites[0].first)
    }

    /// Centre of mass in the root's frame.
    pub fn centre(&self) -> Vec3 {
        self.kinematics.composites[0].centre()
    }

    /// Add the joint forces of a wrench on a body, given in the root's frame, for the unknowns of a step; `root` turns from there to the
    /// world.
    pub fn add_wrench(&self, model: &Model, on: usize, wrench: Force, root: Mat3, out: &mut [f64]) {
        let mut above = on;
        for axis in (0..self.axes.len()).rev() {
            let (body, column, factor) = self.table[axis];
            while above > body {
                above = model.bodies[above].parent;
            }
            let direct = if above == body { self.axes[axis].dot(wrench) } else { 0.0 };
            out[column] += factor * (direct - self.lightness * self.forces[axis].force.dot(wrench.force));
        }
        if model.floating() {
            let force = root * wrench.force;
            (0..3).for_each(|k| out[k] += force[k]);
        }
    }

    /// Velocity of a point in the root's frame, and angular velocity, for each unknown of a step: six rows in world axes. `spin` maps the
    /// rotation of the root.
    pub fn jacobian(&self, model: &Model, on: usize, place: Vec3, [root, spin]: [Mat3; 2], out: &mut Matrix) {
        out.clear();
        let (mut above, turns) = (on, root_axes(model));
        for axis in (0..self.axes.len()).rev() {
            let (body, column, factor) = self.table[axis];
            while above > body {
                above = model.bodies[above].parent;
            }
            let centre = |force: Vec3| force * self.lightness;
            let (mut linear, mut angular) = (-centre(self.forces[axis].force), Vec3::ZERO);
            if axis < turns {
                // the root turns by the image of the unknown
                let turn = spin * Vec3::AXES[axis];
                linear = turn.cross(place - self.centre());
                angular = turn;
            } else if above == body {
                linear += self.axes[axis].at(place);
                angular = self.axes[axis].angular;
            }
            let (linear, angular) = (root * linear, root * angular);
            for k in 0..3 {
                out[(k, column)] += factor * linear[k];
                out[(3 + k, column)] += factor * angular[k];
            }
        }
        if turns > 0 {
            (0..3).for_each(|k| out[(k, k)] = 1.0);
        }
    }
}
