//! Grips and loads of a rod: sections held by grippers, and dead forces.

use super::joint::{Strain, reaction_on_a, strain};
use super::touch::Touch;
use super::{Scratch, Xpbd, stored};
use crate::account::Work;
use crate::body::Surroundings;
use crate::grip::{ActingLoad, Grip, Hold, Wrench};
use crate::linkage::{Arms, Push, locate};
use crate::math::{Pose, Vec3, rotation_vector};

/// A cross-section held at a pose that may move.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Index of the grip.
    pub grip: usize,
    /// Index of the link.
    pub link: usize,
    /// Compliance of the piece between the held section and the middle of the link, in proportion to its length.
    pub compliance: Strain,
    /// Whether the orientation is held too.
    pub turning: bool,
    /// Lever arms; the section itself has no length.
    pub arms: Arms,
    /// Pose of the section in the gripper's frame.
    pub section: Pose,
    /// Pose of the section in the world at the end of the substep.
    pub pose: Pose,
    /// Multipliers of this substep.
    pub multiplier: Strain,
    /// Load of the rod on the gripper, the mean over the step so far.
    pub load: Wrench,
}

impl Xpbd {
    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[ActingLoad]) {
        let (count, length, compliance) = (self.size(), self.links.length, self.links.compliance);
        let Scratch { held, pushes, loads: own, .. } = &mut self.scratch;
        held.clear();
        pushes.clear();
        for (grip, of) in grips.iter().enumerate().filter(|(_, g)| g.body == index) {
            let Some(anchor) = of.anchor else { continue };
            let (link, offset) = locate(of.params.place, count, length);
            // the piece between the held section and the middle of its link deforms like a joint of that length
            let mut compliance = compliance.map(|c| c * (offset.abs() / length));
            let turning = of.params.hold != Hold::Position;
            if !turning {
                // free to turn, and equally stiff in all directions
                compliance[0] = Vec3::splat(compliance[0].x);
            }
            let section = Pose::from_parts(anchor.position, anchor.orientation);
            let (pose, multiplier, load) = (section, [Vec3::ZERO; 2], Wrench::default());
            let arms = Arms::held_at(offset);
            held.push(Held { grip, link, compliance, turning, arms, section, pose, multiplier, load });
        }
        let acting = loads.iter().filter(|l| l.body == index && l.acts_at(time));
        pushes.extend(acting.map(|load| Push::of_load(load, count, length)));
        *own = pushes.len();
    }

    /// Start counting the work of a step: closing grips put energy into their holds.
    pub(super) fn begin_work(&mut self, around: &Surroundings<'_>) {
        self.aim(around, 0.0);
        let gripped: f64 = self.scratch.held.iter().map(|held| self.energy_of(held)).sum();
        (self.scratch.unreached, self.scratch.borne) = (0.0, 0.0);
        self.scratch.work = Work { grips: (gripped - self.state.held_energy).max(0.0), ..Work::default() };
    }

    /// Count the work of a substep of length `h` [s] from `scratch.start` to the state; it began at fraction `from` of
    /// the world step.
    pub(super) fn count_work(&mut self, around: &Surroundings<'_>, from: f64, h: f64) {
        let Xpbd { links, state, scratch, .. } = self;
        let Scratch { held, pushes, loads, work, start, unreached, borne, straight, .. } = scratch;
        let mut way = 0.0;
        for held in held.iter() {
            let gripper = around.grips[held.grip].gripper;
            let before = around.grippers[gripper].sweep.at(from) * held.section;
            let [force, torque] = reaction_on_a(&held.pose, &state.poses[held.link], held.arms, &held.multiplier);
            let [force, torque] = [force, torque].map(|v| held.pose.rotation * v / (h * h));
            let turn = rotation_vector(held.pose.rotation * before.rotation.inverse());
            let strains =
                [strain(&before, &start[held.link], held.arms), strain(&held.pose, &state.poses[held.link], held.arms)];
            *unreached += beyond_force(&held.compliance, strains, &held.multiplier, h);
            work.grips -= force.dot(held.pose.translation - before.translation) + torque.dot(turn);
        }
        for (n, push) in pushes.iter().enumerate() {
            let (start, end) = (&start[push.link], &state.poses[push.link]);
            let place = |pose: &Pose| pose.transform_point(Vec3::X * push.offset);
            let turn = rotation_vector(end.rotation * start.rotation.inverse());
            let done = push.force.dot(place(end) - place(start)) + push.torque.dot(turn);
            way += done;
            *(if n < *loads { &mut work.loads } else { &mut work.bodies }) += done;
        }
        // see `move_freely`
        *unreached += (*straight - way).max(0.0);
        let gained = 0.5 * links.mass * (around.gravity * h).length_squared();
        *borne += gained * state.touches.chunk_by(|a, b| a.link == b.link).count() as f64;
        work.obstacles += h * state.touches.iter().map(Touch::led).sum::<f64>();
    }

    /// Count the energy of joint strains for which the sweeps of a substep of length `h` [s] have not produced the
    /// force.
    pub(super) fn count_unreached(&mut self, h: f64) {
        let Xpbd { links, state, scratch, .. } = self;
        let joints = state.poses.windows(2).zip(&scratch.strains).zip(&scratch.multipliers);
        for ((pair, before), multiplier) in joints {
            let now = strain(&pair[0], &pair[1], links.arms());
            scratch.unreached += beyond_force(&links.compliance, [*before, now], multiplier, h);
        }
    }

    pub(super) fn energy_of(&self, held: &Held) -> f64 {
        let e = strain(&held.pose, &self.state.poses[held.link], held.arms);
        let bending = if held.turning { stored(held.compliance[1], e[1]) } else { 0.0 };
        stored(held.compliance[0], e[0]) + bending
    }

    /// Write the load of each grip on its gripper, the torque about the gripper's origin.
    pub(super) fn write_loads(&self, around: &mut Surroundings<'_>) {
        for held in &self.scratch.held {
            around.grips[held.grip].load += held.load;
        }
    }
}

/// Energy that a spring stores between two strains beyond the work of its force [J]. The force that acted in the
/// substep is -multiplier / h^2, that of the material e / c; they are equal for a spring that the sweeps have solved.
fn beyond_force(compliance: &Strain, [before, now]: [Strain; 2], multiplier: &Strain, h: f64) -> f64 {
    let mut beyond = 0.0;
    for part in 0..2 {
        for k in (0..3).filter(|&k| compliance[part][k] > 0.0) {
            let missing = now[part][k] / compliance[part][k] + multiplier[part][k] / (h * h);
            beyond += (missing * (now[part][k] - before[part][k])).max(0.0);
        }
    }
    beyond
}
