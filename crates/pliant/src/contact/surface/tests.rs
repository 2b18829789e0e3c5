#![allow(clippy::unwrap_used)]

use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::TriMesh;

use super::*;

/// Pseudo-random numbers between -1 and 1.
fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn surface(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Surface {
    Surface::new(TriMesh::new(vertices, triangles).unwrap())
}

/// A rectangle from `a` along `u` and `v`, in m x n cells, each with vertices of its own.
fn sheet(mesh: &mut (Vec<Vec3>, Vec<[u32; 3]>), a: Vec3, u: Vec3, v: Vec3, m: usize, n: usize) {
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let at = |i: usize, j: usize| a + u * (i as f64 / m as f64) + v * (j as f64 / n as f64);
        let first = mesh.0.len() as u32;
        mesh.0.extend([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        mesh.1.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
}

/// A box whose faces are divided differently, unwelded, so that its edges have T-junctions, and with slivers.
fn patchwork(size: Vec3) -> Surface {
    let (x, y, z) = (Vec3::X * size.x, Vec3::Y * size.y, Vec3::Z * size.z);
    let (low, mut mesh) = (size * -0.5, (vec![], vec![]));
    sheet(&mut mesh, low, y, x, 1, 1);
    sheet(&mut mesh, low + z, x, y, 3, 5);
    sheet(&mut mesh, low, x, z, 2, 1);
    sheet(&mut mesh, low + y, z, x, 40, 1);
    sheet(&mut mesh, low, z, y, 7, 2);
    sheet(&mut mesh, low + x, y, z, 1, 4);
    surface(mesh.0, mesh.1)
}

fn drum(sides: u32) -> Surface {
    let at = |k: u32, z: f64| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(sides)).sin_cos();
        Vec3::new(cos, sin, z)
    };
    let mut mesh = (vec![], vec![]);
    for k in 0..sides {
        sheet(&mut mesh, at(k, -1.0), at(k + 1, -1.0) - at(k, -1.0), Vec3::Z * 2.0, 1, 2);
        for (z, turned) in [(1.0, false), (-1.0, true)] {
            let first = mesh.0.len() as u32;
            mesh.0.extend([Vec3::Z * z, at(k, z), at(k + 1, z)]);
            mesh.1.push(if turned { [first, first + 2, first + 1] } else { [first, first + 1, first + 2] });
        }
    }
    surface(mesh.0, mesh.1)
}

/// Bricks in one mesh: middle, size, turn about z.
const COMB: [(Vec3, Vec3, f64); 2] = [
    (Vec3::new(0.0, 0.1, -0.3), Vec3::new(0.4, 1.6, 0.6), 0.0),
    (Vec3::new(0.0, 0.3, 0.2), Vec3::new(0.4, 0.2, 0.4), 0.0),
];

/// Teeth that begin at a corner, share a border, overhang at an angle, are sunk in, and lean on the side.
const CLUTTER: [(Vec3, Vec3, f64); 7] = [
    (Vec3::new(0.0, 0.0, -0.3), Vec3::new(0.8, 1.6, 0.6), 0.0),
    (Vec3::new(0.25, -0.7, 0.15), Vec3::new(0.3, 0.2, 0.3), 0.0),
    (Vec3::new(0.3, -0.2, 0.1), Vec3::new(0.2, 0.3, 0.2), 0.0),
    (Vec3::new(0.3, 0.05, 0.15), Vec3::new(0.2, 0.2, 0.3), 0.0),
    (Vec3::new(0.4, 0.5, 0.1), Vec3::new(0.3, 0.2, 0.2), 0.5),
    (Vec3::new(-0.35, 0.1, 0.05), Vec3::new(0.13, 0.2, 0.3), 0.2),
    (Vec3::new(-0.5, -0.4, -0.2), Vec3::new(0.2, 0.3, 0.6), 0.0),
];

fn bricks(list: &[(Vec3, Vec3, f64)]) -> Surface {
    let mut mesh = (vec![], vec![]);
    for (middle, size, turn) in list {
        let turn = glamx::DQuat::from_rotation_z(*turn);
        let [x, y, z] = [Vec3::X * size.x, Vec3::Y * size.y, Vec3::Z * size.z].map(|v| turn * v);
        let low = *middle - 0.5 * (x + y + z);
        for (from, u, v) in [(low, y, x), (low + z, x, y), (low, x, z), (low + y, z, x), (low, z, y), (low + x, y, z)] {
            sheet(&mut mesh, from, u, v, 1, 1);
        }
    }
    surface(mesh.0, mesh.1)
}

fn in_bricks(list: &[(Vec3, Vec3, f64)], p: Vec3) -> bool {
    let within = |(middle, size, turn): &(Vec3, Vec3, f64)| {
        let local = glamx::DQuat::from_rotation_z(-turn) * (p - *middle);
        (local.abs() - *size * 0.5).max_element() < 0.0
    };
    list.iter().any(within)
}

/// The top edge of a base, covered between y = 0.2 and 0.4 by a tooth that is flush with it.
#[test]
fn an_edge_stands_out_where_nothing_covers_it() {
    let surface = bricks(&COMB);
    for (y, stands) in [(-0.6, true), (0.1, true), (0.19, true), (0.3, false), (0.41, true), (0.8, true)] {
        let along = Vec3::new(1.0, 0.0, -1.0).normalize();
        let piece = Piece { middle: Vec3::new(0.3, y, 0.1), along, span: [-0.05, 0.05], bulge: 0.0 };
        let mut found = [None; 4];
        surface.near(&piece, 0.2, 0.1, Hint::NONE, &mut found);
        let edge = found.iter().flatten().any(|f| f.normal.distance(Vec3::new(1.0, 0.0, 1.0).normalize()) < 1e-9);
        assert_eq!(edge, stands, "at {y}: {found:?}");
    }
    // two pieces of each of the two long edges; other edges are those of two boxes, less what the tooth shares with the
    // base
    let long = surface.edges.iter().filter(|e| e.middle.z.abs() < 1e-9 && e.along.y.abs() > 0.9);
    let mut spans: Vec<[f64; 2]> = long.map(|e| [e.middle.y - e.half, e.middle.y + e.half]).collect();
    spans.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    let expected = [[-0.7, 0.2], [-0.7, 0.2], [0.4, 0.9], [0.4, 0.9]];
    assert_eq!(spans.len(), 4, "{spans:?}");
    assert!(spans.iter().flatten().zip(expected.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-6), "{spans:?}");
}

/// The nearest of the places that are found is as far away as the surface, by other code.
#[test]
fn nothing_falls_between_faces_edges_and_corners() {
    let (brick, plate) = (Vec3::new(2.0, 1.5, 1.0), Vec3::new(2.0, 0.01, 1.5));
    let within = |size: Vec3| move |p: Vec3| (p.abs() - size * 0.5).max_element() < 0.0;
    let round = |p: Vec3| p.x.hypot(p.y) < 1.0 && p.z.abs() < 1.0;
    let surfaces: [(Surface, &dyn Fn(Vec3) -> bool); 6] = [
        (patchwork(brick), &within(brick)),
        (patchwork(plate), &within(plate)),
        (drum(7), &round),
        (drum(48), &round),
        (bricks(&COMB), &|p| in_bricks(&COMB, p)),
        (bricks(&CLUTTER), &|p| in_bricks(&CLUTTER, p)),
    ];
    for (n, (surface, inside)) in surfaces.iter().enumerate() {
        let (mut number, mut seen) = (numbers(n as u64 + 1), 0);
        for _ in 0..20_000 {
            let middle = Vec3::new(number(), number(), number()) * 1.5;
            let along = Vec3::new(number(), number(), number()).normalize();
            let half = 0.01 + 0.4 * number().abs();
            let piece = Piece { middle, along, span: [-half, half], bulge: 0.0 };
            let clearance = surface.clearance(&[piece.at(-half), piece.at(half)], 0.5);
            let mut found = [None; 4];
            surface.near(&piece, 0.5, 0.1, Hint::NONE, &mut found);
            if clearance <= 0.0 || clearance >= 0.5 || inside(middle) {
                continue;
            }
            seen += 1;
            let nearest = found[0].map_or(f64::INFINITY, |f| f.distance);
            assert!((nearest - clearance).abs() < 1e-6, "{n}: {nearest} for {clearance}, {piece:?} {found:?}");
        }
        assert!(seen > 2000, "{seen}");
    }
}

#[test]
fn a_flat_face_is_touched_once_however_it_is_divided() {
    let surface = patchwork(Vec3::splat(2.0));
    for (x, turn) in [(0.0, 0.0), (0.3, 0.7), (-0.41, 1.3)] {
        let along = Vec3::new(f64::cos(turn), f64::sin(turn), 0.0);
        let piece = Piece { middle: Vec3::new(x, 0.1, 1.05), along, span: [-0.4, 0.4], bulge: 1e-3 };
        let mut found = [None; 4];
        surface.near(&piece, 0.3, 0.1, Hint::NONE, &mut found);
        let places: Vec<Nearby> = found.iter().flatten().copied().collect();
        assert_eq!(places.len(), 1, "{places:?}");
        assert!(places[0].s.abs() < 1e-9 && (places[0].distance - 0.05).abs() < 1e-12, "{places:?}");
    }
}

#[test]
fn a_corner_between_walls_holds_two() {
    let mut mesh = (vec![], vec![]);
    sheet(&mut mesh, Vec3::ZERO, Vec3::X, Vec3::Y, 3, 3);
    sheet(&mut mesh, Vec3::ZERO, Vec3::Y, Vec3::Z, 2, 5);
    let surface = surface(mesh.0, mesh.1);
    let piece = Piece { middle: Vec3::new(0.05, 0.5, 0.06), along: Vec3::Y, span: [-0.2, 0.2], bulge: 1e-3 };
    let mut found = [None; 4];
    surface.near(&piece, 0.2, 0.1, Hint::NONE, &mut found);
    let normals: Vec<Vec3> = found.iter().flatten().map(|f| f.normal).collect();
    assert_eq!(normals, [Vec3::X, Vec3::Z]);
}

#[test]
fn convex_parts_are_known() {
    let parts = |surface: &Surface| {
        let mut hills: Vec<u32> = surface.facets.iter().map(|facet| facet.hill).collect();
        hills.sort_unstable();
        hills.dedup();
        hills.len()
    };
    for convex in [patchwork(Vec3::new(2.0, 1.5, 1.0)), patchwork(Vec3::new(2.0, 0.01, 1.5)), drum(7), drum(480)] {
        assert_eq!(parts(&convex), 1);
        assert!(convex.facets.iter().all(|facet| facet.hill != NONE));
        assert!(convex.edges.iter().all(|edge| edge.hill == convex.facets[0].hill));
        assert!(convex.corners.iter().all(|corner| corner.hill == convex.facets[0].hill));
    }
    let apart = [(Vec3::ZERO, Vec3::ONE, 0.0), (Vec3::X * 3.0, Vec3::ONE, 0.0)];
    assert_eq!(parts(&bricks(&apart)), 2);
    // a gutter: its two sides
    let mut gutter = (vec![], vec![]);
    sheet(&mut gutter, Vec3::ZERO, Vec3::new(1.0, 0.0, 0.1), Vec3::Y, 3, 2);
    sheet(&mut gutter, Vec3::new(-1.0, 0.0, 0.1), Vec3::new(1.0, 0.0, -0.1), Vec3::Y, 3, 2);
    assert_eq!(parts(&surface(gutter.0, gutter.1)), 2);
}

/// What is skipped does not count, and where the search begins does not matter: all items, one after the other, give the
/// same contacts.
#[test]
fn nothing_that_counts_is_skipped() {
    let (brick, plate) = (Vec3::new(2.0, 1.5, 1.0), Vec3::new(2.0, 0.01, 1.5));
    let surfaces = [patchwork(brick), patchwork(plate), drum(48), bricks(&COMB), bricks(&CLUTTER)];
    for (n, surface) in surfaces.iter().enumerate() {
        let (mut number, mut seen) = (numbers(n as u64 + 1), [0; 4]);
        for _ in 0..10_000 {
            let middle = Vec3::new(number(), number(), number()) * 1.2;
            let along = Vec3::new(number(), number(), number()).normalize();
            let half = 0.01 + 0.4 * number().abs();
            let piece = Piece { middle, along, span: [-half, half], bulge: 0.01 };
            if surface.clearance(&[piece.at(-half), piece.at(half)], 0.5) <= 0.0 {
                continue;
            }
            let mut all = [None; 4];
            let (reach, leaf) = (along.abs() * half, Hint::NONE);
            let mut look =
                Look { surface, piece: &piece, middle, half, reach, apart: 0.1, most: 0.3, found: &mut all, leaf };
            surface.hierarchy.every(|number| look.look(number));
            for hint in [Hint::NONE, Hint { node: (number().abs() * 60.0) as u32 }] {
                let mut found = [None; 4];
                surface.near(&piece, 0.3, 0.1, hint, &mut found);
                let same = |a: &Nearby, b: &Nearby| {
                    (a.distance - b.distance).abs() < 1e-6 && (a.s - b.s).abs() < 1e-3 && a.normal.dot(b.normal) > 0.99
                };
                let missing = all.iter().flatten().filter(|a| a.free);
                let missing = missing.filter(|a| !found.iter().flatten().any(|f| same(a, f)));
                assert_eq!(missing.count(), 0, "{n}: {found:?} for {all:?}, {piece:?}");
                seen[found.iter().flatten().count().min(3)] += 1;
            }
        }
        assert!(seen[1] > 1000, "{n}: {seen:?}");
    }
}

/// Facets that were exported one by one, with corners a micrometre apart: what is outside is not inside.
#[test]
fn slits_between_facets_are_no_inside() {
    let (half, mut number) = (Vec3::new(0.01, 0.05, 0.05), numbers(3));
    let mut mesh = (vec![], vec![]);
    let (x, y, z, low) = (Vec3::X * 0.02, Vec3::Y * 0.1, Vec3::Z * 0.1, -half);
    for (from, u, v) in [(low, y, x), (low + z, x, y), (low, x, z), (low + y, z, x), (low, z, y), (low + x, y, z)] {
        sheet(&mut mesh, from, u, v, 4, 4);
    }
    let corners = mesh.1.iter().flatten().map(|&n| mesh.0[n as usize]);
    let vertices: Vec<Vec3> = corners.map(|c| c + Vec3::new(number(), number(), number()) * 1e-6).collect();
    let triangles = (0..vertices.len() as u32).step_by(3).map(|n| [n, n + 1, n + 2]).collect();
    let kind = crate::contact::ShapeKind::Mesh(crate::contact::Mesh { vertices, triangles });
    let shape = crate::contact::Shape::new(kind).unwrap();
    let (mut inside, mut outside) = (0, 0);
    for _ in 0..20_000 {
        let place = Vec3::new(number(), number(), number()) * (half + 0.02);
        let beyond = place.abs() - half;
        let distance = beyond.max(Vec3::ZERO).length() + beyond.max_element().min(0.0);
        let Some(found) = shape.surface_near(&crate::math::Pose::IDENTITY, place, 0.1) else { continue };
        assert!((found.distance - distance).abs() < 1e-5, "{} for {distance} at {place}", found.distance);
        *(if distance < 0.0 { &mut inside } else { &mut outside }) += 1;
    }
    assert!(inside > 1000 && outside > 1000);
}

/// A knife edge of 0.6 degrees whose faces are cut to needles, with coordinates rounded as in files.
#[test]
fn needles_at_an_edge_are_no_inside() {
    let half = Vec3::new(5e-4, 0.05, 0.05);
    let at = |x: f64, y: f64, z: f64| half * Vec3::new(x, y, z);
    let profile = |y: f64| [at(-1.0, y, -1.0), at(1.0, y, -1.0), at(0.0, y, 1.0)];
    let ([a, b, c], [d, e, f]) = (profile(-1.0), profile(1.0));
    let mut triangles = vec![[a, b, c], [d, f, e], [a, d, e], [a, e, b], [b, e, f], [b, f, c], [c, f, d], [c, d, a]];
    let mut number = numbers(11);
    for _ in 0..3 {
        let split = |[a, b, c]: [Vec3; 3]| {
            let fraction = [0.5, 0.02, 0.98][((number() + 1.0) * 1.5) as usize];
            let middle = b.lerp(c, fraction);
            [[a, b, middle], [middle, c, a]]
        };
        triangles = triangles.into_iter().flat_map(split).map(|[a, b, c]| [b, c, a]).collect();
    }
    let vertices = triangles.iter().flatten().map(|v| v.as_vec3().as_dvec3()).collect();
    let surface = surface(vertices, (0..triangles.len() as u32).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect());
    let mut seen = [0; 2];
    for n in 0..20_000 {
        // far away, and about the edge
        let size = if n % 2 == 0 { Vec3::splat(0.3) } else { Vec3::new(1e-3, 0.06, 0.06) };
        let point = size * Vec3::new(number(), number(), number());
        let scaled = point / half;
        let depth = (1.0 - scaled.y.abs()).min(1.0 + scaled.z).min(0.5 * (1.0 - scaled.z) - scaled.x.abs());
        if depth.abs() < 1e-4 {
            continue;
        }
        let foot = surface.mesh.project_local_point(point, false).point;
        assert_eq!(surface.is_behind(foot, point), depth > 0.0, "{point} of which {foot} is the nearest");
        seen[usize::from(depth > 0.0)] += 1;
    }
    assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
}
