//! Overrides: values of a scene changed from outside, as in `--set body.wire.segments=160`.

use std::str::FromStr;

use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

use crate::text::error::SceneError;
use crate::text::suggest;

/// Largest number of keys in a path.
const DEEPEST: usize = 16;

/// A value that replaces one in the file. Written `PATH=VALUE`, where the path is the names of tables and fields
/// separated by dots; entries of `[[body]]`, `[[obstacle]]`, `[[gripper]]` and `[[expect]]` are given by name, or by
/// index from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    path: Vec<String>,
    value: String,
}

/// Why a text is not an override.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
    /// There is no equals sign.
    #[error("expected PATH=VALUE, such as duration=1.0, got `{0}`")]
    NoValue(String),
    /// A part of the path is empty.
    #[error("expected names with dots between before the equals sign, such as body.wire.segments, got `{0}`")]
    EmptyName(String),
    /// The path is longer than any in a scene.
    #[error("the path has more than {DEEPEST} names")]
    TooLong,
}

impl Override {
    /// The path, with dots.
    pub fn path(&self) -> String {
        self.path.join(".")
    }

    /// The value as given.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The value as TOML; text that is not TOML becomes a string, so that words need no quotes.
    fn toml(&self) -> Value {
        let mut value = self.value.parse::<Value>().unwrap_or_else(|_| Value::from(self.value.as_str()));
        value.decor_mut().clear();
        value
    }
}

impl std::fmt::Display for Override {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.path(), self.value)
    }
}

impl FromStr for Override {
    type Err = OverrideError;

    fn from_str(text: &str) -> Result<Override, OverrideError> {
        let (path, value) = text.split_once('=').ok_or_else(|| OverrideError::NoValue(text.into()))?;
        let path: Vec<String> = path.split('.').map(|name| name.trim().to_string()).collect();
        if path.iter().any(String::is_empty) {
            return Err(OverrideError::EmptyName(text.into()));
        }
        if path.len() > DEEPEST {
            return Err(OverrideError::TooLong);
        }
        Ok(Override { path, value: value.trim().to_string() })
    }
}

/// The text of a scene with overrides applied.
pub(crate) fn apply(file: &str, text: &str, overrides: &[Override]) -> Result<String, SceneError> {
    let mut document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| match e.span() {
        Some(span) => SceneError::in_text(file, text, span, e.message().trim_end()),
        None => SceneError::of_file(file, e.message().trim_end()),
    })?;
    for change in overrides {
        put(document.as_table_mut(), &change.path, 0, change.toml()).map_err(|problem| {
            SceneError::of_file(file, problem.message).with_help(problem.help).prefixed(&format!("--set {change}"))
        })?;
    }
    Ok(document.to_string())
}

struct Problem {
    message: String,
    help: Option<String>,
}

fn problem(message: String) -> Problem {
    Problem { message, help: None }
}

/// Put a value below a table. Tables in the first two places of the path must exist: they are the scene's objects, and
/// a new one would hardly be intended. Deeper ones, such as the settings of a model, are created.
fn put(table: &mut dyn TableLike, path: &[String], depth: usize, value: Value) -> Result<(), Problem> {
    let Some((key, rest)) = path.split_first() else { return Ok(()) };
    if rest.is_empty() {
        replace(table, key, value);
        return Ok(());
    }
    if !table.contains_key(key) {
        if depth < 2 {
            let known: Vec<String> = table.iter().map(|(key, _)| key.to_string()).collect();
            let help = suggest::help(key, known.iter().map(String::as_str).collect::<Vec<_>>());
            return Err(Problem { message: format!("the scene has no `{key}` there"), help });
        }
        table.insert(key, Item::Value(Value::InlineTable(InlineTable::new())));
    }
    match table.get_mut(key) {
        Some(Item::ArrayOfTables(entries)) => {
            let names: Vec<Option<String>> = entries.iter().map(|entry| name_of(entry)).collect();
            let index = entry(key, &rest[0], &names)?;
            match (entries.get_mut(index), rest.len()) {
                (Some(found), 2..) => put(found, &rest[1..], depth + 2, value),
                _ => Err(problem(format!("say which field of {key} {} to set", rest[0]))),
            }
        }
        Some(Item::Value(Value::Array(values))) => put_in_array(key, values, rest, depth, value),
        Some(item) => match item.as_table_like_mut() {
            Some(inner) => put(inner, rest, depth + 1, value),
            None => Err(problem(format!("`{key}` is a value, it has no `{}`", rest[0]))),
        },
        None => Err(problem(format!("`{key}` has no `{}`", rest[0]))),
    }
}

/// Put a value into an array in brackets, where `path` starts with the entry.
fn put_in_array(
    key: &str,
    values: &mut toml_edit::Array,
    path: &[String],
    depth: usize,
    value: Value,
) -> Result<(), Problem> {
    let name = |entry: &Value| entry.as_inline_table().and_then(|table| name_of(table));
    let names: Vec<Option<String>> = values.iter().map(name).collect();
    let index = entry(key, &path[0], &names)?;
    match (values.get_mut(index), path.len()) {
        (Some(old), 1) => {
            *old = with_decor_of(old, value);
            Ok(())
        }
        (Some(Value::InlineTable(inner)), _) => put(inner, &path[1..], depth + 2, value),
        (Some(Value::Array(inner)), _) => put_in_array(key, inner, &path[1..], depth + 1, value),
        _ => Err(problem(format!("entry {} of `{key}` is a value, it has no `{}`", path[0], path[1]))),
    }
}

fn name_of(table: &dyn TableLike) -> Option<String> {
    table.get("name").and_then(Item::as_str).map(str::to_string)
}

/// Index of an entry, given by name or else by index.
fn entry(kind: &str, wanted: &str, names: &[Option<String>]) -> Result<usize, Problem> {
    if let Some(index) = names.iter().position(|name| name.as_deref() == Some(wanted)) {
        return Ok(index);
    }
    if let Some(index) = wanted.parse().ok().filter(|index| *index < names.len()) {
        return Ok(index);
    }
    let known: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
    Err(Problem { message: format!("there is no {kind} named `{wanted}`"), help: suggest::help(wanted, known) })
}

/// Set a value, keeping the whitespace and comments around it.
fn replace(table: &mut dyn TableLike, key: &str, value: Value) {
    match table.get_mut(key) {
        Some(Item::Value(old)) => *old = with_decor_of(old, value),
        _ => {
            table.insert(key, Item::Value(value));
        }
    }
}

fn with_decor_of(old: &Value, mut value: Value) -> Value {
    *value.decor_mut() = old.decor().clone();
    value
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const TEXT: &str = "duration = 2.0 # [s]\nvector = [1, 2, 3]\n\n[material.steel]\nyoung = 1\n\n[[body]]\nname = \"rod\"\n\
                        segments = 3\n\n[[body]]\nname = 'wire'\n[body.chain]\nrate = 1\n\n\
                        [[gripper]]\nname = \"hand\"\ngrips = [{ body = \"rod\", at = 0 }]\n";

    fn set(change: &str) -> Result<String, String> {
        apply("f", TEXT, &[change.parse().unwrap()]).map_err(|e| e.to_string())
    }

    #[test]
    fn values_are_put_where_the_path_says_and_nothing_else_changes() {
        let cases = [
            ("duration=1.5", "duration = 2.0 # [s]", "duration = 1.5 # [s]"),
            ("material.steel.young=2e9", "young = 1", "young = 2e9"),
            ("body.rod.segments=160", "segments = 3", "segments = 160"),
            ("body.0.segments=160", "segments = 3", "segments = 160"),
            ("body.wire.chain.rate = 7", "rate = 1", "rate = 7"),
            ("body.rod.chain.update=plain", "segments = 3\n", "segments = 3\nchain = { update = \"plain\" }\n"),
            ("gripper.hand.grips.0.at=end", "at = 0 }", "at = \"end\" }"),
            ("vector.1=-5", "[1, 2, 3]", "[1, -5, 3]"),
            ("step=0.01", "3]\n", "3]\nstep = 0.01\n"),
            ("title=Two words", "3]\n", "3]\ntitle = \"Two words\"\n"),
            ("gravity=[0, 0, 1]", "3]\n", "3]\ngravity = [0, 0, 1]\n"),
        ];
        for (change, old, new) in cases {
            assert_eq!(set(change).unwrap(), TEXT.replace(old, new), "{change}");
        }
    }

    #[test]
    fn paths_that_lead_nowhere_are_refused_with_a_suggestion() {
        let cases = [
            (
                "bodi.rod.segments=1",
                "f: --set bodi.rod.segments=1: the scene has no `bodi` there (did you mean `body`?)",
            ),
            (
                "body.rood.segments=1",
                "f: --set body.rood.segments=1: there is no body named `rood` (did you mean `rod`?)",
            ),
            ("body.2.segments=1", "f: --set body.2.segments=1: there is no body named `2` (known: rod, wire)"),
            (
                "material.steal.young=1",
                "f: --set material.steal.young=1: the scene has no `steal` there (did you mean `steel`?)",
            ),
            ("duration.x=1", "f: --set duration.x=1: `duration` is a value, it has no `x`"),
            ("body.rod=1", "f: --set body.rod=1: say which field of body rod to set"),
            ("vector.3=1", "f: --set vector.3=1: there is no vector named `3`"),
            ("vector.1.x=1", "f: --set vector.1.x=1: entry 1 of `vector` is a value, it has no `x`"),
        ];
        for (change, message) in cases {
            assert_eq!(set(change).unwrap_err(), message);
        }
    }

    #[test]
    fn what_is_no_override_is_explained() {
        let refused = |text: &str| text.parse::<Override>().unwrap_err();
        assert_eq!(refused("duration"), OverrideError::NoValue("duration".into()));
        assert_eq!(refused("a..b=1"), OverrideError::EmptyName("a..b=1".into()));
        assert_eq!(refused("=1"), OverrideError::EmptyName("=1".into()));
        assert_eq!(refused(&format!("{}=1", ["a"; 17].join("."))), OverrideError::TooLong);
        assert_eq!("a.b=c=d".parse::<Override>().unwrap().to_string(), "a.b=c=d");
    }

    #[test]
    fn a_scene_that_is_no_toml_is_reported_with_its_place() {
        let error = apply("f", "a = 1\nb = = 2\n", &["a=1".parse().unwrap()]).unwrap_err();
        assert!(error.to_string().starts_with("f:2:5: "), "{error}");
    }
}
