//! What tests of fits share.

use std::f64::consts::PI;

/// Random numbers.
pub struct Noise(pub u64);

impl Noise {
    pub fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        let (a, b) = (self.fraction(), self.fraction());
        (-2.0 * a.ln()).sqrt() * (2.0 * PI * b).cos()
    }
}
