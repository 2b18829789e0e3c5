//! Derivatives of inverse dynamics with respect to configuration and velocity, by recursion.
//!
//! In one frame for all bodies, a coordinate k moves all that hangs on it by S_k. With u_k = S_k x V and
//! w_k = S_k x A - u_k x V for the velocity V and the acceleration A (gravity included) of the body that joint k is on,
//!
//!   dV_i/dq_k = S_k x V_i - u_k,      dA_i/dq_k = S_k x A_i - w_k - u_k x V_i      for all i that hang on k.
//!
//! With the composite inertia I, the composite force F and the composite of
//! B u = I (u x V) + u x* (I V) + V x* (I u), this makes for tau_j = S_j F_j
//!
//!   d tau_j / dq_k = - S_j (I_j w_k + B_j u_k)                              for j on k or equal to it,
//!   d tau_j / dq_k = S_j (S_k x* F_k - I_k w_k - B_k u_k)                   for k on j,
//!   d tau_j / dv_k = S_j (B_m S_k + I_m z_k),   z_k = -2 u_k,               m the farther of both,
//!
//! and z_k = V_0 x S_k for a floating root. The same as Carpentier and Mansard, "Analytical derivatives of rigid body
//! dynamics algorithms" (2018), written about one origin.

use super::algebra::Matrix;
use super::dynamics::{Dynamics, mass_matrix};
use super::kinematics::root_axis;
use super::model::Model;
use super::spatial::{Force, Inertia, Motion};

/// Working memory of derivatives, made once.
#[derive(Clone, Debug, Default)]
pub struct Derivatives {
    blocks: Vec<[[f64; 6]; 6]>,
    axes: Vec<Axis>,
    tau: Vec<f64>,
    mass: Matrix,
}

/// One velocity: a joint, or one of six of a floating root.
#[derive(Clone, Copy, Debug, Default)]
struct Axis {
    body: usize,
    column: usize,
    factor: f64,
    s: Motion,
    /// S x* F - I w - B u of its own body, and B S + I z.
    position: Force,
    speed: Force,
    u: Motion,
    w: Motion,
    z: Motion,
}

impl Derivatives {
    /// Memory for a robot.
    pub fn new(model: &Model) -> Derivatives {
        let n = model.velocities();
        let count = model.bodies.len() - 1 + model.first_joint();
        Derivatives {
            blocks: vec![[[0.0; 6]; 6]; model.bodies.len()],
            axes: vec![Axis::default(); count],
            tau: vec![0.0; n],
            mass: Matrix::zeros(n, n),
        }
    }

    /// Derivatives of [`Dynamics::inverse`] with respect to the configuration, in the direction of each velocity, and to the velocities.
    pub fn inverse(
        &mut self,
        model: &Model,
        dynamics: &mut Dynamics,
        [q, v, a]: [&[f64]; 3],
        [by_q, by_v]: [&mut Matrix; 2],
    ) {
        dynamics.kinematics.place(model, q);
        mass_matrix(model, &mut dynamics.kinematics, &mut self.mass);
        dynamics.newton_euler(model, v, Some(a), &mut self.tau);
        self.prepare(model, dynamics);
        by_q.clear();
        by_v.clear();
        let kin = &dynamics.kinematics;
        for n in 0..self.axes.len() {
            let k = self.axes[n];
            for m in 0..=n {
                // k is the farther one, j above it or the same
                let j = self.axes[m];
                if !above(model, j.body, k.body) {
                    continue;
                }
                let factor = k.factor * j.factor;
                by_q[(j.column, k.column)] += factor * j.s.dot(k.position);
                by_v[(j.column, k.column)] += factor * j.s.dot(k.speed);
                let (inertia, block) = (&kin.composites[k.body], &self.blocks[k.body]);
                if m != n {
                    let by = inertia.times(j.w) + times(block, j.u);
                    by_q[(k.column, j.column)] -= factor * k.s.dot(by);
                    let by = times(block, j.s) + inertia.times(j.z);
                    by_v[(k.column, j.column)] += factor * k.s.dot(by);
                }
            }
        }
    }

    fn prepare(&mut self, model: &Model, dynamics: &Dynamics) {
        let kin = &dynamics.kinematics;
        for i in 0..model.bodies.len() {
            self.blocks[i] = bias_block(&kin.own[i], kin.motions[i]);
        }
        for i in (1..model.bodies.len()).rev() {
            let own = self.blocks[i];
            let up = &mut self.blocks[model.bodies[i].parent];
            up.iter_mut().flatten().zip(own.iter().flatten()).for_each(|(a, b)| *a += b);
        }
        let first = model.first_joint();
        let gravity = Motion::new(crate::math::Vec3::ZERO, -(kin.world.transpose() * model.gravity));
        for n in 0..self.axes.len() {
            let mut axis = if n < first {
                let s = root_axis(n);
                // the root is on something that is at rest in a field of gravity
                let w = gravity.carried(s);
                let z = s.carried(kin.motions[0]);
                Axis { column: n, factor: 1.0, s, w, z, ..Axis::default() }
            } else {
                let i = n - first + 1;
                let body = &model.bodies[i];
                let (s, on) = (kin.axes[i], kin.motions[body.parent]);
                let u = on.carried(s);
                let w = dynamics.accelerations[body.parent].carried(s) - on.carried(u);
                let column = first + body.coordinate;
                Axis { body: i, column, factor: body.multiplier, s, u, w, z: u * -2.0, ..Axis::default() }
            };
            let (inertia, block) = (&kin.composites[axis.body], &self.blocks[axis.body]);
            let force = dynamics.forces[axis.body];
            let gone = inertia.times(axis.w) + times(block, axis.u);
            // the axes of the root turn with it, which takes the first term away
            let turned = if n < first { Force::default() } else { force.carried(axis.s) };
            axis.position = turned - gone;
            axis.speed = times(block, axis.s) + inertia.times(axis.z);
            self.axes[n] = axis;
        }
    }
}

/// Whether body `a` is `b` or on the way from the root to it.
fn above(model: &Model, a: usize, mut b: usize) -> bool {
    while b > a {
        b = model.bodies[b].parent;
    }
    a == b
}

/// The matrix of B: rows moment and force, columns angular and linear.
fn bias_block(inertia: &Inertia, v: Motion) -> [[f64; 6]; 6] {
    let mut out = [[0.0; 6]; 6];
    let momentum = inertia.times(v);
    for k in 0..6 {
        let e = if k < 3 { root_axis(k + 3) } else { root_axis(k - 3) };
        let f = inertia.times(v.carried(e)) + momentum.carried(e) + inertia.times(e).carried(v);
        for l in 0..3 {
            out[l][k] = f.moment[l];
            out[l + 3][k] = f.force[l];
        }
    }
    out
}

fn times(block: &[[f64; 6]; 6], v: Motion) -> Force {
    let row = |r: &[f64; 6]| {
        let (w, u) = (v.angular, v.linear);
        r[0] * w.x + r[1] * w.y + r[2] * w.z + r[3] * u.x + r[4] * u.y + r[5] * u.z
    };
    Force::new(
        crate::math::Vec3::new(row(&block[0]), row(&block[1]), row(&block[2])),
        crate::math::Vec3::new(row(&block[3]), row(&block[4]), row(&block[5])),
    )
}
