//! Linear algebra of a chain of links: blocks of six by six, and block-tridiagonal systems of them.

pub mod block;
pub mod elimination;
pub mod inverse;
pub mod solution;
