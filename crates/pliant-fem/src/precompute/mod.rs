//! Results that are computed once and stored: recipes, tables of responses, file formats and the cache folder.

pub(crate) mod cache;
pub(crate) mod digest;
pub(crate) mod measured;
pub(crate) mod recipe;
pub(crate) mod store;
pub(crate) mod table;
