//! The passive midpoint rule in joint coordinates: a step of a robot as equations for its mean velocity.
//!
//! Lee, Lee, Yoon and Lee, "A parallelized iterative algorithm for real-time simulation of long flexible cable
//! manipulation" (2021), IV-D3, take a manipulator by "passivity-based Lagrangian dynamics integration" in
//! generalised coordinates. Here its unknowns are the mean velocities y of a step h,
//!
//!   q_1 = q_0 + h y,      v_1 = 2 y - v_0,
//!
//! and with p = M(q) v the equations are those of Lagrange, with differences instead of derivatives:
//!
//!   (p_1 - p_0) / h - D + G + d y = tau,
//!   D = 1/2 sum_s w_s d/dq (v_0 M(q_s) v_1),      G = sum_s w_s dU/dq (q_s),      q_s = q_0 + s h y.
//!
//! Why it is passive: multiply by h y. The integral of a gradient along the straight way from q_0 to q_1 is the difference of
//! its function, so that
//!
//!   h y D = v_0 (M_1 - M_0) v_1 / 2,      h y G = U_1 - U_0,      and      y (p_1 - p_0) = T_1 - T_0 + v_0 (M_1 - M_0) v_1 / 2
//!
//! by y = (v_0 + v_1) / 2 alone. The sum is T_1 + U_1 = T_0 + U_0 + h y tau - h d y^2: energy changes by the work of torques
//! over the mean velocity and by what dampers take, whatever the step. The sums are Gauss's quadrature with nodes s and
//! weights w; the remainder of that (5e-14 of the energy where joints turn by up to 0.02 rad in a step, 2e-10 for 0.1 rad) and of
//! Newton's method is taken from the kinetic energy at the end ([`Midpoint::take_energy`]). Second order, as it is symmetric in time.
//!
//! A free root adds the velocity w of the centre of mass (in the world) and the angular velocity of the root (in its own frame).
//! In these the kinetic energy is m w^2 / 2 plus one that depends on neither place nor rotation of the root, so that
//!
//!   m (w_1 - w_0) / h = m g + f,      (p_1 - p_0) / h + y x (p_0 + p_1) / 2 = tau      for the three rotations,
//!
//! and the centre of mass moves by h times the mean of w. The root turns by Cayley's map of h y, which is what the second
//! equation turns p by: linear and angular momentum in the world are kept to rounding, and y (y x p) = 0 keeps the energy.
//!
//! Coupling with something that a link holds: its force enters through [`Midpoint::add_load`] (the power of a wrench at the middle of the
//! step), its tangent through [`Midpoint::middle_jacobian`] and [`Midpoint::end_jacobian`].

mod node;
mod touched;

use node::{Node, root_axes};

use super::algebra::{Matrix, eliminate};
use super::dynamics::LinkLoad;
use super::model::Model;
use super::spatial::Force;
use super::state::{State, root_pose, set_root};
use crate::math::{Mat3, Pose, Quat, Vec3};

/// Gauss's nodes on 0 to 1, and weights; the second is the middle of the step.
const NODES: [(f64, f64); 3] = [(0.1127016653792583, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.8872983346207417, 5.0 / 18.0)];

/// Index of the middle among them.
const MIDDLE: usize = 1;

/// A step of a robot as equations. Working memory, made once.
#[derive(Clone, Debug, Default)]
pub struct Midpoint {
    step: f64,
    start: State,
    /// Velocities at start and end as unknowns: of a free root the centre of mass in the world, its own rotation; the joints.
    velocities: [Vec<f64>; 2],
    momenta: [Vec<f64>; 2],
    nodes: Vec<Node>,
    end: Node,
    q: Vec<f64>,
    residual: Vec<f64>,
    tangent: Matrix,
    end_mass: Matrix,
    end_change: Matrix,
    solve: Matrix,
    list: Vec<f64>,
    /// Rotation of the root at the middle and at the end.
    turned: [Quat; 2],
    /// Position of the centre of mass at the start, and of the root at the middle and at the end, for a free root.
    centre: Vec3,
    places: [Vec3; 2],
    potential: f64,
}

/// Part of its energy below which the motion of joints in a free body counts for none, and up to which that is left as Newton's method
/// has found it.
const RIGID: f64 = 1e-8;

impl Midpoint {
    /// Memory for a robot.
    pub fn new(model: &Model) -> Midpoint {
        let n = model.velocities();
        Midpoint {
            step: 0.0,
            start: State::new(model),
            velocities: [vec![0.0; n], vec![0.0; n]],
            momenta: [vec![0.0; n], vec![0.0; n]],
            nodes: vec![Node::new(model); NODES.len()],
            end: Node::new(model),
            q: vec![0.0; model.positions()],
            residual: vec![0.0; n],
            tangent: Matrix::zeros(n, n),
            end_mass: Matrix::zeros(n, n),
            end_change: Matrix::zeros(n, n),
            solve: Matrix::zeros(n, n),
            list: vec![0.0; n],
            turned: [Quat::IDENTITY; 2],
            centre: Vec3::ZERO,
            places: [Vec3::ZERO; 2],
            potential: 0.0,
        }
    }

    /// Begin a step of size `h` from a state. The guess of the unknowns is written to `y`: the velocity that it has.
    pub fn begin(&mut self, model: &Model, state: &State, h: f64, y: &mut [f64]) {
        self.step = h;
        self.start.copy_from(state);
        let first = model.first_joint();
        self.velocities[0][first..].copy_from_slice(&state.v[first..]);
        self.end.place(model, &state.q);
        self.potential = self.end.potential(model);
        if model.floating() {
            self.velocities[0][3..6].copy_from_slice(&state.v[3..6]);
            self.end.flow(model, 0, &self.velocities[0]);
            let pose = root_pose(model, &state.q);
            self.centre = pose.translation + pose.rotation * self.end.centre();
            let world = pose.rotation * (Vec3::from_slice(&state.v[..3]) - self.end.flows[0].drift);
            self.velocities[0][..3].copy_from_slice(&world.to_array());
        } else {
            self.end.flow(model, 0, &self.velocities[0]);
        }
        self.end.momentum(0, &mut self.momenta[0]);
        y.copy_from_slice(&self.velocities[0]);
    }

    /// Configuration at a fraction of the step: joints, and the rotation of a free root at its middle or end.
    fn go(&mut self, model: &Model, y: &[f64], fraction: f64) {
        let (first, joint) = (model.first_position(), model.first_joint());
        for i in 0..model.coordinates().len() {
            self.q[first + i] = self.start.q[first + i] + fraction * self.step * y[joint + i];
        }
        if model.floating() {
            // the way in between does not matter: nothing depends on the rotation of the root
            self.q[..7].copy_from_slice(&self.start.q[..7]);
        }
    }

    /// Residual and tangent of the equations for a mean velocity `y`, without torques and loads.
    pub fn assemble(&mut self, model: &Model, y: &[f64]) {
        self.fill(model, y, true);
    }

    /// Residual alone, for less than half the work.
    pub fn evaluate(&mut self, model: &Model, y: &[f64]) {
        self.fill(model, y, false);
    }

    fn fill(&mut self, model: &Model, y: &[f64], tangent: bool) {
        let (h, n) = (self.step, model.velocities());
        for i in 0..n {
            self.velocities[1][i] = 2.0 * y[i] - self.velocities[0][i];
        }
        self.residual.fill(0.0);
        self.tangent.clear();
        for (k, (s, w)) in NODES.into_iter().enumerate() {
            self.go(model, y, s);
            let node = &mut self.nodes[k];
            node.place(model, &self.q);
            node.flow(model, 0, &self.velocities[0]);
            node.flow(model, 1, &self.velocities[1]);
            node.add_slope(model, -0.5 * w, &mut self.residual);
            if !model.floating() {
                node.add_gravity(model, w, &mut self.residual);
            }
            if tangent {
                node.add_curvature(model, -0.5 * w * s * h, &mut self.tangent);
                // the second velocity changes by twice the unknown
                node.add_momentum_change(model, 0, -w, true, &mut self.tangent);
                if !model.floating() {
                    node.add_gravity_change(model, w * s * h, &mut self.tangent);
                }
            }
        }
        self.go(model, y, 1.0);
        self.end.place(model, &self.q);
        self.end.flow(model, 1, &self.velocities[1]);
        self.end.momentum(1, &mut self.momenta[1]);
        self.end_mass.clear();
        self.end.add_mass(model, 1.0, &mut self.end_mass);
        self.end_change.clear();
        if tangent {
            self.end.add_momentum_change(model, 1, 1.0, false, &mut self.end_change);
        }
        let first = model.first_joint();
        for i in root_axes(model)..n {
            self.residual[i] += (self.momenta[1][i] - self.momenta[0][i]) / h;
            for j in 0..n {
                self.tangent[(i, j)] += 2.0 / h * self.end_mass[(i, j)] + self.end_change[(i, j)];
            }
        }
        for (i, c) in model.coordinates().iter().enumerate() {
            self.residual[first + i] += c.damping * y[first + i];
            self.tangent[(first + i, first + i)] += c.damping;
        }
        if model.floating() {
            self.assemble_root(model, y);
        }
    }

    /// The equations of a free root, and its poses.
    fn assemble_root(&mut self, model: &Model, y: &[f64]) {
        let (h, mass) = (self.step, self.end.kinematics.composites[0].mass);
        for k in 0..3 {
            self.residual[k] = mass * (2.0 * (y[k] - self.velocities[0][k]) / h - model.gravity[k]);
            self.tangent[(k, k)] = 2.0 * mass / h;
        }
        let (turn, [p0, p1]) = (Vec3::from_slice(&y[3..6]), [0, 1].map(|e| Vec3::from_slice(&self.momenta[e][3..6])));
        let mean = (p0 + p1) * 0.5;
        let gyro = turn.cross(mean);
        for k in 0..3 {
            self.residual[3 + k] += gyro[k];
            let by_turn = Vec3::AXES[k].cross(mean);
            (0..3).for_each(|r| self.tangent[(3 + r, 3 + k)] += by_turn[r]);
        }
        for j in 3..model.velocities() {
            let column = |r: usize| self.end_mass[(r, j)] + 0.5 * h * self.end_change[(r, j)];
            let by = turn.cross(Vec3::new(column(3), column(4), column(5)));
            (0..3).for_each(|r| self.tangent[(3 + r, j)] += by[r]);
        }
        let start = root_pose(model, &self.start.q).rotation;
        let half = turn * (0.5 * h);
        let whole = Quat::from_xyzw(half.x, half.y, half.z, 1.0).normalize();
        let middle = Quat::from_xyzw(whole.x, whole.y, whole.z, whole.w + 1.0).normalize();
        self.turned = [(start * middle).normalize(), (start * whole).normalize()];
        let moved = Vec3::from_slice(&y[..3]) * h;
        let centres = [self.nodes[MIDDLE].centre(), self.end.centre()];
        for (k, fraction) in [0.5, 1.0].into_iter().enumerate() {
            self.places[k] = self.centre + moved * fraction - self.turned[k] * centres[k];
        }
    }

    /// Residual of the last [`Midpoint::assemble`]: forces that are missing.
    pub fn residual(&self) -> &[f64] {
        &self.residual
    }

    /// Its derivative with respect to the mean velocity.
    pub fn tangent(&self) -> &Matrix {
        &self.tangent
    }

    /// Mass matrix at the end of the step, for the unknowns of a step; the centre of mass of a free root is not in it.
    pub fn end_mass(&self) -> &Matrix {
        &self.end_mass
    }

    /// Velocities at the start of the step, as unknowns of a step.
    pub fn start_velocities(&self) -> &[f64] {
        &self.velocities[0]
    }

    /// Velocities at the end of the step, as unknowns of a step.
    pub fn end_velocities(&self) -> &[f64] {
        &self.velocities[1]
    }

    /// Pose of the root at the middle or the end of the step.
    fn root(&self, model: &Model, end: bool) -> Pose {
        match model.base {
            super::spec::Base::Fixed(pose) => pose,
            super::spec::Base::Floating => {
                Pose::from_parts(self.places[usize::from(end)], self.turned[usize::from(end)])
            }
        }
    }

    fn node(&self, end: bool) -> &Node {
        if end { &self.end } else { &self.nodes[MIDDLE] }
    }

    /// Pose of a link at the middle (or the end) of the step. After [`Midpoint::assemble`].
    pub fn link(&self, model: &Model, link: usize, end: bool) -> Pose {
        let (kin, frame) = (&self.node(end).kinematics, &model.links[link]);
        let rotation = Quat::from_mat3(&kin.turns[frame.body]).normalize();
        self.root(model, end) * Pose::from_parts(kin.places[frame.body], rotation) * frame.body_from_link
    }

    /// Add the forces of a load on a link, at the middle of the step: its power is that of the mean velocity.
    pub fn add_load(&self, model: &Model, load: &LinkLoad, out: &mut [f64]) {
        let node = self.node(false);
        let (body, place) = node.kinematics.on_body(model, load.link, load.point);
        let root = Mat3::from_quat(self.root(model, false).rotation);
        let back = root.transpose();
        node.add_wrench(model, body, Force::at(place, back * load.force, back * load.couple), root, out);
    }

    /// Add joint forces, and for a free root a wrench in its frame: force, then moment.
    pub fn add_torques(&self, model: &Model, tau: &[f64], out: &mut [f64]) {
        let first = model.first_joint();
        out[first..].iter_mut().zip(&tau[first..]).for_each(|(x, t)| *x += t);
        if first > 0 {
            let root = Mat3::from_quat(self.root(model, false).rotation);
            let wrench = Force::new(Vec3::from_slice(&tau[3..6]), Vec3::from_slice(&tau[..3]));
            self.node(false).add_wrench(model, 0, wrench, root, out);
        }
    }

    /// Velocity of a point of a link and angular velocity at the middle of the step per mean velocity; six rows in world axes. Its
    /// transpose maps a wrench to forces, as [`Midpoint::add_load`] does.
    pub fn middle_jacobian(&self, model: &Model, link: usize, point: Vec3, out: &mut Matrix) {
        let (body, place) = self.node(false).kinematics.on_body(model, link, point);
        let root = Mat3::from_quat(self.root(model, false).rotation);
        self.node(false).jacobian(model, body, place, [root, Mat3::IDENTITY], out);
    }

    /// Change of the pose of a link at the end of the step per change of the mean velocity, over the step: displacement of a point and
    /// rotation in world axes.
    pub fn end_jacobian(&self, model: &Model, link: usize, point: Vec3, y: &[f64], out: &mut Matrix) {
        let (body, place) = self.end.kinematics.on_body(model, link, point);
        let root = Mat3::from_quat(self.root(model, true).rotation);
        let mut spin = Mat3::IDENTITY;
        if root_axes(model) > 0 {
            // Cayley's map: (1 - a/2) / (1 + |a|^2/4) in the frame that it leads to
            let a = Vec3::from_slice(&y[3..6]) * self.step;
            let scale = 1.0 / (1.0 + 0.25 * a.length_squared());
            let column = |e: Vec3| (e - a.cross(e) * 0.5) * scale;
            spin = Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z));
        }
        self.end.jacobian(model, body, place, [root, spin], out);
    }

    /// Change of energy in the step, from its start to its end as last assembled [J].
    pub fn gain(&self, model: &Model) -> f64 {
        let kinetic = |e: usize| -> f64 {
            let first = root_axes(model);
            let joints = self.velocities[e][first..].iter().zip(&self.momenta[e][first..]);
            let own: f64 = joints.map(|(v, p)| 0.5 * v * p).sum();
            let centre = self.velocities[e][..first].iter().map(|v| 0.5 * v * v).sum::<f64>();
            own + centre * self.end.kinematics.composites[0].mass
        };
        if model.floating() {
            let fall: f64 =
                (0..3).map(|k| model.gravity[k] * 0.5 * (self.velocities[0][k] + self.velocities[1][k])).sum();
            return kinetic(1) - kinetic(0) - self.end.kinematics.composites[0].mass * fall * self.step;
        }
        kinetic(1) - kinetic(0) + self.end.potential(model) - self.potential
    }

    /// Take `energy` from the motion of the joints at the end of the step, without a change of momentum: what quadrature and Newton's method
    /// have left. False where that is more than a correction: the joints turn too far in the step. `turnover` is the size of the works
    /// that it is the difference of [J].
    pub fn take_energy(&mut self, model: &Model, energy: f64, turnover: f64) -> bool {
        if energy.abs() < f64::MIN_POSITIVE {
            // also of a robot at rest, which has none to give
            return true;
        }
        let (n, first) = (model.velocities(), root_axes(model));
        // the rotation that the momentum alone would make, of a robot that is stiff
        let mut stiff = Vec3::ZERO;
        if first > 0 {
            let column = |j: usize| Vec3::new(self.end_mass[(3, j)], self.end_mass[(4, j)], self.end_mass[(5, j)]);
            let inertia = Mat3::from_cols(column(3), column(4), column(5));
            stiff = inertia.inverse() * Vec3::from_slice(&self.momenta[1][3..6]);
        }
        let own = |v: &[f64], i: usize| if (3..6).contains(&i) && first > 0 { v[i] - stiff[i - 3] } else { v[i] };
        let mut kinetic = 0.0;
        for i in first..n {
            for j in first..n {
                kinetic += 0.5 * own(&self.velocities[1], i) * self.end_mass[(i, j)] * own(&self.velocities[1], j);
            }
        }
        if energy.is_nan() || energy.abs() > 1e-3 * kinetic {
            // where the joints hardly move, as a pendulum at its turning point, rounding is left as it is
            let all =
                |e: usize| self.velocities[e].iter().zip(&self.momenta[e]).map(|(v, p)| (v * p).abs()).sum::<f64>();
            let centre = |e: usize| self.velocities[e][..first].iter().map(|v| v * v).sum::<f64>();
            let flying = self.end.kinematics.composites[0].mass * (centre(0) + centre(1));
            let size = all(0) + all(1) + flying + self.potential.abs() + self.end.potential(model).abs() + turnover;
            // a free body whose joints are at rest has no motion of its own to take it from: that of the body is its momentum
            let rigid = first > 0 && kinetic <= RIGID * (all(0) + all(1));
            return energy.abs() <= if rigid { RIGID } else { 1e-12 } * size;
        }
        let factor = (1.0 - energy / kinetic).sqrt();
        for i in first..n {
            let rest = own(&self.velocities[1], i) - self.velocities[1][i];
            self.velocities[1][i] = own(&self.velocities[1], i) * factor - rest;
        }
        true
    }

    /// Bring the velocities that `still` marks to rest, by impulses in their joints: energy can only be lost, momentum is kept.
    pub fn stop(&mut self, model: &Model, still: &[bool]) {
        let (n, first) = (model.velocities(), root_axes(model));
        if !still.iter().any(|s| *s) {
            return;
        }
        self.end_mass.times(&self.velocities[1], &mut self.list);
        self.solve.clear();
        for i in 0..n {
            if i < first || still[i] {
                self.solve[(i, i)] = 1.0;
                self.list[i] = if still[i] { 0.0 } else { self.velocities[1][i] };
                continue;
            }
            for j in first..n {
                self.solve[(i, j)] = if still[j] { 0.0 } else { self.end_mass[(i, j)] };
            }
        }
        if eliminate(&mut self.solve, &mut self.list) {
            self.velocities[1].copy_from_slice(&self.list);
        }
    }

    /// Write the state at the end of the step, as last assembled.
    pub fn finish(&mut self, model: &Model, state: &mut State) {
        let (position, first) = (model.first_position(), model.first_joint());
        state.q[position..].copy_from_slice(&self.q[position..]);
        state.v[first..].copy_from_slice(&self.velocities[1][first..]);
        if model.floating() {
            self.end.flow(model, 1, &self.velocities[1]);
            set_root(&mut state.q, &self.root(model, true));
            let world = Vec3::from_slice(&self.velocities[1][..3]);
            let linear = self.turned[1].inverse() * world + self.end.flows[1].drift;
            state.v[..3].copy_from_slice(&linear.to_array());
            state.v[3..6].copy_from_slice(&self.velocities[1][3..6]);
        }
    }
}
