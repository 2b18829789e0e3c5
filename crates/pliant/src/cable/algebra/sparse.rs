//! Sparse block matrices, for cables whose links touch each other. The pattern is symmetric, the values need not be.
//!
//! The symbolic factorisation (`plan`) is done once per pattern: the elimination order, the fill-in, and for every
//! product of the elimination the block that it is subtracted from. With that, `factor` and `solve` are streams of
//! products of 6 x 6 blocks. Nodes that follow each other and lead to the same later ones are eliminated together
//! (a supernode), so that a block to their right is read and written once for all of them: in a heap it is memory that
//! costs, not arithmetic.

use crate::cable::algebra::block::{Tridiagonal, Vec6};
use crate::cable::algebra::elimination::{
    Filled, Wide6, combined, copy, invert, row, set_wide_row, wide_row, wide_rows,
};
use crate::cable::algebra::order::Ordering;
use crate::cable::algebra::solution::{product, set_vector, vector, wide_block};
use crate::kernel::{Kernel, Task};
use crate::lanes::{Eight, Lanes};

/// Most nodes that are eliminated together: their blocks stay in the cache.
const TOGETHER: usize = 8;

/// A sparse matrix of blocks and, after `factor`, its factors.
#[derive(Clone, Debug, Default)]
pub struct Sparse {
    /// Edges of the planned pattern.
    edges: Vec<[u32; 2]>,
    plan: Plan,
    ordering: Ordering,
    /// Diagonal blocks in elimination order, then those of the rows to the right of it, then those of the columns
    /// below. `factor` replaces D by D^-1, and R by D^-1 R. Rows are padded to eight numbers: rows of six take a
    /// quarter less memory, but a heap of 20 loops took 2.3 times as long with them.
    blocks: Vec<Wide6>,
    kernel: Kernel,
}

/// Symbolic factorisation of one pattern. Turns number the nodes in elimination order.
#[derive(Clone, Debug, Default)]
struct Plan {
    /// Products of blocks in a factorisation.
    products: usize,
    /// Node of each turn.
    nodes: Vec<u32>,
    /// Turn of each node.
    turns: Vec<u32>,
    /// Start of the blocks of each turn among the off-diagonal ones, and the end of the last.
    first: Vec<u32>,
    /// For each off-diagonal block, the turn that it leads to.
    to: Vec<u32>,
    /// First turn of each supernode, and the end of the last.
    groups: Vec<u32>,
    /// For each turn and each two of its blocks, the column and the row of a product: the block that the product is
    /// subtracted from. Of a supernode only its last turn has those that lie beyond the supernode.
    targets: Vec<u32>,
    /// For each edge, its blocks in the row of its first node and in that of its second.
    beside: Vec<[u32; 2]>,
}

/// The force of one node on another that decreases with their relative velocity: -S (P_a v_a - P_b v_b) on the first.
pub struct Bond<'a> {
    /// Index of the edge between them.
    pub edge: usize,
    /// P of both nodes.
    pub rows: [[Vec6; 3]; 2],
    /// S.
    pub slope: &'a [[f64; 3]; 3],
    /// Whether only the off-diagonal coupling is added: the diagonal parts are in the chains already.
    pub beside: bool,
}

impl Sparse {
    /// Plan for a pattern of `count` nodes and the edges between them, each once. Does nothing if the pattern is
    /// unchanged. False if its factorisation takes more than `most` products of blocks: then there is no plan.
    pub fn plan(&mut self, count: usize, edges: &[[u32; 2]], most: usize) -> bool {
        let known = self.plan.turns.len() == count && self.edges == edges;
        // a plan that was given up knows only how many products it takes at least
        if known && (self.plan.is_whole() || self.plan.products > most) {
            return self.plan.products <= most;
        }
        self.edges.clear();
        self.edges.extend_from_slice(edges);
        let Plan { nodes, turns, first, to, products, .. } = &mut self.plan;
        nodes.clear();
        first.clear();
        to.clear();
        turns.clear();
        turns.resize(count, 0);
        *products = 0;
        let ordered = self.ordering.eliminate(count, edges.iter().copied(), |node, around| {
            nodes.push(node);
            first.push(to.len() as u32);
            to.extend_from_slice(around);
            *products += around.len() * (around.len() + 1);
            *products <= most
        });
        if !ordered {
            return false;
        }
        first.push(to.len() as u32);
        for (turn, &node) in nodes.iter().enumerate() {
            turns[node as usize] = turn as u32;
        }
        to.iter_mut().for_each(|node| *node = turns[*node as usize]);
        for turn in 0..count {
            to[first[turn] as usize..first[turn + 1] as usize].sort_unstable();
        }
        self.plan.find_groups();
        self.plan.find_targets();
        self.plan.find_edges(edges);
        self.blocks.resize(count + 2 * self.plan.to.len(), Wide6::default());
        true
    }

    /// Set all blocks to zero.
    pub fn clear(&mut self) {
        self.blocks.fill(Wide6::default());
    }

    /// Copy the blocks of a chain of nodes, starting at `node` and `edge`.
    pub fn set_chain(&mut self, node: usize, edge: usize, chain: &Tridiagonal) {
        let Sparse { plan: Plan { turns, beside, .. }, blocks, kernel, .. } = self;
        kernel.run(Chaining { turns, beside, blocks, node, edge, chain });
    }

    /// Add bonds.
    pub fn add_bonds<'a>(&mut self, bonds: impl Iterator<Item = Bond<'a>>) {
        let Sparse { edges, plan: Plan { turns, beside, .. }, blocks, kernel, .. } = self;
        kernel.run(Bonding { edges, turns, beside, blocks, bonds });
    }

    /// Factor. False if a pivot vanishes or is not finite.
    pub fn factor(&mut self) -> bool {
        let Sparse { plan, blocks, kernel, .. } = self;
        kernel.run(Factoring { plan, blocks })
    }

    /// Solve in place with the factors; `work` is working memory.
    pub fn solve(&self, x: &mut [Vec6], work: &mut Vec<Vec6>) {
        let Sparse { plan, blocks, kernel, .. } = self;
        work.clear();
        work.extend(plan.nodes.iter().map(|&node| x[node as usize]));
        kernel.run(Solving { plan, blocks, x: work });
        for (&node, y) in plan.nodes.iter().zip(work) {
            x[node as usize] = *y;
        }
    }

    /// Number of block products in a factorisation.
    #[cfg(test)]
    pub fn products(&self) -> usize {
        self.plan.products
    }
}

impl Plan {
    /// Whether it was not given up.
    fn is_whole(&self) -> bool {
        self.nodes.len() == self.turns.len()
    }

    /// Indices of the blocks of a turn among the off-diagonal ones.
    #[inline(always)]
    fn row(&self, turn: usize) -> std::ops::Range<usize> {
        self.first[turn] as usize..self.first[turn + 1] as usize
    }

    /// Index of the block in the row of one turn and the column of another.
    fn block(&self, row: u32, column: u32) -> u32 {
        let count = self.nodes.len() as u32;
        if row == column {
            return row;
        }
        let range = self.row(row.min(column) as usize);
        let within = self.to[range.clone()].partition_point(|&t| t < row.max(column));
        let index = (range.start + within) as u32;
        if row < column { count + index } else { count + self.to.len() as u32 + index }
    }

    fn find_groups(&mut self) {
        let Plan { groups, first, to, .. } = self;
        groups.clear();
        for turn in 0..first.len() - 1 {
            let follows = groups.last().is_some_and(|&start| {
                let (before, here) = (first[turn - 1] as usize, first[turn] as usize);
                // what an earlier node leads to, the next one does too, and possibly to more
                let alike = here - before == first[turn + 1] as usize - here + 1 && to[before] as usize == turn;
                alike && turn - (start as usize) < TOGETHER
            });
            if !follows {
                groups.push(turn as u32);
            }
        }
        groups.push(first.len() as u32 - 1);
    }

    /// The supernodes, each as its turns.
    #[inline(always)]
    fn groups(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.groups.windows(2).map(|w| w[0] as usize..w[1] as usize)
    }

    fn find_targets(&mut self) {
        let mut targets = std::mem::take(&mut self.targets);
        targets.clear();
        let (count, beside) = (self.nodes.len() as u32, self.to.len() as u32);
        for (group, turn) in self.groups().flat_map(|group| group.clone().map(move |turn| (group.clone(), turn))) {
            let row = &self.to[self.row(turn)];
            // the columns within the supernode come whole, of the others what is within; the last turn has all the rest
            let within = group.end - 1 - turn;
            let height = if within == 0 { row.len() } else { within };
            let from = targets.len();
            targets.resize(from + within * row.len() + (row.len() - within) * height, 0);
            let here = &mut targets[from..];
            let place = |column: usize, line: usize| {
                if column < within {
                    column * row.len() + line
                } else {
                    within * row.len() + (column - within) * height + line
                }
            };
            for (i, &early) in row.iter().enumerate().take(height) {
                here[place(i, i)] = early;
                // the blocks of an earlier node lead to all later ones, and possibly to others
                let mut at = self.row(early as usize);
                for (j, late) in row.iter().enumerate().skip(i + 1) {
                    while at.start < at.end && self.to[at.start] < *late {
                        at.start += 1;
                    }
                    here[place(j, i)] = count + at.start as u32;
                    here[place(i, j)] = count + beside + at.start as u32;
                }
            }
        }
        self.targets = targets;
    }

    fn find_edges(&mut self, edges: &[[u32; 2]]) {
        let mut beside = std::mem::take(&mut self.beside);
        beside.clear();
        beside.extend(edges.iter().map(|edge| {
            let [a, b] = edge.map(|node| self.turns[node as usize]);
            [self.block(a, b), self.block(b, a)]
        }));
        self.beside = beside;
    }
}

/// Task: copy the blocks of a chain of nodes, starting at `node` and `edge`.
pub struct Chaining<'a> {
    /// Index of the diagonal block of each node.
    pub turns: &'a [u32],
    /// For each edge, its blocks in the row of its first node and in that of its second.
    pub beside: &'a [[u32; 2]],
    /// All blocks.
    pub blocks: &'a mut [Wide6],
    /// The first node.
    pub node: usize,
    /// The first edge.
    pub edge: usize,
    /// The chain.
    pub chain: &'a Tridiagonal,
}

impl Task for Chaining<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Chaining { turns, beside, blocks, node, edge, chain } = self;
        for (block, &turn) in chain.diagonal.iter().zip(&turns[node..]) {
            copy::<L>(block, &mut blocks[turn as usize]);
        }
        for ((right, below), beside) in chain.right.iter().zip(&chain.below).zip(&beside[edge..]) {
            copy::<L>(right, &mut blocks[beside[0] as usize]);
            copy::<L>(below, &mut blocks[beside[1] as usize]);
        }
    }
}

/// Task: add bonds.
pub struct Bonding<'a, I> {
    /// The edges.
    pub edges: &'a [[u32; 2]],
    /// Index of the diagonal block of each node.
    pub turns: &'a [u32],
    /// For each edge, its blocks in the row of its first node and in that of its second.
    pub beside: &'a [[u32; 2]],
    /// All blocks.
    pub blocks: &'a mut [Wide6],
    /// The bonds.
    pub bonds: I,
}

impl<'a, I: Iterator<Item = Bond<'a>>> Task for Bonding<'_, I> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Bonding { edges, turns, beside, blocks, bonds } = self;
        for Bond { edge, rows, slope, beside: only_beside } in bonds {
            let turns = edges[edge].map(|node| turns[node as usize]);
            let beside = beside[edge];
            let targets = [[turns[0], beside[0]], [beside[1], turns[1]]];
            for column in 0..2 {
                // S P of the column
                let right = [row::<L>(&rows[column][0]), row::<L>(&rows[column][1]), row::<L>(&rows[column][2])];
                let mut falls = right;
                for k in 0..3 {
                    falls[k] = three::<L>(slope[k], &right);
                }
                for line in 0..2 {
                    if only_beside && line == column {
                        continue;
                    }
                    let to = &mut blocks[targets[line][column] as usize];
                    for r in 0..6 {
                        let sign = if line == column { 1.0 } else { -1.0 };
                        let weights = [sign * rows[line][0][r], sign * rows[line][1][r], sign * rows[line][2][r]];
                        let more = wide_row::<L>(&to.0[r]) + three::<L>(weights, &falls);
                        set_wide_row::<L>(&mut to.0[r], more);
                    }
                }
            }
        }
    }
}

/// Linear combination of three rows.
#[inline(always)]
fn three<L: Lanes>(f: [f64; 3], rows: &[Filled<L>; 3]) -> Filled<L> {
    let part = |k: usize| L::Eight::splat(f[k]) * rows[k];
    part(0) + part(1) + part(2)
}

struct Factoring<'a> {
    plan: &'a Plan,
    blocks: &'a mut [Wide6],
}

impl Task for Factoring<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let Factoring { plan, blocks } = self;
        let mut fine = true;
        let (right, below) = (plan.nodes.len(), plan.nodes.len() + plan.to.len());
        let mut targets = plan.targets.iter().map(|&target| target as usize);
        for group in plan.groups() {
            for turn in group.clone() {
                let mut pivot = [blocks[turn]];
                fine &= invert::<L, 1>(&mut pivot);
                blocks[turn] = pivot[0];
                let (row, within) = (plan.row(turn), group.end - 1 - turn);
                for column in row.clone() {
                    let beside = wide_rows::<L>(&blocks[right + column]);
                    let mut carried = beside;
                    for r in 0..6 {
                        carried[r] = combined::<L>(&pivot[0].0[r], &beside);
                        set_wide_row::<L>(&mut blocks[right + column].0[r], carried[r]);
                    }
                    let height = if column < row.start + within { row.len() } else { within };
                    for (line, target) in row.clone().take(height).zip(&mut targets) {
                        let factor = blocks[below + line];
                        let to = &mut blocks[target];
                        for r in 0..6 {
                            let left = wide_row::<L>(&to.0[r]) - combined::<L>(&factor.0[r], &carried);
                            set_wide_row::<L>(&mut to.0[r], left);
                        }
                    }
                }
            }
            // what lies beyond the supernode, from all of its turns at once
            let beyond = plan.row(group.end - 1).len();
            for column in 0..beyond {
                for line in 0..beyond {
                    let Some(target) = targets.next() else { return false };
                    let mut left = wide_rows::<L>(&blocks[target]);
                    for turn in group.clone() {
                        let start = plan.first[turn + 1] as usize - beyond;
                        let carried = wide_rows::<L>(&blocks[right + start + column]);
                        let factor = &blocks[below + start + line];
                        for r in 0..6 {
                            left[r] = left[r] - combined::<L>(&factor.0[r], &carried);
                        }
                    }
                    for r in 0..6 {
                        set_wide_row::<L>(&mut blocks[target].0[r], left[r]);
                    }
                }
            }
        }
        fine
    }
}

struct Solving<'a> {
    plan: &'a Plan,
    blocks: &'a [Wide6],
    x: &'a mut [Vec6],
}

impl Task for Solving<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Solving { plan, blocks, x } = self;
        let count = plan.nodes.len();
        let (right, below) = (count, count + plan.to.len());
        for turn in 0..count {
            let here = product(&wide_block(&blocks[turn]), vector::<L>(&x[turn]));
            set_vector::<L>(&mut x[turn], here);
            for index in plan.row(turn) {
                let to = plan.to[index] as usize;
                let left = vector::<L>(&x[to]) - product(&wide_block(&blocks[below + index]), here);
                set_vector::<L>(&mut x[to], left);
            }
        }
        for turn in (0..count).rev() {
            let mut here = vector::<L>(&x[turn]);
            for index in plan.row(turn) {
                let there = vector::<L>(&x[plan.to[index] as usize]);
                here = here - product(&wide_block(&blocks[right + index]), there);
            }
            set_vector::<L>(&mut x[turn], here);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cable::algebra::block::Mat6;

    /// Pseudo-random numbers between -1 and 1.
    fn numbers() -> impl FnMut() -> f64 {
        let mut seed = 1u64;
        move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    /// A cable of `count` links wound into a coil of `turn` links per turn.
    fn coil(count: u32, turn: u32) -> Vec<[u32; 2]> {
        let chain = (0..count - 1).map(|i| [i, i + 1]);
        chain.chain((0..count.saturating_sub(turn)).map(|i| [i, i + turn])).collect()
    }

    fn add(to: &mut Vec6, m: &Mat6, x: &Vec6) {
        (0..6).for_each(|r| to[r] += (0..6).map(|c| m[r][c] * x[c]).sum::<f64>());
    }

    #[test]
    fn the_solution_satisfies_the_equations() {
        for (count, turn) in [(1, 5), (2, 5), (7, 3), (40, 7), (60, 60)] {
            let (edges, n) = (coil(count, turn), count as usize);
            let (mut sparse, mut number, mut chain) = (Sparse::default(), numbers(), Tridiagonal::new(n));
            let mut block = |more: f64| {
                std::array::from_fn(|i| std::array::from_fn(|j| number() + if i == j { more } else { 0.0 }))
            };
            chain.diagonal.iter_mut().for_each(|b| *b = block(20.0));
            chain.right.iter_mut().chain(&mut chain.below).for_each(|b| *b = block(0.0));
            let mut some = numbers();
            let mut rows = || -> [Vec6; 3] { std::array::from_fn(|_| std::array::from_fn(|_| some())) };
            let bonds: Vec<_> = (n - 1..edges.len()).map(|edge| (edge, [rows(), rows()], rows())).collect();
            let slope =
                |from: &[Vec6; 3]| -> [[f64; 3]; 3] { std::array::from_fn(|k| [from[k][0], from[k][1], from[k][2]]) };
            assert!(sparse.plan(n, &edges, usize::MAX));
            sparse.clear();
            sparse.set_chain(0, 0, &chain);
            let slopes: Vec<_> = bonds.iter().map(|b| slope(&b.2)).collect();
            sparse.add_bonds(bonds.iter().zip(&slopes).map(|((edge, rows, _), slope)| Bond {
                edge: *edge,
                rows: *rows,
                slope,
                beside: false,
            }));
            let mut some = numbers();
            let right: Vec<Vec6> = (0..count).map(|_| std::array::from_fn(|_| some())).collect();
            let (mut x, mut work) = (right.clone(), vec![]);
            assert!(sparse.factor());
            sparse.solve(&mut x, &mut work);
            // the products of the matrix and of the bonds, written out
            let mut left: Vec<Vec6> = right.iter().map(|r| r.map(|v| -v)).collect();
            for i in 0..n {
                add(&mut left[i], &chain.diagonal[i], &x[i]);
                if i + 1 < n {
                    add(&mut left[i], &chain.right[i], &x[i + 1]);
                    add(&mut left[i + 1], &chain.below[i], &x[i]);
                }
            }
            for ((edge, rows, _), slope) in bonds.iter().zip(&slopes) {
                let [a, b] = edges[*edge].map(|node| node as usize);
                let along = |p: &[Vec6; 3], v: &Vec6, k: usize| (0..6).map(|c| p[k][c] * v[c]).sum::<f64>();
                let u: [f64; 3] = std::array::from_fn(|k| along(&rows[0], &x[a], k) - along(&rows[1], &x[b], k));
                for k in 0..3 {
                    let force: f64 = (0..3).map(|j| slope[k][j] * u[j]).sum();
                    for c in 0..6 {
                        left[a][c] += rows[0][k][c] * force;
                        left[b][c] -= rows[1][k][c] * force;
                    }
                }
            }
            let most = left.iter().flatten().fold(0.0, |most: f64, v| most.max(v.abs()));
            assert!(most < 1e-11, "{count} links, {turn} a turn: {most}");
        }
    }

    #[test]
    fn cables_side_by_side_cost_as_much_as_they_are_long() {
        let products = |links: u32| {
            let pairs = (0..links).map(|i| [i, links + i]);
            let along = (0..links - 1).flat_map(|i| [[i, i + 1], [links + i, links + i + 1]]);
            let mut sparse = Sparse::default();
            assert!(sparse.plan(2 * links as usize, &along.chain(pairs).collect::<Vec<_>>(), usize::MAX));
            sparse.products() as f64 / f64::from(links)
        };
        let [short, long] = [100, 2000].map(products);
        assert!(long < 1.1 * short && long < 30.0, "{short} and {long} products a link");
    }

    #[test]
    fn a_matrix_without_inverse_is_told() {
        let mut sparse = Sparse::default();
        assert!(sparse.plan(2, &[[0, 1]], usize::MAX));
        sparse.clear();
        assert!(!sparse.factor());
    }
}
