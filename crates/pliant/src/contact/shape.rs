//! Obstacle shapes, and the query that bodies make of them: which surface is near this point?
//!
//! Shapes are those of the collision library. Its cylinders lie along y, ours along z like the normal of a plane, so
//! each shape carries the rotation between the two. Convex hulls, meshes and height fields are all oriented triangle
//! meshes: one code path, no allocation in a query, and pseudo-normals decide what is inside.

use std::sync::Arc;

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::BvhNode;
use parry3d_f64::query;
use parry3d_f64::shape::{
    Ball, Capsule, Cuboid, Cylinder, HalfSpace, Segment, SharedShape, TriMesh, TriMeshFlags, Triangle,
};
use parry3d_f64::transformation;

use super::cores::{Core, cores};
use super::edges::edge_turns;
use super::mesh::{Mesh, Seams};
use super::round::Round;
use super::segments::segment_to_triangle;
use super::surface::{Hint, Nearby, Piece, Surface};
use crate::math::{Pose, Quat, Vec3, unit_or};

/// The geometry of an obstacle in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeKind {
    /// The half-space below z = 0: a floor or wall with normal +z.
    Plane,
    /// A ball about the origin.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A box about the origin.
    Box {
        /// Full edge lengths along x, y, z [m].
        size: Vec3,
    },
    /// A cylinder along z with round caps.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Length of the cylindrical part [m].
        length: f64,
    },
    /// A cylinder along z with flat ends.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Length [m].
        length: f64,
    },
    /// The convex hull of at least four points that span a volume.
    Convex {
        /// Points [m].
        points: Vec<Vec3>,
    },
    /// A triangle mesh whose normals (right-hand rule) point outwards.
    Mesh(Mesh),
    /// Terrain over a rectangle of the x-y plane, centred on the origin.
    HeightField {
        /// Heights [m]: rows along y, each of equal length along x.
        heights: Vec<Vec<f64>>,
        /// Full extent along x and y [m].
        size: [f64; 2],
    },
}

/// Why a shape cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// Too few elements to span a volume or surface.
    #[error("the {what} needs at least {least} {unit}, got {got}")]
    TooFew {
        /// Kind of shape.
        what: &'static str,
        /// Smallest number allowed.
        least: usize,
        /// What is counted.
        unit: &'static str,
        /// Number found.
        got: usize,
    },
    /// Rows of different length.
    #[error("row {row} of the height field has {got} heights, the first row has {expected}")]
    Ragged {
        /// Index of the first row that differs.
        row: usize,
        /// Its length.
        got: usize,
        /// Length of the first row.
        expected: usize,
    },
    /// A size that is not finite or not positive.
    #[error("the {what} must be finite and positive, got {value}")]
    Size {
        /// Which size.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The hull or mesh is degenerate.
    #[error("the {what} is degenerate: {why}")]
    Degenerate {
        /// Kind of shape.
        what: &'static str,
        /// Reason.
        why: String,
    },
}

/// The point of a shape's surface that is closest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Closest point on the surface, in the world [m].
    pub point: Vec3,
    /// Unit normal pointing out of the shape, in the world.
    pub normal: Vec3,
    /// Distance from the surface, negative inside [m].
    pub distance: f64,
}

/// A shape ready for queries.
#[derive(Clone)]
pub struct Shape {
    kind: ShapeKind,
    geometry: SharedShape,
    /// Rotation from the collision library's axes to ours; the identity except for cylinders.
    shape_from_geometry: Quat,
    /// Facets of a box or convex hull, in its own frame [m]; empty for other shapes.
    faces: Vec<[Vec3; 3]>,
    turns: Vec<[f64; 3]>,
    thickness: f64,
    /// For contact queries of shapes with facets.
    surface: Option<Arc<Surface>>,
    /// For contact queries of shapes without facets.
    round: Option<Round>,
    /// Whether the collision library knows the neighbour of every facet edge, so that its inside test can be trusted.
    sealed: bool,
    /// What of it can touch something else first.
    cores: Arc<[Core]>,
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind.fmt(f)
    }
}

impl Shape {
    /// Build the shape for queries; fails if a size is not finite and positive, or the geometry degenerate.
    pub fn new(kind: ShapeKind) -> Result<Shape, ShapeError> {
        let z_from_y = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        let (geometry, turn) = match &kind {
            ShapeKind::Plane => (SharedShape::new(HalfSpace::new(Vec3::Z)), Quat::IDENTITY),
            ShapeKind::Sphere { radius } => {
                positive("radius", *radius)?;
                (SharedShape::new(Ball::new(*radius)), Quat::IDENTITY)
            }
            ShapeKind::Box { size } => {
                for edge in size.to_array() {
                    positive("size", edge)?;
                }
                (SharedShape::new(Cuboid::new(*size * 0.5)), Quat::IDENTITY)
            }
            ShapeKind::Capsule { radius, length } => {
                positive("radius", *radius)?;
                positive("length", *length)?;
                (SharedShape::new(Capsule::new_z(length * 0.5, *radius)), Quat::IDENTITY)
            }
            ShapeKind::Cylinder { radius, length } => {
                positive("radius", *radius)?;
                positive("length", *length)?;
                (SharedShape::new(Cylinder::new(length * 0.5, *radius)), z_from_y)
            }
            ShapeKind::Convex { points } => (surface("convex hull", hull(points)?)?, Quat::IDENTITY),
            ShapeKind::Mesh(mesh) => (surface("mesh", mesh.clone())?, Quat::IDENTITY),
            ShapeKind::HeightField { heights, size } => {
                (surface("height field", ground(heights, *size)?)?, Quat::IDENTITY)
            }
        };
        let surface = match &kind {
            ShapeKind::Mesh(_) | ShapeKind::HeightField { .. } | ShapeKind::Convex { .. } => {
                geometry.as_trimesh().cloned()
            }
            ShapeKind::Box { size } => {
                let (vertices, triangles) = Cuboid::new(*size * 0.5).to_trimesh();
                TriMesh::new(vertices, triangles).ok()
            }
            _ => None,
        };
        let surface = surface.map(|mesh| Arc::new(Surface::new(mesh)));
        let (faces, turns, thickness) = (vec![], vec![], f64::INFINITY);
        let round = Round::of(&kind);
        let sealed = match &kind {
            ShapeKind::Mesh(_) => geometry.as_trimesh().is_none_or(|mesh| Seams::are_whole(mesh.indices())),
            _ => true,
        };
        let shape_from_geometry = turn;
        let cores = Arc::new([]);
        let mut shape =
            Shape { kind, geometry, shape_from_geometry, faces, turns, thickness, surface, round, sealed, cores };
        shape.cores = cores_of(&shape);
        if let ShapeKind::Box { .. } | ShapeKind::Convex { .. } = &shape.kind {
            let Mesh { vertices, triangles } = shape.outline();
            let low = vertices.iter().fold(Vec3::INFINITY, |low, v| low.min(*v));
            let high = vertices.iter().fold(Vec3::NEG_INFINITY, |high, v| high.max(*v));
            shape.thickness = (high - low).min_element();
            shape.turns = edge_turns(&vertices, &triangles);
            shape.faces = triangles.iter().map(|t| t.map(|n| vertices[n as usize])).collect();
        }
        Ok(shape)
    }

    /// Facets of a box or convex hull in its own frame [m], counter-clockwise seen from outside; empty for other
    /// shapes.
    pub fn faces(&self) -> &[[Vec3; 3]] {
        &self.faces
    }

    /// Balls, edges and rims whose hull it is, in its own frame; none for planes and height fields.
    pub(crate) fn cores(&self) -> &[Core] {
        &self.cores
    }

    /// Angles between neighbouring facets at their edges, see `edge_turns`.
    pub(crate) fn turns(&self) -> &[[f64; 3]] {
        &self.turns
    }

    /// The smallest extent of the facets along an axis [m]; infinite for shapes without [`Shape::faces`].
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// The geometry the shape was built from.
    pub fn kind(&self) -> &ShapeKind {
        &self.kind
    }

    /// The nearest point of the surface, if `point` is within `reach` [m] of it or inside the shape. For a mesh or
    /// height field, which may be open, `reach` bounds the depth as well.
    pub fn surface_near(&self, world_from_shape: &Pose, point: Vec3, reach: f64) -> Option<SurfacePoint> {
        let local = world_from_shape.inverse_transform_point(point);
        let face = match &self.round {
            Some(round) => round.surface_near(local, reach),
            None => self.facet_near(local, reach),
        }?;
        Some(SurfacePoint {
            point: world_from_shape.transform_point(face.point),
            normal: world_from_shape.transform_vector(face.normal),
            distance: face.distance,
        })
    }

    /// The nearest point as from [`Shape::surface_near`] first; where a mesh is concave, points on further faces follow
    /// in no particular order: in a groove a point has a face on either side. Entries of `faces` beyond those found are
    /// left as they were.
    pub fn surfaces_near(&self, world_from_shape: &Pose, point: Vec3, reach: f64, faces: &mut [Option<SurfacePoint>]) {
        faces[0] = self.surface_near(world_from_shape, point, reach);
        let (Some(mesh), Some(_)) = (self.geometry.as_trimesh(), faces[0]) else { return };
        // a point in front of a convex hull needs no second face
        if let ShapeKind::Convex { .. } = self.kind {
            return;
        }
        let local = world_from_shape.inverse_transform_point(point);
        let around = Aabb::new(local - Vec3::splat(reach), local + Vec3::splat(reach));
        let mut count = 1;
        for index in mesh.bvh().intersect_aabb(&around) {
            let triangle = mesh.triangle(index);
            let Some(normal) = triangle.scaled_normal().try_normalize() else { continue };
            let distance = normal.dot(local - triangle.a);
            let foot = local - normal * distance;
            if !(0.0..=reach).contains(&distance) || !is_over(&triangle, foot) {
                continue;
            }
            let normal = world_from_shape.transform_vector(normal);
            // faces of almost equal direction count as one
            let known = |f: &Option<SurfacePoint>| f.is_some_and(|f| f.normal.dot(normal) > SAME_FACE);
            if count < faces.len() && !faces[..count].iter().any(known) {
                faces[count] = Some(SurfacePoint { point: world_from_shape.transform_point(foot), normal, distance });
                count += 1;
            }
        }
    }

    /// The surface for contact queries, of a shape with facets.
    pub(crate) fn surface(&self) -> Option<&Surface> {
        self.surface.as_deref()
    }

    /// Contacts of a piece of a rod with the shape within `reach` [m], nearest first. On a shape with facets, contacts
    /// with equal normals that are close to each other along the piece count once; a round shape gives a single one.
    pub(crate) fn near_piece(
        &self,
        world_from_shape: &Pose,
        piece: &Piece,
        radius: f64,
        reach: f64,
        hint: Hint,
        found: &mut [Option<Nearby>],
    ) {
        let local = Piece {
            middle: world_from_shape.inverse_transform_point(piece.middle),
            along: world_from_shape.rotation.inverse() * piece.along,
            ..*piece
        };
        match (&self.round, &self.surface) {
            (Some(round), _) => found[0] = round.nearest(&local, reach, EXACT * radius),
            (_, Some(surface)) => {
                surface.near(&local, reach, APART * radius, hint, found);
                if found[0].is_none() && !surface.is_far(local.middle, radius) {
                    // nothing in front of the surface: the piece may be inside
                    let inside = self.facet_near(local.middle, radius).filter(|face| face.distance < 0.0);
                    found[0] = inside.map(|face| Nearby::new(&local, 0.0, face.normal, face.distance));
                }
            }
            _ => {}
        }
        for place in found.iter_mut().flatten() {
            place.normal = world_from_shape.transform_vector(place.normal);
        }
    }

    /// Distance of a segment, in the shape's frame, from the surface of a mesh or from any other shape [m]; zero where
    /// it passes through or, except for a mesh, lies inside.
    pub(crate) fn distance_of_segment(&self, ends: &[Vec3; 2]) -> f64 {
        if let Some(mesh) = self.geometry.as_trimesh() {
            return distance_from_mesh(mesh, ends);
        }
        let segment = Segment::new(ends[0], ends[1]);
        let geometry = self.world_from_geometry(&Pose::IDENTITY);
        let found = query::distance(&geometry, &*self.geometry, &Pose::IDENTITY, &segment);
        found.map_or(f64::INFINITY, |d| d.distance)
    }

    /// Smallest signed distance of five points on a segment, in the shape's frame, from the surface [m]; zero if all
    /// are outside.
    pub(crate) fn least_distance(&self, ends: &[Vec3; 2]) -> f64 {
        let reach = (ends[1] - ends[0]).length() + 1.0;
        let at = |k: u32| self.surface_near(&Pose::IDENTITY, ends[0].lerp(ends[1], 0.25 * f64::from(k)), reach);
        (0..=4).filter_map(at).map(|face| face.distance).fold(0.0, f64::min)
    }

    fn world_from_geometry(&self, world_from_shape: &Pose) -> Pose {
        Pose::from_parts(world_from_shape.translation, world_from_shape.rotation * self.shape_from_geometry)
    }

    /// The nearest surface point of a shape with facets, in its own frame.
    fn facet_near(&self, local: Vec3, reach: f64) -> Option<SurfacePoint> {
        let projection = match self.kind {
            // an open mesh has no inside far from its surface
            ShapeKind::Mesh(_) | ShapeKind::HeightField { .. } => {
                self.geometry.project_local_point_with_max_dist(local, false, reach)?
            }
            _ => self.geometry.project_local_point(local, false),
        };
        let offset = local - projection.point;
        let depth = offset.length();
        let is_inside = match &self.surface {
            Some(surface) if !self.sealed => surface.is_behind(projection.point, local),
            _ => projection.is_inside,
        };
        if !is_inside && depth > reach {
            return None;
        }
        // on the surface itself the offset has no direction: take the normal there
        let normal = if depth > 1e-12 * (1.0 + local.length()) {
            if is_inside { -offset / depth } else { offset / depth }
        } else {
            self.outward_at(projection.point, projection.subshape)
        };
        let distance = if is_inside { -depth } else { depth };
        Some(SurfacePoint { point: projection.point, normal, distance })
    }

    /// Outward normal at a surface point of a shape with facets, in its own frame.
    fn outward_at(&self, on_surface: Vec3, triangle: u32) -> Vec3 {
        if let Some(mesh) = self.geometry.as_trimesh() {
            let normal = mesh.triangle(triangle % (mesh.num_triangles() as u32)).scaled_normal();
            return unit_or(normal, Vec3::Z);
        }
        let from_middle = unit_or(on_surface, Vec3::Z);
        let lifted = on_surface + from_middle * (1e-6 * (1.0 + on_surface.length()));
        let projected = self.geometry.project_local_point(lifted, false).point;
        unit_or(lifted - projected, from_middle)
    }

    /// Lower and upper corner of the bounding box at a pose, in the world [m]; infinite for a plane.
    pub fn bounds(&self, world_from_shape: &Pose) -> [Vec3; 2] {
        if let ShapeKind::Plane = self.kind {
            return [Vec3::NEG_INFINITY, Vec3::INFINITY];
        }
        let aabb = self.geometry.compute_aabb(&self.world_from_geometry(world_from_shape));
        [aabb.mins, aabb.maxs]
    }

    /// Triangles for drawing, in the shape's frame [m]; empty for a plane.
    pub fn outline(&self) -> Mesh {
        // subdivisions around an axis, for drawing only
        const ROUND: u32 = 32;
        let (vertices, triangles) = match &self.kind {
            ShapeKind::Plane => return Mesh::default(),
            ShapeKind::Sphere { radius } => Ball::new(*radius).to_trimesh(ROUND, ROUND / 2),
            ShapeKind::Box { size } => Cuboid::new(*size * 0.5).to_trimesh(),
            ShapeKind::Capsule { radius, length } => Capsule::new_z(length * 0.5, *radius).to_trimesh(ROUND, ROUND / 2),
            ShapeKind::Cylinder { radius, length } => Cylinder::new(length * 0.5, *radius).to_trimesh(ROUND),
            ShapeKind::Convex { .. } | ShapeKind::Mesh(_) | ShapeKind::HeightField { .. } => {
                self.geometry.as_trimesh().map(|m| (m.vertices().to_vec(), m.indices().to_vec())).unwrap_or_default()
            }
        };
        Mesh { vertices: vertices.into_iter().map(|v| self.shape_from_geometry * v).collect(), triangles }
    }
}

/// Distance of a segment from the triangles of a mesh [m].
fn distance_from_mesh(mesh: &TriMesh, ends: &[Vec3; 2]) -> f64 {
    let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    let apart = |node: &BvhNode, _| (node.mins() - high).max(low - node.maxs()).max(Vec3::ZERO).length();
    let exactly = |index: u32, _| {
        let triangle = mesh.triangle(index);
        Some(segment_to_triangle(ends, &[triangle.a, triangle.b, triangle.c]))
    };
    mesh.bvh().find_best(f64::MAX, apart, exactly).map_or(f64::INFINITY, |(_, distance): (_, f64)| distance)
}

fn cores_of(shape: &Shape) -> Arc<[Core]> {
    match &shape.kind {
        ShapeKind::Convex { .. } | ShapeKind::Mesh(_) => cores(&shape.kind, &shape.outline()).into(),
        kind => cores(kind, &Mesh::default()).into(),
    }
}

/// Contacts with equal normals closer than this many radii count once.
const APART: f64 = 2.0;

/// Tolerance of the nearest place along a piece, relative to its radius: its error in distance is of second order.
const EXACT: f64 = 1e-3;

/// Cosine above which two normals belong to one face: 20 degrees.
const SAME_FACE: f64 = 0.94;

/// Whether a point in a triangle's plane lies within it, edges included.
fn is_over(triangle: &Triangle, point: Vec3) -> bool {
    let corners = [triangle.a, triangle.b, triangle.c];
    let normal = triangle.scaled_normal();
    (0..3).all(|i| {
        let (from, to) = (corners[i], corners[(i + 1) % 3]);
        (to - from).cross(point - from).dot(normal) >= 0.0
    })
}

fn positive(what: &'static str, value: f64) -> Result<(), ShapeError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(ShapeError::Size { what, value }) }
}

fn hull(points: &[Vec3]) -> Result<Mesh, ShapeError> {
    if points.len() < 4 {
        return Err(ShapeError::TooFew { what: "convex hull", least: 4, unit: "points", got: points.len() });
    }
    let (vertices, triangles) = transformation::try_convex_hull(points)
        .map_err(|e| ShapeError::Degenerate { what: "convex hull", why: e.to_string() })?;
    Ok(Mesh { vertices, triangles })
}

/// An oriented triangle mesh; equal vertices are merged so that edges know their neighbours.
fn surface(what: &'static str, mut mesh: Mesh) -> Result<SharedShape, ShapeError> {
    if mesh.triangles.is_empty() {
        return Err(ShapeError::TooFew { what, least: 1, unit: "triangles", got: 0 });
    }
    let count = mesh.vertices.len();
    if let Some(bad) = mesh.triangles.iter().flatten().find(|&&i| i as usize >= count) {
        let why = format!("a triangle names vertex {bad}, there are {count}");
        return Err(ShapeError::Degenerate { what, why });
    }
    if let Some(bad) = mesh.vertices.iter().find(|v| !v.is_finite()) {
        return Err(ShapeError::Degenerate { what, why: format!("vertex {bad} is not finite") });
    }
    mesh.weld();
    let least = mesh.tolerance();
    if (0..mesh.triangles.len()).all(|triangle| mesh.height(triangle) <= least) {
        return Err(ShapeError::Degenerate { what, why: "every triangle has zero area".into() });
    }
    let flags = TriMeshFlags::ORIENTED | TriMeshFlags::DELETE_DEGENERATE_TRIANGLES;
    let mesh = TriMesh::with_flags(mesh.vertices, mesh.triangles, flags)
        .map_err(|e| ShapeError::Degenerate { what, why: e.to_string() })?;
    Ok(SharedShape::new(mesh))
}

fn ground(heights: &[Vec<f64>], size: [f64; 2]) -> Result<Mesh, ShapeError> {
    let (rows, columns) = (heights.len(), heights.first().map_or(0, Vec::len));
    if rows.min(columns) < 2 {
        let got = rows.min(columns);
        return Err(ShapeError::TooFew { what: "height field", least: 2, unit: "rows and columns", got });
    }
    if let Some(row) = heights.iter().position(|r| r.len() != columns) {
        return Err(ShapeError::Ragged { row, got: heights[row].len(), expected: columns });
    }
    positive("size", size[0])?;
    positive("size", size[1])?;
    let place = |i: usize, n: usize, extent: f64| (i as f64 / (n - 1) as f64 - 0.5) * extent;
    let mut mesh = Mesh::default();
    for (j, row) in heights.iter().enumerate() {
        for (i, &height) in row.iter().enumerate() {
            mesh.vertices.push(Vec3::new(place(i, columns, size[0]), place(j, rows, size[1]), height));
        }
    }
    for j in 0..rows - 1 {
        for i in 0..columns - 1 {
            let a = (j * columns + i) as u32;
            let (b, c) = (a + 1, a + columns as u32);
            mesh.triangles.extend([[a, b, c + 1], [a, c + 1, c]]);
        }
    }
    Ok(mesh)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Distance and normal of every shape at points whose answer is known by hand, in a turned and moved frame.
    #[test]
    fn surfaces_are_where_geometry_says() {
        let cube = || {
            let c = [-1.0, 1.0];
            let mut points = vec![];
            for x in c {
                for y in c {
                    for z in c {
                        points.push(Vec3::new(x, y, z));
                    }
                }
            }
            points
        };
        let hull_mesh = hull(&cube()).unwrap();
        let cases: Vec<(ShapeKind, Vec3, f64, Vec3)> = vec![
            (ShapeKind::Plane, Vec3::new(0.3, 0.2, 0.1), 0.1, Vec3::Z),
            (ShapeKind::Plane, Vec3::new(0.3, 0.2, -0.1), -0.1, Vec3::Z),
            (ShapeKind::Sphere { radius: 1.0 }, Vec3::new(0.0, 1.5, 0.0), 0.5, Vec3::Y),
            (ShapeKind::Sphere { radius: 1.0 }, Vec3::new(0.0, 0.75, 0.0), -0.25, Vec3::Y),
            (ShapeKind::Box { size: Vec3::splat(2.0) }, Vec3::new(0.1, 0.2, 0.9), -0.1, Vec3::Z),
            (ShapeKind::Box { size: Vec3::splat(2.0) }, Vec3::new(-1.2, 0.0, 0.0), 0.2, -Vec3::X),
            (ShapeKind::Cylinder { radius: 0.5, length: 2.0 }, Vec3::new(0.0, 0.7, 0.8), 0.2, Vec3::Y),
            (ShapeKind::Cylinder { radius: 0.5, length: 2.0 }, Vec3::new(0.0, 0.0, 1.3), 0.3, Vec3::Z),
            (ShapeKind::Cylinder { radius: 0.5, length: 2.0 }, Vec3::new(0.4, 0.0, 0.1), -0.1, Vec3::X),
            (ShapeKind::Capsule { radius: 0.5, length: 2.0 }, Vec3::new(0.0, 0.0, 1.7), 0.2, Vec3::Z),
            (ShapeKind::Capsule { radius: 0.5, length: 2.0 }, Vec3::new(0.6, 0.0, 0.5), 0.1, Vec3::X),
            (ShapeKind::Convex { points: cube() }, Vec3::new(0.1, -0.2, 0.8), -0.2, Vec3::Z),
            (ShapeKind::Convex { points: cube() }, Vec3::new(0.1, -0.2, 1.3), 0.3, Vec3::Z),
            (ShapeKind::Mesh(hull_mesh), Vec3::new(0.9, 0.1, 0.2), -0.1, Vec3::X),
            (
                ShapeKind::HeightField { heights: vec![vec![0.5; 5]; 4], size: [2.0, 2.0] },
                Vec3::new(0.1, 0.2, 0.4),
                -0.1,
                Vec3::Z,
            ),
            (
                ShapeKind::HeightField { heights: vec![vec![0.5; 5]; 4], size: [2.0, 2.0] },
                Vec3::new(0.1, 0.2, 0.6),
                0.1,
                Vec3::Z,
            ),
        ];
        let pose = Pose::from_parts(Vec3::new(3.0, -1.0, 2.0), Quat::from_euler(glamx::EulerRot::XYZ, 0.3, -0.8, 1.1));
        for (kind, local, distance, normal) in cases {
            let shape = Shape::new(kind.clone()).unwrap();
            let s = shape.surface_near(&pose, pose.transform_point(local), 1.0).unwrap();
            assert!((s.distance - distance).abs() < 1e-9, "{kind:?} at {local}: {} for {distance}", s.distance);
            assert!((s.normal - pose.transform_vector(normal)).length() < 1e-9, "{kind:?} at {local}");
            let back = s.point + s.normal * s.distance;
            assert!((back - pose.transform_point(local)).length() < 1e-9);
        }
    }

    #[test]
    fn a_groove_has_a_face_on_either_side() {
        let heights = (0..2).map(|_| vec![0.5, 0.0, 0.5]).collect();
        let groove = Shape::new(ShapeKind::HeightField { heights, size: [1.0, 1.0] }).unwrap();
        let mut faces = [None; 4];
        groove.surfaces_near(&Pose::IDENTITY, Vec3::new(0.01, 0.1, 0.1), 0.2, &mut faces);
        let normals: Vec<Vec3> = faces.iter().flatten().map(|f| f.normal).collect();
        assert_eq!(normals.len(), 2, "{normals:?}");
        // the nearer slope rises to the right of the valley
        assert!((normals[0] - Vec3::new(-1.0, 0.0, 1.0).normalize()).length() < 1e-12);
        assert!((normals[1] - Vec3::new(1.0, 0.0, 1.0).normalize()).length() < 1e-12);
    }

    /// A wedge with an edge sharper than a right angle that is divided on one side: points around it are on the side
    /// that geometry says.
    #[test]
    fn the_inside_of_a_mesh_does_not_depend_on_shared_corners() {
        let (tip, base) = (Vec3::new(1.0, 0.0, 0.0), [Vec3::new(-1.0, 0.0, 0.1), Vec3::new(-1.0, 0.0, -0.1)]);
        let at = |p: Vec3, y: f64| p + Vec3::Y * y;
        let mut mesh = Mesh::default();
        // polygons as fans about one of their corners
        let mut add = |corners: &[Vec3], about: u32| {
            let (first, n) = (mesh.vertices.len() as u32, corners.len() as u32);
            mesh.vertices.extend(corners);
            let fan = (1..n - 1).map(|k| [about, about + k, about + k + 1]);
            mesh.triangles.extend(fan.map(|t| t.map(|c| first + c % n)));
        };
        add(&[at(tip, -1.0), at(tip, 0.3), at(tip, 1.0), at(base[0], 1.0), at(base[0], -1.0)], 3);
        add(&[at(tip, 1.0), at(tip, -1.0), at(base[1], -1.0), at(base[1], 1.0)], 0);
        add(&[at(base[1], 1.0), at(base[1], -1.0), at(base[0], -1.0), at(base[0], 0.2), at(base[0], 1.0)], 0);
        add(&[at(tip, -1.0), at(base[0], -1.0), at(base[1], -1.0)], 0);
        add(&[at(tip, 1.0), at(base[1], 1.0), at(base[0], 1.0)], 0);
        mesh.weld();
        assert_eq!(mesh.clone().mend(), crate::contact::Findings { shells: 1, ..Default::default() });
        let wedge = Shape::new(ShapeKind::Mesh(mesh)).unwrap();
        assert!(!wedge.sealed);
        let mut checked = 0;
        for (i, j) in (-30..=30).flat_map(|i| (-12..=12).map(move |j| (i, j))) {
            let p = Vec3::new(f64::from(i) / 19.0, 0.123, f64::from(j) / 39.0);
            let inside = p.z.abs() < 0.05 * (1.0 - p.x) && p.x > -1.0;
            let found = wedge.surface_near(&Pose::IDENTITY, p, 3.0).unwrap();
            assert!(found.distance.abs() < 1e-9 || (found.distance < 0.0) == inside, "{p}: {found:?}");
            checked += usize::from(inside);
        }
        assert!(checked > 60, "{checked}");
    }

    #[test]
    fn a_point_on_the_surface_has_a_normal() {
        let cases = [
            (ShapeKind::Sphere { radius: 1.0 }, Vec3::Y, Vec3::Y),
            (ShapeKind::Box { size: Vec3::splat(2.0) }, Vec3::new(0.2, 0.1, 1.0), Vec3::Z),
            (ShapeKind::Cylinder { radius: 1.0, length: 4.0 }, Vec3::new(1.0, 0.0, 0.2), Vec3::X),
        ];
        for (kind, local, normal) in cases {
            let s = Shape::new(kind).unwrap().surface_near(&Pose::IDENTITY, local, 0.1).unwrap();
            assert!(s.distance.abs() < 1e-12);
            assert!((s.normal - normal).length() < 1e-5, "{:?}", s.normal);
        }
    }

    #[test]
    fn broken_shapes_are_refused_with_a_reason() {
        let refused = |kind| Shape::new(kind).unwrap_err().to_string();
        assert!(refused(ShapeKind::Sphere { radius: 0.0 }).contains("radius"));
        assert!(refused(ShapeKind::Convex { points: vec![Vec3::ZERO; 3] }).contains("at least 4"));
        assert!(refused(ShapeKind::Mesh(Mesh::default())).contains("triangles"));
        let ragged = vec![vec![0.0, 0.0], vec![0.0]];
        assert!(refused(ShapeKind::HeightField { heights: ragged, size: [1.0, 1.0] }).contains("row 1"));
        let outside = Mesh { vertices: vec![Vec3::ZERO; 3], triangles: vec![[0, 1, 7]] };
        assert!(refused(ShapeKind::Mesh(outside)).contains("vertex 7"));
    }
}
