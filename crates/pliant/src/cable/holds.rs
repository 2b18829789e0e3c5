//! Holds and loads of a cable: cross-sections in grippers, and dead forces and torques.

use super::{Cable, Scratch};
use crate::body::Surroundings;
use crate::cable::algebra::block::{Mat6, Vec6, ZERO, add_scaled, add_weighted, times_transposed};
use crate::cable::equations::assembly::trivialised;
use crate::cable::equations::scratch::StepScratch;
use crate::cable::joint::{Joint, Turning, strain};
use crate::cable::links::{LinkState, Links};
use crate::cable::solver::hands::Reply;
use crate::contact::Obstacle;
use crate::frame::{Event, EventKind};
use crate::grip::{ActingLoad, Grip, GripParams, Gripper, Hold, Wrench};
use crate::linkage::{Arms, HeldEnd, Push, locate};
use crate::math::{Pose, Vec3, hypot, pose_between, sin};
use crate::motion::Drive;

/// A cross-section held at a pose that may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Index of its grip.
    pub grip: usize,
    /// Index of the link.
    pub link: usize,
    /// Position along the link, from its centre [m].
    pub offset: f64,
    /// Share of the grip: three links share one that their cable may slide through.
    pub share: f64,
    /// Stiffness of the hold, in the order of a joint; zero for free directions.
    pub stiffness: Vec6,
    /// Strain without load: the natural bend and twist of the piece between the section and the centre of the link.
    pub rest: Vec6,
    /// Force along the cable, beyond its drift, above which it slides [N].
    pub slips_at: f64,
    /// Distance by which the cable has slid in the last step, against its direction [m].
    pub slid: f64,
    /// Poses of the section at the start, middle and end of the step.
    pub poses: [Pose; 3],
    /// The arm that carries its gripper, if one does.
    pub carried: Option<Carried>,
}

/// A held section on the link of an arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carried {
    /// Index of the arm among the bodies of the world.
    pub arm: usize,
    /// Its link.
    pub link: usize,
    /// The section in the frame of that link, at the start, middle and end of the step.
    pub sections: [Pose; 3],
    /// Pose of the section in the world at the start of the current part of the step.
    pub start: Pose,
}

impl Held {
    /// The pose of the hold at a fraction of the step.
    pub fn pose_at(&self, fraction: f64) -> Pose {
        let [start, middle, end] = &self.poses;
        if fraction < 0.5 {
            pose_between(start, middle, 2.0 * fraction)
        } else {
            pose_between(middle, end, 2.0 * fraction - 1.0)
        }
    }

    /// Energy of the hold at a strain [J]. Beyond the force at which it slides, which `drift` is a part of, nothing is
    /// stored.
    pub fn stored(&self, mut stretch: Vec6, drift: [f64; 2]) -> f64 {
        stretch[0] -= self.slid + self.beyond(stretch[0], self.slid, drift);
        (0..6).map(|k| 0.5 * self.stiffness[k] * stretch[k].powi(2)).sum()
    }

    /// Whether a cable may slide through the hold.
    pub fn may_slide(&self) -> bool {
        self.slips_at.is_finite()
    }

    /// The force along the cable up to which friction bears the given one, after it has slid by some distance [N];
    /// `drift` is the force with which a bent cable resists being slid, and how much it grows with the distance.
    fn borne(&self, force: f64, slid: f64, drift: [f64; 2]) -> f64 {
        let drift = drift[0] + drift[1] * slid;
        force.max(drift - self.slips_at).min(drift + self.slips_at)
    }

    /// By how much farther the cable slides than it has slid, at a stretch along it [m].
    pub fn beyond(&self, stretch: f64, slid: f64, drift: [f64; 2]) -> f64 {
        let force = self.stiffness[0] * (stretch - slid);
        (force - self.borne(force, slid, drift)) / (self.stiffness[0] + drift[1])
    }

    /// Energy that sliding from one distance to another takes [J].
    pub fn rubbed(&self, [from, to]: [f64; 2], [drift, more]: [f64; 2]) -> f64 {
        if from == to {
            0.0
        } else {
            (drift + 0.5 * more * (from + to)) * (to - from) + self.slips_at * (to - from).abs()
        }
    }

    /// Weights of the change of strain in the step before, see `equations::midpoint`. Along a cable that may slide there
    /// is none: friction limits the force, and with it what the memory of a larger change would dissipate.
    fn memory(&self, decay: f64) -> Vec6 {
        std::array::from_fn(|k| if k == 0 && self.may_slide() { 0.0 } else { decay })
    }

    /// Arms from the gripper, which has no length, to the centre of the link.
    pub fn arms(&self) -> Arms {
        Arms::held_at(self.offset)
    }

    /// Add the hold with index `n` to residual and tangent.
    pub fn add(&self, n: usize, links: &Links, state: &LinkState, step: f64, s: &mut StepScratch) {
        let h = self;
        let poses = s.held_poses[n];
        // the rotation of a gripper that nothing moves back changes the strain too, but is no unknown
        let hand = Turning { start: &poses[0], middle: &poses[1], end: &poses[2], turn: s.held_turns[n] };
        let link = Turning {
            start: &state.poses[h.link],
            middle: &s.middle[h.link],
            end: &s.end[h.link],
            turn: Vec3::new(s.mean[h.link][3], s.mean[h.link][4], s.mean[h.link][5]) * step,
        };
        let joint = Joint::of_step(&hand, &link, h.arms());
        let (mut end, memory) = (strain(&poses[2], &s.end[h.link], h.arms()), h.memory(links.decay));
        end[0] -= s.held_slid[n];
        let later = |k: usize| memory[k] * (end[k] - s.held_strains[n][k]);
        let mut load: Vec6 = std::array::from_fn(|k| h.stiffness[k] * (0.5 * (s.held_bias[n][k] + end[k]) + later(k)));
        let drift = s.held_drift[n];
        let (mut stiffness, borne) = (h.stiffness, h.borne(load[0], s.held_slid[n], drift));
        if borne != load[0] {
            let part = drift[1] / (h.stiffness[0] + drift[1]);
            (load[0], stiffness[0]) = (borne + part * (load[0] - borne), part * stiffness[0]);
        }
        let reaction = times_transposed(&joint.by_a, &load);
        let force = -Vec3::new(reaction[0], reaction[1], reaction[2]);
        let torque = poses[1].rotation * -Vec3::new(reaction[3], reaction[4], reaction[5]);
        s.part_held_loads[n] = (force, torque);
        add_scaled(&mut s.residual[h.link], 1.0, &times_transposed(&joint.by_b, &load));
        let at_end = Joint::new(&poses[2], &s.end[h.link], h.arms());
        let weight: Vec6 = std::array::from_fn(|k| stiffness[k] * (0.5 + memory[k]) * step);
        let change = trivialised(&at_end.by_b, &s.mean[h.link], step);
        add_weighted(&mut s.matrix.diagonal[h.link], &joint.by_b, &weight, &change);
        let [aa, ab, ba, bb] = joint.geometric(Vec3::new(load[0], load[1], load[2]));
        if h.carried.is_some() {
            let halved = |m: &Mat6| m.map(|row| row.map(|x| 0.5 * step * x));
            let product = |left: &Mat6, right: &Mat6| {
                let mut out = ZERO;
                add_weighted(&mut out, left, &weight, right);
                out
            };
            let mut by_link = product(&joint.by_a, &change);
            by_link.iter_mut().zip(&halved(&ab)).for_each(|(row, more)| add_scaled(row, 1.0, more));
            s.held_replies[n] = Reply {
                wrench: reaction,
                by_hand: [product(&joint.by_a, &at_end.by_a), halved(&aa)],
                by_link,
                of_link: [product(&joint.by_b, &at_end.by_a), halved(&ba)],
            };
        }
        for r in 0..6 {
            add_scaled(&mut s.matrix.diagonal[h.link][r], 0.5 * step, &bb[r]);
        }
    }
}

impl Push {
    /// Subtract the force from the residual, with the link halfway through the step, and add its derivative with the
    /// rotation of the link: a world vector f is R^T f in the link, and changes by (R^T f) x turn.
    ///
    /// An arm that turns by an angle x in the step moves by the chord, 2 sin(x / 2) across its middle, not by x: as far
    /// as that is shorter the torque of the force is smaller, so that its power is the work of the force on the way.
    pub fn add(&self, step: f64, s: &mut StepScratch) {
        let to_link = s.middle[self.link].rotation.inverse();
        let (arm, force, torque) = (Vec3::X * self.offset, to_link * self.force, to_link * self.torque);
        let [.., x, y, z] = s.mean[self.link];
        let half = 0.5 * step * Vec3::new(x, y, z).length();
        let arm = if half > 0.0 { arm * (sin(half) / half) } else { arm };
        let turning = arm.cross(force) + torque;
        for k in 0..3 {
            s.residual[self.link][k] -= self.force[k];
            s.residual[self.link][k + 3] -= turning[k];
        }
        for (j, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            let change = (arm.cross(force.cross(axis)) + torque.cross(axis)) * (0.5 * step);
            for k in 0..3 {
                s.matrix.diagonal[self.link][k + 3][j + 3] -= change[k];
            }
        }
    }
}

/// A hold near the centre of a link is at most this much stiffer than a joint, so that the equations stay well
/// conditioned.
const STIFFEST_HOLD: f64 = 100.0;

impl Links {
    /// The hold of a grip, or a share of it, at a link and an offset from its centre, some times stiffer than a joint.
    pub(super) fn hold(&self, grip: usize, params: &GripParams, at: (usize, f64), share: f64, stiffer: f64) -> Held {
        let (link, offset) = at;
        let mut stiffness = self.stiffness.map(|k| k * stiffer);
        if params.hold == Hold::Position {
            // free to turn, and equally stiff in all directions
            stiffness = [stiffness[0], stiffness[0], stiffness[0], 0.0, 0.0, 0.0];
        }
        // the jaws are in series with it
        stiffness.iter_mut().take(3).for_each(|k| *k /= 1.0 + *k / params.jaws.stiffness);
        let (stiffness, slips_at) = (stiffness.map(|k| share * k), share * params.jaws.slips_at);
        // it points from the section to the centre of the link
        let rest = self.natural(link, offset).map(|x| -x);
        let (slid, poses, carried) = (0.0, [Pose::IDENTITY; 3], None);
        Held { grip, link, offset, share, stiffness, rest, slips_at, slid, poses, carried }
    }
}

impl Held {
    /// Strain beyond that without load.
    pub(super) fn stretch(&self, section: &Pose, link: &Pose) -> Vec6 {
        let strain = strain(section, link, self.arms());
        std::array::from_fn(|k| strain[k] - self.rest[k])
    }
}

impl Cable {
    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[ActingLoad]) {
        let (count, links) = (self.size(), &self.links);
        let Scratch { held, grips: numbers, pushes, loads: own, .. } = &mut self.scratch;
        held.clear();
        numbers.clear();
        pushes.clear();
        for (number, grip) in grips.iter().enumerate() {
            if grip.body != index || grip.anchor.is_none() {
                continue;
            }
            if grip.params.jaws.slips_at.is_finite() {
                held.extend(links.sliding_holds(number, &grip.params, grip.slid).into_iter().flatten());
            } else {
                let at = locate(grip.params.place, count, links.length);
                // the piece between the held section and the centre of its link bends like a joint of that length
                let stiffer = (links.length / at.1.abs().max(f64::MIN_POSITIVE)).min(STIFFEST_HOLD);
                held.push(links.hold(number, &grip.params, at, 1.0, stiffer));
            }
            numbers.resize(held.len(), number);
        }
        let acting = loads.iter().filter(|l| l.body == index && l.acts_at(time));
        pushes.extend(acting.map(|load| Push::of_load(load, count, self.links.length)));
        *own = pushes.len();
    }

    /// Set where a section that an arm carries is at the start of a part of the step.
    pub(crate) fn begin_held(&mut self, hold: usize, start: Pose) {
        self.scratch.held[hold].carried.iter_mut().for_each(|carried| carried.start = start);
    }

    /// Number of grips that memory is there for.
    pub(crate) fn most_holds(&self) -> usize {
        self.scratch.held.capacity()
    }

    /// Bodies that carry its grippers.
    pub(crate) fn carriers(&self) -> impl Iterator<Item = usize> {
        self.scratch.held.iter().filter_map(|held| Some(held.carried?.arm))
    }

    /// Indices of the arms whose links it may touch.
    pub(crate) fn leant_on(&self, obstacles: &[Obstacle]) -> impl Iterator<Item = usize> {
        let carrier = |&index: &usize| match obstacles[index].drive {
            Drive::Carried { arm, .. } => Some(arm),
            _ => None,
        };
        self.scratch.near.iter().filter_map(carrier)
    }

    /// Set the poses of the held sections over the step.
    pub(crate) fn aim(&mut self, around: &Surroundings<'_>) {
        for (held, &grip) in self.scratch.held.iter_mut().zip(&self.scratch.grips) {
            let grip = &around.grips[grip];
            let Gripper { sweep, drive, .. } = &around.grippers[grip.gripper];
            let section = |fraction| grip.anchor_at(fraction).map_or(Pose::IDENTITY, |anchor| anchor.pose());
            held.poses = [0.0, 0.5, 1.0].map(|fraction| sweep.at(fraction) * section(fraction));
            held.carried = match drive {
                Drive::Carried { arm, link, at } => {
                    let sections = [0.0, 0.5, 1.0].map(|fraction| *at * section(fraction));
                    Some(Carried { arm: *arm, link: *link, sections, start: held.poses[0] })
                }
                _ => None,
            };
        }
    }

    /// Write the load of each grip: force and torque of its hold on the gripper, about the gripper's origin.
    pub(super) fn write_loads(&self, around: &mut Surroundings<'_>) {
        for ((held, &index), load) in
            self.scratch.held.iter().zip(&self.scratch.grips).zip(&self.scratch.step.held_loads)
        {
            let grip = &mut around.grips[index];
            // halfway through the step, because the load is its mean
            let origin = around.grippers[grip.gripper].sweep.origin_at(0.5);
            grip.load += Wrench::at(held.poses[1].translation, load.0, load.1, origin);
            grip.slid -= held.share * held.slid;
        }
        for holds in self.scratch.held.chunk_by(|a, b| a.grip == b.grip) {
            let (slides, grip) = (holds.iter().any(|h| h.slid != 0.0), &mut around.grips[holds[0].grip]);
            if slides {
                let along = grip.params.place.along(self.size()) * self.length() + grip.slid;
                grip.lost = !self.links.closed && !(0.0..=self.length()).contains(&along);
            }
            if slides && !grip.slides {
                let kind = EventKind::Slips { gripper: grip.gripper, body: grip.body };
                around.events.push(Event { time: around.time + around.dt, kind });
            }
            grip.slides = slides;
        }
    }

    /// Record the loads of the first and the last section where they are held: force and moment as in a joint, and
    /// curvature.
    pub(super) fn note_ends(&mut self) {
        let Cable { state, scratch, links, .. } = self;
        let half = 0.5 * links.length;
        let sides = [(0, -half), (state.links.poses.len() - 1, half)];
        state.ends = [None; 2];
        for (held, (force, torque)) in scratch.held.iter().zip(&scratch.step.held_loads) {
            let at = |&(link, offset): &(usize, f64)| held.link == link && (held.offset - offset).abs() < 1e-9 * half;
            let Some(side) = sides.iter().position(at) else { continue };
            // at the start of the cable the gripper is before the section, at its end behind it
            let link = &state.links.poses[held.link];
            let to_section = |v: Vec3| link.rotation.inverse() * v * if side == 0 { 1.0 } else { -1.0 };
            let [.., about_y, about_z] = strain(&held.poses[2], link, held.arms());
            let turns = held.stiffness[5] == 0.0;
            let curvature = (!turns).then(|| hypot(about_y, about_z) / half);
            let end = state.ends[side].get_or_insert(HeldEnd { load: [Vec3::ZERO; 2], curvature: None });
            end.load[0] += to_section(*force);
            end.load[1] += to_section(*torque);
            end.curvature = end.curvature.or(curvature);
        }
    }
}
