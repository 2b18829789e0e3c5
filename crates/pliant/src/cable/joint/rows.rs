//! Data of the kernels: one row of numbers per quantity, so that four links are processed at a time.

use crate::cable::algebra::block::Vec6;
use crate::cable::joint::three::{Matrix, Turn};
use crate::cable::joint::{SINE, TANGENT};
use crate::cable::links::{LinkState, Links};
use crate::kernel::{Kernel, Task};
use crate::lanes::{LANES, Lanes, Lanes3};
use crate::math::{Pose, Quat, Vec3};
use crate::team::Team;

/// Data of the kernels, in pieces of four links.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Instruction set of the kernels.
    pub kernel: Kernel,
    /// Whether no link turns by more than `MOST_TURN` at the mean velocities last placed.
    pub placed: bool,
    /// Whether the tangent has not been evaluated since the start of the step.
    pub fresh: bool,
    pieces: Vec<Piece>,
    /// For a closed cable: the position after its last link, in the last piece, that repeats the first one.
    seam: Option<usize>,
}

/// Rows of numbers, one per component; a quantity is identified by its first row. A row holds a number for each of four
/// links and, so that a joint can read that of the next link, for the first of the next piece.
#[derive(Clone, Debug)]
pub struct Piece([[f64; LANES + 1]; COUNT]);

/// Rotation in one step up to which the truncated series of sine and cosine are accurate [rad].
pub const MOST_TURN: f64 = 3.2;

// at the start of the step
const POSITION: usize = 0;
const TURN: usize = 3;
const AXES: usize = 7;
/// Velocity at the start, less c times its change in the step before.
pub const VELOCITY: usize = 16;
/// Rotation from a link to the next at the start, as quaternion.
pub const JOINT_TURN: usize = 22;
/// Half of a joint's strain at the start, less its unloaded strain, less c times its change in the step before.
pub const BIAS: usize = 26;
// at the mean velocities
/// Mean velocity.
pub const MEAN: usize = 32;
/// Rotation vector of the step.
pub const ANGLE: usize = 38;
/// cos t of a quarter of that angle.
pub const COSINE: usize = 41;
/// sin(t) / t of a quarter of that angle.
pub const SINC: usize = 42;
/// Position halfway.
pub const MIDDLE_POSITION: usize = 43;
/// Rotation halfway, as quaternion.
pub const MIDDLE_TURN: usize = 46;
/// Rotation halfway, as matrix.
pub const MIDDLE_AXES: usize = 50;
/// Position at the end.
pub const END_POSITION: usize = 59;
/// Rotation at the end, as quaternion.
pub const END_TURN: usize = 62;
/// Rotation at the end, as matrix.
pub const END_AXES: usize = 66;
/// Mean of the rotation matrices at both ends.
pub const MEAN_AXES: usize = 75;
// where the tangent was last evaluated
/// Mean velocity there.
pub const LAST_MEAN: usize = 84;
/// Load of the joint there.
pub const LAST_LOAD: usize = 90;
/// Derivatives of the load: five matrices.
pub const LOAD_CHANGE: usize = 96;
const COUNT: usize = 141;

impl Piece {
    /// A row: of the links for `NEXT` 0, or of the links after them for 1.
    #[inline(always)]
    pub fn one<L: Lanes, const NEXT: usize>(&self, row: usize) -> L {
        let row = &self.0[row];
        L::load(&[row[NEXT], row[NEXT + 1], row[NEXT + 2], row[NEXT + 3]])
    }

    /// Three rows, as vectors.
    #[inline(always)]
    pub fn three<L: Lanes, const NEXT: usize>(&self, row: usize) -> Lanes3<L> {
        Lanes3 { x: self.one::<L, NEXT>(row), y: self.one::<L, NEXT>(row + 1), z: self.one::<L, NEXT>(row + 2) }
    }

    /// Four rows, as quaternions.
    #[inline(always)]
    pub fn turn<L: Lanes, const NEXT: usize>(&self, row: usize) -> Turn<L> {
        Turn { u: self.three::<L, NEXT>(row), w: self.one::<L, NEXT>(row + 3) }
    }

    /// Nine rows, as matrices.
    #[inline(always)]
    pub fn matrix<L: Lanes, const NEXT: usize>(&self, row: usize) -> Matrix<L> {
        Matrix([self.three::<L, NEXT>(row), self.three::<L, NEXT>(row + 3), self.three::<L, NEXT>(row + 6)])
    }

    /// Save the mean velocities as those of the last tangent.
    #[inline(always)]
    pub fn keep_mean(&mut self) {
        for k in 0..6 {
            self.0[LAST_MEAN + k] = self.0[MEAN + k];
        }
    }

    #[inline(always)]
    fn set<L: Lanes>(&mut self, row: usize, value: L) {
        value.store_at(&mut self.0[row], 0);
    }

    #[inline(always)]
    fn set_three<L: Lanes>(&mut self, row: usize, v: Lanes3<L>) {
        self.set(row, v.x);
        self.set(row + 1, v.y);
        self.set(row + 2, v.z);
    }

    #[inline(always)]
    fn set_turn<L: Lanes>(&mut self, row: usize, q: Turn<L>) {
        self.set_three(row, q.u);
        self.set(row + 3, q.w);
    }

    /// Set nine rows.
    #[inline(always)]
    pub fn set_matrix<L: Lanes>(&mut self, row: usize, m: &Matrix<L>) {
        self.set_three(row, m.0[0]);
        self.set_three(row + 3, m.0[1]);
        self.set_three(row + 6, m.0[2]);
    }

    /// Set six rows.
    #[inline(always)]
    pub fn set_six<L: Lanes>(&mut self, row: usize, v: [Lanes3<L>; 2]) {
        self.set_three(row, v[0]);
        self.set_three(row + 3, v[1]);
    }
}

/// Copy the first numbers of rows `first` to `last` of a piece to the end of the piece before it.
#[inline(always)]
fn join(before: &mut [Piece], piece: &Piece, first: usize, last: usize) {
    if let Some(before) = before.last_mut() {
        for row in first..last {
            before.0[row][LANES] = piece.0[row][0];
        }
    }
}

/// In a closed cable, repeat the first link after the last one, in rows `first` to `last`.
#[inline(always)]
fn close(pieces: &mut [Piece], seam: Option<usize>, first: usize, last: usize) {
    let (Some(at), end) = (seam, pieces.len() - 1) else { return };
    for row in first..last {
        pieces[end].0[row][at] = pieces[0].0[row][0];
    }
}

impl Rows {
    /// Rows for a number of links.
    pub fn new(links: usize, closed: bool) -> Rows {
        let mut piece = Piece([[0.0; LANES + 1]; COUNT]);
        // lanes without a link are at rest, not rotated
        for row in [TURN + 3, JOINT_TURN + 3, MIDDLE_TURN + 3, END_TURN + 3, COSINE, SINC] {
            piece.0[row].fill(1.0);
        }
        for axes in [AXES, MIDDLE_AXES, END_AXES, MEAN_AXES] {
            for row in [axes, axes + 4, axes + 8] {
                piece.0[row].fill(1.0);
            }
        }
        let seam = closed.then_some((links - 1) % LANES + 1);
        let pieces = vec![piece; links.div_ceil(LANES)];
        Rows { kernel: Kernel::default(), placed: true, fresh: true, pieces, seam }
    }

    /// All pieces, of four links each.
    pub fn pieces(&mut self) -> &mut [Piece] {
        &mut self.pieces
    }

    /// Set up the start of a step, and compute the strains there.
    pub fn begin(&mut self, links: &Links, state: &LinkState, step: f64, strains: &mut [Vec6]) {
        self.fresh = true;
        let decay = links.decay * state.remembered(step);
        self.kernel.run(Begin { links, state, decay, rows: self, strains });
    }

    /// Compute the poses half a step and a step ahead at the mean velocities.
    pub fn place(&mut self, mean: &[Vec6], step: f64, middle: &mut [Pose], end: &mut [Pose], team: Option<&mut Team>) {
        let Rows { kernel, pieces, seam, .. } = self;
        let Some(team) = team else {
            self.placed = kernel.run(Place { pieces, mean, step, middle, end });
            close(pieces, *seam, MEAN, MEAN_AXES + 3);
            return;
        };
        let cut = pieces.len() / 2;
        let at = cut * LANES;
        let ((low, high), (mean_low, mean_high)) = (pieces.split_at_mut(cut), mean.split_at(at));
        let ((a, b), (c, d)) = (middle.split_at_mut(at), end.split_at_mut(at));
        let half = |pieces, mean, middle, end| (Some(Place { pieces, mean, step, middle, end }), false);
        let mut halves = [half(low, mean_low, a, c), half(high, mean_high, b, d)];
        team.each(&mut halves, |(half, fits)| *fits = half.take().is_some_and(|half| kernel.run(half)));
        self.placed = halves.iter().all(|(_, fits)| *fits);
        let (low, high) = pieces.split_at_mut(cut);
        join(low, &high[0], MEAN, MEAN_AXES + 3);
        close(pieces, *seam, MEAN, MEAN_AXES + 3);
    }
}

/// Four elements of a slice, beginning at index i; `none` beyond the last.
#[inline(always)]
fn four<'a, T>(from: &'a [T], i: usize, none: &'a T) -> [&'a T; LANES] {
    if let Some([a, b, c, d]) = from.get(i..i + LANES) {
        return [a, b, c, d];
    }
    let mut out = [none; LANES];
    for (l, one) in from.iter().skip(i).enumerate() {
        out[l] = one;
    }
    out
}

/// Load four vectors, beginning at index i; zeros beyond the last.
#[inline(always)]
pub fn gathered<L: Lanes>(from: &[Vec6], i: usize) -> [Lanes3<L>; 2] {
    let [a, b, c, d] = four(from, i, &[0.0; 6]);
    let [x, y, z, u] = L::transposed([L::load_at(a, 0), L::load_at(b, 0), L::load_at(c, 0), L::load_at(d, 0)]);
    let [_, _, v, w] = L::transposed([L::load_at(a, 2), L::load_at(b, 2), L::load_at(c, 2), L::load_at(d, 2)]);
    [Lanes3 { x, y, z }, Lanes3 { x: u, y: v, z: w }]
}

#[inline(always)]
fn joined<L: Lanes>(first: L, fifth: f64, sixth: f64) -> Vec6 {
    let [a, b, c, d] = first.block();
    [a, b, c, d, fifth, sixth]
}

/// Store four vectors, beginning at index i, as far as they exist.
#[inline(always)]
pub fn scatter<L: Lanes>(v: [Lanes3<L>; 2], to: &mut [Vec6], i: usize) {
    let first = L::transposed([v[0].x, v[0].y, v[0].z, v[1].x]);
    let [fifth, sixth] = [v[1].y.block(), v[1].z.block()];
    if let Some([a, b, c, d]) = to.get_mut(i..i + LANES) {
        *a = joined(first[0], fifth[0], sixth[0]);
        *b = joined(first[1], fifth[1], sixth[1]);
        *c = joined(first[2], fifth[2], sixth[2]);
        *d = joined(first[3], fifth[3], sixth[3]);
    } else {
        for (l, out) in to.iter_mut().skip(i).enumerate() {
            *out = joined(first[l], fifth[l], sixth[l]);
        }
    }
}

#[inline(always)]
fn gathered_poses<L: Lanes>(from: &[Pose], i: usize) -> (Lanes3<L>, Turn<L>) {
    let [a, b, c, d] = four(from, i, &Pose::IDENTITY);
    let [p, q, r, s] = [a.translation, b.translation, c.translation, d.translation];
    let position = Lanes3 {
        x: L::load(&[p.x, q.x, r.x, s.x]),
        y: L::load(&[p.y, q.y, r.y, s.y]),
        z: L::load(&[p.z, q.z, r.z, s.z]),
    };
    let [p, q, r, s] = [a.rotation, b.rotation, c.rotation, d.rotation];
    let [x, y, z, w] =
        L::transposed([L::load(&p.to_array()), L::load(&q.to_array()), L::load(&r.to_array()), L::load(&s.to_array())]);
    (position, Turn { u: Lanes3 { x, y, z }, w })
}

#[inline(always)]
fn posed<L: Lanes>(position: [f64; 3], turn: L) -> Pose {
    Pose::from_parts(Vec3::from_array(position), Quat::from_array(turn.block()))
}

#[inline(always)]
fn scatter_poses<L: Lanes>(position: Lanes3<L>, turn: Turn<L>, to: &mut [Pose], i: usize) {
    let turns = L::transposed([turn.u.x, turn.u.y, turn.u.z, turn.w]);
    let [x, y, z] = [position.x.block(), position.y.block(), position.z.block()];
    if let Some([a, b, c, d]) = to.get_mut(i..i + LANES) {
        *a = posed([x[0], y[0], z[0]], turns[0]);
        *b = posed([x[1], y[1], z[1]], turns[1]);
        *c = posed([x[2], y[2], z[2]], turns[2]);
        *d = posed([x[3], y[3], z[3]], turns[3]);
    } else {
        for (l, out) in to.iter_mut().skip(i).enumerate() {
            *out = posed([x[l], y[l], z[l]], turns[l]);
        }
    }
}

/// Strain of joints, given y and the rotation from a to b.
#[inline(always)]
pub fn strain<L: Lanes>(arm: f64, y: Lanes3<L>, q: &Turn<L>, per_one_and_w: L) -> [Lanes3<L>; 2] {
    let scale = L::splat(SINE) + L::splat(TANGENT) * per_one_and_w;
    [Lanes3 { x: y.x - L::splat(arm), y: y.y, z: y.z }, q.u.scale(scale)]
}

struct Begin<'a> {
    links: &'a Links,
    state: &'a LinkState,
    /// c, weighted by how much the changes of the last step count.
    decay: f64,
    rows: &'a mut Rows,
    strains: &'a mut [Vec6],
}

impl Task for Begin<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Begin { links, state, decay, rows, strains } = self;
        let decay = L::splat(decay);
        for n in 0..rows.pieces.len() {
            let (before, rest) = rows.pieces.split_at_mut(n);
            let (piece, i) = (&mut rest[0], n * LANES);
            let (position, turn) = gathered_poses::<L>(&state.poses, i);
            piece.set_three(POSITION, position);
            piece.set_turn(TURN, turn);
            piece.set_matrix(AXES, &turn.matrix());
            let ([v, w], [dv, dw]) = (gathered::<L>(&state.velocities, i), gathered::<L>(&state.gained, i));
            piece.set_six(VELOCITY, [v - dv.scale(decay), w - dw.scale(decay)]);
            piece.set_six(LAST_LOAD, gathered::<L>(&state.loads, i));
            join(before, piece, POSITION, VELOCITY);
        }
        close(&mut rows.pieces, rows.seam, POSITION, VELOCITY);
        let arms = links.arms();
        for (n, piece) in rows.pieces.iter_mut().enumerate() {
            let (a, b) = (piece.matrix::<L, 0>(AXES), piece.three::<L, 1>(AXES));
            let z = piece.three::<L, 1>(POSITION) - b.scale(L::splat(arms.b)) - piece.three::<L, 0>(POSITION);
            let q = piece.turn::<L, 0>(TURN).to(piece.turn::<L, 1>(TURN));
            let [e1, e2] = strain(arms.a, a.transposed_times(z), &q, (L::splat(1.0) + q.w).inverse());
            let ([r1, r2], [b1, b2]) = (gathered(&links.rest, n * LANES), gathered::<L>(&state.strains, n * LANES));
            scatter([e1, e2], strains, n * LANES);
            let half = L::splat(0.5);
            piece.set_turn(JOINT_TURN, q);
            let (changed, turned) = ((e1 - b1).scale(decay), (e2 - b2).scale(decay));
            piece.set_six(BIAS, [e1.scale(half) - r1 - changed, e2.scale(half) - r2 - turned]);
        }
    }
}

struct Place<'a> {
    pieces: &'a mut [Piece],
    mean: &'a [Vec6],
    step: f64,
    middle: &'a mut [Pose],
    end: &'a mut [Pose],
}

/// Sum of a power series in z, by pairs so that not every product waits for the last.
#[inline(always)]
fn series<L: Lanes>(z: L, of: &[f64; 9]) -> L {
    let z2 = z * z;
    let z4 = z2 * z2;
    let a = L::splat(of[0]) + L::splat(of[1]) * z;
    let b = L::splat(of[2]) + L::splat(of[3]) * z;
    let c = L::splat(of[4]) + L::splat(of[5]) * z;
    let d = L::splat(of[6]) + L::splat(of[7]) * z;
    (a + b * z2) + ((c + d * z2) + L::splat(of[8]) * z4) * z4
}

/// (-1)^k / (2 k + more)!: the series of cos t (more = 0) and of sin(t) / t (more = 1) in t^2. For a quarter of
/// `MOST_TURN` the first omitted term is below 3e-18.
const fn terms(more: usize) -> [f64; 9] {
    let mut out = [0.0; 9];
    let (mut k, mut term) = (0, 1.0);
    while k < 9 {
        out[k] = term;
        term /= -(((2 * k + 1 + more) * (2 * k + 2 + more)) as f64);
        k += 1;
    }
    out
}

impl Task for Place<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let Place { pieces, mean, step, middle, end } = self;
        let (cosine, sinc) = (const { terms(0) }, const { terms(1) });
        let (whole, half) = (L::splat(step), L::splat(0.5 * step));
        let most = L::splat(MOST_TURN * MOST_TURN);
        let mut fit = L::splat(1.0);
        for n in 0..pieces.len() {
            let (before, rest) = pieces.split_at_mut(n);
            let (piece, i) = (&mut rest[0], n * LANES);
            let [v, w] = gathered::<L>(mean, i);
            let angle = w.scale(whole);
            let square = angle.dot(angle);
            fit = fit * square.below(most);
            let z = square * L::splat(1.0 / 16.0);
            let (c, s) = (series(z, &cosine), series(z, &sinc));
            let quarter = Turn { u: angle.scale(s * L::splat(0.25)), w: c };
            // twice the angle: cos 2t = cos^2 t - sin^2 t, sin 2t = 2 sin t cos t
            let double = Turn { u: quarter.u.scale(c + c), w: c * c - quarter.u.dot(quarter.u) };
            let (position, turn) = (piece.three::<L, 0>(POSITION), piece.turn::<L, 0>(TURN));
            let (position_middle, turn_middle) = (position + v.scale(half), turn.times(quarter).normalised());
            let (position_end, turn_end) = (position + v.scale(whole), turn.times(double).normalised());
            let axes_end = turn_end.matrix();
            let sum = piece.matrix::<L, 0>(AXES).plus(&axes_end);
            piece.set_six(MEAN, [v, w]);
            piece.set_three(ANGLE, angle);
            piece.set(COSINE, c);
            piece.set(SINC, s);
            piece.set_three(MIDDLE_POSITION, position_middle);
            piece.set_turn(MIDDLE_TURN, turn_middle);
            piece.set_matrix(MIDDLE_AXES, &turn_middle.matrix());
            piece.set_three(END_POSITION, position_end);
            piece.set_turn(END_TURN, turn_end);
            piece.set_matrix(END_AXES, &axes_end);
            piece.set_matrix(MEAN_AXES, &sum.scale(L::splat(0.5)));
            join(before, piece, MEAN, MEAN_AXES + 3);
            scatter_poses(position_middle, turn_middle, middle, i);
            scatter_poses(position_end, turn_end, end, i);
        }
        fit.block() == [1.0; LANES]
    }
}
