//! Block Lanczos with full reorthogonalisation: a mass-orthonormal basis V, in which A = (K + sigma M)^-1 M is
//! projected.
//!
//!   A V = V T + Q out,   T = V^T M A V
//!
//! where only the last block of V couples to the next block Q, so that the error of an eigenvector y of T is |out y|,
//! for the part of y in that block.

use crate::algebra::dense::{Block, add, dot};
use crate::algebra::eigen::{Eigen, From, eigen};
use crate::algebra::factor::Cholesky;
use crate::dynamics::modes::Modes;
use crate::elements::model::Model;
use crate::elements::rigid::RigidFilter;
use crate::error::FemError;
use crate::progress::{Stage, Watch, tell};
use faer::{Mat, MatRef};
use std::cmp::Ordering;

/// Ritz pairs of A in the basis, largest first.
pub(crate) struct Ritz {
    pub theta: Vec<f64>,
    /// Their vectors, as coefficients in the basis.
    vectors: Block,
    /// Relative error |A x - theta x| / theta, from the coupling to the next block.
    pub errors: Vec<f64>,
}

/// A block Lanczos iteration.
pub(crate) struct Search<'a> {
    model: &'a Model,
    filter: RigidFilter,
    cholesky: Cholesky,
    width: usize,
    random: Random,
    /// Mass-orthonormal basis.
    pub basis: Block,
    /// Columns of V^T M A V, each as long as the basis was when it was added.
    projected: Vec<Vec<f64>>,
    /// The next block, not yet in the basis, and M times it.
    next: (Block, Block),
    /// Coupling out of the basis: A times the last block, minus its part in the basis, as coefficients of the next
    /// block.
    out: Block,
}

impl<'a> Search<'a> {
    /// Factorise K + sigma M and start from random vectors.
    pub fn new(model: &'a Model, width: usize, watch: Watch<'_>) -> Result<Search<'a>, FemError> {
        tell(watch, Stage::Factorising, 0, 1)?;
        let filter = RigidFilter::new(model)?;
        // far below the first mode, so that the shift does not matter, and far above rounding
        let sigma = if model.fixed.is_some() { 0.0 } else { 1e-3 * lowest_strain(model, &filter) };
        let cholesky = Cholesky::new(&model.matrices.combined(1.0, sigma), "the stiffness")?;
        let empty = || Block::zeros(model.unknowns(), 0);
        let mut search = Search {
            model,
            filter,
            cholesky,
            width,
            random: Random(1),
            basis: empty(),
            projected: vec![],
            next: (empty(), empty()),
            out: Block::zeros(0, 0),
        };
        search.inject();
        Ok(search)
    }

    /// Add a block of random vectors to the next one.
    pub fn inject(&mut self) {
        let mut fresh = Block::zeros(self.model.unknowns(), self.width);
        for n in 0..self.width {
            fresh.column_mut(n).iter_mut().for_each(|x| *x = self.random.signed());
        }
        self.filter.displacements(&mut fresh);
        let mut both = self.next.0.clone();
        both.push(&fresh);
        for _ in 0..2 {
            let momenta = self.model.matrices.mass_times_block(&both);
            let along = self.basis.transposed_times(&momenta);
            both.add_product(-1.0, &self.basis, &along);
            let momenta = self.model.matrices.mass_times_block(&both);
            (both, ..) = orthonormal(both, momenta, 0.0);
        }
        let momenta = self.model.matrices.mass_times_block(&both);
        self.next = (both, momenta);
    }

    /// Move the next block into the basis and compute another from A times it.
    pub fn step(&mut self) {
        if self.next.0.columns() == 0 {
            // the basis is an invariant subspace: restart outside it
            self.inject();
        }
        let (block, momenta) = std::mem::take(&mut self.next);
        self.basis.push(&block);
        let mut w = momenta;
        self.cholesky.solve(&mut w);
        self.filter.displacements(&mut w);
        let momenta = self.model.matrices.mass_times_block(&w);
        let length = (0..w.columns()).map(|n| dot(w.column(n), momenta.column(n)).max(0.0).sqrt()).fold(0.0, f64::max);
        let mut along = self.basis.transposed_times(&momenta);
        w.add_product(-1.0, &self.basis, &along);
        let momenta = self.model.matrices.mass_times_block(&w);
        // columns shorter than this are rounding errors
        let (mut q, momenta, first) = orthonormal(w, momenta, 1e-14 * length);
        // reorthogonalise, now that short columns have been normalised
        let again = self.basis.transposed_times(&momenta);
        q.add_product(-1.0, &self.basis, &again);
        self.filter.displacements(&mut q);
        along.add_product(1.0, &again, &first);
        let momenta = self.model.matrices.mass_times_block(&q);
        let (q, momenta, second) = orthonormal(q, momenta, 0.0);
        self.out = second.times(first.as_ref());
        self.projected.extend((0..along.columns()).map(|n| along.column(n).to_vec()));
        self.next = (q, momenta);
        // the basis cannot outgrow the space of deformations
        let room = self.model.deformations() - self.basis.columns();
        self.next.0.truncate(room);
        self.next.1.truncate(room);
    }

    /// The `wanted` largest Ritz pairs and their errors.
    pub fn ritz(&self, wanted: usize) -> Result<Ritz, FemError> {
        let size = self.basis.columns();
        let matrix = Mat::from_fn(size, size, |i, j| if i >= j { self.projected[i][j] } else { self.projected[j][i] });
        let Eigen { values: theta, vectors } = eigen(matrix.as_ref(), wanted, From::Largest)?;
        let last = self.out.columns();
        let error = |n: usize| {
            let tail = MatRef::from_column_major_slice(&vectors.column(n)[size - last..], last, 1);
            let out = self.out.times(tail);
            dot(out.column(0), out.column(0)).sqrt() / theta[n].abs().max(f64::MIN_POSITIVE)
        };
        let errors = (0..theta.len()).map(error).collect();
        Ok(Ritz { theta, vectors, errors })
    }

    /// Turn Ritz pairs into refined modes.
    pub fn shapes(&self, ritz: &Ritz, watch: Watch<'_>) -> Result<Modes, FemError> {
        let (model, count) = (self.model, ritz.theta.len());
        let mut shapes = Block::zeros(model.unknowns(), 0);
        // a step of inverse iteration damps high modes: the residual in K x is then M times the error, not K times
        for start in (0..count).step_by(32) {
            tell(watch, Stage::Refining, start, count)?;
            let columns = start..count.min(start + 32);
            let part = self.basis.times(ritz.vectors.as_ref().subcols(start, columns.len()));
            let mut part = model.matrices.mass_times_block(&part);
            self.cholesky.solve(&mut part);
            self.filter.displacements(&mut part);
            for (n, mode) in columns.enumerate() {
                part.column_mut(n).iter_mut().for_each(|x| *x /= ritz.theta[mode]);
            }
            shapes.push(&part);
        }
        // orthonormalise to second order, each column against those before it: the solve leaves a rounding error along
        // the lowest modes, 1 / theta times that along others
        let gram = shapes.transposed_times(&model.matrices.mass_times_block(&shapes));
        let gram = gram.as_ref();
        let mend = Mat::from_fn(count, count, |i, j| match i.cmp(&j) {
            Ordering::Less => -gram[(i, j)],
            Ordering::Equal => 1.5 - 0.5 * gram[(i, i)],
            Ordering::Greater => 0.0,
        });
        let shapes = shapes.times(mend.as_ref());
        // a last Rayleigh-Ritz step in their span, where K is nearly diagonal
        let mut forces = Block::zeros(model.unknowns(), count);
        (0..count).for_each(|n| model.matrices.stiffness_times(shapes.column(n), forces.column_mut(n)));
        let projected = shapes.transposed_times(&forces);
        let turned = eigen(projected.as_ref(), count, From::Smallest)?;
        let shapes = shapes.times(turned.vectors.as_ref());
        let mut found: Vec<(f64, f64, usize)> = vec![];
        let (mut force, mut momentum) = (vec![0.0; model.unknowns()], vec![0.0; model.unknowns()]);
        for mode in 0..count {
            let shape = shapes.column(mode);
            model.matrices.stiffness_times(shape, &mut force);
            model.matrices.mass_times(shape, &mut momentum);
            let square = dot(shape, &force) / dot(shape, &momentum);
            let size = square * dot(&momentum, &momentum).sqrt();
            add(&mut force, -square, &momentum);
            found.push((square, dot(&force, &force).sqrt() / size, mode));
        }
        // modes of equal frequency may be out of order by rounding
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut ordered = Block::zeros(model.unknowns(), count);
        for (n, (.., mode)) in found.iter().enumerate() {
            let shape = shapes.column(*mode);
            let largest = shape.iter().fold(0.0f64, |largest, x| if x.abs() > largest.abs() { *x } else { largest });
            ordered.column_mut(n).iter_mut().zip(shape).for_each(|(to, x)| *to = x * largest.signum());
        }
        Ok(Modes {
            unknowns: model.unknowns(),
            squares: found.iter().map(|found| found.0).collect(),
            residuals: found.iter().map(|found| found.1).collect(),
            shapes: ordered.into_data(),
            vectors: self.basis.columns(),
            factor_size: self.cholesky.len(),
        })
    }
}

/// Mass-orthonormalise columns W, given with M W; columns of length up to `least` are dropped. Returns Q, M Q and R
/// with W = Q R.
fn orthonormal(w: Block, momenta: Block, least: f64) -> (Block, Block, Block) {
    let (rows, columns) = (w.rows(), w.columns());
    let (mut q, mut mq) = (Block::zeros(rows, 0), Block::zeros(rows, 0));
    let mut parts: Vec<Vec<f64>> = vec![];
    for n in 0..columns {
        let (mut x, mut mx) = (w.column(n).to_vec(), momenta.column(n).to_vec());
        let mut part = vec![0.0; q.columns()];
        for _ in 0..2 {
            for before in 0..q.columns() {
                let along = dot(q.column(before), &mx);
                add(&mut x, -along, q.column(before));
                add(&mut mx, -along, mq.column(before));
                part[before] += along;
            }
        }
        let length = dot(&x, &mx).max(0.0).sqrt();
        if length > least.max(f64::MIN_POSITIVE) {
            x.iter_mut().for_each(|x| *x /= length);
            mx.iter_mut().for_each(|x| *x /= length);
            q.push(&Block::of_column(x));
            mq.push(&Block::of_column(mx));
            part.push(length);
        }
        parts.push(part);
    }
    let mut r = Block::zeros(q.columns(), columns);
    for (n, part) in parts.iter().enumerate() {
        r.column_mut(n)[..part.len()].copy_from_slice(part);
    }
    (q, mq, r)
}

/// Lowest omega^2 over uniform strains, an upper bound on that of the first mode [1/s2].
fn lowest_strain(model: &Model, filter: &RigidFilter) -> f64 {
    let mut fields = Block::zeros(model.unknowns(), 6);
    for (n, (i, j)) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)].into_iter().enumerate() {
        for (node, at) in model.nodes().iter().enumerate() {
            fields.column_mut(n)[3 * node + i] += at[j];
            fields.column_mut(n)[3 * node + j] += at[i];
        }
    }
    filter.displacements(&mut fields);
    let momenta = model.matrices.mass_times_block(&fields);
    let mut force = vec![0.0; model.unknowns()];
    (0..6).fold(f64::INFINITY, |lowest, n| {
        model.matrices.stiffness_times(fields.column(n), &mut force);
        lowest.min(dot(&force, fields.column(n)) / dot(momenta.column(n), fields.column(n)))
    })
}

/// Random numbers that are the same in every run (splitmix64).
struct Random(u64);

impl Random {
    /// A number between -1 and 1.
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
