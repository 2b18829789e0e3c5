//! Which parts of an arm's shapes may touch what in a step.

use super::{Candidate, Key, Touches};
use crate::arm::Arm;
use crate::body::Surroundings;
use crate::contact::Obstacle;
use crate::math::{Vec3, rotation_vector};
use crate::motion::Drive;

/// Largest number of contacts of two shapes.
const MOST: usize = 16;

/// Shapes of obstacles with more cores than this touch an arm by their surface alone: looking at all of them takes too long.
const MOST_CORES: usize = 400;

/// How much nearer a contact has to be to count as much as one that is farther out, of those of two shapes.
const NEARNESS: f64 = 20.0;

/// Part of the size of a shape within which contacts are looked for, however slowly it moves.
pub(crate) const CLOSE: f64 = 0.01;

/// Overlap, as part of the size of a shape, that is taken back in a few steps.
pub(crate) const SCALE: f64 = 0.02;

/// Directions in which the outermost of too many contacts are kept.
const WAYS: [Vec3; 14] = {
    const D: f64 = 0.577_350_269_189_625_8;
    const fn v(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }
    [
        v(1.0, 0.0, 0.0),
        v(-1.0, 0.0, 0.0),
        v(0.0, 1.0, 0.0),
        v(0.0, -1.0, 0.0),
        v(0.0, 0.0, 1.0),
        v(0.0, 0.0, -1.0),
        v(D, D, D),
        v(D, D, -D),
        v(D, -D, D),
        v(D, -D, -D),
        v(-D, D, D),
        v(-D, D, -D),
        v(-D, -D, D),
        v(-D, -D, -D),
    ]
};

impl Touches {
    /// Make room for so many contacts.
    pub fn reserve(&mut self, most: usize, unknowns: usize) {
        let room = |len: usize, most: usize| most.saturating_sub(len);
        self.candidates.reserve(room(self.candidates.len(), most));
        self.places.reserve(room(self.places.len(), most));
        self.list.reserve(room(self.list.len(), most));
        for rows in [&mut self.rows, &mut self.ends] {
            rows.reserve(room(rows.len(), 3 * unknowns * most));
        }
        self.calm.reserve(most, unknowns);
    }

    /// Forget what may touch.
    pub(super) fn clear(&mut self) {
        self.candidates.clear();
    }

    /// Find the cores of one of a pair that may touch the other.
    pub(super) fn find(&mut self, key: Key, candidate: Candidate, obstacles: &[Obstacle]) {
        let first = self.candidates.len();
        self.places.clear();
        let (own, other) = (&obstacles[key.shape], &obstacles[key.obstacle]);
        let (of, on) = if key.theirs { (other, own) } else { (own, other) };
        if key.theirs && of.params.shape.cores().len() > MOST_CORES {
            return;
        }
        for (core, part) in of.params.shape.cores().iter().enumerate() {
            let faces = part.meet(&of.sweep.start, &on.params.shape, &on.sweep.start, candidate.reach);
            if let Some(met) = faces[0] {
                self.candidates.push(Candidate { key: Key { core, ..key }, ..candidate });
                self.places.push((met.gap, met.point));
            }
        }
        if self.places.len() > MOST {
            self.choose(first);
        }
    }

    /// Keep the outermost of too many contacts of a pair.
    fn choose(&mut self, first: usize) {
        let mut chosen = [usize::MAX; WAYS.len()];
        for (slot, way) in chosen.iter_mut().zip(WAYS) {
            let worth = |&(gap, place): &(f64, Vec3)| way.dot(place) - NEARNESS * gap;
            let best = self.places.iter().enumerate().max_by(|a, b| worth(a.1).total_cmp(&worth(b.1)));
            *slot = best.map_or(usize::MAX, |(index, _)| index);
        }
        chosen.sort_unstable();
        let mut kept = first;
        let mut last = usize::MAX;
        for index in chosen.into_iter().filter(|&index| index != usize::MAX) {
            if index != last {
                self.candidates[kept] = self.candidates[first + index];
                kept += 1;
            }
            last = index;
        }
        self.candidates.truncate(kept);
    }
}

impl Arm {
    /// Find what its links may touch in a step.
    pub(in crate::arm) fn find_touches(&mut self, around: &Surroundings<'_>) {
        let touches = &mut self.scratch.step.touches;
        touches.candidates.clear();
        touches.given = 0.0;
        if around.near.is_empty() || self.scratch.still {
            return;
        }
        let fall = around.gravity.length() * around.dt * around.dt;
        for (shape, own) in around.obstacles.iter().enumerate() {
            let Drive::Carried { arm, link, at } = own.drive else { continue };
            if arm != around.body {
                continue;
            }
            let [low, high] = own.params.shape.bounds(&own.sweep.start);
            let size = (high - low).length();
            let moved = (own.sweep.end.translation - own.sweep.start.translation).length()
                + size * rotation_vector(own.sweep.start.rotation.inverse() * own.sweep.end.rotation).length();
            for &obstacle in around.near {
                let other = &around.obstacles[obstacle];
                let theirs = other.sweep.rates(1.0);
                let led = theirs[0].length() + theirs[1].length() * size;
                let reach = 1.5 * (moved + led) + 2.0 * fall + CLOSE * size;
                let [other_low, other_high] = other.swept_bounds(0.0);
                if !((low - reach).cmple(other_high).all() && (high + reach).cmpge(other_low).all()) {
                    continue;
                }
                for theirs in [false, true] {
                    let key = Key { shape, obstacle, core: 0, theirs };
                    let candidate = Candidate { key, link, at, reach, scale: SCALE * size };
                    touches.find(key, candidate, around.obstacles);
                }
            }
        }
    }
}
