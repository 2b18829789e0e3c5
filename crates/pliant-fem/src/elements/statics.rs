//! Static equilibrium under forces and prescribed displacements.

use crate::algebra::dense::{Block, dot};
use crate::algebra::eigen::{From, eigen};
use crate::algebra::factor::Cholesky;
use crate::elements::model::Model;
use crate::error::FemError;
use faer::Mat;
use faer::sparse::{SparseColMat, SymbolicSparseColMat};

/// A static solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// Displacement of each unknown [m].
    pub displacements: Vec<f64>,
    /// K u - f: the reactions at prescribed unknowns; zero elsewhere, up to rounding [N].
    pub reactions: Vec<f64>,
}

/// Solve K u = f with some unknowns prescribed, given as (index, displacement [m]), and forces on the others [N]. Fails
/// if the prescribed unknowns leave a rigid motion free.
pub fn solve_static(model: &Model, prescribed: &[(usize, f64)], forces: &[f64]) -> Result<Static, FemError> {
    model.check_length("forces", forces)?;
    let size = model.unknowns();
    let mut held: Vec<Option<f64>> = vec![None; size];
    for (index, value) in prescribed {
        if !value.is_finite() {
            let expected = "finite";
            return Err(FemError::Parameter { what: "a prescribed displacement", expected, value: *value });
        }
        match held.get_mut(*index) {
            Some(place) => *place = Some(*value),
            None => return Err(FemError::NoSuch { what: "a prescribed displacement", index: *index, count: size }),
        }
    }
    // held nodes stay where they are
    model.held_unknowns().for_each(|unknown| held[unknown] = Some(0.0));
    check_held(model, &held)?;
    let mut displacements: Vec<f64> = held.iter().map(|held| held.unwrap_or(0.0)).collect();
    // f - K u of the prescribed displacements, at the free unknowns
    let mut moved = vec![0.0; size];
    model.whole().stiffness_times(&displacements, &mut moved);
    let free: Vec<usize> = (0..size).filter(|n| held[*n].is_none()).collect();
    if !free.is_empty() {
        let mut right = Block::of_column(free.iter().map(|n| forces[*n] - moved[*n]).collect());
        Cholesky::new(&free_part(model, &free), "the stiffness of a held body")?.solve(&mut right);
        free.iter().zip(right.column(0)).for_each(|(n, u)| displacements[*n] = *u);
    }
    let mut reactions = vec![0.0; size];
    model.whole().stiffness_times(&displacements, &mut reactions);
    reactions.iter_mut().zip(forces).for_each(|(reaction, force)| *reaction -= force);
    if let Some(value) = displacements.iter().find(|u| !u.is_finite()) {
        return Err(FemError::Singular {
            what: "the stiffness of a held body",
            why: format!("a displacement is {value}"),
        });
    }
    Ok(Static { displacements, reactions })
}

/// Least share of every rigid motion that the held unknowns must take part in [-]: with less, rounding moves the body.
const LEAST_HELD: f64 = 1e-8;

/// Fails unless every rigid motion moves a held unknown. K is singular otherwise, which rounding can hide from the
/// factorisation.
pub(super) fn check_held(model: &Model, held: &[Option<f64>]) -> Result<(), FemError> {
    let motions = model.rigid_motions()?;
    // normalised over all nodes, so that the smallest eigenvalue of the Gram matrix at held unknowns is a share
    let size = |n: usize| dot(motions.column(n), motions.column(n)).sqrt();
    let seen = |i: usize, j: usize| -> f64 {
        let both = motions.column(i).iter().zip(motions.column(j)).zip(held);
        both.filter(|(_, held)| held.is_some()).map(|((a, b), _)| a * b).sum::<f64>() / (size(i) * size(j))
    };
    let products = Mat::from_fn(6, 6, |i, j| seen(i.max(j), i.min(j)));
    let least = eigen(products.as_ref(), 1, From::Smallest)?.values[0].max(0.0).sqrt();
    if least < LEAST_HELD { Err(FemError::NotHeld) } else { Ok(()) }
}

/// Lower triangle of K restricted to the free unknowns.
pub(crate) fn free_part(model: &Model, free: &[usize]) -> SparseColMat<usize, f64> {
    let whole = model.matrices.combined(1.0, 0.0);
    let mut number = vec![usize::MAX; model.unknowns()];
    free.iter().enumerate().for_each(|(n, unknown)| number[*unknown] = n);
    let (mut starts, mut rows, mut values) = (vec![0], vec![], vec![]);
    for &column in free {
        let entries = whole.row_idx_of_col_raw(column).iter().zip(whole.val_of_col(column));
        for (row, value) in entries.filter(|(row, _)| number[**row] != usize::MAX) {
            rows.push(number[*row]);
            values.push(*value);
        }
        starts.push(rows.len());
    }
    SparseColMat::new(SymbolicSparseColMat::new_checked(free.len(), free.len(), starts, None, rows), values)
}
