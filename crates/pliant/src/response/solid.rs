//! What a body of the model is made of, frozen when it is built: surface, inertia, modes.

use super::params::Known;
use super::rows::Dot;
use super::shell::Shell;
use super::{Basis, Compliance, Damping, Hull, Oscillator, Records, Scheme};
use crate::error::BuildError;
use crate::kernel::Kernel;
use crate::lanes::LANES;
use crate::math::{Mat3, Vec3};

/// A step resolves the slowest vibration up to the first of these, and no longer at the second: circular frequency times step [rad].
const UNRESOLVED: [f64; 2] = [0.3, 1.0];

/// Everything that does not change.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    pub shell: Shell,
    pub mass: f64,
    /// Moments of inertia about the centre at rest [kg m2], and their inverse.
    pub inertia: Mat3,
    pub inverse_inertia: Mat3,
    /// No more than this is the inverse of any moment of inertia [1/(kg m2)].
    pub lightest: f64,
    /// Its lowest circular frequency, zero where it is not known [rad/s].
    pub slowest: f64,
    pub form: Form,
}

/// How deformation is known.
#[derive(Clone, Debug, PartialEq)]
// a body has one, on the heap
#[allow(clippy::large_enum_variant)]
pub enum Form {
    /// As modes.
    Modes(Modes),
    /// As recorded responses.
    Records(Records),
}

/// Modes that a sample can resolve; the others follow forces at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    pub basis: Basis,
    /// How many are used, a multiple of four.
    pub count: usize,
    /// omega^2 of these [1/s2].
    pub squares: Vec<f64>,
    /// How their coordinates change the moments of inertia: rows for xx, yy, zz, yz, xz, xy [sqrt(kg) m].
    pub inertias: [Vec<f64>; 6],
    /// Length of all components of each node: a displacement is at most this times the length of all coordinates [1/sqrt(kg)].
    pub reaches: Vec<f64>,
    /// The largest of these.
    pub reach: f64,
    /// What one node gives way beyond the modes, for solids without the whole compliance [m/N].
    pub own: Vec<Mat3>,
    /// Their motion over one sample.
    pub swing: Swing,
}

/// Parts xx, yy, zz, yz, xz, xy of a symmetric matrix.
pub type Six = [f64; 6];

/// Oscillators over a step: (q, q') -> a (q, q') + b p.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Swing {
    /// Length of the step [s].
    pub step: f64,
    /// Rows qq, qv, vq, vv of a, then q and v of b.
    pub rows: [Vec<f64>; 6],
    /// b of q less what a lasting force would move, b - 1 / omega^2 [s2]: what modes change of the whole compliance.
    pub change: Vec<f64>,
    /// How moments of inertia change by what flies outwards in a step, over sums of products of the spin [kg m2 s2].
    pub bulge: [Six; 6],
}

impl Swing {
    fn new(squares: &[f64], inertias: &[Vec<f64>; 6], damping: &Damping, step: f64) -> Swing {
        let mut swing = Swing::default();
        swing.rows.iter_mut().for_each(|row| row.resize(squares.len(), 0.0));
        swing.change.resize(squares.len(), 0.0);
        swing.set(squares, inertias, damping, step);
        swing
    }

    /// For steps of another length.
    pub fn set(&mut self, squares: &[f64], inertias: &[Vec<f64>; 6], damping: &Damping, step: f64) {
        self.step = step;
        for (n, square) in squares.iter().enumerate() {
            let Oscillator { a, b } = Oscillator::new(Scheme::Exact, *square, damping.of(*square), step);
            for (row, value) in self.rows.iter_mut().zip([a[0][0], a[0][1], a[1][0], a[1][1], b[0], b[1]]) {
                row[n] = value;
            }
            self.change[n] = b[0] - 1.0 / square;
        }
        let moved = &self.rows[4];
        let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).zip(moved).map(|((a, b), moved)| a * moved * b).sum();
        self.bulge = std::array::from_fn(|i| std::array::from_fn(|j| sum(&inertias[i], &inertias[j])));
    }
}

impl Solid {
    /// Of what is known of it, for samples of this length.
    pub fn new(name: &str, known: Known, damping: &Damping, sample: f64) -> Result<Solid, BuildError> {
        let hull = match &known {
            Known::Modes(basis) => &basis.hull,
            Known::Records(records) => &records.hull,
        };
        let shell = Shell::new(name, hull)?;
        let Hull { mass, inertia, .. } = *hull;
        let inertia = Mat3::from_cols_array_2d(&inertia);
        let inverse_inertia = inertia.inverse();
        if !inverse_inertia.is_finite() {
            let what = format!("the inertia of {name}");
            let value = inertia.determinant();
            return Err(BuildError::Parameter { what, expected: "that of a solid", value });
        }
        let form = match known {
            Known::Modes(basis) => Form::Modes(Modes::new(basis, damping, sample)),
            Known::Records(records) => Form::Records(records),
        };
        if let Form::Modes(modes) = &form
            && let Some(reach) = modes.reaches.iter().find(|reach| !reach.is_finite())
        {
            let what = format!("the shapes of the modes of {name}");
            return Err(BuildError::Parameter { what, expected: "finite", value: *reach });
        }
        let slowest = match &form {
            Form::Modes(modes) => modes.basis.squares.first().map_or(0.0, |square| square.sqrt()),
            Form::Records(_) => 0.0,
        };
        let lightest = [0, 1, 2].map(|n| inverse_inertia.col(n).length_squared()).iter().sum::<f64>().sqrt();
        Ok(Solid { shell, mass, inertia, inverse_inertia, lightest, slowest, form })
    }

    /// Damp its modes in another way, for samples of this length.
    pub fn damp(&mut self, damping: &Damping, sample: f64) {
        if let Form::Modes(modes) = &mut self.form {
            modes.swing = Swing::new(&modes.squares, &modes.inertias, damping, sample);
        }
    }

    /// Moments of inertia about the centre with these coordinates of the modes [kg m2].
    pub fn inertia_with(&self, kernel: Kernel, coordinates: &[f64]) -> Mat3 {
        let Form::Modes(modes) = &self.form else { return self.inertia };
        self.inertia + symmetric(&std::array::from_fn(|n| kernel.run(Dot(&modes.inertias[n], coordinates))))
    }

    /// Their inverse [1/(kg m2)]; deformed beyond what a linear solid can be, it turns as if it were not.
    pub fn inverse_of(&self, inertia: &Mat3) -> Mat3 {
        let inverse = inertia.inverse();
        let sound = inverse.is_finite() && inverse.col(0).x > 0.0 && inverse.determinant() > 0.0;
        if sound { inverse } else { self.inverse_inertia }
    }

    /// Root of the mean square of distances of its mass from the centre, times the root of the mass [sqrt(kg) m]: coordinates of
    /// modes as long as this displace mass by as much, in the mean, as it is from the centre.
    pub fn extent(&self) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|n| self.inertia.col(n)[n]);
        (0.5 * (x + y + z)).sqrt()
    }

    /// Displacement of `at` at the end of a step, of a constant force at `pushed`, both from the centre: the rigid part [m/N].
    pub fn rigid_answer(&self, at: Vec3, pushed: Vec3, step: f64) -> Mat3 {
        let turning = cross(at) * self.inverse_inertia * cross(pushed);
        (Mat3::from_diagonal(Vec3::splat(1.0 / self.mass)) - turning) * self.shift(step)
    }

    /// How far an acceleration by a constant force leads in a step [s2]: h^2 / 2. Steps that do not resolve the slowest vibration see
    /// a rigid body that is led and touched; then it goes up to h^2, with which velocities are those of the way it went
    /// (Euler's implicit method), as with h^2 / 2 they would turn about in every step. More than h^2 / 2 only takes energy.
    pub fn shift(&self, step: f64) -> f64 {
        let [from, to] = UNRESOLVED;
        let rigid = ((self.slowest * step - from) / (to - from)).clamp(0.0, 1.0);
        0.5 * (1.0 + rigid) * step * step
    }
}

/// How an unknown is moved through the modes by a lasting force on another, given their components.
fn lasting(a: &[f64], b: &[f64], squares: &[f64]) -> f64 {
    a.iter().zip(b).zip(squares).map(|((a, b), square)| a * b / square).sum()
}

/// How a mode changes moments of inertia: the sum of (2 X.u 1 - X u^T - u X^T) with u = q phi, over q.
fn inertia_of(s: &[[f64; 3]; 3]) -> Six {
    let trace = s[0][0] + s[1][1] + s[2][2];
    [[0, 0], [1, 1], [2, 2], [1, 2], [0, 2], [0, 1]]
        .map(|[i, j]| 2.0 * if i == j { trace } else { 0.0 } - s[i][j] - s[j][i])
}

/// The matrix of these parts.
pub fn symmetric([xx, yy, zz, yz, xz, xy]: &Six) -> Mat3 {
    Mat3::from_cols_array_2d(&[[*xx, *xy, *xz], [*xy, *yy, *yz], [*xz, *yz, *zz]])
}

/// The matrix of a cross product.
pub fn cross(a: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, a.z, -a.y), Vec3::new(-a.z, 0.0, a.x), Vec3::new(a.y, -a.x, 0.0))
}

impl Modes {
    fn new(basis: Basis, damping: &Damping, sample: f64) -> Modes {
        // a sample sees less than half a period of the others
        let seen = |square: &&f64| square.sqrt() * sample < std::f64::consts::PI;
        let count = basis.squares.iter().take_while(seen).count() / LANES * LANES;
        let squares = basis.squares[..count].to_vec();
        let inertias = std::array::from_fn(|part| basis.moments[..count].iter().map(|s| inertia_of(s)[part]).collect());
        let stride = basis.squares.len();
        let row = |unknown: usize| &basis.shapes[unknown * stride..unknown * stride + count];
        let nodes = basis.hull.nodes.len();
        let reaches: Vec<f64> = (0..nodes)
            .map(|node| (0..3).flat_map(|axis| row(3 * node + axis)).map(|x| x * x).sum::<f64>().sqrt())
            .collect();
        let own = match &basis.compliance {
            Compliance::Full(_) => vec![],
            Compliance::Local(blocks) => {
                let entry = |node: usize, i: usize, j: usize| {
                    blocks[9 * node + 3 * i + j] - lasting(row(3 * node + i), row(3 * node + j), &squares)
                };
                (0..nodes)
                    .map(|n| Mat3::from_cols_array_2d(&[0, 1, 2].map(|j| [0, 1, 2].map(|i| entry(n, i, j)))))
                    .collect()
            }
        };
        let reach = reaches.iter().copied().fold(0.0, f64::max);
        let swing = Swing::new(&squares, &inertias, damping, sample);
        Modes { count, squares, inertias, reaches, reach, own, swing, basis }
    }

    /// How node `i` is moved through the modes by a lasting force at node `j` [m/N].
    pub fn lasting(&self, i: usize, j: usize) -> Mat3 {
        let entry = |a: usize, b: usize| lasting(self.row(3 * i + a), self.row(3 * j + b), &self.squares);
        Mat3::from_cols_array_2d(&[0, 1, 2].map(|b| [0, 1, 2].map(|a| entry(a, b))))
    }

    /// How any of the modes that are known changes moments of inertia [sqrt(kg) m].
    pub fn moment_of(&self, mode: usize) -> Six {
        inertia_of(&self.basis.moments[mode])
    }

    /// Components of an unknown in the modes that are used.
    pub fn row(&self, unknown: usize) -> &[f64] {
        let start = unknown * self.basis.squares.len();
        &self.basis.shapes[start..start + self.count]
    }
}
