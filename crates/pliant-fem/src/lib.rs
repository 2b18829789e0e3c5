//! Offline finite elements: linear elasticity of free bodies meshed by tetrahedra.
//!
//! A [`TetMesh`] (built, or read from a file by [`read_gmsh`] or [`read_vtk`]) and an [`Elastic`] material make a
//! [`Model`]: stiffness K and mass M of linear or quadratic tetrahedra. From it come the [`Rigid`] properties, the
//! lowest deformation [`Modes`], static solutions ([`solve_static`]) and impulse responses, by [`Direct`] integration
//! in time or as a sum over modes ([`Modes::respond`]).
//!
//! What the model `response` needs of a solid is described by a [`Recipe`], computed once and cached in a file:
//! [`basis_of`] opens it or computes it.
//!
//! Unknowns are ordered node by node: component `axis` of node `n` has the index `3 n + axis`. SI units and `f64`
//! throughout.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod algebra;
mod dynamics;
mod elements;
mod error;
mod mesh;
mod precompute;
mod progress;

pub use dynamics::direct::Direct;
pub use dynamics::modes::{Modes, ModesParams};
pub use dynamics::response::{Damping, Response, Sampling, Timing};
pub use elements::element::{Elastic, MassKind, Order};
pub use elements::model::Model;
pub use elements::rigid::Rigid;
pub use elements::statics::{Static, solve_static};
pub use error::{FemError, MeshError, PrecomputeError, ReadError};
pub use mesh::TetMesh;
pub use mesh::gmsh::read_gmsh;
pub use mesh::soundness::Repairs;
pub use mesh::surface::Surface;
pub use mesh::vtk::read_vtk;
pub use pliant::response::{Oscillator, Scheme};
pub use precompute::cache::{Found, basis_of, basis_path, cache_folder, records_of, records_path};
pub use precompute::digest::Digest;
pub use precompute::recipe::{FULL_NODES, Recipe, Watcher, nodes_within};
pub use precompute::store::{StoreError, open_basis, open_records, write_basis};
pub use precompute::table::{TableRecipe, nearest_nodes};
pub use progress::{Progress, Stage};
