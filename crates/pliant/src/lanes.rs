//! Four numbers at a time. Every operation is element by element and none is fused, so that the same bits come out
//! whichever vector instructions the machine has.

use std::ops::{Add, Mul, Sub};

/// How many numbers are worked on at a time.
pub const LANES: usize = 4;

/// Four numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes(pub [f64; LANES]);

impl Lanes {
    /// The same number four times.
    #[inline(always)]
    pub fn splat(value: f64) -> Lanes {
        Lanes([value; LANES])
    }

    /// Four numbers from `from[at..]`.
    #[inline(always)]
    pub fn load(from: &[f64], at: usize) -> Lanes {
        let mut out = [0.0; LANES];
        out.copy_from_slice(&from[at..at + LANES]);
        Lanes(out)
    }

    /// Into `to[at..]`.
    #[inline(always)]
    pub fn store(self, to: &mut [f64], at: usize) {
        to[at..at + LANES].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn map2(self, other: Lanes, f: impl Fn(f64, f64) -> f64) -> Lanes {
        let mut out = [0.0; LANES];
        for i in 0..LANES {
            out[i] = f(self.0[i], other.0[i]);
        }
        Lanes(out)
    }

    /// 1 / sqrt(x), by a root and a division.
    #[inline(always)]
    pub fn inverse_root(self) -> Lanes {
        self.map2(self, |x, _| 1.0 / x.sqrt())
    }

    /// The larger of each pair; the first where one is not a number.
    #[inline(always)]
    pub fn max(self, other: Lanes) -> Lanes {
        // a comparison and a choice map to one instruction, f64::max does not
        self.map2(other, |a, b| if b > a { b } else { a })
    }

    /// One where `self` is below `other`, else zero.
    #[inline(always)]
    pub fn below(self, other: Lanes) -> Lanes {
        self.map2(other, |a, b| if a < b { 1.0 } else { 0.0 })
    }

    /// The largest of the four.
    #[inline(always)]
    pub fn largest(self) -> f64 {
        let pair = |a: f64, b: f64| if b > a { b } else { a };
        pair(pair(self.0[0], self.0[1]), pair(self.0[2], self.0[3]))
    }
}

impl Add for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn add(self, other: Lanes) -> Lanes {
        self.map2(other, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn sub(self, other: Lanes) -> Lanes {
        self.map2(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn mul(self, other: Lanes) -> Lanes {
        self.map2(other, |a, b| a * b)
    }
}

/// Three coordinates, four points at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes3 {
    /// First coordinates.
    pub x: Lanes,
    /// Second coordinates.
    pub y: Lanes,
    /// Third coordinates.
    pub z: Lanes,
}

impl Lanes3 {
    /// The same vector four times.
    #[inline(always)]
    pub fn splat(v: crate::math::Vec3) -> Lanes3 {
        Lanes3 { x: Lanes::splat(v.x), y: Lanes::splat(v.y), z: Lanes::splat(v.z) }
    }

    /// Four points from three rows of coordinates.
    #[inline(always)]
    pub fn load(from: &[impl AsRef<[f64]>; 3], at: usize) -> Lanes3 {
        let row = |k: usize| Lanes::load(from[k].as_ref(), at);
        Lanes3 { x: row(0), y: row(1), z: row(2) }
    }

    /// Into three rows of coordinates.
    #[inline(always)]
    pub fn store(self, to: &mut [impl AsMut<[f64]>; 3], at: usize) {
        self.x.store(to[0].as_mut(), at);
        self.y.store(to[1].as_mut(), at);
        self.z.store(to[2].as_mut(), at);
    }

    /// Scalar products.
    #[inline(always)]
    pub fn dot(self, other: Lanes3) -> Lanes {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Each vector times its own factor.
    #[inline(always)]
    pub fn scale(self, by: Lanes) -> Lanes3 {
        Lanes3 { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

impl Add for Lanes3 {
    type Output = Lanes3;
    #[inline(always)]
    fn add(self, other: Lanes3) -> Lanes3 {
        Lanes3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Lanes3 {
    type Output = Lanes3;
    #[inline(always)]
    fn sub(self, other: Lanes3) -> Lanes3 {
        Lanes3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}
