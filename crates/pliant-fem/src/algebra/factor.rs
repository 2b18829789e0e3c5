//! Sparse factorisation of symmetric matrices: Cholesky, and LBLT to count negative eigenvalues.

use crate::algebra::dense::{Block, shares, threads};
use crate::error::FemError;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SparseColMat;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky, supernodal::SupernodalIntranodeLbltRef,
};
use faer::{Conj, Par, Side};

/// Cholesky factor L L^T of a sparse positive definite matrix.
pub(crate) struct Cholesky {
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
}

/// Fill-reducing ordering and pattern of the factor.
fn symbolic(lower: &SparseColMat<usize, f64>, what: &'static str) -> Result<SymbolicCholesky<usize>, FemError> {
    let params = CholeskySymbolicParams {
        supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
        ..Default::default()
    };
    factorize_symbolic_cholesky(lower.symbolic(), Side::Lower, SymmetricOrdering::Amd, params)
        .map_err(|error| FemError::Singular { what, why: error.to_string() })
}

impl Cholesky {
    /// Factorise a matrix given by its lower triangle; `what` names it in errors.
    pub fn new(lower: &SparseColMat<usize, f64>, what: &'static str) -> Result<Cholesky, FemError> {
        let parallelism = shares();
        let symbolic = symbolic(lower, what)?;
        let mut values = vec![0.0; symbolic.len_val()];
        let mut memory = MemBuffer::new(symbolic.factorize_numeric_llt_scratch::<f64>(parallelism, Default::default()));
        symbolic
            .factorize_numeric_llt(
                &mut values,
                lower.as_ref(),
                Side::Lower,
                Default::default(),
                parallelism,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .map_err(|error| FemError::Singular { what, why: error.to_string() })?;
        Ok(Cholesky { symbolic, values })
    }

    /// Solve for each column, in place.
    pub fn solve(&self, block: &mut Block) {
        self.solve_with(block, threads(block.columns()));
    }

    /// Solve for each column, in place, with the given parallelism.
    pub fn solve_with(&self, block: &mut Block, threads: Par) {
        let need = self.symbolic.solve_in_place_scratch::<f64>(block.columns(), threads);
        let mut memory = MemBuffer::new(need);
        let factor = LltRef::new(&self.symbolic, &self.values);
        factor.solve_in_place_with_conj(Conj::No, block.as_mut(), threads, MemStack::new(&mut memory));
    }

    /// Pattern and values of the factor.
    pub fn parts(&self) -> (&SymbolicCholesky<usize>, &[f64]) {
        (&self.symbolic, &self.values)
    }

    /// Number of stored values.
    pub fn len(&self) -> usize {
        self.values.len()
    }
}

/// Number of negative eigenvalues of a matrix given by its lower triangle. By Sylvester's law of inertia it equals that
/// of the block diagonal B of L B L^T, which is pivoted within supernodes.
pub(crate) fn negative_eigenvalues(lower: &SparseColMat<usize, f64>) -> Result<usize, FemError> {
    let what = "the stiffness shifted by a multiple of the mass";
    let parallelism = shares();
    let symbolic = symbolic(lower, what)?;
    let size = symbolic.nrows();
    let (mut values, mut below) = (vec![0.0; symbolic.len_val()], vec![0.0; size]);
    let (mut forward, mut inverse) = (vec![0; size], vec![0; size]);
    let need = symbolic.factorize_numeric_intranode_lblt_scratch::<f64>(parallelism, Default::default());
    let mut memory = MemBuffer::new(need);
    symbolic.factorize_numeric_intranode_lblt(
        &mut values,
        &mut below,
        &mut forward,
        &mut inverse,
        lower.as_ref(),
        Side::Lower,
        parallelism,
        MemStack::new(&mut memory),
        Default::default(),
    );
    let SymbolicCholeskyRaw::Supernodal(nodes) = symbolic.raw() else {
        return Err(FemError::Singular { what, why: "no supernodes".to_string() });
    };
    // only the values of B are read, which needs no permutation
    let identity = faer::perm::Perm::<usize>::new_checked((0..size).collect(), (0..size).collect(), size);
    let factor = SupernodalIntranodeLbltRef::new(nodes, &values, &below, identity.as_ref());
    let mut negative = 0;
    for s in 0..nodes.n_supernodes() {
        let (supernode, columns) = (factor.supernode(s), nodes.supernode_end()[s] - nodes.supernode_begin()[s]);
        let (start, value) = (supernode.start(), supernode.val());
        let mut j = 0;
        while j < columns {
            let (a, off) = (value[(j, j)], below[start + j]);
            if !(a.is_finite() && off.is_finite()) {
                return Err(FemError::Singular { what, why: "a pivot is not finite".to_string() });
            }
            if off == 0.0 || j + 1 == columns {
                negative += usize::from(a < 0.0);
                j += 1;
            } else {
                let b = value[(j + 1, j + 1)];
                // a 2 x 2 block: one eigenvalue of each sign if the determinant is negative, else both have the sign of
                // the trace
                negative += if a * b < off * off { 1 } else { 2 * usize::from(a + b < 0.0) };
                j += 2;
            }
        }
    }
    Ok(negative)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Elastic, MassKind, Modes, ModesParams, Order, TetMesh};
    use std::ops::ControlFlow;

    #[test]
    fn modes_below_a_frequency_are_counted() {
        let solid = Elastic { young: 2000.0, poisson: 0.49, density: 110.0 };
        let mesh = TetMesh::cube(2, 0.1).unwrap();
        let model = crate::Model::new(&mesh, &solid, Order::Quadratic, MassKind::Consistent).unwrap();
        let params = ModesParams { count: model.unknowns() - 6, ..ModesParams::default() };
        let modes = Modes::new(&model, &params, &mut |_| ControlFlow::Continue(())).unwrap();
        let squares = modes.squares();
        for n in (1..squares.len()).filter(|n| squares[*n] > 1.000_001 * squares[*n - 1]) {
            let level = 0.5 * (squares[n] + squares[n - 1]);
            // the six rigid modes are below any level
            assert_eq!(negative_eigenvalues(&model.matrices.combined(1.0, -level)).unwrap(), n + 6);
        }
    }
}
