//! Meshes broken on purpose.

use super::*;

fn check(mesh: &Mesh) -> Result<Checked, BrokenMesh> {
    check_mesh(mesh, &MeshLimits::default())
}

fn cube() -> Mesh {
    box_mesh(Vec3::ZERO, Vec3::ONE)
}

/// Two meshes as one.
fn together(a: &Mesh, b: &Mesh) -> Mesh {
    let first = a.vertices.len() as u32;
    let vertices = a.vertices.iter().chain(&b.vertices).copied().collect();
    let triangles = a.triangles.iter().copied().chain(b.triangles.iter().map(|t| t.map(|v| v + first))).collect();
    Mesh { vertices, triangles }
}

fn turned(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    mesh
}

/// A cube without the triangles for which a coordinate of all corners has a value.
fn without(sides: &[(usize, f64)]) -> Mesh {
    let mut mesh = cube();
    let vertices = mesh.vertices.clone();
    mesh.triangles.retain(|t| !sides.iter().any(|(axis, x)| t.iter().all(|v| vertices[*v as usize][*axis] == *x)));
    mesh
}

#[test]
fn a_sound_mesh_passes_as_it_is() {
    for mesh in
        [cube(), prism(7, 1.0, 1.0, Rings { per_edge: 2, rings: 2 }, 2).unwrap().outer_facets(QuadCut::Centre).mesh]
    {
        let checked = check(&mesh).unwrap();
        let same = Moments::of_mesh(&mesh).volume - Moments::of_mesh(&checked.mesh).volume;
        assert!(same.abs() < 1e-15);
        assert!(checked.warnings.iter().all(|w| matches!(w, MeshWarning::Unused { .. })), "{:?}", checked.warnings);
    }
    assert_eq!(check(&cube()).unwrap(), Checked { mesh: cube(), warnings: vec![] });
}

#[test]
fn vertices_of_an_stl_are_merged() {
    let cube = cube();
    let vertices: Vec<Vec3> = cube.triangles.iter().flatten().map(|v| cube.vertices[*v as usize]).collect();
    let triangles = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let checked = check(&Mesh { vertices, triangles }).unwrap();
    assert_eq!(checked.warnings, [MeshWarning::Merged { vertices: 28 }]);
    assert_eq!(checked.mesh.vertices.len(), 8);
    assert!((Moments::of_mesh(&checked.mesh).volume - 1.0).abs() < 1e-15);
}

#[test]
fn degenerate_triangles_go() {
    let mut mesh = cube();
    let first = mesh.triangles[0];
    mesh.triangles.extend([[0, 0, 1], [2, 3, 2], first]);
    // a fin back to back
    mesh.triangles.extend([[0, 1, 6], [1, 0, 6]]);
    let checked = check(&mesh).unwrap();
    assert!(matches!(checked.warnings[..], [MeshWarning::Dropped { triangles: 5, .. }]), "{:?}", checked.warnings);
    assert_eq!(checked.mesh.triangles.len(), 12);
}

#[test]
fn one_plane_hole_is_closed_and_others_are_refused() {
    let checked = check(&without(&[(2, 1.0)])).unwrap();
    assert!((Moments::of_mesh(&checked.mesh).volume - 1.0).abs() < 1e-15);
    let hole = MeshWarning::FilledHole { edges: 4, at: Vec3::new(0.5, 0.5, 1.0) };
    assert_eq!(checked.warnings, [hole]);
    // a tube, and a corner of three sides gone
    assert!(matches!(check(&without(&[(2, 1.0), (2, 0.0)])), Err(BrokenMesh::Open { edges: 8, .. })));
    let corner = check(&without(&[(0, 1.0), (1, 1.0), (2, 1.0)]));
    assert!(matches!(corner, Err(BrokenMesh::Open { edges: 6, .. })), "{corner:?}");
    // open and inside out; and with the hole in the second of two parts
    let checked = check(&turned(without(&[(2, 1.0)]))).unwrap();
    assert!((Moments::of_mesh(&checked.mesh).volume - 1.0).abs() < 1e-15);
    let far = box_mesh(Vec3::splat(5.0), Vec3::splat(6.0));
    let checked = check(&together(&far, &turned(without(&[(2, 1.0)])))).unwrap();
    assert!((Moments::of_mesh(&checked.mesh).volume - 2.0).abs() < 1e-14);
    // a hole that is not convex: the top of a swept L
    let l = [[0., 0.], [3., 0.], [3., 0.5], [0.5, 0.5], [0.5, 3.], [0., 3.]].map(|[x, y]| Vec3::new(x, y, 0.0));
    let bottom = Patch { points: l.to_vec(), facets: vec![Facet::Quad([0, 1, 2, 3]), Facet::Quad([0, 3, 4, 5])] };
    let top: Vec<Vec3> = l.iter().map(|p| *p + Vec3::Z).collect();
    let mut mesh = sweep(&bottom, &top, 1).unwrap().outer_facets(QuadCut::Diagonal).mesh;
    mesh.triangles.retain(|t| !t.iter().all(|v| *v >= 6));
    let checked = check(&mesh).unwrap();
    assert!(matches!(checked.warnings[..], [MeshWarning::FilledHole { edges: 6, .. }]), "{:?}", checked.warnings);
    assert!((Moments::of_mesh(&checked.mesh).volume - 2.75).abs() < 1e-14);
}

#[test]
fn triangles_are_turned_outwards() {
    let checked = check(&turned(cube())).unwrap();
    assert_eq!(checked.warnings, [MeshWarning::Inverted { triangles: 12 }]);
    assert!((Moments::of_mesh(&checked.mesh).volume - 1.0).abs() < 1e-15);
    for one in 0..12 {
        let mut mesh = cube();
        mesh.triangles[one].swap(0, 1);
        let checked = check(&mesh).unwrap();
        assert!(matches!(checked.warnings[..], [MeshWarning::Turned { triangles: 1, .. }]), "{:?}", checked.warnings);
        assert!((Moments::of_mesh(&checked.mesh).volume - 1.0).abs() < 1e-15);
    }
}

#[test]
fn interpenetrating_cubes_are_refused() {
    // by half along the diagonal: edges meet just the diagonals of the facets; and by odd amounts
    for shift in [Vec3::splat(0.5), Vec3::new(0.3, 0.4, 0.7), Vec3::new(0.5, 0.0, 0.0), Vec3::new(1e-6, 0.5, 1e-6)] {
        let both = together(&cube(), &box_mesh(shift, shift + 1.0));
        let got = check(&both);
        let Err(BrokenMesh::Crossing { pairs, at, .. }) = got else { panic!("{shift}: {got:?}") };
        assert!(pairs > 0 && at.cmpge(Vec3::splat(-1e-9)).all() && at.cmple(shift + 1.0 + 1e-9).all());
    }
    // a cube lying on another over half its side
    let on_top = together(&cube(), &box_mesh(Vec3::new(0.5, 0.25, 1.0), Vec3::new(1.5, 0.75, 2.0)));
    assert!(matches!(check(&on_top), Err(BrokenMesh::Crossing { .. })));
    // a spike of a surface through itself: a corner pulled through the opposite side
    let mut spike = cube();
    spike.vertices[0] = Vec3::new(0.6, 0.7, 1.5);
    assert!(matches!(check(&spike), Err(BrokenMesh::Crossing { .. })), "{:?}", check(&spike));
}

#[test]
fn parts_and_cavities() {
    let apart = together(&cube(), &turned(box_mesh(Vec3::splat(2.0), Vec3::splat(3.0))));
    let checked = check(&apart).unwrap();
    assert!(checked.warnings.iter().any(|w| matches!(w, MeshWarning::Parts { parts: 2, .. })));
    assert!((Moments::of_mesh(&checked.mesh).volume - 2.0).abs() < 1e-14);
    let limits = MeshLimits { parts: 1, ..MeshLimits::default() };
    assert!(matches!(check_mesh(&apart, &limits), Err(BrokenMesh::TooManyParts { parts: 2, most: 1, .. })));
    // a hollow faces inwards whichever way it was given, and what lies in the hollow is solid again
    let hollow = box_mesh(Vec3::splat(0.25), Vec3::splat(0.75));
    for inner in [hollow.clone(), turned(hollow.clone())] {
        let checked = check(&together(&cube(), &inner)).unwrap();
        assert!(checked.warnings.iter().any(|w| matches!(w, MeshWarning::Cavities { cavities: 1, .. })));
        assert!((Moments::of_mesh(&checked.mesh).volume - 0.875).abs() < 1e-14);
    }
    let core = box_mesh(Vec3::splat(0.4), Vec3::splat(0.6));
    let checked = check(&together(&together(&cube(), &hollow), &core)).unwrap();
    assert!((Moments::of_mesh(&checked.mesh).volume - 0.883).abs() < 1e-14);
}

#[test]
fn meshes_that_bound_nothing_are_refused() {
    let flat = Mesh { vertices: cube().vertices.iter().map(|v| Vec3::new(v.x, v.y, 0.3)).collect(), ..cube() };
    assert!(matches!(check(&flat), Err(BrokenMesh::Flat { .. })), "{:?}", check(&flat));
    let slanted = Mesh { vertices: cube().vertices.iter().map(|v| Vec3::new(v.x, v.y, v.x - v.y)).collect(), ..cube() };
    assert!(matches!(check(&slanted), Err(BrokenMesh::Flat { .. })), "{:?}", check(&slanted));
    let sheet = Mesh { vertices: vec![Vec3::ZERO, Vec3::X, Vec3::ONE], triangles: vec![[0, 1, 2]] };
    assert!(matches!(check(&sheet), Err(BrokenMesh::Flat { .. })), "{:?}", check(&sheet));
    let mut nan = cube();
    nan.vertices[5].z = f64::NAN;
    nan.vertices[6].x = f64::INFINITY;
    assert!(matches!(check(&nan), Err(BrokenMesh::NotFinite { count: 2, vertex: 5, .. })));
    assert_eq!(check(&Mesh::default()), Err(BrokenMesh::Empty));
    let mut stray = cube();
    stray.triangles[3][1] = 99;
    assert_eq!(check(&stray), Err(BrokenMesh::NoVertex { triangle: 3, vertex: 99, count: 8 }));
    let limits = MeshLimits { triangles: 11, ..MeshLimits::default() };
    assert_eq!(check_mesh(&cube(), &limits), Err(BrokenMesh::TooMany { triangles: 12, most: 11 }));
    let huge = Mesh { vertices: cube().vertices.iter().map(|v| *v * 1e200).collect(), ..cube() };
    assert!(matches!(check(&huge), Err(BrokenMesh::Huge { .. })));
    // two cubes along a common edge
    let beside = together(&cube(), &box_mesh(Vec3::new(1.0, 1.0, 0.0), Vec3::new(2.0, 2.0, 1.0)));
    assert!(matches!(check(&beside), Err(BrokenMesh::Branching { edges: 1, .. })));
}

/// A Moebius strip has no sides; it is open too, but that it has no sides is found first.
#[test]
fn one_sided_surfaces_are_refused() {
    let n = 20;
    let point = |i: usize, s: f64| {
        let t = std::f64::consts::TAU * i as f64 / n as f64;
        let r = 1.0 + 0.3 * s * (t / 2.0).cos();
        Vec3::new(r * t.cos(), r * t.sin(), 0.3 * s * (t / 2.0).sin())
    };
    let vertices = (0..n).flat_map(|i| [point(i, -1.0), point(i, 1.0)]).collect();
    let index = |i: usize, side: usize| (2 * (i % n) + if i >= n { 1 - side } else { side }) as u32;
    let quad = |i: usize| [index(i, 0), index(i + 1, 0), index(i + 1, 1), index(i, 1)];
    let triangles = (0..n).map(quad).flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let got = check(&Mesh { vertices, triangles });
    assert!(matches!(got, Err(BrokenMesh::OneSided { .. })), "{got:?}");
}

/// Random soups of triangles: an answer, never a panic.
#[test]
fn anything_gets_an_answer() {
    let mut next = numbers(23);
    let special = [0.0, 1.0, -1.0, 1e-300, 1e300, f64::NAN, f64::INFINITY, 0.5];
    for round in 0..3000 {
        let mut number = || {
            let x = next();
            if x > 0.2 { special[(x * 40.0) as usize % if round % 2 == 0 { 3 } else { 8 }] } else { x }
        };
        let count = 4 + (round % 7);
        let vertices: Vec<Vec3> = (0..count).map(|_| Vec3::new(number(), number(), number())).collect();
        let mut index = || ((next() + 1.0) * 0.5 * (count as f64 + 0.02)) as u32;
        let triangles: Vec<[u32; 3]> = (0..4 + round % 13).map(|_| [index(), index(), index()]).collect();
        let mesh = Mesh { vertices, triangles };
        let _ = check(&mesh).map_err(|e| e.to_string());
        let _ = russian_doll(&Patch::from(&mesh), 2);
        let _ = polygon(&mesh.vertices, Rings { per_edge: 2, rings: 2 });
        let _ = sweep(&Patch::from(&mesh), &mesh.vertices, 2);
    }
}
