//! Contact between bodies whose models do not handle it themselves: bodies of different models, and rods of models that
//! only handle contact with obstacles.
//!
//! Bodies advance separately, each by its model. Before a step, contact forces follow from their positions and
//! velocities (`law`) and act as dead loads during the step, equal and opposite. After it their work is evaluated.

mod find;
mod law;
mod outline;
mod pass;
mod press;
mod skin;
mod strands;
mod surface;

pub(crate) use pass::Passage;
use press::Key;
pub use press::{Press, Presses};
pub(crate) use press::{forget_body, presses_fit};
pub(crate) use skin::{Beam, Giving, Nodes, Skin, Spot};

use crate::body::Body;
use crate::frame::{Contact, Other};
use crate::math::Vec3;
use crate::places::share;
use crate::world::Beside;
use find::{Finder, strangers};
use law::Row;
use outline::Outline;

/// Limit on the number of contact points that space is preallocated for.
const ROOM: usize = 4096;

/// Number of pairs of bodies that may pass through each other in a step without memory being allocated.
const PASSAGES: usize = 64;

/// Working memory for contact between bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct React {
    /// Whether there are two bodies whose contact is handled here.
    any: bool,
    outlines: Vec<Outline>,
    finder: Finder,
    rows: Vec<Row>,
    /// Contacts that have ended, whose forces new ones nearby take over.
    left: Vec<Press>,
    /// Bodies that have passed through each other in the step.
    passages: Vec<Passage>,
    /// Work of each contact on both bodies in the step [J].
    works: Vec<(Key, f64)>,
    /// Contacts with smaller forces than the law asks for, because they gave energy when the step was tried before, and
    /// the part that is left of these; sorted.
    eased: Vec<(Key, f64)>,
}

/// Part that is left of the forces of a contact each time they are found to give energy.
const EASED: f64 = 0.4;

impl React {
    /// Read the surfaces of the bodies and preallocate.
    pub fn reserve(&mut self, bodies: &[Body], presses: &mut Presses) {
        // if no body is a stranger to the first, none are strangers to each other
        self.any = bodies.iter().skip(1).any(|body| strangers(&bodies[0], body));
        if !self.any {
            return;
        }
        self.outlines.resize_with(bodies.len(), Outline::default);
        self.outlines.iter_mut().zip(bodies).for_each(|(outline, body)| outline.know(body));
        let parts = (4 * bodies.iter().map(Body::size).sum::<usize>()).min(ROOM);
        self.finder.reserve(bodies.len(), parts);
        self.rows.reserve(parts.saturating_sub(self.rows.len()));
        self.left.reserve(parts.saturating_sub(self.left.len()));
        presses.list.reserve(parts.saturating_sub(presses.list.len()));
        self.works.reserve(parts.saturating_sub(self.works.len()));
        self.eased.reserve(parts.saturating_sub(self.eased.len()));
        self.passages.reserve(PASSAGES);
        let pairs = (bodies.len() * bodies.len() / 2).min(ROOM);
        presses.accounts.reserve(pairs.saturating_sub(presses.accounts.len()));
    }

    /// Number of pushes of other bodies that a body of `points` points preallocates for.
    pub fn room(&self, points: usize) -> usize {
        if self.any { (4 * points + 64).min(ROOM / 4) } else { 0 }
    }

    /// Whether there are two bodies whose contact is handled here.
    pub fn any(&self) -> bool {
        self.any
    }

    /// Compute the contact forces of a step of `dt` [s] and apply them to the bodies.
    pub fn act(&mut self, bodies: &mut [Body], presses: &mut Presses, dt: f64, gravity: Vec3) {
        let React { outlines, finder, rows, left, eased, .. } = self;
        outlines.iter_mut().zip(&*bodies).for_each(|(outline, body)| outline.place(body));
        finder.find(bodies, outlines, &presses.list, dt, gravity);
        hand_on(&presses.list, &mut finder.found, left, outlines);
        std::mem::swap(&mut presses.list, &mut finder.found);
        if presses.list.is_empty() {
            return;
        }
        law::solve(presses, rows, bodies, outlines, dt);
        for press in presses.list.iter_mut().filter(|_| !eased.is_empty()) {
            if let Ok(n) = eased.binary_search_by_key(&press.key, |(key, _)| *key) {
                (press.push, press.rub) = (press.push * eased[n].1, press.rub * eased[n].1);
            }
        }
        for press in &mut presses.list {
            let [a, b] = press.key.bodies.map(|n| &outlines[n as usize]);
            press.places = [press.sides[0].of(&a.nodes.places), press.sides[1].of(&b.nodes.places)];
            push(press, bodies, &outlines[press.key.bodies[1] as usize]);
        }
    }

    /// Evaluate the work of the contact forces after a step, and find bodies that have passed through each other.
    pub fn settle(&mut self, bodies: &[Body], presses: &mut Presses) -> &[Passage] {
        if !self.any {
            return &[];
        }
        let React { outlines, finder, passages, works, .. } = self;
        if !(presses.list.is_empty() && finder.near.is_empty()) {
            outlines.iter_mut().zip(bodies).for_each(|(outline, body)| outline.place(body));
        }
        law::settle(presses, outlines, works);
        pass::find(&finder.near, bodies, outlines, passages);
        passages
    }
}

impl React {
    /// Ease the contacts that gave energy in the step that was just tried; false if none did.
    pub fn ease(&mut self) -> bool {
        let React { works, eased, .. } = self;
        for (key, _) in works.iter().filter(|(_, work)| *work > 0.0) {
            match eased.binary_search_by_key(key, |(key, _)| *key) {
                Ok(n) => eased[n].1 *= EASED,
                Err(n) => eased.insert(n, (*key, EASED)),
            }
        }
        works.iter().any(|(_, work)| *work > 0.0)
    }

    /// Let all contacts push as the law asks for.
    pub fn forget_ease(&mut self) {
        self.eased.clear();
    }
}

/// Apply a contact force to both bodies at the contact point of the first. A solid distributes it over the three
/// corners of a facet so that the torque is the same.
fn push(press: &Press, bodies: &mut [Body], second: &Outline) {
    let force = press.force();
    if force == Vec3::ZERO {
        return;
    }
    let [i, j] = press.key.bodies.map(|n| n as usize);
    let spot = |side: &outline::Side| Spot::Along { segment: side.nodes[0] as usize, fraction: side.weights[1] };
    let [x, y] = &press.sides;
    bodies[i].push(if bodies[i].skin().facets.is_some() { Spot::Node(x.nodes[0] as usize) } else { spot(x) }, force);
    if press.key.crossing {
        bodies[j].push(spot(y), -force);
        return;
    }
    let corners = y.nodes.map(|n| second.nodes.places[n as usize]);
    for (n, part) in y.nodes.into_iter().zip(share(&corners, &y.weights, -force, press.places[0])) {
        bodies[j].push(Spot::Node(n as usize), part);
    }
}

/// Carry forces over from known contacts to those found. Forces of contacts that have ended go to the nearest new
/// contact of the same bodies: a rod that slides along another changes segments, not its load.
fn hand_on(known: &[Press], found: &mut [Press], left: &mut Vec<Press>, outlines: &[Outline]) {
    let mut old = known.iter().peekable();
    left.clear();
    for press in found.iter_mut() {
        while let Some(gone) = old.next_if(|o| o.key < press.key) {
            left.push(*gone);
        }
        match old.next_if(|o| o.key == press.key) {
            Some(same) => press.go_on(same),
            None => press.share = -press.share.max(f64::MIN_POSITIVE),
        }
    }
    left.extend(old);
    // new contacts are marked by a negative `share` up to here
    for press in found.iter_mut().filter(|p| p.share < 0.0) {
        press.share = -press.share;
        let [a, _] = press.key.bodies.map(|n| &outlines[n as usize]);
        let place = press.sides[0].of(&a.nodes.places);
        let near = |p: &Press| (p.places[0] - place).length();
        let reach = 2.0 * a.grain + 2.0 * press.share;
        let same = |p: &&Press| p.key.bodies == press.key.bodies && p.lately > 0.0 && near(p) < reach;
        let nearest = left.iter().enumerate().filter(|(_, p)| same(p)).min_by(|x, y| near(x.1).total_cmp(&near(y.1)));
        if let Some(n) = nearest.map(|(n, _)| n) {
            press.go_on(&left.swap_remove(n));
        }
    }
}

/// Append the contacts between bodies that advance separately.
pub(crate) fn write_presses(presses: &Presses, contacts: &mut Vec<Contact>) {
    contacts.extend(presses.list.iter().filter(|p| p.push > 0.0).map(|p| Contact {
        body: p.key.bodies[0] as usize,
        other: Other::Body(p.key.bodies[1] as usize),
        position: p.places[1],
        normal: p.normal,
        force: p.force(),
        penetration: -p.gap,
        along: None,
    }));
}

/// Upper bound on the energy that these contacts can return [J], from their gaps and slips.
pub(crate) fn most_stored(presses: &Presses) -> f64 {
    presses.list.iter().map(|p| p.push * p.gap.abs() + p.rub.length() * p.slip.length()).sum()
}

/// Pairs of bodies that push each other, or did so recently.
pub(crate) fn presses_beside(presses: &Presses) -> impl Iterator<Item = Beside> {
    let near = presses.list.iter().filter(|p| p.push > 0.0 || p.lately > 0.0);
    near.map(|p| Beside { bodies: p.key.bodies.map(|n| n as usize), pushes: p.push > 0.0 })
}
