//! Contact of bodies with each other and with themselves: the volume between facets that interpenetrate.

use super::overlap::{blend, overlap};
use super::pairs::{Broad, Pair, Surface};
use super::rub::Stick;
use super::touch::{Law, Pressed};
use super::tree::{Bounds, around as box_around, meet};
use super::{Lattice, Scratch};
use crate::body::{Body, Surroundings};
use crate::frame::{Contact, Other};
use crate::math::Vec3;
use glamx::DMat3;

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
    /// Pairs of facets that may touch during the step of the world.
    pairs: Vec<Pair>,
    /// Those that touch where a step leads.
    next: Vec<Meeting>,
}

impl Meetings {
    /// Which facets of which bodies may touch each other during a step of the world.
    pub fn find(&mut self, bodies: &mut [Body], around: &Surroundings<'_>) {
        self.solids.clear();
        for (n, body) in bodies.iter_mut().enumerate() {
            let Body::Lattice(lattice) = body else { continue };
            self.solids.push(n as u32);
            lattice.box_facets(around);
        }
        self.pairs.clear();
        let alone = |body: &Body| !matches!(body, Body::Lattice(l) if l.settings.self_contact);
        if self.solids.len() == 1 && bodies.get(self.solids[0] as usize).is_none_or(alone) {
            return;
        }
        let solids = &self.solids;
        let surface = |n: usize| match &bodies[solids[n] as usize] {
            Body::Lattice(lattice) => lattice.surface(),
            _ => Surface { facets: &[], boxes: &[], itself: None },
        };
        let found = self.broad.find(solids.len(), surface);
        self.pairs.extend(found.iter().map(|p| Pair { bodies: p.bodies.map(|n| solids[n as usize]), ..*p }));
    }

    /// Add forces between bodies where a step leads, `tau` after the last.
    pub fn push(&mut self, bodies: &mut [Body], before: &[Meeting], tau: f64) {
        self.next.clear();
        if self.pairs.is_empty() {
            return;
        }
        for body in self.solids.iter() {
            if let Some(Body::Lattice(lattice)) = bodies.get_mut(*body as usize) {
                lattice.box_next();
            }
        }
        for &pair in &self.pairs {
            let [i, j] = pair.bodies.map(|n| n as usize);
            let (Body::Lattice(a), Body::Lattice(b)) = (&bodies[i], &bodies[j]) else { continue };
            // most of those that may meet do not yet: they are farther apart than what still counts as in each other
            let [p, q] = pair.facets.map(|n| n as usize);
            if !meet(&a.scratch.next_boxes[p], &b.scratch.next_boxes[q]) {
                continue;
            }
            let (x, y) = (a.facet(pair.facets[0]), b.facet(pair.facets[1]));
            let deepest = 0.5 * a.grain.min(b.grain);
            let Some(o) = overlap(&x.0, &y.0, deepest) else { continue };
            let law = a.contact.with(&b.contact);
            let velocity = blend(&x.1, &o.on_x) - blend(&y.1, &o.on_y);
            let mut stick = match before.binary_search_by_key(&pair, |m| m.pair) {
                Ok(n) => before[n].stick,
                Err(_) => Stick::default(),
            };
            let pressed = Pressed { normal: o.normal, volume: o.volume, area: o.area, velocity };
            let push = law.push(&pressed, &mut stick, tau);
            // along the mean of normals alone forces would not be the slope of an energy
            let force = if push == Vec3::ZERO { push } else { push + o.aside * law.stiffness };
            let sides = [blend(&x.0, &o.on_x), blend(&y.0, &o.on_y)];
            let place = 0.5 * (sides[0] + sides[1]);
            self.next.push(Meeting { pair, stick, place, normal: o.normal, force, depth: o.deepest });
            let pushes = [share(&x.0, &o.on_x, force, place), share(&y.0, &o.on_y, -force, place)];
            for ((body, facet), push) in [i, j].into_iter().zip(pair.facets).zip(pushes) {
                let Body::Lattice(lattice) = &mut bodies[body] else { continue };
                let ids = lattice.matter.facets[facet as usize];
                ids.into_iter().zip(push).for_each(|(n, push)| lattice.scratch.next.forces[n as usize] += push);
            }
        }
    }

    /// Keep what touches after a step.
    pub fn keep(&mut self, meetings: &mut Vec<Meeting>) {
        std::mem::swap(meetings, &mut self.next);
    }
}

/// Share a force that acts at a place out among the corners of a facet, `parts` of it each, so that its torque is kept too:
/// friction acts between the two facets, off the plane of either.
fn share(corners: &[Vec3; 3], parts: &[f64; 3], force: Vec3, place: Vec3) -> [Vec3; 3] {
    let torque = (place - blend(corners, parts)).cross(force);
    let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
    let mut inertia = DMat3::ZERO;
    for corner in corners {
        let r = *corner - centre;
        let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        inertia += DMat3::IDENTITY * r.length_squared() - outer;
    }
    let turn = inertia.inverse() * torque;
    let turn = if turn.is_finite() { turn } else { Vec3::ZERO };
    std::array::from_fn(|n| force * parts[n] + turn.cross(corners[n] - centre))
}

impl Law {
    /// Of two surfaces, one on the other: as soft as both.
    fn with(&self, other: &Law) -> Law {
        let series = |a: f64, b: f64| if a + b > 0.0 { a * b / (a + b) } else { 0.0 };
        let mean = |n: usize| (self.friction[n] * other.friction[n]).sqrt();
        Law {
            stiffness: series(self.stiffness, other.stiffness),
            damping: series(self.damping, other.damping),
            friction: [mean(0), mean(1)],
        }
    }
}

impl Lattice {
    /// Boxes of its facets, with room for how far they go.
    fn box_facets(&mut self, around: &Surroundings<'_>) {
        let Lattice { matter, state, scratch, grain, .. } = self;
        let motion = &state.motion;
        let fastest = motion.velocities.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
        // facets meet down to half a cell deep, a quarter for either side: boxes of those that lie in each other must not miss
        let margin = around.dt * (1.5 * fastest + around.gravity.length() * around.dt) + 0.25 * *grain;
        let bounds = |facet: &[u32; 3]| -> Bounds { box_around(&facet.map(|n| motion.places[n as usize]), margin) };
        scratch.boxes.clear();
        scratch.boxes.extend(matter.facets.iter().map(bounds));
    }

    /// Boxes of its facets where a step leads, with half of what still counts as in each other.
    fn box_next(&mut self) {
        let Lattice { matter, scratch, grain, .. } = self;
        let Scratch { next, next_boxes, .. } = scratch;
        let bounds = |facet: &[u32; 3]| box_around(&facet.map(|n| next.places[n as usize]), 0.25 * *grain);
        next_boxes.clear();
        next_boxes.extend(matter.facets.iter().map(bounds));
    }

    fn surface(&self) -> Surface<'_> {
        let itself = self.settings.self_contact.then_some(&[][..]);
        Surface { facets: &self.matter.facets, boxes: &self.scratch.boxes, itself }
    }

    /// Places and velocities of a facet's corners where a step leads.
    fn facet(&self, facet: u32) -> ([Vec3; 3], [Vec3; 3]) {
        let ids = self.matter.facets[facet as usize].map(|n| n as usize);
        let next = &self.scratch.next;
        (ids.map(|n| next.places[n]), ids.map(|n| next.velocities[n]))
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
    }));
}
