//! From the shape of a solid to particles with masses.
//!
//! A. Joukhadar, "Robot-Phi: Dynamic modeling system for robotics applications", sections 4.2.1 to 4.2.3: a solid is
//! cut into cells (hexahedra, wedges, pyramids, tetrahedra), and every cell becomes a few point masses with its mass,
//! centre of mass and inertia matrix. This is geometry only: connectors between particles are defined elsewhere.
//!
//! A [`Mesh`](crate::contact::Mesh) is checked by [`check_mesh`], solids are cut by [`brick`], [`russian_doll`] and
//! [`sweep`], the cuts are [`Cells`], and [`Particles::new`] gives them masses by a [`MassRule`].

mod accuracy;
mod cells;
mod check;
mod discretise;
mod flexion;
mod outer;
mod particles;
mod random;
mod rules;
mod split;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
mod weld;

pub use crate::moments::Moments;
pub use accuracy::{RefineError, Refined, cells_for, inertia_error};
pub use cells::{Cell, CellError, Cells, FaceCorners};
pub use check::{BrokenMesh, Checked, MeshLimits, MeshWarning, check_mesh};
pub use discretise::{
    DiscretiseError, Facet, Patch, Rings, brick, crowded, frustum, graded_brick, grading, polygon, polyhedron_surface,
    prism, russian_doll, sweep,
};
pub use flexion::Flexion;
pub use outer::{Outer, QuadCut};
pub use particles::{CellParticles, MassError, ParticleKind, Particles, TetraParticles};
pub use random::{ErrorStatistics, moved_vertex_errors, random_hexahedra_errors};
pub use rules::MassRule;
pub use split::{Corner, Cut};
