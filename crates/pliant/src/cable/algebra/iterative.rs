//! Iterative solution of sparse block matrices, for heaps in which links touch so many others that the factors of
//! `sparse` fill up: the cost grows with the number of blocks alone.
//!
//! With the nodes in the order along the cables, from both ends to the middle, A = L + D + U. E is the diagonal of its incomplete factors,
//! E_i = D_i - sum over j < i of L_ij E_j^-1 U_ji: exact for a cable whose links touch no others. With L, D and U
//! multiplied by E^-1 from the left, the equations are solved by GMRES for y = (1 + U) x with the operator
//!
//!   (1 + L)^-1 (L + D + U) (1 + U)^-1 = (1 + U)^-1 + (1 + L)^-1 (1 + (D - 2) (1 + U)^-1),
//!
//! which costs no more than the two solutions with triangles (S. C. Eisenstat, "Efficient implementation of a class of
//! preconditioned conjugate gradient methods"). Residuals are velocities there, and measured by their kinetic energy, as
//! Newton's method measures its changes.

use crate::cable::algebra::block::{Tridiagonal, Vec6};
use crate::cable::algebra::elimination::{Wide6, combined, invert, set_wide_row, wide_row, wide_rows};
use crate::cable::algebra::sparse::{Bond, Bonding, Chaining};
use crate::kernel::{Kernel, Task};
use crate::lanes::{Eight, Lanes};

/// Number of directions after which the iteration begins anew.
const DIRECTIONS: usize = 40;

/// How often it does so before it gives up.
const ROUNDS: usize = 4;

/// A vector of one link, padded to a register.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Padded([f64; 8]);

/// A sparse matrix of blocks and what its iterative solution needs.
#[derive(Clone, Debug, Default)]
pub struct Iterative {
    pattern: Pattern,
    edges: Vec<[u32; 2]>,
    /// Diagonal blocks, then those above the diagonal, then those below. `prepare` multiplies them by E^-1 and transposes
    /// them.
    blocks: Vec<Wide6>,
    /// E^-1.
    inverses: Vec<Wide6>,
    work: Work,
    kernel: Kernel,
}

/// Where blocks are.
#[derive(Clone, Debug, Default)]
struct Pattern {
    /// Start of the blocks of each node beside those of earlier ones, and the end of the last.
    first: Vec<u32>,
    /// The earlier node of each of these.
    to: Vec<u32>,
    /// For each edge, its blocks in the row of its first node and in that of its second.
    beside: Vec<[u32; 2]>,
    /// Where each node is in the order of elimination.
    turns: Vec<u32>,
}

/// Working memory of a solution.
#[derive(Clone, Debug, Default)]
struct Work {
    /// Orthonormal directions, one after the other.
    basis: Vec<Padded>,
    /// The right-hand side (1 + L)^-1 E^-1 b.
    right: Vec<Padded>,
    /// y.
    found: Vec<Padded>,
    /// (1 + U)^-1 of a direction.
    above: Vec<Padded>,
    /// What is being computed.
    result: Vec<Padded>,
    /// Weights of squares.
    weights: Vec<Padded>,
    weighted: Vec<Padded>,
}

impl Work {
    fn provide(&mut self, count: usize) {
        let Work { basis, right, found, above, result, weights, weighted } = self;
        basis.resize(count * (DIRECTIONS + 1), Padded::default());
        for rows in [right, found, above, result, weights, weighted] {
            rows.resize(count, Padded::default());
        }
    }
}

/// Where a node of so many is in the order of elimination: from both ends in turns, so that a processor works on one chain
/// of links while it waits for the other.
fn turn(node: usize, count: usize) -> u32 {
    let from_end = count - 1 - node;
    (if node <= from_end { 2 * node } else { 2 * from_end + 1 }) as u32
}

impl Iterative {
    /// Begin a matrix of `count` nodes and the edges between them, each once, with all blocks zero.
    pub fn begin(&mut self, count: usize, edges: &[[u32; 2]]) {
        self.edges.clear();
        self.edges.extend_from_slice(edges);
        let Pattern { first, to, beside, turns } = &mut self.pattern;
        turns.clear();
        turns.extend((0..count).map(|node| turn(node, count)));
        let edges = edges.iter().map(|edge| edge.map(|node| turns[node as usize]));
        first.clear();
        first.resize(count + 2, 0);
        edges.clone().for_each(|[a, b]| first[a.max(b) as usize + 2] += 1);
        (2..first.len()).for_each(|i| first[i] += first[i - 1]);
        to.clear();
        to.resize(edges.len(), 0);
        beside.clear();
        for [a, b] in edges.clone() {
            // the start of the next node moves to that of its own blocks as these are counted
            let place = &mut first[a.max(b) as usize + 1];
            to[*place as usize] = a.min(b);
            let above = count as u32 + *place;
            let both = [above, above + edges.len() as u32];
            beside.push(if a < b { both } else { [both[1], both[0]] });
            *place += 1;
        }
        first.pop();
        self.blocks.clear();
        self.blocks.resize(count + 2 * edges.len(), Wide6::default());
        self.inverses.resize(count, Wide6::default());
        self.work.provide(count);
    }

    /// Copy the blocks of a chain of nodes, starting at `node` and `edge`.
    pub fn set_chain(&mut self, node: usize, edge: usize, chain: &Tridiagonal) {
        let Iterative { pattern: Pattern { turns, beside, .. }, blocks, kernel, .. } = self;
        kernel.run(Chaining { turns, beside, blocks, node, edge, chain });
    }

    /// Add bonds.
    pub fn add_bonds<'a>(&mut self, bonds: impl Iterator<Item = Bond<'a>>) {
        let Iterative { edges, pattern: Pattern { turns, beside, .. }, blocks, kernel, .. } = self;
        kernel.run(Bonding { edges, turns, beside, blocks, bonds });
    }

    /// Prepare for solutions. False if a pivot vanishes or is not finite.
    pub fn prepare(&mut self) -> bool {
        let Iterative { pattern, blocks, inverses, kernel, .. } = self;
        kernel.run(Preparing { pattern, blocks, inverses })
    }

    /// Solve in place until at most a part of the residual is left; `inertias` are those of each node. Returns in how many
    /// directions the solution was sought; `None` if the iteration does not converge, and x is then unchanged.
    pub fn solve(&mut self, x: &mut [Vec6], inertias: impl Iterator<Item = Vec6>, part: f64) -> Option<usize> {
        let Iterative { pattern, blocks, inverses, work, kernel, .. } = self;
        let count = x.len();
        for ((&turn, inertia), b) in pattern.turns.iter().zip(inertias).zip(&*x) {
            work.weights[turn as usize].0[..6].copy_from_slice(&inertia);
            work.above[turn as usize].0[..6].copy_from_slice(b);
        }
        let (diagonal, beside) = blocks.split_at(count);
        let (upper, lower) = beside.split_at(pattern.to.len());
        let all = Triangles { pattern, diagonal, upper, lower, inverses };
        let Work { basis, right, found, above, result, weights, weighted } = work;
        kernel.run(Starting { all, b: above, right });
        found.fill(Padded::default());
        basis[..count].copy_from_slice(right);
        let whole = kernel.run(Squaring { weights, q: right });
        if whole == 0.0 {
            x.fill([0.0; 6]);
            return Some(0);
        }
        let enough = part * whole.sqrt();
        let (mut size, mut close, mut tried) = (whole.sqrt(), false, 0);
        for _ in 0..ROUNDS {
            if !size.is_finite() || close {
                break;
            }
            kernel.run(Scaling { by: 1.0 / size, q: &mut basis[..count] });
            let (mut columns, mut turns) = ([[0.0; DIRECTIONS + 1]; DIRECTIONS], [[0.0; 2]; DIRECTIONS]);
            let mut left = [0.0; DIRECTIONS + 1];
            left[0] = size;
            let mut used = 0;
            while used < DIRECTIONS && !close {
                let (known, next) = basis.split_at_mut((used + 1) * count);
                let next = &mut next[..count];
                let y = &known[used * count..];
                kernel.run(Applying { all, y, above, result: next, weights, weighted });
                let column = &mut columns[used];
                kernel.run(Projecting { basis: known, weighted, shares: &mut column[..=used] });
                let added = Adding { basis: known, shares: &column[..=used], sign: -1.0, q: next, weights };
                let across = kernel.run(added).sqrt();
                column[used + 1] = across;
                for (k, [cosine, sine]) in turns[..used].iter().enumerate() {
                    (column[k], column[k + 1]) =
                        (cosine * column[k] + sine * column[k + 1], cosine * column[k + 1] - sine * column[k]);
                }
                let length = (column[used] * column[used] + across * across).sqrt();
                let [cosine, sine] = [column[used] / length, across / length];
                turns[used] = [cosine, sine];
                column[used] = length;
                (left[used], left[used + 1]) = (cosine * left[used], -sine * left[used]);
                (used, tried) = (used + 1, tried + 1);
                // not a number counts as close: what comes out is judged below
                close = left[used].is_nan() || left[used].abs() <= enough;
                if !close {
                    kernel.run(Scaling { by: 1.0 / across, q: next });
                }
            }
            for k in (0..used).rev() {
                let known: f64 = (k + 1..used).map(|m| columns[m][k] * left[m]).sum();
                left[k] = (left[k] - known) / columns[k][k];
            }
            kernel.run(Adding { basis, shares: &left[..used], sign: 1.0, q: found, weights });
            if !close {
                kernel.run(Applying { all, y: found, above, result, weights, weighted });
                for ((to, b), a) in basis.iter_mut().zip(&*right).zip(&*result) {
                    (0..8).for_each(|k| to.0[k] = b.0[k] - a.0[k]);
                }
                size = kernel.run(Squaring { weights, q: &basis[..count] }).sqrt();
            }
        }
        kernel.run(Ending { all, x: found });
        if !close || !found.iter().flat_map(|padded| &padded.0).all(|v| v.is_finite()) {
            return None;
        }
        for (x, &turn) in x.iter_mut().zip(&pattern.turns) {
            x.copy_from_slice(&found[turn as usize].0[..6]);
        }
        Some(tried)
    }
}

/// The transpose of a block given by rows.
#[inline(always)]
fn transposed(m: &Wide6) -> Wide6 {
    let mut to = Wide6::default();
    for r in 0..6 {
        for c in 0..6 {
            to.0[c][r] = m.0[r][c];
        }
    }
    to
}

/// Product of two blocks.
#[inline(always)]
fn times<L: Lanes>(a: &Wide6, b: &Wide6) -> Wide6 {
    let (rows, mut to) = (wide_rows::<L>(b), Wide6::default());
    for r in 0..6 {
        set_wide_row::<L>(&mut to.0[r], combined::<L>(&a.0[r], &rows));
    }
    to
}

struct Preparing<'a> {
    pattern: &'a Pattern,
    blocks: &'a mut [Wide6],
    inverses: &'a mut [Wide6],
}

impl Task for Preparing<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let Preparing { pattern, blocks, inverses } = self;
        let (diagonal, beside) = blocks.split_at_mut(inverses.len());
        let (upper, lower) = beside.split_at_mut(pattern.to.len());
        let mut fine = true;
        for node in 0..inverses.len() {
            let row = pattern.first[node] as usize..pattern.first[node + 1] as usize;
            let mut pivot = [diagonal[node]];
            for at in row.clone() {
                let carried = times::<L>(&inverses[pattern.to[at] as usize], &upper[at]);
                let taken = times::<L>(&lower[at], &carried);
                for r in 0..6 {
                    let left = wide_row::<L>(&pivot[0].0[r]) - wide_row::<L>(&taken.0[r]);
                    set_wide_row::<L>(&mut pivot[0].0[r], left);
                }
                upper[at] = transposed(&carried);
            }
            fine &= invert::<L, 1>(&mut pivot);
            inverses[node] = pivot[0];
            diagonal[node] = transposed(&times::<L>(&pivot[0], &diagonal[node]));
            for at in row {
                lower[at] = transposed(&times::<L>(&pivot[0], &lower[at]));
            }
        }
        inverses.iter_mut().for_each(|inverse| *inverse = transposed(inverse));
        fine
    }
}

/// L, D and U, and E^-1, all of them transposed.
#[derive(Clone, Copy)]
struct Triangles<'a> {
    pattern: &'a Pattern,
    diagonal: &'a [Wide6],
    upper: &'a [Wide6],
    lower: &'a [Wide6],
    inverses: &'a [Wide6],
}

impl Triangles<'_> {
    #[inline(always)]
    fn row(&self, node: usize) -> std::ops::Range<usize> {
        self.pattern.first[node] as usize..self.pattern.first[node + 1] as usize
    }

    /// Product of a transposed block with a vector.
    #[inline(always)]
    fn product<L: Lanes>(block: &Wide6, x: &Padded) -> L::Eight {
        combined::<L>(&x.0, &wide_rows::<L>(block))
    }

    /// x = (1 + U)^-1 x.
    #[inline(always)]
    fn solve_upper<L: Lanes>(&self, x: &mut [Padded]) {
        for node in (0..x.len()).rev() {
            let here = x[node];
            for at in self.row(node) {
                let to = &mut x[self.pattern.to[at] as usize];
                let left = L::Eight::load(&to.0) - Self::product::<L>(&self.upper[at], &here);
                left.store(&mut to.0);
            }
        }
    }

    /// One line of x = (1 + L)^-1 b.
    #[inline(always)]
    fn next_lower<L: Lanes>(&self, node: usize, b: L::Eight, x: &mut [Padded]) {
        let mut sum = b;
        for at in self.row(node) {
            sum = sum - Self::product::<L>(&self.lower[at], &x[self.pattern.to[at] as usize]);
        }
        sum.store(&mut x[node].0);
    }
}

/// Task: the right-hand side.
struct Starting<'a> {
    all: Triangles<'a>,
    b: &'a [Padded],
    right: &'a mut [Padded],
}

impl Task for Starting<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Starting { all, b, right } = self;
        for node in 0..b.len() {
            let scaled = Triangles::product::<L>(&all.inverses[node], &b[node]);
            all.next_lower::<L>(node, scaled, right);
        }
    }
}

/// Task: the product of the operator with y, also times the weights.
struct Applying<'a> {
    all: Triangles<'a>,
    y: &'a [Padded],
    above: &'a mut [Padded],
    result: &'a mut [Padded],
    weights: &'a [Padded],
    weighted: &'a mut [Padded],
}

impl Task for Applying<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Applying { all, y, above, result, weights, weighted } = self;
        above.copy_from_slice(&y[..above.len()]);
        all.solve_upper::<L>(above);
        let two = L::Eight::splat(2.0);
        for node in 0..above.len() {
            let once = L::Eight::load(&above[node].0);
            let here = Triangles::product::<L>(&all.diagonal[node], &above[node]);
            all.next_lower::<L>(node, L::Eight::load(&y[node].0) + (here - two * once), result);
        }
        for (node, to) in result.iter_mut().enumerate() {
            let sum = L::Eight::load(&to.0) + L::Eight::load(&above[node].0);
            sum.store(&mut to.0);
            (L::Eight::load(&weights[node].0) * sum).store(&mut weighted[node].0);
        }
    }
}

/// Task: x from y.
struct Ending<'a> {
    all: Triangles<'a>,
    x: &'a mut [Padded],
}

impl Task for Ending<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.all.solve_upper::<L>(self.x);
    }
}

/// Task: the weighted square of a vector.
struct Squaring<'a> {
    weights: &'a [Padded],
    q: &'a [Padded],
}

impl Task for Squaring<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let mut square = L::Eight::splat(0.0);
        for (weight, q) in self.weights.iter().zip(self.q) {
            let q = L::Eight::load(&q.0);
            square = square + L::Eight::load(&weight.0) * q * q;
        }
        total(square)
    }
}

/// Sum of eight numbers.
#[inline(always)]
fn total<E: Eight>(of: E) -> f64 {
    let mut v = [0.0; 8];
    of.store(&mut v);
    ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
}

/// Vectors that are processed together.
const GROUP: usize = 4;

/// Task: shares of the vectors of a basis in a vector, which is weighted already.
struct Projecting<'a> {
    basis: &'a [Padded],
    weighted: &'a [Padded],
    shares: &'a mut [f64],
}

impl Task for Projecting<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Projecting { basis, weighted, shares } = self;
        let count = weighted.len();
        for (group, shares) in shares.chunks_mut(GROUP).enumerate() {
            let from = group * GROUP * count;
            let mut sums = [L::Eight::splat(0.0); GROUP];
            for (node, q) in weighted.iter().enumerate() {
                let q = L::Eight::load(&q.0);
                for k in 0..shares.len() {
                    sums[k] = sums[k] + L::Eight::load(&basis[from + k * count + node].0) * q;
                }
            }
            for (share, sum) in shares.iter_mut().zip(sums) {
                *share = total(sum);
            }
        }
    }
}

/// Task: q + sign * shares of the vectors of a basis. Returns its weighted square.
struct Adding<'a> {
    basis: &'a [Padded],
    shares: &'a [f64],
    sign: f64,
    q: &'a mut [Padded],
    weights: &'a [Padded],
}

impl Task for Adding<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Adding { basis, shares, sign, q, weights } = self;
        let (count, mut square) = (q.len(), L::Eight::splat(0.0));
        for (group, shares) in shares.chunks(GROUP).enumerate() {
            let from = group * GROUP * count;
            let mut factors = [L::Eight::splat(0.0); GROUP];
            for (factor, share) in factors.iter_mut().zip(shares) {
                *factor = L::Eight::splat(sign * share);
            }
            square = L::Eight::splat(0.0);
            for (node, q) in q.iter_mut().enumerate() {
                let mut sum = L::Eight::load(&q.0);
                for k in 0..shares.len() {
                    sum = sum + factors[k] * L::Eight::load(&basis[from + k * count + node].0);
                }
                sum.store(&mut q.0);
                square = square + L::Eight::load(&weights[node].0) * sum * sum;
            }
        }
        total(square)
    }
}

/// Task: a multiple of a vector.
struct Scaling<'a> {
    by: f64,
    q: &'a mut [Padded],
}

impl Task for Scaling<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let by = L::Eight::splat(self.by);
        for q in self.q {
            (by * L::Eight::load(&q.0)).store(&mut q.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cable::algebra::block::Mat6;
    use crate::cable::algebra::sparse::Sparse;
    use crate::random::Random;

    /// A coil of `count` links, `turn` of them a turn, that touch those a turn before them.
    fn coil(count: u32, turn: u32, closed: bool) -> Vec<[u32; 2]> {
        let chain = (0..count - 1).map(|i| [i, i + 1]).chain(closed.then_some([count - 1, 0]));
        chain.chain((0..count.saturating_sub(turn)).map(|i| [i, i + turn])).collect()
    }

    /// Both solutions of random equations, the direct one first, with the number of directions.
    fn solutions(count: u32, turn: u32, closed: bool, kernel: Kernel) -> ([Vec<Vec6>; 2], Option<usize>) {
        let (edges, n, mut random) = (coil(count, turn, closed), count as usize, Random(7));
        let mut block = |more: f64| -> Mat6 {
            std::array::from_fn(|i| std::array::from_fn(|j| random.signed() + if i == j { more } else { 0.0 }))
        };
        let mut chain = Tridiagonal::new(n);
        chain.diagonal.iter_mut().for_each(|b| *b = block(20.0));
        chain.right.iter_mut().chain(&mut chain.below).for_each(|b| *b = block(0.0));
        if closed {
            chain.right.push(block(0.0));
            chain.below.push(block(0.0));
        }
        let along = chain.right.len();
        let bonds: Vec<_> = (along..edges.len()).map(|edge| (edge, block(0.0), block(0.0), block(1.0))).collect();
        let three = |m: &Mat6| [m[0], m[1], m[2]];
        let slopes: Vec<[[f64; 3]; 3]> = bonds.iter().map(|b| three(&b.3).map(|r| [r[0], r[1], r[2]])).collect();
        let bond = |k: usize| {
            let (edge, a, b, _) = &bonds[k];
            Bond { edge: *edge, rows: [three(a), three(b)], slope: &slopes[k], beside: k.is_multiple_of(3) }
        };
        let b: Vec<Vec6> = (0..n).map(|_| block(0.0)[0]).collect();
        let (mut direct, mut work) = (Sparse::default(), vec![]);
        assert!(direct.plan(n, &edges, usize::MAX));
        direct.clear();
        direct.set_chain(0, 0, &chain);
        direct.add_bonds((0..bonds.len()).map(bond));
        let mut exact = b.clone();
        assert!(direct.factor());
        direct.solve(&mut exact, &mut work);
        let mut iterative = Iterative { kernel, ..Iterative::default() };
        iterative.begin(n, &edges);
        iterative.set_chain(0, 0, &chain);
        iterative.add_bonds((0..bonds.len()).map(bond));
        assert!(iterative.prepare());
        let mut x = b;
        let inertias = std::iter::repeat_n([2.0, 2.0, 2.0, 0.1, 0.3, 0.3], n);
        let tried = iterative.solve(&mut x, inertias, 1e-13);
        ([exact, x], tried)
    }

    #[test]
    fn it_agrees_with_the_direct_solution_on_all_machines() {
        for (count, turn, closed) in [(1, 5, false), (7, 3, false), (40, 7, true), (300, 20, false)] {
            let ([exact, x], tried) = solutions(count, turn, closed, Kernel::Plain);
            assert!(tried.is_some());
            for (x, exact) in x.iter().flatten().zip(exact.iter().flatten()) {
                assert!((x - exact).abs() < 1e-11, "{count} links: {x} for {exact}");
            }
            for kernel in Kernel::all() {
                assert_eq!(solutions(count, turn, closed, kernel).0[1], x, "{kernel:?}");
            }
        }
    }

    #[test]
    fn a_cable_that_touches_nothing_is_solved_at_once() {
        let (_, tried) = solutions(100, 100, false, Kernel::default());
        assert_eq!(tried, Some(1));
    }

    #[test]
    fn a_matrix_without_inverse_is_told() {
        let mut iterative = Iterative::default();
        iterative.begin(2, &[[0, 1]]);
        assert!(!iterative.prepare());
        let mut x = vec![[1.0; 6]; 2];
        assert_eq!(iterative.solve(&mut x, std::iter::repeat_n([1.0; 6], 2), 0.01), None);
        assert_eq!(x, [[1.0; 6]; 2]);
    }
}
