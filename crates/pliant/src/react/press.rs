//! A place where two bodies touch or are about to, and what is known of it from step to step.

use super::outline::Side;
use crate::math::Vec3;

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
    /// Normal force on the first body during the step, and what it has been lately [N].
    pub push: f64,
    pub lately: f64,
    /// Friction on the first body during the step, and what it has been lately [N].
    pub rub: Vec3,
    pub rub_lately: Vec3,
    /// Work that the forces have done on both bodies lately [J]: never above zero for long.
    pub made: f64,
    /// By which part less than it would it acts, since it made energy.
    pub caution: f64,
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
            made: 0.0,
            caution: 1.0,
        }
    }

    /// Go on from what was known of it.
    pub fn go_on(&mut self, known: &Press) {
        (self.push, self.lately, self.made, self.caution) = (known.push, known.lately, known.made, known.caution);
        let flat = |v: Vec3| v - self.normal * self.normal.dot(v);
        (self.rub, self.rub_lately) = (flat(known.rub), flat(known.rub_lately));
    }

    /// Force on the first body [N].
    pub fn force(&self) -> Vec3 {
        self.normal * self.push + self.rub
    }
}
