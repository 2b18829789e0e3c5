//! Broad phase: finds the links that may touch each other, by a tree of bounding boxes over each cable, in time that
//! grows little faster than their number.
//!
//! Neighbours along a cable are neighbours in space, so its links in order make a good tree. Boxes include relative
//! displacements: links that move together do not meet, however fast they move.
//!
//! Before a step links are assumed to move as in the last one. After it, if some moved differently, links that met
//! unexpectedly are searched for, part by part of the step, and the step is repeated with them.

use crate::body::Body;
use crate::cable::algebra::block::Vec6;
use crate::cable::contact::pairs::{
    ALIGNED, End, Key, NEAR_END, PastPair, axis_distance, joints_count, nearest_neighbour,
};
use crate::cable::links::{Links, OPEN, Stretch, gap_after};
use crate::cable::{Cable, PARTS};
use crate::math::{Pose, Vec3, x_axis};

/// Largest number of links in a leaf.
const LEAF: usize = 4;

/// Deviation from the expected displacement, relative to the radius, up to which no new search is needed.
const ROOM: f64 = 0.25;

/// Penetration too small to repeat a step for [m].
const SHALLOW: f64 = 1e-6;

/// Working memory of the search for pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct BroadPhase {
    nodes: Vec<Node>,
    /// One per cable.
    roots: Vec<Root>,
    /// Indices of the roots, sorted by the lower ends of their boxes along x.
    order: Vec<usize>,
    /// All links of all cables.
    moving: Vec<Moving>,
    /// Links that met in the step unexpectedly.
    missed: Vec<Key>,
    /// Fractions of the step at which parts of it ended.
    ends: Vec<f64>,
    /// The part that is searched: fractions of the step.
    part: [f64; 2],
}

/// Number of parts of a step that are searched one by one; if there are more, some together.
const MOST_PARTS: usize = 64;

/// A link in a step.
#[derive(Clone, Copy, Debug)]
struct Moving {
    place: Vec3,
    /// Absolute components of the vector from its centre to its end [m].
    half: Vec3,
    /// Start of the next link, if the joint between them is open.
    open_to: Option<Vec3>,
    /// Displacement in the step [m].
    shift: Vec3,
    /// Possible deviation of its ends from that displacement [m].
    room: f64,
    /// Difference of the next link's displacement [m].
    shearing: f64,
}

/// A cable.
#[derive(Clone, Copy, Debug)]
struct Root {
    body: usize,
    node: usize,
    /// Index of its first link among all.
    first: usize,
    /// Bounding box of everything it may reach in the step.
    low: Vec3,
    high: Vec3,
}

/// Consecutive links; for a branch, the first half follows and `second` is the index of the other.
#[derive(Clone, Copy, Debug)]
struct Node {
    links: [usize; 2],
    second: usize,
    places: Span,
    shifts: Span,
    room: f64,
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

    /// Range of the differences between a point of one and a point of the other.
    fn less(&self, other: &Span) -> Span {
        Span { low: self.low - other.high, high: self.high - other.low }
    }
}

/// One of two nodes that are compared.
#[derive(Clone, Copy)]
struct Branch<'a> {
    cable: &'a Cable,
    root: &'a Root,
    node: usize,
    /// Poses of its links at the start and the end of what is searched.
    poses: [&'a [Pose]; 2],
}

impl BroadPhase {
    /// Preallocate for a number of cables and their links.
    pub fn reserve(&mut self, cables: usize, links: usize) {
        self.roots.reserve(cables.saturating_sub(self.roots.len()));
        self.order.reserve(cables.saturating_sub(self.order.len()));
        self.moving.reserve(links.saturating_sub(self.moving.len()));
        self.nodes.reserve((2 * links).saturating_sub(self.nodes.len()));
        self.ends.reserve((cables * PARTS + 1).saturating_sub(self.ends.len()));
    }

    /// Find all pairs of links that may touch in a step, sorted.
    pub fn find(&mut self, bodies: &[Body], dt: f64, found: &mut Vec<Key>) {
        found.clear();
        self.part = [0.0; 2];
        self.grow(bodies, |cable, moving| foresee(cable, dt, moving));
        self.search(bodies, |_, _, key| found.push(key));
        found.extend_from_slice(&self.missed);
        found.sort_unstable();
        found.dedup();
    }

    /// Forget the pairs missed in the step before.
    pub fn forget(&mut self) {
        self.missed.clear();
    }

    /// After a step: whether links met that are not among the sorted `pairs`. They are found the next time.
    pub fn missed(&mut self, bodies: &[Body], pairs: &[PastPair]) -> bool {
        if self.roots.iter().all(|root| self.kept_to_its_way(bodies, root)) {
            return false;
        }
        let mut missed = std::mem::take(&mut self.missed);
        let before = missed.len();
        self.find_parts(bodies);
        let (ends, mut from) = (std::mem::take(&mut self.ends), 0.0);
        for &to in &ends {
            let part = [from, to];
            (self.part, from) = (part, to);
            self.grow(bodies, |cable, moving| look_back(cable, part, moving));
            self.search(bodies, |a, b, key| {
                if pairs.binary_search_by_key(&key, PastPair::key).is_err() && met(a, b) {
                    missed.push(key);
                }
            });
        }
        (self.missed, self.ends) = (missed, ends);
        self.missed.len() > before
    }

    /// Links that met in the step unexpectedly, in all times that it was tried.
    pub fn all_missed(&self) -> &[Key] {
        &self.missed
    }

    /// Find the fractions of the step at which parts of it ended.
    fn find_parts(&mut self, bodies: &[Body]) {
        let ends = &mut self.ends;
        ends.clear();
        for body in bodies {
            if let Body::Cable(cable) = body {
                ends.extend(cable.scratch.step.trail.instants().map(|(fraction, _)| fraction));
            }
        }
        ends.push(1.0);
        ends.sort_unstable_by(f64::total_cmp);
        ends.dedup();
        let (many, mut n) = (ends.len().div_ceil(MOST_PARTS), 0);
        ends.retain(|end| {
            n += 1;
            n % many == 0 || *end == 1.0
        });
    }

    /// Whether all links of a cable moved as expected.
    fn kept_to_its_way(&self, bodies: &[Body], root: &Root) -> bool {
        let Body::Cable(cable) = &bodies[root.body] else { return true };
        let (start, end) = (&cable.scratch.before.links, &cable.state.links);
        let moving = &self.moving[root.first..root.first + cable.size()];
        let half = 0.5 * cable.links.length;
        let keeps = |fraction: f64, poses: &[Pose]| {
            let strayed = |i: usize| {
                let (from, to, shift) = (&start.poses[i], &poses[i], moving[i].shift * fraction);
                (to.translation - from.translation - shift).length() + half * turned(from, to)
            };
            (0..moving.len()).all(|i| strayed(i) <= moving[i].room)
        };
        let mut within = cable.scratch.step.trail.instants();
        keeps(1.0, &end.poses) && within.all(|(fraction, poses)| keeps(fraction, poses))
    }

    fn trunk<'a>(&'a self, bodies: &'a [Body], index: usize) -> Option<Branch<'a>> {
        let root = &self.roots[index];
        match &bodies[root.body] {
            Body::Cable(cable) => {
                let poses = self.part.map(|fraction| poses_at(cable, fraction));
                Some(Branch { cable, root, node: root.node, poses })
            }
            _ => None,
        }
    }

    fn grow(&mut self, bodies: &[Body], mut list: impl FnMut(&Cable, &mut Vec<Moving>)) {
        self.nodes.clear();
        self.roots.clear();
        self.moving.clear();
        for (body, cable) in bodies.iter().enumerate() {
            let Body::Cable(cable) = cable else { continue };
            let (node, first) = (self.nodes.len(), self.moving.len());
            list(cable, &mut self.moving);
            plant(&self.moving[first..], [0, cable.size()], &mut self.nodes);
            let Node { places, shifts, room, .. } = self.nodes[node];
            let reach = Vec3::splat(cable.links.radius + room);
            let low = places.low + shifts.low.min(Vec3::ZERO) - reach;
            let high = places.high + shifts.high.max(Vec3::ZERO) + reach;
            self.roots.push(Root { body, node, first, low, high });
        }
        let roots = &self.roots;
        self.order.clear();
        self.order.extend(0..roots.len());
        self.order.sort_unstable_by(|&a, &b| roots[a].low.x.total_cmp(&roots[b].low.x).then(a.cmp(&b)));
    }

    /// Call `tell` for all links that come near each other, once per pair.
    fn search(&self, bodies: &[Body], mut tell: impl FnMut(Linked<'_>, Linked<'_>, Key)) {
        for (n, &index) in self.order.iter().enumerate() {
            let Some(a) = self.trunk(bodies, index) else { continue };
            if a.cable.links.self_contact {
                self.within(a, &mut tell);
            }
            for &other in &self.order[n + 1..] {
                let there = &self.roots[other];
                if there.low.x > a.root.high.x {
                    break;
                }
                let meets = there.low.cmple(a.root.high).all() && there.high.cmpge(a.root.low).all();
                if let (true, Some(b)) = (meets, self.trunk(bodies, other)) {
                    self.between(a, b, &mut tell);
                }
            }
        }
    }

    /// Pairs of links within one branch.
    fn within(&self, branch: Branch<'_>, tell: &mut impl FnMut(Linked<'_>, Linked<'_>, Key)) {
        let node = &self.nodes[branch.node];
        if self.is_straight(&branch, node.links) {
            return;
        }
        if node.second == 0 {
            let [first, end] = node.links;
            (first..end).for_each(|i| (i + 1..end).for_each(|j| self.look([branch, branch], [i, j], tell)));
            return;
        }
        let [a, b] = self.halves(branch);
        self.within(a, tell);
        self.within(b, tell);
        self.between(a, b, tell);
    }

    /// Pairs of links of two branches.
    fn between(&self, a: Branch<'_>, b: Branch<'_>, tell: &mut impl FnMut(Linked<'_>, Linked<'_>, Key)) {
        let (one, other) = (&self.nodes[a.node], &self.nodes[b.node]);
        let (p, q) = (&a.cable.links, &b.cable.links);
        let reach = p.radius + q.radius + one.room + other.room;
        let (apart, shift) = (one.places.less(&other.places), one.shifts.less(&other.shifts));
        let (low, high) = (apart.low + shift.low.min(Vec3::ZERO), apart.high + shift.high.max(Vec3::ZERO));
        if low.max(-high).max(Vec3::ZERO).length_squared() >= reach * reach {
            return;
        }
        let joined = a.root.body == b.root.body && one.links[1] == other.links[0];
        if joined && self.is_straight(&a, [one.links[0], other.links[1]]) {
            return;
        }
        let size = |node: &Node| if node.second == 0 { 0 } else { node.links[1] - node.links[0] };
        let (mine, theirs) = (size(one), size(other));
        if mine == 0 && theirs == 0 {
            for i in one.links[0]..one.links[1] {
                (other.links[0]..other.links[1]).for_each(|j| self.look([a, b], [i, j], tell));
            }
        } else if mine >= theirs {
            self.halves(a).into_iter().for_each(|half| self.between(half, b, tell));
        } else {
            self.halves(b).into_iter().for_each(|half| self.between(a, half, tell));
        }
    }

    fn halves<'a>(&self, branch: Branch<'a>) -> [Branch<'a>; 2] {
        [branch.node + 1, self.nodes[branch.node].second].map(|node| Branch { node, ..branch })
    }

    /// Whether links in a row cannot meet, because it continues in one direction throughout the step.
    ///
    /// Along any direction, two links are separated by the sum of the distances in between, and they approach by at
    /// most the sum of the differences of their displacements.
    fn is_straight(&self, branch: &Branch<'_>, [first, end]: [usize; 2]) -> bool {
        let links = &branch.cable.links;
        let nearest = nearest_neighbour(links);
        if end - first <= nearest {
            return true;
        }
        let row = &self.moving[branch.root.first + first..branch.root.first + end];
        let along = (row[row.len() - 1].place - row[0].place).normalize_or_zero();
        let room = row.iter().map(|m| m.room).fold(0.0, f64::max);
        let needed = (2.0 * (links.radius + room) + links.length) / nearest as f64;
        row.windows(2).all(|m| (m[1].place - m[0].place).dot(along) - m[0].shearing > needed)
    }

    /// Call `tell` if two links come near each other.
    fn look(&self, branches: [Branch<'_>; 2], at: [usize; 2], tell: &mut impl FnMut(Linked<'_>, Linked<'_>, Key)) {
        let [(a, i), (b, j)] = [0, 1].map(|side| (branches[side], at[side]));
        let ends = [End { body: a.root.body, link: i }, End { body: b.root.body, link: j }];
        if ends[0].body == ends[1].body && a.cable.links.apart(i, j) < nearest_neighbour(&a.cable.links) {
            return;
        }
        let (m, n) = (&self.moving[a.root.first + i], &self.moving[b.root.first + j]);
        let [p, q] = [(a, i), (b, j)].map(|(Branch { cable, poses, .. }, link)| Linked {
            cable,
            link,
            on: Stretch::Link,
            poses,
        });
        let thick = p.links().radius + q.links().radius;
        let reach = thick + m.room + n.room;
        let shift = m.shift - n.shift;
        // where their centres come closest on the way
        let apart = m.place - n.place;
        let closest =
            apart + shift * (-apart.dot(shift) / shift.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let mut tell = |p: Linked<'_>, q: Linked<'_>| {
            let on = [p.on, q.on];
            if ends[0] < ends[1] { tell(p, q, (ends, on)) } else { tell(q, p, ([ends[1], ends[0]], [on[1], on[0]])) }
        };
        if closest.length() - 0.5 * (p.links().length + q.links().length) < reach
            && distance(p, q) < reach + shift.length()
            && !is_beyond(p, q, shift, m.room + n.room)
        {
            tell(p, q);
        }
        if (m.open_to.is_none() && n.open_to.is_none()) || !joints_count(&ends, p.links()) {
            return;
        }
        // a joint moves with the links on either side
        let after = |branch: Branch<'_>, link: usize| &self.moving[branch.root.first + branch.cable.links.next(link)];
        let (mine, theirs) = (after(a, i), after(b, j));
        let reach = thick + m.room.max(mine.room) + n.room.max(theirs.room) + m.shearing + n.shearing + shift.length();
        let first = m.open_to.map(|_| Linked { on: Stretch::Joint, ..p });
        let second = n.open_to.map(|_| Linked { on: Stretch::Joint, ..q });
        for (x, y) in [(Some(p), second), (first, Some(q)), (first, second)] {
            if let (Some(x), Some(y)) = (x, y)
                && distance(x, y) < reach
            {
                tell(x, y);
            }
        }
    }
}

/// A link of a cable, or the joint after it.
#[derive(Clone, Copy)]
struct Linked<'a> {
    cable: &'a Cable,
    link: usize,
    on: Stretch,
    /// Poses of the links of its cable at the start and the end of what is searched.
    poses: [&'a [Pose]; 2],
}

impl Linked<'_> {
    fn links(&self) -> &Links {
        &self.cable.links
    }

    /// The link and the one after it.
    fn numbers(&self) -> [usize; 2] {
        [self.link, self.links().next(self.link)]
    }
}

/// Whether links that lie along each other are beyond each other's ends throughout a step in which the first moves by
/// `shift` and up to `room` more: then the links between them are nearer, and act for them. Where links are much shorter than
/// thick, most of those within reach are such.
fn is_beyond(p: Linked<'_>, q: Linked<'_>, shift: Vec3, room: f64) -> bool {
    let (here, there) = (&p.poses[0][p.link], &q.poses[0][q.link]);
    let (u, v) = (x_axis(here.rotation), x_axis(there.rotation));
    let way = there.translation - here.translation;
    let (along, length) = (way.dot(u), 0.5 * (p.links().length + q.links().length));
    let gap = along.abs() - length - shift.dot(u).abs() - room;
    if gap < NEAR_END * length || u.dot(v).abs() < ALIGNED {
        return false;
    }
    // those between them exist, and are not too near each other along one cable to be pairs
    let same = std::ptr::eq(p.cable, q.cable);
    let goes_on = |l: Linked<'_>, way: f64| l.links().beside(l.link, if way > 0.0 { 1 } else { -1 }).is_some();
    let counts = || p.links().apart(p.link, q.link) >= nearest_neighbour(p.links()) + 2;
    goes_on(p, along) && goes_on(q, -way.dot(v)) && (!same || counts())
}

/// Distance between the axes of two links or joints at the start of the step [m].
fn distance(a: Linked<'_>, b: Linked<'_>) -> f64 {
    let poses = [&a, &b].map(|l| l.numbers().map(|n| &l.poses[0][n]));
    axis_distance([a.links(), b.links()], [a.on, b.on], poses)
}

/// Append the links before a step, assuming that they move as in the last one.
fn foresee(cable: &Cable, dt: f64, moving: &mut Vec<Moving>) {
    let (state, half) = (&cable.state.links, 0.5 * cable.links.length);
    let linear = |v: &Vec6| Vec3::new(v[0], v[1], v[2]) * dt;
    for (i, (pose, v)) in state.poses.iter().zip(&state.means).enumerate() {
        let shift = linear(v);
        let room = ROOM * cable.links.radius + dt * half * (v[4] * v[4] + v[5] * v[5]).sqrt();
        let next = cable.links.next(i);
        let shearing = (linear(&state.means[next]) - shift).length();
        let open_to = opens(&cable.links, [&state.poses; 2], i);
        let half = x_axis(pose.rotation).abs() * half;
        moving.push(Moving { place: pose.translation, half, open_to, shift, room, shearing });
    }
}

/// Append the links after a step, as they moved in a part of it.
fn look_back(cable: &Cable, part: [f64; 2], moving: &mut Vec<Moving>) {
    let [start, end] = part.map(|fraction| poses_at(cable, fraction));
    let shift = |i: usize| end[i].translation - start[i].translation;
    for (i, pose) in start.iter().enumerate() {
        let room = 0.5 * cable.links.length * turned(pose, &end[i]);
        let shearing = (shift(cable.links.next(i)) - shift(i)).length();
        let open_to = opens(&cable.links, [start, end], i);
        let (place, half, shift) =
            (pose.translation, x_axis(pose.rotation).abs() * (0.5 * cable.links.length), shift(i));
        moving.push(Moving { place, half, open_to, shift, room, shearing });
    }
}

/// Poses of the links of a cable at a fraction of the step, or at the last instant before it that is known.
fn poses_at(cable: &Cable, fraction: f64) -> &[Pose] {
    if fraction == 1.0 {
        return &cable.state.links.poses;
    }
    let known = cable.scratch.step.trail.instants().take_while(|(at, _)| *at <= fraction).last();
    known.map_or(&cable.scratch.before.links.poses, |(_, poses)| poses)
}

/// Start of the next link, if the joint between them is open before or after a step.
fn opens(links: &Links, [start, end]: [&[Pose]; 2], link: usize) -> Option<Vec3> {
    let next = links.next(link);
    let gap = |poses: &[Pose]| gap_after(links.length, [&poses[link], &poses[next]]);
    let is_open = |poses: &[Pose]| gap(poses).1.length_squared() > (OPEN * links.radius).powi(2);
    let is_joint = next != 0 || links.closed;
    (is_joint && (is_open(start) || is_open(end))).then(|| {
        let (from, way) = gap(start);
        from + way
    })
}

/// Distance by which the tip of a unit vector along a link moves.
fn turned(from: &Pose, to: &Pose) -> f64 {
    (x_axis(to.rotation) - x_axis(from.rotation)).length()
}

/// Whether two links have come to overlap during a step.
fn met(a: Linked<'_>, b: Linked<'_>) -> bool {
    let ends = [a, b].map(|l| l.numbers().map(|n| l.poses.map(|poses| poses[n])));
    let thick = a.links().radius + b.links().radius;
    let way = |[from, to]: &[Pose; 2]| to.translation - from.translation;
    // sampled so densely that they cannot pass each other in between
    let times = ((way(&ends[0][0]) - way(&ends[1][0])).length() / (0.5 * thick)).ceil().clamp(1.0, 1000.0);
    (1..=times as usize).any(|k| {
        let t = k as f64 / times;
        let at = |[from, to]: &[Pose; 2]| {
            Pose::from_parts(from.translation.lerp(to.translation, t), from.rotation.lerp(to.rotation, t).normalize())
        };
        let [[p, after_p], [q, after_q]] = [0, 1].map(|side| [at(&ends[side][0]), at(&ends[side][1])]);
        axis_distance([a.links(), b.links()], [a.on, b.on], [[&p, &after_p], [&q, &after_q]]) < thick - SHALLOW
    })
}

/// Append the tree over a range of a cable's links.
fn plant(moving: &[Moving], [first, end]: [usize; 2], nodes: &mut Vec<Node>) {
    let at = nodes.len();
    nodes.push(Node { links: [first, end], second: 0, places: Span::NONE, shifts: Span::NONE, room: 0.0 });
    let (mut places, mut shifts, mut room) = (Span::NONE, Span::NONE, 0.0);
    if end - first > LEAF {
        let middle = (first + end) / 2;
        plant(moving, [first, middle], nodes);
        nodes[at].second = nodes.len();
        plant(moving, [middle, end], nodes);
        for half in [at + 1, nodes[at].second] {
            let node = &nodes[half];
            (places, shifts) = (places.and(node.places), shifts.and(node.shifts));
            room = f64::max(room, node.room);
        }
    } else {
        for (i, m) in moving.iter().enumerate().take(end).skip(first) {
            places = places.and(Span { low: m.place - m.half, high: m.place + m.half });
            shifts = shifts.and(Span { low: m.shift, high: m.shift });
            room = f64::max(room, m.room);
            if let Some(place) = m.open_to {
                let next = moving.get(i + 1).unwrap_or(&moving[0]);
                places = places.and(Span { low: place, high: place });
                shifts = shifts.and(Span { low: next.shift, high: next.shift });
                room = f64::max(room, next.room);
            }
        }
    }
    (nodes[at].places, nodes[at].shifts, nodes[at].room) = (places, shifts, room);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cable::{CableSettings, CableSpec};
    use crate::material::{Friction, Material};
    use crate::rest::Rest;
    use crate::section::Section;

    fn wire(path: Vec<Vec3>, segments: usize) -> Body {
        let material = Material { young: 1e6, poisson: 0.5, density: 1100.0, friction: Friction::NONE };
        let section = Section::Round { radius: 2e-3 };
        let settings = CableSettings::default();
        let spec = CableSpec { material, section, path, normal: None, rest: Rest::Straight, segments, settings };
        Body::Cable(Cable::new("wire", spec).unwrap())
    }

    /// Coils and random walks at random speeds.
    #[test]
    fn nothing_that_may_touch_is_missed() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / f64::from(1_u32 << 31) * 2.0 - 1.0
        };
        let mut total = [0; 2];
        for round in 0..30 {
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
                    cable.scratch.before.links.copy_from(&cable.state.links);
                    for v in &mut cable.state.links.means {
                        *v = std::array::from_fn(|k| random() * if k < 3 { 0.1 } else { 1.0 });
                        (0..3).for_each(|k| v[k] += all[k]);
                    }
                }
                bodies.push(body);
            }
            let (mut trees, mut found, mut wanted) = (BroadPhase::default(), vec![], vec![]);
            trees.find(&bodies, 1e-3 * f64::from(1 + round % 10), &mut found);
            let trunks: Vec<Branch<'_>> = (0..bodies.len()).map(|n| trees.trunk(&bodies, n).unwrap()).collect();
            let at = |a: &Branch<'_>, i: usize| (a.cable.state.links.poses[i], trees.moving[a.root.first + i]);
            for (n, a) in trunks.iter().enumerate() {
                for (b, i) in trunks[n..].iter().flat_map(|b| (0..a.cable.size()).map(move |i| (b, i))) {
                    let nearest = nearest_neighbour(&a.cable.links);
                    let from = if a.root.body == b.root.body { i + nearest } else { 0 };
                    for j in from..b.cable.size() {
                        let ((p, m), (q, o)) = (at(a, i), at(b, j));
                        let reach = 4e-3 + m.room + o.room;
                        // a look at every moment finds what the quick one must not leave out
                        let near = (0..=40).any(|k| {
                            let shift = (m.shift - o.shift) * (f64::from(k) / 40.0);
                            let moved = Pose::from_parts(p.translation + shift, p.rotation);
                            let on = [Stretch::Link; 2];
                            let poses = [[&moved, &moved], [&q, &q]];
                            axis_distance([&a.cable.links, &b.cable.links], on, poses) < reach
                        });
                        if near {
                            let ends = [End { body: a.root.body, link: i }, End { body: b.root.body, link: j }];
                            wanted.push((ends, [Stretch::Link; 2]));
                        }
                    }
                }
            }
            total[0] += wanted.len();
            total[1] += found.len();
            for key in wanted {
                assert!(found.binary_search(&key).is_ok(), "round {round}: {key:?}");
            }
        }
        // and it does not find everything
        assert!(total[0] > 300 && total[1] < 5 * total[0], "{total:?}");
    }
}
