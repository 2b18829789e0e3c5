//! The lowest vibration modes of a free body: K x = omega^2 M x, without the six rigid ones.
//!
//! Block Lanczos for the operator A = (K + sigma M)^-1 M, whose largest eigenvalues theta = 1 / (omega^2 + sigma) belong to the lowest
//! modes (Grimes, Lewis and Simon, "A shifted block Lanczos algorithm for solving sparse symmetric generalized eigenproblems", 1994).
//! Products are by mass throughout. Rigid motions are known exactly and taken out of every vector; the whole basis is kept
//! orthogonal, twice, so that no mode comes twice. A block finds modes of one frequency as long as they are not more than its
//! width. That none is missed is not left to that: the modes below a frequency are counted by the inertia of K - s M.

use crate::dense::{Block, add, dot};
use crate::eigen::{Eigen, From, eigen};
use crate::error::FemError;
use crate::factor::{Cholesky, negative_eigenvalues};
use crate::model::Model;
use crate::rigid::RigidFilter;
use faer::{Mat, MatRef};
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// How modes are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModesParams {
    /// How many.
    pub count: usize,
    /// Largest residual |K x - omega^2 M x| / |omega^2 M x| [-]. In meshes with very small or flat tetrahedra, whose highest modes
    /// are far above the first, rounding may leave more than this.
    pub tolerance: f64,
    /// Vectors in a block.
    pub block: usize,
    /// Most vectors in the basis; each takes 8 bytes for each unknown. None for ten times as many as modes.
    pub most_vectors: Option<usize>,
}

impl Default for ModesParams {
    fn default() -> ModesParams {
        ModesParams { count: 200, tolerance: 1e-10, block: 4, most_vectors: None }
    }
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Factorising a matrix.
    Factorising,
    /// Growing the basis: vectors of those expected.
    Iterating,
    /// Making mode shapes: modes of those wanted.
    Refining,
    /// Counting modes, to see that none is missed.
    Counting,
    /// Integrating in time: samples of those wanted.
    Integrating,
}

/// How far a long calculation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// How much of it.
    pub done: usize,
    /// Of how much, as far as is known.
    pub of: usize,
}

/// Who watches a calculation, and may stop it.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Tell how far it is.
pub(crate) fn tell(watch: Watch<'_>, stage: Stage, done: usize, of: usize) -> Result<(), FemError> {
    match watch(Progress { stage, done, of }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(FemError::Stopped),
    }
}

/// Vibration modes, in order of frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    unknowns: usize,
    squares: Vec<f64>,
    shapes: Vec<f64>,
    residuals: Vec<f64>,
    /// Vectors in the basis from which they were made.
    pub vectors: usize,
    /// Numbers in the sparse factor of K + sigma M.
    pub factor_size: usize,
}

/// Modes beyond those asked for, among which a gap is looked for to count up to.
const SPARE: usize = 4;

/// Residuals below so many times the rounding of the highest mode, over the mode, are as good as can be [-].
const ROUNDING: f64 = 100.0;

/// A gap between omega^2 of neighbours, over them, that is wide enough to count up to [-].
const GAP: f64 = 1e-7;

impl Modes {
    /// Find the lowest modes of deformation. `watch` hears how far it is, and may stop it.
    pub fn new(
        model: &Model,
        params: &ModesParams,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Modes, FemError> {
        let all = model.unknowns() - 6;
        if params.count == 0 || params.count > all {
            return Err(FemError::TooManyModes { asked: params.count, most: all });
        }
        if !(params.tolerance > 0.0 && params.tolerance < 1.0) {
            let expected = "above 0 and below 1";
            return Err(FemError::Parameter { what: "the tolerance of modes", expected, value: params.tolerance });
        }
        let most = params.most_vectors.unwrap_or(10 * params.count + 100).min(all);
        let highest = model.matrices.highest();
        let mut search = Search::new(model, params.block.clamp(1, all), watch)?;
        let mut spare = SPARE;
        let mut inner = 0.1 * params.tolerance;
        let mut expected = 2 * (params.count + spare) + 8 * params.block;
        loop {
            let wanted = (params.count + spare).min(all);
            expected = expected.min(most);
            while search.basis.columns() < expected && search.basis.columns() < all {
                tell(watch, Stage::Iterating, search.basis.columns(), expected)?;
                search.step();
            }
            let size = search.basis.columns();
            let whole = size >= all;
            let ritz = search.ritz(wanted)?;
            let good = ritz.errors.iter().take_while(|error| whole || **error < inner).count();
            if good < wanted {
                if size >= most {
                    let worst = ritz.errors.iter().fold(0.0f64, |worst, error| worst.max(*error));
                    return Err(FemError::NotConverged { asked: wanted, converged: good, size, worst });
                }
                expected = size + (size / 8).max(4 * params.block);
                continue;
            }
            let found = search.shapes(&ritz, watch)?;
            let allowed = |square: f64| params.tolerance.max(ROUNDING * f64::EPSILON * highest / square);
            let bad = (0..wanted).find(|n| found.residuals[*n] > allowed(found.squares[*n]));
            if let Some(bad) = bad.filter(|_| !whole) {
                if size >= most || inner < 1e-14 {
                    let worst = found.residuals[bad];
                    return Err(FemError::NotConverged { asked: wanted, converged: bad, size, worst });
                }
                inner *= 0.1;
                expected = size + (size / 8).max(4 * params.block);
                continue;
            }
            let Some((below, level)) = level(&found.squares, params.count, wanted == all) else {
                spare *= 2;
                continue;
            };
            tell(watch, Stage::Counting, 0, 1)?;
            let there = negative_eigenvalues(&model.matrices.combined(1.0, -level))?.saturating_sub(6);
            if there == below {
                return Ok(found.keep(params.count));
            }
            if there < below || size >= most || whole {
                let hertz = level.sqrt() / std::f64::consts::TAU;
                return Err(FemError::Missed { hertz, there, found: below });
            }
            // something new to start from, that has a part of what was missed
            search.inject();
            expected = size + (size / 4).max(8 * params.block);
        }
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.squares.len()
    }

    /// Numbers in a shape: three for each node of the model.
    pub fn unknowns(&self) -> usize {
        self.unknowns
    }

    /// omega^2 of each mode [1/s2].
    pub fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// Frequency of a mode [Hz].
    pub fn hertz(&self, mode: usize) -> f64 {
        self.squares[mode].sqrt() / std::f64::consts::TAU
    }

    /// Shape of a mode, x^T M x = 1 [1/sqrt(kg)], with its largest component above zero.
    pub fn shape(&self, mode: usize) -> &[f64] {
        &self.shapes[mode * self.unknowns..(mode + 1) * self.unknowns]
    }

    /// |K x - omega^2 M x| / |omega^2 M x| of each mode [-].
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// The first modes only.
    pub fn keep(mut self, count: usize) -> Modes {
        self.squares.truncate(count);
        self.residuals.truncate(count);
        self.shapes.truncate(count * self.unknowns);
        self
    }
}

/// How many modes, at least `count`, are below a level of omega^2 in a gap of their spectrum.
fn level(squares: &[f64], count: usize, all: bool) -> Option<(usize, f64)> {
    let gap = (count..squares.len()).find(|n| squares[*n] - squares[*n - 1] > GAP * squares[*n]);
    match gap {
        Some(n) => Some((n, 0.5 * (squares[n - 1] + squares[n]))),
        None if all => squares.last().map(|last| (squares.len(), 2.0 * last)),
        None => None,
    }
}

/// Ritz pairs of A in the basis, largest first.
struct Ritz {
    theta: Vec<f64>,
    /// Their vectors, in terms of the basis.
    vectors: Block,
    /// |A x - theta x| / theta, by what leads out of the basis.
    errors: Vec<f64>,
}

/// A block Lanczos iteration.
struct Search<'a> {
    model: &'a Model,
    filter: RigidFilter,
    cholesky: Cholesky,
    width: usize,
    random: Random,
    /// Orthonormal by mass.
    basis: Block,
    /// Columns of V^T M A V, each as long as the basis was.
    projected: Vec<Vec<f64>>,
    /// The next block, not yet in the basis, and M times it.
    next: (Block, Block),
    /// A Q of the last block Q, as far as it leads out of the basis, in terms of the first columns of the next block.
    out: Block,
}

impl<'a> Search<'a> {
    fn new(model: &'a Model, width: usize, watch: Watch<'_>) -> Result<Search<'a>, FemError> {
        tell(watch, Stage::Factorising, 0, 1)?;
        let filter = RigidFilter::new(model)?;
        // far below the first mode, so that it does not matter, and far above rounding
        let sigma = 1e-3 * lowest_strain(model, &filter);
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
    fn inject(&mut self) {
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

    /// Take the next block into the basis, and make another of A times it.
    fn step(&mut self) {
        if self.next.0.columns() == 0 {
            // what the basis spans is closed: go on elsewhere
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
        // what is left below this is rounding
        let (mut q, momenta, first) = orthonormal(w, momenta, 1e-14 * length);
        // once more, now that small columns have become as long as the others
        let again = self.basis.transposed_times(&momenta);
        q.add_product(-1.0, &self.basis, &again);
        self.filter.displacements(&mut q);
        along.add_product(1.0, &again, &first);
        let momenta = self.model.matrices.mass_times_block(&q);
        let (q, momenta, second) = orthonormal(q, momenta, 0.0);
        self.out = second.times(first.as_ref());
        self.projected.extend((0..along.columns()).map(|n| along.column(n).to_vec()));
        self.next = (q, momenta);
        // the basis cannot be larger than the space
        let room = self.model.unknowns() - 6 - self.basis.columns();
        self.next.0.truncate(room);
        self.next.1.truncate(room);
    }

    /// The largest Ritz values, their vectors and errors.
    fn ritz(&self, wanted: usize) -> Result<Ritz, FemError> {
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

    /// Modes of Ritz pairs.
    fn shapes(&self, ritz: &Ritz, watch: Watch<'_>) -> Result<Modes, FemError> {
        let (model, count) = (self.model, ritz.theta.len());
        let mut shapes = Block::zeros(model.unknowns(), 0);
        // a step of inverse iteration takes out high modes: the residual in K x is then M times the error, not K times
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
        // orthonormal again to second order, each by those before it: the solution has an error of rounding along the lowest modes,
        // 1 / theta times that along others
        let gram = shapes.transposed_times(&model.matrices.mass_times_block(&shapes));
        let gram = gram.as_ref();
        let mend = Mat::from_fn(count, count, |i, j| match i.cmp(&j) {
            Ordering::Less => -gram[(i, j)],
            Ordering::Equal => 1.5 - 0.5 * gram[(i, i)],
            Ordering::Greater => 0.0,
        });
        let shapes = shapes.times(mend.as_ref());
        // and once more the best in what they span, by Rayleigh and Ritz: K in terms of them is nearly diagonal
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
        // those of one frequency may be out of order by rounding
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

/// Columns made orthonormal by mass, given with M times them; those not longer than `least` are dropped. Q, M Q and R with
/// W = Q R.
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

/// The lowest omega^2 of even strains, which the first mode is not above [1/s2].
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
