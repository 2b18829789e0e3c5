//! Solution of the linear equations of the whole rod in linear time.
//!
//! The unknowns are changes x of the position of the first node and of angle and stretch of all nodes. Each interval
//! contributes a quadratic form 1/2 y^T H y + g^T y of its y: the position of its start and the unknowns of its two
//! nodes. The sum of all forms is to be minimised. (By Gauss's principle of least constraint accelerations do that;
//! written in angles alone, the same sum has the full inertia matrix (6).) The end of an interval is the start of the
//! next,
//!
//!   p' = p + A a + B b,
//!
//! so all forms after a node can be reduced to one form of that node's position and unknowns: from the last interval to
//! the first, each time eliminating the unknowns b at its end.

use super::span::{MOST, Row, Unknowns};
use crate::math::Vec2;

/// Number of entries of a row.
const Y: usize = 2 + 2 * MOST;

/// Entries of position and unknowns of one node.
const NODE: usize = 2 + MOST;

/// Quadratic form of one interval.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// H.
    pub h: [[f64; Y]; Y],
    /// g.
    pub g: Row,
}

impl Default for Form {
    fn default() -> Form {
        Form { h: [[0.0; Y]; Y], g: [0.0; Y] }
    }
}

impl Form {
    /// Add `weight` / 2 times the square of a row's value.
    pub fn add_square(&mut self, weight: f64, row: &Row) {
        for i in 0..Y {
            for j in 0..Y {
                self.h[i][j] += weight * row[i] * row[j];
            }
        }
    }

    /// Add `weight` times a row's value.
    pub fn add(&mut self, weight: f64, row: &Row) {
        for i in 0..Y {
            self.g[i] += weight * row[i];
        }
    }
}

/// Factors of an interval.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    /// A and B: derivatives of its end by the unknowns at its start and its end.
    by: [[Vec2; MOST]; 2],
    /// Inverse of the reduced block of b.
    inverse: [[f64; MOST]; MOST],
    /// Minus the derivative of b by position and unknowns of its start.
    gain: [[f64; NODE]; MOST],
}

/// Factors of all forms, for any right-hand side.
#[derive(Clone, Debug, Default)]
pub struct Elimination {
    kept: Vec<Kept>,
    /// Inverse of the form of the first node.
    root: [[f64; NODE]; NODE],
    /// Number of negative directions: those in which the sum has a maximum instead of a minimum.
    pub negative: usize,
}

/// A form of one node.
#[derive(Clone, Copy, Default)]
struct Tail {
    h: [[f64; NODE]; NODE],
}

impl Elimination {
    /// Allocate for a number of intervals.
    pub fn new(intervals: usize) -> Elimination {
        Elimination { kept: vec![Kept::default(); intervals], ..Elimination::default() }
    }

    /// Factor the forms of all intervals; `by` gives A and B of each. Returns false if the system is singular.
    pub fn factor<const K: usize>(&mut self, forms: &[Form], by: impl Fn(usize) -> [[Vec2; MOST]; 2]) -> bool {
        let mut tail = Tail::default();
        self.negative = 0;
        for (i, form) in forms.iter().enumerate().rev() {
            let kept = &mut self.kept[i];
            kept.by = by(i);
            let Some((next, negative)) = eliminate::<K>(form, &tail, kept) else { return false };
            tail = next;
            self.negative += negative;
        }
        self.root = tail.h;
        match invert::<NODE>(&mut self.root, 2 + K) {
            Some(negative) => self.negative += negative,
            None => return false,
        }
        true
    }

    /// Solve for the stationary point x of the forms with the given linear parts: position of the first node and
    /// unknowns of all nodes. Also gives the changes of the starts of the intervals.
    pub fn solve<const K: usize>(&self, linear: impl Fn(usize) -> Row, x: &mut [f64], starts: &mut [Vec2]) {
        let (start, nodes) = x.split_at_mut(2);
        let mut g = [0.0; NODE];
        for (i, kept) in self.kept.iter().enumerate().rev() {
            let local = linear(i);
            let [a, b] = &kept.by;
            let p = Vec2::new(g[0], g[1]);
            let mut z = [0.0; MOST];
            for k in 0..K {
                z[k] = local[2 + MOST + k] + b[k].dot(p) + g[2 + k];
            }
            let mut next = [local[0] + p.x, local[1] + p.y, 0.0, 0.0];
            for k in 0..K {
                next[2 + k] = local[2 + k] + a[k].dot(p);
            }
            for k in 0..K {
                for j in 0..2 + K {
                    next[j] -= kept.gain[k][j] * z[k];
                }
            }
            g = next;
            for k in 0..K {
                let sum: f64 = (0..K).map(|l| kept.inverse[k][l] * z[l]).sum();
                nodes[K * (i + 1) + k] = -sum;
            }
        }
        let mut at = [0.0; NODE];
        for r in 0..2 + K {
            at[r] = -(0..2 + K).map(|c| self.root[r][c] * g[c]).sum::<f64>();
        }
        (start[0], start[1]) = (at[0], at[1]);
        nodes[..K].copy_from_slice(&at[2..2 + K]);
        for (i, kept) in self.kept.iter().enumerate() {
            let mut b: Unknowns = [0.0; MOST];
            for k in 0..K {
                b[k] = nodes[K * (i + 1) + k] - (0..2 + K).map(|j| kept.gain[k][j] * at[j]).sum::<f64>();
            }
            let mut p = Vec2::new(at[0], at[1]);
            starts[i] = p;
            for k in 0..K {
                p += kept.by[0][k] * at[2 + k] + kept.by[1][k] * b[k];
                nodes[K * (i + 1) + k] = b[k];
                at[2 + k] = b[k];
            }
            (at[0], at[1]) = (p.x, p.y);
        }
    }
}

/// Sum the form of an interval and the reduced form of all after it, and eliminate the unknowns at its end. Also
/// returns the number of negative pivots; `None` if singular.
#[inline(always)]
fn eliminate<const K: usize>(form: &Form, tail: &Tail, kept: &mut Kept) -> Option<(Tail, usize)> {
    let [a, b] = &kept.by;
    let t = &tail.h;
    let times = |v: Vec2| Vec2::new(t[0][0] * v.x + t[0][1] * v.y, t[1][0] * v.x + t[1][1] * v.y);
    let coupled = |k: usize| Vec2::new(t[0][2 + k], t[1][2 + k]);
    let mut next = Tail::default();
    for i in 0..2 {
        for j in 0..2 {
            next.h[i][j] = form.h[i][j] + t[i][j];
        }
    }
    // H of b with p, a and itself
    let (mut across, mut own) = ([[0.0; NODE]; MOST], [[0.0; MOST]; MOST]);
    for k in 0..K {
        let pa = times(a[k]);
        let pb = times(b[k]) + coupled(k);
        for (i, (x, y)) in [(pa.x, pb.x), (pa.y, pb.y)].into_iter().enumerate() {
            next.h[i][2 + k] = form.h[i][2 + k] + x;
            next.h[2 + k][i] = next.h[i][2 + k];
            across[k][i] = form.h[i][2 + MOST + k] + y;
        }
        for l in 0..K {
            next.h[2 + l][2 + k] = form.h[2 + l][2 + k] + a[l].dot(pa);
            across[k][2 + l] = form.h[2 + l][2 + MOST + k] + a[l].dot(pb);
            own[l][k] = form.h[2 + MOST + l][2 + MOST + k] + b[l].dot(pb) + coupled(l).dot(b[k]) + t[2 + l][2 + k];
        }
    }
    let negative = invert::<MOST>(&mut own, K)?;
    kept.inverse = own;
    for k in 0..K {
        for j in 0..2 + K {
            kept.gain[k][j] = (0..K).map(|l| own[k][l] * across[l][j]).sum();
        }
    }
    for i in 0..2 + K {
        for j in 0..2 + K {
            next.h[i][j] -= (0..K).map(|k| across[k][i] * kept.gain[k][j]).sum::<f64>();
        }
    }
    Some((next, negative))
}

/// Invert the leading `size` rows and columns of a symmetric matrix in place and count its negative pivots. `None` if
/// singular.
#[inline(always)]
fn invert<const N: usize>(m: &mut [[f64; N]; N], size: usize) -> Option<usize> {
    let mut negative = 0;
    for k in 0..size {
        let pivot = m[k][k];
        if pivot == 0.0 || !pivot.is_finite() {
            return None;
        }
        negative += usize::from(pivot < 0.0);
        let inverse = 1.0 / pivot;
        m[k][k] = 1.0;
        for j in 0..size {
            m[k][j] *= inverse;
        }
        for i in 0..size {
            if i != k {
                let f = m[i][k];
                m[i][k] = 0.0;
                for j in 0..size {
                    m[i][j] -= f * m[k][j];
                }
            }
        }
    }
    Some(negative)
}
