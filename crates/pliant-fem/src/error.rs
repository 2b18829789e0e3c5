//! Errors of meshes, files and calculations.

use crate::precompute::store::StoreError;
use pliant::math::Vec3;

/// Why nodes and tetrahedra do not form the mesh of a solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// No tetrahedra.
    #[error("the mesh has no tetrahedra: export the volume of the body, not only its surface")]
    Empty,
    /// A coordinate that is NaN or infinite.
    #[error("node {node} of the mesh is at {at}: coordinates must be finite")]
    NotFinite {
        /// Index of the node.
        node: usize,
        /// Its position [m].
        at: Vec3,
    },
    /// A tetrahedron refers to a node that does not exist.
    #[error("tetrahedron {tet} refers to node {node}, but the mesh has {nodes} nodes, counted from 0")]
    NoSuchNode {
        /// Index of the tetrahedron.
        tet: usize,
        /// The node it refers to.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A tetrahedron with almost no volume.
    #[error(
        "tetrahedron {tet}, at {at}, is flat: six times its volume is {share:.1e} of its longest edge cubed, and at least \
         {least:.1e} is needed. Improve the mesh, for example by gmsh -optimize"
    )]
    Flat {
        /// Index of the tetrahedron.
        tet: usize,
        /// Its centroid [m].
        at: Vec3,
        /// Six times its volume over its longest edge cubed [-].
        share: f64,
        /// Smallest allowed value [-].
        least: f64,
    },
    /// Two nodes at the same position.
    #[error(
        "nodes {first} and {second} are both at {at}: the mesh would come apart there. Merge nodes that coincide, for example \
         by Coherence Mesh in gmsh"
    )]
    SamePlace {
        /// Index of one node.
        first: usize,
        /// Index of the other.
        second: usize,
        /// Their position [m].
        at: Vec3,
    },
    /// A duplicate tetrahedron.
    #[error("tetrahedra {first} and {second} have the same corners: remove one of them")]
    SameTet {
        /// Index of one tetrahedron.
        first: usize,
        /// Index of the other.
        second: usize,
    },
    /// Several pieces that share no facet.
    #[error(
        "the mesh is in {pieces} pieces that share no facet, the smallest of {smallest} tetrahedra at {at}: make each piece \
         a body of its own, or join them"
    )]
    Pieces {
        /// Number of pieces.
        pieces: usize,
        /// Tetrahedra in the smallest.
        smallest: usize,
        /// Position of the smallest [m].
        at: Vec3,
    },
    /// A facet shared by more than two tetrahedra.
    #[error(
        "{count} tetrahedra share the facet of nodes {nodes:?} at {at}, so they overlap: at most two can. Mesh the body anew"
    )]
    Overlap {
        /// Tetrahedra that share the facet.
        count: usize,
        /// Corners of the facet.
        nodes: [usize; 3],
        /// Its position [m].
        at: Vec3,
    },
    /// A surface that is not a closed manifold.
    #[error(
        "the surface is not closed around the edge of nodes {nodes:?} at {at}: {count} facets meet there, and two should. \
         Parts of the body touch along an edge only: join them by a facet, or part them"
    )]
    NotManifold {
        /// Facets that meet at the edge.
        count: usize,
        /// End nodes of the edge.
        nodes: [usize; 2],
        /// Its position [m].
        at: Vec3,
    },
    /// A block with no cells, too many, or a size that is not positive.
    #[error(
        "a block needs at least one cell each way, not more than a hundred million nodes, and lengths above zero, got {cells:?} cells \
         in {size} m"
    )]
    Block {
        /// Cells along each axis.
        cells: [usize; 3],
        /// Edge lengths [m].
        size: Vec3,
    },
}

/// Why a file cannot be read as a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReadError {
    /// Another kind of file.
    #[error("this is no {format} file: {why}")]
    Format {
        /// The expected format.
        format: &'static str,
        /// What was found instead.
        why: String,
    },
    /// A variant of the format that is not supported.
    #[error("{format} files of this kind are not read: {why}")]
    Unsupported {
        /// The format.
        format: &'static str,
        /// The variant, and what to do.
        why: String,
    },
    /// The file is truncated.
    #[error("the file ends within {section}: it is damaged or was not written to its end")]
    Ends {
        /// The section it ends in.
        section: String,
    },
    /// Unexpected content.
    #[error("line {line} should have {expected} of {section}, but has {found:?}")]
    Unexpected {
        /// Line number, from 1; in binary data, the line where the data begins.
        line: usize,
        /// The section.
        section: String,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// A required section is missing.
    #[error("the file has no section {section}")]
    Missing {
        /// Its name.
        section: &'static str,
    },
    /// The file can be read, but the mesh is not valid.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// Why a finite-element calculation fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FemError {
    /// A parameter is out of range.
    #[error("{what} must be {expected}, got {value}")]
    Parameter {
        /// The parameter.
        what: &'static str,
        /// Its valid range.
        expected: &'static str,
        /// Its value.
        value: f64,
    },
    /// A list has the wrong length.
    #[error("{what} must have {expected} numbers, got {found}")]
    Length {
        /// The list.
        what: &'static str,
        /// Expected length.
        expected: usize,
        /// Actual length.
        found: usize,
    },
    /// An index is out of range.
    #[error("{what} refers to {index}, but there are {count}, counted from 0")]
    NoSuch {
        /// What refers to it.
        what: &'static str,
        /// The index.
        index: usize,
        /// Number of items.
        count: usize,
    },
    /// A matrix cannot be factorised.
    #[error(
        "{what} cannot be factorised ({why}): the mesh has very thin tetrahedra, Poisson's ratio is too close to 0.5, or the \
         body is not held"
    )]
    Singular {
        /// The matrix.
        what: &'static str,
        /// The message of the factorisation.
        why: String,
    },
    /// The body is free to move as a whole.
    #[error("the body can still move or turn as a whole: hold at least three nodes that are not in line")]
    NotHeld,
    /// More modes were asked for than the mesh has.
    #[error("{asked} modes are asked for, but this mesh has only {most} of deformation: ask for fewer, or refine it")]
    TooManyModes {
        /// Number of modes asked for.
        asked: usize,
        /// Number of modes there are.
        most: usize,
    },
    /// The iteration did not converge.
    #[error(
        "{converged} of {asked} modes have converged after {size} vectors, the worst to {worst:.1e} only: give it more vectors"
    )]
    NotConverged {
        /// Number of modes asked for.
        asked: usize,
        /// Number of modes converged.
        converged: usize,
        /// Size of the basis.
        size: usize,
        /// Largest residual of those asked for [-].
        worst: f64,
    },
    /// The number of modes found differs from the number that exist.
    #[error(
        "there are {there} modes below {hertz:.6} Hz, but {found} have been found: the mesh may have very thin tetrahedra"
    )]
    Missed {
        /// Frequency up to which modes were counted [Hz].
        hertz: f64,
        /// Modes below it, counted by the inertia of K - s M.
        there: usize,
        /// Modes found below it.
        found: usize,
    },
    /// Threads could not be started.
    #[error("{threads} threads cannot be started ({why}): ask for fewer")]
    Threads {
        /// Number of threads.
        threads: usize,
        /// The message of the operating system.
        why: String,
    },
    /// Stopped by the progress callback.
    #[error("stopped")]
    Stopped,
}

/// Why precomputation failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PrecomputeError {
    /// The calculation failed.
    #[error(transparent)]
    Fem(#[from] FemError),
    /// The file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}
