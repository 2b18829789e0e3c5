//! Offline finite elements: linear elasticity of free bodies of tetrahedra.
//!
//! A [`TetMesh`] (built, or read from a file by [`read_gmsh`] or [`read_vtk`]) and an [`Elastic`] material make a [`Model`]:
//! stiffness K and mass M of linear or quadratic tetrahedra. From it come the [`Rigid`] properties, the lowest
//! deformation [`Modes`], static solutions ([`solve_static`]) and responses to an impulse, by [`Direct`] integration in time or
//! as a sum over modes ([`Modes::respond`]).
//!
//! What a simulation of the model `response` needs of a solid is a [`Recipe`], computed once and kept in a file: [`basis_of`] opens
//! it or makes it.
//!
//! Unknowns are ordered node by node: component `axis` of node `n` is number `3 n + axis`. SI units and `f64` throughout.

mod assemble;
mod cache;
mod compliance;
mod dense;
mod digest;
mod direct;
mod eigen;
mod element;
mod error;
mod factor;
mod gmsh;
mod lanczos;
mod mesh;
mod modal;
mod model;
mod modes;
mod pool;
mod progress;
mod reader;
mod recipe;
mod response;
mod rigid;
mod selected;
mod soundness;
mod statics;
mod store;
mod surface;
mod table;
mod vtk;

pub use cache::{Found, basis_of, basis_path, cache_folder, records_of, records_path};
pub use digest::Digest;
pub use direct::Direct;
pub use element::{Elastic, MassKind, Order};
pub use error::{FemError, MeshError, PrecomputeError, ReadError};
pub use gmsh::read_gmsh;
pub use mesh::TetMesh;
pub use model::Model;
pub use modes::{Modes, ModesParams};
pub use pliant::response::{Oscillator, Scheme};
pub use progress::{Progress, Stage};
pub use recipe::{FULL_NODES, Recipe, Watcher};
pub use response::{Damping, Response, Sampling, Timing};
pub use rigid::Rigid;
pub use soundness::Repairs;
pub use statics::{Static, solve_static};
pub use store::{StoreError, open_basis, open_records, write_basis};
pub use surface::Surface;
pub use table::{TableRecipe, nearest_nodes};
pub use vtk::read_vtk;
