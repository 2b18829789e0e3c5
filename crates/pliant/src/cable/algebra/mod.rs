//! Linear algebra of a chain of links: blocks of six by six, block-tridiagonal systems of them, and sparse
//! ones where links touch links.

pub mod block;
pub mod closed;
pub mod elimination;
pub mod inverse;
pub mod order;
pub mod solution;
pub mod sparse;
