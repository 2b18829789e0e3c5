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
        (self.scratch.unreached, self.scratch.borne) = (0.0, 0.0);
        let (Xpbd { state, scratch, .. }, mut gripped) = (&mut *self, 0.0);
        state.held.retain(|(grip, _)| scratch.held.iter().any(|held| held.grip == *grip));
        for held in &scratch.held {
            if !state.held.iter().any(|(grip, _)| *grip == held.grip) {
                let energy = held.energy(&state.poses[held.link]);
                state.held.push((held.grip, energy));
                gripped += energy;
            }
        }
        scratch.work = Work { grips: gripped, ..Work::default() };
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
            let link = &state.poses[held.link];
            let strains = [strain(&before, &start[held.link], held.arms), strain(&held.pose, link, held.arms)];
            if let Some((_, energy)) = state.held.iter_mut().find(|(grip, _)| *grip == held.grip) {
                *energy = up_to(*energy + absorbed(strains, &held.multiplier, h), held.energy(link));
            }
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

    /// Count what each joint takes up and gives back in a substep of length `h` [s]: the work of the force that acted in
    /// it, up to the energy of its strain.
    ///
    /// Where sweeps have solved the equations, this is the energy of the strain: their force is that of the material at
    /// the end of the substep, which does no less than the energy grows by, and takes no more than it falls by. Where
    /// they end too early, strain is left without the force that belongs to it. Nothing has done the work of that, and
    /// no force will give it back: the rod is softer than its material, and stores what a softer one does.
    pub(super) fn take_up(&mut self, h: f64) {
        let Xpbd { links, state, scratch, .. } = self;
        let joints = state.poses.windows(2).zip(&scratch.strains).zip(&scratch.multipliers);
        for (((pair, before), multiplier), energy) in joints.zip(&mut state.taken) {
            let now = strain(&pair[0], &pair[1], links.arms());
            let all = energy_of(&links.compliance, &now);
            *energy = up_to(*energy + absorbed([*before, now], multiplier, h), all);
        }
    }

    /// Fill the joints with the energy of their strains.
    pub(super) fn fill_joints(&mut self) {
        let Xpbd { links, state, .. } = self;
        for (pair, energy) in state.poses.windows(2).zip(&mut state.taken) {
            *energy = energy_of(&links.compliance, &strain(&pair[0], &pair[1], links.arms()));
        }
    }

    /// Write the load of each grip on its gripper, the torque about the gripper's origin.
    pub(super) fn write_loads(&self, around: &mut Surroundings<'_>) {
        for held in &self.scratch.held {
            around.grips[held.grip].load += held.load;
        }
    }
}

impl Held {
    /// Energy of its strain, with its link at a pose [J].
    fn energy(&self, link: &Pose) -> f64 {
        let [stretch, bend] = strain(&self.pose, link, self.arms);
        energy_of(&self.compliance, &[stretch, if self.turning { bend } else { Vec3::ZERO }])
    }
}

/// Work done on a spring by its own force between two strains [J]; that force is -multiplier / h^2.
fn absorbed([before, now]: [Strain; 2], multiplier: &Strain, h: f64) -> f64 {
    -(0..2).map(|part| multiplier[part].dot(now[part] - before[part])).sum::<f64>() / (h * h)
}

/// An energy that is not negative, up to the most that there can be [J]. Strains may be no numbers, of which the step tells
/// when it looks at places.
fn up_to(energy: f64, most: f64) -> f64 {
    energy.min(most).max(0.0)
}

/// Energy of strains [J].
fn energy_of(compliance: &Strain, e: &Strain) -> f64 {
    stored(compliance[0], e[0]) + stored(compliance[1], e[1])
}
