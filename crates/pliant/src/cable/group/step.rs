//! A step of an island: of cables that are solved together. If the solver does not converge, the step is taken in two
//! halves, recursively; the linear step never is.

use crate::body::Body;
use crate::cable::Cable;
use crate::cable::contact::pairs::Pair;
use crate::cable::equations::midpoint::Share;
use crate::cable::equations::part::{Acting, Part};
use crate::cable::solver::coupling::Coupling;
use crate::team::Team;

/// Cables that are solved together, among all bodies.
pub(crate) struct Island<'a> {
    /// Range of bodies that contains these cables, in order.
    pub bodies: &'a mut [Body],
    /// Index of the first of these bodies in the world.
    pub first: usize,
    /// Indices of the cables in the world.
    pub members: &'a [usize],
    /// Indices of the arms that hold them.
    pub arms: &'a [usize],
    /// Pairs of links of these cables.
    pub pairs: &'a mut [Pair],
    /// Working memory for the pairs.
    pub coupling: &'a mut Coupling,
    /// Their surroundings.
    pub around: Around<'a>,
    /// Threads that are free to help.
    pub team: Option<&'a mut Team>,
}

/// Surroundings of cables.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// Acceleration of gravity [m/s2].
    pub gravity: crate::math::Vec3,
    /// All obstacles.
    pub obstacles: &'a [crate::contact::Obstacle],
    /// Shapes of arms that may meet in the step.
    pub near: &'a [super::shapes::Near],
    /// When a stop is requested, the step does not converge.
    pub stop: &'a crate::stop::Stop,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Solved {
    /// Iterations of Newton's method, or over contacts.
    pub iterations: u32,
    /// Linearisations of the equations.
    pub linearisations: u32,
    /// Whether iterations over contacts reached their limit.
    pub limited: bool,
    /// Whether they converged.
    pub converged: bool,
    /// Whether it converged, but to links that are too deep in something, or have passed through it.
    pub sank: bool,
    /// Whether it converged, but contacts pushed links out of something with energy that nothing supplied.
    pub unpaid: bool,
}

impl Solved {
    /// This result followed by another, with the work of both.
    pub fn and(self, more: Solved) -> Solved {
        Solved {
            iterations: self.iterations + more.iterations,
            linearisations: self.linearisations + more.linearisations,
            limited: self.limited || more.limited,
            converged: more.converged,
            sank: more.sank,
            unpaid: more.unpaid,
        }
    }
}

/// Smallest part of a step that is tried to make its equations converge where nothing moves fast.
pub const SMALLEST_PART: f64 = 1.0 / 256.0;

/// Smallest part of a step that is tried in an impact.
const FINEST_PART: f64 = 1.0 / 16384.0;

/// Maximum number of restarts of a step because links moved farther than expected.
const MOST_SEARCHES: usize = 4;

/// Maximum number of repeated solutions of a step because links have sunk into each other.
const MOST_STIFFENINGS: usize = 3;

impl Island<'_> {
    fn share(&mut self, member: usize) -> Option<Share<'_>> {
        match &mut self.bodies[self.members[member] - self.first] {
            Body::Cable(cable) => Some(cable.share(self.around)),
            _ => None,
        }
    }

    pub(crate) fn each(&mut self, mut f: impl FnMut(Share<'_>)) {
        for member in 0..self.members.len() {
            if let Some(share) = self.share(member) {
                f(share);
            }
        }
    }

    /// Advance by a step.
    pub fn advance(&mut self, dt: f64) {
        let still = |body: &Body| matches!(body, Body::Cable(cable) if cable.scratch.still);
        if self.arms.is_empty() && self.members.iter().all(|&member| still(&self.bodies[member - self.first])) {
            return;
        }
        self.each(|mut share| share.begin_step());
        self.coupling.begin_step();
        self.each_arm(|_, arm| arm.begin_step());
        self.find_hands();
        self.find_meets();
        let solved = self.advance_part(&Part::whole(dt));
        for &member in self.members {
            if let Body::Cable(cable) = &mut self.bodies[member - self.first] {
                cable.scratch.solved = solved;
            }
        }
        self.each_arm(|_, arm| arm.note(solved));
    }

    fn advance_part(&mut self, part: &Part) -> Solved {
        let mut solved = self.advance_once(part);
        if solved.unpaid {
            solved = solved.and(self.advance_once(&Part { recovers: false, ..*part }));
        }
        if solved.converged
            || self.around.stop.is_asked()
            || self.is_linear()
            || part.to - part.from <= self.smallest_part(part)
        {
            return solved;
        }
        let [first, second] = part.halves();
        solved = solved.and(self.advance_part(&first));
        if solved.converged {
            self.look_around(part);
            solved = solved.and(self.advance_part(&second));
        }
        solved
    }

    /// Search again for the obstacles that cables may touch: what they were far from at the start of the step they may
    /// have come to in a part of it, faster than could be expected then.
    fn look_around(&mut self, part: &Part) {
        for &member in self.members {
            let Body::Cable(cable) = &mut self.bodies[member - self.first] else { continue };
            cable.look_farther(self.around.gravity, self.around.obstacles, part.dt);
        }
    }

    /// The smallest part allowed after one that did not converge, or in which a link sank in.
    fn smallest_part(&mut self, part: &Part) -> f64 {
        let mut fast = false;
        self.each(|share| fast |= share.is_fast(part));
        if fast { FINEST_PART } else { SMALLEST_PART }
    }

    pub fn begin(&mut self, part: &Part) {
        self.begin_arms(part);
        let mut team = self.team.take();
        self.each(|mut share| share.begin(part, team.as_deref_mut()));
        self.team = team;
        self.begin_leans(part);
        self.begin_meets(part);
        self.begin_pairs(part);
    }

    /// Make one part of the step; the states are unchanged if it does not converge.
    fn advance_once(&mut self, part: &Part) -> Solved {
        let mut solved = Solved::default();
        for _ in 0..MOST_SEARCHES {
            self.begin(part);
            solved = solved.and(self.solve_part(part));
            if !solved.converged || !self.outran(part) {
                break;
            }
        }
        for _ in 0..MOST_STIFFENINGS {
            if !solved.converged || !self.stiffen(part) {
                break;
            }
            solved = solved.and(self.newton_again(part));
        }
        // the residual there, unless links turn too far to be followed
        solved.converged = solved.converged && self.assemble(part, false);
        let exact = part.to - part.from > self.smallest_part(part) && !self.is_linear();
        if exact && solved.converged {
            let mut team = self.team.take();
            self.each(|mut share| solved.sank = solved.sank || share.sank(part, team.as_deref_mut()));
            self.team = team;
            solved.sank = solved.sank || self.pairs_sank();
        }
        if solved.converged && !solved.sank {
            let mut team = self.team.take();
            self.each(|mut share| solved.sank = solved.sank || share.passed(part, exact, team.as_deref_mut()));
            self.team = team;
            solved.sank = solved.sank || self.pairs_passed();
        }
        solved.converged &= !solved.sank;
        if solved.converged {
            self.balance(part);
            let last = part.to - part.from <= SMALLEST_PART;
            solved.unpaid = !last && part.recovers && self.is_unpaid(part);
            let settled = self.settle_arms(part);
            solved.converged = last || settled && !(solved.unpaid || self.is_astray(part));
        }
        if solved.converged {
            self.soften();
            self.each(|mut share| share.finish(part));
            self.each_arm(|_, arm| arm.stop());
            self.calm_leans(part);
            self.calm_meets(part);
            self.each(|mut share| share.come_to_rest(part));
            self.each_arm(|_, arm| arm.finish_part(part));
            self.calm_pairs(part);
        }
        solved
    }

    /// Whether links have moved farther than the range of the contact search, which is then repeated.
    fn outran(&mut self, part: &Part) -> bool {
        let mut any = false;
        for &member in self.members {
            let Body::Cable(cable) = &mut self.bodies[member - self.first] else { continue };
            if cable.share(self.around).outran(part) {
                cable.look_farther(self.around.gravity, self.around.obstacles, part.dt);
                any = true;
            }
        }
        any
    }

    /// Whether contacts have pushed links out of something with energy that nothing can have supplied.
    fn is_unpaid(&mut self, part: &Part) -> bool {
        let mut power = 0.0;
        self.each(|share| power += share.s.power);
        if power <= 0.0 || self.is_linear() {
            return false;
        }
        let mut unpaid = Some(0.0);
        self.each(|mut share| unpaid = unpaid.zip(share.unpaid(part)).map(|(sum, more)| sum + more));
        unpaid.is_some_and(|unpaid| unpaid > 0.0)
    }

    /// Whether too much energy is unexplained.
    fn is_astray(&mut self, part: &Part) -> bool {
        let mut astray = false;
        self.each(|share| astray |= share.is_astray(part));
        astray && !self.is_linear()
    }

    /// Take over the contact forces, into the residual too; see `Share::is_astray`.
    fn balance(&mut self, part: &Part) {
        self.each(|mut share| share.settle_touches());
        self.each_arm(|_, arm| arm.settle_touches(part));
        self.settle_leans(part);
        self.settle_meets(part);
        self.settle_pairs();
    }

    /// Whether the equations of all members are linear apart from contact.
    pub fn is_linear(&mut self) -> bool {
        let mut all = !self.members.is_empty() && self.arms.is_empty();
        self.each(|share| all &= share.links.linear);
        all
    }

    /// Residual and, if requested, tangent, without contact; false if links turn too far to be followed.
    pub(crate) fn assemble(&mut self, part: &Part, tangent: bool) -> bool {
        let mut fits = true;
        self.assemble_arms(part, tangent);
        let mut team = self.team.take();
        self.each(|mut share| fits &= share.assemble(part, tangent, team.as_deref_mut()));
        self.team = team;
        self.load_arms();
        fits
    }
}

impl Cable {
    /// The share of the cable in a step.
    pub(crate) fn share<'a>(&'a mut self, around: Around<'a>) -> Share<'a> {
        let Cable { links, state, scratch, .. } = self;
        let acting = Acting {
            gravity: around.gravity,
            held: &scratch.held,
            slides: &scratch.slides,
            pushes: &scratch.pushes,
            loads: scratch.loads,
            obstacles: around.obstacles,
            near: &scratch.near,
        };
        Share { links, state: &mut state.links, acting, s: &mut scratch.step }
    }
}
