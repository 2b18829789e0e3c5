//! Stiffness and mass matrices of the whole mesh: sparse, symmetric, assembled in time linear in the number of
//! elements.
//!
//! Both have the connectivity of the mesh: nodes i and j have an entry if they share an element. Only the lower
//! triangle is stored, with a 3 x 3 block of K per entry and one number of M, which is the same for x, y and z.

use crate::algebra::dense::Block;
use crate::elements::element::{self, Elastic, MassKind, Order};
use faer::sparse::{SparseColMat, SymbolicSparseColMat};
use pliant::math::Vec3;

/// Stiffness and mass matrices.
#[derive(Clone, Debug)]
pub(crate) struct Matrices {
    /// Index of the first entry of each column.
    starts: Vec<usize>,
    /// Row of each entry: a node number, ascending within a column, from the diagonal on.
    rows: Vec<usize>,
    /// Blocks of K [N/m].
    stiffness: Vec<[[f64; 3]; 3]>,
    /// Entries of M [kg].
    mass: Vec<f64>,
}

impl Matrices {
    /// Assemble elements, each a list of nodes whose first four are its corners.
    pub fn new(nodes: &[Vec3], cells: &[Vec<usize>], order: Order, solid: &Elastic, kind: MassKind) -> Matrices {
        let (starts, rows) = pattern(nodes.len(), cells);
        let mut matrices =
            Matrices { stiffness: vec![[[0.0; 3]; 3]; rows.len()], mass: vec![0.0; rows.len()], starts, rows };
        for cell in cells {
            let corners: [Vec3; 4] = std::array::from_fn(|n| nodes[cell[n]]);
            let (_, volume) = element::gradients(corners);
            element::stiffness(order, corners, solid.lame(), |a, b, block| {
                let (i, j) = (cell[a], cell[b]);
                let entry = matrices.entry(i, j);
                // the lower triangle is stored: block ij with i the row
                let (row_is_first, sum) = (i >= j, &mut matrices.stiffness[entry]);
                for p in 0..3 {
                    for q in 0..3 {
                        sum[p][q] += if row_is_first { block[p][q] } else { block[q][p] };
                    }
                }
                matrices.mass[entry] += solid.density
                    * volume
                    * match kind {
                        MassKind::Consistent => element::unit_mass(order, a, b),
                        MassKind::Lumped if a == b => element::unit_lump(order, a),
                        MassKind::Lumped => 0.0,
                    };
            });
        }
        matrices
    }

    /// Index of the entry of two nodes that share an element.
    fn entry(&self, i: usize, j: usize) -> usize {
        let (row, column) = (i.max(j), i.min(j));
        let rows = &self.rows[self.starts[column]..self.starts[column + 1]];
        self.starts[column] + rows.binary_search(&row).unwrap_or_default()
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// All entries, as (row, column, index).
    fn entries(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        (0..self.nodes()).flat_map(move |column| {
            (self.starts[column]..self.starts[column + 1]).map(move |e| (self.rows[e], column, e))
        })
    }

    /// y = K x [N].
    pub fn stiffness_times(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for (row, column, entry) in self.entries() {
            let block = &self.stiffness[entry];
            let at = |n: usize| Vec3::from_slice(&x[3 * n..]).to_array();
            let (right, left) = (at(column), at(row));
            for p in 0..3 {
                y[3 * row + p] += block[p][0] * right[0] + block[p][1] * right[1] + block[p][2] * right[2];
            }
            if row != column {
                for q in 0..3 {
                    y[3 * column + q] += block[0][q] * left[0] + block[1][q] * left[1] + block[2][q] * left[2];
                }
            }
        }
    }

    /// y = M x.
    pub fn mass_times(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for (row, column, entry) in self.entries() {
            let mass = self.mass[entry];
            for axis in 0..3 {
                y[3 * row + axis] += mass * x[3 * column + axis];
            }
            if row != column {
                for axis in 0..3 {
                    y[3 * column + axis] += mass * x[3 * row + axis];
                }
            }
        }
    }

    /// M X, column by column.
    pub fn mass_times_block(&self, x: &Block) -> Block {
        let mut y = Block::zeros(x.rows(), x.columns());
        (0..x.columns()).for_each(|n| self.mass_times(x.column(n), y.column_mut(n)));
        y
    }

    /// Estimate of the highest omega^2, within a small factor [1/s2].
    pub fn highest(&self) -> f64 {
        let diagonal = self.entries().filter(|(row, column, _)| row == column);
        diagonal.fold(0.0, |highest, (.., entry)| {
            let block = &self.stiffness[entry];
            // a node that is held has no mass
            let ratio = |axis: usize| if self.mass[entry] > 0.0 { block[axis][axis] / self.mass[entry] } else { 0.0 };
            (0..3).fold(highest, |highest: f64, axis| highest.max(ratio(axis)))
        })
    }

    /// The matrices of the same body with some nodes held: these keep the diagonal of K, which is arbitrary, and nothing
    /// else, so that they neither move nor are counted as modes.
    pub fn held(&self, is_held: &[bool]) -> Matrices {
        let mut held = self.clone();
        for (row, column, entry) in self.entries().filter(|(row, column, _)| is_held[*row] || is_held[*column]) {
            let own = self.stiffness[entry];
            let kept = |p: usize, q: usize| if row == column && p == q { own[p][p] } else { 0.0 };
            held.stiffness[entry] = std::array::from_fn(|p| std::array::from_fn(|q| kept(p, q)));
            held.mass[entry] = 0.0;
        }
        held
    }

    /// Lower triangle of k K + m M as a sparse matrix.
    pub fn combined(&self, k: f64, m: f64) -> SparseColMat<usize, f64> {
        let size = 3 * self.nodes();
        let count = 9 * self.rows.len() - 3 * self.nodes();
        let (mut starts, mut rows, mut values) =
            (Vec::with_capacity(size + 1), Vec::with_capacity(count), Vec::with_capacity(count));
        for column in 0..self.nodes() {
            for q in 0..3 {
                starts.push(rows.len());
                for entry in self.starts[column]..self.starts[column + 1] {
                    let row = self.rows[entry];
                    for p in if row == column { q } else { 0 }..3 {
                        rows.push(3 * row + p);
                        let mass = if p == q { self.mass[entry] } else { 0.0 };
                        values.push(k * self.stiffness[entry][p][q] + m * mass);
                    }
                }
            }
        }
        starts.push(rows.len());
        SparseColMat::new(SymbolicSparseColMat::new_checked(size, size, starts, None, rows), values)
    }
}

/// Column starts and row numbers of the entries.
fn pattern(nodes: usize, cells: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    // elements at each node
    let mut first = vec![0; nodes + 1];
    cells.iter().flatten().for_each(|node| first[node + 1] += 1);
    (0..nodes).for_each(|n| first[n + 1] += first[n]);
    let mut next = first.clone();
    let mut at = vec![0; first[nodes]];
    for (n, cell) in cells.iter().enumerate() {
        for node in cell {
            at[next[*node]] = n;
            next[*node] += 1;
        }
    }
    let (mut starts, mut rows, mut near) = (Vec::with_capacity(nodes + 1), vec![], vec![]);
    starts.push(0);
    for node in 0..nodes {
        near.clear();
        let cells = at[first[node]..first[node + 1]].iter().flat_map(|n| &cells[*n]);
        near.extend(cells.filter(|other| **other >= node));
        near.sort_unstable();
        near.dedup();
        rows.extend_from_slice(&near);
        starts.push(rows.len());
    }
    (starts, rows)
}
