//! An independent check of every step: has a rod of links or a chain passed through an obstacle, or a cable through a
//! cable, and how deep do they overlap? (Planar rods touch things at points, by their contact law; what is between the
//! points may well be inside.)
//!
//! The surface of a rod is the tube of its radius around its centre line, which is closed: where a joint of a cable is
//! stretched open, the gap from link to link belongs to it. For each piece of the centre line the distance from
//! everything is stored when it is measured. As long as it has moved by less than that, it can neither have passed
//! through anything nor be deeper than the deepest place of the step: most pieces are not measured.

mod obstacles;
mod solids;
mod strands;

use crate::body::Body;
use crate::bytes::{Malformed, Reader, Stored, stored};
use crate::cable::{PARTS, PastPair};
use crate::contact::{Ends, Obstacle};
use crate::frame::{Event, EventKind, Other};

use obstacles::{Known, Surrounding};
use solids::Solids;
use strands::Strands;

/// Whether a body is joined to an obstacle, which then does not count for it.
pub type Joined<'a> = &'a dyn Fn(usize, &Obstacle) -> bool;
pub(crate) use strands::{Inside, deepest_inside};

/// Resolution of the deepest place, relative to the radius: smaller differences are not measured.
const FINER: f64 = 0.01;

/// What is known of all rods.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    curves: Vec<Curve>,
    surrounding: Surrounding,
    strands: Strands,
    solids: Solids,
    /// Largest penetration in the last step, and in all steps [m].
    depth: f64,
    deepest: f64,
    /// Whether the positions of the bodies are known.
    knows: bool,
    spare: Spare,
}

/// Memory of centre lines that are not known now; no part of the state.
#[derive(Debug, Default)]
struct Spare(Vec<Curve>);

impl Clone for Spare {
    fn clone(&self) -> Spare {
        Spare::default()
    }
}

impl Stored for Spare {
    fn write(&self, _: &mut Vec<u8>) {}

    fn read(_: &mut Reader<'_>) -> Result<Spare, Malformed> {
        Ok(Spare::default())
    }
}

/// The centre line of a rod.
#[derive(Clone, Debug, Default)]
struct Curve {
    body: usize,
    radius: f64,
    /// Its straight pieces at the start of the step, at instants within it and at its end.
    instants: Vec<Instant>,
    /// Number of instants in use.
    used: usize,
    /// What is known of each piece.
    pieces: Vec<Known>,
    /// What is known of the gap from each piece to the next.
    gaps: Vec<Known>,
    /// Whether the last piece is joined to the first.
    closed: bool,
    /// Number of adjacent pieces that form one bend, in which only the pieces themselves can touch each other, not the
    /// gaps.
    bend: usize,
}

impl PartialEq for Watch {
    /// Ignores what was known of bodies that have changed since.
    fn eq(&self, other: &Watch) -> bool {
        let known = |w: &Watch| (w.depth, w.deepest, w.knows);
        known(self) == known(other)
            && self.solids == other.solids
            && (!self.knows
                || (&self.curves, &self.surrounding, &self.strands)
                    == (&other.curves, &other.surrounding, &other.strands))
    }
}

/// The pieces of a centre line at a fraction of the step.
#[derive(Clone, Debug, Default, PartialEq)]
struct Instant {
    fraction: f64,
    pieces: Vec<Ends>,
}

impl PartialEq for Curve {
    /// Ignores instants that are not in use.
    fn eq(&self, other: &Curve) -> bool {
        (self.body, self.radius, self.closed, self.bend) == (other.body, other.radius, other.closed, other.bend)
            && self.instants() == other.instants()
            && (&self.pieces, &self.gaps) == (&other.pieces, &other.gaps)
    }
}

impl Curve {
    /// Copy from `other`, reusing the capacity.
    fn copy_from(&mut self, other: &Curve) {
        (self.body, self.radius, self.closed, self.bend) = (other.body, other.radius, other.closed, other.bend);
        self.used = 0;
        for instant in other.instants() {
            self.next(instant.fraction).extend_from_slice(&instant.pieces);
        }
        self.pieces.clone_from(&other.pieces);
        self.gaps.clone_from(&other.gaps);
    }

    /// Take over a step of the body: the end of the last step becomes its start.
    fn follow(&mut self, body: &Body) {
        self.instants.swap(0, self.used - 1);
        (self.instants[0].fraction, self.used) = (0.0, 1);
        if let Body::Cable(cable) = body {
            for (fraction, line) in cable.trail() {
                line.write_pieces(self.next(fraction));
            }
        }
        write_pieces(body, self.next(1.0));
    }

    /// The list for the pieces at the next instant.
    fn next(&mut self, fraction: f64) -> &mut Vec<Ends> {
        if self.used == self.instants.len() {
            self.instants.push(Instant::default());
        }
        self.used += 1;
        let instant = &mut self.instants[self.used - 1];
        instant.fraction = fraction;
        instant.pieces.clear();
        &mut instant.pieces
    }

    /// The instants of the step.
    fn instants(&self) -> &[Instant] {
        &self.instants[..self.used]
    }

    /// The gap from a piece to the next, if there is one.
    fn gap(&self, pieces: &[Ends], number: usize) -> Option<Ends> {
        let next = pieces.get(number + 1).or(pieces.first().filter(|_| self.closed))?;
        Some([pieces[number][1], next[0]])
    }
}

/// Radius of a rod that is checked, and the number of straight pieces of its centre line.
fn extent(body: &Body) -> Option<(f64, usize)> {
    match body {
        Body::Chain(chain) => Some((chain.radius(), chain.size() - 1)),
        _ => body.line().map(|line| (line.radius, line.poses.len())),
    }
}

fn write_pieces(body: &Body, pieces: &mut Vec<Ends>) {
    if let Body::Chain(chain) = body {
        pieces.extend((1..chain.size()).map(|i| [chain.point(i - 1), chain.point(i)]));
    } else if let Some(line) = body.line() {
        line.write_pieces(pieces);
    }
}

/// A centre line that passed through something.
struct Crossing {
    body: usize,
    other: Other,
    /// The last node before that place.
    node: usize,
}

impl Watch {
    /// Largest penetration in the last step [m].
    pub fn depth(&self) -> f64 {
        self.depth
    }

    /// Largest penetration so far [m].
    pub fn deepest(&self) -> f64 {
        self.deepest
    }

    /// Whether the positions of the bodies are known.
    pub fn knows(&self) -> bool {
        self.knows
    }

    /// Forget the positions of the bodies, because they were changed otherwise than by a step. Nothing is left but
    /// memory, so that a step that fails before it is known again can be undone by forgetting once more.
    pub fn forget(&mut self) {
        self.knows = false;
        self.keep_curves(0);
        self.surrounding.begin(&[]);
        self.strands.begin(0);
        self.solids.forget();
    }

    /// Set aside the memory of all centre lines after the first ones.
    fn keep_curves(&mut self, count: usize) {
        while self.curves.len() > count {
            self.spare.0.extend(self.curves.pop());
        }
    }

    /// Whether it is of these bodies, with this number of obstacles.
    pub fn fits(&self, bodies: &[Body], obstacles: usize) -> bool {
        let like = |curve: &Curve, (body, (radius, pieces)): (usize, (f64, usize))| {
            let known = curve.pieces.iter().chain(&curve.gaps);
            let bend = if let Body::Cable(c) = &bodies[body] { (c.is_closed(), c.bend()) } else { (false, 0) };
            (curve.body, curve.radius, (curve.closed, curve.bend)) == (body, radius, bend)
                && (1..=curve.instants.len()).contains(&curve.used)
                && curve.instants().iter().all(|instant| instant.pieces.len() == pieces)
                && [curve.pieces.len(), curve.gaps.len()] == [pieces; 2]
                && known.into_iter().all(|known| known.fits(obstacles))
        };
        let rods = || bodies.iter().enumerate().filter_map(|(n, body)| Some((n, extent(body)?)));
        if !self.solids.fits(bodies.len(), obstacles) {
            return false;
        }
        if !self.knows {
            // what is read anew before the next step
            return self.curves.iter().all(|curve| curve.used <= curve.instants.len());
        }
        self.curves.len() == rods().count()
            && self.curves.iter().zip(rods()).all(|(curve, rod)| like(curve, rod))
            && self.surrounding.fits(obstacles)
            && self.strands.fits(&self.curves)
    }

    /// Copy from `other`, reusing the capacity.
    pub fn copy_from(&mut self, other: &Watch) {
        let Watch { curves, surrounding, strands, solids, depth, deepest, knows, spare: _ } = other;
        self.keep_curves(curves.len());
        self.curves.resize_with(curves.len(), || self.spare.0.pop().unwrap_or_default());
        self.curves.iter_mut().zip(curves).for_each(|(curve, known)| curve.copy_from(known));
        self.surrounding.copy_from(surrounding);
        self.strands.copy_from(strands);
        self.solids.copy_from(solids);
        (self.depth, self.deepest, self.knows) = (*depth, *deepest, *knows);
    }

    /// Before a step: read the bodies if nothing is known of them, and preallocate for `room` pairs.
    pub fn begin(&mut self, bodies: &[Body], obstacles: &[Obstacle], room: usize) {
        if !(self.knows && self.solids.knows(bodies.len())) {
            self.solids.read(bodies, obstacles.len());
        }
        if self.knows {
            return;
        }
        self.solids.begin(bodies, obstacles);
        self.knows = true;
        let mut count = 0;
        for (body, rod) in bodies.iter().enumerate() {
            let Some((radius, pieces)) = extent(rod) else { continue };
            // reuse what was allocated before
            if count == self.curves.len() {
                self.curves.push(self.spare.0.pop().unwrap_or_default());
            }
            let curve = &mut self.curves[count];
            (curve.body, curve.radius, curve.used) = (body, radius, 0);
            (curve.closed, curve.bend) = if let Body::Cable(c) = rod { (c.is_closed(), c.bend()) } else { (false, 0) };
            write_pieces(rod, curve.next(0.0));
            // a start and an end, and for a cable whose step is cut into parts their ends
            let room = if matches!(rod, Body::Cable(_)) { PARTS + 1 } else { 2 };
            let new = || Instant { fraction: 0.0, pieces: Vec::with_capacity(pieces) };
            curve.instants.resize_with(room.max(curve.instants.len()), new);
            for known in [&mut curve.pieces, &mut curve.gaps] {
                known.clear();
                known.resize(pieces, Known::default());
            }
            count += 1;
        }
        self.keep_curves(count);
        self.surrounding.begin(obstacles);
        self.strands.begin(room);
    }

    /// Check a step that ended at `time` [s], with links of `pairs` near each other, and raise events for what crossed
    /// in it. Obstacles that a body is joined to do not count for it.
    pub fn look(
        &mut self,
        bodies: &[Body],
        pairs: &[PastPair],
        (obstacles, joined): (&[Obstacle], Joined<'_>),
        time: f64,
        events: &mut Vec<Event>,
    ) {
        let Watch { curves, surrounding, strands, solids, depth, deepest, .. } = self;
        *depth = 0.0;
        let mut told: Option<(usize, Other)> = None;
        let mut tell = |crossing: Crossing| {
            let Crossing { body, other, node } = crossing;
            // one event per pair of bodies and step
            if told != Some((body, other)) {
                told = Some((body, other));
                events.push(Event { time, kind: EventKind::Crossed { body, other, node } });
            }
        };
        surrounding.move_on(obstacles);
        for curve in curves.iter_mut() {
            curve.follow(&bodies[curve.body]);
            surrounding.look(curve, (obstacles, joined), depth, &mut tell);
        }
        strands.look(curves, pairs, depth, &mut tell);
        solids.look(bodies, obstacles, time, &mut tell);
        *deepest = deepest.max(*depth);
    }
}

stored!(Instant { fraction, pieces });
stored!(Curve { body, radius, instants, used, pieces, gaps, closed, bend });
stored!(Watch { curves, surrounding, strands, solids, depth, deepest, knows, spare });

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::cable::{Cable, CableSettings, CableSpec, End, Pair};
    use crate::contact::{ObstacleParams, Shape, ShapeKind, segment_distance, segments_cross};
    use crate::material::{Friction, Material};
    use crate::math::{Pose, Quat, Vec3};
    use crate::motion::Motion;
    use crate::rest::Rest;
    use crate::section::Section;

    const RADIUS: f64 = 2e-3;

    fn wire(path: Vec<Vec3>) -> Body {
        let material = Material { young: 1e6, poisson: 0.5, density: 1100.0, friction: Friction::NONE };
        let section = Section::Round { radius: RADIUS };
        let settings = CableSettings::default();
        let spec = CableSpec { material, section, path, normal: None, rest: Rest::Straight, segments: 20, settings };
        Body::Cable(Cable::new("wire", spec).unwrap())
    }

    fn obstacle(kind: ShapeKind, placed: Vec3) -> Obstacle {
        let (name, shape, placed) = ("thing".into(), Shape::new(kind).unwrap(), Pose::from_translation(placed));
        let params = ObstacleParams { name, shape, placed, motion: Motion::Hold, friction: None };
        Obstacle::new(params, 0.0)
    }

    fn poses(body: &mut Body) -> &mut [Pose] {
        let Body::Cable(cable) = body else { panic!("only cables here") };
        cable.poses_mut()
    }

    /// Cables that are moved about at random, by hand, against a look at everything in every step.
    #[test]
    fn nothing_that_crosses_is_missed_and_the_deepest_place_is_found() {
        let mut state = 5_u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / f64::from(1_u32 << 31) * 2.0 - 1.0
        };
        let mut crossings = [0; 2];
        for round in 0..40 {
            let scale = [1e-4, 1e-3, 1e-2][round % 3];
            let mut bodies: Vec<Body> = (0..3)
                .map(|_| {
                    let start = Vec3::new(random(), random(), random()) * 0.05;
                    wire(vec![start, start + Vec3::new(random(), random(), random()).normalize() * 0.2])
                })
                .collect();
            let mut obstacles = [
                obstacle(ShapeKind::Sphere { radius: 0.01 }, Vec3::new(0.1, 0.0, 0.0)),
                obstacle(ShapeKind::Box { size: Vec3::new(2e-4, 0.1, 0.1) }, Vec3::new(-0.1, 0.0, 0.0)),
            ];
            let end = |body: usize, link: usize| End { body, link };
            let key = move |a: End, b: End| ([a, b], [crate::cable::Stretch::Link; 2]);
            let links =
                |a: usize, b: usize| (0..400).map(move |n| Pair::new(key(end(a, n / 20), end(b, n % 20))).past());
            let mut all: Vec<PastPair> = [(0, 1), (0, 2), (1, 2)].into_iter().flat_map(|(a, b)| links(a, b)).collect();
            all.sort_unstable_by_key(|pair| pair.ends);
            let mut watch = Watch::default();
            watch.begin(&bodies, &obstacles, all.len());
            // pieces that have come into an obstacle
            let mut entered = HashSet::new();
            let ends = |bodies: &[Body]| -> Vec<Vec<Ends>> {
                let pieces = |body: &Body| {
                    let mut pieces = vec![];
                    body.line().unwrap().write_pieces(&mut pieces);
                    let gaps: Vec<Ends> = pieces.windows(2).map(|p| [p[0][1], p[1][0]]).collect();
                    pieces.extend(gaps);
                    pieces
                };
                bodies.iter().map(pieces).collect()
            };
            for _ in 0..60 {
                let before = ends(&bodies);
                for body in &mut bodies {
                    let shift = Vec3::new(random(), random(), random()) * scale;
                    poses(body).iter_mut().for_each(|pose| {
                        pose.translation += shift + Vec3::new(random(), random(), random()) * (0.02 * scale);
                    });
                }
                for o in &mut obstacles {
                    let turn = Quat::from_rotation_y(scale * random());
                    let end = Pose::from_parts(o.sweep.end.translation + Vec3::X * (scale * random()), turn);
                    o.sweep.advance_to(end);
                }
                let mut events = vec![];
                watch.look(&bodies, &all, (&obstacles, &|_, _| false), 0.0, &mut events);
                let now = ends(&bodies);
                // of pieces alone, and with the gaps between pieces
                let mut deepest: [f64; 2] = [0.0; 2];
                let mut compare = |a: usize, with: Other, crossed: [bool; 2]| {
                    let is = |e: &Event| matches!(e.kind, EventKind::Crossed { body, other, .. } if (body, other) == (a, with));
                    let told = events.iter().any(is);
                    crossings[usize::from(matches!(with, Other::Body(_)))] += usize::from(crossed[0]);
                    assert!(
                        (!crossed[0] || told) && (crossed[1] || !told),
                        "round {round}: {a}, {with:?}: {crossed:?}, {told}"
                    );
                };
                for (a, (from, to)) in before.iter().zip(&now).enumerate() {
                    let some = [20, from.len()];
                    for (index, o) in obstacles.iter().enumerate() {
                        let crossed = some.map(|n| (0..n).any(|k| obstacles::crosses(o, &from[k], &to[k])));
                        compare(a, Other::Obstacle(index), crossed);
                        for k in 0..from.len() {
                            let (outside, depth) = obstacles::depth(o, &from[k], &to[k], RADIUS);
                            // one that began in it is there on purpose
                            let counts = outside || entered.contains(&(a, k, index));
                            entered.remove(&(a, k, index));
                            if counts && depth >= RADIUS {
                                entered.insert((a, k, index));
                            }
                            let depth = if counts { depth } else { 0.0 };
                            deepest[1] = deepest[1].max(depth);
                            if k < some[0] {
                                deepest[0] = deepest[0].max(depth);
                            }
                        }
                    }
                    for b in a + 1..bodies.len() {
                        let pairs = |n: usize| (0..n).flat_map(move |i| (0..n).map(move |j| (i, j)));
                        let cross =
                            |(i, j): (usize, usize)| segments_cross([&from[i], &to[i]], [&before[b][j], &now[b][j]]);
                        compare(a, Other::Body(b), some.map(|n| pairs(n).any(cross)));
                        let depth = |(i, j): (usize, usize)| 2.0 * RADIUS - segment_distance(&to[i], &now[b][j]);
                        for (n, deepest) in some.into_iter().zip(&mut deepest) {
                            *deepest = pairs(n).map(depth).fold(*deepest, f64::max);
                        }
                    }
                }
                let found = watch.depth();
                assert!(found <= watch.deepest());
                assert!(deepest[0] - 1.1 * FINER * RADIUS < found && found < deepest[1] + 1e-9, "{found} {deepest:?}");
            }
        }
        assert!(crossings[0] > 20 && crossings[1] > 20, "{crossings:?}");
    }
}
