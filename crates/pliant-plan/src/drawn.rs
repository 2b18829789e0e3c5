//! A robot that is drawn: passive joints with heavy damping, springs of an attractor, what is near.
//!
//! A step is implicit in damping and springs, so that neither shortens it: with v the velocity at its end,
//!
//!   (M/h + D + h J^T K J) v = M/h v_0 + J^T K d + pushes,
//!
//! where d are the ways of the springs at its start. Joints are switched off as published (no stiffness, damping that
//! outweighs inertia). Drives carry the weight, but that of a robot on ground; forces of inertia that come from velocities are left
//! out: damping ends any motion within `DAMPED`.

use pliant::math::{Pose, Vec3};
use pliant::robot::{Dynamics, Matrix};

use crate::attractor::{Attractor, FOLLOW};
use crate::near::Near;
use crate::push::{Pusher, Row};
use crate::task::{Task, TaskError};

/// Time in which damping ends motion [s]: damping is inertia over this.
const DAMPED: f64 = 0.05;

/// Least mobility towards the goal that is reckoned with, relative to that of the most mobile direction.
const STIFF: f64 = 0.25;

/// Speed at which a robot that is too near to something is pushed away, relative to the speed at which it is drawn.
const RECOVERY: f64 = 0.5;

/// A ball that the origin of the drawn frame must not enter; over ground an upright cylinder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// Its centre [m].
    pub centre: Vec3,
    /// Its radius [m].
    pub radius: f64,
}

/// How much a virtual obstacle gives way: real ones go first.
const YIELDS: f64 = 0.05;

/// A robot on its way.
pub struct Drawn<'a> {
    pub task: &'a Task,
    /// Coordinates of its joints [rad, m].
    pub q: Vec<f64>,
    /// Their velocities [rad/s, m/s].
    pub v: Vec<f64>,
    /// Velocity of the drawn point per force on it, towards the goal [m/s/N].
    pub mobility: f64,
    attractor: Attractor,
    damping: Vec<f64>,
    dynamics: Dynamics,
    mass: Matrix,
    a: Matrix,
    b: Vec<f64>,
    /// What it takes to carry its weight.
    weight: Vec<f64>,
    jacobian: Matrix,
    near: Near,
    rows: Vec<Row>,
    pusher: Pusher,
}

impl<'a> Drawn<'a> {
    /// A robot at rest at its start.
    pub fn new(task: &'a Task) -> Result<Drawn<'a>, TaskError> {
        task.check()?;
        let (model, n) = (&task.model, task.model.velocities());
        let mut drawn = Drawn {
            task,
            q: task.start.clone(),
            v: vec![0.0; n],
            mobility: 0.0,
            attractor: Attractor { lead: FOLLOW * task.settings.speed, stiffness: 0.0, spread: 0.0 },
            damping: vec![0.0; n],
            dynamics: Dynamics::new(model),
            mass: Matrix::zeros(n, n),
            a: Matrix::zeros(n, n),
            b: vec![0.0; n],
            weight: vec![0.0; n],
            jacobian: Matrix::zeros(6, n),
            near: Near::new(task),
            rows: vec![],
            pusher: Pusher::default(),
        };
        drawn.tune();
        Ok(drawn)
    }

    /// Return to the start, at rest.
    pub fn restart(&mut self) {
        self.q.copy_from_slice(&self.task.start);
        self.v.fill(0.0);
    }

    /// Damping that outweighs inertia, and springs that make the speed that is asked for against it.
    fn tune(&mut self) {
        let (model, goal) = (&self.task.model, &self.task.goal);
        self.dynamics.mass_matrix(model, &self.q, &mut self.mass);
        // joints of a kind alike: the largest inertia among them
        let largest = |slides: bool| {
            let kind = model.coordinates().iter().zip(0..).filter(|(c, _)| c.slides == slides);
            kind.map(|(_, i): (_, usize)| self.mass[(i, i)]).fold(0.0, f64::max)
        };
        let damping = [false, true].map(|slides| largest(slides) / DAMPED);
        for (d, coordinate) in self.damping.iter_mut().zip(model.coordinates()) {
            *d = damping[usize::from(coordinate.slides)];
        }
        self.dynamics.kinematics.jacobian(model, goal.link, goal.link_from_tool.translation, &mut self.jacobian);
        let along = |direction: Vec3, first: usize| {
            let column = |i: usize| (0..3).map(|k| direction[k] * self.jacobian[(first + k, i)]).sum::<f64>();
            self.damping.iter().enumerate().map(|(i, d)| column(i) * column(i) / d).sum::<f64>()
        };
        let most = |first: usize| Vec3::AXES.into_iter().map(|axis| along(axis, first)).fold(0.0, f64::max);
        let (linear, angular) = (most(0), most(3));
        // how much it gives way towards the goal. A direction that joints hardly move it in now, as along a stretched arm, is not taken at its word
        let tool = self.dynamics.kinematics.link(model, goal.link) * goal.link_from_tool;
        let way = self.task.way(&tool).try_normalize().map_or(linear, |way| along(way, 0).max(STIFF * linear));
        self.mobility = if way > 0.0 { way } else { 1.0 / damping[1].max(damping[0]) };
        self.attractor.stiffness = 1.0 / (FOLLOW * self.mobility);
        // rotations as fast as translations: (2/3) k s^2 angular = k linear
        self.attractor.spread = if angular > 0.0 { (1.5 * self.mobility / angular).sqrt() } else { 0.0 };
    }

    /// Pose of the drawn frame; after a step, where that began.
    fn tool(&self) -> Pose {
        let goal = &self.task.goal;
        self.dynamics.kinematics.link(&self.task.model, goal.link) * goal.link_from_tool
    }

    /// Advance by a step. False where the equations have no solution.
    pub fn step(&mut self, fills: &[Fill]) -> bool {
        let Task { model, goal, settings, .. } = self.task;
        let (h, n) = (settings.step, self.v.len());
        self.dynamics.mass_matrix(model, &self.q, &mut self.mass);
        for i in 0..n {
            self.b[i] = self.mass.row(i).iter().zip(&self.v).map(|(m, v)| m * v).sum::<f64>() / h;
            for j in 0..n {
                self.a[(i, j)] = self.mass[(i, j)] / h;
            }
            self.a[(i, i)] += self.damping[i];
        }
        if self.task.up().is_some() {
            self.dynamics.gravity(model, &self.q, &mut self.weight);
            self.b.iter_mut().zip(&self.weight).for_each(|(b, weight)| *b -= weight);
        }
        let tool = self.tool();
        for spring in self.attractor.springs(&tool, self.task.way(&tool), goal) {
            let point = goal.link_from_tool * spring.point;
            self.dynamics.kinematics.jacobian(model, goal.link, point, &mut self.jacobian);
            for axis in 0..3 {
                let j = self.jacobian.row(axis);
                for r in 0..n {
                    self.b[r] += j[r] * spring.stiffness * spring.way[axis];
                    for c in 0..n {
                        self.a[(r, c)] += h * spring.stiffness * j[r] * j[c];
                    }
                }
            }
        }
        self.gather(&tool, fills);
        if !self.pusher.solve(&self.a, &self.b, &self.rows, &mut self.v) {
            return false;
        }
        self.q.iter_mut().zip(&self.v).for_each(|(q, v)| *q += h * v);
        true
    }

    /// All that holds the velocity of this step.
    fn gather(&mut self, tool: &Pose, fills: &[Fill]) {
        let Task { model, goal, settings, .. } = self.task;
        let (h, n) = (settings.step, self.v.len());
        self.rows.clear();
        // the least velocity away from something at this distance from where it has to stay
        let recovery = RECOVERY * settings.speed;
        let away = |distance: f64| (-distance / h).min(recovery);
        for (i, coordinate) in model.coordinates().iter().enumerate() {
            let [low, high] = coordinate.range;
            let most = coordinate.velocity;
            for (sign, room) in [(1.0, self.q[i] - low), (-1.0, high - self.q[i])] {
                let least = away(room).max(-most);
                if least.is_finite() {
                    let mut j = vec![0.0; n];
                    j[i] = sign;
                    self.rows.push(Row { j, least, soft: 0.0 });
                }
            }
        }
        self.near.find(self.task, &self.dynamics.kinematics, |touch| {
            let keep = if touch.ground { 0.0 } else { settings.safety };
            let mut j = vec![0.0; n];
            for (link, place, normal) in touch.sides() {
                let at = self.dynamics.kinematics.link(model, link).inverse_transform_point(place);
                self.dynamics.kinematics.jacobian(model, link, at, &mut self.jacobian);
                for axis in 0..3 {
                    j.iter_mut().zip(self.jacobian.row(axis)).for_each(|(sum, x)| *sum += normal[axis] * x);
                }
            }
            self.rows.push(Row { j, least: away(touch.distance - keep), soft: 0.0 });
        });
        let (reach, up) = (crate::near::HORIZON, self.task.up());
        self.dynamics.kinematics.jacobian(model, goal.link, goal.link_from_tool.translation, &mut self.jacobian);
        for fill in fills {
            // over ground, what is filled is filled at any height
            let from = tool.translation - fill.centre;
            let from = up.map_or(from, |up| from - up * from.dot(up));
            let distance = from.length() - fill.radius;
            let Some(normal) = from.try_normalize().filter(|_| distance < reach) else { continue };
            let mut j = vec![0.0; n];
            for axis in 0..3 {
                j.iter_mut().zip(self.jacobian.row(axis)).for_each(|(sum, x)| *sum += normal[axis] * x);
            }
            self.rows.push(Row { j, least: away(distance), soft: YIELDS });
        }
    }

    /// How fast it moves, as the speed of the drawn point that would take as much power [m/s].
    pub fn speed(&self) -> f64 {
        let power: f64 = self.v.iter().zip(&self.damping).map(|(v, d)| d * v * v).sum();
        (power * self.mobility).sqrt()
    }
}
