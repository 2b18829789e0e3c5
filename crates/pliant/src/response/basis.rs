//! Precomputed dynamics of a solid, from a finite element analysis and stored in a file.

use std::fmt;
use std::sync::Arc;

use crate::math::Vec3;

/// An array of numbers, possibly in a memory-mapped file.
#[derive(Clone)]
pub struct Numbers(Arc<dyn AsRef<[f64]> + Send + Sync>);

impl Numbers {
    /// Wrap a shared array.
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

/// Surface and rigid-body properties of a solid, in the mesh frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    /// Nodes of the surface at rest [m].
    pub nodes: Vec<Vec3>,
    /// Facets, as indices of nodes, counter-clockwise seen from outside.
    pub facets: Vec<[u32; 3]>,
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass [m].
    pub centre: Vec3,
    /// Inertia about the centre of mass: rows of a symmetric matrix [kg m2].
    pub inertia: [[f64; 3]; 3],
    /// Nodes of the surface that are held in place, if the body is; `None` of a body that moves as a whole.
    pub fixed: Option<Vec<u32>>,
}

/// A solid as its lowest vibration modes, with the static compliance of the others.
///
/// Degree of freedom `3 node + axis` is a component of the displacement of a surface node.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    /// Surface and rigid properties.
    pub hull: Hull,
    /// omega^2 of each mode, in ascending order [1/s2].
    pub squares: Vec<f64>,
    /// Mass-normalised mode shapes: for each degree of freedom in turn, its component in each mode [1/sqrt(kg)].
    pub shapes: Numbers,
    /// For each mode the sum over all nodes, including inner ones, of (M phi) X^T, with X the position relative to the
    /// centre of mass: gives the change of inertia [sqrt(kg) m].
    pub moments: Vec<[[f64; 3]; 3]>,
    /// Static compliance of the solid.
    pub compliance: Compliance,
}

/// Static displacement per force at the surface [m/N]: the contribution of all modes, retained or not. Of a body that is
/// not held, in equilibrium with the inertia of a rigid acceleration and without rigid motion.
#[derive(Clone, Debug, PartialEq)]
pub enum Compliance {
    /// The lower triangle of the full matrix, row by row.
    Full(Numbers),
    /// Only the 3 by 3 diagonal block of each node, row by row. For solids with too many nodes for the full matrix.
    Local(Numbers),
}

/// A solid as recorded responses to unit forces during the first sample, without rigid motion: R of Tagawa, Hirota and
/// Hirose.
#[derive(Clone, Debug, PartialEq)]
pub struct Records {
    /// Surface and rigid properties.
    pub hull: Hull,
    /// Length of a sample [s].
    pub sample: f64,
    /// Number of samples of each response.
    pub samples: usize,
    /// Surface nodes that forces were applied to.
    pub nodes: Vec<u32>,
    /// For each of these nodes and each axis of the force: the displacements of all degrees of freedom of the surface,
    /// sample by sample [m/N].
    pub responses: Vec<Numbers>,
}
