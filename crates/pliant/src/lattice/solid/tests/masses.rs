//! Moments and masses.

use super::*;
use crate::math::Quat;

/// Solids of references/particles.json, polyhedra_unit_density: volume, centre, diagonal of the inertia matrix and the
/// three equal entries off the diagonal.
fn references() -> Vec<(Mesh, f64, Vec3, Vec3, f64)> {
    let tetra =
        |v: [Vec3; 4]| Mesh { vertices: v.to_vec(), triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] };
    // alternate corners of a cube of edge 1/sqrt 2
    let half = 0.5 / 2f64.sqrt();
    let regular = [[1., 1., 1.], [-1., 1., -1.], [1., -1., -1.], [-1., -1., 1.]].map(|c| Vec3::from_array(c) * half);
    let mut frustum = box_mesh(Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, 1.0, 1.0));
    frustum.vertices.iter_mut().filter(|v| v.z > 0.5).for_each(|v| *v = Vec3::new(v.x / 2.0, v.y / 2.0, v.z));
    let ix = 0.6898809523809524;
    vec![
        (tetra(regular), 0.11785113019775789, Vec3::ZERO, Vec3::splat(0.005892556509887894), 0.0),
        (
            tetra([Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]),
            0.16666666666666666,
            Vec3::splat(0.25),
            Vec3::splat(0.0125),
            0.002083333333333333,
        ),
        (box_mesh(Vec3::ZERO, Vec3::ONE), 1.0, Vec3::splat(0.5), Vec3::splat(1.0 / 6.0), 0.0),
        (box_mesh(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)), 6.0, Vec3::new(0.5, 1.0, 1.5), Vec3::new(6.5, 5.0, 2.5), 0.0),
        (frustum, 2.3333333333333335, Vec3::Z * 0.3928571428571428, Vec3::new(ix, ix, 1.0333333333333332), 0.0),
    ]
}

fn reference(volume: f64, centre: Vec3, diagonal: Vec3, off: f64) -> Moments {
    let all = Mat3::from_cols(Vec3::splat(off), Vec3::splat(off), Vec3::splat(off));
    let inertia = all + Mat3::from_diagonal(diagonal - off);
    Moments { volume, centre, inertia }
}

#[test]
fn moments_of_meshes_are_those_of_the_references() {
    for (mesh, volume, centre, diagonal, off) in references() {
        let truth = reference(volume, centre, diagonal, off);
        let got = Moments::of_mesh(&mesh);
        assert!(difference(&got, &truth) < 1e-12, "{got:?}");
        // and a thousand times its size away, where the cancellation of ten digits of the square is avoided
        let away = Vec3::new(1000.0, -2000.0, 500.0);
        let moved = Mesh { vertices: mesh.vertices.iter().map(|v| *v + away).collect(), ..mesh };
        let shifted = Moments { centre: centre + away, ..truth };
        assert!(difference(&Moments::of_mesh(&moved), &shifted) < 1e-11);
    }
}

#[test]
fn parts_add_up_to_the_whole() {
    let cells = brick(Vec3::new(1.0, 2.0, 3.0), [2, 3, 4]).unwrap();
    let truth = reference(6.0, Vec3::ZERO, Vec3::new(6.5, 5.0, 2.5), 0.0);
    for cut in [Cut::Plain, Cut::Centred] {
        assert!(difference(&cells.moments(cut), &truth) < 1e-12);
    }
    let about = truth.inertia_about(Vec3::X);
    assert!((about.x_axis.x - 6.5).abs() < 1e-14 && (about.y_axis.y - 11.0).abs() < 1e-14);
}

/// references/particles.json, five_particle_rule: 1/20 and 4/5, exact to 4e-16 over 200 random tetrahedra.
#[test]
fn five_particles_are_a_tetrahedron() {
    let mut next = numbers(3);
    let mut worst: f64 = 0.0;
    for _ in 0..200 {
        let mut corners = [(); 4].map(|()| vector(&mut next));
        if Moments::of_tetrahedron(corners).volume < 0.0 {
            corners.swap(0, 1);
        }
        let Ok(cells) = Cells::new(corners.to_vec(), vec![Cell::Tetrahedron([0, 1, 2, 3])]) else { continue };
        // by the surface, which does not know the rule
        let truth = Moments::of_mesh(&cells.outer_facets(QuadCut::Diagonal).mesh);
        // the volume of a flat tetrahedron is a small difference of products of its edges
        let flatness = 6.0 * truth.volume / corners.map(|c| c.distance(truth.centre)).iter().sum::<f64>().powi(3);
        for rule in [MassRule::SymmetricExact, MassRule::Exact, MassRule::Approximate] {
            let particles = Particles::new(&cells, 1.0, rule).unwrap();
            assert_eq!(particles.masses.len(), 5);
            let mass: f64 = particles.masses.iter().sum();
            for (m, part) in particles.masses.iter().zip([0.05, 0.05, 0.05, 0.05, 0.8]) {
                assert!((m / mass - part).abs() < 1e-15);
            }
            assert_eq!(particles.cells[0].tetrahedra, [TetraParticles { corners: [0, 1, 2, 3], centre: 4 }]);
            worst = worst.max(flatness * difference(&particles.moments(), &truth));
        }
    }
    println!("five particles: worst difference {worst:.2e}");
    assert!(worst < 1e-15);
}

/// references/particles.json, nine_particle_box: M/24 and 2M/3, exact for any box; and for any slanted one.
#[test]
fn nine_particles_are_a_box() {
    let slant = Mat3::from_cols(Vec3::new(1.0, 0.1, -0.2), Vec3::new(0.5, 2.0, 0.3), Vec3::new(-0.4, 0.2, 3.0));
    for map in [Mat3::IDENTITY, Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0)), slant] {
        let cells = hexahedron(unit_cube().map(|c| map * c)).unwrap();
        let particles = Particles::new(&cells, 1.0, MassRule::Approximate).unwrap();
        assert_eq!(particles.masses.len(), 9);
        for (mass, part) in particles.masses.iter().zip([1.0 / 24.0; 8].into_iter().chain([2.0 / 3.0])) {
            assert!((mass / map.determinant() - part).abs() < 1e-14);
        }
        assert!(difference(&particles.moments(), &cells.moments(Cut::Centred)) < 1e-14);
    }
}

/// Corners moved by up to a fifth of the edge: facets are no longer plane, so the truth is the solid of the method's
/// own tetrahedra, given by its surface of triangles: facets cut at their middles for 39, along diagonals for 13.
#[test]
fn exact_rules_are_exact_for_bent_hexahedra() {
    let mut next = numbers(11);
    let mut worst = [0.0f64; 2];
    for _ in 0..1000 {
        let turn = Quat::from_scaled_axis(vector(&mut next) * 3.0);
        let cells = hexahedron(unit_cube().map(|c| turn * (c + 0.2 * vector(&mut next)))).unwrap();
        let rules = [(MassRule::SymmetricExact, QuadCut::Centre, 39), (MassRule::Exact, QuadCut::Diagonal, 13)];
        for (worst, (rule, quads, count)) in worst.iter_mut().zip(rules) {
            let truth = Moments::of_mesh(&cells.outer_facets(quads).mesh);
            let particles = Particles::new(&cells, 1.0, rule).unwrap();
            assert_eq!((particles.masses.len(), particles.cells[0].rule), (count, rule));
            *worst = worst.max(difference(&particles.moments(), &truth));
        }
    }
    println!("39 and 13 particles: worst difference {worst:?}");
    assert!(worst.iter().all(|w| *w < 1e-12), "{worst:?}");
}

/// Wedges and pyramids of random shape, exact with 24, 9 and 15, 7 particles; approximated with 7 and 6.
#[test]
fn wedges_and_pyramids_keep_their_moments() {
    let mut next = numbers(5);
    let mut approximate = [0.0f64; 2];
    for _ in 0..300 {
        let c = unit_cube();
        let wedge = [c[0], c[1], c[3], c[4], c[5], c[7]].map(|v| v + 0.1 * vector(&mut next));
        let pyramid = [c[0], c[1], c[2], c[3], Vec3::Z].map(|v| v + 0.1 * vector(&mut next));
        let solids = [
            (Cells::new(wedge.to_vec(), vec![Cell::Wedge([0, 1, 2, 3, 4, 5])]).unwrap(), [24, 9, 7]),
            (Cells::new(pyramid.to_vec(), vec![Cell::Pyramid([0, 1, 2, 3, 4])]).unwrap(), [15, 7, 6]),
        ];
        for (k, (cells, counts)) in solids.iter().enumerate() {
            let rules = [MassRule::SymmetricExact, MassRule::Exact, MassRule::Approximate];
            for (rule, count) in rules.into_iter().zip(counts) {
                let quads = if rule == MassRule::Exact { QuadCut::Diagonal } else { QuadCut::Centre };
                let truth = Moments::of_mesh(&cells.outer_facets(quads).mesh);
                let particles = Particles::new(cells, 1.0, rule).unwrap();
                assert_eq!(particles.masses.len(), *count);
                let got = particles.moments();
                if rule == MassRule::Approximate {
                    approximate[k] = approximate[k].max(got.inertia_error(&truth));
                    assert!((got.volume - truth.volume).abs() < 1e-13);
                    assert!(got.centre.distance(truth.centre) < 1e-13);
                } else {
                    assert!(difference(&got, &truth) < 1e-12);
                }
            }
        }
    }
    println!("approximate wedge, pyramid: worst error {approximate:?}");
    assert!(approximate[0] < 0.2 && approximate[1] < 0.2);
}

/// The ratio between vertices and centre is the best: moving it either way makes the inertia worse.
#[test]
fn the_ratio_of_nine_particles_is_the_best() {
    let mut next = numbers(17);
    for _ in 0..50 {
        let cells = hexahedron(unit_cube().map(|c| c + 0.2 * vector(&mut next))).unwrap();
        let truth = cells.moments(Cut::Centred);
        let mut particles = Particles::new(&cells, 1.0, MassRule::Approximate).unwrap();
        let best = particles.moments().inertia_error(&truth);
        for factor in [0.999, 1.001] {
            let before = particles.masses.clone();
            particles.masses[..8].iter_mut().for_each(|m| *m *= factor);
            assert!(particles.moments().inertia_error(&truth) > best);
            particles.masses = before;
        }
    }
}

/// Bodies of many cells with common, bent facets: shared particles add up.
#[test]
fn whole_bodies_keep_their_moments() {
    let straight = brick(Vec3::new(2.0, 1.0, 0.5), [5, 4, 3]).unwrap();
    let bent = |p: Vec3| Vec3::new(p.x + 0.2 * p.z * p.y, p.y + 0.1 * (3.0 * p.x).sin(), p.z + 0.1 * p.x * p.x);
    let cells = Cells::new(straight.moved(bent).vertices().to_vec(), straight.cells().to_vec()).unwrap();
    for (rule, quads) in [(MassRule::SymmetricExact, QuadCut::Centre), (MassRule::Exact, QuadCut::Diagonal)] {
        // only if neighbours cut their common facets alike does the outer surface bound the union of the tetrahedra
        let truth = Moments::of_mesh(&cells.outer_facets(quads).mesh).scaled(1200.0);
        let particles = Particles::new(&cells, 1200.0, rule).unwrap();
        assert!(difference(&particles.moments(), &truth) < 1e-12);
        assert!(particles.cells.iter().all(|c| c.rule == rule));
    }
    let particles = Particles::new(&cells, 1.0, MassRule::SymmetricExact).unwrap();
    // 6 5 4 vertices, 60 centres, 24 60 tetrahedra, and faces 6 4 3 + 5 5 3 + 5 4 4
    assert_eq!(particles.positions.len(), 120 + 60 + 24 * 60 + 72 + 75 + 80);
    let still = particles.positions_in(&cells).unwrap();
    assert!(still.iter().zip(&particles.positions).all(|(a, b)| a.distance(*b) < 1e-14));
}

/// Errors of nine particles grow with the amplitude a of the motion of corners, e = c a (1 + O(a)). The ratio between
/// vertices and centre leaves what is across the inertia J of the vertices, |rJ|2 = |I|2 - |rJ - I|2, so that the size
/// is off by 1 - sqrt(1 - e2) = e2/2 + O(e4): of second order.
#[test]
fn nine_particles_of_random_hexahedra() {
    let [tenth, small, large] = [0.0006, 0.006, 0.3].map(|amplitude| random_hexahedra_errors(10_000, amplitude, 1));
    assert_eq!((small.count, small.left_out), (10_000, 0));
    // corrections of higher order are about the amplitude, 0.6 % and twice that for the square
    assert!((small.mean / tenth.mean - 10.0).abs() < 0.1, "{small:?} {tenth:?}");
    assert!((small.mean_of_size / tenth.mean_of_size - 100.0).abs() < 2.0, "{small:?} {tenth:?}");
    for s in [tenth, small, large] {
        // e2/4 and the rounding of the size, over e2/2
        let allowed = s.max * s.max + 1e-14 / (s.rms * s.rms);
        assert!((s.mean_of_size / (0.5 * s.rms * s.rms) - 1.0).abs() < allowed, "{s:?}");
    }
}

/// Masses of a cube, one corner moved: all three rules keep the inertia to first order in how far it moved.
#[test]
fn one_moved_corner() {
    for rule in [MassRule::SymmetricExact, MassRule::Exact, MassRule::Approximate] {
        let [far, near] = [0.01, 0.001].map(|amplitude| moved_vertex_errors(10_000, amplitude, rule, 1));
        assert_eq!((far.count, far.left_out), (10_000, 0));
        // the next order is about as large as the amplitude
        assert!((far.mean / near.mean - 10.0).abs() < 0.1, "{rule:?}: {far:?} {near:?}");
    }
}

#[test]
fn bad_input_is_refused() {
    let flat = unit_cube().map(|c| Vec3::new(c.x, c.y, 0.0));
    assert!(matches!(hexahedron(flat), Err(CellError::Volume { cell: 0, volume, .. }) if volume.abs() < 1e-15));
    let inverted = unit_cube().map(|c| Vec3::new(c.x, c.y, -c.z));
    assert!(matches!(hexahedron(inverted), Err(CellError::Volume { volume, .. }) if (volume + 1.0).abs() < 1e-15));
    let v = unit_cube().to_vec();
    let tetra = |i| vec![Cell::Tetrahedron([0, 1, 2, i])];
    assert!(matches!(Cells::new(v.clone(), tetra(8)), Err(CellError::NoVertex { vertex: 8, .. })));
    assert!(matches!(Cells::new(v.clone(), tetra(4)), Err(CellError::Unused { vertex: 3, .. })));
    assert!(matches!(Cells::new(v.clone(), vec![]), Err(CellError::Empty)));
    let mut nan = unit_cube();
    nan[3].y = f64::NAN;
    assert!(matches!(hexahedron(nan), Err(CellError::NotFinite { vertex: 3, .. })));
    let cube = hexahedron(unit_cube()).unwrap();
    assert!(matches!(Particles::new(&cube, 0.0, MassRule::Exact), Err(MassError::Density { .. })));
    let particles = Particles::new(&cube, 1.0, MassRule::Exact).unwrap();
    let other = brick(Vec3::ONE, [1, 1, 2]).unwrap();
    assert!(matches!(particles.positions_in(&other), Err(MassError::OtherCells { .. })));
    assert!(inertia_error(&cube, &other, MassRule::Exact).is_err());
}

/// Hexahedra too wild for a rule: another one takes over or there is an error, but no mass is negative.
#[test]
fn wild_hexahedra_give_no_negative_masses() {
    let mut next = numbers(29);
    let (mut kept, mut fallen, mut refused) = (0, 0, 0);
    for _ in 0..20_000 {
        let Ok(cells) = hexahedron(unit_cube().map(|c| c + 0.8 * vector(&mut next))) else { continue };
        for rule in [MassRule::SymmetricExact, MassRule::Exact, MassRule::Approximate] {
            match Particles::new(&cells, 1.0, rule) {
                Ok(p) => {
                    assert!(p.masses.iter().all(|m| *m > 0.0));
                    let used = p.cells[0].rule;
                    *if used == rule { &mut kept } else { &mut fallen } += 1;
                    let truth = cells.moments(used.cut());
                    assert!((p.moments().volume / truth.volume - 1.0).abs() < 1e-12);
                    assert!(p.moments().centre.distance(truth.centre) < 1e-12);
                    assert!(used == MassRule::Approximate || p.moments().inertia_error(&truth) < 1e-12);
                }
                Err(MassError::Negative { cell: 0, mass, .. }) => {
                    assert!(mass <= 0.0);
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
    println!("wild: {kept} kept, {fallen} by another rule, {refused} refused");
    assert!(kept > 0 && fallen > 0 && refused > 0);
}

/// Undistorted wedges and pyramids by vertices and centre. A prism needs 1/4 of the mass at the vertices across and 1/3
/// along, so one ratio cannot fit both.
#[test]
fn approximate_wedges_and_pyramids() {
    let wedge = prism(3, 3f64.sqrt() / 3.0, 1.0, Rings { per_edge: 1, rings: 1 }, 1).unwrap();
    let c = unit_cube();
    let base = vec![c[0], c[1], c[2], c[3], Vec3::Z * 0.5];
    let pyramid = Cells::new(base, vec![Cell::Pyramid([0, 1, 2, 3, 4])]).unwrap();
    let one = |cells: &Cells| {
        let particles = Particles::new(cells, 1.0, MassRule::Approximate).unwrap();
        particles.moments().inertia_error(&cells.moments(Cut::Centred))
    };
    let whole = vec![Vec3::new(0.0, 0.0, 0.0), Vec3::X, Vec3::new(0.5, 0.75f64.sqrt(), 0.0)];
    let mut corners = whole.clone();
    corners.extend(whole.iter().map(|v| *v + Vec3::Z));
    let single = Cells::new(corners, vec![Cell::Wedge([0, 1, 2, 3, 4, 5])]).unwrap();
    println!("three wedges {:.4}, one wedge {:.4}, pyramid {:.4}", one(&wedge), one(&single), one(&pyramid));
    assert!(one(&wedge) < 0.1 && one(&single) < 0.1 && one(&pyramid) < 0.1);
}
