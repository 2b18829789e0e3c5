//! One substep: move freely, sweep over the constraints, take velocities from positions. Macklin, Mueller, Chentanez,
//! "XPBD: position-based simulation of compliant constrained dynamics" (2016), algorithm 1.

use super::joint::{Mobility, Spring, Strain, reaction_on_a, strain};
use super::touch::{MOST_POINTS, Search};
use super::{Xpbd, XpbdState};
use crate::body::Surroundings;
use crate::error::StepError;
use crate::grip::Wrench;
use crate::linkage::{Arms, Line, Push};
use crate::material::Friction;
use crate::math::{Pose, Quat, Vec3, hypot, rotation_vector};

/// Constants of all links of a rod.
#[derive(Clone, Debug)]
pub struct Links {
    /// Length of a link [m].
    pub length: f64,
    /// Radius of the rod [m].
    pub radius: f64,
    /// Mass of a link [kg].
    pub mass: f64,
    /// Moments of inertia in the axes of the link [kg m2].
    pub inertia: Vec3,
    /// Inverse mass and moments of inertia.
    pub mobility: Mobility,
    /// Compliance of a joint: L / (EA, GA, GA) [m/N] and L / (GJ, EI, EI) [1/(N m)].
    pub compliance: Strain,
    /// Material damping: viscous over elastic stress, per strain rate [s].
    pub damping_time: f64,
    /// Air drag: force per mass and velocity [1/s].
    pub drag: f64,
    /// Friction with obstacles that do not define their own.
    pub friction: Friction,
    /// Number of substeps in a world step.
    pub substeps: usize,
    /// Number of sweeps in a substep.
    pub sweeps: usize,
}

impl Links {
    /// Lever arms of a joint on its two links.
    pub fn arms(&self) -> Arms {
        Arms::between(self.length)
    }

    /// The links at given poses.
    pub(super) fn line<'a>(&self, poses: &'a [Pose]) -> Line<'a> {
        Line { poses, length: self.length, radius: self.radius, closed: false }
    }

    /// Number of contact points of a link. As they are at most 1.5 radii apart, an edge between two of them stays at
    /// least two thirds of the radius away from the axis.
    pub fn points(&self) -> usize {
        ((self.length / (1.5 * self.radius)).ceil() as usize).clamp(1, MOST_POINTS)
    }

    /// Largest speed of any point of a link's axis [m/s].
    pub fn speed(&self, velocity: Vec3, turning: Vec3) -> f64 {
        velocity.length() + 0.5 * self.length * hypot(turning.y, turning.z)
    }
}

/// Largest angle by which a load alone may turn a link in a substep [rad].
///
/// Poses know turns of less than half a revolution: a link that is turned further before joints hold it back is taken to have
/// turned the other way round, by them and by the velocities, and the load has pushed it backwards.
const LARGEST_TURN: f64 = 3.0;

impl Xpbd {
    /// Fails if a load turns a link by more than [`LARGEST_TURN`] in a substep. More substeps are not taken by themselves:
    /// what sweeps leave unsolved depends on their length, and rods whose substeps change gain energy.
    pub(super) fn check_turns(&self, time: f64, dt: f64) -> Result<(), StepError> {
        let (links, h) = (&self.links, dt / self.links.substeps as f64);
        let turn = |push: &Push| {
            let rotation = self.state.poses[push.link].rotation;
            let torque = (rotation * (Vec3::X * push.offset)).cross(push.force) + push.torque;
            (links.mobility.turn * (rotation.inverse() * torque)).length() * h * h
        };
        let most = self.scratch.pushes[..self.scratch.loads].iter().map(turn).fold(0.0, f64::max);
        if most <= LARGEST_TURN {
            return Ok(());
        }
        let instead = "a load turns a link by half a revolution within a substep; raise xpbd.substeps, shorten the step, or take \
                       longer links";
        Err(StepError::TooShort { body: self.name().into(), time, step: h * (LARGEST_TURN / most).sqrt(), instead })
    }

    /// Advance by a substep, between two fractions of the world step.
    pub(super) fn substep(&mut self, around: &Surroundings<'_>, part: [f64; 2]) {
        let h = around.dt / self.links.substeps as f64;
        self.aim(around, part[1]);
        self.move_freely(around.gravity, h);
        if self.state.poses.iter().any(|p| !(p.translation.is_finite() && p.rotation.is_finite())) {
            return;
        }
        self.find_touches(around, part, h);
        for sweep in 0..self.links.sweeps {
            if around.stop.is_asked() {
                break;
            }
            self.sweep(h, sweep % 2 == 1);
        }
        self.take_velocities(h);
        self.note_loads(around, part[1], h);
        self.count_work(around, part[0], h);
        self.take_up(h);
    }

    /// Update the poses of held sections to a fraction of the world step.
    pub(super) fn aim(&mut self, around: &Surroundings<'_>, fraction: f64) {
        for held in &mut self.scratch.held {
            let gripper = around.grips[held.grip].gripper;
            held.pose = around.grippers[gripper].sweep.at(fraction) * held.section;
            held.multiplier = [Vec3::ZERO; 2];
        }
    }

    /// Move each link by inertia, weight and loads, without joints and contacts.
    fn move_freely(&mut self, gravity: Vec3, h: f64) {
        let Xpbd { links, state, scratch, .. } = self;
        let XpbdState { poses, velocities, turnings, .. } = state;
        scratch.start.copy_from_slice(poses);
        scratch.multipliers.fill([Vec3::ZERO; 2]);
        for (before, pair) in scratch.strains.iter_mut().zip(poses.windows(2)) {
            *before = strain(&pair[0], &pair[1], links.arms());
        }
        // drag acts on the velocity before forces do, so that it does not reduce the weight of a rod at rest
        let slowed = 1.0 / (1.0 + links.drag * h);
        velocities.iter_mut().for_each(|v| *v *= slowed);
        for push in &scratch.pushes {
            let rotation = poses[push.link].rotation;
            let arm = rotation * (Vec3::X * push.offset);
            velocities[push.link] += push.force * (links.mobility.shift * h);
            let torque = rotation.inverse() * (arm.cross(push.force) + push.torque);
            turnings[push.link] += links.mobility.turn * torque * h;
        }
        // pushes act as if links did not turn in the substep, on the way that they have before joints take them back
        scratch.straight = 0.0;
        for push in &scratch.pushes {
            let rotation = poses[push.link].rotation;
            let torque = rotation.inverse() * ((rotation * (Vec3::X * push.offset)).cross(push.force) + push.torque);
            let velocity = velocities[push.link] + gravity * h;
            scratch.straight += h * (push.force.dot(velocity) + torque.dot(turnings[push.link]));
        }
        // Euler's equations of a body with equal moments about y and z turn these two components at a constant rate
        let precession = 1.0 - links.inertia.x / links.inertia.y;
        for ((pose, velocity), turning) in poses.iter_mut().zip(velocities).zip(turnings) {
            *velocity += gravity * h;
            pose.translation += *velocity * h;
            *turning = Quat::from_rotation_x(-precession * turning.x * h) * *turning;
            pose.rotation = (pose.rotation * Quat::from_scaled_axis(*turning * h)).normalize();
        }
    }

    fn find_touches(&mut self, around: &Surroundings<'_>, part: [f64; 2], h: f64) {
        let Xpbd { links, state, scratch, .. } = self;
        state.touches.clear();
        if around.near.is_empty() {
            return;
        }
        let speeds = state.velocities.iter().zip(&state.turnings).map(|(v, w)| links.speed(*v, *w));
        // other links can move a link beyond its free path, at most as fast as the fastest
        let margin = links.radius + h * speeds.fold(around.pulled, f64::max);
        let search = Search { part, h, radius: links.radius, margin };
        let points = links.points();
        for (link, (start, free)) in scratch.start.iter().zip(&state.poses).enumerate() {
            for point in 0..points {
                let s = ((point as f64 + 0.5) / points as f64 - 0.5) * links.length;
                for &obstacle in around.near {
                    let of = (obstacle, &around.obstacles[obstacle]);
                    search.find([start, free], (link, s), of, links.friction, &mut state.touches);
                }
            }
        }
    }

    /// Project every constraint once. Every other sweep goes backwards, so that neither end is favoured; the most
    /// important constraints come last.
    fn sweep(&mut self, h: f64, backwards: bool) {
        let Xpbd { links, state, scratch, .. } = self;
        let (h2, of) = (h * h, &links.mobility);
        let compliance = links.compliance.map(|c| c / h2);
        let spring = Spring { arms: links.arms(), compliance, viscous: links.damping_time / h, turning: true };
        let joints = scratch.multipliers.len();
        for step in 0..joints {
            let i = if backwards { joints - 1 - step } else { step };
            let (a, b) = state.poses.split_at_mut(i + 1);
            let (a, b) = (&mut a[i], &mut b[0]);
            spring.project((a, of), (b, of), &scratch.strains[i], &mut scratch.multipliers[i]);
        }
        for held in &mut scratch.held {
            let compliance = held.compliance.map(|c| c / h2);
            let spring = Spring { arms: held.arms, compliance, viscous: 0.0, turning: held.turning };
            let mut section = held.pose;
            let link = (&mut state.poses[held.link], of);
            spring.project((&mut section, &Mobility::default()), link, &[Vec3::ZERO; 2], &mut held.multiplier);
        }
        let share = links.length / links.points() as f64;
        for touch in &mut state.touches {
            touch.project(&mut state.poses[touch.link], of, links.radius, share, h2);
        }
    }

    fn take_velocities(&mut self, h: f64) {
        let Xpbd { links, state, scratch, .. } = self;
        let XpbdState { poses, velocities, turnings, touches, .. } = state;
        for (i, (pose, start)) in poses.iter().zip(&scratch.start).enumerate() {
            velocities[i] = (pose.translation - start.translation) / h;
            let turned = start.rotation.inverse() * pose.rotation;
            turnings[i] = rotation_vector(turned) / h;
        }
        for touch in touches {
            let link = touch.link;
            scratch.work.obstacles +=
                touch.calm(&poses[link], &links.mobility, &mut velocities[link], &mut turnings[link]);
            touch.settle(h * h);
        }
    }

    /// Add up loads of joints and holds: forces are multipliers over the square of the substep.
    fn note_loads(&mut self, around: &Surroundings<'_>, fraction: f64, h: f64) {
        let Xpbd { links, state, scratch, .. } = self;
        let share = 1.0 / (links.substeps as f64 * h * h);
        for (load, multiplier) in state.loads.iter_mut().zip(&scratch.multipliers) {
            for k in 0..2 {
                // a stretched joint pulls
                load[k] -= multiplier[k] * share;
            }
        }
        for held in &mut scratch.held {
            let [force, torque] = reaction_on_a(&held.pose, &state.poses[held.link], held.arms, &held.multiplier);
            let (force, torque) = (held.pose.rotation * force * share, held.pose.rotation * torque * share);
            let gripper = around.grips[held.grip].gripper;
            // halfway through the substep
            let middle = around.grippers[gripper].sweep.at(fraction - 0.5 / links.substeps as f64);
            let place = (middle * held.section).translation;
            held.load += Wrench::at(place, force, torque, middle.translation);
        }
    }
}
