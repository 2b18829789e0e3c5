//! Constants of a body: surface, inertia, modes.

use super::beyond::Beyond;
use super::firm::Firm;
use super::params::{Elasticity, Known, ResponseSettings};
use super::rows::Dot;
use super::shell::Shell;
use super::{Basis, Compliance, Damping, Hull, Oscillator, Records, Scheme};
use crate::error::BuildError;
use crate::kernel::Kernel;
use crate::lanes::LANES;
use crate::math::{Mat3, Vec3};

/// Angular frequency times step [rad] up to which a step resolves the slowest vibration, and from which it no longer
/// does.
const UNRESOLVED: [f64; 2] = [0.3, 1.0];

/// Constants of a body, fixed when it is built.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    pub shell: Shell,
    pub mass: f64,
    /// Inverse of the mass that moves as a whole [1/kg]; zero of a body that is held.
    pub inverse_mass: f64,
    /// Inertia about the centre of mass at rest [kg m2], and its inverse, in the body's frame; of a body that is held, which
    /// does not turn as a whole, the inverse is zero.
    pub inertia: Mat3,
    pub inverse_inertia: Mat3,
    /// Upper bound on the inverse of any moment of inertia [1/(kg m2)].
    pub lightest: f64,
    /// Lowest angular frequency [rad/s]; zero if unknown.
    pub slowest: f64,
    /// Nodes that no force moves.
    pub firm: Firm,
    pub form: Form,
}

/// Representation of deformation.
#[derive(Clone, Debug, PartialEq)]
// one per body, on the heap
#[allow(clippy::large_enum_variant)]
pub enum Form {
    /// Vibration modes.
    Modes(Modes),
    /// Recorded responses.
    Records(Records),
}

/// Modes that a sample resolves; the others respond quasi-statically.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    pub basis: Basis,
    /// Number of modes in use, a multiple of four.
    pub count: usize,
    /// omega^2 of the modes in use [1/s2].
    pub squares: Vec<f64>,
    /// Derivatives of the inertia by modal coordinates: rows for xx, yy, zz, yz, xz, xy [sqrt(kg) m].
    pub inertias: [Vec<f64>; 6],
    /// Norm of the mode shapes at each node: its displacement is at most this times the norm of the modal coordinates
    /// [1/sqrt(kg)].
    pub reaches: Vec<f64>,
    /// The largest of `reaches` [1/sqrt(kg)].
    pub reach: f64,
    /// Residual compliance of each node beyond the modes, for solids without full compliance [m/N].
    pub own: Vec<Mat3>,
    /// That between nodes, for these, if their material is known.
    pub beyond: Option<Beyond>,
    /// Oscillators over one sample.
    pub swing: Swing,
}

/// Components xx, yy, zz, yz, xz, xy of a symmetric matrix.
pub type Six = [f64; 6];

/// Oscillators over a step: (q, q') -> a (q, q') + b p.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Swing {
    /// Length of the step [s].
    pub step: f64,
    /// Rows qq, qv, vq, vv of a, then q and v of b.
    pub rows: [Vec<f64>; 6],
    /// b of q less the static response, b - 1 / omega^2 [s2]: the dynamic correction to the full compliance.
    pub change: Vec<f64>,
    /// Change of inertia by centrifugal forces in a step, per product of spins [kg m2 s2].
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

    /// Recompute for another step length [s].
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
    /// Build from precomputed dynamics.
    pub fn new(name: &str, known: Known, settings: &ResponseSettings) -> Result<Solid, BuildError> {
        let hull = match &known {
            Known::Modes(basis) => &basis.hull,
            Known::Records(records) => &records.hull,
        };
        let shell = Shell::new(name, hull)?;
        let Hull { mass, inertia, .. } = *hull;
        let is_fixed = hull.fixed.is_some();
        let inertia = Mat3::from_cols_array_2d(&inertia);
        let inverse_inertia = inertia.inverse();
        if !inverse_inertia.is_finite() {
            let what = format!("the inertia of {name}");
            let value = inertia.determinant();
            return Err(BuildError::Parameter { what, expected: "that of a solid", value });
        }
        let (inverse_mass, inverse_inertia) = if is_fixed { (0.0, Mat3::ZERO) } else { (1.0 / mass, inverse_inertia) };
        let firm = Firm::new(&known);
        let form = match known {
            Known::Modes(basis) => Form::Modes(Modes::new(basis, settings)),
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
        Ok(Solid { shell, mass, inverse_mass, inertia, inverse_inertia, lightest, slowest, firm, form })
    }

    /// Whether it is held in place, so that it deforms but does not move as a whole.
    pub fn is_fixed(&self) -> bool {
        self.inverse_mass == 0.0
    }

    /// Acceleration by gravity [m/s2]: none of a body that is held, whose shape is the one under its own weight.
    pub fn falls(&self, gravity: Vec3) -> Vec3 {
        if self.is_fixed() { Vec3::ZERO } else { gravity }
    }

    /// Change the damping of the modes, for samples of a length [s].
    pub fn damp(&mut self, damping: &Damping, sample: f64) {
        if let Form::Modes(modes) = &mut self.form {
            modes.swing = Swing::new(&modes.squares, &modes.inertias, damping, sample);
        }
    }

    /// Inertia about the centre of mass for given modal coordinates, in the body's frame [kg m2].
    pub fn inertia_with(&self, kernel: Kernel, coordinates: &[f64]) -> Mat3 {
        let Form::Modes(modes) = &self.form else { return self.inertia };
        self.inertia + symmetric(&std::array::from_fn(|n| kernel.run(Dot(&modes.inertias[n], coordinates))))
    }

    /// Inverse of an inertia [1/(kg m2)]; for deformations beyond the range of a linear solid, that at rest.
    pub fn inverse_of(&self, inertia: &Mat3) -> Mat3 {
        let inverse = inertia.inverse();
        let sound = inverse.is_finite() && inverse.col(0).x > 0.0 && inverse.determinant() > 0.0;
        if sound { inverse } else { self.inverse_inertia }
    }

    /// Root mean square distance of the mass from the centre times the root of the mass [sqrt(kg) m]: modal coordinates
    /// of this norm displace the mass, in the root mean square, by as much as its distance from the centre.
    pub fn extent(&self) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|n| self.inertia.col(n)[n]);
        (0.5 * (x + y + z)).sqrt()
    }

    /// Rigid part of the displacement of a point at the end of a step per constant force at another, both relative to
    /// the centre of mass [m/N].
    pub fn rigid_answer(&self, at: Vec3, pushed: Vec3, step: f64) -> Mat3 {
        let turning = cross(at) * self.inverse_inertia * cross(pushed);
        (Mat3::from_diagonal(Vec3::splat(self.inverse_mass)) - turning) * self.shift(step)
    }

    /// Displacement in a step per constant acceleration [s2]: h^2 / 2. Steps that do not resolve the slowest vibration
    /// see a constrained rigid body; then it rises up to h^2 (implicit Euler), as with h^2 / 2 constrained velocities
    /// would change sign in every step. A shift s dissipates (s - h^2 / 2) F^2 / m, with F all forces, weight included.
    pub fn shift(&self, step: f64) -> f64 {
        let [from, to] = UNRESOLVED;
        let rigid = ((self.slowest * step - from) / (to - from)).clamp(0.0, 1.0);
        0.5 * (1.0 + rigid) * step * step
    }
}

/// Static modal displacement of one degree of freedom per force on another, given their mode shapes [m/N].
fn lasting(a: &[f64], b: &[f64], squares: &[f64]) -> f64 {
    a.iter().zip(b).zip(squares).map(|((a, b), square)| a * b / square).sum()
}

/// Derivative of the inertia by a modal coordinate q: the sum of (2 X.u 1 - X u^T - u X^T) with u = q phi, over q.
fn inertia_of(s: &[[f64; 3]; 3]) -> Six {
    let trace = s[0][0] + s[1][1] + s[2][2];
    [[0, 0], [1, 1], [2, 2], [1, 2], [0, 2], [0, 1]]
        .map(|[i, j]| 2.0 * if i == j { trace } else { 0.0 } - s[i][j] - s[j][i])
}

/// The symmetric matrix with these components.
pub fn symmetric([xx, yy, zz, yz, xz, xy]: &Six) -> Mat3 {
    Mat3::from_cols_array_2d(&[[*xx, *xy, *xz], [*xy, *yy, *yz], [*xz, *yz, *zz]])
}

/// The matrix of a cross product.
pub fn cross(a: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, a.z, -a.y), Vec3::new(-a.z, 0.0, a.x), Vec3::new(a.y, -a.x, 0.0))
}

impl Modes {
    fn new(basis: Basis, settings: &ResponseSettings) -> Modes {
        let ResponseSettings { damping, sample, elasticity, .. } = settings;
        // use the modes with less than half a period per sample
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
        let fastest = squares.last().map_or(0.0, |square| square.sqrt());
        let beyond = elasticity.filter(|_| !own.is_empty()).map(|known: Elasticity| Beyond::new(&known, &own, fastest));
        let swing = Swing::new(&squares, &inertias, damping, *sample);
        Modes { count, squares, inertias, reaches, reach, own, beyond, swing, basis }
    }

    /// Displacement of node `i` beyond the modes per force at node `j`, for solids without full compliance [m/N]; `None`
    /// where there is none.
    pub fn at_once(&self, i: usize, j: usize) -> Option<Mat3> {
        let nodes = &self.basis.hull.nodes;
        if i == j { Some(self.own[i]) } else { self.beyond.as_ref()?.between(i, j, nodes[i] - nodes[j]) }
    }

    /// Static modal displacement of node `i` per force at node `j` [m/N].
    pub fn lasting(&self, i: usize, j: usize) -> Mat3 {
        let entry = |a: usize, b: usize| lasting(self.row(3 * i + a), self.row(3 * j + b), &self.squares);
        Mat3::from_cols_array_2d(&[0, 1, 2].map(|b| [0, 1, 2].map(|a| entry(a, b))))
    }

    /// Derivative of the inertia by the coordinate of a mode, in use or not [sqrt(kg) m].
    pub fn moment_of(&self, mode: usize) -> Six {
        inertia_of(&self.basis.moments[mode])
    }

    /// Mode shapes in use at a degree of freedom [1/sqrt(kg)].
    pub fn row(&self, unknown: usize) -> &[f64] {
        let start = unknown * self.basis.squares.len();
        &self.basis.shapes[start..start + self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{SAMPLE, basis, solid};
    use super::*;

    /// The inertia of points X moved by u = q phi, to first order in q, by differences.
    #[test]
    fn the_derivative_of_inertia_is_that_of_moved_points() {
        let (x, u) = (Vec3::new(0.3, -0.5, 0.7), Vec3::new(0.2, 0.4, -0.1));
        let inertia = |p: Vec3| Mat3::from_diagonal(Vec3::splat(p.length_squared())) - outer(p, p);
        let small = 1e-6;
        let slope = (inertia(x + u * small) - inertia(x - u * small)) * (0.5 / small);
        let moment = [0, 1, 2].map(|i| [0, 1, 2].map(|j| x[i] * u[j]));
        let found = symmetric(&inertia_of(&moment));
        assert!((0..3).all(|n| (found.col(n) - slope.col(n)).length() < 1e-9), "{found} for {slope}");
    }

    fn outer(a: Vec3, b: Vec3) -> Mat3 {
        Mat3::from_cols(a * b.x, a * b.y, a * b.z)
    }

    #[test]
    fn a_cross_product_is_a_matrix() {
        let (a, b) = (Vec3::new(1.0, -2.0, 3.0), Vec3::new(0.5, 4.0, -1.0));
        assert_eq!(cross(a) * b, a.cross(b));
    }

    /// Force f at `pushed` gives the acceleration f / m and the angular acceleration M (pushed x f).
    #[test]
    fn a_rigid_body_answers_by_its_mass_and_inertia() {
        let body = solid(1e-6, true);
        let (at, pushed, force) = (Vec3::new(0.1, 0.2, -0.3), Vec3::new(-0.2, 0.4, 0.1), Vec3::new(3.0, -1.0, 2.0));
        let step = 1e-5;
        let acceleration = force / body.mass + (body.inverse_inertia * pushed.cross(force)).cross(at);
        let expected = 0.5 * step * step * acceleration;
        let found = body.rigid_answer(at, pushed, step) * force;
        assert!((found - expected).length() < 1e-12 * expected.length(), "{found} for {expected}");
        // reciprocity: what a moves at b, b moves at a
        let [one, two] = [body.rigid_answer(at, pushed, step), body.rigid_answer(pushed, at, step).transpose()];
        assert!((0..3).all(|n| (one.col(n) - two.col(n)).length() < 1e-22), "{one} {two}");
    }

    #[test]
    fn long_steps_shift_as_implicit_euler_does() {
        let body = solid(1e-6, true);
        assert_eq!(body.slowest, 500.0);
        for (step, part) in [(1e-4, 0.5), (4e-3, 1.0)] {
            assert!((body.shift(step) / (step * step) - part).abs() < 1e-12, "{step}");
        }
    }

    /// Compliance beyond the modes is what was put there.
    #[test]
    fn what_modes_leave_out_is_the_rest_of_the_compliance() {
        let body = solid(2e-6, false);
        let Form::Modes(modes) = &body.form else { unreachable!() };
        for own in &modes.own {
            assert!((0..3).all(|n| (own.col(n) - Vec3::AXES[n] * 2e-6).length() < 1e-18), "{own}");
        }
        let known = basis(0.0, true);
        let Compliance::Full(list) = &known.compliance else { unreachable!() };
        // node 2 against node 1: rows 6 to 8, columns 3 to 5
        let entry = |i: usize, j: usize| list[(6 + i) * (7 + i) / 2 + 3 + j];
        let lasting = modes.lasting(2, 1);
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            assert!((lasting.col(j)[i] - entry(i, j)).abs() < 1e-20);
        }
    }

    #[test]
    fn a_node_reaches_no_farther_than_its_modes() {
        let body = solid(1e-6, true);
        let Form::Modes(modes) = &body.form else { unreachable!() };
        let coordinates = [0.3, -0.2, 0.5, 0.1];
        let size = coordinates.iter().map(|q| q * q).sum::<f64>().sqrt();
        for node in 0..4 {
            let along =
                |axis: usize| modes.row(3 * node + axis).iter().zip(coordinates).map(|(x, q)| x * q).sum::<f64>();
            let moved = Vec3::new(along(0), along(1), along(2)).length();
            assert!(moved <= modes.reaches[node] * size && modes.reaches[node] <= modes.reach, "{node}: {moved}");
        }
        // the inertia of what they move, and what centrifugal forces of a step add to it
        let moved = body.inertia_with(Kernel::default(), &coordinates);
        let own: f64 = (0..4).map(|n| modes.moment_of(n)[5] * coordinates[n]).sum();
        assert!((moved.col(0).y - body.inertia.col(0).y - own).abs() < 1e-15);
        let bulge: f64 = (0..4).map(|n| modes.moment_of(n)[0] * modes.swing.rows[4][n] * modes.moment_of(n)[5]).sum();
        assert!((modes.swing.bulge[0][5] - bulge).abs() < 1e-18 && modes.swing.step == SAMPLE);
    }
}
