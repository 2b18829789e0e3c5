//! Grips that a cable slides through: which links share one, and with what force a bent cable resists being slid.
//!
//! The links beside the held section share a grip, with the weights of a quadratic spline, and all along the cable it
//! stores the same at the same bend. Where the bend differs along the cable, the grip would store more or less
//! elsewhere; what the cable resists being slid with is what that changes by for each metre ("Eshelby-like force",
//! Bigoni et al. 2013: the difference of M^2 / (2 EI) on both sides of a sleeve).

use std::ops::Range;

use super::Cable;
use crate::body::Surroundings;
use crate::cable::algebra::block::{Vec6, add_scaled};
use crate::cable::equations::scratch::StepScratch;
use crate::cable::holds::Held;
use crate::cable::links::Links;
use crate::grip::Place;
use crate::grip::{Grip, GripParams};
use crate::linkage::locate;
use crate::math::Pose;

/// Stiffness of a hold that a cable slides through, relative to a joint.
const SLIDING_HOLD: f64 = 4.0;

/// Share of a grip below which a link is not held.
const LEAST_SHARE: f64 = 1e-6;

/// Distance along the cable over which the change of what a grip stores is taken at least, relative to a link.
const LITTLE: f64 = 0.01;

/// Iterations of a part of a step in which the force against sliding follows the bend; then it is kept, so that they
/// converge.
const FOLLOWED: u32 = 12;

/// A grip that its cable may slide through, during a step.
#[derive(Clone, Debug)]
pub struct Slide {
    /// Its holds, among those of the cable.
    pub holds: Range<usize>,
    params: GripParams,
    /// How far the cable has slid before the step, along it [m].
    slid: f64,
}

impl Links {
    /// The holds of a grip that the cable may slide through, and has slid through by `slid` [m]: of the link with the
    /// section and those beside it, equally stiff all along.
    pub(super) fn sliding_holds(&self, number: usize, params: &GripParams, slid: f64) -> [Option<Held>; 3] {
        let count = self.rest.len() + usize::from(!self.closed);
        let mut along = params.place.along(count) + slid / (count as f64 * self.length);
        if self.closed {
            along = along.rem_euclid(1.0);
        }
        let (link, offset) = locate(Place::Fraction(along), count, self.length);
        let u = offset / self.length;
        let hold = |at, share| self.hold(number, params, at, share, SLIDING_HOLD);
        let beside = |way: i8| {
            let (other, far) = (self.beside(link, way)?, f64::from(way) * u);
            let share = 0.5 * (0.5 + far).powi(2);
            (share > LEAST_SHARE).then(|| hold((other, offset - f64::from(way) * self.length), share))
        };
        let sides = [beside(-1), beside(1)];
        let others: f64 = sides.iter().flatten().map(|h| h.share).sum();
        [sides[0], Some(hold((link, offset), 1.0 - others)), sides[1]]
    }
}

impl Slide {
    /// Energy that the grip would store if the cable had slid by `slid` [m] in the step, against its direction; but for
    /// that along it [J].
    fn stored(&self, links: &Links, section: &Pose, poses: &[Pose], slid: f64) -> f64 {
        let holds = links.sliding_holds(0, &self.params, self.slid - slid);
        let mean = mean_stretch(holds.iter().flatten(), section, poses);
        let stiffness = |k: usize| holds.iter().flatten().map(|h| h.stiffness[k]).sum::<f64>();
        (1..6).map(|k| 0.5 * stiffness(k) * mean[k].powi(2)).sum()
    }

    /// The force with which the cable resists being slid, and how much it grows with the distance [N, N/m], so that on
    /// the way between two distances its work is what the grip then stores more.
    fn drift(&self, links: &Links, section: &Pose, poses: &[Pose], [from, to]: [f64; 2]) -> [f64; 2] {
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from).abs().max(2.0 * LITTLE * links.length));
        let [before, here, after] =
            [middle - half, middle, middle + half].map(|slid| self.stored(links, section, poses, slid));
        let more = ((after - 2.0 * here + before) / (half * half)).max(0.0);
        [(after - before) / (2.0 * half) - more * middle, more]
    }

    /// Set the force against sliding at the start of a part of a step, where the section is at `section`.
    pub fn begin(&self, links: &Links, held: &[Held], section: &Pose, poses: &[Pose], s: &mut StepScratch) {
        let from: f64 = self.holds.clone().map(|n| held[n].share * s.held_slid[n]).sum();
        self.set(held, self.drift(links, section, poses, [from; 2]), s);
    }

    fn set(&self, held: &[Held], drift: [f64; 2], s: &mut StepScratch) {
        for n in self.holds.clone() {
            s.held_drift[n] = drift.map(|x| held[n].share * x);
        }
    }

    /// Let the force against sliding follow the bend at the end of a part of a step, as it is found so far: the grip
    /// will store what the cable then has beside it, not what it had at the start.
    pub fn follow(&self, links: &Links, held: &[Held], s: &mut StepScratch) {
        if s.followed >= FOLLOWED {
            return;
        }
        let (mut from, mut to) = (0.0, 0.0);
        for n in self.holds.clone() {
            let (h, slid) = (&held[n], s.held_slid[n]);
            let stretch = h.stretch(&s.held_poses[n][2], &s.end[h.link]);
            from += h.share * slid;
            to += h.share * (slid + h.beyond(stretch[0], slid, s.held_drift[n]));
        }
        let section = &s.held_poses[self.holds.start][2];
        self.set(held, self.drift(links, section, &s.end, [from, to]), s);
    }
}

impl Slide {
    /// Energy that the grip stores once it holds the section to which the cable has slid in the step [J].
    fn moved(&self, links: &Links, held: &[Held], poses: &[Pose]) -> f64 {
        let slid: f64 = held[self.holds.clone()].iter().map(|h| h.share * h.slid).sum();
        let (there, section) = (Slide { slid: self.slid - slid, ..self.clone() }, &held[self.holds.start].poses[2]);
        let drift = there.drift(links, section, poses, [0.0; 2]);
        let holds = links.sliding_holds(0, &self.params, there.slid);
        let mean = mean_stretch(holds.iter().flatten(), section, poses);
        let stored = |h: &Held| h.stored(mean, drift.map(|x| h.share * x));
        holds.iter().flatten().map(stored).sum()
    }
}

/// Mean of the strains of holds that share a grip.
fn mean_stretch<'a>(holds: impl Iterator<Item = &'a Held>, section: &Pose, poses: &[Pose]) -> Vec6 {
    let mut mean = [0.0; 6];
    for hold in holds {
        add_scaled(&mut mean, hold.share, &hold.stretch(section, &poses[hold.link]));
    }
    mean
}

impl Cable {
    /// Energy in its holds at the end of the step, once grips hold the sections to which it has slid [J].
    pub(super) fn energy_moved(&self) -> f64 {
        let Cable { links, state, scratch, .. } = self;
        let poses = &state.links.poses;
        let kept = |h: &&Held| !h.may_slide();
        let stored = |h: &Held| h.stored(h.stretch(&h.poses[2], &poses[h.link]), [0.0; 2]);
        let moved = |slide: &Slide| slide.moved(links, &scratch.held, poses);
        scratch.held.iter().filter(kept).map(stored).sum::<f64>() + scratch.slides.iter().map(moved).sum::<f64>()
    }

    /// Let the holds of each grip that the cable may slide through hold the section between their links, as it is at
    /// the start of the step.
    pub(super) fn hold_sections(&mut self, around: &Surroundings<'_>) {
        let Cable { links, state, scratch, .. } = self;
        let poses = &state.links.poses;
        scratch.slides.clear();
        scratch.step.held_drift.clear();
        let mut first = 0;
        for holds in scratch.held.chunk_by_mut(|a, b| a.grip == b.grip) {
            let range = first..first + holds.len();
            first = range.end;
            scratch.step.held_drift.resize(range.end, [0.0; 2]);
            if !holds[0].may_slide() {
                continue;
            }
            let Grip { params, slid, .. } = &around.grips[holds[0].grip];
            let slide = Slide { holds: range.clone(), params: *params, slid: *slid };
            let drift = slide.drift(links, &holds[0].poses[0], poses, [0.0; 2]);
            // together they hold the section that lies between their links, and not each link by itself: a hold that
            // went over from link to link of a bent cable would store at once what nothing has given
            let mean = mean_stretch(holds.iter(), &holds[0].poses[0], poses);
            for (h, own) in holds.iter_mut().zip(&mut scratch.step.held_drift[range]) {
                *own = drift.map(|x| h.share * x);
                let stretch = h.stretch(&h.poses[0], &poses[h.link]);
                h.rest = std::array::from_fn(|k| h.rest[k] + stretch[k] - mean[k]);
            }
            scratch.slides.push(slide);
        }
    }
}
