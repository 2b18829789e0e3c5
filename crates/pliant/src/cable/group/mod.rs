//! All cables of a world in a step: search for contacts between links, then the step, repeated if links met
//! unexpectedly.

pub mod islands;
pub(crate) mod shapes;
pub mod step;

use islands::Islands;
use shapes::Shapes;
use step::Around;

use crate::body::Body;
use crate::cable::contact::broad_phase::BroadPhase;
use crate::cable::contact::pairs::{Key, Pair, PastPair};
use crate::contact::Obstacle;
use crate::motion::Drive;
use crate::stage::{Probe, Stage};
use crate::team::Team;

/// Maximum number of repetitions of a step because links met unexpectedly.
const MOST_REPEATS: usize = 3;

/// Working memory for the cables of a world.
#[derive(Debug, Default)]
pub(crate) struct Cables {
    trees: BroadPhase,
    /// Shapes of arms that may meet.
    shapes: Shapes,
    islands: Islands,
    /// Links that may touch in the step.
    found: Vec<Key>,
    /// The pairs of the step.
    pairs: Vec<Pair>,
    /// The pairs before the step.
    before: Vec<PastPair>,
    /// Whether those have been replaced by the pairs of the current step.
    replaced: bool,
    /// For each body, the first of those it is solved with.
    leader: Vec<usize>,
}

impl Cables {
    /// Preallocate for bodies and for the pairs of their links.
    pub fn reserve(&mut self, bodies: &[Body], obstacles: &[Obstacle], pairs: &mut Vec<PastPair>) {
        self.shapes.reserve(obstacles);
        let links = |b: &Body| if let Body::Cable(cable) = b { cable.size() } else { 0 };
        let (links, count) = (bodies.iter().map(links).sum::<usize>(), bodies.len());
        self.trees.reserve(count, links);
        // a link rarely has more than a few others near it
        let most = 4 * links;
        for pairs in [pairs, &mut self.before] {
            pairs.reserve(most.saturating_sub(pairs.len()));
        }
        self.found.reserve(most.saturating_sub(self.found.len()));
        self.pairs.reserve(most.saturating_sub(self.pairs.len()));
        self.leader.reserve(count);
        self.islands.reserve(bodies, obstacles);
    }

    /// Begin a step: its pairs have not replaced those before it yet.
    pub fn keep(&mut self) {
        self.replaced = false;
    }

    /// Return to the pairs before the step, if those of the step have replaced them.
    pub fn undo(&mut self, pairs: &mut Vec<PastPair>) {
        if std::mem::take(&mut self.replaced) {
            std::mem::swap(pairs, &mut self.before);
        }
    }

    /// Links that touch or nearly touch at their current poses.
    pub fn touching(&mut self, bodies: &mut [Body]) -> &[Key] {
        for body in &mut *bodies {
            if let Body::Cable(cable) = body {
                cable.keep();
            }
        }
        self.trees.forget();
        self.trees.find(bodies, 0.0, &mut self.found);
        &self.found
    }

    /// Advance the cables, of which there is one or an arm, those that can touch each other together.
    pub fn advance(
        &mut self,
        bodies: &mut [Body],
        pairs: &mut Vec<PastPair>,
        around: Around<'_>,
        dt: f64,
        team: &mut Team,
        probe: &mut impl Probe,
    ) {
        self.trees.forget();
        for attempt in 1.. {
            probe.enter(Stage::Near, None);
            self.trees.find(bodies, dt, &mut self.found);
            self.shapes.find(bodies, around.obstacles, around.gravity, dt);
            self.find_leaders(bodies, around.obstacles);
            self.make_pairs(pairs);
            let meeting = Around { near: &self.shapes.near, ..around };
            self.islands.advance(bodies, &mut self.pairs, &self.leader, meeting, dt, (team, probe));
            self.replace(pairs);
            probe.enter(Stage::Near, None);
            if around.stop.is_asked() || !self.trees.missed(bodies, pairs) {
                break;
            }
            if attempt > MOST_REPEATS {
                // whoever looks at the step again has to know of them
                pairs.extend(self.trees.all_missed().iter().map(|&key| Pair::new(key).past()));
                pairs.sort_by_key(PastPair::key);
                pairs.dedup_by_key(|pair| pair.key());
                break;
            }
            // links met unexpectedly: repeat the step with them
            for body in &mut *bodies {
                match body {
                    Body::Cable(cable) => cable.undo(),
                    Body::Arm(arm) => arm.undo_step(),
                    _ => {}
                }
            }
            self.undo(pairs);
        }
    }

    /// Make the pairs of the step; `known` are those of the step before, sorted.
    fn make_pairs(&mut self, known: &[PastPair]) {
        self.pairs.clear();
        self.pairs.extend(self.found.iter().map(|&key| {
            let mut pair = Pair::new(key);
            if let Ok(at) = known.binary_search_by_key(&key, PastPair::key) {
                pair.go_on(&known[at]);
            }
            pair
        }));
    }

    /// Keep what the step leaves of its pairs, and those before it until the next one.
    fn replace(&mut self, pairs: &mut Vec<PastPair>) {
        std::mem::swap(pairs, &mut self.before);
        self.replaced = true;
        pairs.clear();
        pairs.extend(self.pairs.iter().map(Pair::past));
        pairs.sort_unstable_by_key(PastPair::key);
    }

    /// Find out which cables are connected by pairs, held by one arm or near its links, and sort the pairs by these groups.
    fn find_leaders(&mut self, bodies: &[Body], obstacles: &[Obstacle]) {
        let Cables { leader, found, shapes, .. } = self;
        leader.clear();
        leader.extend(0..bodies.len());
        let moves = |arm: usize| matches!(&bodies[arm], Body::Arm(arm) if !arm.is_still());
        let leant_on = |arm: usize| matches!(&bodies[arm], Body::Arm(arm) if arm.is_leant_on());
        // until the smallest index of a group has reached all of it
        let mut changed = true;
        while changed {
            changed = false;
            let mut join = |[a, b]: [usize; 2]| {
                let first = leader[a].min(leader[b]);
                changed |= leader[a] != first || leader[b] != first;
                (leader[a], leader[b]) = (first, first);
            };
            found.iter().for_each(|(ends, _)| join(ends.map(|end| end.body)));
            for near in &shapes.near {
                let drives = near.shapes.map(|shape| &obstacles[shape].drive);
                if let [Drive::Carried { arm: a, .. }, Drive::Carried { arm: b, .. }] = drives {
                    join([*a, *b]);
                }
            }
            for (index, body) in bodies.iter().enumerate() {
                let Body::Cable(cable) = body else { continue };
                cable.carriers().filter(|&arm| moves(arm)).for_each(|arm| join([index, arm]));
                cable.leant_on(obstacles).filter(|&arm| leant_on(arm)).for_each(|arm| join([index, arm]));
            }
        }
        found.sort_unstable_by_key(|key| (leader[key.0[0].body], *key));
    }
}
