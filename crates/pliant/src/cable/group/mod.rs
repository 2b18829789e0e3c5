//! All cables of a world in a step: search for contacts between links, then the step, repeated if links met
//! unexpectedly.

pub mod islands;
pub mod step;

use islands::Islands;
use step::Around;

use crate::body::Body;
use crate::cable::contact::broad_phase::BroadPhase;
use crate::cable::contact::pairs::Pair;
use crate::stage::{Probe, Stage};
use crate::team::Team;

/// Maximum number of repetitions of a step because links met unexpectedly.
const MOST_REPEATS: usize = 3;

/// Working memory for the cables of a world.
#[derive(Debug, Default)]
pub(crate) struct Group {
    trees: BroadPhase,
    islands: Islands,
    /// Pairs as they are found; after the search, those before the step.
    found: Vec<Pair>,
    /// Whether the pairs of the current step have been found.
    searched: bool,
    /// For each body, the first of those it is solved with.
    leader: Vec<usize>,
}

impl Clone for Group {
    /// Working memory is not copied: it is allocated again before the next step.
    fn clone(&self) -> Group {
        Group::default()
    }
}

impl Group {
    /// Preallocate for bodies and for the pairs of their links.
    pub fn reserve(&mut self, bodies: &[Body], pairs: &mut Vec<Pair>) {
        let links = |b: &Body| if let Body::Cable(cable) = b { cable.size() } else { 0 };
        let (links, count) = (bodies.iter().map(links).sum::<usize>(), bodies.len());
        self.trees.reserve(count, links);
        // a link rarely has more than a few others near it
        for pairs in [pairs, &mut self.found] {
            pairs.reserve((4 * links).saturating_sub(pairs.len()));
        }
        self.leader.reserve(count);
        self.islands.reserve(count);
    }

    /// Begin a step: its pairs are not found yet.
    pub fn keep(&mut self) {
        self.searched = false;
    }

    /// Return to the pairs before the step, if those of the step were found.
    pub fn undo(&mut self, pairs: &mut Vec<Pair>) {
        if std::mem::take(&mut self.searched) {
            std::mem::swap(pairs, &mut self.found);
        }
    }

    /// Links that touch or nearly touch at their current poses.
    pub fn touching(&mut self, bodies: &mut [Body]) -> &[Pair] {
        for body in &mut *bodies {
            if let Body::Cable(cable) = body {
                cable.keep();
            }
        }
        self.trees.forget();
        self.trees.find(bodies, 0.0, &[], &mut self.found);
        &self.found
    }

    /// Advance the cables, those that can touch each other together.
    pub fn advance(
        &mut self,
        bodies: &mut [Body],
        pairs: &mut Vec<Pair>,
        around: Around<'_>,
        dt: f64,
        team: &mut Team,
        probe: &mut impl Probe,
    ) {
        let Some(first) = bodies.iter().position(|b| matches!(b, Body::Cable(_))) else { return };
        self.trees.forget();
        for attempt in 1.. {
            probe.enter(Stage::Near, None);
            self.trees.find(bodies, dt, pairs, &mut self.found);
            std::mem::swap(pairs, &mut self.found);
            self.searched = true;
            self.find_leaders(bodies.len(), pairs);
            probe.enter(Stage::Advance, Some(first));
            self.islands.advance(bodies, pairs, &self.leader, around, dt, team);
            pairs.sort_unstable_by_key(Pair::key);
            probe.enter(Stage::Near, None);
            if around.stop.is_asked() || !self.trees.missed(bodies, pairs) || attempt > MOST_REPEATS {
                break;
            }
            // links met unexpectedly: repeat the step with them
            for body in &mut *bodies {
                if let Body::Cable(cable) = body {
                    cable.undo();
                }
            }
            std::mem::swap(pairs, &mut self.found);
        }
    }

    /// Find out which cables are connected by pairs, and sort the pairs by these groups.
    fn find_leaders(&mut self, bodies: usize, pairs: &mut [Pair]) {
        let leader = &mut self.leader;
        leader.clear();
        leader.extend(0..bodies);
        // until the smallest index of a group has reached all of it
        let mut changed = true;
        while changed {
            changed = false;
            for pair in &*pairs {
                let [a, b] = pair.ends.map(|end| end.body);
                let first = leader[a].min(leader[b]);
                changed |= leader[a] != first || leader[b] != first;
                (leader[a], leader[b]) = (first, first);
            }
        }
        pairs.sort_unstable_by_key(|pair| (leader[pair.ends[0].body], pair.key()));
    }
}
