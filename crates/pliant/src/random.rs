//! Random numbers for tests.

use crate::math::Vec3;

/// A linear congruential generator (Knuth).
pub struct Random(pub u64);

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
