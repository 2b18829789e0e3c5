//! What is computed once and kept: recipes, tables of responses, the files and the folder they are found in.

pub(crate) mod cache;
pub(crate) mod digest;
pub(crate) mod recipe;
pub(crate) mod store;
pub(crate) mod table;
