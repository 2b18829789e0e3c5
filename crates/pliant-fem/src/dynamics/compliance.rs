//! Static compliance of the surface of a body: of one that is held, the inverse of K where it is not; of a free one as follows.
//!
//! A static force f on a free body is balanced by inertia: f - M Z Z^T f, with the six rigid motions Z, Z^T M Z = 1,
//! has no resultant force or moment. Six unknowns can then be held without a reaction, which makes K regular, and the
//! rigid part of the solution is removed:
//!
//!   K^+ = P A P^T,   P = 1 - Z Z^T M,   A = inverse of K where nothing is held, 0 elsewhere
//!
//! K^+ does not depend on which six are held, is symmetric, and equals the sum over all modes of phi phi^T / omega^2.

use crate::algebra::dense::{Block, dot};
use crate::algebra::factor::Cholesky;
use crate::algebra::selected::Selected;
use crate::elements::model::Model;
use crate::elements::rigid::RigidFilter;
use crate::elements::statics::free_part;
use crate::error::FemError;
use crate::progress::{Stage, Watch, tell};
use faer::Par;
use pliant::response::Compliance;
use rayon::prelude::*;

/// Right-hand sides that one thread solves together: they share one pass over the factor.
const TOGETHER: usize = 24;

/// A body with six unknowns held, factorised.
struct Held<'a> {
    model: &'a Model,
    filter: RigidFilter,
    /// Unknowns that are not held.
    free: Vec<usize>,
    cholesky: Cholesky,
}

/// The full compliance matrix of the surface or, where it has more than `most` nodes, only the 3 x 3 block of each
/// node.
pub(crate) fn compliance(model: &Model, most: usize, watch: Watch<'_>) -> Result<Compliance, FemError> {
    let held = Held::new(model, watch)?;
    if model.surface().nodes.len() <= most {
        Ok(Compliance::Full(held.whole(watch)?.into()))
    } else {
        Ok(Compliance::Local(held.local(watch)?.into()))
    }
}

impl<'a> Held<'a> {
    fn new(model: &'a Model, watch: Watch<'_>) -> Result<Held<'a>, FemError> {
        tell(watch, Stage::Factorising, 0, 1)?;
        let filter = RigidFilter::new(model)?;
        let held = if model.fixed.is_some() { model.held_unknowns().collect() } else { six(filter.motions()) };
        let free: Vec<usize> = {
            let mut is_held = vec![false; model.unknowns()];
            held.iter().for_each(|n| is_held[*n] = true);
            (0..model.unknowns()).filter(|n| !is_held[*n]).collect()
        };
        let cholesky = Cholesky::new(&free_part(model, &free), "the stiffness of a held body")?;
        Ok(Held { model, filter, free, cholesky })
    }

    /// Displacements without rigid motion under forces, one column each, on one thread.
    fn solve(&self, forces: &mut Block) {
        self.filter.forces(forces);
        let mut right = Block::zeros(self.free.len(), forces.columns());
        for n in 0..forces.columns() {
            let forces = forces.column(n);
            right.column_mut(n).iter_mut().zip(&self.free).for_each(|(right, unknown)| *right = forces[*unknown]);
        }
        self.cholesky.solve_with(&mut right, Par::Seq);
        for n in 0..forces.columns() {
            let forces = forces.column_mut(n);
            forces.fill(0.0);
            self.free.iter().zip(right.column(n)).for_each(|(unknown, u)| forces[*unknown] = *u);
        }
        self.filter.displacements(forces);
    }

    /// Lower triangle of the surface's compliance matrix, row by row [m/N].
    fn whole(&self, watch: Watch<'_>) -> Result<Vec<f64>, FemError> {
        let unknowns = self.model.surface_unknowns();
        let size = unknowns.len();
        let columns = |start: usize| -> Vec<f64> {
            let loaded = &unknowns[start..size.min(start + TOGETHER)];
            let mut block = Block::zeros(self.model.unknowns(), loaded.len());
            loaded.iter().enumerate().for_each(|(n, unknown)| block.column_mut(n)[*unknown] = 1.0);
            self.solve(&mut block);
            let moved = |n: usize| unknowns.iter().map(|unknown| block.column(n)[*unknown]).collect::<Vec<f64>>();
            (0..loaded.len()).flat_map(moved).collect()
        };
        let mut square: Vec<f64> = Vec::with_capacity(size * size);
        let batch = 4 * TOGETHER * rayon::current_num_threads();
        for first in (0..size).step_by(batch) {
            tell(watch, Stage::Loading, first, size)?;
            let starts: Vec<usize> = (first..size.min(first + batch)).step_by(TOGETHER).collect();
            let found: Vec<Vec<f64>> = starts.into_par_iter().map(columns).collect();
            found.iter().for_each(|columns| square.extend_from_slice(columns));
        }
        // symmetric up to rounding: the mean of both halves
        let lower = |i: usize| (0..=i).map(move |j| (i, j));
        let pairs = (0..size).flat_map(lower);
        finite(pairs.map(|(i, j)| 0.5 * (square[i * size + j] + square[j * size + i])).collect())
    }

    /// Diagonal 3 x 3 block of the compliance of each surface node, in rows [m/N].
    fn local(&self, watch: Watch<'_>) -> Result<Vec<f64>, FemError> {
        if self.model.fixed.is_some() {
            return self.local_of_held(watch);
        }
        let (motions, model) = (self.filter.motions(), self.model);
        // W = A M Z, and M W
        let mut right = Block::zeros(self.free.len(), 6);
        for n in 0..6 {
            let momenta = self.filter.momenta().column(n);
            right.column_mut(n).iter_mut().zip(&self.free).for_each(|(right, unknown)| *right = momenta[*unknown]);
        }
        self.cholesky.solve(&mut right);
        let mut moved = Block::zeros(model.unknowns(), 6);
        let mut number = vec![None; model.unknowns()];
        for (n, unknown) in self.free.iter().enumerate() {
            number[*unknown] = Some(n);
            (0..6).for_each(|motion| moved.column_mut(motion)[*unknown] = right.column(motion)[n]);
        }
        let of = |block: &Block, unknown: usize| -> [f64; 6] { std::array::from_fn(|n| block.column(n)[unknown]) };
        let both = self.filter.momenta().transposed_times(&moved);
        let selected = Selected::new(&self.cholesky, &mut |done, of| tell(watch, Stage::Loading, done, of))?;
        let mut blocks = Vec::with_capacity(9 * model.surface().nodes.len());
        for node in &model.surface().nodes {
            // A - Z W^T - W Z^T + Z (Z^T M W) Z^T
            let entry = |p: usize, q: usize| {
                let (i, j) = (3 * node + p, 3 * node + q);
                let inverse = match (number[i], number[j]) {
                    (Some(i), Some(j)) => selected.entry(i, j),
                    _ => 0.0,
                };
                let (zi, zj, wi, wj) = (of(motions, i), of(motions, j), of(&moved, i), of(&moved, j));
                let middle: f64 = (0..6).map(|n| zi[n] * dot(&zj, &of_row(&both, n))).sum();
                inverse - dot(&zi, &wj) - dot(&wi, &zj) + middle
            };
            // symmetric up to rounding
            blocks.extend((0..9).map(|n| 0.5 * (entry(n / 3, n % 3) + entry(n % 3, n / 3))));
        }
        finite(blocks)
    }

    /// Compliance of each surface node of a body that is held; zero at held nodes.
    fn local_of_held(&self, watch: Watch<'_>) -> Result<Vec<f64>, FemError> {
        let mut number = vec![None; self.model.unknowns()];
        self.free.iter().enumerate().for_each(|(n, unknown)| number[*unknown] = Some(n));
        let selected = Selected::new(&self.cholesky, &mut |done, of| tell(watch, Stage::Loading, done, of))?;
        let entry = |i: usize, j: usize| match (number[i], number[j]) {
            (Some(i), Some(j)) => selected.entry(i, j),
            _ => 0.0,
        };
        let block = |node: &usize| (0..9).map(|n| entry(3 * node + n / 3, 3 * node + n % 3)).collect::<Vec<f64>>();
        finite(self.model.surface().nodes.iter().flat_map(block).collect())
    }
}

/// A row of a block with six columns.
fn of_row(block: &Block, row: usize) -> [f64; 6] {
    std::array::from_fn(|n| block.column(n)[row])
}

/// Six unknowns that determine every rigid motion well, by pivoting: each is the one that moves most in the remaining
/// motions.
fn six(motions: &Block) -> Vec<usize> {
    let mut rows: Vec<[f64; 6]> = (0..motions.rows()).map(|n| of_row(motions, n)).collect();
    let mut held = vec![];
    for _ in 0..6 {
        let mut best = (0, 0.0);
        for (n, row) in rows.iter().enumerate() {
            let size = dot(row, row);
            if size > best.1 {
                best = (n, size);
            }
        }
        held.push(best.0);
        let along = rows[best.0];
        for row in &mut rows {
            let part = dot(row, &along) / best.1.max(f64::MIN_POSITIVE);
            row.iter_mut().zip(along).for_each(|(row, along)| *row -= part * along);
        }
    }
    held
}

/// Fails if a number is NaN or infinite.
fn finite(numbers: Vec<f64>) -> Result<Vec<f64>, FemError> {
    match numbers.iter().find(|x| !x.is_finite()) {
        Some(x) => {
            Err(FemError::Singular { what: "the stiffness of a held body", why: format!("a displacement is {x}") })
        }
        None => Ok(numbers),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Elastic, MassKind, Order, TetMesh};
    use pliant::math::Vec3;
    use std::ops::ControlFlow;

    #[test]
    fn of_each_node_as_in_the_whole() {
        // two routes: a solve for each unknown, and the selected inverse
        let solid = Elastic { young: 2000.0, poisson: 0.49, density: 110.0 };
        let mesh = TetMesh::block([7, 5, 2], Vec3::new(0.14, 0.1, 0.03)).unwrap();
        for order in [Order::Linear, Order::Quadratic] {
            let model = Model::new(&mesh, &solid, order, MassKind::Consistent).unwrap();
            let watch = &mut |_| ControlFlow::Continue(());
            let Compliance::Full(whole) = compliance(&model, usize::MAX, watch).unwrap() else { panic!() };
            let Compliance::Local(local) = compliance(&model, 0, watch).unwrap() else { panic!() };
            assert_eq!(local.len(), 9 * model.surface().nodes.len());
            let largest = whole.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
            for (node, block) in local.chunks_exact(9).enumerate() {
                for (p, q) in (0..9).map(|n| (n / 3, n % 3)) {
                    let (i, j) = (3 * node + p.max(q), 3 * node + p.min(q));
                    let apart = (block[3 * p + q] - whole[i * (i + 1) / 2 + j]).abs();
                    assert!(apart < 1e-11 * largest, "{order:?} {node} {p} {q}: {apart:.1e} of {largest:.1e}");
                }
            }
        }
    }

    /// Of a body that is held at one end: two routes again, and the static solution of the free body with that end
    /// prescribed as a third.
    #[test]
    fn of_a_held_body_as_by_prescribed_displacements() {
        let solid = Elastic { young: 2000.0, poisson: 0.4, density: 110.0 };
        let mesh = TetMesh::block([5, 3, 2], Vec3::new(0.14, 0.1, 0.03)).unwrap();
        for order in [Order::Linear, Order::Quadratic] {
            let free = Model::new(&mesh, &solid, order, MassKind::Consistent).unwrap();
            let least = free.nodes().iter().map(|at| at.x).fold(f64::INFINITY, f64::min);
            let end: Vec<usize> = (0..free.nodes().len()).filter(|n| free.nodes()[*n].x < least + 1e-9).collect();
            let held = free.clone().fix(&end).unwrap();
            let watch = &mut |_| ControlFlow::Continue(());
            let Compliance::Full(whole) = compliance(&held, usize::MAX, watch).unwrap() else { panic!() };
            let Compliance::Local(local) = compliance(&held, 0, watch).unwrap() else { panic!() };
            let prescribed: Vec<(usize, f64)> = held.held_unknowns().map(|unknown| (unknown, 0.0)).collect();
            let unknowns = held.surface_unknowns();
            let largest = whole.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
            for j in (0..unknowns.len()).step_by(17) {
                let mut force = vec![0.0; free.unknowns()];
                force[unknowns[j]] = 1.0;
                let found = crate::solve_static(&free, &prescribed, &force).unwrap();
                for i in 0..unknowns.len() {
                    let entry = whole[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
                    // a force on a held node moves nothing
                    let expected = found.displacements[unknowns[i]];
                    assert!((entry - expected).abs() < 1e-10 * largest, "{order:?} {i} {j}: {entry} for {expected}");
                    if i / 3 == j / 3 {
                        let block = local[9 * (i / 3) + 3 * (i % 3) + j % 3];
                        assert!(
                            (block - expected).abs() < 1e-10 * largest,
                            "{order:?} {i} {j}: {block} for {expected}"
                        );
                    }
                }
            }
        }
    }
}
