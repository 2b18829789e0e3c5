//! Newton's method for a step of cables that are solved together.
//!
//! Contact is part of the equations (see `touch`): each iteration solves the tangent with every contact open, sticking or
//! sliding as the velocities at hand say, so that the right combination is usually found within a few iterations. Where
//! the iteration does not converge, the step is taken in two halves, and each of them again.

use super::Cable;
use super::step::{Part, Share};
use crate::body::Body;

/// Cables that are solved together, among all bodies.
pub(crate) struct Crew<'a> {
    /// All bodies.
    pub bodies: &'a mut [Body],
    /// Indices of the cables.
    pub members: &'a [usize],
    /// What surrounds them.
    pub around: Around<'a>,
}

/// What surrounds cables.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// Acceleration of gravity [m/s2].
    pub gravity: crate::math::Vec3,
    /// All obstacles.
    pub obstacles: &'a [crate::contact::Obstacle],
}

/// How a step went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Solved {
    /// Newton iterations.
    pub iterations: u32,
    /// Whether they converged.
    pub converged: bool,
}

const MOST_ITERATIONS: u32 = 20;

/// Smallest part of a step that is tried.
const SMALLEST_PART: f64 = 1.0 / 256.0;

/// Newton stops when a correction is this small against the speeds of the step.
const TOLERANCE: f64 = 1e-7;

/// Iterations in which touches are brought up to date; after that their planes stay, so that the iteration can end.
const LOOKS: u32 = 3;

/// How often a step is begun again because links moved farther than was foreseen.
const MOST_SEARCHES: usize = 4;

impl Crew<'_> {
    fn share(&mut self, member: usize) -> Option<Share<'_>> {
        match &mut self.bodies[self.members[member]] {
            Body::Cable(cable) => Some(cable.share(self.around)),
            Body::Chain(_) => None,
        }
    }

    fn each<'s>(&'s mut self, mut f: impl FnMut(Share<'_>)) {
        for member in 0..self.members.len() {
            if let Some(share) = self.share(member) {
                f(share);
            }
        }
    }

    /// Advance by a step.
    pub fn advance(&mut self, dt: f64) -> Solved {
        self.each(|mut share| share.begin_step());
        self.advance_part(&Part { from: 0.0, to: 1.0, dt })
    }

    fn advance_part(&mut self, part: &Part) -> Solved {
        let mut solved = self.advance_once(part);
        if solved.converged || part.to - part.from <= SMALLEST_PART {
            return solved;
        }
        for half in part.halves() {
            let more = self.advance_part(&half);
            solved = Solved { iterations: solved.iterations + more.iterations, converged: more.converged };
            if !solved.converged {
                break;
            }
        }
        solved
    }

    /// One part of the step; the states are left as they were where it does not converge.
    fn advance_once(&mut self, part: &Part) -> Solved {
        let mut solved = Solved::default();
        for _ in 0..MOST_SEARCHES {
            self.each(|mut share| share.begin(part));
            let more = self.newton(part);
            solved = Solved { iterations: solved.iterations + more.iterations, converged: more.converged };
            let mut outran = false;
            self.each(|mut share| outran |= share.outran(part));
            if !solved.converged || !outran {
                break;
            }
        }
        if solved.converged {
            self.each(|mut share| share.finish(part));
        }
        solved
    }

    fn newton(&mut self, part: &Part) -> Solved {
        let mut solved = Solved::default();
        let (mut misfit, _) = self.linearise(part, true);
        while solved.iterations < MOST_ITERATIONS {
            solved.iterations += 1;
            let Some((change, size)) = self.solve(part) else { return solved };
            self.each(|mut share| share.go(1.0));
            if change <= TOLERANCE * TOLERANCE * size {
                solved.converged = true;
                return solved;
            }
            // back along the way until the residual shrinks, unless a contact has come, gone, stuck or slipped
            let mut fraction = 1.0;
            loop {
                let look = solved.iterations < LOOKS && fraction == 1.0;
                let (new, changed) = self.linearise(part, look);
                if new < misfit || fraction < 0.01 || changed > 0 || look {
                    misfit = new;
                    break;
                }
                fraction *= 0.5;
                self.each(|mut share| share.go(-fraction));
            }
        }
        solved
    }

    /// Residual and tangent; returns the size of the residual and how many contacts changed what they do.
    fn linearise(&mut self, part: &Part, look: bool) -> (f64, usize) {
        let (mut misfit, mut changed) = (0.0, 0);
        self.each(|mut share| {
            changed += share.linearise(part, look);
            misfit += share.misfit();
        });
        (misfit, changed)
    }

    /// Newton's change: its size and what it is measured against; none where it cannot be had.
    fn solve(&mut self, part: &Part) -> Option<(f64, f64)> {
        let (mut fine, mut change, mut size) = (true, 0.0, 0.0);
        self.each(|mut share| {
            fine &= share.solve();
            let progress = share.progress(part.step());
            change += progress.change;
            size += progress.size;
        });
        (fine && change.is_finite()).then_some((change, size))
    }
}

impl Cable {
    /// Its share in a step.
    pub(super) fn share<'a>(&'a mut self, around: Around<'a>) -> Share<'a> {
        let Cable { links, state, scratch, .. } = self;
        let acting = super::step::Acting {
            gravity: around.gravity,
            held: &scratch.held,
            pushes: &scratch.pushes,
            obstacles: around.obstacles,
            near: &scratch.near,
            pulled: scratch.pulled,
        };
        Share { links, state: &mut state.links, acting, s: &mut scratch.step }
    }
}
