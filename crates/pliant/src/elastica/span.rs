//! One interval of the rod between two nodes: angle and stretch are straight lines in it, (4) of Wakamatsu et al., so that
//! without stretch it is a circular arc.
//!
//! All integrals are sums over four Gauss points: with theta_r, eps_r at point r and e = (cos theta, sin theta),
//!
//!   x(point q) = x(start) + h sum_r B_qr (1 + eps_r) e_r,      x(end) = x(start) + h sum_r w_r (1 + eps_r) e_r,
//!
//! where B_qr integrates the polynomial through the four points up to point q. Velocities and accelerations are the exact
//! derivatives of these sums, so that mass matrix (6), velocity terms (9) to (11) and weight (17) all come from one discrete
//! Lagrangian, whose energy is kept whatever the error of the sums; that is below 1e-7 of a length for arcs of 0.3 rad.

use crate::math::{Vec2, sincos};

/// Points of an interval at which it has its mass.
pub const POINTS: usize = 4;

/// Most unknowns of a node: angle and stretch.
pub const MOST: usize = 2;

/// How something at an interval changes with position of its start, angle and stretch there, and the same at its end.
pub type Row = [f64; 2 + 2 * MOST];

/// Gauss points in 0..1.
pub const GAUSS: [f64; POINTS] =
    [0.069_431_844_202_973_71, 0.330_009_478_207_571_9, 0.669_990_521_792_428_1, 0.930_568_155_797_026_3];

/// Their weights.
pub const WEIGHTS: [f64; POINTS] =
    [0.173_927_422_568_726_93, 0.326_072_577_431_273_07, 0.326_072_577_431_273_07, 0.173_927_422_568_726_93];

/// Integrals of the four polynomials, one at a point and zero at the others, from 0 up to `end`.
fn partial(end: f64) -> [f64; POINTS] {
    std::array::from_fn(|r| {
        // a polynomial of degree three: the Gauss rule with four points is exact
        let value =
            |x: f64| (0..POINTS).filter(|&k| k != r).map(|k| (x - GAUSS[k]) / (GAUSS[r] - GAUSS[k])).product::<f64>();
        (0..POINTS).map(|k| end * WEIGHTS[k] * value(end * GAUSS[k])).sum()
    })
}

/// B and the row of weights below it, for all intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// `[q][r]`: up to Gauss point q; the last row goes to the end.
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

/// Angle and stretch of a node, or a rate of them.
pub type Unknowns = [f64; MOST];

/// Direction and stretch at a Gauss point, and their rates.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    /// How x' changes with angle and stretch there.
    by: [Vec2; MOST],
    /// x'.
    along: Vec2,
    /// The part of x'' (in time) that comes of velocities alone.
    spun: Vec2,
}

/// Something at a place of an interval, seen from its start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offset {
    /// Place, from the start of the interval [m].
    pub place: Vec2,
    /// Velocity against that of the start [m/s].
    pub velocity: Vec2,
    /// Acceleration against that of the start, without what the unknowns' second rates add [m/s2].
    pub spun: Vec2,
    /// How it moves with the unknowns of the first node, and of the second.
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
    /// At a fraction of the interval, where the direction is known.
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

    /// Directions at the Gauss points of the first part of the interval: those are at equal angles on either side of the
    /// middle, so that one sine and cosine and two of small angles do.
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

    /// The Gauss points and the end of an interval of length h.
    #[inline(always)]
    pub fn offsets<const K: usize>(&self, rule: &Rule, h: f64) -> [Offset; POINTS + 1] {
        let e = self.directions(1.0);
        let at: [At; POINTS] = std::array::from_fn(|r| self.at::<K>(GAUSS[r], e[r]));
        std::array::from_fn(|q| self.sum::<K>(&at, &rule.up_to[q], &GAUSS, h))
    }

    /// Any place of it, as a fraction of its length.
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

/// The direction of an angle.
#[inline(always)]
fn unit(angle: f64) -> Vec2 {
    let (sin, cos) = sincos(angle);
    Vec2::new(cos, sin)
}

/// The same of an angle that is usually small: the series, to the last digit, where it is.
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
    /// How its coordinate along a direction changes.
    pub fn row(&self, along: Vec2) -> Row {
        let [a, b] = &self.by;
        [along.x, along.y, along.dot(a[0]), along.dot(a[1]), along.dot(b[0]), along.dot(b[1])]
    }
}

/// How the angle at a fraction of an interval changes.
pub fn angle_row(fraction: f64) -> Row {
    [0.0, 0.0, 1.0 - fraction, 0.0, fraction, 0.0]
}
