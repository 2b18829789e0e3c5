//! Joukhadar's Fig. 7 and section 4.2.3: inertia of a solid represented by particles.

use pliant::lattice::solid::{
    Cell, Cells, Cut, MassRule, Moments, Particles, brick, moved_vertex_errors, random_hexahedra_errors,
};
use pliant::math::Vec3;

use super::Results;
use super::lattice_pictures::{Chart, Panel, Series};
use crate::Failure;
use pliant_record::short;

/// Number of trials in the paper.
const TRIALS: usize = 10_000;

/// A truncated pyramid: base 2 m, top 1 m, height 1 m, as in references/particles.json.
fn frustum() -> Result<Cells, Failure> {
    let ring = |half: f64, z: f64| {
        [[-half, -half], [half, -half], [half, half], [-half, half]].map(|[x, y]| Vec3::new(x, y, z))
    };
    let corners = [ring(1.0, 0.0), ring(0.5, 1.0)].concat();
    Cells::new(corners, vec![Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7])]).map_err(|e| Failure::Run(e.to_string()))
}

/// Equal masses at those points of a regular grid that lie in a solid, with `n` along the longest edge: their number
/// and moments. The grid reaches from wall to wall if `whole`, else it consists of the centres of cells.
fn regular(low: Vec3, size: Vec3, n: usize, whole: bool, inside: impl Fn(Vec3) -> bool) -> (usize, Moments) {
    let edge = size.max_element() / if whole { n - 1 } else { n } as f64;
    let counts = (size / edge).to_array().map(|c| c.round() as usize + usize::from(whole));
    let mut points = vec![];
    for i in 0..counts[0] {
        for j in 0..counts[1] {
            for k in 0..counts[2] {
                let at = Vec3::new(i as f64, j as f64, k as f64) + if whole { 0.0 } else { 0.5 };
                let point = low + at * edge;
                if inside(point) {
                    points.push(point);
                }
            }
        }
    }
    let masses = vec![1.0 / points.len() as f64; points.len()];
    (points.len(), Moments::of_points(&points, &masses))
}

fn per_mass(moments: Moments) -> Moments {
    moments.scaled(1.0 / moments.volume)
}

/// Fig. 7 and the random hexahedra.
pub fn inertia(results: &mut Results) -> Result<(), Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::Run(e.to_string());
    results.choice(
        "error",
        "Frobenius norm of the difference of inertia matrices about the centre, over that of the true one",
    );
    results.choice(
        "regular discretisation",
        "points of a regular grid that are in the solid, all of the same mass: from wall to wall, as the points of Fig. 2, and \
         in the middle of cells beside it; the solid of Fig. 7 is not named",
    );
    results.choice(
        "random hexahedra",
        "a cube whose corners move by up to a part of its edge in each coordinate; how random the paper's are is not said. 0.3 \
         edges are in the table since the size of the matrix then comes near the paper's figure; the matrix itself does not at any",
    );
    let cube = brick(Vec3::ONE, [1; 3]).map_err(|e| failed(&e))?;
    let cube_truth = per_mass(cube.moments(Cut::Centred));
    let frustum = frustum()?;
    let frustum_truth = per_mass(frustum.moments(Cut::Centred));
    let e = 1e-9;
    let in_frustum = |p: Vec3| {
        let half = 1.0 - 0.5 * p.z + e;
        p.x.abs() <= half && p.y.abs() <= half
    };
    let sizes = [2usize, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65];
    let (mut walls, mut middles, mut slanted) = (vec![], vec![], vec![]);
    for n in sizes {
        let (count, found) = regular(Vec3::splat(-0.5), Vec3::ONE, n, true, |_| true);
        walls.push([count as f64, found.inertia_error(&cube_truth)]);
        let (count, found) = regular(Vec3::splat(-0.5), Vec3::ONE, n, false, |_| true);
        middles.push([count as f64, found.inertia_error(&cube_truth)]);
        let (count, found) = regular(Vec3::new(-1.0, -1.0, 0.0), Vec3::new(2.0, 2.0, 1.0), 2 * n - 1, true, in_frustum);
        slanted.push([count as f64, found.inertia_error(&frustum_truth)]);
    }
    let mut marks = vec![];
    for (rule, name) in [
        (MassRule::Approximate, "symmetric approximative"),
        (MassRule::Exact, "non-symmetric exact"),
        (MassRule::SymmetricExact, "symmetric exact"),
    ] {
        let count = match rule {
            MassRule::Approximate => 9,
            MassRule::Exact => 13,
            MassRule::SymmetricExact => 39,
        };
        for (solid, cells) in [("cube", &cube), ("frustum", &frustum)] {
            let particles = Particles::new(cells, 1.0, rule).map_err(|e| failed(&e))?;
            let error = per_mass(particles.moments()).inertia_error(&per_mass(cells.moments(rule.cut())));
            if solid == "cube" {
                let ours = particles.masses.len() as f64;
                results.number(format!("{name} method: particles of a hexahedron"), "-", f64::from(count), ours);
            }
            let bound = if rule == MassRule::Approximate { 1e-2 } else { 1e-12 };
            let quantity = format!("{name} method: error of the inertia of a {solid}, below {bound:.0e}");
            results.statement(quantity, "-", error, error < bound);
            marks.push([particles.masses.len() as f64, error.max(FLOOR)]);
        }
    }
    for (name, found) in [("cube, from wall to wall", &walls), ("cube, in cells", &middles), ("frustum", &slanted)] {
        let below = found.iter().find(|p| p[1] < 0.01).map(|p| p[0]);
        let most = found.last().map_or(f64::NAN, |p| p[0]);
        let (words, count) = below.map_or(("still above it with", most), |count| ("reached with", count));
        let text = format!("regular, {name}: \"a large number of particles\" for 1 %, {words}");
        results.statement(text, "-", count, count > 39.0);
        let list: Vec<String> = found.iter().map(|p| format!("{}: {}", p[0], short(p[1]))).collect();
        results.remark(format!("Regular, {name}; particles and error: {}.", list.join(", ")));
    }
    random(results);
    let series = |label: &str, points: Vec<[f64; 2]>, marks: bool| Series { label: label.into(), points, marks };
    let chart = Chart {
        title: "Error of the inertia matrix (Fig. 7)".into(),
        label: "number of particles".into(),
        log: true,
        panels: vec![Panel {
            label: "relative error; what is exact is drawn at 1e-5".into(),
            log: true,
            series: vec![
                series("regular grid, cube, from wall to wall", walls, false),
                series("regular grid, cube, in the middle of cells", middles, false),
                series("regular grid, frustum, from wall to wall", slanted, false),
                series("ours: 9, 13 and 39 particles, cube and frustum", marks, true),
            ],
        }],
    };
    results.pictures.push(("003-inertia".into(), chart.svg()));
    Ok(())
}

/// Value drawn for an error of zero.
const FLOOR: f64 = 1e-5;

/// Section 4.2.3: ten thousand random hexahedra, and one moved corner.
fn random(results: &mut Results) {
    for amplitude in [0.05, 0.1, 0.2, 0.3] {
        let s = random_hexahedra_errors(TRIALS, amplitude, 1);
        let text = format!("9 particles, 10,000 hexahedra, corners moved by up to {amplitude} edges: mean error");
        if amplitude == 0.1 || amplitude == 0.3 {
            results.number(text, "-", 0.0003, s.mean);
            results.number("the same of the size (norm) of the matrix alone", "-", 0.0003, s.mean_of_size);
        } else {
            results.remark(format!(
                "{text} {}, of its size {}, largest {}, left out {}.",
                short(s.mean),
                short(s.mean_of_size),
                short(s.max),
                s.left_out
            ));
        }
    }
    for (rule, count) in [(MassRule::Approximate, 9), (MassRule::Exact, 13), (MassRule::SymmetricExact, 39)] {
        let s = moved_vertex_errors(TRIALS, 0.1, rule, 1);
        results.number(
            format!("{count} particles, one corner moved by 10 % of the edge: error grows by"),
            "-",
            0.001,
            s.mean,
        );
        results.number("the same of the size of the matrix alone", "-", 0.001, s.mean_of_size);
    }
}
