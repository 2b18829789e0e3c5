//! All cables of a world in one step: those that touch each other are solved together, the others separately on several
//! threads.

use crate::body::Body;
use crate::cable::contact::pairs::Pair;
use crate::cable::group::step::{Around, Island};
use crate::cable::solver::coupling::Coupling;
use crate::team::Team;

/// Working memory, one per share of the work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    shares: Vec<Coupling>,
    members: Vec<usize>,
    arms: Vec<usize>,
    /// Whether a body is connected with another.
    together: Vec<bool>,
}

/// Maximum number of ranges that the bodies are divided into: enough for 16 threads.
const MOST_SHARES: usize = 64;

/// A range of bodies with their pairs.
struct Range<'a> {
    bodies: &'a mut [Body],
    first: usize,
    pairs: &'a mut [Pair],
    coupling: &'a mut Coupling,
}

impl Islands {
    /// Preallocate for a number of bodies.
    pub fn reserve(&mut self, bodies: usize) {
        self.members.reserve(bodies);
        self.arms.reserve(bodies);
        self.together.reserve(bodies);
        self.shares.resize_with(MOST_SHARES, Coupling::default);
    }

    /// Advance all cables. `leader` holds for each body the first of those it is connected with by pairs, and pairs are
    /// sorted by their leaders.
    pub fn advance(
        &mut self,
        bodies: &mut [Body],
        pairs: &mut [Pair],
        leader: &[usize],
        around: Around<'_>,
        dt: f64,
        team: &mut Team,
    ) {
        self.together.clear();
        self.together.resize(bodies.len(), false);
        for (body, &first) in leader.iter().enumerate().filter(|(body, first)| body != *first) {
            (self.together[body], self.together[first]) = (true, true);
        }
        // an arm is no cable's business but of those it holds
        for (body, together) in self.together.iter_mut().enumerate() {
            *together |= matches!(&bodies[body], Body::Arm(arm) if !arm.is_still());
        }
        // a single cable has the whole team
        let mut cables = (0..bodies.len()).filter(|&b| matches!(bodies[b], Body::Cable(_)));
        if let (Some(only), None) = (cables.next(), cables.next()) {
            self.together[only] = true;
        }
        self.advance_alone(bodies, pairs, leader, around, dt, team);
        // then those that are connected with others
        let mut from = 0;
        for first in 0..bodies.len() {
            let count = pairs[from..].iter().take_while(|p| leader[p.ends[0].body] == first).count();
            if self.together[first] && leader[first] == first {
                self.members.clear();
                let own = |b: &usize| leader[*b] == first;
                self.members.extend((first..bodies.len()).filter(own).filter(|&b| matches!(bodies[b], Body::Cable(_))));
                self.arms.clear();
                self.arms.extend((first..bodies.len()).filter(own).filter(|&b| matches!(bodies[b], Body::Arm(_))));
                let Some(coupling) = self.shares.first_mut() else { return };
                let pairs = &mut pairs[from..from + count];
                let (members, arms) = (&self.members, &self.arms);
                Island { bodies, first: 0, members, arms, pairs, coupling, around, team: Some(team) }.advance(dt);
            }
            from += count;
        }
    }

    /// Advance the cables that touch no other: the bodies are divided into ranges, each with its pairs.
    fn advance_alone(
        &mut self,
        bodies: &mut [Body],
        pairs: &mut [Pair],
        leader: &[usize],
        around: Around<'_>,
        dt: f64,
        team: &mut Team,
    ) {
        // several ranges per thread, as some take longer
        let parts = if team.size() > 1 { (4 * team.size()).min(MOST_SHARES) } else { 1 };
        let width = bodies.len().div_ceil(parts).max(1);
        let mut shares: [Option<Range<'_>>; MOST_SHARES] = std::array::from_fn(|_| None);
        let (mut rest, mut rest_pairs, mut first, mut used) = (bodies, pairs, 0, 0);
        let Islands { shares: couplings, together, .. } = self;
        for (slot, coupling) in shares.iter_mut().zip(couplings) {
            if rest.is_empty() {
                break;
            }
            let (bodies, others) = rest.split_at_mut(width.min(rest.len()));
            let end = first + bodies.len();
            let count = rest_pairs.iter().take_while(|p| leader[p.ends[0].body] < end).count();
            let (pairs, other_pairs) = rest_pairs.split_at_mut(count);
            *slot = Some(Range { bodies, first, pairs, coupling });
            (rest, rest_pairs, first, used) = (others, other_pairs, end, used + 1);
        }
        team.each(&mut shares[..used], |share| {
            let Some(Range { bodies, first, pairs, coupling }) = share else { return };
            let (mut from, mut last) = (0, None);
            for body in *first..*first + bodies.len() {
                let count = pairs[from..].iter().take_while(|p| leader[p.ends[0].body] == body).count();
                if matches!(bodies[body - *first], Body::Cable(_)) && !together[body] {
                    hand_on(bodies, last, body - *first);
                    last = Some(body - *first);
                    let pairs = &mut pairs[from..from + count];
                    Island { bodies, first: *first, members: &[body], arms: &[], pairs, coupling, around, team: None }
                        .advance(dt);
                }
                from += count;
            }
        });
    }
}

/// Let a cable use the working memory of the last one.
fn hand_on(bodies: &mut [Body], last: Option<usize>, next: usize) {
    let (before, rest) = bodies.split_at_mut(next);
    let Some(last) = last.and_then(|last| before.get_mut(last)) else { return };
    if let (Body::Cable(last), Some(Body::Cable(next))) = (last, rest.first_mut()) {
        next.work_in_memory_of(last);
    }
}
