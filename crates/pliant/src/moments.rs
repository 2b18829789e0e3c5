//! Mass properties of solids of unit density and of sets of point masses.

use crate::contact::Mesh;
use crate::math::{Mat3, Vec3};

/// Volume, centre and inertia matrix of a solid of unit density; of a body with mass, its mass in place of the volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Volume [m3], or mass [kg]; negative for a solid whose surface is oriented inwards.
    pub volume: f64,
    /// Centre of mass [m].
    pub centre: Vec3,
    /// Inertia matrix about the centre, for unit density [m5], or with mass [kg m2].
    pub inertia: Mat3,
}

impl Moments {
    /// The moments of nothing.
    pub const ZERO: Moments = Moments { volume: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO };

    /// Moments of a tetrahedron; the volume is positive where corner 3 sees corners 0, 1, 2 counter-clockwise.
    pub fn of_tetrahedron(corners: [Vec3; 4]) -> Moments {
        let mut sum = Integral::about(corners[0]);
        sum.add_tetrahedron(corners[1], corners[2], corners[3]);
        sum.moments()
    }

    /// Moments of the solid inside a closed mesh whose triangles are counter-clockwise seen from outside.
    ///
    /// Triangles that refer to missing vertices are ignored.
    pub fn of_mesh(mesh: &Mesh) -> Moments {
        Moments::of_triangles(&mesh.vertices, &mesh.triangles)
    }

    /// Moments of the solid inside a closed surface of triangles, given as for a mesh.
    pub(crate) fn of_triangles(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Moments {
        // far from the origin signed tetrahedra would cancel: measure from the middle of the mesh
        let mut sum = Integral::about(middle(vertices));
        for t in triangles {
            let corner = |i: usize| vertices.get(t[i] as usize).copied();
            if let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) {
                sum.add_tetrahedron(a, b, c);
            }
        }
        sum.moments()
    }

    /// Moments of point masses; points without a mass are ignored.
    pub fn of_points(points: &[Vec3], masses: &[f64]) -> Moments {
        Moments::of_pairs(points.iter().copied().zip(masses.iter().copied()))
    }

    /// Moments of point masses, given as pairs of position [m] and mass [kg].
    pub fn of_pairs(pairs: impl Iterator<Item = (Vec3, f64)> + Clone) -> Moments {
        let Some((origin, _)) = pairs.clone().next() else { return Moments::ZERO };
        let mass: f64 = pairs.clone().map(|(_, m)| m).sum();
        let first: Vec3 = pairs.clone().map(|(p, m)| m * (p - origin)).sum();
        let centre = origin + shift(first, mass);
        let second = pairs.map(|(p, m)| m * outer_product(p - centre)).fold(Mat3::ZERO, |a, b| a + b);
        Moments { volume: mass, centre, inertia: inertia_of(second) }
    }

    /// Moments of several solids as one, by the parallel axis theorem.
    pub fn sum(parts: impl IntoIterator<Item = Moments>) -> Moments {
        let parts: Vec<Moments> = parts.into_iter().collect();
        let Some(origin) = parts.first().map(|p| p.centre) else { return Moments::ZERO };
        let volume: f64 = parts.iter().map(|p| p.volume).sum();
        let first: Vec3 = parts.iter().map(|p| p.volume * (p.centre - origin)).sum();
        let centre = origin + shift(first, volume);
        let inertia = parts.iter().map(|p| p.inertia_about(centre)).fold(Mat3::ZERO, |a, b| a + b);
        Moments { volume, centre, inertia }
    }

    /// The moments for `factor` times the density: with the density [kg/m3], mass [kg] and inertia [kg m2].
    pub fn scaled(&self, factor: f64) -> Moments {
        Moments { volume: factor * self.volume, centre: self.centre, inertia: self.inertia * factor }
    }

    /// Inertia matrix about a point: I + V (|d|2 1 - d dT), d the offset of the point from the centre.
    pub fn inertia_about(&self, point: Vec3) -> Mat3 {
        self.inertia + inertia_of(outer_product(point - self.centre) * self.volume)
    }

    /// Relative error of the inertia matrix: Frobenius norm of the difference over that of `truth`.
    pub fn inertia_error(&self, truth: &Moments) -> f64 {
        let norm = |m: Mat3| m.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
        norm(self.inertia - truth.inertia) / norm(truth.inertia)
    }
}

/// Integrals of 1, x and x xT over signed tetrahedra with one corner in common.
struct Integral {
    origin: Vec3,
    zeroth: f64,
    first: Vec3,
    second: Mat3,
}

impl Integral {
    fn about(origin: Vec3) -> Integral {
        Integral { origin, zeroth: 0.0, first: Vec3::ZERO, second: Mat3::ZERO }
    }

    /// For corners a, b, c relative to the fourth: V = a x b . c / 6, the centre is at s/4 with s = a + b + c, and the
    /// integral of x xT is V/20 (a aT + b bT + c cT + s sT).
    fn add_tetrahedron(&mut self, a: Vec3, b: Vec3, c: Vec3) {
        let (a, b, c) = (a - self.origin, b - self.origin, c - self.origin);
        let volume = a.cross(b).dot(c) / 6.0;
        let s = a + b + c;
        self.zeroth += volume;
        self.first += volume / 4.0 * s;
        let squares = outer_product(a) + outer_product(b) + outer_product(c) + outer_product(s);
        self.second += squares * (volume / 20.0);
    }

    fn moments(&self) -> Moments {
        let d = shift(self.first, self.zeroth);
        let second = self.second - outer_product(d) * self.zeroth;
        Moments { volume: self.zeroth, centre: self.origin + d, inertia: inertia_of(second) }
    }
}

/// The inertia matrix tr(S) 1 - S from the second moments S, the integral of x xT.
fn inertia_of(second: Mat3) -> Mat3 {
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    Mat3::from_diagonal(Vec3::splat(trace)) - second
}

/// Frobenius inner product of two matrices.
pub fn inner(a: Mat3, b: Mat3) -> f64 {
    a.to_cols_array().iter().zip(b.to_cols_array()).map(|(x, y)| x * y).sum()
}

/// The matrix v vT.
fn outer_product(v: Vec3) -> Mat3 {
    Mat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// A first moment divided by the mass; zero where there is no mass.
fn shift(first: Vec3, mass: f64) -> Vec3 {
    if mass == 0.0 { Vec3::ZERO } else { first / mass }
}

/// Centre of the bounding box of some points.
fn middle(points: &[Vec3]) -> Vec3 {
    let [low, high] = bounds(points);
    if points.is_empty() { Vec3::ZERO } else { low * 0.5 + high * 0.5 }
}

/// Lower and upper corner of the bounding box of some points.
pub fn bounds(points: &[Vec3]) -> [Vec3; 2] {
    points.iter().fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], p| [low.min(*p), high.max(*p)])
}
