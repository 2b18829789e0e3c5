//! Faces, edges and vertices of an obstacle, and which of them a contact is on.
//!
//! Everything is taken from the triangles of its outline, so that a box, its convex hull and a mesh of the same cube have
//! the same features under the same names. A face is a region whose triangles meet at less than an angle: the inner
//! edges of a flat side are none, and neither are those by which a drum is divided for drawing.

mod build;

use std::collections::HashMap;

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{TriMesh, Triangle};
use pliant::ObstacleLayout;
use pliant::math::{Vec3, acos};
use serde::{Deserialize, Serialize};

use build::{Builder, normal};

/// A normal belongs to a face if it is nearer to the normal there than this [rad], beyond what curvature explains: 5
/// degrees.
const FACE: f64 = 0.087;
/// It belongs to an edge if it is no further than this from the plane across the edge [rad]: 10 degrees.
const EDGE: f64 = 0.175;

/// What a face, edge or vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A flat or smoothly curved region.
    Face,
    /// A convex line between two faces, or the border of an open surface.
    Edge,
    /// A point where edges meet.
    Vertex,
}

impl Kind {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Face => "face",
            Kind::Edge => "edge",
            Kind::Vertex => "vertex",
        }
    }
}

/// A part of an obstacle's surface.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Feature {
    /// What it is.
    pub kind: Kind,
    /// Its name among those of its kind, empty if it is the only one: `+z` for a flat face that looks in the direction
    /// of an axis of the obstacle, `round` or `round 2` for curved faces, `flat` or `flat 2` for other flat ones, `+x/+z` for
    /// the edge between two of them.
    pub name: String,
}

/// The features of an obstacle, in its own frame.
pub struct Features {
    list: Vec<Feature>,
    /// `None` for a plane.
    surface: Option<Surface>,
}

struct Surface {
    mesh: TriMesh,
    /// Face of each triangle, by index into `faces`.
    face_of: Vec<usize>,
    faces: Vec<Face>,
    /// Sharp edges beside each triangle.
    edges_of: Vec<Vec<usize>>,
    edges: Vec<Edge>,
    /// Feature of each corner among the vertices of the mesh.
    corners: HashMap<u32, usize>,
    reach: f64,
}

struct Face {
    feature: usize,
    /// Largest angle between neighbouring triangles in it [rad].
    bend: f64,
}

/// One side of a triangle at which faces meet.
struct Edge {
    feature: usize,
    ends: [Vec3; 2],
    /// Normals on its two sides; equal ones at the border of an open surface.
    normals: [Vec3; 2],
}

impl Features {
    /// The features of an obstacle. Triangles that meet at less than `angle` [rad] belong to one face.
    pub fn new(obstacle: &ObstacleLayout, angle: f64) -> Features {
        let only = || Features { list: vec![Feature { kind: Kind::Face, name: String::new() }], surface: None };
        if obstacle.is_plane {
            return only();
        }
        let mut mesh = obstacle.outline.clone();
        mesh.weld();
        mesh.triangles.retain(|t| normal(&mesh.vertices, t).is_some());
        Builder::new(&mesh, angle).and_then(Builder::build).unwrap_or_else(only)
    }

    /// All of them.
    pub fn list(&self) -> &[Feature] {
        &self.list
    }

    /// The feature that a contact at a point with an outward normal is on, as an index into [`Features::list`].
    ///
    /// The normal decides before the place: a rod that lies flat on a face up to its edge touches the face, one that is
    /// bent over the edge touches the edge.
    pub fn at(&self, point: Vec3, normal: Vec3) -> usize {
        match &self.surface {
            Some(surface) if point.is_finite() && normal.is_finite() => surface.at(point, normal),
            _ => 0,
        }
    }
}

impl Surface {
    fn at(&self, point: Vec3, normal: Vec3) -> usize {
        let nearest = self.mesh.project_local_point(point, false);
        let reach = self.reach + 2.0 * nearest.point.distance(point);
        let around = Aabb::new(point - Vec3::splat(reach), point + Vec3::splat(reach));
        let triangles: Vec<u32> = self.mesh.bvh().intersect_aabb(&around).collect();
        let on = |n: u32| self.mesh.triangle(n).distance_to_local_point(point, false) <= reach;
        let mut best = None;
        let mut edges: Vec<usize> = vec![];
        let mut corners: Vec<u32> = vec![];
        for n in triangles.into_iter().filter(|n| on(*n)) {
            let face = &self.faces[self.face_of[n as usize]];
            let away = angle_between(outward(&self.mesh.triangle(n)), normal);
            if away <= FACE + 0.5 * face.bend {
                return face.feature;
            }
            if best.is_none_or(|(least, _)| away < least) {
                best = Some((away, face.feature));
            }
            edges.extend(&self.edges_of[n as usize]);
            corners.extend(self.mesh.indices()[n as usize]);
        }
        let near_edges = edges.into_iter().map(|n| &self.edges[n]).filter(|edge| edge.distance(point) <= reach);
        let edge = near_edges.map(|edge| (edge.angle_from(normal), edge.feature)).min_by(|a, b| a.0.total_cmp(&b.0));
        let near_corners = corners.iter().filter(|n| self.mesh.vertices()[**n as usize].distance(point) <= reach);
        let corner = near_corners.filter_map(|n| self.corners.get(n)).next();
        match (edge, corner, best) {
            (Some((away, edge)), _, _) if away <= EDGE => edge,
            (_, Some(corner), _) => *corner,
            (Some((away, edge)), _, Some((least, _))) if away < least => edge,
            (_, _, Some((_, face))) => face,
            (Some((_, edge)), _, None) => edge,
            (None, None, None) => 0,
        }
    }
}

impl Edge {
    fn along(&self) -> Vec3 {
        (self.ends[1] - self.ends[0]).normalize_or_zero()
    }

    fn distance(&self, point: Vec3) -> f64 {
        let way = self.ends[1] - self.ends[0];
        let part = ((point - self.ends[0]).dot(way) / way.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (self.ends[0] + way * part).distance(point)
    }

    /// Angle between a direction and the fan of normals of the edge [rad].
    fn angle_from(&self, normal: Vec3) -> f64 {
        let along = self.along();
        let [a, b] = self.normals;
        let across = (normal - along * normal.dot(along)).normalize_or_zero();
        // within the fan, or at a border
        if a == b || (across.dot(a).min(across.dot(b)) >= a.dot(b) - 1e-9 && across.dot(a + b) > 0.0) {
            return angle_between(normal, across);
        }
        angle_between(normal, a).min(angle_between(normal, b))
    }
}

fn outward(triangle: &Triangle) -> Vec3 {
    triangle.scaled_normal().normalize_or_zero()
}

fn angle_between(a: Vec3, b: Vec3) -> f64 {
    let scale = (a.length() * b.length()).max(f64::MIN_POSITIVE);
    acos((a.dot(b) / scale).clamp(-1.0, 1.0))
}
