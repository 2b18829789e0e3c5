//! What a contact is on, for shapes whose faces, edges and vertices are known by hand.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pliant::ObstacleLayout;
use pliant::contact::{Mesh, Shape, ShapeKind};
use pliant::math::Vec3;
use pliant_states::{Features, Kind};

fn features(kind: ShapeKind) -> Features {
    let is_plane = kind == ShapeKind::Plane;
    let outline = Shape::new(kind).unwrap().outline();
    Features::new(&ObstacleLayout { name: "it".into(), outline, is_plane }, 30f64.to_radians())
}

fn at(features: &Features, point: [f64; 3], normal: [f64; 3]) -> String {
    let feature = &features.list()[features.at(Vec3::from(point), Vec3::from(normal).normalize())];
    format!("{} {}", feature.kind.name(), feature.name).trim_end().into()
}

fn count(features: &Features) -> [usize; 3] {
    [Kind::Face, Kind::Edge, Kind::Vertex].map(|kind| features.list().iter().filter(|f| f.kind == kind).count())
}

/// A cube of edge 2 whose sides are divided into n x n squares of two triangles each, as a program might export it: each
/// triangle with vertices of its own.
fn cube(n: usize) -> Mesh {
    let mut mesh = Mesh::default();
    for (axis, sign) in (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
        let place = |u: f64, v: f64| {
            let mut p = [0.0; 3];
            (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (sign, sign * u, v);
            Vec3::from(p)
        };
        let grid = |k: usize| -1.0 + 2.0 * k as f64 / n as f64;
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| place(grid(i), grid(j)));
            for triangle in [[a, b, c], [a, c, d]] {
                let first = mesh.vertices.len() as u32;
                mesh.vertices.extend(triangle);
                mesh.triangles.push([first, first + 1, first + 2]);
            }
        }
    }
    mesh
}

#[test]
fn a_cube_is_a_cube_however_it_is_given() {
    let corners: Vec<Vec3> = (0..8)
        .map(|n| Vec3::new(f64::from(n & 1), f64::from(n >> 1 & 1), f64::from(n >> 2)) * 2.0 - Vec3::ONE)
        .collect();
    let kinds = [
        ShapeKind::Box { size: Vec3::splat(2.0) },
        ShapeKind::Convex { points: corners },
        ShapeKind::Mesh(cube(1)),
        ShapeKind::Mesh(cube(5)),
    ];
    for kind in kinds {
        let cube = features(kind.clone());
        assert_eq!(count(&cube), [6, 12, 8], "{kind:?}: {:?}", cube.list());
        // inside a face, on the diagonal between its triangles, and up to its edge
        for x in [0.3, 0.0, 0.99, 1.0] {
            assert_eq!(at(&cube, [x, x, 1.0], [0.0, 0.0, 1.0]), "face +z");
            assert_eq!(at(&cube, [x, -1.0, 0.2], [0.02, -1.0, 0.01]), "face -y");
        }
        assert_eq!(at(&cube, [1.0, 0.4, 1.0], [1.0, 0.0, 1.0]), "edge +x/+z");
        assert_eq!(at(&cube, [1.0, 0.4, 1.0], [0.3, 0.0, 1.0]), "edge +x/+z");
        assert_eq!(at(&cube, [-1.0, -1.0, 0.7], [-1.0, -1.0, 0.0]), "edge -x/-y");
        assert_eq!(at(&cube, [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]), "vertex +x/+y/+z");
        // just outside, as a contact of soft things is, and just inside
        assert_eq!(at(&cube, [0.3, 0.2, 1.01], [0.0, 0.0, 1.0]), "face +z");
        assert_eq!(at(&cube, [0.3, 0.2, 0.99], [0.0, 0.0, 1.0]), "face +z");
    }
}

#[test]
fn round_shapes_have_round_faces_and_no_edges_but_rims() {
    let drum = features(ShapeKind::Cylinder { radius: 1.0, length: 4.0 });
    assert_eq!(count(&drum), [3, 2, 0], "{:?}", drum.list());
    for angle in [0.0, 0.05, 0.098, 1.3, 4.0_f64] {
        let (c, s) = (angle.cos(), angle.sin());
        assert_eq!(at(&drum, [c, s, 0.5], [c, s, 0.0]), "face round");
        assert_eq!(at(&drum, [0.5 * c, 0.5 * s, 2.0], [0.0, 0.0, 1.0]), "face +z");
        let rim = at(&drum, [c, s, 2.0], [c, s, 1.0]);
        assert!(rim.starts_with("edge") && rim.contains("+z") && rim.contains("round"), "{rim}");
        assert_eq!(at(&features(ShapeKind::Sphere { radius: 1.0 }), [c, 0.0, s], [c, 0.0, s]), "face");
        assert_eq!(at(&features(ShapeKind::Capsule { radius: 1.0, length: 2.0 }), [c, s, 0.3], [c, s, 0.0]), "face");
    }
    assert_eq!(at(&features(ShapeKind::Plane), [1e6, 3.0, 0.0], [0.0, 0.0, 1.0]), "face");
}

/// An open sheet has a border, and terrain a smooth top; numbers that are none do no harm.
#[test]
fn open_and_damaged_surfaces() {
    let field = features(ShapeKind::HeightField { heights: vec![vec![0.0; 4]; 4], size: [2.0, 2.0] });
    assert_eq!(at(&field, [0.1, 0.1, 0.0], [0.0, 0.0, 1.0]), "face +z");
    assert!(at(&field, [1.0, 0.1, 0.0], [1.0, 0.0, 0.3]).starts_with("edge"));
    let cube = features(ShapeKind::Mesh(cube(2)));
    assert_eq!(cube.at(Vec3::NAN, Vec3::Z), 0);
    assert_eq!(cube.at(Vec3::ZERO, Vec3::ZERO.normalize()), 0);
    let nothing = ObstacleLayout { name: "it".into(), outline: Mesh::default(), is_plane: false };
    assert_eq!(Features::new(&nothing, 0.5).list().len(), 1);
}
