//! Contact of bodies with each other and with themselves: the volume between facets that interpenetrate.

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

/// During a world step particles may become faster by this than they are at its start.
const FASTER: f64 = 1.5;

/// Two facets that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Which bodies of the world, and which of their facets.
    pub pair: Pair,
    /// How the two hold each other along the surface.
    pub stick: Stick,
    /// Where, on the first [m].
    pub place: Vec3,
    /// The way the first is pushed.
    pub normal: Vec3,
    /// Force on the first [N].
    pub force: Vec3,
    /// How deep they are in each other [m].
    pub depth: f64,
}

/// Working memory of the search for bodies that touch each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meetings {
    broad: Broad,
    /// Which bodies of the world are of this model.
    solids: Vec<u32>,
    /// Facets that may touch others during the world step.
    near: Vec<Near>,
    /// Pairs of them that may touch, in order, and where they are in `near`.
    pairs: Vec<(Pair, [u32; 2])>,
    /// Those that touch where a step leads.
    next: Vec<Meeting>,
}

/// A facet that may touch others during the world step.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// Its body.
    body: u32,
    /// Its particles.
    ids: [u32; 3],
    /// It, where a step leads.
    face: Face,
    /// Its box there, with half of what still counts as in each other.
    bounds: Bounds,
}

/// A facet at the start of the world step.
#[derive(Clone, Copy, Debug)]
pub(in crate::lattice) struct Facing {
    corners: [Vec3; 3],
    normal: Vec3,
    /// Not less than how far its corners go in the step [m].
    travel: f64,
    /// Not less than what it turns by [rad].
    turn: f64,
    /// Where it is among those that may touch others; past their end if it is not.
    near: u32,
}

impl Facing {
    /// Whether it will not touch another in the step: they face elsewhere, or one is outside the other.
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
    /// Which facets of which bodies may touch each other during a world step.
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

    /// Add forces between bodies where a step leads, `tau` after the last.
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
            // most of those that may meet do not yet: they are farther apart than what still counts as in each other
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

    /// Keep what touches after a step.
    pub fn keep(&mut self, meetings: &mut Vec<Meeting>) {
        std::mem::swap(meetings, &mut self.next);
    }
}

impl Law {
    /// Of two surfaces, one on the other: as soft as both.
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
    /// Its facets, and boxes of them with room for how far they go.
    fn box_facets(&mut self, around: &Surroundings<'_>) {
        let Lattice { matter, state, scratch, grain, .. } = self;
        let motion = &state.motion;
        let fastest = motion.velocities.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
        // facets meet down to half a cell deep, a quarter for either side: boxes of those that lie in each other must not miss
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
            // it turns by how fast corners pass each other over its lowest height
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

    /// Velocities of three particles where a step leads.
    fn moving(&self, ids: [u32; 3]) -> [Vec3; 3] {
        ids.map(|n| self.scratch.next.velocities[n as usize])
    }
}

/// Append contacts between bodies.
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

/// No less than what contacts between bodies can give back [J].
pub(crate) fn most_stored(meetings: &[Meeting]) -> f64 {
    meetings.iter().map(|m| m.force.length() * (m.depth + m.stick.offset.length())).sum()
}

/// Solids that are in each other.
pub(crate) fn meetings_beside(meetings: &[Meeting]) -> impl Iterator<Item = Beside> {
    meetings.iter().map(|m| Beside { bodies: m.pair.bodies.map(|n| n as usize), pushes: m.force != Vec3::ZERO })
}

/// A body was taken away: where it met others is gone, and those behind it have moved up.
pub(crate) fn forget_body(meetings: &mut Vec<Meeting>, gone: usize) {
    let gone = gone as u32;
    meetings.retain(|meeting| !meeting.pair.bodies.contains(&gone));
    let bodies = meetings.iter_mut().flat_map(|meeting| &mut meeting.pair.bodies);
    bodies.filter(|body| **body > gone).for_each(|body| *body -= 1);
}

stored!(Meeting { pair, stick, place, normal, force, depth });
