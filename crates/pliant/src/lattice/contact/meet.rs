//! Contact of bodies with each other and with themselves, from the volume between interpenetrating facets.

use super::overlap::{FACING, Face, overlap};
use super::pairs::{Broad, Pair, Surface};
use super::rub::Stick;
use super::touch::{Law, Pressed};
use crate::body::{Body, Surroundings};
use crate::bytes::stored;
use crate::contact::blend;
use crate::contact::tree::{Bounds, EMPTY, around as box_around, meet};
use crate::frame::{Contact, Other};
use crate::lattice::group::lattices;
use crate::lattice::integrate::Motion;
use crate::lattice::work::Met;
use crate::lattice::{Lattice, Scratch};
use crate::math::Vec3;
use crate::places::share;
use crate::world::Beside;

/// Margin on particle speeds during a world step, relative to those at its start.
const FASTER: f64 = 1.5;

/// Two facets in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Bodies and facets in contact.
    pub pair: Pair,
    /// State of friction.
    pub stick: Stick,
    /// Contact point on the first body, in the world [m].
    pub place: Vec3,
    /// Unit normal: the direction in which the first body is pushed.
    pub normal: Vec3,
    /// Force on the first body, in the world [N].
    pub force: Vec3,
    /// Penetration [m].
    pub depth: f64,
}

/// Working memory of contact between bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meetings {
    broad: Broad,
    /// Indices in the world of the bodies of this model.
    solids: Vec<u32>,
    /// Facets that may touch others during the world step.
    near: Vec<Near>,
    /// Pairs of facets that may touch, sorted, and their indices in `near`.
    pairs: Vec<(Pair, [u32; 2])>,
    /// Contacts at the end of the trial step.
    next: Vec<Meeting>,
}

/// A facet that may touch others during the world step.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// Index of its body.
    body: u32,
    /// Indices of its particles.
    ids: [u32; 3],
    /// The facet at the end of the trial step.
    face: Face,
    /// Its bounding box there, enlarged by half of the deepest penetration that counts.
    bounds: Bounds,
}

/// A facet at the start of the world step.
#[derive(Clone, Copy, Debug)]
pub(in crate::lattice) struct Facing {
    corners: [Vec3; 3],
    normal: Vec3,
    /// Upper bound on the travel of its corners in the step [m].
    travel: f64,
    /// Upper bound on its turn in the step [rad].
    turn: f64,
    /// Index in the list of facets that may touch others; past its end if it is not in it.
    near: u32,
}

impl Facing {
    /// Whether it cannot touch another facet in the step: they do not face each other, or one is outside the other.
    fn stays_away(&self, other: &Facing) -> bool {
        let outside = |a: &Facing, b: &Facing| {
            b.corners.iter().all(|corner| {
                let arm = *corner - a.corners[0];
                arm.dot(a.normal) > a.travel + b.travel + a.turn * arm.length()
            })
        };
        let facing = self.normal.dot(other.normal) <= self.turn + other.turn - FACING;
        !facing || outside(self, other) || outside(other, self)
    }
}

/// The two facets of a pair.
fn facings(bodies: &[Body], pair: &Pair) -> Option<[Facing; 2]> {
    let facing = |k: usize| match &bodies[pair.bodies[k] as usize] {
        Body::Lattice(lattice) => lattice.scratch.facings.get(pair.facets[k] as usize).copied(),
        _ => None,
    };
    Some([facing(0)?, facing(1)?])
}

impl Meetings {
    /// Preallocate for a number of bodies.
    pub fn reserve(&mut self, bodies: usize) {
        self.solids.reserve(bodies.saturating_sub(self.solids.len()));
    }

    /// Find the facets that may touch each other during a world step.
    pub fn find(&mut self, bodies: &mut [Body], around: &Surroundings<'_>) {
        let Meetings { broad, solids, near, pairs, .. } = self;
        solids.clear();
        near.clear();
        pairs.clear();
        solids.extend(bodies.iter().enumerate().filter(|(_, b)| matches!(b, Body::Lattice(_))).map(|(n, _)| n as u32));
        let alone = |body: &Body| !matches!(body, Body::Lattice(l) if l.settings.self_contact);
        if solids.len() < 2 && bodies.iter().all(alone) {
            return;
        }
        lattices(bodies).for_each(|lattice| lattice.box_facets(around));
        let surface = |n: usize| match &bodies[solids[n] as usize] {
            Body::Lattice(lattice) => lattice.surface(),
            _ => Surface { facets: &[], boxes: &[], itself: None },
        };
        for found in broad.find(solids.len(), surface) {
            let pair = Pair { bodies: found.bodies.map(|n| solids[n as usize]), ..*found };
            let Some([x, y]) = facings(bodies, &pair) else { continue };
            if x.stays_away(&y) {
                continue;
            }
            let places = [0, 1].map(|k| {
                let (body, facet) = (pair.bodies[k], pair.facets[k] as usize);
                let Body::Lattice(lattice) = &mut bodies[body as usize] else { return 0 };
                let Lattice { matter, state, scratch, .. } = lattice;
                let place = &mut scratch.facings[facet].near;
                if *place as usize >= near.len() {
                    *place = near.len() as u32;
                    let ids = matter.facets[facet];
                    let face = Face::new(ids.map(|n| state.motion.places[n as usize]), matter.turns[facet]);
                    near.push(Near { body, ids, face, bounds: EMPTY });
                }
                *place
            });
            pairs.push((pair, places));
        }
    }

    /// Add contact forces between bodies at the end of a trial step of `tau` [s].
    pub fn push(&mut self, bodies: &mut [Body], before: &[Meeting], tau: f64) {
        let Meetings { near, pairs, next, .. } = self;
        next.clear();
        lattices(bodies).for_each(|lattice| lattice.scratch.met.clear());
        for near in near.iter_mut() {
            let Body::Lattice(lattice) = &bodies[near.body as usize] else { continue };
            near.face = Face::new(near.ids.map(|n| lattice.scratch.next.places[n as usize]), near.face.turns);
            near.bounds = box_around(&near.face.corners, 0.25 * lattice.grain);
        }
        for &(pair, places) in pairs.iter() {
            let [x, y] = places.map(|n| &near[n as usize]);
            // most candidates are farther apart than the deepest penetration that counts
            if !x.face.faces(&y.face) || !meet(&x.bounds, &y.bounds) {
                continue;
            }
            let [Body::Lattice(a), Body::Lattice(b)] = pair.bodies.map(|n| &bodies[n as usize]) else { continue };
            let Some(o) = overlap(&x.face, &y.face, 0.5 * a.grain.min(b.grain)) else { continue };
            let law = a.contact.with(&b.contact);
            let velocity = blend(&a.moving(x.ids), &o.on_x) - blend(&b.moving(y.ids), &o.on_y);
            let found = before.binary_search_by_key(&pair, |m| m.pair);
            let mut stick = found.map_or(Stick::default(), |n| before[n].stick);
            let pressed = Pressed { normal: o.normal, volume: o.volume, aside: o.aside, area: o.area, velocity };
            let force = law.push(&pressed, &mut stick, tau);
            let place = 0.5 * (blend(&x.face.corners, &o.on_x) + blend(&y.face.corners, &o.on_y));
            next.push(Meeting { pair, stick, place, normal: o.normal, force, depth: o.deepest });
            let itself = pair.bodies[0] == pair.bodies[1];
            for (side, parts, force) in [(x, &o.on_x, force), (y, &o.on_y, -force)] {
                let Body::Lattice(lattice) = &mut bodies[side.body as usize] else { continue };
                let Scratch { next: Motion { forces, .. }, met, .. } = &mut lattice.scratch;
                let pushes = share(&side.face.corners, parts, force, place);
                for (particle, force) in side.ids.into_iter().zip(pushes) {
                    forces[particle as usize] += force;
                    met.push(Met { particle, force, itself });
                }
            }
        }
    }

    /// Keep the contacts of an accepted step.
    pub fn keep(&mut self, meetings: &mut Vec<Meeting>) {
        std::mem::swap(meetings, &mut self.next);
    }
}

impl Law {
    /// Law of the contact of two surfaces: their stiffnesses act in series.
    fn with(&self, other: &Law) -> Law {
        let series = |a: f64, b: f64| if a + b > 0.0 { a * b / (a + b) } else { 0.0 };
        let more_slippery = |n: usize| self.friction[n].min(other.friction[n]);
        Law {
            stiffness: series(self.stiffness, other.stiffness),
            damping: series(self.damping, other.damping),
            friction: [more_slippery(0), more_slippery(1)],
        }
    }
}

impl Lattice {
    /// Update its facets and their bounding boxes, including travel.
    fn box_facets(&mut self, around: &Surroundings<'_>) {
        let Lattice { matter, state, scratch, grain, .. } = self;
        let motion = &state.motion;
        let fastest = motion.velocities.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
        // contact counts down to half a cell deep, a quarter for either side: bounding boxes of such facets must
        // overlap
        let travel = around.dt * (FASTER * fastest + around.gravity.length() * around.dt);
        let margin = travel + 0.25 * *grain;
        scratch.boxes.clear();
        scratch.facings.clear();
        for facet in &matter.facets {
            let corners = facet.map(|n| motion.places[n as usize]);
            let [u, v, w] = facet.map(|n| motion.velocities[n as usize]);
            let [a, b, c] = corners;
            let sides = [b - a, c - b, a - c].map(|side| side.length());
            let (across, longest) = ((b - a).cross(c - a), sides.into_iter().fold(0.0, f64::max));
            // it turns at most at the relative speed of its corners over its least height
            let passing = (v - u).length().max((w - u).length()).max((w - v).length());
            let turn = 2.0 * FASTER * around.dt * passing * longest / across.length();
            let turn = if turn.is_finite() { turn } else { f64::MAX };
            scratch.boxes.push(box_around(&corners, margin));
            let normal = across.normalize_or_zero();
            scratch.facings.push(Facing { corners, normal, travel, turn, near: u32::MAX });
        }
    }

    fn surface(&self) -> Surface<'_> {
        let itself = self.settings.self_contact.then_some(&[][..]);
        Surface { facets: &self.matter.facets, boxes: &self.scratch.boxes, itself }
    }

    /// Velocities of three particles at the end of the trial step.
    fn moving(&self, ids: [u32; 3]) -> [Vec3; 3] {
        ids.map(|n| self.scratch.next.velocities[n as usize])
    }
}

/// Append the contacts between bodies that exert a force.
pub(crate) fn write_meetings(meetings: &[Meeting], contacts: &mut Vec<Contact>) {
    contacts.extend(meetings.iter().filter(|m| m.force != Vec3::ZERO).map(|m| Contact {
        body: m.pair.bodies[0] as usize,
        other: Other::Body(m.pair.bodies[1] as usize),
        position: m.place,
        normal: m.normal,
        force: m.force,
        penetration: m.depth,
        along: None,
    }));
}

/// Upper bound on the energy that contacts between bodies can return [J].
pub(crate) fn most_stored(meetings: &[Meeting]) -> f64 {
    meetings.iter().map(|m| m.force.length() * (m.depth + m.stick.offset.length())).sum()
}

/// Pairs of bodies in contact.
pub(crate) fn meetings_beside(meetings: &[Meeting]) -> impl Iterator<Item = Beside> {
    meetings.iter().map(|m| Beside { bodies: m.pair.bodies.map(|n| n as usize), pushes: m.force != Vec3::ZERO })
}

/// Whether all contacts are of facets that are there, in order.
pub(crate) fn meetings_fit(meetings: &[Meeting], bodies: &[Body]) -> bool {
    let there = |meeting: &Meeting| {
        let Pair { bodies: two, facets } = meeting.pair;
        two.iter().zip(facets).all(|(body, facet)| {
            matches!(bodies.get(*body as usize), Some(Body::Lattice(lattice)) if lattice.has_facet(facet))
        })
    };
    meetings.iter().all(there) && meetings.is_sorted_by_key(|meeting| meeting.pair)
}

/// Drop the contacts of a removed body; the indices of those after it drop by one.
pub(crate) fn forget_body(meetings: &mut Vec<Meeting>, gone: usize) {
    let gone = gone as u32;
    meetings.retain(|meeting| !meeting.pair.bodies.contains(&gone));
    let bodies = meetings.iter_mut().flat_map(|meeting| &mut meeting.pair.bodies);
    bodies.filter(|body| **body > gone).for_each(|body| *body -= 1);
}

stored!(Meeting { pair, stick, place, normal, force, depth });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::sample::{block, stay, surrounded};
    use crate::lattice::solid::MassRule;
    use crate::random::Random;

    /// Springs in series give way by the sum of what each does: 1 / k = 1 / a + 1 / b; the more slippery surface decides.
    #[test]
    fn two_surfaces_give_way_one_after_the_other() {
        let law = |stiffness: f64, friction: [f64; 2]| Law { stiffness, damping: 0.1 * stiffness, friction };
        let (a, b) = (law(3.0, [0.5, 0.2]), law(6.0, [0.4, 0.3]));
        let both = a.with(&b);
        assert!((both.stiffness - 2.0).abs() < 1e-15 && (both.damping - 0.2).abs() < 1e-15);
        assert_eq!(both.friction, [0.4, 0.2]);
        assert_eq!(both, b.with(&a));
        assert_eq!(law(0.0, [0.0; 2]).with(&law(0.0, [0.0; 2])).stiffness, 0.0);
    }

    /// Facets that overlap after their corners have moved by no more than they may are never said to stay away.
    #[test]
    fn facets_that_can_meet_do_not_stay_away() {
        let (mut random, travel) = (Random(41), 0.1);
        let mut met = 0;
        for _ in 0..20_000 {
            let corners = [random.triangle(Vec3::ZERO, 1.0), random.triangle(Vec3::Z * 0.3, 1.0)];
            let moved =
                corners.map(|t| t.map(|corner| corner + random.vector().normalize() * travel * random.fraction()));
            let [x, y] = moved.map(|t| Face::new(t, [0.0; 3]));
            if overlap(&x, &y, 0.5).is_none() {
                continue;
            }
            met += 1;
            let facing = |n: usize| {
                let [a, b, c] = corners[n];
                let across = (b - a).cross(c - a);
                let longest = (b - a).length().max((c - b).length()).max((a - c).length());
                // as `box_facets` bounds it: corners pass each other by at most twice the travel
                let turn = 2.0 * (2.0 * travel) * longest / across.length();
                Facing { corners: corners[n], normal: across.normalize_or_zero(), travel, turn, near: 0 }
            };
            assert!(!facing(0).stays_away(&facing(1)) && !facing(1).stays_away(&facing(0)));
        }
        assert!(met > 500, "{met}");
        // and those that face away from each other, or are far apart, do
        let at = |z: f64, up: bool| {
            let corners = if up { [Vec3::ZERO, Vec3::X, Vec3::Y] } else { [Vec3::ZERO, Vec3::Y, Vec3::X] };
            let normal = if up { Vec3::Z } else { -Vec3::Z };
            Facing { corners: corners.map(|c| c + Vec3::Z * z), normal, travel, turn: 0.01, near: 0 }
        };
        assert!(at(0.0, true).stays_away(&at(0.05, true)) && at(0.0, true).stays_away(&at(5.0, false)));
        assert!(!at(0.0, true).stays_away(&at(0.15, false)));
    }

    /// Two blocks that overlap push each other apart: forces and torques sum to zero, and the force is that of the law on the volume
    /// between them, area times depth, but for a strip along the edges as wide as the depth, where faces meet faces of the sides too.
    #[test]
    fn blocks_push_each_other_apart() {
        let (depth, shift) = (1e-3, Vec3::new(0.01, 0.007, 0.0));
        let lower = block(0.25, MassRule::Approximate, Vec3::ZERO);
        let upper = block(0.25, MassRule::Approximate, shift + Vec3::Z * (0.04 - depth));
        let (width, height) = (0.06 - shift.x, 0.04 - shift.y);
        let expected = lower.contact.with(&upper.contact).stiffness * width * height * depth;
        let edges = depth * 2.0 * (width + height) / (width * height);
        let mut bodies = [Body::Lattice(lower), Body::Lattice(upper)];
        bodies.iter_mut().for_each(stay);
        let mut meetings = Meetings::default();
        surrounded(1e-4, &[], |around| meetings.find(&mut bodies, around));
        meetings.push(&mut bodies, &[], 0.0);
        let (mut total, mut torque, mut on) = (Vec3::ZERO, Vec3::ZERO, [Vec3::ZERO; 2]);
        for (n, lattice) in lattices(&mut bodies).enumerate() {
            let Motion { places, forces, .. } = &lattice.scratch.next;
            on[n] = forces.iter().sum();
            total += on[n];
            torque += places.iter().zip(forces).map(|(p, f)| p.cross(*f)).sum::<Vec3>();
        }
        assert!((on[1].z / expected - 1.0).abs() < edges, "{} instead of {expected}", on[1]);
        assert!(on[1].truncate().length() < edges * expected);
        assert!(total.length() < 1e-12 * expected && torque.length() < 1e-13 * expected, "{total} {torque}");
        let mut kept = vec![];
        meetings.keep(&mut kept);
        let shown: Vec3 = kept.iter().map(|m| if m.pair.bodies[0] == 0 { -m.force } else { m.force }).sum();
        assert!((shown - on[1]).length() < 1e-12 * expected);
        assert!(kept.iter().all(|m| m.depth < depth * (1.0 + 1e-9)));
    }
}
