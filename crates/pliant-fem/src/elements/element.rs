//! Tetrahedra with 4 and 10 nodes: stiffness and mass, integrated exactly.
//!
//! With barycentric coordinates L_i, whose gradients g_i are constant in a tetrahedron with straight edges:
//!
//!   linear:     N_i = L_i
//!   quadratic:  N_i = L_i (2 L_i - 1) at corners, N_ij = 4 L_i L_j in the middle of edges
//!
//!   stiffness:  K_ab = integral of lambda a b^T + mu b a^T + mu (a . b) I,   a = grad N_a, b = grad N_b
//!   mass:       M_ab = density * integral of N_a N_b
//!
//! The linear element has constant strain and too few degrees of freedom to conserve volume element by element: it
//! locks as Poisson's ratio approaches 0.5. The quadratic one does not.

use crate::error::FemError;
use crate::mesh::six_volumes;
use pliant::math::Vec3;

/// An isotropic, linearly elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    /// Young's modulus E [Pa].
    pub young: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-].
    pub poisson: f64,
    /// Mass density [kg/m3].
    pub density: f64,
}

impl Elastic {
    /// Lame's constants lambda and mu [Pa].
    pub fn lame(&self) -> [f64; 2] {
        let lambda = self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson));
        [lambda, self.young / (2.0 * (1.0 + self.poisson))]
    }

    /// Fails if a constant is outside its range.
    pub(crate) fn check(&self) -> Result<(), FemError> {
        let above = |value: f64| value > 0.0 && value.is_finite();
        if !above(self.young) {
            return Err(FemError::Parameter { what: "Young's modulus", expected: "above 0 Pa", value: self.young });
        }
        if !above(self.density) {
            return Err(FemError::Parameter { what: "the density", expected: "above 0 kg/m3", value: self.density });
        }
        // closer to the limits, K is singular to rounding
        if !(self.poisson > -0.999_999 && self.poisson < 0.499_999_9) {
            let expected = "above -1 and below 0.4999999";
            return Err(FemError::Parameter { what: "Poisson's ratio", expected, value: self.poisson });
        }
        Ok(())
    }
}

/// Order of the shape functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// 4 nodes, constant strain.
    #[default]
    Linear,
    /// 10 nodes, linear strain: far more accurate per unknown, and free of locking.
    Quadratic,
}

/// Kind of mass matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassKind {
    /// Integral of products of shape functions: frequencies converge from above.
    #[default]
    Consistent,
    /// Diagonal, proportional to that of the consistent matrix and scaled to the mass of the element (Hinton, Rock and
    /// Zienkiewicz, "A note on mass lumping and related processes in the finite element method", 1976): for linear
    /// tetrahedra a quarter at each corner.
    Lumped,
}

/// Edges of a tetrahedron, in the order of their mid-edge nodes.
pub(crate) const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];

/// Number of nodes of the largest element.
pub(crate) const MOST: usize = 10;

/// Four-point quadrature, exact for polynomials of degree 2, each point with a quarter of the volume: L = (b, b, b, a)
/// and its permutations, with a = (5 + 3 sqrt 5) / 20 and b = (5 - sqrt 5) / 20.
const POINTS: [f64; 2] = [0.585_410_196_624_968_5, 0.138_196_601_125_010_5];

/// Gradients of the barycentric coordinates [1/m], and the volume [m3].
pub(crate) fn gradients(at: [Vec3; 4]) -> ([Vec3; 4], f64) {
    let six = six_volumes(at);
    let [a, b, c, d] = at;
    let g = [(c - a).cross(d - a), (d - a).cross(b - a), (b - a).cross(c - a)].map(|normal| normal / six);
    ([-(g[0] + g[1] + g[2]), g[0], g[1], g[2]], six / 6.0)
}

/// Gradients of the shape functions [1/m] at barycentric coordinates.
fn shape_gradients(order: Order, g: &[Vec3; 4], l: [f64; 4]) -> [Vec3; MOST] {
    std::array::from_fn(|n| match order {
        Order::Linear => g.get(n).copied().unwrap_or_default(),
        Order::Quadratic if n < 4 => (4.0 * l[n] - 1.0) * g[n],
        Order::Quadratic => {
            let [i, j] = EDGES[n - 4];
            4.0 * (l[i] * g[j] + l[j] * g[i])
        }
    })
}

impl Order {
    /// Number of nodes of an element.
    pub fn nodes(self) -> usize {
        match self {
            Order::Linear => 4,
            Order::Quadratic => 10,
        }
    }
}

/// Call `add(a, b, block)` for each 3 x 3 block of a tetrahedron's stiffness matrix [N/m] with a <= b.
pub(crate) fn stiffness(
    order: Order,
    corners: [Vec3; 4],
    [lambda, mu]: [f64; 2],
    mut add: impl FnMut(usize, usize, [[f64; 3]; 3]),
) {
    let (g, volume) = gradients(corners);
    let points: &[[f64; 4]] = match order {
        Order::Linear => &[[0.25; 4]],
        Order::Quadratic => &[0, 1, 2, 3].map(|n| std::array::from_fn(|i| POINTS[usize::from(i != n)])),
    };
    let weight = volume / points.len() as f64;
    let at_points: Vec<[Vec3; MOST]> = points.iter().map(|l| shape_gradients(order, &g, *l)).collect();
    for a in 0..order.nodes() {
        for b in a..order.nodes() {
            let mut block = [[0.0; 3]; 3];
            for grad in &at_points {
                let (p, q) = (grad[a].to_array(), grad[b].to_array());
                let dot = grad[a].dot(grad[b]);
                for i in 0..3 {
                    for j in 0..3 {
                        block[i][j] += weight * (lambda * p[i] * q[j] + mu * p[j] * q[i]);
                    }
                    block[i][i] += weight * mu * dot;
                }
            }
            add(a, b, block);
        }
    }
}

/// Integral of N_a N_b over a tetrahedron of volume 1. Monomials in barycentric coordinates integrate to 3! a! b! c! d!
/// / (a + b + c + d + 3)!, which gives 1/10 and 1/20 for linear elements and multiples of 1/420 for quadratic ones.
pub(crate) fn unit_mass(order: Order, a: usize, b: usize) -> f64 {
    let (a, b) = (a.min(b), a.max(b));
    let on = |edge: usize, corner: usize| EDGES[edge - 4].contains(&corner);
    let part = match order {
        Order::Linear if a == b => return 0.1,
        Order::Linear => return 0.05,
        Order::Quadratic if b < 4 => [1.0, 6.0][usize::from(a == b)],
        Order::Quadratic if a < 4 => [-6.0, -4.0][usize::from(on(b, a))],
        Order::Quadratic if a == b => 32.0,
        Order::Quadratic => [8.0, 16.0][usize::from((0..4).any(|corner| on(a, corner) && on(b, corner)))],
    };
    part / 420.0
}

/// Lumped mass at one node of an element of mass 1.
pub(crate) fn unit_lump(order: Order, node: usize) -> f64 {
    let trace: f64 = (0..order.nodes()).map(|n| unit_mass(order, n, n)).sum();
    unit_mass(order, node, node) / trace
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shape functions at barycentric coordinates.
    fn shapes(order: Order, l: [f64; 4]) -> Vec<f64> {
        match order {
            Order::Linear => l.to_vec(),
            Order::Quadratic => (0..4)
                .map(|n| l[n] * (2.0 * l[n] - 1.0))
                .chain(EDGES.iter().map(|[i, j]| 4.0 * l[*i] * l[*j]))
                .collect(),
        }
    }

    /// Mean over the unit simplex, by 4-point Gauss-Legendre quadrature in each direction of a collapsed cube: exact to
    /// degree 5.
    fn integral(f: impl Fn([f64; 4]) -> f64) -> f64 {
        let (a, b) = (0.861_136_311_594_052_6, 0.339_981_043_584_856_3);
        let (p, q) = (0.347_854_845_137_453_85, 0.652_145_154_862_546_2);
        let rule: [(f64, f64); 4] = [(-a, p), (-b, q), (b, q), (a, p)].map(|(x, w)| (0.5 + 0.5 * x, 0.5 * w));
        let mut sum = 0.0;
        for (x, wx) in rule {
            for (y, wy) in rule {
                for (z, wz) in rule {
                    let (l1, l2) = (x, y * (1.0 - x));
                    let l3 = z * (1.0 - x) * (1.0 - y);
                    sum += wx * wy * wz * (1.0 - x).powi(2) * (1.0 - y) * f([1.0 - l1 - l2 - l3, l1, l2, l3]);
                }
            }
        }
        6.0 * sum
    }

    #[test]
    fn masses_are_integrals() {
        for order in [Order::Linear, Order::Quadratic] {
            for a in 0..order.nodes() {
                for b in 0..order.nodes() {
                    let expected = integral(|l| shapes(order, l)[a] * shapes(order, l)[b]);
                    assert!((unit_mass(order, a, b) - expected).abs() < 1e-15, "{order:?} {a} {b}");
                }
            }
            let lumped: f64 = (0..order.nodes()).map(|n| unit_lump(order, n)).sum();
            assert!((lumped - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn gradients_are_derivatives() {
        let corners =
            [Vec3::new(0.1, 0.0, 0.2), Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.3, 0.9, 0.1), Vec3::new(0.2, 0.3, 1.4)];
        let (g, volume) = gradients(corners);
        assert!((volume - six_volumes(corners) / 6.0).abs() < 1e-16);
        let l = [0.1, 0.2, 0.3, 0.4];
        for order in [Order::Linear, Order::Quadratic] {
            let grad = shape_gradients(order, &g, l);
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let step = 1e-5;
                let moved = |sign: f64| shapes(order, std::array::from_fn(|n| l[n] + sign * step * g[n].dot(axis)));
                let (high, low) = (moved(1.0), moved(-1.0));
                for n in 0..order.nodes() {
                    // central differences of a quadratic are exact up to rounding
                    assert!(((high[n] - low[n]) / (2.0 * step) - grad[n].dot(axis)).abs() < 1e-9);
                }
            }
        }
    }
}
