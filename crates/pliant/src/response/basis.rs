//! What is known of a solid before the first step: found once by finite elements, and kept in a file.

use std::fmt;
use std::sync::Arc;

use crate::math::Vec3;

/// Numbers that may live in a mapped file.
#[derive(Clone)]
pub struct Numbers(Arc<dyn AsRef<[f64]> + Send + Sync>);

impl Numbers {
    /// Numbers that somebody keeps.
    pub fn new(kept: Arc<dyn AsRef<[f64]> + Send + Sync>) -> Numbers {
        Numbers(kept)
    }
}

impl From<Vec<f64>> for Numbers {
    fn from(list: Vec<f64>) -> Numbers {
        Numbers(Arc::new(list))
    }
}

impl std::ops::Deref for Numbers {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        (*self.0).as_ref()
    }
}

impl PartialEq for Numbers {
    fn eq(&self, other: &Numbers) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} numbers", self.len())
    }
}

/// The surface of a solid, and the solid as a rigid one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    /// Nodes of the surface at rest [m].
    pub nodes: Vec<Vec3>,
    /// Corners of its facets among them, counter-clockwise seen from outside.
    pub facets: Vec<[u32; 3]>,
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass [m].
    pub centre: Vec3,
    /// Moments of inertia about it: rows of a symmetric matrix [kg m2].
    pub inertia: [[f64; 3]; 3],
}

/// A solid as its lowest modes of vibration, with what the others give way to a lasting force.
///
/// Unknown `3 node + axis` is a component of a node of the surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    /// Surface and rigid properties.
    pub hull: Hull,
    /// omega^2 of each mode, in ascending order [1/s2].
    pub squares: Vec<f64>,
    /// Shapes, normal by mass: of each unknown in turn its component in each mode [1/sqrt(kg)].
    pub shapes: Numbers,
    /// Of each mode the sum over all nodes, inner ones included, of momentum times place from the centre of mass, (M phi) X^T:
    /// how it changes the inertia [sqrt(kg) m].
    pub moments: Vec<[[f64; 3]; 3]>,
    /// What the whole solid gives way.
    pub compliance: Compliance,
}

/// Displacement in equilibrium with a force at the surface and the inertia of a rigid acceleration, without rigid motion, over
/// that force [m/N]: the part of all modes, retained or not.
#[derive(Clone, Debug, PartialEq)]
pub enum Compliance {
    /// Of each unknown to itself and those before: the lower triangle, row by row.
    Full(Numbers),
    /// Of each node to itself alone: blocks of three rows of three. For solids with so many nodes that the whole would not fit.
    Local(Numbers),
}

/// A solid as recorded responses to unit forces during the first sample, without rigid motion: Tagawa, Hirota and Hirose's R.
#[derive(Clone, Debug, PartialEq)]
pub struct Records {
    /// Surface and rigid properties.
    pub hull: Hull,
    /// Length of a sample [s].
    pub sample: f64,
    /// Samples of each response.
    pub samples: usize,
    /// Nodes of the surface that forces were applied to.
    pub nodes: Vec<u32>,
    /// For each of these nodes and each axis of the force: sample by sample the displacement of all unknowns of the surface [m/N].
    pub responses: Vec<Numbers>,
}
