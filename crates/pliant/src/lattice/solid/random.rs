//! Accuracy of the approximate rule: statistics over random hexahedra, for comparison with the paper.

use super::cells::{Cell, Cells};
use super::particles::Particles;
use super::rules::MassRule;
use super::split::Cut;
use crate::math::Vec3;
use crate::moments::{Moments, inner};

/// Relative errors of the inertia matrix over many cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorStatistics {
    /// Cells counted.
    pub count: usize,
    /// Cells left out: flat, inverted, or not approximated because a mass would not be positive.
    pub left_out: usize,
    /// Mean of the errors.
    pub mean: f64,
    /// Root mean square of the errors.
    pub rms: f64,
    /// Largest error.
    pub max: f64,
    /// Mean error of the Frobenius norm of the inertia matrix, which is insensitive to rotation.
    pub mean_of_size: f64,
}

/// Errors of the inertia matrix of the approximate rule for hexahedra made from a unit cube by moving every coordinate
/// of every corner by up to `amplitude` edges, uniformly distributed.
pub fn random_hexahedra_errors(count: usize, amplitude: f64, seed: u64) -> ErrorStatistics {
    let mut next = numbers(seed);
    statistics(count, || {
        let corners = unit_cube().map(|c| c + amplitude * vector(&mut next));
        let cells = one_hexahedron(corners)?;
        let particles = Particles::new(&cells, 1.0, MassRule::Approximate).ok()?;
        let kept = particles.cells.iter().all(|c| c.rule == MassRule::Approximate);
        kept.then(|| errors(&particles.moments(), &cells.moments(Cut::Centred)))
    })
}

/// Errors of the inertia matrix after one corner of a unit cube has moved by `amplitude` edges in a random direction,
/// the masses being those of the cube: the paper's measure of how an error grows by deformation.
pub fn moved_vertex_errors(count: usize, amplitude: f64, rule: MassRule, seed: u64) -> ErrorStatistics {
    let mut next = numbers(seed);
    let cube = one_hexahedron(unit_cube());
    statistics(count, || {
        let cube = cube.as_ref()?;
        let direction = std::iter::repeat_with(|| vector(&mut next)).find(|v| (0.01..1.0).contains(&v.length()))?;
        let moved_corner = ((next() + 1.0) * 4.0) as usize % 8;
        let mut corners = unit_cube();
        corners[moved_corner] += amplitude * direction.normalize();
        let moved = one_hexahedron(corners)?;
        let particles = Particles::new(cube, 1.0, rule).ok()?;
        let positions = particles.positions_in(&moved).ok()?;
        let truth = moved.moments(rule.cut());
        // the mass stays, distributed evenly over the new shape
        let truth = truth.scaled(1.0 / truth.volume);
        Some(errors(&Moments::of_points(&positions, &particles.masses), &truth))
    })
}

/// Relative errors of the inertia matrix and of its norm.
fn errors(got: &Moments, truth: &Moments) -> [f64; 2] {
    let size = |m: &Moments| inner(m.inertia, m.inertia).sqrt();
    [got.inertia_error(truth), (size(got) / size(truth) - 1.0).abs()]
}

/// Statistics of the errors of `count` trials.
fn statistics(count: usize, mut trial: impl FnMut() -> Option<[f64; 2]>) -> ErrorStatistics {
    let mut s = ErrorStatistics::default();
    for _ in 0..count {
        match trial() {
            Some([error, of_size]) => {
                s.count += 1;
                s.mean += error;
                s.rms += error * error;
                s.max = s.max.max(error);
                s.mean_of_size += of_size;
            }
            None => s.left_out += 1,
        }
    }
    let n = s.count.max(1) as f64;
    ErrorStatistics { mean: s.mean / n, rms: (s.rms / n).sqrt(), mean_of_size: s.mean_of_size / n, ..s }
}

/// A solid of one hexahedron, if its corners are valid.
fn one_hexahedron(corners: [Vec3; 8]) -> Option<Cells> {
    Cells::new(corners.to_vec(), vec![Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7])]).ok()
}

/// Corners of a cube of edge one about the origin, in the order of a hexahedron.
pub(super) fn unit_cube() -> [Vec3; 8] {
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
        .map(|[x, y, z]| Vec3::new(f64::from(x), f64::from(y), f64::from(z)) - 0.5)
}

/// Random numbers, uniform between -1 and 1 (xorshift).
pub(super) fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).max(1);
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A vector of three random numbers.
pub(super) fn vector(next: &mut impl FnMut() -> f64) -> Vec3 {
    Vec3::new(next(), next(), next())
}
