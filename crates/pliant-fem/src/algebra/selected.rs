//! Selected inverse: entries of the inverse of a sparse matrix on the pattern of its Cholesky factor.
//!
//! From the last supernode to the first, with the factor's block L_ss on the diagonal and L_rs below it, in rows r:
//!
//!   Y = L_rs L_ss^-1,   S_rs = -S_rr Y,   S_ss = L_ss^-T L_ss^-1 - Y^T S_rs
//!
//! (Takahashi, Fagan and Chin, "Formation of a sparse bus impedance matrix and its application to short circuit study",
//! 1973.) S_rr is already known, since the columns r come later and contain all later rows of r. The cost is about that
//! of the factorisation; solving for every unknown costs many times more.

use crate::algebra::dense::{Block, shares};
use crate::algebra::factor::Cholesky;
use crate::error::FemError;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::sparse::linalg::cholesky::SymbolicCholeskyRaw;
use faer::sparse::linalg::cholesky::supernodal::{SupernodalLltRef, SymbolicSupernodalCholesky};
use faer::{Accum, Mat};

/// Entries of the inverse on the pattern of the factor.
pub(crate) struct Selected {
    /// Rows of each supernode, its own columns first, in the order of the factor.
    rows: Vec<Vec<usize>>,
    /// The inverse at these rows, for the columns of the supernode.
    blocks: Vec<Block>,
    /// Supernode of each column, in the order of the factor.
    owner: Vec<usize>,
    /// Position of each unknown in the order of the factor.
    place: Vec<usize>,
}

impl Selected {
    /// Compute the entries from a factor. `watch` is called with (supernodes done, total) and may stop it by an error.
    pub fn new(
        cholesky: &Cholesky,
        watch: &mut dyn FnMut(usize, usize) -> Result<(), FemError>,
    ) -> Result<Selected, FemError> {
        let (symbolic, values) = cholesky.parts();
        let SymbolicCholeskyRaw::Supernodal(nodes) = symbolic.raw() else {
            return Err(FemError::Singular { what: "the stiffness of a held body", why: "no supernodes".to_string() });
        };
        let size = symbolic.nrows();
        let place = match symbolic.perm() {
            Some(perm) => perm.arrays().1.to_vec(),
            None => (0..size).collect(),
        };
        let factor = SupernodalLltRef::new(nodes, values);
        let count = nodes.n_supernodes();
        let mut selected =
            Selected { rows: rows(nodes), blocks: vec![Block::default(); count], owner: vec![0; size], place };
        for s in 0..count {
            selected.owner[columns(nodes, s)].fill(s);
        }
        // position of a row of the matrix among the rows of a supernode
        let mut position = vec![0; size];
        for s in (0..count).rev() {
            if s % 64 == 0 {
                watch(count - s, count)?;
            }
            let parallelism = shares();
            let own = columns(nodes, s).len();
            let factor = factor.supernode(s).val();
            let (diagonal, below) = (factor.subrows(0, own), factor.subrows(own, factor.nrows() - own));
            let around = selected.gather(nodes, s, &mut position);
            // Y^T
            let mut y = below.transpose().to_owned();
            solve_upper_triangular_in_place(diagonal.transpose(), y.as_mut(), parallelism);
            let mut block = Block::zeros(factor.nrows(), own);
            let (mut first, mut rest) = block.as_mut().split_at_row_mut(own);
            matmul(rest.as_mut(), Accum::Replace, around.as_ref(), y.transpose(), -1.0, parallelism);
            let mut inverse = Mat::<f64>::identity(own, own);
            solve_lower_triangular_in_place(diagonal, inverse.as_mut(), parallelism);
            matmul(first.as_mut(), Accum::Replace, inverse.transpose(), inverse.as_ref(), 1.0, parallelism);
            matmul(first.as_mut(), Accum::Add, y.as_ref(), rest.as_ref(), -1.0, parallelism);
            selected.blocks[s] = block;
        }
        Ok(selected)
    }

    /// Gather S_rr for the rows r below a supernode.
    fn gather(&self, nodes: &SymbolicSupernodalCholesky<usize>, s: usize, position: &mut [usize]) -> Mat<f64> {
        let below = &self.rows[s][columns(nodes, s).len()..];
        let mut around = Mat::zeros(below.len(), below.len());
        let mut known = usize::MAX;
        for (j, &column) in below.iter().enumerate() {
            let t = self.owner[column];
            if t != known {
                self.rows[t].iter().enumerate().for_each(|(n, row)| position[*row] = n);
                known = t;
            }
            let values = self.blocks[t].column(column - columns(nodes, t).start);
            for (i, &row) in below.iter().enumerate().filter(|(_, row)| **row >= column) {
                let value = values[position[row]];
                around[(i, j)] = value;
                around[(j, i)] = value;
            }
        }
        around
    }

    /// Entry (i, j) of the inverse, for two unknowns of one element; 0 off the pattern of the factor.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let (i, j) = (self.place[i], self.place[j]);
        let (row, column) = (i.max(j), i.min(j));
        let s = self.owner[column];
        // the first rows of a supernode are its own columns, which are consecutive
        let first = self.rows[s][0];
        let at = self.rows[s].iter().position(|known| *known == row);
        at.map_or(0.0, |at| self.blocks[s].column(column - first)[at])
    }
}

/// Columns of a supernode.
fn columns(nodes: &SymbolicSupernodalCholesky<usize>, s: usize) -> std::ops::Range<usize> {
    nodes.supernode_begin()[s]..nodes.supernode_end()[s]
}

/// Rows of each supernode: its own columns, then those below.
fn rows(nodes: &SymbolicSupernodalCholesky<usize>) -> Vec<Vec<usize>> {
    let of = |s: usize| columns(nodes, s).chain(nodes.supernode(s).pattern().iter().copied()).collect();
    (0..nodes.n_supernodes()).map(of).collect()
}
