//! A place where two bodies touch or are about to, and what is known of it from step to step.

use super::outline::Side;
use crate::bytes::stored;
use crate::math::Vec3;

/// All that is known of contacts from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Presses {
    /// Places where bodies touch, in order.
    pub list: Vec<Press>,
    /// What the forces between two bodies have done, in order.
    pub accounts: Vec<Account>,
}

/// What the forces between two bodies have done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Account {
    /// The bodies, the lower one first.
    pub bodies: [u32; 2],
    /// Work that the forces have done on both lately [J]: never above zero for long.
    pub made: f64,
    /// What they may have done: what the forces of a step give to bodies at rest [J].
    pub allowed: f64,
    /// By which factor less than they would they act, since they made energy.
    pub caution: f64,
}

impl Presses {
    /// The number of the account of two bodies, opened where there is none.
    pub fn account(&mut self, [a, b]: [u32; 2]) -> usize {
        let bodies = [a.min(b), a.max(b)];
        self.accounts.binary_search_by_key(&bodies, |account| account.bodies).unwrap_or_else(|n| {
            self.accounts.insert(n, Account { bodies, made: 0.0, allowed: 0.0, caution: 1.0 });
            n
        })
    }
}

/// A body was taken away: what it pressed is gone, and those behind it have moved up.
pub(crate) fn forget_body(presses: &mut Presses, gone: usize) {
    let gone = gone as u32;
    let move_up = |bodies: &mut [u32; 2]| bodies.iter_mut().filter(|n| **n > gone).for_each(|n| *n -= 1);
    presses.list.retain(|press| !press.key.bodies.contains(&gone));
    presses.list.iter_mut().for_each(|press| move_up(&mut press.key.bodies));
    presses.accounts.retain(|account| !account.bodies.contains(&gone));
    presses.accounts.iter_mut().for_each(|account| move_up(&mut account.bodies));
}

/// Which parts of which bodies. For two rods the lower body is first; where a point meets a surface, the point is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The bodies.
    pub bodies: [u32; 2],
    /// Segments of rods; or which point of the first body, and zero.
    pub parts: [u32; 2],
    /// Whether it is two rods that cross.
    pub crossing: bool,
}

/// A place where the first body touches the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Press {
    /// Whose it is.
    pub key: Key,
    /// The parts that touch.
    pub sides: [Side; 2],
    /// Facet of the second body, where it has some.
    pub facet: u32,
    /// Unit normal, from the second body to the first.
    pub normal: Vec3,
    /// Distance of the surfaces [m], below zero where they are in each other.
    pub gap: f64,
    /// Where the parts were at the start of the step [m].
    pub places: [Vec3; 2],
    /// Length of rod that it stands for [m], for laws of friction with an exponent.
    pub share: f64,
    /// Normal force on the first body during the step [N] ...
    pub push: f64,
    /// ... and what it has been lately.
    pub lately: f64,
    /// Friction on the first body during the step [N] ...
    pub rub: Vec3,
    /// ... and what it has been lately.
    pub rub_lately: Vec3,
    /// How far the first body has slipped along the second since they hold each other [m].
    pub slip: Vec3,
}

impl Press {
    /// A place that is new.
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

    /// Go on from what was known of it.
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
