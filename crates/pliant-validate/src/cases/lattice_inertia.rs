//! Mass, centre of mass and inertia of particles against those of the solids they represent.

use pliant::lattice::solid::{
    Cell, Cells, MassRule, Moments, Particles, Rings, brick, frustum, polyhedron_surface, russian_doll,
};
use pliant::math::{Mat3, Vec3};

use super::lattice_worlds::cut;
use super::references_particles::{Polyhedron, particles};
use super::{Case, Sheet, largest};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_lattice("inertia", inertia),
    Case::of_lattice("nine-particle-box", nine_particles),
    Case::of_lattice("five-particle-rule", five_particles),
];

/// Both are sums of about a hundred products: only rounding remains.
const ROUNDING: f64 = 1e-12;

const RULES: [(MassRule, &str); 3] = [
    (MassRule::Exact, "exact"),
    (MassRule::SymmetricExact, "symmetric and exact"),
    (MassRule::Approximate, "approximate"),
];

fn moments_of(cells: &Cells, rule: MassRule) -> Option<(Moments, usize)> {
    let particles = Particles::new(cells, 1.0, rule).ok()?;
    Some((particles.moments(), particles.masses.len()))
}

/// The largest of the relative errors of mass, centre and inertia.
fn off(found: &Moments, truth: &Moments) -> f64 {
    let mass = (found.volume / truth.volume - 1.0).abs();
    let centre = (found.centre - truth.centre).length() / truth.volume.cbrt();
    [mass, centre, found.inertia_error(truth)].into_iter().fold(0.0, f64::max)
}

/// The solids of the reference as cells, placed as there.
fn solids() -> Vec<(&'static str, &'static str, Cells)> {
    let tetrahedron = |corners: [[f64; 3]; 4]| {
        let cells = Cells::new(corners.map(Vec3::from_array).to_vec(), vec![Cell::Tetrahedron([0, 1, 2, 3])]);
        cells.unwrap_or_else(|e| unreachable!("a tetrahedron: {e}"))
    };
    let right = tetrahedron([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let edge = 0.125_f64.sqrt();
    let signs = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let mut regular = signs.map(|corner| corner.map(|x| x * edge));
    regular.swap(1, 2);
    let moved = |cells: Cells, by: Vec3| cells.moved(|p| p + by);
    let cube = |counts| moved(cut(brick(Vec3::ONE, counts)), Vec3::splat(0.5));
    let size = Vec3::new(1.0, 2.0, 3.0);
    let rings = Rings { per_edge: 2, rings: 2 };
    let corner = |n: usize| Vec3::new((n & 1) as f64, (n >> 1 & 1) as f64, (n >> 2) as f64);
    let corners: Vec<Vec3> = (0..8).map(corner).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [1, 3, 7, 5], [3, 2, 6, 7], [2, 0, 4, 6]].map(Vec::from);
    let shells = polyhedron_surface(&corners, &faces, rings).and_then(|surface| russian_doll(&surface, 3));
    let pyramid = frustum(4, [2.0_f64.sqrt(), 0.5_f64.sqrt()], 1.0, rings, 3);
    vec![
        ("regular_tetrahedron_edge1", "a regular tetrahedron", tetrahedron(regular)),
        ("right_tetrahedron_0_x_y_z", "a right tetrahedron", right),
        ("unit_cube", "a cube of one cell", cube([1; 3])),
        ("unit_cube", "a cube of 2 by 3 by 4", cube([2, 3, 4])),
        ("unit_cube", "a cube of shells", cut(shells)),
        ("box_1x2x3", "a box", moved(cut(brick(size, [1, 2, 3])), 0.5 * size)),
        ("frustum_base2_top1_h1", "a frustum", moved(cut(pyramid), Vec3::Z * 0.5)),
    ]
}

fn known(polyhedron: &Polyhedron) -> Moments {
    let inertia = Mat3::from_cols_array_2d(&polyhedron.inertia_about_centroid);
    Moments { volume: polyhedron.volume, centre: Vec3::from_array(polyhedron.centroid), inertia }
}

/// Every division of a solid and every rule.
fn inertia(sheet: &mut Sheet) {
    let references = particles().polyhedra_unit_density;
    for (key, name, cells) in solids() {
        let Some(truth) = references.get(key).map(known) else { continue };
        for (rule, how) in RULES {
            // the approximate rule is exact for boxes and tetrahedra; other cells here are nearly parallelepipeds, and
            // off by the square of their deviation times their weight: 5e-6
            let even =
                cells.cells().iter().all(|c| matches!(c, Cell::Tetrahedron(_))) || key != "frustum_base2_top1_h1";
            let exact = rule != MassRule::Approximate || (even && !name.contains("shells"));
            let (found, count) = moments_of(&cells, rule).unwrap_or((Moments::ZERO, 0));
            let tolerance = if exact { ROUNDING } else { 1e-4 };
            let text = format!("mass, centre and inertia of {name}, {how}");
            sheet.scaled(text, count, [off(&found, &truth), 0.0, 1.0], tolerance);
        }
    }
}

/// A box of one cell: M/24 at its corners and 2M/3 at its centre, from I_xx = M (b^2 + c^2)/12 = 8 m (b^2 + c^2)/4.
fn nine_particles(sheet: &mut Sheet) {
    let cells = cut(brick(Vec3::new(1.0, 2.0, 3.0), [1; 3]));
    let Ok(found) = Particles::new(&cells, 1.0, MassRule::Approximate) else { return };
    let (smallest, largest) = found.masses.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), m| (a.min(*m), b.max(*m)));
    sheet.relative("mass at a corner of a box / M", found.masses.len(), smallest / 6.0, 1.0 / 24.0, ROUNDING);
    sheet.relative("mass in its centre / M", found.masses.len(), largest / 6.0, 2.0 / 3.0, ROUNDING);
}

/// Moments of a tetrahedron by 4-point quadrature, exact for degree 2: at (5 + 3 sqrt 5)/20 from one corner and (5 -
/// sqrt 5)/20 from the others, each with a quarter of the volume.
fn by_quadrature(corners: [Vec3; 4]) -> Moments {
    let root = 5.0_f64.sqrt();
    let (near, far) = ((5.0 + 3.0 * root) / 20.0, (5.0 - root) / 20.0);
    let [a, b, c, d] = corners;
    let volume = (b - a).cross(c - a).dot(d - a) / 6.0;
    let sum = a + b + c + d;
    let points = corners.map(|corner| corner * (near - far) + sum * far);
    Moments::of_points(&points, &[volume / 4.0; 4])
}

/// M/20 at the corners and 4M/5 at the centre of random tetrahedra.
fn five_particles(sheet: &mut Sheet) {
    let mut seed = 3_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
    };
    let (mut worst, mut count) = (0.0_f64, 0);
    while count < 200 {
        let corners: [Vec3; 4] = std::array::from_fn(|_| Vec3::new(random(), random(), random()));
        let truth = by_quadrature(corners);
        // slivers lose digits by their shape alone
        if truth.volume < 1e-2 {
            continue;
        }
        let found = Cells::new(corners.to_vec(), vec![Cell::Tetrahedron([0, 1, 2, 3])]).ok();
        let found = found.and_then(|cells| moments_of(&cells, MassRule::Approximate));
        worst = largest([worst, found.map_or(f64::NAN, |(found, _)| off(&found, &truth))]);
        count += 1;
    }
    sheet.scaled("mass, centre and inertia of 200 random tetrahedra", 5, [worst, 0.0, 1.0], ROUNDING);
}
