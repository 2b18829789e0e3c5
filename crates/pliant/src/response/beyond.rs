//! Compliance beyond the modes between nodes of solids of which only that of each node is known.
//!
//! A force displaces not only its own node but those around it, on a half-space by Boussinesq and Cerruti's
//!
//!   u = ((1 - nu) 1 + nu e e^T) f / (2 pi G r),   e = r / |r|
//!
//! (without the coupling of pressure and shear, (1 - 2 nu) / (4 pi G r), which changes sign from side to side). Modes
//! show what is long against the shear wave of the highest of them, with wave number k: below a force they leave out
//! 1 / r - 0.73 k of the 1 / r, by 20 to 200 modes of a block of 10 x 6 x 3. The remainder is taken as erfc(0.7 k r),
//! which begins like that and ends where modes show everything.
//!
//! Without it every node would be a spring of its own, and a fingertip on many nodes the harder the finer the mesh. A
//! sum of such terms must stay positive, or contacts have no solution. So the kernel is regularised as Cortez' Stokeslets
//! are ("The method of regularized Stokeslets", 2001), by a length that each node has from its own compliance: positive
//! definite for any nodes. So is erfc(r), which is completely monotone in r^2, and the product of both, by Schur's theorem.

use super::params::Elasticity;
use crate::math::{Mat3, Vec3, erfc, exp};

/// Distance over the shortest wave of the modes, as wave number times distance, by which their remainder decays [-].
const DECAY: f64 = 0.7;

/// Square of the argument of erfc from which nodes do not displace each other.
const FAR: f64 = 10.0;

/// Compliance between nodes beyond the modes.
#[derive(Clone, Debug, PartialEq)]
pub struct Beyond {
    /// 1 / (2 pi G) [m/N m].
    scale: f64,
    poisson: f64,
    /// Square of `DECAY` times the wave number up to which modes are in use [1/m2].
    decay: f64,
    /// Half the square of the length of each node [m2]; infinite for one that displaces no other.
    blurs: Vec<f64>,
    fading: Fading,
}

impl Beyond {
    /// From the compliance of each node beyond the modes [m/N], for modes up to an angular frequency [rad/s].
    pub fn new(elasticity: &Elasticity, own: &[Mat3], fastest: f64) -> Beyond {
        let shear = 0.5 * elasticity.young / (1.0 + elasticity.poisson);
        let scale = 1.0 / (std::f64::consts::TAU * shear);
        let decay = DECAY * DECAY * fastest * fastest * elasticity.density / shear;
        let blur = |own: &Mat3| {
            let least = least(own);
            if least > 0.0 { 0.5 * (scale / least) * (scale / least) } else { f64::INFINITY }
        };
        // positive definite from zero on
        let poisson = elasticity.poisson.max(0.0);
        Beyond { scale, poisson, decay, blurs: own.iter().map(blur).collect(), fading: Fading::new() }
    }

    /// Displacement of node `i` per force on another node `j`, `apart` from each other [m/N]; `None` where they are too
    /// far for any.
    pub fn between(&self, i: usize, j: usize, apart: Vec3) -> Option<Mat3> {
        let (square, blur) = (apart.length_squared(), self.blurs[i] + self.blurs[j]);
        let decayed = self.decay * square;
        if decayed > FAR || !blur.is_finite() {
            return None;
        }
        let inverse = 1.0 / (square + blur);
        let along = Mat3::from_cols(apart * apart.x, apart * apart.y, apart * apart.z);
        let all = Mat3::from_diagonal(Vec3::splat(1.0 - self.poisson + self.poisson * blur * inverse));
        Some((all + along * (self.poisson * inverse)) * (self.scale * inverse.sqrt() * self.fading.at(decayed.sqrt())))
    }
}

/// erfc in a table: a frame of a large solid asks for it once for each touched node and each node of the surface.
#[derive(Clone, Debug, PartialEq)]
struct Fading {
    /// Its value, and its slope times the distance of two entries.
    entries: Vec<[f64; 2]>,
}

/// Entries of the table for a unit of its argument; cubics between them are off by 1e-12 at the most.
const FINE: f64 = 400.0;

impl Fading {
    fn new() -> Fading {
        let entry = |n: usize| {
            let x = n as f64 / FINE;
            [erfc(x), -std::f64::consts::FRAC_2_SQRT_PI * exp(-x * x) / FINE]
        };
        let last = (FAR.sqrt() * FINE).ceil() as usize + 1;
        Fading { entries: (0..=last).map(entry).collect() }
    }

    /// erfc at `x`, from zero to where nodes are too far for it, by Hermite's cubic between two entries.
    #[inline]
    fn at(&self, x: f64) -> f64 {
        let place = x * FINE;
        let n = (place as usize).min(self.entries.len() - 2);
        let t = place - n as f64;
        let ([a, slope_a], [b, slope_b]) = (self.entries[n], self.entries[n + 1]);
        let (left, right) = (1.0 - t, t);
        left * left * (a * (1.0 + 2.0 * t) + slope_a * t) + right * right * (b * (3.0 - 2.0 * t) - slope_b * left)
    }
}

/// A lower bound on the eigenvalues of a symmetric matrix, by Gershgorin's circles.
fn least(block: &Mat3) -> f64 {
    let row = |n: usize| {
        let column = block.col(n);
        2.0 * column[n] - column.abs().element_sum()
    };
    (0..3).map(row).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUFF: Elasticity = Elasticity { young: 1e5, poisson: 0.3, density: 300.0 };

    /// Far from the blur and within the shortest wave it is Boussinesq's and Cerruti's.
    #[test]
    fn points_give_way_as_on_a_half_space() {
        let own = [Mat3::from_diagonal(Vec3::splat(1.0)); 2];
        let beyond = Beyond::new(&STUFF, &own, 1.0);
        let r = 3e-3;
        let block = beyond.between(0, 1, Vec3::X * r).unwrap_or(Mat3::ZERO);
        let shear = STUFF.young / 2.6;
        let each = 1.0 / (std::f64::consts::TAU * shear * r);
        for (n, factor) in [1.0, 0.7, 0.7].into_iter().enumerate() {
            assert!((block.col(n)[n] / (factor * each) - 1.0).abs() < 1e-3, "{block}");
        }
    }

    #[test]
    fn the_table_is_erfc() {
        let fading = Fading::new();
        let off = |n: usize| {
            let x = n as f64 * FAR.sqrt() / 99_991.0;
            (fading.at(x) - erfc(x)).abs()
        };
        assert!((0..=99_991).map(off).fold(0.0, f64::max) < 1e-12);
    }

    /// Forces on nodes do work, whatever they are: also at nodes close to each other, with different lengths.
    #[test]
    fn forces_do_work() {
        let places: Vec<Vec3> =
            (0..40).map(|n| Vec3::new((n as f64).sin(), (2.3 * n as f64).cos(), 0.0) * 4e-3).collect();
        let own: Vec<Mat3> = (0..40).map(|n| Mat3::from_diagonal(Vec3::splat(1e-3 * (1.0 + (n % 5) as f64)))).collect();
        for poisson in [0.0, 0.3, 0.49] {
            let beyond = Beyond::new(&Elasticity { poisson, ..STUFF }, &own, 2000.0);
            for seed in 1..50 {
                let force = |n: usize| {
                    let at = |axis: f64| ((n * seed) as f64 * 1.7 + axis * 2.1 + seed as f64).sin();
                    Vec3::new(at(0.0), at(1.0), at(2.0))
                };
                let moved = |i: usize| {
                    let others = (0..40).filter(|j| *j != i);
                    let parts = others.filter_map(|j| Some(beyond.between(i, j, places[i] - places[j])? * force(j)));
                    own[i] * force(i) + parts.sum::<Vec3>()
                };
                assert!((0..40).map(|i| force(i).dot(moved(i))).sum::<f64>() > 0.0);
            }
        }
    }
}
