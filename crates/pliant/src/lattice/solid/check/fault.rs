//! Errors and warnings about meshes.

use crate::math::Vec3;

/// Why a mesh does not bound a solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BrokenMesh {
    /// No triangles, or only degenerate ones.
    #[error("the mesh has no triangles")]
    Empty,
    /// More triangles than allowed.
    #[error("the mesh has {triangles} triangles, at most {most} are allowed: simplify it")]
    TooMany {
        /// How many.
        triangles: usize,
        /// Largest number.
        most: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} of the mesh names vertex {vertex}, there are {count}")]
    NoVertex {
        /// Index of the triangle.
        triangle: usize,
        /// Index of the vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// Coordinates that are not finite.
    #[error("{count} vertices of the mesh are not finite, the first is number {vertex} at {at}")]
    NotFinite {
        /// How many.
        count: usize,
        /// The first of them.
        vertex: usize,
        /// Its position.
        at: Vec3,
    },
    /// Coordinates whose powers overflow.
    #[error("the mesh has a coordinate of {largest:e} m: is the scale right?")]
    Huge {
        /// Largest coordinate [m].
        largest: f64,
    },
    /// Holes.
    #[error("the mesh is open: {edges} edges belong to one triangle only, one of them at {at} m. Close its holes")]
    Open {
        /// Number of such edges.
        edges: usize,
        /// The middle of one [m].
        at: Vec3,
    },
    /// Edges where more than two triangles meet.
    #[error(
        "at {edges} edges of the mesh more than two triangles meet, one of them at {at} m: it bounds no single solid"
    )]
    Branching {
        /// Number of such edges.
        edges: usize,
        /// The middle of one [m].
        at: Vec3,
    },
    /// A one-sided surface, such as a Klein bottle.
    #[error(
        "the mesh has no outside: its triangles cannot be turned alike, which shows at {edges} edges, one at {at} m"
    )]
    OneSided {
        /// Number of edges where orientations conflict.
        edges: usize,
        /// The middle of one [m].
        at: Vec3,
    },
    /// No volume.
    #[error("the mesh is flat: a volume of {volume:.3e} m3 within {area:.3e} m2 of surface, near {at} m")]
    Flat {
        /// Volume [m3].
        volume: f64,
        /// Surface [m2].
        area: f64,
        /// A point of the mesh [m].
        at: Vec3,
    },
    /// More separate surfaces than allowed.
    #[error("the mesh falls into {parts} separate parts, at most {most} are allowed; one of them is at {at} m")]
    TooManyParts {
        /// How many.
        parts: usize,
        /// Largest number.
        most: usize,
        /// A vertex of the last [m].
        at: Vec3,
    },
    /// Intersecting triangles.
    #[error(
        "the mesh cuts itself: {pairs} pairs of triangles{} go through each other, one pair ({}, {}) at {at} m",
        if *.more { " or more" } else { "" }, .triangles[0], .triangles[1]
    )]
    Crossing {
        /// Number of pairs.
        pairs: usize,
        /// Whether counting stopped there.
        more: bool,
        /// A pair of triangles, as indices after repairs.
        triangles: [u32; 2],
        /// A point of both [m].
        at: Vec3,
    },
}

/// A repair of a mesh, or a remark about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshWarning {
    /// Duplicate vertices.
    #[error("{vertices} vertices of the mesh repeated others and were merged with them")]
    Merged {
        /// Number removed.
        vertices: usize,
    },
    /// Degenerate or duplicate triangles.
    #[error("{triangles} triangles of the mesh were degenerate or given twice and were dropped, the first at {at} m")]
    Dropped {
        /// Number removed.
        triangles: usize,
        /// A corner of the first [m].
        at: Vec3,
    },
    /// Vertices of no triangle.
    #[error("{vertices} vertices of the mesh belong to no triangle and were dropped")]
    Unused {
        /// Number removed.
        vertices: usize,
    },
    /// Some triangles had the wrong orientation.
    #[error("{triangles} triangles of the mesh faced the wrong way and were turned, one of them at {at} m")]
    Turned {
        /// How many.
        triangles: usize,
        /// A corner of the first [m].
        at: Vec3,
    },
    /// All triangles had the wrong orientation.
    #[error("the mesh was inside out: all {triangles} triangles were turned")]
    Inverted {
        /// How many.
        triangles: usize,
    },
    /// A hole that was closed.
    #[error("the mesh had a plane hole of {edges} edges at {at} m, which was closed")]
    FilledHole {
        /// Edges around it.
        edges: usize,
        /// Its middle [m].
        at: Vec3,
    },
    /// Separate solids.
    #[error("the mesh holds {parts} separate solids: nothing joins them, one of them is at {at} m")]
    Parts {
        /// How many.
        parts: usize,
        /// A vertex of the last [m].
        at: Vec3,
    },
    /// Closed cavities inside.
    #[error("the mesh has {cavities} closed cavities inside, one of them at {at} m")]
    Cavities {
        /// How many.
        cavities: usize,
        /// A vertex of one [m].
        at: Vec3,
    },
    /// Triangles without area.
    #[error("{triangles} triangles of the mesh have no area, the first at {at} m")]
    Slivers {
        /// How many.
        triangles: usize,
        /// A corner of the first [m].
        at: Vec3,
    },
}
