//! Search for parts of bodies that touch or are about to: bounding boxes of bodies first, then trees of boxes of their
//! parts.

use super::outline::{Outline, Side};
use super::pass::Near;
use super::press::{Key, Press};
use super::strands;
use super::surface::{Nearest, point_of, points_between};
use crate::body::Body;
use crate::contact::tree::{Bounds, Tree, meet};
use crate::math::Vec3;

/// Parts count if they would touch within this many steps.
const AHEAD: f64 = 1.5;

/// Parts also count if their gap is below this fraction of their size.
const SLACK: f64 = 1e-3;

/// Working memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finder {
    /// Bounding boxes of bodies.
    bounds: Vec<Bounds>,
    /// Whether the bounding boxes of a body's parts are up to date.
    enclosed: Vec<bool>,
    stack: Vec<[usize; 2]>,
    nearest: Vec<Nearest>,
    /// Contacts found, sorted by key.
    pub found: Vec<Press>,
    /// Parts that are near each other, whether they touch or not.
    pub near: Vec<Near>,
}

/// Whether contact of two bodies is handled here, as no group handles it itself.
pub(crate) fn strangers(a: &Body, b: &Body) -> bool {
    !a.is_grouped_with(b)
}

/// Input of all searches of a step.
struct Search<'a> {
    bodies: &'a [Body],
    outlines: &'a [Outline],
    /// Contacts of the previous step, sorted by key.
    known: &'a [Press],
    dt: f64,
    gravity: f64,
}

impl Finder {
    /// Preallocate for bodies and their parts.
    pub fn reserve(&mut self, bodies: usize, parts: usize) {
        self.bounds.reserve(bodies);
        self.enclosed.reserve(bodies);
        self.stack.reserve(1024);
        self.nearest.reserve(parts);
        self.found.reserve(parts);
        self.near.reserve(parts);
    }

    /// Find all contacts, sorted by key. Outlines must be up to date (`Outline::place`).
    pub fn find(&mut self, bodies: &[Body], outlines: &mut [Outline], known: &[Press], dt: f64, gravity: Vec3) {
        self.found.clear();
        self.near.clear();
        self.bounds.clear();
        self.bounds.extend(outlines.iter().zip(bodies).map(|(o, body)| o.bounds(&body.skin(), dt, gravity)));
        self.enclosed.clear();
        self.enclosed.resize(bodies.len(), false);
        for a in 0..bodies.len() {
            for b in a + 1..bodies.len() {
                if !strangers(&bodies[a], &bodies[b]) || !meet(&self.bounds[a], &self.bounds[b]) {
                    continue;
                }
                for n in [a, b] {
                    if !std::mem::replace(&mut self.enclosed[n], true) {
                        outlines[n].enclose(&bodies[n], dt, gravity);
                    }
                }
                let search = Search { bodies, outlines, known, dt, gravity: gravity.length() };
                match [a, b].map(|n| bodies[n].skin().facets.is_some()) {
                    [false, false] => self.cross(&search, [a, b]),
                    [false, true] => self.touch(&search, [a, b]),
                    [true, false] => self.touch(&search, [b, a]),
                    [true, true] => {
                        self.touch(&search, [a, b]);
                        self.touch(&search, [b, a]);
                    }
                }
            }
        }
        self.found.sort_unstable_by_key(|press| press.key);
    }

    /// Find contacts of two rods.
    fn cross(&mut self, search: &Search<'_>, pair: [usize; 2]) {
        let [first, second] = pair.map(|n| &search.outlines[n]);
        let Finder { stack, found, near, .. } = self;
        first.tree.meetings(&second.tree, stack, |some, others| {
            for &i in some {
                for &j in others.iter().filter(|j| meet(&first.boxes[i as usize], &second.boxes[**j as usize])) {
                    let key = Key { bodies: pair.map(|n| n as u32), parts: [i, j], crossing: true };
                    let press = strands::press(key, [first, second], search.before(key));
                    near.push(Near { key, point: Side::default(), entry: u32::MAX, distance: 0.0 });
                    found.extend(press.filter(|p| search.counts(p)));
                }
            }
        });
    }

    /// Find contacts of points of the first body with the surface of the second.
    fn touch(&mut self, search: &Search<'_>, pair: [usize; 2]) {
        let [first, second] = pair.map(|n| &search.outlines[n]);
        let [skin, other] = pair.map(|n| search.bodies[n].skin());
        let Some(facets) = other.facets else { return };
        let rod = skin.facets.is_none();
        let count = if rod { points_between(&first.nodes.places, skin.radius) } else { 1 };
        let (tree, boxes): (&Tree, &[Bounds]) =
            if rod { (&first.tree, &first.boxes) } else { (&first.corner_tree, &first.corner_boxes) };
        let side = |point: usize| match rod {
            true => point_of((point / count) as u32, point % count, count),
            false => Side { nodes: [first.corners[point]; 3], weights: [1.0, 0.0, 0.0] },
        };
        let Finder { stack, found, nearest, near, .. } = self;
        nearest.clear();
        nearest.resize(boxes.len() * count, Nearest::NONE);
        tree.meetings(&second.tree, stack, |parts, others| {
            for &f in others {
                let corners = facets[f as usize].map(|n| second.nodes.places[n as usize]);
                for &i in parts.iter().filter(|i| meet(&boxes[**i as usize], &second.boxes[f as usize])) {
                    for point in i as usize * count..(i as usize + 1) * count {
                        nearest[point].look(side(point).of(&first.nodes.places), f, corners);
                    }
                }
            }
        });
        let bodies = pair.map(|n| n as u32);
        let from = search.known.partition_point(|p| p.key.bodies < bodies);
        let any = search.known.get(from).is_some_and(|p| p.key.bodies == bodies);
        for (point, nearest) in nearest.iter().enumerate() {
            if !any && !nearest.is_some() {
                continue;
            }
            let key = Key { bodies, parts: [point as u32, 0], crossing: false };
            let press = nearest.press(key, side(point), [first, second], facets, search.before(key));
            near.extend(press.as_ref().map(|press| {
                let height = press.gap + first.radius;
                let entry = if height < 0.0 { press.facet } else { u32::MAX };
                Near { key, point: side(point), entry, distance: nearest.distance() }
            }));
            let Some(mut press) = press.filter(|p| search.counts(p)) else { continue };
            if rod {
                let segment = point / count;
                let ends = [first.nodes.places[segment], first.nodes.places[segment + 1]];
                press.share = (ends[1] - ends[0]).length() / count as f64;
            }
            found.push(press);
        }
    }
}

impl Search<'_> {
    /// The contact of these parts in the previous step, if any.
    fn before(&self, key: Key) -> Option<&Press> {
        self.known.binary_search_by_key(&key, |p| p.key).ok().map(|n| &self.known[n])
    }

    /// Whether two parts touch, or may do so during the step.
    fn counts(&self, press: &Press) -> bool {
        let [a, b] = press.key.bodies.map(|n| &self.outlines[n as usize]);
        let velocity = press.sides[0].of(&a.nodes.velocities) - press.sides[1].of(&b.nodes.velocities);
        let closing = -velocity.dot(press.normal);
        let slack = SLACK * a.grain.min(b.grain) + 2.0 * self.gravity * self.dt * self.dt;
        press.gap < AHEAD * self.dt * closing.max(0.0) + slack
    }
}
