//! Mass matrix, inverse and forward dynamics, energies.
//!
//! Featherstone, "Rigid Body Dynamics Algorithms" (2008): composite bodies (table 6.2) and the recursion of Newton and
//! Euler (table 5.1), both in the frame of the root.

use super::algebra::{Matrix, factor_tree, solve_tree};
use super::kinematics::{Kinematics, root_axis, root_motion};
use super::model::Model;
use super::spatial::{Force, Motion};
use crate::math::Vec3;

/// Working memory of dynamics, made once.
#[derive(Clone, Debug, Default)]
pub struct Dynamics {
    /// Poses, axes and inertias.
    pub kinematics: Kinematics,
    pub(super) accelerations: Vec<Motion>,
    pub(super) forces: Vec<Force>,
    mass: Matrix,
    /// Bias forces of the last forward dynamics.
    bias: Vec<f64>,
    zero: Vec<f64>,
}

/// A force and a couple on a link, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkLoad {
    /// The link.
    pub link: usize,
    /// Point of application in the link's frame [m].
    pub point: Vec3,
    /// Force [N].
    pub force: Vec3,
    /// Couple [N m].
    pub couple: Vec3,
}

impl Dynamics {
    /// Memory for a robot.
    pub fn new(model: &Model) -> Dynamics {
        let (n, bodies) = (model.velocities(), model.bodies.len());
        Dynamics {
            kinematics: Kinematics::new(model),
            accelerations: vec![Motion::default(); bodies],
            forces: vec![Force::default(); bodies],
            mass: Matrix::zeros(n, n),
            bias: vec![0.0; n],
            zero: vec![0.0; n],
        }
    }

    /// The mass matrix at a configuration.
    pub fn mass_matrix(&mut self, model: &Model, q: &[f64], out: &mut Matrix) {
        self.kinematics.place(model, q);
        mass_matrix(model, &mut self.kinematics, out);
    }

    /// Mass matrix and bias forces (Coriolis, centrifugal and gravity) in one go.
    pub fn mass_and_bias(&mut self, model: &Model, q: &[f64], v: &[f64], mass: &mut Matrix, bias: &mut [f64]) {
        self.kinematics.place(model, q);
        mass_matrix(model, &mut self.kinematics, mass);
        self.newton_euler(model, v, None, bias);
    }

    /// Forces that it takes to accelerate by `a`: M a + bias, without friction and damping.
    pub fn inverse(&mut self, model: &Model, q: &[f64], v: &[f64], a: &[f64], out: &mut [f64]) {
        self.kinematics.place(model, q);
        self.kinematics.weigh(model);
        self.newton_euler(model, v, Some(a), out);
    }

    /// Bias forces: what [`Dynamics::inverse`] gives for no acceleration.
    pub fn bias(&mut self, model: &Model, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.kinematics.place(model, q);
        self.kinematics.weigh(model);
        self.newton_euler(model, v, None, out);
    }

    /// The recursion of Newton and Euler at the configuration that the kinematics are at, with inertias.
    pub(super) fn newton_euler(&mut self, model: &Model, v: &[f64], a: Option<&[f64]>, out: &mut [f64]) {
        let (kin, first) = (&mut self.kinematics, model.first_joint());
        // gravity as if the root were accelerated upwards
        let gravity = kin.world.transpose() * model.gravity;
        kin.motions[0] = root_motion(model, v);
        self.accelerations[0] = a.map_or(Motion::default(), |a| root_motion(model, a));
        self.accelerations[0].linear -= gravity;
        for (i, body) in model.bodies.iter().enumerate() {
            if i > 0 {
                let (axis, c) = (kin.axes[i], first + body.coordinate);
                let own = axis * (body.multiplier * v[c]);
                let motion = kin.motions[body.parent] + own;
                kin.motions[i] = motion;
                let mut acceleration = self.accelerations[body.parent] + own.carried(motion);
                if let Some(a) = a {
                    acceleration = acceleration + axis * (body.multiplier * a[c]);
                }
                self.accelerations[i] = acceleration;
            }
            let (own, motion) = (&kin.own[i], kin.motions[i]);
            self.forces[i] = own.times(self.accelerations[i]) + own.times(motion).carried(motion);
        }
        out.fill(0.0);
        for (i, body) in model.bodies.iter().enumerate().skip(1).rev() {
            let force = self.forces[i];
            out[first + body.coordinate] += body.multiplier * kin.axes[i].dot(force);
            self.forces[body.parent] += force;
        }
        if model.floating() {
            let f = self.forces[0];
            out[..3].copy_from_slice(&f.force.to_array());
            out[3..6].copy_from_slice(&f.moment.to_array());
        }
    }

    /// Accelerations under joint forces `tau` (for a floating root also a wrench in its frame) and loads on links. False
    /// where the mass matrix is not positive.
    pub fn forward(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        loads: &[LinkLoad],
        out: &mut [f64],
    ) -> bool {
        self.kinematics.place(model, q);
        let mut mass = std::mem::take(&mut self.mass);
        mass_matrix(model, &mut self.kinematics, &mut mass);
        let mut bias = std::mem::take(&mut self.bias);
        self.newton_euler(model, v, None, &mut bias);
        out.copy_from_slice(tau);
        for load in loads {
            add_load(model, &self.kinematics, load, out);
        }
        out.iter_mut().zip(&bias).for_each(|(x, b)| *x -= b);
        let sound = factor_tree(&mut mass, &model.above);
        if sound {
            solve_tree(&mass, &model.above, out);
        }
        (self.mass, self.bias) = (mass, bias);
        sound
    }

    /// Torques that hold the robot against gravity.
    pub fn gravity(&mut self, model: &Model, q: &[f64], out: &mut [f64]) {
        self.kinematics.place(model, q);
        self.kinematics.weigh(model);
        let zero = std::mem::take(&mut self.zero);
        self.newton_euler(model, &zero, None, out);
        self.zero = zero;
    }

    /// Kinetic and potential energy of what moves [J]; the latter is zero where all mass is at the height of the world's origin.
    pub fn energies(&mut self, model: &Model, q: &[f64], v: &[f64]) -> [f64; 2] {
        let (kinetic, moment) = self.kinetic(model, q, v);
        [kinetic, -model.gravity.dot(moment)]
    }

    /// Kinetic energy [J], and the mass times the place of its centre in the world [kg m].
    pub fn kinetic(&mut self, model: &Model, q: &[f64], v: &[f64]) -> (f64, Vec3) {
        self.kinematics.place(model, q);
        self.kinematics.velocities(model, v);
        self.kinematics.weigh(model);
        let (mut kinetic, mut first, mut mass) = (0.0, Vec3::ZERO, 0.0);
        // a fixed root does not move
        let skip = usize::from(!model.floating());
        for (inertia, motion) in self.kinematics.own.iter().zip(&self.kinematics.motions).skip(skip) {
            let motion = *motion;
            kinetic += 0.5 * motion.dot(inertia.times(motion));
            first += inertia.first;
            mass += inertia.mass;
        }
        let pose = self.kinematics.world_from_root;
        (kinetic, pose.rotation * first + pose.translation * mass)
    }

    /// Momentum in the world: linear [kg m/s], and angular about the world's origin [kg m2/s].
    pub fn momentum(&mut self, model: &Model, q: &[f64], v: &[f64]) -> (Vec3, Vec3) {
        self.kinematics.place(model, q);
        self.kinematics.velocities(model, v);
        self.kinematics.weigh(model);
        let mut sum = Force::default();
        for (inertia, motion) in self.kinematics.own.iter().zip(&self.kinematics.motions) {
            sum += inertia.times(*motion);
        }
        let pose = self.kinematics.world_from_root;
        let linear = pose.rotation * sum.force;
        (linear, pose.rotation * sum.moment + pose.translation.cross(linear))
    }
}

/// The mass matrix at the configuration that the kinematics are at, which then have the composite inertias too.
pub(super) fn mass_matrix(model: &Model, kin: &mut Kinematics, out: &mut Matrix) {
    kin.weigh(model);
    kin.compose(model);
    out.clear();
    let first = model.first_joint();
    for (i, body) in model.bodies.iter().enumerate().skip(1) {
        let force = kin.composites[i].times(kin.axes[i]);
        let (c, factor) = (first + body.coordinate, body.multiplier);
        out[(c, c)] += factor * factor * kin.axes[i].dot(force);
        let mut above = body.parent;
        while above > 0 {
            let b = &model.bodies[above];
            let value = factor * b.multiplier * kin.axes[above].dot(force);
            let d = first + b.coordinate;
            out[(c, d)] += value;
            out[(d, c)] += value;
            above = b.parent;
        }
        if model.floating() {
            for k in 0..6 {
                let value = factor * root_axis(k).dot(force);
                out[(c, k)] += value;
                out[(k, c)] += value;
            }
        }
    }
    if model.floating() {
        for k in 0..6 {
            let force = kin.composites[0].times(root_axis(k));
            for l in 0..6 {
                out[(l, k)] = root_axis(l).dot(force);
            }
        }
    }
}

/// Add the joint forces of a load on a link.
pub(super) fn add_load(model: &Model, kin: &Kinematics, load: &LinkLoad, out: &mut [f64]) {
    let (mut body, place) = kin.on_body(model, load.link, load.point);
    let back = kin.world.transpose();
    let wrench = Force::at(place, back * load.force, back * load.couple);
    let first = model.first_joint();
    while body > 0 {
        let b = &model.bodies[body];
        out[first + b.coordinate] += b.multiplier * kin.axes[body].dot(wrench);
        body = b.parent;
    }
    if model.floating() {
        for k in 0..6 {
            out[k] += root_axis(k).dot(wrench);
        }
    }
}
