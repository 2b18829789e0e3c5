//! The JSON schema of scene files, for editors.

use crate::world::assemble::SceneSpec;

/// The JSON schema of scene files: every field with its unit, range and default.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(SceneSpec).to_value()
}
