//! Stiffness of connectors from the material, such that a cell under uniform strain stores the energy of the solid.
//!
//! Links alone give a solid with lambda = mu (Cauchy's relation), a Poisson's ratio of 1/4. The remainder is carried by
//! volume connectors for a material stiffer in volume change (above 1/4), and by angle connectors for one stiffer in
//! shear (below).
//!
//!   links:   sum of stiffness p^2 n_i n_j n_k n_l = V C_ijkl     (C isotropic with lambda = mu)
//!
//! is solved for nonnegative stiffnesses, starting from a pattern that suits a cube. Edges keep a part of the stiffness
//! along them: uniform strain does not need them in cells of unequal edges, but without them such a cell has no bending
//! stiffness.

use crate::math::Vec3;

/// Lame's constants [Pa].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// lambda, the first Lame constant [Pa].
    pub lambda: f64,
    /// mu, the shear modulus [Pa].
    pub mu: f64,
}

impl Lame {
    /// Lame's constants from Young's modulus [Pa] and Poisson's ratio [-].
    pub fn of(young: f64, poisson: f64) -> Lame {
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Lame { lambda, mu: young / (2.0 * (1.0 + poisson)) }
    }

    /// The part carried by links, which have lambda = mu [Pa].
    pub fn shared(&self) -> f64 {
        self.lambda.min(self.mu)
    }

    /// The part of lambda carried by volume connectors [Pa].
    pub fn swelling(&self) -> f64 {
        (self.lambda - self.mu).max(0.0)
    }

    /// The part of mu carried by angle connectors [Pa].
    pub fn shearing(&self) -> f64 {
        (self.mu - self.lambda).max(0.0)
    }
}

/// A link of a cell whose stiffness is to be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strut {
    /// Vector from one end to the other [m].
    pub d: Vec3,
    /// Initial stiffness [N/m].
    pub guess: f64,
    /// Least stiffness [N/m].
    pub least: f64,
}

/// Components of a fully symmetric tensor of fourth rank: how often each of x, y and z is among the indices, and the
/// number of permutations.
const COMPONENTS: [([i32; 3], f64); 15] = [
    ([4, 0, 0], 1.0),
    ([0, 4, 0], 1.0),
    ([0, 0, 4], 1.0),
    ([3, 1, 0], 4.0),
    ([3, 0, 1], 4.0),
    ([1, 3, 0], 4.0),
    ([0, 3, 1], 4.0),
    ([1, 0, 3], 4.0),
    ([0, 1, 3], 4.0),
    ([2, 2, 0], 6.0),
    ([2, 0, 2], 6.0),
    ([0, 2, 2], 6.0),
    ([2, 1, 1], 12.0),
    ([1, 2, 1], 12.0),
    ([1, 1, 2], 12.0),
];

/// Limit on sweeps over all links.
const MOST_SWEEPS: usize = 20_000;

/// Stiffness of each link [N/m] of a cell of a volume [m3], and the relative error of the resulting tensor. `wanted`
/// are the components xxxx and xxyy of the tensor [Pa].
pub fn fit(struts: &[Strut], volume: f64, wanted: [f64; 2]) -> (Vec<f64>, f64) {
    let target: [f64; 15] = std::array::from_fn(|c| {
        let (powers, count) = COMPONENTS[c];
        let value = match powers {
            [4, ..] | [_, 4, _] | [.., 4] => wanted[0],
            [2, 2, 0] | [2, 0, 2] | [0, 2, 2] => wanted[1],
            _ => 0.0,
        };
        count.sqrt() * value * volume
    });
    let column = |strut: &Strut| -> [f64; 15] {
        let n = strut.d.normalize_or_zero();
        std::array::from_fn(|c| {
            let (powers, count) = COMPONENTS[c];
            let part = n.x.powi(powers[0]) * n.y.powi(powers[1]) * n.z.powi(powers[2]);
            count.sqrt() * strut.d.length_squared() * part
        })
    };
    // parallel links of equal length share their stiffness
    let alike = |a: &Strut, b: &Strut| {
        let close = 1e-9 * a.d.length();
        a.guess == b.guess && ((a.d - b.d).length() < close || (a.d + b.d).length() < close)
    };
    let mut sets: Vec<usize> = vec![];
    let of: Vec<usize> = (0..struts.len())
        .map(|n| {
            let known = sets.iter().position(|first| alike(&struts[*first], &struts[n]));
            known.unwrap_or_else(|| {
                sets.push(n);
                sets.len() - 1
            })
        })
        .collect();
    let mut columns = vec![[0.0; 15]; sets.len()];
    for (strut, set) in struts.iter().zip(&of) {
        columns[*set].iter_mut().zip(column(strut)).for_each(|(sum, x)| *sum += x);
    }
    let least: Vec<f64> = sets.iter().map(|n| struts[*n].least).collect();
    let mut found: Vec<f64> = sets.iter().map(|n| struts[*n].guess.max(struts[*n].least)).collect();
    let mut left = target;
    for (column, size) in columns.iter().zip(&found) {
        (0..15).for_each(|c| left[c] -= column[c] * size);
    }
    let norm = |x: &[f64; 15]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let size = norm(&target).max(f64::MIN_POSITIVE);
    // coordinate descent: one set after another takes what it can of the residual, but keeps its least stiffness; in
    // alternating order
    for sweep in 0..MOST_SWEEPS {
        let before = norm(&left);
        for n in 0..columns.len() {
            let n = if sweep % 2 == 0 { n } else { columns.len() - 1 - n };
            let (column, stiffness) = (&columns[n], &mut found[n]);
            let square: f64 = column.iter().map(|x| x * x).sum();
            if square == 0.0 {
                continue;
            }
            let gain = (0..15).map(|c| column[c] * left[c]).sum::<f64>() / square;
            let next = (*stiffness + gain).max(least[n]);
            (0..15).for_each(|c| left[c] -= column[c] * (next - *stiffness));
            *stiffness = next;
        }
        let now = norm(&left);
        if now < 1e-13 * size || before - now < 1e-9 * now {
            break;
        }
    }
    (of.iter().map(|set| found[*set]).collect(), norm(&left) / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_of_links_is_isotropic() {
        // edges, halves of body diagonals: 1.5 mu a for the latter, mu a / 2 for the former, by hand
        let mut struts = vec![];
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            (0..4).for_each(|_| struts.push(Strut { d: axis * 2.0, guess: 0.0, least: 0.0 }));
        }
        for n in 0..8 {
            let sign = |bit: usize| if n >> bit & 1 == 0 { -1.0 } else { 1.0 };
            struts.push(Strut { d: Vec3::new(sign(0), sign(1), sign(2)), guess: 0.0, least: 0.0 });
        }
        let mu = 5.0;
        let (found, missed) = fit(&struts, 8.0, [3.0 * mu, mu]);
        assert!(missed < 1e-9, "{missed}");
        for (n, stiffness) in found.iter().enumerate() {
            let expected = if n < 12 { 0.5 * mu * 2.0 } else { 1.5 * mu * 2.0 };
            assert!((stiffness - expected).abs() < 1e-6 * expected, "{n}: {stiffness} for {expected}");
        }
    }
}
