//! Inverse kinematics: joint coordinates that bring a frame of a link to a pose.
//!
//! Damped least squares (Levenberg and Marquardt) for the six errors of the pose, within the limits of the joints: joints
//! that a step would take beyond a limit stop there, and the others are asked again. What redundancy is left pulls
//! towards the middle of the joints' ranges, or towards where they began. Several starts, the first where the joints are and the
//! others spread evenly over their ranges; always the same ones.

use super::algebra::{Matrix, eliminate};
use super::kinematics::Kinematics;
use super::model::Model;
use crate::math::{Pose, Vec3, atan2};

/// Iterations of one start.
const ITERATIONS: usize = 200;

/// What to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The link.
    pub link: usize,
    /// Frame on the link that is to be brought to the pose.
    pub link_from_tool: Pose,
    /// The pose, in the world.
    pub pose: Pose,
    /// Whether its rotation matters, or its position only.
    pub orientation: bool,
    /// Largest distance that counts as reached [m].
    pub distance: f64,
    /// Largest angle that counts as reached [rad].
    pub angle: f64,
    /// Largest number of starts.
    pub starts: usize,
}

impl Target {
    /// A pose of a link, to 0.1 µm and 1 µrad, by up to 20 starts.
    pub fn new(link: usize, pose: Pose) -> Target {
        let link_from_tool = Pose::IDENTITY;
        Target { link, link_from_tool, pose, orientation: true, distance: 1e-7, angle: 1e-6, starts: 20 }
    }
}

/// What was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Whether the target was reached.
    pub reached: bool,
    /// Distance left [m].
    pub distance: f64,
    /// Angle left [rad]; zero where the rotation does not matter.
    pub angle: f64,
    /// Number of starts.
    pub starts: usize,
    /// Iterations of all starts.
    pub iterations: usize,
}

/// Inverse kinematics. Working memory, made once.
#[derive(Clone, Debug)]
pub struct Reacher {
    kinematics: Kinematics,
    jacobian: Matrix,
    normal: Matrix,
    q: Vec<f64>,
    tried: Vec<f64>,
    best: Vec<f64>,
    change: Vec<f64>,
    pull: Vec<f64>,
    stopped: Vec<bool>,
}

impl Reacher {
    /// Memory for a robot.
    pub fn new(model: &Model) -> Reacher {
        let (n, q) = (model.coordinates().len(), vec![0.0; model.positions()]);
        Reacher {
            kinematics: Kinematics::new(model),
            jacobian: Matrix::zeros(6, model.velocities()),
            normal: Matrix::zeros(6, 6),
            tried: q.clone(),
            best: q.clone(),
            q,
            change: vec![0.0; n],
            pull: vec![0.0; n],
            stopped: vec![false; n],
        }
    }

    /// Find joint coordinates for a target, from those in `q`; a free root stays where it is. `q` becomes the solution, or, where none
    /// was found, what comes closest.
    pub fn reach(&mut self, model: &Model, target: &Target, q: &mut [f64]) -> Reach {
        let mut out = Reach { reached: false, distance: f64::INFINITY, angle: 0.0, starts: 0, iterations: 0 };
        let mut least = f64::INFINITY;
        for start in 0..target.starts.max(1) {
            self.q.copy_from_slice(q);
            self.begin(model, start);
            out.iterations += self.descend(model, target);
            out.starts += 1;
            let (error, ..) = self.error(model, target, true);
            let (distance, angle) = (error[0].length(), error[1].length());
            if distance + angle < least {
                least = distance + angle;
                (out.distance, out.angle) = (distance, angle);
                self.best.copy_from_slice(&self.q);
            }
            out.reached = out.distance <= target.distance && out.angle <= target.angle;
            if out.reached {
                break;
            }
        }
        q.copy_from_slice(&self.best);
        out
    }

    /// Joints at a start: as they are, then spread over their ranges by multiples of irrational numbers.
    fn begin(&mut self, model: &Model, start: usize) {
        let first = model.first_position();
        for (i, c) in model.coordinates().iter().enumerate() {
            let [lower, upper] = range(c.range, c.slides);
            let q = &mut self.q[first + i];
            if start > 0 {
                // fractions of start * sqrt(prime-like numbers): evenly spread, and different in each joint
                let step = (2.0 + 3.0 * i as f64 + 0.7).sqrt();
                let fraction = (start as f64 * step).fract();
                *q = lower + (upper - lower) * fraction;
            }
            *q = q.clamp(c.range[0], c.range[1]);
        }
    }

    /// Position and rotation that are missing, in world axes, and the place of the tool in the link's frame.
    fn error(&mut self, model: &Model, target: &Target, best: bool) -> ([Vec3; 2], Vec3) {
        self.kinematics.place(model, if best { &self.q } else { &self.tried });
        let tool = self.kinematics.link(model, target.link) * target.link_from_tool;
        let mut turn = Vec3::ZERO;
        if target.orientation {
            let d = (target.pose.rotation * tool.rotation.inverse()).normalize();
            let d = if d.w < 0.0 { -d } else { d };
            let v = Vec3::new(d.x, d.y, d.z);
            let sin = v.length();
            // the angle is 2 atan2(sin, cos) of the half
            turn = if sin > 1e-12 { v * (2.0 * atan2(sin, d.w) / sin) } else { v * 2.0 };
        }
        ([target.pose.translation - tool.translation, turn], target.link_from_tool.translation)
    }

    fn descend(&mut self, model: &Model, target: &Target) -> usize {
        let (first, joint) = (model.first_position(), model.first_joint());
        let mut damping = 1e-3;
        for iteration in 0..ITERATIONS {
            let (error, point) = self.error(model, target, true);
            let size = error[0].length_squared() + error[1].length_squared();
            self.kinematics.jacobian(model, target.link, point, &mut self.jacobian);
            // what redundancy is left goes to the middle of ranges, more gently as the target comes near: there it would take away
            // more than an iteration brings, and how far it goes would depend on how many there are
            let gentle = PULL * (size.sqrt() / NEAR).min(1.0);
            for (i, c) in model.coordinates().iter().enumerate() {
                let [lower, upper] = range(c.range, c.slides);
                let pull = if c.range[0].is_finite() { 0.5 * (lower + upper) - self.q[first + i] } else { 0.0 };
                self.pull[i] = gentle * pull;
            }
            let done = size < 1e-26;
            if done {
                return iteration;
            }
            if !self.ask(model, &error, damping * size.max(1e-12)) {
                return iteration;
            }
            self.tried.copy_from_slice(&self.q);
            for (i, c) in model.coordinates().iter().enumerate() {
                let q = self.q[first + i] + self.change[i];
                self.tried[first + i] = q.clamp(c.range[0], c.range[1]);
            }
            let (after, _) = self.error(model, target, false);
            let new = after[0].length_squared() + after[1].length_squared();
            if new < size {
                std::mem::swap(&mut self.q, &mut self.tried);
                damping = (damping * 0.3).max(1e-9);
                if new > 0.999999 * size && size < 1e-20 {
                    return iteration;
                }
            } else {
                damping *= 10.0;
                if damping > 1e6 {
                    return iteration;
                }
            }
            debug_assert!(joint <= model.velocities());
        }
        ITERATIONS
    }

    /// A step: J^T (J J^T + damping)^-1 (e - J z) + z over the joints that are not stopped, with the pull z. Joints that it takes beyond a limit are stopped, and the rest is asked again.
    fn ask(&mut self, model: &Model, error: &[Vec3; 2], damping: f64) -> bool {
        let (n, first, joint) = (model.coordinates().len(), model.first_position(), model.first_joint());
        self.stopped.fill(false);
        for _ in 0..=n {
            let mut e = [0.0; 6];
            for k in 0..6 {
                e[k] = if k < 3 { error[0][k] } else { error[1][k - 3] };
                for i in (0..n).filter(|i| !self.stopped[*i]) {
                    e[k] -= self.jacobian[(k, joint + i)] * self.pull[i];
                }
                for l in 0..6 {
                    let free = (0..n).filter(|i| !self.stopped[*i]);
                    let sum: f64 = free.map(|i| self.jacobian[(k, joint + i)] * self.jacobian[(l, joint + i)]).sum();
                    self.normal[(k, l)] = sum + if k == l { damping } else { 0.0 };
                }
            }
            if !eliminate(&mut self.normal, &mut e) {
                return false;
            }
            let mut again = false;
            for i in 0..n {
                self.change[i] = 0.0;
                if self.stopped[i] {
                    continue;
                }
                let image: f64 = (0..6).map(|k| self.jacobian[(k, joint + i)] * e[k]).sum();
                // no more than a quarter of a radian at once, beyond which the Jacobian says little
                self.change[i] = (image + self.pull[i]).clamp(-0.25, 0.25);
                let (q, [lower, upper]) = (self.q[first + i], model.coordinates()[i].range);
                let stuck = (q <= lower && self.change[i] < 0.0) || (q >= upper && self.change[i] > 0.0);
                if stuck {
                    self.stopped[i] = true;
                    again = true;
                }
            }
            if !again {
                return true;
            }
        }
        false
    }
}

/// Part of the way to the middle of its range by which a joint is pulled in an iteration.
const PULL: f64 = 0.1;

/// Distance to the target below which that grows less [m, rad].
const NEAR: f64 = 0.1;

/// The range of a joint, or a turn or a metre about zero where it has none.
fn range([lower, upper]: [f64; 2], slides: bool) -> [f64; 2] {
    let all = if slides { 1.0 } else { std::f64::consts::PI };
    [if lower.is_finite() { lower } else { -all }, if upper.is_finite() { upper } else { all }]
}
