//! Dense and sparse linear algebra: factorisations, eigenvectors, selected inverse.

pub(crate) mod dense;
pub(crate) mod eigen;
pub(crate) mod factor;
pub(crate) mod lanczos;
pub(crate) mod pool;
pub(crate) mod selected;
