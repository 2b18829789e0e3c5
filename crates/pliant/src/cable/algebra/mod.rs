//! Linear algebra of a chain of links: 6 x 6 blocks, block-tridiagonal systems, and sparse ones where links touch
//! links.

pub mod block;
pub mod closed;
pub mod elimination;
pub mod inverse;
pub mod iterative;
pub mod order;
pub mod solution;
pub mod sparse;
