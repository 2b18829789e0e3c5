//! The paper's two solvers for a step of cables that are solved together: contact forces are unknowns of their own, found
//! by projected Gauss and Seidel's method for all contacts at once (III-C), or run by run with couplings that lag behind
//! (Algorithm 1).
//!
//! The paper linearises the step once; here it is linearised again until its velocities stay, as in its section IV-D-4, so
//! that all solvers come to the same motion.

use super::block::{Vec6, add_scaled, dot};
use super::newton::{CLOSE, Crew, Solved, TOLERANCE};
use super::pairs::Pair;
use super::projection::Local;
use super::step::{Part, Share};
use super::together::{both, cable_mut, side};
use super::touch::velocity;

/// How often a step is linearised; then it is taken in two halves.
const MOST_LINEARISATIONS: u32 = 16;

/// This many double what is close.
const PATIENCE: u32 = 3;

/// Where iterations over contacts come to their limit, their slow progress is easily taken for convergence: so many
/// linearisations go on from where the last ended.
const PATIENT: u32 = 4;

/// Planes of contacts are brought up to date in so many of them; then they stay, so that the iteration can end.
const FRESH: u32 = 3;

/// A pair of links as the iteration sees it.
#[derive(Clone, Copy, Debug)]
pub struct Paired {
    /// How the links move per force of each axis.
    moves: [[Vec6; 3]; 2],
    local: Local,
}

impl Crew<'_> {
    /// Whether a member is to be solved this way; the others then are too.
    pub(super) fn is_swept(&mut self) -> bool {
        let mut any = false;
        self.each(|share| any |= share.s.runs.limit > 0);
        any
    }

    /// Make a part of the step.
    pub(super) fn sweeps(&mut self, part: &Part) -> Solved {
        let mut solved = Solved::default();
        self.each(|share| share.s.runs.provide(share.s.mean.len()));
        let mut rough = self.touches();
        self.each(|share| rough |= share.s.runs.is_cut());
        let mut last = f64::INFINITY;
        for n in 0..MOST_LINEARISATIONS {
            if !self.linearise(part, n < FRESH) {
                return solved;
            }
            solved.linearisations += 1;
            let limited = self.iterate(part, &mut solved);
            let Some((change, size)) = self.take(part) else { return solved };
            let next = change * (change / last).min(1.0);
            let close = CLOSE * f64::from(1 << (n / PATIENCE).min(16));
            let enough = next <= TOLERANCE * TOLERANCE * size || (rough && change <= close * close * size);
            if enough && (n > 0 || !rough) && (!limited || n + 1 >= PATIENT) {
                solved.converged = true;
                break;
            }
            last = change;
        }
        solved
    }

    /// Equations at the velocities at hand; with `fresh` planes of contacts too. False where that cannot be done.
    fn linearise(&mut self, part: &Part, fresh: bool) -> bool {
        if !self.assemble(part, true) {
            return false;
        }
        let mut fine = true;
        self.each(|mut share| {
            if fresh {
                share.refresh(part);
            }
            fine &= share.s.linearise(share.links, share.state, part.step());
        });
        if fine {
            self.linearise_pairs(part, fresh);
        }
        fine
    }

    /// Find the forces. True where the iterations came to their limit.
    fn iterate(&mut self, part: &Part, solved: &mut Solved) -> bool {
        let (mut limit, mut needed) = (0, !self.pairs.is_empty());
        self.each(|share| {
            limit = limit.max(share.s.runs.limit);
            needed |= share.s.runs.is_cut() || !share.s.touches.is_empty();
        });
        if !needed {
            return false;
        }
        for iteration in 1..=limit {
            solved.iterations += 1;
            self.each(|share| {
                share.s.runs.begin();
                share.s.runs.sweep(share.links);
            });
            self.sweep_pairs();
            self.regulate(iteration);
            let mut done = true;
            self.each(|share| {
                let size = share.progress(part.step()).size;
                done &= share.s.runs.couple(size);
            });
            if done {
                return false;
            }
        }
        solved.limited = true;
        true
    }

    /// (16): bound what contacts have changed.
    fn regulate(&mut self, iteration: u32) {
        let mut kept: f64 = 1.0;
        self.each(|share| kept = kept.min(share.s.runs.regulation(iteration)));
        if kept < 1.0 {
            self.each(|share| share.s.runs.shorten(kept));
            self.coupling.paired.iter_mut().for_each(|p| p.local.shorten(kept));
        }
    }

    /// Take velocities and forces over. Returns the change and what it is measured against.
    fn take(&mut self, part: &Part) -> Option<(f64, f64)> {
        for (pair, paired) in self.pairs.iter_mut().zip(&self.coupling.paired) {
            pair.take(&paired.local);
        }
        let (mut change, mut size) = (0.0, 0.0);
        self.each(|mut share| {
            let s = &mut *share.s;
            s.change.copy_from_slice(&s.runs.change);
            for (touch, touched) in s.touches.iter_mut().zip(&s.runs.touched) {
                touch.take(&touched.local);
            }
            let progress = share.progress(part.step());
            change += progress.change;
            size += progress.size;
            // `change` is what Newton's method subtracts
            share.go(-1.0);
        });
        change.is_finite().then_some((change, size))
    }

    fn linearise_pairs(&mut self, part: &Part, fresh: bool) {
        self.coupling.paired.clear();
        for n in 0..self.pairs.len() {
            let Some([a, b]) = both((self.bodies, self.first), &self.pairs[n], side) else { continue };
            if fresh {
                self.pairs[n].refresh([&a, &b], part.step());
            }
            let pair = &self.pairs[n];
            let local = pair.local([&a.mean, &b.mean]);
            let paired = self.paired(pair, local);
            for side in 0..2 {
                self.push(n, side, &paired, &paired.local.force);
            }
            self.coupling.paired.push(paired);
        }
    }

    /// How the links of a pair answer to its forces. Within one run a push on one link moves the other too.
    fn paired(&self, pair: &Pair, mut local: Local) -> Paired {
        let mut moves = [[[0.0; 6]; 3]; 2];
        let mut yielding = [[0.0; 3]; 3];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let (end, other) = (pair.ends[side], pair.ends[1 - side]);
            let crate::body::Body::Cable(cable) = &self.bodies[end.body - self.first] else { continue };
            let runs = &cable.scratch.step.runs;
            for k in 0..3 {
                let own = runs.answer(end.link, &pair.rows[side][k].map(|x| sign * x));
                let mut u = velocity(&pair.rows[side], &own).map(|x| sign * x);
                if end.body == other.body
                    && let Some(there) = runs.carried(end.link, other.link, &own)
                {
                    let more = velocity(&pair.rows[1 - side], &there);
                    u = std::array::from_fn(|i| u[i] - sign * more[i]);
                }
                (0..3).for_each(|i| yielding[i][k] += u[i]);
                moves[side][k] = own;
            }
        }
        local.yielding = yielding;
        Paired { moves, local }
    }

    /// Move the run of a link of a pair by forces of the pair.
    fn push(&mut self, n: usize, side: usize, paired: &Paired, forces: &[f64; 3]) {
        let end = self.pairs[n].ends[side];
        let mut own = [0.0; 6];
        for k in 0..3 {
            add_scaled(&mut own, forces[k], &paired.moves[side][k]);
        }
        if dot(&own, &own) > 0.0
            && let Some(cable) = cable_mut((self.bodies, self.first), end)
        {
            cable.scratch.step.runs.push(&cable.links, end.link, &own);
        }
    }

    /// One pass over the pairs. The runs of a pair's links are bound into one subsystem (IV-D-2): its force moves both at
    /// once.
    fn sweep_pairs(&mut self) {
        for n in 0..self.pairs.len() {
            let change = |c: &super::Cable, link: usize| c.scratch.step.runs.change[link];
            let Some([a, b]) = both((self.bodies, self.first), &self.pairs[n], change) else { continue };
            let u = self.pairs[n].relative([&a, &b]);
            let local = &mut self.coupling.paired[n].local;
            local.old = local.force;
            let forces = local.project(&std::array::from_fn(|k| local.base[k] + u[k]));
            let paired = self.coupling.paired[n];
            for side in 0..2 {
                self.push(n, side, &paired, &forces);
            }
        }
    }
}

impl Share<'_> {
    /// Bring planes of touches up to date with the velocities at hand.
    fn refresh(&mut self, part: &Part) {
        let Share { links, acting, s, .. } = self;
        let search = super::step::search(links, acting, part);
        for touch in &mut s.touches {
            search.refresh(touch, &s.middle[touch.link], &s.mean[touch.link]);
        }
    }
}
