//! One interval of the rod between two nodes: angle and stretch are linear in it, (4) of Wakamatsu et al., so that
//! without stretch it is a circular arc.
//!
//! All integrals are Gauss quadratures with four points: with theta_r, eps_r at point r and e = (cos theta, sin theta),
//!
//!   x(point q) = x(start) + h sum_r B_qr (1 + eps_r) e_r,      x(end) = x(start) + h sum_r w_r (1 + eps_r) e_r,
//!
//! where B_qr integrates the polynomial through the four points up to point q. Velocities and accelerations are the
//! exact derivatives of these sums, so that mass matrix (6), velocity terms (9) to (11) and weight (17) all come from
//! one discrete Lagrangian, whose energy is conserved whatever the quadrature error; that is below 1e-7 of a length for
//! arcs of 0.3 rad.

use crate::math::{Vec2, sincos};

/// Gauss points of an interval, which carry its mass.
pub const POINTS: usize = 4;

/// Largest number of unknowns of a node: angle and stretch.
pub const MOST: usize = 2;

/// Derivative of a quantity of an interval by the position of its start, angle and stretch there, and angle and stretch
/// at its end.
pub type Row = [f64; 2 + 2 * MOST];

/// Gauss points on the interval 0 to 1.
pub const GAUSS: [f64; POINTS] =
    [0.069_431_844_202_973_71, 0.330_009_478_207_571_9, 0.669_990_521_792_428_1, 0.930_568_155_797_026_3];

/// Weights of the Gauss points.
pub const WEIGHTS: [f64; POINTS] =
    [0.173_927_422_568_726_93, 0.326_072_577_431_273_07, 0.326_072_577_431_273_07, 0.173_927_422_568_726_93];

/// Integrals of the four Lagrange polynomials through the Gauss points, from 0 to `end`.
fn partial(end: f64) -> [f64; POINTS] {
    std::array::from_fn(|r| {
        // Gauss quadrature with four points is exact for polynomials of degree three
        let value =
            |x: f64| (0..POINTS).filter(|&k| k != r).map(|k| (x - GAUSS[k]) / (GAUSS[r] - GAUSS[k])).product::<f64>();
        (0..POINTS).map(|k| end * WEIGHTS[k] * value(end * GAUSS[k])).sum()
    })
}

/// Quadrature rule of all intervals: B, with the weights as a last row.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// `[q][r]`: integral up to Gauss point q; the last row goes up to the end.
    pub up_to: [[f64; POINTS]; POINTS + 1],
}

impl Default for Rule {
    fn default() -> Rule {
        let mut up_to = [WEIGHTS; POINTS + 1];
        for q in 0..POINTS {
            up_to[q] = partial(GAUSS[q]);
        }
        Rule { up_to }
    }
}

/// Angle [rad] and stretch [-] of a node, or their rates.
pub type Unknowns = [f64; MOST];

/// Direction and stretch at a Gauss point, and their rates.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    /// Derivatives of x' by angle and stretch.
    by: [Vec2; MOST],
    /// x', the derivative along the rod.
    along: Vec2,
    /// The part of the second time derivative that depends on velocities alone.
    spun: Vec2,
}

/// A point of an interval relative to its start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offset {
    /// Position relative to the start of the interval [m].
    pub place: Vec2,
    /// Velocity relative to that of the start [m/s].
    pub velocity: Vec2,
    /// Acceleration relative to that of the start, without the part due to second derivatives of the unknowns [m/s2].
    pub spun: Vec2,
    /// Derivatives of the position by the unknowns of the first node and of the second.
    pub by: [[Vec2; MOST]; 2],
}

/// Unknowns of the two nodes of an interval, and their rates.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Angles and stretches.
    pub u: [Unknowns; 2],
    /// Their rates.
    pub rates: [Unknowns; 2],
}

impl Ends {
    /// Values at a fraction `x` of the interval, given the direction `e` there.
    #[inline(always)]
    fn at<const K: usize>(&self, x: f64, e: Vec2) -> At {
        let mix = |of: &[Unknowns; 2], k: usize| (1.0 - x) * of[0][k] + x * of[1][k];
        let n = e.perp();
        let rate = mix(&self.rates, 0);
        if K == 1 {
            return At { by: [n, Vec2::ZERO], along: e, spun: e * (-rate * rate) };
        }
        let (long, stretching) = (1.0 + mix(&self.u, 1), mix(&self.rates, 1));
        At { by: [n * long, e], along: e * long, spun: n * (2.0 * rate * stretching) - e * (long * rate * rate) }
    }

    /// Directions at the Gauss points of the first part of the interval. Their angles are symmetric about the middle,
    /// so that one sine and cosine and two of small angles suffice.
    #[inline(always)]
    fn directions(&self, fraction: f64) -> [Vec2; POINTS] {
        let turn = (self.u[1][0] - self.u[0][0]) * fraction;
        let middle = unit(self.u[0][0] + 0.5 * turn);
        let [wide, narrow] = [0, 1].map(|r| small_unit(turn * (0.5 - GAUSS[r])));
        // complex products: backwards by the conjugate
        let back = |by: Vec2| Vec2::new(middle.x * by.x + middle.y * by.y, middle.y * by.x - middle.x * by.y);
        let forth = |by: Vec2| Vec2::new(middle.x * by.x - middle.y * by.y, middle.y * by.x + middle.x * by.y);
        [back(wide), back(narrow), forth(narrow), forth(wide)]
    }

    /// Offsets of the Gauss points and the end of an interval of length `h` [m].
    #[inline(always)]
    pub fn offsets<const K: usize>(&self, rule: &Rule, h: f64) -> [Offset; POINTS + 1] {
        let e = self.directions(1.0);
        let at: [At; POINTS] = std::array::from_fn(|r| self.at::<K>(GAUSS[r], e[r]));
        std::array::from_fn(|q| self.sum::<K>(&at, &rule.up_to[q], &GAUSS, h))
    }

    /// Offset at any fraction of the interval.
    pub fn offset<const K: usize>(&self, fraction: f64, h: f64) -> Offset {
        let places: [f64; POINTS] = std::array::from_fn(|r| fraction * GAUSS[r]);
        let e = self.directions(fraction);
        let at: [At; POINTS] = std::array::from_fn(|r| self.at::<K>(places[r], e[r]));
        self.sum::<K>(&at, &WEIGHTS, &places, fraction * h)
    }

    #[inline(always)]
    fn sum<const K: usize>(
        &self,
        at: &[At; POINTS],
        weights: &[f64; POINTS],
        places: &[f64; POINTS],
        h: f64,
    ) -> Offset {
        let mut out = Offset::default();
        for r in 0..POINTS {
            let (w, x) = (h * weights[r], places[r]);
            out.place += at[r].along * w;
            out.spun += at[r].spun * w;
            for k in 0..K {
                out.by[0][k] += at[r].by[k] * (w * (1.0 - x));
                out.by[1][k] += at[r].by[k] * (w * x);
            }
        }
        for k in 0..K {
            out.velocity += out.by[0][k] * self.rates[0][k] + out.by[1][k] * self.rates[1][k];
        }
        out
    }
}

/// Unit vector in the direction of an angle.
#[inline(always)]
fn unit(angle: f64) -> Vec2 {
    let (sin, cos) = sincos(angle);
    Vec2::new(cos, sin)
}

/// Unit vector in the direction of a usually small angle: by power series to full precision if it is small.
#[inline(always)]
fn small_unit(x: f64) -> Vec2 {
    if x.abs() > 0.4 {
        return unit(x);
    }
    let y = x * x;
    let cos = 1.0
        - y * (1.0 / 2.0)
            * (1.0
                - y * (1.0 / 12.0)
                    * (1.0
                        - y * (1.0 / 30.0)
                            * (1.0 - y * (1.0 / 56.0) * (1.0 - y * (1.0 / 90.0) * (1.0 - y * (1.0 / 132.0))))));
    let sin = x
        * (1.0
            - y * (1.0 / 6.0)
                * (1.0
                    - y * (1.0 / 20.0)
                        * (1.0
                            - y * (1.0 / 42.0)
                                * (1.0 - y * (1.0 / 72.0) * (1.0 - y * (1.0 / 110.0) * (1.0 - y * (1.0 / 156.0)))))));
    Vec2::new(cos, sin)
}

impl Offset {
    /// Derivative of the coordinate along a direction.
    pub fn row(&self, along: Vec2) -> Row {
        let [a, b] = &self.by;
        [along.x, along.y, along.dot(a[0]), along.dot(a[1]), along.dot(b[0]), along.dot(b[1])]
    }
}

/// Derivative of the angle at a fraction of an interval.
pub fn angle_row(fraction: f64) -> Row {
    [0.0, 0.0, 1.0 - fraction, 0.0, fraction, 0.0]
}
