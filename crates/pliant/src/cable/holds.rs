//! Holds and loads of a cable: cross-sections in grippers, and dead forces and torques.

use super::{Cable, Scratch};
use crate::body::Surroundings;
use crate::cable::algebra::block::{Mat6, Vec6, ZERO, add_scaled, add_weighted, times_transposed};
use crate::cable::equations::assembly::trivialised;
use crate::cable::equations::midpoint::StepScratch;
use crate::cable::joint::{Joint, Turning, strain};
use crate::cable::links::{LinkState, Links};
use crate::cable::solver::hands::Reply;
use crate::frame::{Event, EventKind};
use crate::grip::{ActingLoad, Grip, Gripper, Hold, Place, Wrench};
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
    /// Stiffness of the hold, in the order of a joint; zero for free directions.
    pub stiffness: Vec6,
    /// Strain without load: the natural bend and twist of the piece between the section and the centre of the link.
    pub rest: Vec6,
    /// Force along the cable above which it slides [N].
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

    /// Energy of the hold at the end of the step [J].
    pub fn energy(&self, link: &Pose) -> f64 {
        self.energy_at(&self.poses[2], link)
    }

    /// Energy of the hold with the section at a given pose [J]. Beyond the force at which it slides nothing is stored.
    pub fn energy_at(&self, section: &Pose, link: &Pose) -> f64 {
        let e = strain(section, link, self.arms());
        let mut stretch: Vec6 = std::array::from_fn(|k| e[k] - self.rest[k]);
        stretch[0] -= self.slid + self.beyond(stretch[0] - self.slid);
        (0..6).map(|k| 0.5 * self.stiffness[k] * stretch[k].powi(2)).sum()
    }

    /// Whether a cable may slide through the hold.
    pub fn may_slide(&self) -> bool {
        self.slips_at.is_finite()
    }

    /// The part of a stretch of the hold that is beyond what its friction bears [m]: by that much the cable slides.
    pub fn beyond(&self, stretch: f64) -> f64 {
        let bears = self.slips_at / self.stiffness[0];
        stretch - stretch.clamp(-bears, bears)
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
        let mut stiffness = h.stiffness;
        if load[0].abs() > h.slips_at {
            (load[0], stiffness[0]) = (h.slips_at.copysign(load[0]), 0.0);
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

impl Cable {
    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[ActingLoad]) {
        let count = self.size();
        let Scratch { held, grips: numbers, pushes, loads: own, .. } = &mut self.scratch;
        held.clear();
        numbers.clear();
        pushes.clear();
        for (number, grip) in grips.iter().enumerate() {
            if grip.body != index || grip.anchor.is_none() {
                continue;
            }
            let (jaws, place) = (&grip.params.jaws, grip.params.place);
            let mut along = place.along(count) + grip.slid / (count as f64 * self.links.length);
            if self.links.closed {
                along = along.rem_euclid(1.0);
            }
            let place = if grip.slid == 0.0 { place } else { Place::Fraction(along) };
            let (link, offset) = locate(place, count, self.links.length);
            // the piece between the held section and the centre of its link bends like a joint of that length
            let mut stiffer = (self.links.length / offset.abs().max(f64::MIN_POSITIVE)).min(STIFFEST_HOLD);
            if grip.slid != 0.0 {
                // the same all along the link: one that stiffens on the way would store what nothing has given
                stiffer = 2.0;
            }
            let mut stiffness = self.links.stiffness.map(|k| k * stiffer);
            if grip.params.hold == Hold::Position {
                // free to turn, and equally stiff in all directions
                stiffness = [stiffness[0], stiffness[0], stiffness[0], 0.0, 0.0, 0.0];
            }
            // the jaws are in series with it
            stiffness.iter_mut().take(3).for_each(|k| *k /= 1.0 + *k / jaws.stiffness);
            let slips_at = jaws.slips_at;
            // it points from the section to the centre of the link
            let rest = self.links.natural(link, offset).map(|x| -x);
            let poses = [Pose::IDENTITY; 3];
            held.push(Held { grip: number, link, offset, stiffness, rest, slips_at, slid: 0.0, poses, carried: None });
            numbers.push(number);
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
            let slides = held.slid != 0.0;
            if slides {
                grip.slid -= held.slid;
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
