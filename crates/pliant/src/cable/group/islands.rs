//! All cables of a world in one step: those that touch each other are solved together, the others separately on several
//! threads.

use crate::arm::Arm;
use crate::body::Body;
use crate::cable::contact::pairs::Pair;
use crate::cable::group::step::{Around, Island};
use crate::cable::solver::coupling::Coupling;
use crate::contact::Obstacle;
use crate::motion::Drive;
use crate::stage::{Probe, Stage};
use crate::team::Team;

/// Working memory, one per share of the work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    shares: Vec<Coupling>,
    /// Cables of an island, then the arms that hold them.
    members: Vec<usize>,
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
    /// Preallocate for these bodies.
    pub fn reserve(&mut self, bodies: &[Body], obstacles: &[Obstacle]) {
        self.members.reserve(bodies.len());
        self.together.reserve(bodies.len());
        self.shares.resize_with(MOST_SHARES, Coupling::default);
        let arms = bodies.iter().filter_map(Body::as_arm).map(Arm::unknowns);
        if arms.clone().count() == 0 {
            return;
        }
        // of the cables that may be in the hands of an arm, and of the longest other one: those that touch arms are rarely many
        let cables = || {
            bodies.iter().filter_map(|body| match body {
                Body::Cable(cable) => Some((cable.most_holds(), cable.size())),
                _ => None,
            })
        };
        let (holds, mut links): (Vec<usize>, Vec<usize>) = cables().filter(|(holds, _)| *holds > 0).unzip();
        links.extend(cables().filter(|(holds, _)| *holds == 0).map(|(_, links)| links).max());
        // islands with arms work in the first share
        let carried = |obstacle: &&Obstacle| matches!(obstacle.drive, Drive::Carried { .. });
        let shapes = obstacles.iter().filter(carried).count();
        self.shares[0].hands.reserve(arms, holds.iter().sum(), &links, shapes);
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
        (team, probe): (&mut Team, &mut impl Probe),
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
        self.advance_alone(bodies, pairs, leader, around, dt, (team, &mut *probe));
        // then those that are connected with others
        let mut from = 0;
        for first in 0..bodies.len() {
            let count = pairs[from..].iter().take_while(|p| leader[p.ends[0].body] == first).count();
            if self.together[first] && leader[first] == first {
                let own = |b: &usize| leader[*b] == first;
                self.members.clear();
                self.members.extend((first..bodies.len()).filter(own).filter(|&b| matches!(bodies[b], Body::Cable(_))));
                let cables = self.members.len();
                self.members.extend((first..bodies.len()).filter(own).filter(|&b| matches!(bodies[b], Body::Arm(_))));
                probe.enter_together(&self.members);
                let Some(coupling) = self.shares.first_mut() else { return };
                let pairs = &mut pairs[from..from + count];
                let (members, arms) = self.members.split_at(cables);
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
        (team, probe): (&mut Team, &mut impl Probe),
    ) {
        // several ranges per thread, as some take longer
        let parts = if team.size() > 1 { (4 * team.size()).min(MOST_SHARES) } else { 1 };
        let width = bodies.len().div_ceil(parts).max(1);
        let mut shares: [Option<Range<'_>>; MOST_SHARES] = std::array::from_fn(|_| None);
        let (mut rest, mut rest_pairs, mut first, mut used) = (bodies, pairs, 0, 0);
        let Islands { shares: couplings, together, members } = self;
        members.clear();
        members.extend((0..rest.len()).filter(|&b| matches!(rest[b], Body::Cable(_)) && !together[b]));
        if members.is_empty() {
            return;
        }
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
        let common = Common { leader, together, around, dt };
        if let ([Some(all)], 1) = (&mut shares[..used], team.size()) {
            all.advance(&common, |body| probe.enter(Stage::Advance, Some(body)));
        } else {
            probe.enter_together(members);
            team.each(&mut shares[..used], |share| {
                share.iter_mut().for_each(|range| range.advance(&common, |_| ()));
            });
        }
    }
}

/// What is the same for all ranges.
struct Common<'a> {
    leader: &'a [usize],
    together: &'a [bool],
    around: Around<'a>,
    dt: f64,
}

impl Range<'_> {
    /// Advance the cables that touch no other; `seen` is called with each before.
    fn advance(&mut self, common: &Common<'_>, mut seen: impl FnMut(usize)) {
        let Range { bodies, first, pairs, coupling } = self;
        let Common { leader, together, around, dt } = *common;
        let (mut from, mut last) = (0, None);
        for body in *first..*first + bodies.len() {
            let count = pairs[from..].iter().take_while(|p| leader[p.ends[0].body] == body).count();
            if matches!(bodies[body - *first], Body::Cable(_)) && !together[body] {
                seen(body);
                hand_on(bodies, last, body - *first);
                last = Some(body - *first);
                let pairs = &mut pairs[from..from + count];
                Island { bodies, first: *first, members: &[body], arms: &[], pairs, coupling, around, team: None }
                    .advance(dt);
            }
            from += count;
        }
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
