//! A fault found while a scene is assembled: a path of keys, resolved to a place in the text only when needed.
//!
//! Carrying spans through every struct would double their size and clutter them; instead the text is parsed again, into
//! values with spans, when there is an error to report.

use std::ops::Range;

use pliant::{BuildError, ControlError, HoldError};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::text::error::SceneError;
use crate::text::{schema, suggest};

/// One step of the path to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Name(String),
    Index(usize),
}

impl From<&str> for Key {
    fn from(name: &str) -> Key {
        Key::Name(name.into())
    }
}

impl From<usize> for Key {
    fn from(index: usize) -> Key {
        Key::Index(index)
    }
}

/// What is wrong, and the path to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    path: Vec<Key>,
    /// Words of an engine error, one of which may name a field below the path.
    field: Option<String>,
    message: String,
    help: Option<String>,
}

impl Fault {
    pub(crate) fn new(message: impl Into<String>) -> Fault {
        Fault { path: vec![], field: None, message: message.into(), help: None }
    }

    pub(crate) fn unknown<'a>(kind: &str, name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Fault {
        Fault { help: suggest::help(name, known), ..Fault::new(format!("there is no {kind} named `{name}`")) }
    }

    pub(crate) fn with_help(mut self, help: Option<String>) -> Fault {
        self.help = help.or(self.help);
        self
    }

    /// Put the fault below `key`; called from the inside out.
    pub(crate) fn at(mut self, key: impl Into<Key>) -> Fault {
        self.path.insert(0, key.into());
        self
    }

    /// The error for users, with its place in the text.
    pub(crate) fn into_error(self, file: &str, text: &str) -> SceneError {
        let error = match self.locate(text) {
            Some(span) => SceneError::in_text(file, text, span, self.message),
            None => SceneError::of_file(file, self.message),
        };
        error.with_help(self.help)
    }

    /// Span of the value, or of the innermost part around it that exists.
    fn locate(&self, text: &str) -> Option<Range<usize>> {
        let root = DeTable::parse(text).ok()?;
        let mut span = None;
        let mut value = &DeValue::Table(root.into_inner());
        for key in &self.path {
            let Some(next) = (match key {
                Key::Name(name) => value.get(name.as_str()),
                Key::Index(index) => value.get(*index),
            }) else {
                break;
            };
            span = Some(next.span());
            value = next.get_ref();
        }
        self.field.as_ref().and_then(|field| span_of_words(value, field)).or(span)
    }
}

/// Span of the first field named in `words`, such as "the radius of wire"; if it is a table, the next word may name a
/// field of it.
fn span_of_words(mut value: &DeValue<'_>, words: &str) -> Option<Range<usize>> {
    let words = words.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut found = None;
    // "model" and the like are ordinary words in such messages
    for word in words.filter(|word| !["", "model", "body", "material"].contains(word)) {
        let Some(next) = field(value, word).or_else(|| field(value, &format!("{word}_deg"))) else { continue };
        found = Some(next.span());
        value = next.get_ref();
        if !value.is_table() {
            break;
        }
    }
    found
}

/// The field of that name, in a table or the tables below it.
fn field<'a, 'i>(value: &'a DeValue<'i>, name: &str) -> Option<&'a Spanned<DeValue<'i>>> {
    let table = value.as_table()?;
    table.get(name).or_else(|| table.values().find_map(|value| field(value.get_ref(), name)))
}

impl From<BuildError> for Fault {
    fn from(error: BuildError) -> Fault {
        let field = match &error {
            BuildError::Parameter { what, .. } => Some(what.clone()),
            BuildError::EmptyPath { .. } => Some("path".into()),
            BuildError::SameName { .. } => Some("name".into()),
            BuildError::NoSuchPlace { .. } => Some("at".into()),
            BuildError::Shape(_) => Some("shape".into()),
            BuildError::Cannot { field, .. } => field.map(Into::into),
            BuildError::Hold(HoldError::Taut { .. }) => Some("path".into()),
            BuildError::Normal { .. } => Some("normal".into()),
            BuildError::Seam { .. } => Some("twist_deg".into()),
            BuildError::SolidStartsInside { .. } => Some("position".into()),
            BuildError::NoEquilibrium { .. }
            | BuildError::Unsettled { .. }
            | BuildError::StartsInside { .. }
            | BuildError::StartsInCable { .. } => Some("path".into()),
            BuildError::Robot { .. } => Some("urdf".into()),
            BuildError::NotAnArm { .. } => Some("arm".into()),
            BuildError::NoSuchLink { .. } => Some("link".into()),
            BuildError::NoSuchJoint { .. } => Some("joints".into()),
            BuildError::NoTool { .. } => Some("impedance".into()),
            BuildError::Solid { .. } | BuildError::Hold(HoldError::Unreachable { .. }) => None,
            BuildError::Gone(_)
            | BuildError::Fingertip { .. }
            | BuildError::ForeignSnapshot
            | BuildError::Pose { .. }
            | BuildError::Stopped => None,
        };
        Fault { field, ..Fault::new(error.to_string()) }
    }
}

impl From<ControlError> for Fault {
    fn from(error: ControlError) -> Fault {
        match error {
            ControlError::Refused(error) => Fault::from(error),
            error => Fault::new(error.to_string()),
        }
    }
}

impl From<pliant::Gone> for Fault {
    fn from(gone: pliant::Gone) -> Fault {
        Fault::from(BuildError::Gone(gone))
    }
}

/// A parser error in our words, with its field and the nearest known word.
pub(crate) fn from_parser(file: &str, text: &str, error: &toml::de::Error) -> SceneError {
    let (mut message, help) = explain(error.message());
    let Some(span) = error.span() else {
        return SceneError::of_file(file, message).with_help(help);
    };
    let about_a_value = message.starts_with("expected");
    let root = if about_a_value { DeTable::parse(text).ok() } else { None };
    if let Some(field) = root.and_then(|root| field_around(&DeValue::Table(root.into_inner()), &span)) {
        message = format!("{field}: {message}");
    }
    SceneError::in_text(file, text, span, message).with_help(help)
}

/// Name of the innermost field whose value covers the span.
fn field_around(value: &DeValue<'_>, span: &Range<usize>) -> Option<String> {
    match value {
        DeValue::Table(table) => table.iter().find_map(|(key, value)| {
            let inner = field_around(value.get_ref(), span);
            let covers = value.span().start <= span.start && span.end <= value.span().end;
            inner.or_else(|| covers.then(|| key.get_ref().to_string()))
        }),
        DeValue::Array(array) => array.iter().find_map(|value| field_around(value.get_ref(), span)),
        _ => None,
    }
}

/// Rephrase a message, and extract help.
fn explain(message: &str) -> (String, Option<String>) {
    if let Some((unknown, expected)) = message.split_once(", expected ") {
        for (theirs, ours) in [("unknown field `", "unknown field"), ("unknown variant `", "unknown choice")] {
            if let Some(word) = unknown.strip_prefix(theirs).and_then(|rest| rest.strip_suffix('`')) {
                // the known words are those between backticks
                let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
                let inner = if ours == "unknown field" { schema::inner_with(word, &known) } else { vec![] };
                let help = match inner.is_empty() {
                    true => suggest::help(word, known),
                    false => Some(format!("`{word}` goes into the table `{}`", inner.join("` or `"))),
                };
                return (format!("{ours} `{word}`"), help);
            }
        }
        for theirs in ["invalid type: ", "invalid value: "] {
            if let Some(got) = unknown.strip_prefix(theirs) {
                if expected == "newtype variant" {
                    let help = "write it as { NAME = { … } }".to_string();
                    return ("expected a table, got only its name".into(), Some(help));
                }
                return (format!("expected {expected}, got {got}"), None);
            }
        }
        if let Some(length) = unknown.strip_prefix("invalid length ") {
            return (format!("expected {expected}, got {length}"), None);
        }
    }
    // our own visitors can only pass on a message, which may end in a suggestion
    if let Some((message, near)) = message.rsplit_once(": did you mean ") {
        return (message.into(), Some(format!("did you mean {near}")));
    }
    let plain = match message {
        "wanted exactly 1 element, found 0 elements" => "expected one choice, got none",
        "wanted exactly 1 element, more than 1 element" => "expected one choice, got several",
        "wanted string or table" => "expected a word or a table",
        other => other,
    };
    (plain.trim_end().to_string(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parser_messages_become_ours() {
        let cases = [
            (
                "unknown field `radus`, expected one of `radius`, `path`",
                "unknown field `radus`",
                "did you mean `radius`?",
            ),
            (
                "unknown field `start`, expected one of `name`, `model`, `radius`, `cable`, `elastica`",
                "unknown field `start`",
                "`start` goes into the table `cable` or `elastica`",
            ),
            ("unknown variant `cable`, expected `chain`", "unknown choice `cable`", "known: chain"),
            ("invalid type: string \"a\", expected a table", "expected a table, got string \"a\"", ""),
            ("invalid length 2, expected 3 numbers", "expected 3 numbers, got 2", ""),
            ("missing field `radius`", "missing field `radius`", ""),
        ];
        for (theirs, message, help) in cases {
            let ours = explain(theirs);
            assert_eq!((ours.0.as_str(), ours.1.as_deref().unwrap_or_default()), (message, help));
        }
    }

    #[test]
    fn a_path_finds_its_value_or_the_nearest_around_it() {
        let text = "[[body]]\nname = 'a'\n\n[[body]]\nname = 'b'\nchain = { rate = 7 }\n";
        let at = |fault: Fault| fault.into_error("f", text).to_string();
        assert_eq!(at(Fault::new("m").at("name").at(1).at("body")), "f:5:8: m");
        assert_eq!(at(Fault::new("m").at("radius").at(1).at("body")), "f:4:1: m");
        let engine = BuildError::Parameter { what: "the rate of b".into(), expected: "positive", value: 0.0 };
        assert_eq!(at(Fault::from(engine).at(1).at("body")), "f:6:18: the rate of b must be positive, got 0");
        assert_eq!(at(Fault::new("m").at("robot")), "f: m");
    }
}
