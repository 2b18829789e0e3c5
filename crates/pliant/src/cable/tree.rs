//! Which links may touch which: a tree of boxes over each cable, in time that grows little faster than their number.
//!
//! Neighbours along a cable are neighbours in space, so its links in order make a good tree as they are. Boxes hold
//! velocities too: what moves together does not meet, however fast it moves.

use super::Cable;
use super::block::Vec6;
use super::pairs::{End, Pair, axis_distance, nearest_neighbour};
use super::step::Links;
use crate::body::Body;
use crate::math::Vec3;

/// Most links of a leaf.
const LEAF: usize = 4;

/// Working memory of the search for pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trees {
    nodes: Vec<Node>,
    /// One for each cable.
    roots: Vec<Root>,
    /// Those in order of their lower ends along x.
    order: Vec<usize>,
    /// Of all links of all cables.
    moving: Vec<Moving>,
}

/// A link.
#[derive(Clone, Copy, Debug)]
struct Moving {
    place: Vec3,
    velocity: Vec3,
    /// Speed of its ends by its own turning [m/s].
    turning: f64,
    /// How much faster or slower the next link is [m/s].
    shearing: f64,
}

/// A cable.
#[derive(Clone, Copy, Debug)]
struct Root {
    body: usize,
    node: usize,
    /// Where its links begin among all.
    first: usize,
    /// Box of all that it may reach in the step.
    low: Vec3,
    high: Vec3,
}

/// Some links in a row; of a branch, the first half follows and `second` is the other.
#[derive(Clone, Copy, Debug)]
struct Node {
    links: [usize; 2],
    second: usize,
    places: Span,
    velocities: Span,
    turning: f64,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    low: Vec3,
    high: Vec3,
}

impl Span {
    const NONE: Span = Span { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    fn and(self, other: Span) -> Span {
        Span { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Square of the least distance of a point of one from a point of the other.
    fn least(&self, other: &Span) -> f64 {
        (other.low - self.high).max(self.low - other.high).max(Vec3::ZERO).length_squared()
    }

    /// The largest.
    fn most(&self, other: &Span) -> f64 {
        (other.high - self.low).max(self.high - other.low).length()
    }
}

/// What a search needs to know of a step.
#[derive(Clone, Copy)]
struct Step {
    dt: f64,
    gravity: Vec3,
}

impl Step {
    /// Distance of the axes of two links within which they may touch, if they move at a speed against each other [m].
    fn reach(&self, a: &Links, b: &Links, speed: f64) -> f64 {
        // gravity pulls at both, so at most one of them falls towards the other
        b.radius + a.radius + a.travel(speed, self.dt, 0.5 * self.gravity)
    }
}

/// One of two nodes that are looked at together.
#[derive(Clone, Copy)]
struct Branch<'a> {
    cable: &'a Cable,
    root: &'a Root,
    node: usize,
}

impl Trees {
    /// Room for a number of cables and their links.
    pub fn reserve(&mut self, cables: usize, links: usize) {
        self.roots.reserve(cables.saturating_sub(self.roots.len()));
        self.order.reserve(cables.saturating_sub(self.order.len()));
        self.moving.reserve(links.saturating_sub(self.moving.len()));
        self.nodes.reserve((2 * links).saturating_sub(self.nodes.len()));
    }

    /// All pairs of links that may touch in a step, in order; `known` are those of the step before, in order too.
    pub fn find(&mut self, bodies: &[Body], dt: f64, gravity: Vec3, known: &[Pair], found: &mut Vec<Pair>) {
        found.clear();
        let step = Step { dt, gravity };
        self.grow(bodies, step);
        for (n, &index) in self.order.iter().enumerate() {
            let Some(a) = self.trunk(bodies, index) else { continue };
            self.within(a, step, found);
            for &other in &self.order[n + 1..] {
                let there = &self.roots[other];
                if there.low.x > a.root.high.x {
                    break;
                }
                let meets = there.low.cmple(a.root.high).all() && there.high.cmpge(a.root.low).all();
                if let (true, Some(b)) = (meets, self.trunk(bodies, other)) {
                    self.between(a, b, step, found);
                }
            }
        }
        found.sort_unstable_by_key(|pair| pair.ends);
        for pair in found.iter_mut() {
            if let Ok(at) = known.binary_search_by_key(&pair.ends, |k| k.ends) {
                pair.go_on(&known[at]);
            }
        }
    }

    fn trunk<'a>(&'a self, bodies: &'a [Body], index: usize) -> Option<Branch<'a>> {
        let root = &self.roots[index];
        match &bodies[root.body] {
            Body::Cable(cable) => Some(Branch { cable, root, node: root.node }),
            Body::Chain(_) | Body::Xpbd(_) => None,
        }
    }

    fn grow(&mut self, bodies: &[Body], step: Step) {
        self.nodes.clear();
        self.roots.clear();
        self.moving.clear();
        for (body, cable) in bodies.iter().enumerate() {
            let Body::Cable(cable) = cable else { continue };
            let (node, first) = (self.nodes.len(), self.moving.len());
            self.list(cable);
            plant(&self.moving[first..], [0, cable.size()], &mut self.nodes);
            let Node { places, velocities, turning, .. } = self.nodes[node];
            let speed = velocities.low.abs().max(velocities.high.abs()).length() + turning;
            let links = &cable.links;
            let reach = Vec3::splat(links.radius + 0.5 * links.length + links.travel(speed, step.dt, step.gravity));
            self.roots.push(Root { body, node, first, low: places.low - reach, high: places.high + reach });
        }
        let roots = &self.roots;
        self.order.clear();
        self.order.extend(0..roots.len());
        self.order.sort_unstable_by(|&a, &b| roots[a].low.x.total_cmp(&roots[b].low.x).then(a.cmp(&b)));
    }

    /// Links of a cable.
    fn list(&mut self, cable: &Cable) {
        let links = &cable.state.links;
        let half = 0.5 * cable.links.length;
        for (i, (pose, v)) in links.poses.iter().zip(&links.velocities).enumerate() {
            let next: &Vec6 = links.velocities.get(i + 1).unwrap_or(v);
            self.moving.push(Moving {
                place: pose.translation,
                velocity: Vec3::new(v[0], v[1], v[2]),
                turning: half * (v[4] * v[4] + v[5] * v[5]).sqrt(),
                shearing: Vec3::new(next[0] - v[0], next[1] - v[1], next[2] - v[2]).length(),
            });
        }
    }

    /// Pairs of links of one branch.
    fn within(&self, branch: Branch<'_>, step: Step, found: &mut Vec<Pair>) {
        let node = &self.nodes[branch.node];
        if self.is_straight(&branch, node.links, step) {
            return;
        }
        if node.second == 0 {
            let [first, end] = node.links;
            (first..end).for_each(|i| (i + 1..end).for_each(|j| self.look([branch, branch], [i, j], step, found)));
            return;
        }
        let [a, b] = self.halves(branch);
        self.within(a, step, found);
        self.within(b, step, found);
        self.between(a, b, step, found);
    }

    /// Pairs of links of two branches.
    fn between(&self, a: Branch<'_>, b: Branch<'_>, step: Step, found: &mut Vec<Pair>) {
        let (one, other) = (&self.nodes[a.node], &self.nodes[b.node]);
        let speed = one.velocities.most(&other.velocities) + one.turning + other.turning;
        let (p, q) = (&a.cable.links, &b.cable.links);
        let reach = step.reach(p, q, speed) + 0.5 * (p.length + q.length);
        if one.places.least(&other.places) >= reach * reach {
            return;
        }
        let joined = a.root.body == b.root.body && one.links[1] == other.links[0];
        if joined && self.is_straight(&a, [one.links[0], other.links[1]], step) {
            return;
        }
        let size = |node: &Node| if node.second == 0 { 0 } else { node.links[1] - node.links[0] };
        let (mine, theirs) = (size(one), size(other));
        if mine == 0 && theirs == 0 {
            for i in one.links[0]..one.links[1] {
                (other.links[0]..other.links[1]).for_each(|j| self.look([a, b], [i, j], step, found));
            }
        } else if mine >= theirs {
            self.halves(a).into_iter().for_each(|half| self.between(half, b, step, found));
        } else {
            self.halves(b).into_iter().for_each(|half| self.between(a, half, step, found));
        }
    }

    fn halves<'a>(&self, branch: Branch<'a>) -> [Branch<'a>; 2] {
        [branch.node + 1, self.nodes[branch.node].second].map(|node| Branch { node, ..branch })
    }

    /// Whether links of a row of them cannot meet, as it goes on in one direction throughout the step.
    ///
    /// Along any direction, two links are apart by the sum of the distances in between, and by no more than the sum of
    /// their differences in speed they come closer.
    fn is_straight(&self, branch: &Branch<'_>, [first, end]: [usize; 2], step: Step) -> bool {
        let links = &branch.cable.links;
        let nearest = nearest_neighbour(links);
        if end - first <= nearest {
            return true;
        }
        let row = &self.moving[branch.root.first + first..branch.root.first + end];
        let along = (row[row.len() - 1].place - row[0].place).normalize_or_zero();
        let turning = 2.0 * row.iter().map(|m| m.turning).fold(0.0, f64::max);
        // reach is linear in the speed
        let (still, per_speed) = (step.reach(links, links, turning), step.reach(links, links, turning + 1.0));
        let needed = (still + links.length) / nearest as f64;
        let apart = |m: &[Moving]| (m[1].place - m[0].place).dot(along) - m[0].shearing * (per_speed - still);
        row.windows(2).all(|m| apart(m) > needed)
    }

    /// Take up a pair of links if they may touch.
    fn look(&self, branches: [Branch<'_>; 2], at: [usize; 2], step: Step, found: &mut Vec<Pair>) {
        let [(a, i), (b, j)] = [0, 1].map(|side| (branches[side], at[side]));
        let ends = [End { body: a.root.body, link: i }, End { body: b.root.body, link: j }];
        if ends[0].body == ends[1].body && i.abs_diff(j) < nearest_neighbour(&a.cable.links) {
            return;
        }
        let (m, n) = (&self.moving[a.root.first + i], &self.moving[b.root.first + j]);
        let (p, q) = (&a.cable.links, &b.cable.links);
        let reach = step.reach(p, q, (m.velocity - n.velocity).length() + m.turning + n.turning);
        let apart = m.place.distance(n.place) - 0.5 * (p.length + q.length);
        let pose = |branch: &Branch<'_>, link: usize| branch.cable.state.links.poses[link];
        if apart < reach && axis_distance((&pose(&a, i), p), (&pose(&b, j), q)) < reach {
            found.push(Pair::new(if ends[0] < ends[1] { ends } else { [ends[1], ends[0]] }));
        }
    }
}

/// Append the tree over a range of a cable's links.
fn plant(moving: &[Moving], [first, end]: [usize; 2], nodes: &mut Vec<Node>) {
    let at = nodes.len();
    nodes.push(Node { links: [first, end], second: 0, places: Span::NONE, velocities: Span::NONE, turning: 0.0 });
    let (mut places, mut velocities, mut turning) = (Span::NONE, Span::NONE, 0.0);
    if end - first > LEAF {
        let middle = (first + end) / 2;
        plant(moving, [first, middle], nodes);
        nodes[at].second = nodes.len();
        plant(moving, [middle, end], nodes);
        for half in [at + 1, nodes[at].second] {
            let node = &nodes[half];
            (places, velocities) = (places.and(node.places), velocities.and(node.velocities));
            turning = f64::max(turning, node.turning);
        }
    } else {
        for m in &moving[first..end] {
            places = places.and(Span { low: m.place, high: m.place });
            velocities = velocities.and(Span { low: m.velocity, high: m.velocity });
            turning = f64::max(turning, m.turning);
        }
    }
    (nodes[at].places, nodes[at].velocities, nodes[at].turning) = (places, velocities, turning);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cable::{CableSettings, CableSpec, Rest};
    use crate::material::{Friction, Material};
    use crate::section::Section;

    fn wire(path: Vec<Vec3>, segments: usize) -> Body {
        let material = Material { young: 1e6, poisson: 0.5, density: 1100.0, friction: Friction::NONE };
        let section = Section::Round { radius: 2e-3 };
        let settings = CableSettings::default();
        let spec = CableSpec { material, section, path, normal: None, rest: Rest::Straight, segments, settings };
        Body::Cable(Cable::new("wire", spec).unwrap())
    }

    /// Coils and random walks at random speeds: what the tree finds is what looking at every two links finds.
    #[test]
    fn nothing_that_may_touch_is_missed() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / f64::from(1_u32 << 31) * 2.0 - 1.0
        };
        let mut total = 0;
        for round in 0..60 {
            let mut bodies = vec![];
            for segments in [2, 3, 17, 60, 161] {
                let (mut at, mut heading) = (Vec3::new(random(), random(), random()) * 0.05, Vec3::X);
                let bend = 0.05 * f64::from(round % 6);
                let path = (0..200)
                    .map(|_| {
                        heading = (heading + Vec3::new(random(), random(), random()) * bend).normalize();
                        at += heading * 2e-3;
                        at
                    })
                    .collect();
                let mut body = wire(path, segments);
                if let Body::Cable(cable) = &mut body {
                    let all = Vec3::new(random(), random(), random()) * 3.0;
                    for v in &mut cable.state.links.velocities {
                        *v = std::array::from_fn(|k| random() * if k < 3 { 0.1 } else { 1.0 });
                        (0..3).for_each(|k| v[k] += all[k]);
                    }
                }
                bodies.push(body);
            }
            let (step, gravity) = (1e-3 * f64::from(1 + round % 10), Vec3::Z * -9.81);
            let (mut trees, mut found, mut wanted) = (Trees::default(), vec![], vec![]);
            trees.find(&bodies, step, gravity, &[], &mut found);
            let step = Step { dt: step, gravity };
            let trunks: Vec<Branch<'_>> = (0..bodies.len()).map(|n| trees.trunk(&bodies, n).unwrap()).collect();
            for (n, &a) in trunks.iter().enumerate() {
                for &b in &trunks[n..] {
                    for i in 0..a.cable.size() {
                        let from = if a.root.body == b.root.body { i + 1 } else { 0 };
                        (from..b.cable.size()).for_each(|j| trees.look([a, b], [i, j], step, &mut wanted));
                    }
                }
            }
            wanted.sort_unstable_by_key(|pair: &Pair| pair.ends);
            total += wanted.len();
            assert!(wanted == found, "round {round}: {} for {}", found.len(), wanted.len());
        }
        assert!(total > 1000);
    }
}
