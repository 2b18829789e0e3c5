//! Tests of volumes between facets.

use super::*;
use crate::contact::blend;
use crate::math::Quat;
use crate::random::Random;

fn overlap(x: &[Vec3; 3], y: &[Vec3; 3], deepest: f64) -> Option<Overlap> {
    super::overlap(&Face::new(*x, [0.0; 3]), &Face::new(*y, [0.0; 3]), deepest)
}

/// Overlap by brute force: rays along n from many points of X to Y (Moeller and Trumbore), by the midpoint rule.
/// Volume, integral of half the depth squared and area, and the middle of the columns on X.
fn slow(x: &[Vec3; 3], y: &[Vec3; 3], deepest: f64, fine: usize) -> ([f64; 3], Vec3) {
    let area = |t: &[Vec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]) * 0.5;
    let (normal_x, normal_y) = (area(x).normalize(), area(y).normalize());
    let n = (normal_y - normal_x).normalize();
    let (edge_1, edge_2) = (y[1] - y[0], y[2] - y[0]);
    let p = n.cross(edge_2);
    let (each, det) = (-area(x).dot(n) / (fine * fine) as f64, edge_1.dot(p));
    let (mut sum, mut first) = ([0.0; 3], Vec3::ZERO);
    let mut ray = |i: f64, j: f64| {
        let from = x[0] + (x[1] - x[0]) * (i / fine as f64) + (x[2] - x[0]) * (j / fine as f64);
        let s = from - y[0];
        let q = s.cross(edge_1);
        let (u, v, depth) = (s.dot(p) / det, n.dot(q) / det, edge_2.dot(q) / det);
        if u >= 0.0 && v >= 0.0 && u + v <= 1.0 && depth > 0.0 && depth <= deepest {
            sum = [sum[0] + depth * each, sum[1] + 0.5 * depth * depth * each, sum[2] + each];
            first += from * (depth * each);
        }
    };
    let third = 1.0 / 3.0;
    for i in 0..fine {
        for j in 0..fine - i {
            ray(i as f64 + third, j as f64 + third);
            if i + j + 1 < fine {
                ray(i as f64 + 2.0 * third, j as f64 + 2.0 * third);
            }
        }
    }
    (sum, first / sum[0])
}

/// Two overlapping facets that roughly face each other.
fn pair(random: &mut Random, rough: f64) -> [[Vec3; 3]; 2] {
    let turn = Quat::from_scaled_axis(random.vector() * 3.0);
    let place = random.vector() * 5.0;
    let corner = |random: &mut Random, at: Vec3| turn * (at + random.vector() * rough) + place;
    let down = Vec3::Z * (0.2 * random.signed());
    let x = [Vec3::ZERO, Vec3::Y, Vec3::X].map(|at| corner(random, at - down));
    let y = [Vec3::ZERO, Vec3::X, Vec3::Y].map(|at| corner(random, at));
    [x, y]
}

#[test]
fn unit_triangles_at_a_depth() {
    let y = [Vec3::ZERO, Vec3::X, Vec3::Y];
    for d in [1e-6, 0.01, 0.3] {
        let x = [Vec3::ZERO, Vec3::Y, Vec3::X].map(|p| p - Vec3::Z * d);
        let found = overlap(&x, &y, 1.0).unwrap();
        assert!((found.volume / (0.5 * d) - 1.0).abs() < 1e-12);
        assert!((found.stored / (0.25 * d * d) - 1.0).abs() < 1e-12);
        assert!((found.area - 0.5).abs() < 1e-15 && (found.deepest - d).abs() < 1e-15);
        assert!((found.normal - Vec3::Z).length() < 1e-15 && (found.facing - 1.0).abs() < 1e-15);
        assert!(found.on_x.iter().chain(&found.on_y).all(|part| (part - 1.0 / 3.0).abs() < 1e-12));
        // apart, too deep, back to back
        assert_eq!(overlap(&y, &x, 0.5 * d), None);
        assert_eq!(overlap(&x, &y, 0.5 * d), None);
        assert_eq!(overlap(&[x[0], x[2], x[1]], &[y[0], y[2], y[1]], 1.0), None);
        assert_eq!(overlap(&x.map(|p| p + Vec3::Z * (2.0 * d)), &y, 1.0), None);
    }
}

#[test]
fn triangles_in_part_over_each_other() {
    // moved by half along x the two have a triangle of half the size in common
    let y = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let x = [Vec3::ZERO, Vec3::Y, Vec3::X].map(|p| p + Vec3::new(0.5, 0.0, -0.1));
    let found = overlap(&x, &y, 1.0).unwrap();
    assert!((found.volume - 0.1 * 0.125).abs() < 1e-15);
    let middle = Vec3::new(2.0 / 3.0, 1.0 / 6.0, 0.0);
    assert!((blend(&y, &found.on_y) - middle).length() < 1e-14);
    assert!((blend(&x, &found.on_x) - middle + Vec3::Z * 0.1).length() < 1e-14);
}

#[test]
fn corner_of_a_cube_in_a_face() {
    // a cube stands on its corner, H deep in a face: three facets at right angles, with n_x.n_y = -1 / sqrt(3)
    let (deep, floor) = (0.2, [Vec3::new(-9.0, -9.0, 0.0), Vec3::new(9.0, -9.0, 0.0), Vec3::new(0.0, 9.0, 0.0)]);
    let turn = Quat::from_rotation_arc(Vec3::ONE.normalize(), Vec3::Z);
    let edges = [Vec3::X, Vec3::Y, Vec3::Z].map(|e| turn * e);
    let tip = Vec3::Z * -deep;
    let (mut volume, mut force) = (0.0, Vec3::ZERO);
    for i in 0..3 {
        let (a, b) = (edges[i], edges[(i + 1) % 3]);
        let found = overlap(&[tip, tip + b, tip + a], &floor, 1.0).unwrap();
        assert!((found.deepest - deep / found.facing).abs() < 1e-14);
        volume += found.volume;
        force += found.normal * found.volume;
    }
    // the tetrahedron cut off has edges H sqrt(3); columns along the mean normal count it 1 / |n_x.n_y| times
    let tetrahedron = (deep * 3f64.sqrt()).powi(3) / 6.0;
    assert!((volume / 3f64.sqrt() / tetrahedron - 1.0).abs() < 1e-12);
    assert!(force.truncate().length() < 1e-14);
}

#[test]
fn agrees_with_rays() {
    let mut random = Random(1);
    let (mut met, mut worst, mut aside): (usize, f64, f64) = (0, 0.0, 0.0);
    for k in 0..120 {
        let [x, y] = pair(&mut random, 0.3);
        let deepest = if k % 2 == 0 { 10.0 } else { 0.1 };
        let Some(found) = overlap(&x, &y, deepest) else { continue };
        let ([volume, stored, area], middle) = slow(&x, &y, deepest, 400);
        let scale = (x[1] - x[0]).cross(x[2] - x[0]).length() * 0.5;
        let errors = [found.volume - volume, found.stored - stored, found.area - area];
        worst = errors.iter().fold(worst, |worst, error| worst.max(error.abs() / scale));
        met += 1;
        // few rays hit small polygons
        if volume > 1e-3 * scale {
            aside = aside.max(middle.distance(blend(&x, &found.on_x)));
        }
        assert!(found.on_x.iter().chain(&found.on_y).all(|part| (-1e-12..=1.0 + 1e-12).contains(part)));
    }
    println!("{met} pairs, largest difference from rays {worst:.1e} of the area times 1 m, of places {aside:.1e} m");
    assert!(met > 40);
    // rays cover the rim to one part in 400
    assert!(worst < 1e-3 && aside < 5e-3, "{worst} {aside}");
}

#[test]
fn momentum_and_moment_are_kept() {
    let mut random = Random(2);
    let (mut met, mut worst): (usize, f64) = (0, 0.0);
    for _ in 0..10_000 {
        let [x, y] = pair(&mut random, 0.4);
        let Some(found) = overlap(&x, &y, 10.0) else { continue };
        let moved = |corners: &[Vec3; 3], parts: &[f64; 3]| -> [Vec3; 2] {
            let forces = parts.map(|part| found.normal * part);
            [forces.iter().sum(), corners.iter().zip(forces).map(|(p, f)| p.cross(f)).sum()]
        };
        let (on_x, on_y) = (moved(&x, &found.on_x), moved(&y, &found.on_y));
        worst = worst.max((on_x[0] - on_y[0]).length()).max((on_x[1] - on_y[1]).length());
        met += 1;
        // the other way round it is the same
        let back = overlap(&y, &x, 10.0).unwrap();
        assert!((back.volume - found.volume).abs() < 1e-13 && (back.normal + found.normal).length() < 1e-14);
        assert!((blend(&x, &back.on_y) - blend(&x, &found.on_x)).length() < 1e-7 * found.area.powf(-0.5));
    }
    println!("{met} pairs, largest imbalance for 1 N at 5 m: {worst:.1e}");
    assert!(met > 4000 && worst < 1e-12, "{met} {worst}");
}

/// The top of a box, z = 0 for x < 0, and a facet of another that faces down, `deep` below it, and extends below it by
/// `wide`; both surfaces turn at their edges there by `turns`, zero for the volume as printed.
fn under_an_edge(deep: f64, wide: f64, turns: f64) -> Option<Overlap> {
    // the top z = 0 of the box, for x < 0, with its edge along y from the second corner to the third
    let top = Face::new([Vec3::new(-9.0, 0.5, 0.0), Vec3::ZERO, Vec3::Y], [0.0, turns, 0.0]);
    // facing down, from x = -wide outwards, with its own edge there
    let below = [Vec3::new(-wide, 0.0, -deep), Vec3::new(-wide, 1.0, -deep), Vec3::new(9.0, 0.5, -deep)];
    super::overlap(&Face::new(below, [turns, 0.0, 0.0]), &top, 1.0)
}

#[test]
fn what_is_nearer_to_a_side_is_not_pushed_by_the_top() {
    // as printed: a strip of the width, as deep as it is
    assert!(under_an_edge(0.1, 0.01, 0.0).is_some_and(|o| o.volume > 0.9 * 0.1 * 0.01));
    // at right angles all of the strip is nearer to the sides
    assert_eq!(under_an_edge(0.1, 0.01, 1.0), None);
    // a strip ten times as wide as deep loses the tenth next to the edge
    let [whole, own] = [0.0, 1.0].map(|turns| under_an_edge(0.01, 0.1, turns).unwrap().volume);
    assert!((own / whole - 0.9).abs() < 0.01, "{own} of {whole}");
}

#[test]
fn force_is_the_slope_of_what_is_stored() {
    let mut random = Random(4);
    let (mut met, mut along, mut aside, mut most): (usize, f64, f64, f64) = (0, 0.0, 0.0, 0.0);
    for _ in 0..1000 {
        let [x, y] = pair(&mut random, 0.2);
        let Some(found) = overlap(&x, &y, 10.0).filter(|found| found.volume > 1e-3) else { continue };
        let slope = |direction: Vec3| {
            let at = |s: f64| overlap(&x.map(|p| p + direction * s), &y, 10.0).map_or(0.0, |o| o.stored);
            (at(1e-5) - at(-1e-5)) / 2e-5
        };
        along = along.max((slope(found.normal) / found.volume + 1.0).abs());
        let side = found.normal.any_orthonormal_vector();
        for across in [side, found.normal.cross(side)] {
            aside = aside.max((slope(across) + found.aside.dot(across)).abs() / found.volume);
            most = most.max(found.aside.dot(across).abs() / found.volume);
        }
        met += 1;
    }
    println!("{met} pairs: along n to {along:.1e} of V, across n to {aside:.1e}, where it is up to {most:.2}");
    // differences of 1e-5 m: errors of 1e-10 / volume
    assert!(met > 100 && along < 1e-6 && aside < 1e-6 && most > 0.1, "{met} {along} {aside}");
}

/// Force along mean normals on a box tilted in a plane of two facets, total force, and minus the gradient of the stored
/// energy.
fn tilted_box(tilt: Vec3, deep: f64) -> [Vec3; 3] {
    let turn = Quat::from_scaled_axis(tilt);
    let corner = |k: usize| turn * Vec3::new((k & 1) as f64 - 0.5, (k >> 1 & 1) as f64 - 0.5, (k >> 2) as f64 - 0.5);
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let lowest = (0..8).map(|k| corner(k).z).fold(f64::MAX, f64::min);
    let ground =
        [Vec3::new(-9.0, -9.0, 0.0), Vec3::new(9.1, -9.0, 0.0), Vec3::new(9.0, 9.2, 0.0), Vec3::new(-9.0, 9.0, 0.0)];
    let sum = |shift: Vec3| {
        let (mut force, mut whole, mut stored) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        for side in sides {
            let c = side.map(|k| corner(k) + shift - Vec3::Z * (lowest + deep));
            for x in [[c[0], c[1], c[2]], [c[0], c[2], c[3]]] {
                for y in [[ground[0], ground[1], ground[2]], [ground[0], ground[2], ground[3]]] {
                    if let Some(found) = overlap(&x, &y, 0.3) {
                        force += found.normal * found.volume;
                        whole += found.normal * found.volume + found.aside;
                        stored += found.stored;
                    }
                }
            }
        }
        (force, whole, stored)
    };
    let slope = |d: Vec3| -(sum(d * 1e-6).2 - sum(d * -1e-6).2) / 2e-6;
    let (force, whole, _) = sum(Vec3::ZERO);
    [force, whole, Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z))]
}

#[test]
fn a_body_in_a_plane() {
    // flat it is exact: one square metre, and the sides have no part
    let [force, _, slope] = tilted_box(Vec3::ZERO, 0.01);
    assert!((force - Vec3::Z * 0.01).length() < 1e-12 && (force - slope).length() < 1e-8, "{force} {slope}");
    // tilted, the mean of normals is no slope of an energy: the error is of the order of the tilt squared
    for (tilt, off) in [(0.003, 1e-4), (0.05, 2e-3), (0.15, 0.02), (0.5, 0.5), (0.7, 0.5)] {
        let [force, whole, slope] = tilted_box(Vec3::new(tilt, 0.3 * tilt, 0.0), 0.01);
        let (up, side) = (force.z / slope.z - 1.0, force.truncate().length() / force.z);
        println!("tilt {tilt}: push up off its slope by {up:.1e}, push aside {side:.1e} of it");
        assert!(up.abs() < off, "{tilt} {force} {slope}");
        // with the part across it is the slope, and nothing pushes aside
        assert!((whole - slope).length() < 1e-6 * slope.z, "{whole} {slope}");
        assert!(whole.truncate().length() < 1e-12 * whole.z, "{whole}");
    }
}

#[test]
fn nothing_panics() {
    let bad = [0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300];
    let mut random = Random(9);
    let mut any = || {
        std::array::from_fn(|_| {
            Vec3::from_array(std::array::from_fn(|_| bad[(random.fraction() * bad.len() as f64) as usize % bad.len()]))
        })
    };
    for _ in 0..100_000 {
        let (x, y) = (any(), any());
        for deepest in [1.0, f64::NAN, f64::INFINITY, -1.0] {
            if let Some(found) = overlap(&x, &y, deepest) {
                assert!(found.volume > 0.0 && found.normal.is_normalized());
                assert!(found.on_x.iter().chain(&found.on_y).all(|part| part.is_finite()));
            }
        }
    }
    // slivers
    for _ in 0..10_000 {
        let [mut x, y] = pair(&mut random, 0.1);
        x[2] = x[0].lerp(x[1], random.fraction()) + random.vector() * 1e-8;
        if let Some(found) = overlap(&x, &y, 1.0) {
            assert!(found.on_x.iter().all(|part| (-1e-3..1.001).contains(part)), "{:?}", found.on_x);
        }
    }
}

#[test]
#[ignore = "prints times"]
fn cost() {
    let mut random = Random(12);
    let pairs: Vec<_> = (0..10_000).map(|_| pair(&mut random, 0.2)).collect();
    let start = std::time::Instant::now();
    let met: usize = (0..20).map(|_| pairs.iter().filter(|[x, y]| overlap(x, y, 1.0).is_some()).count()).sum();
    println!("{} ns a pair, {} % in each other", start.elapsed().as_nanos() / 200_000, met / 2000);
}
