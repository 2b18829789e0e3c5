//! Soon.
use crate::error::ReadError; use crate::{TetMesh, Repairs};
/// x
pub fn read_gmsh(_bytes: &[u8]) -> Result<(TetMesh, Repairs), ReadError> { Err(ReadError::Missing { section: "" }) }
