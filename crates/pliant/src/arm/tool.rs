//! Cartesian impedance: the joints of an arm together hold a tool as springs and dampers would that lead to a pose.
//!
//! In the axes of the tool, K e + D (V_d - V) is the wrench on it, with e the displacement and the rotation vector that lead
//! to its target, and V their rates; joints give J^T times that. As servos of joints, it is part of the equations of a step,
//! at the instant theta between its middle and its end, with (2 theta - 1) h K more damping: see `step`. What joints can do
//! without moving the tool along axes that are held is damped: -c (1 - J^+ J) v, with the pseudoinverse J^+ of Moore and Penrose.

use super::admittance::{Admittance, Yielding};
use super::step::instant;
use crate::bytes::stored;
use crate::cable::equations::part::Part;
use crate::math::{Pose, Quat, Vec3, pose_between, rotation_vector};
use crate::robot::{Matrix, Midpoint, Model, eliminate};

/// How joints hold a tool, in the axes of the tool: along x, y and z, then about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impedance {
    /// Force per displacement [N/m], torque per angle [N m/rad].
    pub stiffness: [f64; 6],
    /// Force per velocity [N s/m], torque per angular velocity [N m s/rad].
    pub damping: [f64; 6],
    /// Damping of motions of the joints that do not move the tool along, or about, an axis that has stiffness or damping [N m s/rad].
    pub idle_damping: f64,
}

impl Impedance {
    /// Whether its numbers make sense.
    pub(crate) fn is_sound(&self) -> bool {
        let all = self.stiffness.iter().chain(&self.damping).chain([&self.idle_damping]);
        all.into_iter().all(|k| k.is_finite() && *k >= 0.0)
    }
}

/// How an arm holds a tool now, see [`World::tool`](crate::World::tool).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldTool {
    /// Springs and dampers.
    pub impedance: Impedance,
    /// Where it is to be, as it was told last or as it followed a motion.
    pub target: Pose,
    /// Whether it follows the motion of its gripper.
    pub follows: bool,
    /// How it gives way to a sensor, if it does.
    pub admittance: Option<Admittance>,
}

/// A tool that an arm holds so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tool {
    /// The link that carries it.
    pub link: usize,
    /// Its pose in the link's frame.
    pub at: Pose,
    pub impedance: Impedance,
    /// Where it is to be; the motion of its gripper says if `None`.
    pub given: Option<Pose>,
    /// Its target at the end of the last step.
    pub target: Pose,
    /// How it gives way, if it does.
    pub yields: Option<Yielding>,
}

stored!(Impedance { stiffness, damping, idle_damping });
stored!(Tool { link, at, impedance, given, target, yields });

/// Working memory of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolStep {
    /// Target at the end of the step, by tool.
    pub ends: Vec<Pose>,
    /// Instants at which tools are held, from 1/2 to 1.
    instants: Vec<f64>,
    /// Velocity of a tool per unknown, along and about its axes halfway.
    jacobian: Matrix,
    /// Forces of all tools on the unknowns.
    pub force: Vec<f64>,
    /// Their derivative per mean velocity, with the sign of the residual.
    pub slope: Matrix,
    /// Working memory: equations for a row of the projection, and that.
    square: Matrix,
    right: Vec<f64>,
    idle: Vec<f64>,
}

/// What a step gives: its equations without drives, the part of it, and the mean velocities.
pub(super) struct Within<'a> {
    pub model: &'a Model,
    pub midpoint: &'a Midpoint,
    pub part: &'a Part,
    pub mean: &'a [f64],
    /// Whether it begins, with a tangent to find instants from.
    pub begins: bool,
}

impl ToolStep {
    pub fn new(model: &Model) -> ToolStep {
        let n = model.velocities();
        ToolStep {
            jacobian: Matrix::zeros(6, n),
            force: vec![0.0; n],
            slope: Matrix::zeros(n, n),
            square: Matrix::zeros(6, 6),
            right: vec![0.0; 6],
            idle: vec![0.0; n],
            ..ToolStep::default()
        }
    }

    /// Make room for a number of tools.
    pub fn reserve(&mut self, tools: usize) {
        self.ends.reserve(tools);
        self.instants.reserve(tools);
    }

    /// Forces of all tools at the current mean velocities, with their slope.
    pub fn fill(&mut self, tools: &[Tool], within: &Within<'_>) {
        self.force.fill(0.0);
        self.slope.clear();
        self.instants.resize(tools.len(), 0.5);
        for (n, tool) in tools.iter().enumerate() {
            self.hold(n, tool, within);
        }
    }

    /// Add one tool.
    fn hold(&mut self, n: usize, tool: &Tool, within: &Within<'_>) {
        let Within { model, midpoint, part, mean, begins } = *within;
        let (h, first, count) = (part.step(), model.first_joint(), model.velocities());
        let Impedance { stiffness, damping, idle_damping } = tool.impedance;
        let [middle, end] = [false, true].map(|end| midpoint.link(model, tool.link, end) * tool.at);
        let back = middle.rotation.inverse();
        self.see(tool, &back, within);
        if begins {
            // the diagonal of the tangent is twice the inertia over the step
            let pull = |i: usize, k: usize| self.jacobian[(k, i)].powi(2) * (stiffness[k] * h + damping[k]);
            let pace = |i: usize| (0..6).map(|k| pull(i, k)).sum::<f64>() * 2.0 / midpoint.tangent()[(i, i)];
            self.instants[n] = instant((first..count).map(pace).fold(0.0, f64::max));
        }
        let theta = self.instants[n];
        let pose = pose_between(&middle, &end, 2.0 * theta - 1.0);
        let (from, to) = (tool.target, self.ends.get(n).copied().unwrap_or(tool.target));
        let target = pose_between(&from, &to, part.from + theta * (part.to - part.from));
        // displacement, rotation and their rates, in the world
        let apart = [target.translation - pose.translation, rotation_vector(target.rotation * pose.rotation.inverse())];
        let turned = rotation_vector(to.rotation * from.rotation.inverse());
        let rates = [to.translation - from.translation, turned].map(|way| way / part.dt);
        let (apart, rates) = (apart.map(|v| back * v), rates.map(|v| back * v));
        let start = midpoint.start_velocities();
        let velocity = |j: usize| start[j] + 2.0 * theta * (mean[j] - start[j]);
        for k in 0..6 {
            let moves: f64 = (0..count).map(|j| self.jacobian[(k, j)] * velocity(j)).sum();
            let damping = damping[k] + (2.0 * theta - 1.0) * h * stiffness[k];
            let force = stiffness[k] * apart[k / 3][k % 3] + damping * (rates[k / 3][k % 3] - moves);
            let slope = theta * (h * stiffness[k] + 2.0 * damping);
            for i in first..count {
                let lever = self.jacobian[(k, i)];
                self.force[i] += lever * force;
                for j in 0..count {
                    self.slope[(i, j)] += lever * slope * self.jacobian[(k, j)];
                }
            }
        }
        if idle_damping > 0.0 {
            // axes along which nothing holds the tool are idle, too
            for k in (0..6).filter(|&k| stiffness[k] == 0.0 && damping[k] == 0.0) {
                self.jacobian.row_mut(k).fill(0.0);
            }
            for i in first..count {
                self.project(i, first);
                for j in first..count {
                    self.force[i] -= idle_damping * self.idle[j] * velocity(j);
                    self.slope[(i, j)] += 2.0 * theta * idle_damping * self.idle[j];
                }
            }
        }
    }

    /// The Jacobian of a tool, in its axes.
    fn see(&mut self, tool: &Tool, back: &Quat, within: &Within<'_>) {
        let jacobian = &mut self.jacobian;
        within.midpoint.middle_jacobian(within.model, tool.link, tool.at.translation, jacobian);
        for j in 0..jacobian.columns() {
            for row in [0, 3] {
                let turned = *back * Vec3::new(jacobian[(row, j)], jacobian[(row + 1, j)], jacobian[(row + 2, j)]);
                (0..3).for_each(|k| jacobian[(row + k, j)] = turned[k]);
            }
        }
    }

    /// Write row `i` of 1 - J^+ J, of the joints alone, to `idle`; J^+ = J^T (J J^T + s)^-1 with a small s, as J may have lost
    /// rank.
    fn project(&mut self, i: usize, first: usize) {
        let ToolStep { jacobian, square, right, idle, .. } = self;
        let count = jacobian.columns();
        let mut trace = 0.0;
        for r in 0..6 {
            for c in 0..6 {
                square[(r, c)] = (first..count).map(|j| jacobian[(r, j)] * jacobian[(c, j)]).sum();
            }
            trace += square[(r, r)];
            right[r] = jacobian[(r, i)];
        }
        (0..6).for_each(|r| square[(r, r)] += SMALL * trace);
        idle.fill(0.0);
        if !eliminate(square, right) {
            return;
        }
        for j in first..count {
            idle[j] = -(0..6).map(|r| jacobian[(r, j)] * right[r]).sum::<f64>();
        }
        idle[i] += 1.0;
    }
}

/// Part of the trace of J J^T that is added to its diagonal.
const SMALL: f64 = 1e-9;
