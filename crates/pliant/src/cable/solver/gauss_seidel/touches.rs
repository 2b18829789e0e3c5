//! Contacts as seen by the iteration over runs, and its inner loop: one pass over the contacts of each run.

use crate::cable::algebra::block::{Vec6, add_scaled, dot};
use crate::cable::algebra::elimination::{Factor, Wide6};
use crate::cable::algebra::solution::{product, set_vector, vector, wide_block};
use crate::cable::contact::law::{unmet, velocity};
use crate::cable::solver::gauss_seidel::projection::Local;
use crate::kernel::Task;
use crate::lanes::{Both, Eight, Lanes};

type Mat3 = [[f64; 3]; 3];

/// A contact with an obstacle.
#[derive(Clone, Copy, Debug)]
pub struct SweptTouch {
    /// Index of the link.
    pub link: usize,
    /// Velocity of the contact per velocity of the link.
    pub rows: [Vec6; 3],
    /// Velocity of the link per force along each axis.
    pub moves: [Vec6; 3],
    /// D: the assumed derivative of its force with respect to its velocity, negated [kg/s].
    pub slope: Mat3,
    /// g [N].
    pub held: [f64; 3],
    /// g at the start of the iteration [N].
    pub old: [f64; 3],
    /// Force and law.
    pub local: Local,
}

impl SweptTouch {
    /// A contact with an initial force; `moves` remains to be set.
    pub fn new(link: usize, rows: [Vec6; 3], slope: Mat3, local: Local) -> SweptTouch {
        SweptTouch { link, rows, moves: [[0.0; 6]; 3], slope, held: local.force, old: local.force, local }
    }

    /// The force on its link for a matrix that includes D: g - D u_0.
    pub fn pushes(&self) -> [f64; 3] {
        let falls = times(&self.slope, &self.local.base);
        [self.held[0] - falls[0], self.held[1] - falls[1], self.held[2] - falls[2]]
    }

    /// Squares of what the force that acts at this velocity of the link lacks of the one that the law requires, and of
    /// the larger of the two [N^2].
    pub fn unmet(&self, v: &Vec6) -> [f64; 2] {
        let mut u = velocity(&self.rows, v);
        for k in 0..3 {
            u[k] += self.local.base[k];
        }
        let falls = times(&self.slope, &u);
        let acts = std::array::from_fn(|k| self.held[k] - falls[k]);
        unmet(&acts, &self.local.force)
    }

    /// Set the force that the law requires at velocity u, and return the change of g.
    pub fn project(&mut self, u: &[f64; 3]) -> [f64; 3] {
        let falls = times(&self.slope, u);
        self.local.force = [self.held[0] - falls[0], self.held[1] - falls[1], self.held[2] - falls[2]];
        let more = self.local.project(u);
        // dg = df + D du, du = (1 - W D)^-1 W df
        let falls = times(&self.slope, &times(&self.local.yielding, &more));
        let change = [more[0] + falls[0], more[1] + falls[1], more[2] + falls[2]];
        for k in 0..3 {
            self.held[k] += change[k];
        }
        change
    }
}

fn times(m: &Mat3, x: &[f64; 3]) -> [f64; 3] {
    let row = |r: &[f64; 3]| r[0] * x[0] + r[1] * x[1] + r[2] * x[2];
    [row(&m[0]), row(&m[1]), row(&m[2])]
}

/// (1 - W D)^-1 W, by the adjugate.
fn alone(w: &Mat3, d: &Mat3) -> Mat3 {
    let mut m = [[0.0; 3]; 3];
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        m[i][j] = if i == j { 1.0 } else { 0.0 } - (w[i][0] * d[0][j] + w[i][1] * d[1][j] + w[i][2] * d[2][j]);
    }
    let minor = |i: usize, j: usize| {
        let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let per = 1.0 / (m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2));
    let mut out = [[0.0; 3]; 3];
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        out[i][j] = per * (minor(0, i) * w[0][j] + minor(1, i) * w[1][j] + minor(2, i) * w[2][j]);
    }
    out
}

/// Task: the response of contacts, from that of their links.
pub struct Yielding<'a> {
    /// Responses of all links in contact.
    pub answers: &'a [Wide6],
    /// Result.
    pub touched: &'a mut [SweptTouch],
}

impl Task for Yielding<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for t in self.touched {
            let own = wide_block::<L>(&self.answers[t.link]);
            let mut w = [[0.0; 3]; 3];
            for k in 0..3 {
                set_vector::<L>(&mut t.moves[k], product(&own, vector::<L>(&t.rows[k])));
                for i in 0..3 {
                    w[i][k] = dot(&t.rows[i], &t.moves[k]);
                }
            }
            t.local.yielding = alone(&w, &t.slope);
        }
    }
}

/// Task: (15) for every run, one pass of projected Gauss-Seidel over its contacts, outwards from the middle of the
/// cable, where the motion of a link follows from its neighbour by a block of the factors. A run reads velocities of
/// the iteration before and writes to its own contacts alone.
pub struct Sweeping<'a> {
    /// Factors of the matrix.
    pub factors: &'a [Factor],
    /// First link of each run, and the end of the last.
    pub bounds: &'a [usize],
    /// Velocities.
    pub change: &'a [Vec6],
    /// All contacts, in the order of links.
    pub touched: &'a mut [SweptTouch],
}

impl Task for Sweeping<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Sweeping { factors, bounds, change, touched } = self;
        let middle = factors.len() / 2;
        let mut rest = touched;
        for run in bounds.windows(2) {
            let count = rest.iter().take_while(|t| t.link < run[1]).count();
            let (here, others) = rest.split_at_mut(count);
            rest = others;
            let split = here.partition_point(|t| t.link < middle);
            let (low, high) = here.split_at_mut(split);
            let mut from = None;
            for t in low.iter_mut().rev() {
                from = Some(visit::<L>(factors, t, &change[t.link], from));
            }
            from = None;
            for t in high.iter_mut() {
                from = Some(visit::<L>(factors, t, &change[t.link], from));
            }
        }
    }
}

/// Project a contact, given the link visited before and its change in the sweep. Returns the same for this link.
#[inline(always)]
fn visit<L: Lanes>(factors: &[Factor], t: &mut SweptTouch, v: &Vec6, from: Option<(usize, Vec6)>) -> (usize, Vec6) {
    let mut moved = [0.0; 6];
    if let Some((mut link, more)) = from {
        let mut carried = vector::<L>(&more);
        while link != t.link {
            link = if link < t.link { link + 1 } else { link - 1 };
            carried = Both::splat(0.0) - product(&wide_block::<L>(&factors[link].inwards), carried);
        }
        set_vector::<L>(&mut moved, carried);
    }
    let mut here = *v;
    add_scaled(&mut here, 1.0, &moved);
    let mut u = velocity(&t.rows, &here);
    for k in 0..3 {
        u[k] += t.local.base[k];
    }
    let change = t.project(&u);
    for k in 0..3 {
        add_scaled(&mut moved, change[k], &t.moves[k]);
    }
    (t.link, moved)
}
