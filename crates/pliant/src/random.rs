//! Random numbers: noise of sensors, and numbers for tests.

use std::f64::consts::TAU;

use crate::bytes::{Malformed, Reader, Stored, read_word};
use crate::math::{Vec3, log, sincos};

/// Noise with the same bits on every machine: the generator SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
/// number generators", 2014), and normal numbers of it by Box and Muller's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    state: u64,
}

impl Stored for Noise {
    fn write(&self, out: &mut Vec<u8>) {
        self.state.write(out);
    }

    // any number, not only those that count something
    fn read(from: &mut Reader<'_>) -> Result<Noise, Malformed> {
        Ok(Noise { state: read_word(from)? })
    }
}

impl Noise {
    pub fn new(seed: u64) -> Noise {
        Noise { state: seed }
    }

    /// A number between 0 and 1, and neither.
    fn fraction(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Two numbers of mean 0 and variance 1.
    fn normal(&mut self) -> [f64; 2] {
        let radius = (-2.0 * log(self.fraction())).sqrt();
        let (sin, cos) = sincos(TAU * self.fraction());
        [radius * cos, radius * sin]
    }

    /// A vector whose components have mean 0 and variance 1.
    pub fn vector(&mut self) -> Vec3 {
        let ([x, y], [z, _]) = (self.normal(), self.normal());
        Vec3::new(x, y, z)
    }
}

/// A linear congruential generator (Knuth).
#[cfg(test)]
pub struct Random(pub u64);

#[cfg(test)]
impl Random {
    /// A number between -1 and 1.
    pub fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A number between 0 and 1.
    pub fn fraction(&mut self) -> f64 {
        0.5 + 0.5 * self.signed()
    }

    /// A point in the cube of half edge 1.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    /// A triangle in the cube of half edge `size` about `middle`.
    pub fn triangle(&mut self, middle: Vec3, size: f64) -> [Vec3; 3] {
        std::array::from_fn(|_| middle + self.vector() * size)
    }
}
