//! What can be wrong with a mesh, a file or a calculation.

use crate::precompute::store::StoreError;
use pliant::math::Vec3;

/// Why nodes and tetrahedra make no mesh of a solid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// No tetrahedra at all.
    #[error("the mesh has no tetrahedra: export the volume of the body, not only its surface")]
    Empty,
    /// A coordinate that is no number.
    #[error("node {node} of the mesh is at {at}: coordinates must be finite")]
    NotFinite {
        /// Which node, from 0.
        node: usize,
        /// Where it is [m].
        at: Vec3,
    },
    /// A corner that is no node.
    #[error("tetrahedron {tet} refers to node {node}, but the mesh has {nodes} nodes, counted from 0")]
    NoSuchNode {
        /// Which tetrahedron, from 0.
        tet: usize,
        /// The node it refers to.
        node: usize,
        /// How many there are.
        nodes: usize,
    },
    /// A tetrahedron without volume.
    #[error(
        "tetrahedron {tet}, at {at}, is flat: six times its volume is {share:.1e} of its longest edge cubed, and at least \
         {least:.1e} is needed. Improve the mesh, for example by gmsh -optimize"
    )]
    Flat {
        /// Which tetrahedron, from 0.
        tet: usize,
        /// Where its middle is [m].
        at: Vec3,
        /// Six times its volume over its longest edge cubed [-].
        share: f64,
        /// The least allowed [-].
        least: f64,
    },
    /// Two nodes at one place.
    #[error(
        "nodes {first} and {second} are both at {at}: the mesh would come apart there. Merge nodes that coincide, for example \
         by Coherence Mesh in gmsh"
    )]
    SamePlace {
        /// One node, from 0.
        first: usize,
        /// The other.
        second: usize,
        /// Where [m].
        at: Vec3,
    },
    /// One tetrahedron twice.
    #[error("tetrahedra {first} and {second} have the same corners: remove one of them")]
    SameTet {
        /// One tetrahedron, from 0.
        first: usize,
        /// The other.
        second: usize,
    },
    /// A mesh of several bodies.
    #[error(
        "the mesh is in {pieces} pieces that share no facet, the smallest of {smallest} tetrahedra at {at}: make each piece \
         a body of its own, or join them"
    )]
    Pieces {
        /// How many.
        pieces: usize,
        /// Tetrahedra of the smallest.
        smallest: usize,
        /// Where it is [m].
        at: Vec3,
    },
    /// A facet of more than two tetrahedra.
    #[error(
        "{count} tetrahedra share the facet of nodes {nodes:?} at {at}, so they overlap: at most two can. Mesh the body anew"
    )]
    Overlap {
        /// How many.
        count: usize,
        /// Corners of the facet.
        nodes: [usize; 3],
        /// Where it is [m].
        at: Vec3,
    },
    /// A surface that is not a surface everywhere.
    #[error(
        "the surface is not closed around the edge of nodes {nodes:?} at {at}: {count} facets meet there, and two should. \
         Parts of the body touch along an edge only: join them by a facet, or part them"
    )]
    NotManifold {
        /// Facets that meet.
        count: usize,
        /// Ends of the edge.
        nodes: [usize; 2],
        /// Where it is [m].
        at: Vec3,
    },
    /// A size of a block that is none.
    #[error(
        "a block needs at least one cell each way, not more than a hundred million nodes, and lengths above zero, got {cells:?} cells \
         in {size} m"
    )]
    Block {
        /// Cells each way.
        cells: [usize; 3],
        /// Lengths [m].
        size: Vec3,
    },
}

/// Why a file cannot be read as a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReadError {
    /// It is another kind of file.
    #[error("this is no {format} file: {why}")]
    Format {
        /// What it should be.
        format: &'static str,
        /// What is there.
        why: String,
    },
    /// A variant of the format that is not read.
    #[error("{format} files of this kind are not read: {why}")]
    Unsupported {
        /// Which format.
        format: &'static str,
        /// Which variant, and what to do.
        why: String,
    },
    /// The file ends too early.
    #[error("the file ends within {section}: it is damaged or was not written to its end")]
    Ends {
        /// Which section.
        section: String,
    },
    /// Something that is not what should be there.
    #[error("line {line} should have {expected} of {section}, but has {found:?}")]
    Unexpected {
        /// Which line, from 1; within binary data, the line where it begins.
        line: usize,
        /// Which section.
        section: String,
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A section that has to be there.
    #[error("the file has no section {section}")]
    Missing {
        /// Which section.
        section: &'static str,
    },
    /// The file is in order, the mesh is not.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// Why a calculation with finite elements fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FemError {
    /// A parameter outside its range.
    #[error("{what} must be {expected}, got {value}")]
    Parameter {
        /// Which parameter.
        what: &'static str,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        value: f64,
    },
    /// A list of the wrong length.
    #[error("{what} must have {expected} numbers, got {found}")]
    Length {
        /// Which list.
        what: &'static str,
        /// How many it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A number of an unknown that is none.
    #[error("{what} refers to {index}, but there are {count}, counted from 0")]
    NoSuch {
        /// What refers.
        what: &'static str,
        /// To which.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A matrix that cannot be factorised.
    #[error(
        "{what} cannot be factorised ({why}): the mesh has very thin tetrahedra, Poisson's ratio is too close to 0.5, or the \
         body is not held"
    )]
    Singular {
        /// Which matrix.
        what: &'static str,
        /// What the factorisation says.
        why: String,
    },
    /// A body that is free to move as a whole.
    #[error("the body can still move or turn as a whole: prescribe displacements that hold it in all directions")]
    NotHeld,
    /// Modes asked for that there are not.
    #[error("{asked} modes are asked for, but this mesh has only {most} of deformation: ask for fewer, or refine it")]
    TooManyModes {
        /// How many are asked for.
        asked: usize,
        /// How many there are.
        most: usize,
    },
    /// Iterations that do not converge.
    #[error(
        "{converged} of {asked} modes have converged after {size} vectors, the worst to {worst:.1e} only: give it more vectors"
    )]
    NotConverged {
        /// How many are asked for.
        asked: usize,
        /// How many have converged.
        converged: usize,
        /// Size of the basis.
        size: usize,
        /// Largest residual of those asked for [-].
        worst: f64,
    },
    /// Fewer or more modes found than there are.
    #[error(
        "there are {there} modes below {hertz:.6} Hz, but {found} have been found: the mesh may have very thin tetrahedra"
    )]
    Missed {
        /// Up to which frequency [Hz].
        hertz: f64,
        /// Modes below it, counted by the inertia of K - s M.
        there: usize,
        /// Modes found below it.
        found: usize,
    },
    /// Threads that cannot be had.
    #[error("{threads} threads cannot be started ({why}): ask for fewer")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system says.
        why: String,
    },
    /// Stopped by who watches its progress.
    #[error("stopped")]
    Stopped,
}

/// Why nothing was computed beforehand.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PrecomputeError {
    /// The calculation failed.
    #[error(transparent)]
    Fem(#[from] FemError),
    /// The file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}
