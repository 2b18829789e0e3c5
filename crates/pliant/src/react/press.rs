//! A contact of two bodies, actual or imminent, and its state from step to step.

use super::outline::Side;
use super::skin::Nodes;
use crate::body::Body;
use crate::bytes::stored;
use crate::math::Vec3;

/// State of all contacts between bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Presses {
    /// Contacts, sorted by key.
    pub list: Vec<Press>,
    /// Work of the forces between pairs of bodies, sorted by pair.
    pub accounts: Vec<Account>,
}

/// Work of the contact forces between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Account {
    /// Indices of the bodies, the lower one first.
    pub bodies: [u32; 2],
    /// Recent work of the forces on both bodies [J]; a rigid contact never does positive work.
    pub made: f64,
    /// Tolerated work: that of the forces of a step on bodies at rest [J].
    pub allowed: f64,
    /// Factor by which changes of the forces are reduced after they created energy, at least 1 [-].
    pub caution: f64,
}

impl Presses {
    /// Index of the account of two bodies, which is added if there is none.
    pub fn account(&mut self, [a, b]: [u32; 2]) -> usize {
        let bodies = [a.min(b), a.max(b)];
        self.accounts.binary_search_by_key(&bodies, |account| account.bodies).unwrap_or_else(|n| {
            self.accounts.insert(n, Account { bodies, made: 0.0, allowed: 0.0, caution: 1.0 });
            n
        })
    }
}

/// Whether all contacts are of nodes and facets that are there, in order. Allocates.
pub(crate) fn presses_fit(presses: &Presses, bodies: &[Body]) -> bool {
    let mut nodes = Nodes::default();
    let mut fits = |press: &Press| {
        press.key.bodies.iter().zip(&press.sides).enumerate().all(|(n, (body, side))| {
            let Some(body) = bodies.get(*body as usize) else { return false };
            body.show(&mut nodes);
            let (count, facets) = (nodes.places.len(), body.skin().facets);
            // a point along a rod is between a node and the next
            let last = side.nodes[0] as usize + usize::from(facets.is_none());
            let faces = n == 0 || press.key.crossing;
            side.nodes.iter().all(|node| (*node as usize) < count)
                && last < count
                && (faces || facets.is_some_and(|facets| (press.facet as usize) < facets.len()))
        })
    };
    presses.list.iter().all(&mut fits)
        && presses.list.is_sorted_by_key(|press| press.key)
        && presses.accounts.is_sorted_by_key(|account| account.bodies)
}

/// Drop the contacts of a removed body; the indices of those after it drop by one.
pub(crate) fn forget_body(presses: &mut Presses, gone: usize) {
    let gone = gone as u32;
    let move_up = |bodies: &mut [u32; 2]| bodies.iter_mut().filter(|n| **n > gone).for_each(|n| *n -= 1);
    presses.list.retain(|press| !press.key.bodies.contains(&gone));
    presses.list.iter_mut().for_each(|press| move_up(&mut press.key.bodies));
    presses.accounts.retain(|account| !account.bodies.contains(&gone));
    presses.accounts.iter_mut().for_each(|account| move_up(&mut account.bodies));
}

/// The parts of the bodies in contact. For two rods the lower body is first; for a point and a surface, that of the
/// point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Indices of the bodies.
    pub bodies: [u32; 2],
    /// Segments of two rods; or the point of the first body, and zero.
    pub parts: [u32; 2],
    /// Whether it is a contact of two rods.
    pub crossing: bool,
}

/// A contact of one body with another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Press {
    /// Bodies and parts in contact.
    pub key: Key,
    /// The points in contact.
    pub sides: [Side; 2],
    /// Facet of the second body, if it is a solid.
    pub facet: u32,
    /// Unit normal, from the second body to the first.
    pub normal: Vec3,
    /// Distance of the surfaces [m]; negative if they penetrate.
    pub gap: f64,
    /// Positions of the points at the start of the step [m].
    pub places: [Vec3; 2],
    /// Length of rod that the contact represents [m], for friction laws with an exponent.
    pub share: f64,
    /// Normal force on the first body during the step [N].
    pub push: f64,
    /// Low-pass filtered value of the force above, over recent steps [N].
    pub lately: f64,
    /// Friction on the first body during the step [N].
    pub rub: Vec3,
    /// Low-pass filtered value of the force above, over recent steps [N].
    pub rub_lately: Vec3,
    /// Slip of the first body along the second since they began to stick [m].
    pub slip: Vec3,
}

impl Press {
    /// A new contact, without forces.
    pub fn new(key: Key, sides: [Side; 2], normal: Vec3, gap: f64) -> Press {
        Press {
            key,
            sides,
            facet: u32::MAX,
            normal,
            gap,
            places: [Vec3::ZERO; 2],
            share: 0.0,
            push: 0.0,
            lately: 0.0,
            rub: Vec3::ZERO,
            rub_lately: Vec3::ZERO,
            slip: Vec3::ZERO,
        }
    }

    /// Take over the forces of a previous contact.
    pub fn go_on(&mut self, known: &Press) {
        (self.push, self.lately) = (known.push, known.lately);
        let flat = |v: Vec3| v - self.normal * self.normal.dot(v);
        (self.rub, self.rub_lately, self.slip) = (flat(known.rub), flat(known.rub_lately), flat(known.slip));
    }

    /// Force on the first body [N].
    pub fn force(&self) -> Vec3 {
        self.normal * self.push + self.rub
    }
}

stored!(Key { bodies, parts, crossing });
stored!(Press { key, sides, facet, normal, gap, places, share, push, lately, rub, rub_lately, slip });
stored!(Account { bodies, made, allowed, caution });
stored!(Presses { list, accounts });
