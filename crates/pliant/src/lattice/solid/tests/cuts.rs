//! Solids cut into cells.

use super::*;

const TWICE: Rings = Rings { per_edge: 2, rings: 3 };

#[test]
fn bricks() {
    check_cut(&brick(Vec3::new(1.0, 2.0, 3.0), [2, 3, 1]).unwrap(), 6.0);
    let middle = |s: f64| 0.5 + 4.0 * (s - 0.5).powi(3);
    // a strictly rising one: the cube alone has no slope in the middle
    let bounds = grading(2.0, 10, |s| 0.9 * middle(s) + 0.1 * s).unwrap();
    assert_eq!((bounds[0], bounds[10]), (-1.0, 1.0));
    assert!(bounds[5] - bounds[4] < 0.3 * (bounds[1] - bounds[0]));
    check_cut(&graded_brick([&bounds, &[0.0, 1.0], &[-1.0, 0.0, 2.0]]).unwrap(), 6.0);
    assert!(matches!(brick(Vec3::new(1.0, 0.0, 1.0), [1; 3]), Err(DiscretiseError::Size { .. })));
    assert!(matches!(brick(Vec3::ONE, [1, 0, 1]), Err(DiscretiseError::TooFew { .. })));
    assert!(matches!(brick(Vec3::ONE, [usize::MAX; 3]), Err(DiscretiseError::TooMany { .. })));
    assert!(matches!(brick(Vec3::ONE, [3000; 3]), Err(DiscretiseError::TooMany { .. })));
    assert!(matches!(grading(1.0, 4, |s| s * (1.5 - s)), Err(DiscretiseError::NotRising { .. })));
    assert!(matches!(
        graded_brick([&[0.0, f64::NAN], &[0.0, 1.0], &[0.0, 1.0]]),
        Err(DiscretiseError::NotRising { .. })
    ));
}

/// Both cuts into five and the others: numbers, and volumes that are positive and add up to the cell's.
#[test]
fn tetrahedra_of_cells() {
    let c = unit_cube();
    let two = brick(Vec3::ONE, [2, 1, 1]).unwrap();
    assert_ne!(two.is_even(0), two.is_even(1));
    let solids = [
        (two, [5, 24]),
        (Cells::new(vec![c[0], c[1], c[3], c[4], c[5], c[7]], vec![Cell::Wedge([0, 1, 2, 3, 4, 5])]).unwrap(), [3, 14]),
        (Cells::new(vec![c[0], c[1], c[3], c[4], c[5], c[7]], vec![Cell::Wedge([4, 3, 5, 1, 0, 2])]).unwrap(), [3, 14]),
        (Cells::new(vec![c[0], c[1], c[2], c[3], c[6]], vec![Cell::Pyramid([0, 1, 2, 3, 4])]).unwrap(), [2, 8]),
        (Cells::new(vec![c[0], c[1], c[3], c[4]], vec![Cell::Tetrahedron([0, 1, 2, 3])]).unwrap(), [1, 1]),
    ];
    for (cells, counts) in solids {
        for cell in 0..cells.cells().len() {
            for (cut, count) in [Cut::Plain, Cut::Centred].into_iter().zip(counts) {
                let volumes: Vec<f64> =
                    cells.tetrahedra_points(cell, cut).iter().map(|t| Moments::of_tetrahedron(*t).volume).collect();
                assert_eq!(volumes.len(), count);
                assert!(volumes.iter().all(|v| *v > 0.0));
                assert!((volumes.iter().sum::<f64>() - cells.volume(cell)).abs() < 1e-15);
            }
        }
    }
}

/// Corners of a regular polygon of radius 1.
fn regular(sides: usize) -> Vec<Vec3> {
    (0..sides)
        .map(|i| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / sides as f64).sin_cos();
            Vec3::new(cos, sin, 0.0)
        })
        .collect()
}

/// Area of a regular polygon of radius 1.
fn area(sides: usize) -> f64 {
    let n = sides as f64;
    0.5 * n * (std::f64::consts::TAU / n).sin()
}

#[test]
fn polygons() {
    for sides in [3, 4, 5, 6, 12] {
        let patch = polygon(&regular(sides), TWICE).unwrap();
        let mesh = patch.triangles();
        let areas = mesh.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            (b - a).cross(c - a).z / 2.0
        });
        assert!(areas.clone().all(|a| a > 0.0));
        assert!((areas.sum::<f64>() / area(sides) - 1.0).abs() < 1e-14);
        // four corners: a grid of 3 by 3; otherwise the centre and three rings of two points per edge
        let points = if sides == 4 { 9 } else { 1 + 3 * 2 * sides };
        assert_eq!(patch.points.len(), points);
        let quads = patch.facets.iter().filter(|f| matches!(f, Facet::Quad(_))).count();
        assert_eq!(quads, if sides == 4 { 4 } else { 2 * 2 * sides });
    }
    // rings close in on the centre of area, not on the mean of the corners
    let corners = [[0., 0.], [3., 0.], [3., 2.], [1., 2.], [0., 1.]].map(|[x, y]| Vec3::new(x, y, 0.0));
    let centre = polygon(&corners, TWICE).unwrap().points[0];
    // 3 by 2 less a triangle of area 1/2 at (1/3, 5/3): (9 - 1/6, 6 - 5/6)/5.5
    assert!(centre.distance(Vec3::new(9.0 - 1.0 / 6.0, 6.0 - 5.0 / 6.0, 0.0) / 5.5) < 1e-14);
    let bent: Vec<Vec3> = regular(5).iter().map(|p| Vec3::new(p.x, p.y, 0.1 * p.x * p.y)).collect();
    assert!(matches!(polygon(&bent, TWICE), Err(DiscretiseError::NotPlane { .. })));
    let mut dented = regular(6);
    dented[2] *= 0.1;
    assert!(matches!(polygon(&dented, TWICE), Err(DiscretiseError::NotConvex { corner: 2, .. })));
    let star: Vec<Vec3> = (0..5).map(|i| regular(5)[2 * i % 5]).collect();
    assert!(matches!(polygon(&star, TWICE), Err(DiscretiseError::NotConvex { .. })));
    assert!(matches!(polygon(&[Vec3::ZERO, Vec3::X, Vec3::X * 2.0], TWICE), Err(DiscretiseError::NoArea)));
    assert!(matches!(polygon(&[Vec3::NAN, Vec3::X, Vec3::Y], TWICE), Err(DiscretiseError::NoArea)));
}

/// An octahedron and a prism with a roof, as triangles and as polygons.
#[test]
fn russian_dolls() {
    let corners = [Vec3::X, Vec3::Y, -Vec3::X, -Vec3::Y, Vec3::Z, -Vec3::Z].map(|v| v * 1.5 + Vec3::new(3.0, 2.0, 1.0));
    let mut triangles = vec![];
    for i in 0..4 {
        let j = (i + 1) % 4;
        triangles.extend([[i, j, 4], [j, i, 5]]);
    }
    let mesh = Mesh { vertices: corners.to_vec(), triangles };
    let volume = 4.0 / 3.0 * 1.5f64.powi(3);
    for shells in [1, 2, 4] {
        let cells = russian_doll(&Patch::from(&mesh), shells).unwrap();
        assert_eq!(cells.cells().len(), 8 * shells);
        check_cut(&cells, volume);
    }
    // a house of 2 by 3: walls of 1, roof up to 2: 2 3 1 + 2 3 1 / 2
    let house: Vec<Vec3> = [0.0, 3.0]
        .iter()
        .flat_map(|y| [[0., 0.], [2., 0.], [2., 1.], [1., 2.], [0., 1.]].map(|[x, z]| Vec3::new(x, *y, z)))
        .collect();
    let mut faces = vec![vec![0, 1, 2, 3, 4], vec![9, 8, 7, 6, 5]];
    faces.extend((0..5u32).map(|i| vec![i, i + 5, (i + 1) % 5 + 5, (i + 1) % 5]));
    for cut in [Rings { per_edge: 1, rings: 1 }, TWICE] {
        let surface = polyhedron_surface(&house, &faces, cut).unwrap();
        check_cut(&russian_doll(&surface, 3).unwrap(), 9.0);
    }
}

#[test]
fn surfaces_without_a_centre_are_refused() {
    let mut open = box_mesh(Vec3::ZERO, Vec3::ONE);
    open.triangles.pop();
    assert!(matches!(russian_doll(&Patch::from(&open), 2), Err(DiscretiseError::NotClosed { edges: 3, .. })));
    let mut inverted = box_mesh(Vec3::ZERO, Vec3::ONE);
    inverted.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert!(matches!(russian_doll(&Patch::from(&inverted), 2), Err(DiscretiseError::NotStar { .. })));
    // an L: its arms see each other, its centre does not see all
    let l = [[0., 0.], [3., 0.], [3., 0.5], [0.5, 0.5], [0.5, 3.], [0., 3.]].map(|[x, y]| Vec3::new(x, y, 0.0));
    let facets = vec![Facet::Quad([0, 1, 2, 3]), Facet::Quad([0, 3, 4, 5])];
    let bottom = Patch { points: l.to_vec(), facets };
    let top: Vec<Vec3> = l.iter().map(|p| *p + Vec3::Z).collect();
    let swept = sweep(&bottom, &top, 2).unwrap();
    check_cut(&swept, 2.75);
    let surface = check_mesh(&swept.outer_facets(QuadCut::Diagonal).mesh, &MeshLimits::default()).unwrap().mesh;
    assert!(matches!(russian_doll(&Patch::from(&surface), 2), Err(DiscretiseError::NotStar { .. })));
}

#[test]
fn prisms_and_frusta() {
    for sides in [3, 4, 5, 6, 24] {
        check_cut(&prism(sides, 0.5, 2.0, TWICE, 3).unwrap(), area(sides) * 0.25 * 2.0);
        // Heron: h/3 (A + sqrt(A B) + B)
        let volume = area(sides) * 3.0 / 3.0 * (1.0 + 0.5 + 0.25);
        check_cut(&frustum(sides, [1.0, 0.5], 3.0, TWICE, 2).unwrap(), volume);
    }
    // references/particles.json, frustum_base2_top1_h1: edges are radii times sqrt 2
    let r = 2f64.sqrt();
    let m = frustum(4, [r, r / 2.0], 1.0, TWICE, 2).unwrap().moments(Cut::Plain);
    assert!((m.volume - 2.3333333333333335).abs() < 1e-12);
    assert!((m.centre.z + 0.5 - 0.3928571428571428).abs() < 1e-12);
    assert!((m.inertia.x_axis.x - 0.6898809523809524).abs() < 1e-12);
    assert!((m.inertia.z_axis.z - 1.0333333333333332).abs() < 1e-12);
    let square = polygon(&regular(4), TWICE).unwrap();
    assert!(matches!(sweep(&square, &regular(4), 1), Err(DiscretiseError::Unequal { bottom: 9, top: 4 })));
    assert!(matches!(sweep(&square, &square.points, 1), Err(DiscretiseError::Cells(CellError::Volume { .. }))));
    assert!(prism(2, 1.0, 1.0, TWICE, 1).is_err() && frustum(5, [1.0, 0.0], 1.0, TWICE, 1).is_err());
    assert!(prism(usize::MAX, 1.0, 1.0, TWICE, 1).is_err() && prism(5, 1.0, 1.0, TWICE, usize::MAX).is_err());
}

/// A bar bent to an arc of one radian: the inertia of the bent material in closed form, against what the cut promises.
#[test]
fn cells_are_doubled_until_the_inertia_is_kept() {
    let radius = 2.0;
    let size = Vec3::new(radius, 0.3, 0.2);
    // a plane section at x turns by x/radius about an axis at distance radius; y is the depth
    let arc = Flexion { along: 0, away: 1, length: radius, bend: 1.0, twist: 0.0 };
    let bend = |p: Vec3| arc.moved(p);
    // with a = (radius + y): mean a2 = R2 + h2/12; of the angle t in +-1/2: means of sin2 and cos2, and of cos
    let a2 = radius * radius + 0.3 * 0.3 / 12.0;
    let (sin2, cos_mean) = (0.5 - 0.5 * 1f64.sin(), 2.0 * 0.5f64.sin());
    let (xx, yy, zz) = (a2 * sin2, a2 * (1.0 - sin2) - (radius * cos_mean).powi(2), 0.2 * 0.2 / 12.0);
    let mass = size.x * size.y * size.z;
    let inertia = Mat3::from_diagonal(Vec3::new(yy + zz, xx + zz, xx + yy) * mass);
    let truth = Moments { volume: mass, centre: Vec3::Y * radius * (cos_mean - 1.0), inertia };
    for tolerance in [1e-2, 1e-3, 1e-4] {
        let refined = cells_for(|n| brick(size, [n, 1, 1]), bend, MassRule::Approximate, tolerance, 1000).unwrap();
        let particles = Particles::new(&refined.cells, 1.0, MassRule::Approximate).unwrap();
        let bent: Vec<Vec3> = particles.positions.iter().map(|p| bend(*p)).collect();
        let error = Moments::of_points(&bent, &particles.masses).inertia_error(&truth);
        println!("tolerance {tolerance}: {} cells, promised {:.3e}, is {error:.3e}", refined.fineness, refined.error);
        assert!(refined.error <= tolerance && error <= 1.2 * tolerance);
        assert!((error - refined.error).abs() < 0.2 * refined.error + 1e-15);
    }
    let never = cells_for(|n| brick(size, [n, 1, 1]), bend, MassRule::Exact, 0.0, 100);
    assert!(matches!(never, Err(RefineError::TooFine { .. })));
}

/// A bar twisted by two radians along z: sections of h by b are spread over all directions, so that their mean squares
/// A = h2/12 and B = b2/12 become (A + B)/2 +- (A - B)/2 sin(2)/2 with the mean of cos 2t over t from -1 to 1.
#[test]
fn a_twisted_bar_keeps_the_inertia_of_its_turned_sections() {
    let size = Vec3::new(0.6, 0.2, 2.0);
    let twist = Flexion { along: 2, away: 0, length: 2.0, bend: 0.0, twist: 2.0 };
    let (a, b, along) = (0.6 * 0.6 / 12.0, 0.2 * 0.2 / 12.0, 2.0 * 2.0 / 12.0);
    let spread = 0.5 * (a - b) * 2f64.sin() / 2.0;
    let (xx, yy) = (0.5 * (a + b) + spread, 0.5 * (a + b) - spread);
    let mass = size.x * size.y * size.z;
    let inertia = Mat3::from_diagonal(Vec3::new(yy + along, xx + along, xx + yy) * mass);
    let truth = Moments { volume: mass, centre: Vec3::ZERO, inertia };
    let refined = cells_for(|n| brick(size, [1, 1, n]), |p| twist.moved(p), MassRule::Approximate, 1e-4, 1000).unwrap();
    let particles = Particles::new(&refined.cells, 1.0, MassRule::Approximate).unwrap();
    let moved: Vec<Vec3> = particles.positions.iter().map(|p| twist.moved(*p)).collect();
    let error = Moments::of_points(&moved, &particles.masses).inertia_error(&truth);
    println!("{} cells, promised {:.3e}, is {error:.3e}", refined.fineness, refined.error);
    assert!(refined.fineness > 1 && error <= 1.2e-4 && (error - refined.error).abs() < 0.2 * refined.error);
    // plane sections stay so far apart as the arc is long, whatever the angles
    let both = Flexion { bend: 1.5, ..twist };
    let [p, q] = [-1.0, 1.0].map(|z| both.moved(Vec3::Z * z));
    // chord: 2 R sin(bend/2)
    assert!((p.distance(q) - 2.0 * (2.0 / 1.5) * 0.75f64.sin()).abs() < 1e-14);
    assert!(both.holds(1.3) && !both.holds(1.4));
}

/// Cells refined around a position: neighbours have the same ratio q on either side, and for n cells from there to the
/// end the refinement is q^n.
#[test]
fn cells_crowd_about_a_place() {
    let lengths = |bounds: &[f64]| bounds.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>();
    let cells = lengths(&grading(2.0, 8, crowded(2.0, -1.0, 5.0)).unwrap());
    assert!(cells.windows(2).all(|w| (w[1] / w[0] - 5f64.powf(1.0 / 8.0)).abs() < 1e-12), "{cells:?}");
    let both = lengths(&grading(2.0, 8, crowded(2.0, 0.0, 5.0)).unwrap());
    assert!(both[4..].windows(2).all(|w| (w[1] / w[0] - 5f64.powf(0.25)).abs() < 1e-12), "{both:?}");
    assert!((0..4).all(|i| (both[i] - both[7 - i]).abs() < 1e-12));
    let even = lengths(&grading(2.0, 4, crowded(2.0, 0.3, 1.0)).unwrap());
    assert!(even.iter().all(|h| (h - 0.5).abs() < 1e-15));
    // a place of its own: the ratio of lengths there and at the far end, as cells become many
    let many = lengths(&grading(2.0, 4000, crowded(2.0, 0.4, 10.0)).unwrap());
    let shortest = many.iter().copied().fold(f64::MAX, f64::min);
    assert!((many[0] / shortest / 10.0 - 1.0).abs() < 2e-3);
}

/// Rigid motion and uniform strain cost no accuracy; bending does, less with finer cells.
#[test]
fn errors_of_deformed_cells() {
    let strain = |p: Vec3| Vec3::new(1.2 * p.x + 0.1 * p.y, p.y - 0.3 * p.z, 0.8 * p.z) + Vec3::ONE;
    let taper = |p: Vec3| p * Vec3::new(1.0, 1.0 + 0.2 * p.x, 1.0 + 0.3 * p.x * p.y);
    for rule in [MassRule::SymmetricExact, MassRule::Exact, MassRule::Approximate] {
        let error = |n: usize, f: &dyn Fn(Vec3) -> Vec3| {
            let cells = brick(Vec3::ONE, [n; 3]).unwrap();
            inertia_error(&cells, &cells.moved(f), rule).unwrap()
        };
        assert!(error(2, &strain) < 1e-13);
        let errors = [1, 2, 4].map(|n| error(n, &taper));
        println!("{rule:?}: errors of a tapered cube in 1, 8, 64 cells {errors:?}");
        assert!(errors[1] < 0.5 * errors[0] && errors[2] < 0.5 * errors[1]);
    }
}
