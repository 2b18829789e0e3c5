//! Recorded responses of a surface from modes that were measured at some of its points.
//!
//! Between these points shapes are those that most probably go through what was measured, within its doubt, if they come about as
//! deformations under loads that are random everywhere: a sum of the solid's own modes with independent coefficients of variance 1 / omega^4
//! (Gaussian process regression, or kriging). So they keep to where the solid is held and bend as it does, whatever its stiffness;
//! frequencies, dampings and sizes are those measured. What is in doubt is told.

use crate::error::FemError;
use crate::precompute::digest::{Digest, Digester};
use crate::precompute::recipe::{Recipe, digest_fixed};
use crate::precompute::store::VERSION;
use pliant::math::{Vec3, log};
use pliant::response::{Basis, Oscillator, Records, Scheme};

/// A point and a direction at which shapes of modes were measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredSpot {
    /// Where, in the frame of the mesh [m].
    pub point: Vec3,
    /// Unit vector.
    pub direction: Vec3,
    /// What it gives way at once, beyond the modes [m/N], if known.
    pub at_once: Option<f64>,
}

/// A mode that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredMode {
    /// Circular frequency without damping [rad/s].
    pub omega: f64,
    /// Damping over critical damping [-].
    pub ratio: f64,
    /// Its shape at each spot, for a modal mass of 1, with the standard deviation of each [1/sqrt(kg)].
    pub shape: Vec<[f64; 2]>,
}

/// Responses that follow from measured modes, and how far they are in doubt.
#[derive(Clone, Debug, PartialEq)]
pub struct Expanded {
    /// The responses.
    pub records: Records,
    /// Largest distance of a spot from the node that stands for it [m].
    pub beside: f64,
    /// For each mode, the part of the nodes of the surface whose displacement is in doubt by more than half of the root mean square of
    /// the mode [-].
    pub guessed: Vec<f64>,
    /// For each mode, what is left of its shape at the spots, over its size, root mean squares [-]: what noise explains, or a solid of
    /// another form than the mesh.
    pub left: Vec<f64>,
}

/// Doubt of a shape because nodes are not quite where spots are, over its size [-].
const PLACING: f64 = 0.01;
/// How often the variance of coefficients is doubled to find the most probable one.
const DOUBLINGS: usize = 24;
/// What a touched point gives way at the least, beyond the modes, over the mean static compliance of all touched points [-]: as of held
/// nodes, so that what is led against it meets a finite force.
const HARD: f64 = 0.01;
/// A response ends when swings have faded to a thousandth: the logarithm of that [-].
const FADED: f64 = 6.907_755_278_982_137;
/// Largest number of samples of a response.
const MOST_SAMPLES: f64 = 4000.0;
/// Largest size of all responses [bytes].
const MOST_BYTES: usize = 2 << 30;

/// Digest of the mesh and of where it is held: what measured responses have in common with it.
pub fn measured_digest(recipe: &Recipe) -> Digest {
    let mut digester = Digester::new("pliant measured", VERSION);
    let (unknowns, surface) = recipe.size();
    [unknowns, surface].into_iter().for_each(|count| digester.count(count));
    recipe.mesh.nodes().iter().flat_map(Vec3::to_array).for_each(|x| digester.number(x));
    recipe.mesh.tets().iter().flatten().for_each(|node| digester.count(*node));
    digest_fixed(&mut digester, &recipe.fixed);
    digester.finish()
}

/// Responses of a solid with measured modes, in samples of a length [s], to forces at the nodes that stand for spots. `basis` has the
/// modes by finite elements that shapes are made of.
pub fn expand(
    basis: &Basis,
    spots: &[MeasuredSpot],
    modes: &[MeasuredMode],
    sample: f64,
) -> Result<Expanded, FemError> {
    let refused = |what, expected, value| Err(FemError::Parameter { what, expected, value });
    let hull = &basis.hull;
    let Some(fixed) = hull.fixed.as_ref().filter(|fixed| !fixed.is_empty()) else {
        return refused(
            "the number of nodes held",
            "at least 1: responses of a body that is free are not measured",
            0.0,
        );
    };
    if !(sample > 0.0 && sample.is_finite()) {
        return refused("the sample", "positive", sample);
    }
    let nearest = |point: Vec3| {
        let apart = |n: &usize| hull.nodes[*n].distance_squared(point);
        (0..hull.nodes.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0)
    };
    let nodes: Vec<usize> = spots.iter().map(|spot| nearest(spot.point)).collect();
    let apart = spots.iter().zip(&nodes).map(|(spot, node)| spot.point.distance(hull.nodes[*node]));
    let beside = apart.fold(0.0, f64::max);
    let shapes: Vec<Guess> = modes.iter().map(|mode| between(basis, spots, &nodes, mode)).collect();
    let mut touched: Vec<u32> = nodes.iter().map(|n| *n as u32).filter(|n| !fixed.contains(n)).collect();
    touched.sort_unstable();
    touched.dedup();
    let unknowns = 3 * hull.nodes.len();
    let longest = modes.iter().map(|mode| FADED / (mode.ratio * mode.omega * sample)).fold(1.0, f64::max);
    let samples = longest.ceil().min(MOST_SAMPLES) as usize;
    let bytes = 8 * 3 * touched.len() * unknowns * samples;
    if touched.is_empty() || bytes > MOST_BYTES {
        let expected = "1 byte to 2 GiB: fewer points measured, a coarser mesh or a longer sample make it smaller";
        return refused("the size of all responses", expected, bytes as f64);
    }
    // what each mode does in time after a unit force in the first sample
    let swings: Vec<Vec<f64>> = modes.iter().map(|mode| swing(mode, sample, samples)).collect();
    let own = own_blocks(spots, &nodes, &touched, modes, &shapes);
    let mut responses = vec![];
    for (place, node) in touched.iter().enumerate() {
        for axis in 0..3 {
            let mut list = vec![0.0; unknowns * samples];
            for (shape, swing) in shapes.iter().zip(&swings) {
                let push = shape.values[3 * *node as usize + axis];
                for (row, swung) in list.chunks_exact_mut(unknowns).zip(swing) {
                    row.iter_mut().zip(&shape.values).for_each(|(u, phi)| *u += push * swung * phi);
                }
            }
            (0..3).for_each(|other| list[3 * *node as usize + other] += own[place][axis][other]);
            responses.push(list.into());
        }
    }
    let records = Records { hull: hull.clone(), sample, samples, nodes: touched, responses };
    let guessed = shapes.iter().map(|shape| shape.guessed).collect();
    let left = shapes.iter().map(|shape| shape.left).collect();
    Ok(Expanded { records, beside, guessed, left })
}

/// A shape of the whole surface.
struct Guess {
    values: Vec<f64>,
    guessed: f64,
    left: f64,
}

/// The most probable shape through what was measured of a mode.
fn between(basis: &Basis, spots: &[MeasuredSpot], nodes: &[usize], mode: &MeasuredMode) -> Guess {
    let count = basis.squares.len();
    let row = |unknown: usize| &basis.shapes[unknown * count..(unknown + 1) * count];
    let weights: Vec<f64> = basis.squares.iter().map(|square| (basis.squares[0] / square).powi(2)).collect();
    // what each of the solid's own modes does at each spot
    let seen: Vec<Vec<f64>> = spots
        .iter()
        .zip(nodes)
        .map(|(spot, node)| {
            let d = spot.direction;
            let rows = [0, 1, 2].map(|axis| row(3 * node + axis));
            (0..count).map(|m| d.x * rows[0][m] + d.y * rows[1][m] + d.z * rows[2][m]).collect()
        })
        .collect();
    let with = |a: &[f64], b: &[f64]| a.iter().zip(b).zip(&weights).map(|((a, b), w)| a * b * w).sum::<f64>();
    let n = spots.len();
    let mean = |list: &mut dyn Iterator<Item = f64>| list.sum::<f64>() / n as f64;
    let size = mean(&mut mode.shape.iter().map(|[x, _]| x * x));
    let alike: Vec<Vec<f64>> = seen.iter().map(|a| seen.iter().map(|b| with(a, b)).collect()).collect();
    let measured: Vec<f64> = mode.shape.iter().map(|[x, _]| *x).collect();
    // covariance of what was measured, for coefficients of this variance: its factor, and what it makes of the measurements
    let given = |variance: f64| {
        let mut matrix: Vec<Vec<f64>> = alike.iter().map(|row| row.iter().map(|x| variance * x).collect()).collect();
        for (k, [_, deviation]) in mode.shape.iter().enumerate() {
            matrix[k][k] += deviation * deviation + PLACING * PLACING * size;
        }
        let factor = cholesky(matrix);
        let pull = solve(&factor, measured.clone());
        (factor, pull)
    };
    // the variance with which the measurements are most probable, by factors of two from the smallest that explains their size
    let least = size / mean(&mut (0..n).map(|k| alike[k][k])).max(f64::MIN_POSITIVE);
    let unlikely = |variance: f64| {
        let (factor, pull) = given(variance);
        let spread: f64 = (0..n).map(|k| 2.0 * log(factor[k][k])).sum();
        spread + pull.iter().zip(&measured).map(|(a, b)| a * b).sum::<f64>()
    };
    let tried = (0..DOUBLINGS).map(|k| least * f64::from(1u32 << k)).map(|variance| (unlikely(variance), variance));
    let variance = tried.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(least, |best| best.1);
    let (factor, pull) = given(variance);
    let coefficients: Vec<f64> =
        (0..count).map(|m| variance * weights[m] * (0..n).map(|k| seen[k][m] * pull[k]).sum::<f64>()).collect();
    let unknowns = 3 * basis.hull.nodes.len();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let values: Vec<f64> = (0..unknowns).map(|unknown| dot(row(unknown), &coefficients)).collect();
    // variance that is left of each component, given the measurements
    let doubt = |unknown: usize| {
        let common: Vec<f64> = seen.iter().map(|a| variance * with(a, row(unknown))).collect();
        let told = dot(&common, &solve(&factor, common.clone()));
        (variance * with(row(unknown), row(unknown)) - told).max(0.0)
    };
    let whole = values.iter().map(|x| x * x).sum::<f64>() / basis.hull.nodes.len() as f64;
    let doubtful = (0..basis.hull.nodes.len()).filter(|node| {
        let sum: f64 = (0..3).map(|axis| doubt(3 * node + axis)).sum();
        sum > 0.25 * whole
    });
    let guessed = doubtful.count() as f64 / basis.hull.nodes.len() as f64;
    let left = mean(&mut (0..n).map(|k| (mode.shape[k][0] - dot(&seen[k], &coefficients)).powi(2)));
    Guess { values, guessed, left: (left / size.max(f64::MIN_POSITIVE)).sqrt() }
}

/// The course of a mode after a unit force in the first sample.
fn swing(mode: &MeasuredMode, sample: f64, samples: usize) -> Vec<f64> {
    let (square, damping) = (mode.omega * mode.omega, 2.0 * mode.ratio * mode.omega);
    let oscillator = Oscillator::new(Scheme::Exact, square, damping, sample);
    let mut state = oscillator.step([0.0; 2], 1.0);
    (0..samples)
        .map(|_| {
            let now = state[0];
            state = oscillator.step(state, 0.0);
            now
        })
        .collect()
}

/// For each touched node, what it gives way at once beyond the modes: a block, column by column.
fn own_blocks(
    spots: &[MeasuredSpot],
    nodes: &[usize],
    touched: &[u32],
    modes: &[MeasuredMode],
    shapes: &[Guess],
) -> Vec<[[f64; 3]; 3]> {
    let lasting = |node: u32| {
        let along = |axis: usize| {
            let entry =
                |(mode, shape): (&MeasuredMode, &Guess)| (shape.values[3 * node as usize + axis] / mode.omega).powi(2);
            modes.iter().zip(shapes).map(entry).sum::<f64>()
        };
        (along(0) + along(1) + along(2)) / 3.0
    };
    let least = HARD * touched.iter().map(|node| lasting(*node)).sum::<f64>() / touched.len() as f64;
    let block = |node: &u32| {
        let mut block: [[f64; 3]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|j| if i == j { least } else { 0.0 }));
        for (spot, _) in spots.iter().zip(nodes).filter(|(_, n)| **n == *node as usize) {
            let more = spot.at_once.map_or(0.0, |known| (known - least).max(0.0));
            let d = spot.direction.to_array();
            (0..3).for_each(|i| (0..3).for_each(|j| block[i][j] += more * d[i] * d[j]));
        }
        block
    };
    touched.iter().map(block).collect()
}

/// Cholesky's factor of a positive definite matrix, in its lower triangle.
fn cholesky(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for i in 0..matrix.len() {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let rest = matrix[i][j] - sum;
            matrix[i][j] = if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / matrix[j][j] };
        }
    }
    matrix
}

fn solve(factor: &[Vec<f64>], mut x: Vec<f64>) -> Vec<f64> {
    for i in 0..x.len() {
        let sum: f64 = (0..i).map(|k| factor[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / factor[i][i];
    }
    for i in (0..x.len()).rev() {
        let sum: f64 = (i + 1..x.len()).map(|k| factor[k][i] * x[k]).sum();
        x[i] = (x[i] - sum) / factor[i][i];
    }
    x
}
