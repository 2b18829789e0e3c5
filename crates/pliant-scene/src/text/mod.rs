//! From TOML text to values: numbers with units and ranges, words, overrides, and errors with line and column.

pub(crate) mod error;
pub(crate) mod fault;
pub(crate) mod overrides;
pub(crate) mod quantity;
pub(crate) mod schema;
pub(crate) mod suggest;
pub(crate) mod word;
