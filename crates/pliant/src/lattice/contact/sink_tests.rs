//! Tests of facets sunk into obstacles.

use std::cell::Cell;

use super::*;
use crate::contact::{Shape, ShapeKind, blend};
use crate::math::{Pose, Quat};
use crate::random::Random;

/// All parts of a facet in a shape at the origin, and the number of distance queries.
fn sunk(facet: &[Vec3; 3], kind: ShapeKind, fineness: Fineness) -> (Vec<Sunk>, usize) {
    let (shape, asked, mut found) = (Shape::new(kind).unwrap(), Cell::new(0), Vec::new());
    let face = |point: Vec3, reach: f64| {
        asked.set(asked.get() + 1);
        shape.surface_near(&Pose::IDENTITY, point, reach).map(|face| (face.distance, face.normal))
    };
    sink(facet, &fineness, face, |part| found.push(part));
    (found, asked.get())
}

#[test]
fn plane_is_exact() {
    let mut random = Random(6);
    let mut met = 0;
    for _ in 0..2000 {
        let height = 0.3 * random.signed();
        let mut facet = random.triangle(Vec3::Z * height, 1.0);
        let across = (facet[1] - facet[0]).cross(facet[2] - facet[0]);
        if across.z > 0.0 {
            assert_eq!(sunk(&facet, ShapeKind::Plane, Fineness::default()).0, []);
            facet.swap(1, 2);
        }
        let (found, _) = sunk(&facet, ShapeKind::Plane, Fineness::default());
        let expected = under_plane(facet);
        assert_eq!(found.len(), usize::from(expected[0] > 0.0), "{expected:?}");
        let Some(part) = found.first() else { continue };
        met += 1;
        for (value, expected) in [part.area, part.volume, part.stored].into_iter().zip(expected) {
            assert!((value - expected).abs() < 1e-12, "{value} {expected}");
        }
        assert_eq!(part.normal, Vec3::Z);
        let lowest = facet.iter().map(|p| -p.z).fold(0.0, f64::max);
        assert!((part.deepest - lowest).abs() < 1e-12);
        assert!(part.parts.iter().all(|part| (-1e-12..=1.0 + 1e-12).contains(part)));
    }
    assert!(met > 1000);
}

/// Area of a facet below z = 0 seen from above, and integrals of depth and of half its square: with corners sorted by
/// height, a corner triangle or the whole less one, each a polynomial of its depths.
fn under_plane(facet: [Vec3; 3]) -> [f64; 3] {
    let area = 0.5 * (facet[1] - facet[0]).cross(facet[2] - facet[0]).z.abs();
    let whole = |[a, b, c]: [f64; 3], area: f64| {
        let second = a * a + b * b + c * c + a * b + b * c + c * a;
        [area, area * (a + b + c) / 3.0, area * second / 12.0]
    };
    let mut depths = facet.map(|p| -p.z);
    depths.sort_by(f64::total_cmp);
    let [a, b, c] = depths;
    let tip = |tip: f64, p: f64, q: f64| whole([tip, 0.0, 0.0], area * tip / (tip - p) * tip / (tip - q));
    match depths {
        _ if a >= 0.0 => whole(depths, area),
        _ if c <= 0.0 => [0.0; 3],
        _ if b <= 0.0 => tip(c, a, b),
        _ => {
            let (all, cut) = (whole(depths, area), tip(a, b, c));
            [all[0] - cut[0], all[1] - cut[1], all[2] - cut[2]]
        }
    }
}

#[test]
fn a_box_displaces_its_volume() {
    // a unit cube tilted and sunk: facets that face the plane give the volume under it, a wedge or more
    for (tilt, deep) in [(0.0, 0.1), (0.3f64, 0.1), (0.3, 0.2), (std::f64::consts::FRAC_PI_4, 0.5)] {
        let turn = Quat::from_rotation_y(tilt);
        let corner = |k: usize| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let lowest = (0..8).map(|k| (turn * corner(k)).z).fold(f64::MAX, f64::min);
        let (mut volume, mut stored) = (0.0, 0.0);
        for side in sides {
            let c = side.map(|k| turn * corner(k) - Vec3::Z * (lowest + deep));
            for facet in [[c[0], c[1], c[2]], [c[0], c[2], c[3]]] {
                for part in sunk(&facet, ShapeKind::Plane, Fineness::default()).0 {
                    (volume, stored) = (volume + part.volume, stored + part.stored);
                }
            }
        }
        let wedge = 0.5 * deep * deep * (tilt.tan() + 1.0 / tilt.tan());
        let expected = if tilt == 0.0 { [deep, 0.5 * deep * deep] } else { [wedge, wedge * deep / 3.0] };
        assert!((volume - expected[0]).abs() < 1e-12 && (stored - expected[1]).abs() < 1e-12, "{volume} {expected:?}");
    }
}

#[test]
fn sphere_in_the_middle_of_a_large_facet() {
    let radius = 0.1;
    for deep in [1e-4, 1e-3, 1e-2] {
        // facing down, all corners far outside
        let height = radius - deep;
        let facet = [Vec3::new(-1.0, -0.8, height), Vec3::new(0.1, 1.3, height), Vec3::new(1.1, -0.9, height)];
        // columns as vectors: 2 pi z^2 (r ln(r/z) - d), with z the height of the facet
        let expected = std::f64::consts::TAU * height * height * (radius * (radius / height).ln() - deep);
        let cap = std::f64::consts::PI * deep * deep * (radius - deep / 3.0);
        let mut errors = Vec::new();
        for (tolerance, levels) in [(0.2, 12), (0.05, 6), (0.05, 8), (0.05, 12), (0.01, 12)] {
            let (found, asked) =
                sunk(&facet, ShapeKind::Sphere { radius }, Fineness { tolerance, levels, plane: false });
            let volume: f64 = found.iter().map(|part| part.volume).sum();
            errors.push((volume / expected - 1.0).abs());
            println!(
                "depth {deep}, tolerance {tolerance}, levels {levels}: {asked} questions, {} parts, error {:.1e}, of cap {:.1e}",
                found.len(),
                volume / expected - 1.0,
                volume / cap - 1.0
            );
            if tolerance < 0.1 && levels > 8 {
                assert_eq!(found.len(), 1);
                assert!((found[0].normal - Vec3::Z).length() < 0.02);
                assert!(blend(&facet, &found[0].parts).truncate().length() < 0.02 * (radius * deep).sqrt());
            }
        }
        assert!((expected / cap - 1.0).abs() < 1.5 * deep / radius);
        assert!(errors[3] < 0.03 && errors[4] < 0.01 && errors[4] < errors[0], "{errors:?}");
    }
}

#[test]
fn facets_far_away_cost_one_question() {
    let facet = [Vec3::new(0.0, 0.0, 3.0), Vec3::new(0.0, 1.0, 3.0), Vec3::new(1.0, 0.0, 3.0)];
    for kind in [ShapeKind::Plane, ShapeKind::Sphere { radius: 1.0 }, ShapeKind::Box { size: Vec3::ONE }] {
        let (found, asked) = sunk(&facet, kind, Fineness::default());
        assert_eq!((found.len(), asked), (0, 1));
    }
}

#[test]
fn box_under_the_middle_of_a_facet() {
    // the top of a box, 0.01 m in: 0.2 m by 0.2 m
    let facet = [Vec3::new(-1.0, -0.8, 0.09), Vec3::new(0.1, 1.3, 0.09), Vec3::new(1.1, -0.9, 0.09)];
    let kind = || ShapeKind::Box { size: Vec3::splat(0.2) };
    for levels in [5, 6, 7, 8] {
        let (found, asked) = sunk(&facet, kind(), Fineness { levels, ..Fineness::default() });
        let volume: f64 = found.iter().map(|part| part.volume).sum();
        // near the sides the nearest surface is theirs, which the facet does not face
        let expected = 0.01 * 0.18f64.powi(2);
        println!(
            "levels {levels}: {asked} questions, {} parts, volume {volume:.4e}, expected {expected:.4e}",
            found.len()
        );
        assert!((volume / expected - 1.0).abs() < 0.15 * 0.5f64.powi(levels as i32 - 5), "{volume}");
        assert!((found[0].normal - Vec3::Z).length() < 1e-9);
    }
}

#[test]
fn forces_sum_to_the_slope_of_what_is_stored() {
    // a rigid facet against a sphere: pushed along the normal of the middle
    let mut random = Random(8);
    let (mut met, mut worst): (usize, f64) = (0, 0.0);
    for _ in 0..300 {
        let facet = random.triangle(Vec3::Z * 1.1, 0.3);
        let total = |shift: Vec3| {
            let (found, _) = sunk(&facet.map(|p| p + shift), ShapeKind::Sphere { radius: 1.0 }, Fineness::default());
            found.iter().fold((0.0, Vec3::ZERO), |s, p| (s.0 + p.stored, s.1 + p.normal * p.volume))
        };
        let (stored, force) = total(Vec3::ZERO);
        if stored < 1e-6 {
            continue;
        }
        let along = force.normalize();
        let slope = -(total(along * 1e-6).0 - total(along * -1e-6).0) / 2e-6;
        worst = worst.max((slope / force.length() - 1.0).abs());
        met += 1;
    }
    println!("{met} facets: slope along the push differs by up to {worst:.1e}");
    assert!(met > 20 && worst < 0.03, "{met} {worst}");
}

#[test]
fn nothing_panics() {
    let bad = [0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300];
    let mut random = Random(9);
    let fineness = Fineness { tolerance: 0.05, levels: 3, plane: false };
    for _ in 0..20_000 {
        let mut pick = || bad[(random.fraction() * bad.len() as f64) as usize % bad.len()];
        let facet = std::array::from_fn(|_| Vec3::new(pick(), pick(), pick()));
        let (distance, normal) = (pick(), Vec3::new(pick(), pick(), pick()));
        sink(&facet, &fineness, |_, _| Some((distance, normal)), |part| assert!(part.volume > 0.0));
        let good = [Vec3::ZERO, Vec3::Y, Vec3::X];
        sink(&good, &fineness, |p, _| Some((p.x * distance, normal)), |part| assert!(part.volume > 0.0));
    }
}
