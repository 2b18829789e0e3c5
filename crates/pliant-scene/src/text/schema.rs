//! The JSON schema of scene files, for editors.

use serde_json::Value;

use crate::world::assemble::SceneSpec;

/// The JSON schema of scene files: every field with its unit, range and default.
pub fn schema() -> Value {
    schemars::schema_for!(SceneSpec).to_value()
}

/// Fields of a table with the fields `known` whose own tables have a field `word`, which was written one level too high.
pub(crate) fn inner_with(word: &str, known: &[&str]) -> Vec<String> {
    let schema = schema();
    let fields = |table: &'_ Value| table.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    // what a field holds: a table by name, or one of some, or a list of them
    let held = |field: &Value| {
        let any = field.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        let names = any.chain([field]).chain(field.get("items")).filter_map(|f| f.get("$ref")?.as_str());
        names.map(|name| name.trim_start_matches('#').to_string()).collect::<Vec<_>>()
    };
    let tables = schema.get("$defs").and_then(Value::as_object).into_iter().flat_map(|defs| defs.values());
    let outer = tables.chain([&schema]).map(fields).filter(|f| known.iter().all(|name| f.contains_key(*name)));
    let Some(outer) = outer.min_by_key(|fields| fields.len()) else { return vec![] };
    let has = |path: &String| schema.pointer(path).is_some_and(|table| fields(table).contains_key(word));
    outer.iter().filter(|(_, field)| held(field).iter().any(has)).map(|(name, _)| name.clone()).collect()
}
