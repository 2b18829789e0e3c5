//! Elements and attributes of a URDF file, with errors that name their place.

use std::collections::BTreeMap;
use std::ops::Range;

use pliant::math::{Pose, Quat, Vec3};
use roxmltree::{Attribute, Document, Node, ParsingOptions};

use crate::text::error::SceneError;
use crate::text::suggest;

/// Largest number of elements, comments and texts.
const NODES: u32 = 2_000_000;

/// Deepest nesting of elements, of which a robot has six: the parser calls itself for each level.
const DEPTH: usize = 100;

/// A text that is being read.
pub(super) struct Source<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

pub(super) type Element<'a> = Node<'a, 'a>;

impl<'a> Source<'a> {
    /// The text as a tree. Documents with a DTD are refused: entities could make it as large as they like.
    pub fn parse(&self) -> Result<Document<'a>, SceneError> {
        if let Some(at) = too_deep(self.text) {
            return Err(self.error(at..at + 1, format!("elements are nested deeper than {DEPTH} levels")));
        }
        let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES };
        Document::parse_with_options(self.text, options).map_err(|error| {
            let message = match error {
                roxmltree::Error::DtdDetected => "a DTD is not read: write the robot without entities".into(),
                roxmltree::Error::NodesLimitReached => format!("has more than {NODES} elements"),
                ref error => {
                    let text = error.to_string();
                    // the place is said by the error that it becomes
                    format!("this is not XML: {}", text.split(" at ").next().unwrap_or(&text))
                }
            };
            let (row, column) = (error.pos().row as usize, error.pos().col as usize);
            let line: usize = self.text.split_inclusive('\n').take(row.saturating_sub(1)).map(str::len).sum();
            let start = self
                .text
                .get(line..)
                .map_or(line, |rest| line + rest.char_indices().nth(column.saturating_sub(1)).map_or(0, |(at, _)| at));
            SceneError::in_text(self.name, self.text, start..start + 1, message)
        })
    }

    pub fn error(&self, range: Range<usize>, message: impl Into<String>) -> SceneError {
        SceneError::in_text(self.name, self.text, range, message)
    }

    /// An error about an element: its first tag is marked.
    pub fn at(&self, element: Element<'_>, message: impl Into<String>) -> SceneError {
        self.error(tag(element), message)
    }

    /// An attribute that has to be there.
    pub fn attribute<'e>(&self, element: Element<'e>, name: &str) -> Result<Attribute<'e, 'e>, SceneError> {
        let tag = element.tag_name().name();
        element.attribute_node(name).ok_or_else(|| {
            let near = suggest::help(name, element.attributes().map(|a| a.name()).collect::<Vec<_>>());
            self.at(element, format!("<{tag}> needs the attribute {name}")).with_help(near)
        })
    }

    /// The one child of a name.
    pub fn child<'e>(&self, element: Element<'e>, name: &str) -> Result<Option<Element<'e>>, SceneError> {
        let mut found = element.children().filter(|c| c.is_element() && c.tag_name().name() == name);
        let first = found.next();
        match found.next() {
            Some(second) => Err(self.at(second, format!("<{name}> is there twice in <{}>", element.tag_name().name()))),
            None => Ok(first),
        }
    }

    /// Finite numbers of an attribute.
    pub fn numbers<const N: usize>(&self, attribute: &Attribute<'_, '_>) -> Result<[f64; N], SceneError> {
        let mut out = [0.0; N];
        let mut count = 0;
        for word in attribute.value().split_ascii_whitespace() {
            let value = word.parse::<f64>().ok().filter(|x| x.is_finite());
            let Some(value) = value else {
                return Err(self.error(attribute.range_value(), format!("`{word}` is not a finite number")));
            };
            if count < N {
                out[count] = value;
            }
            count += 1;
        }
        if count != N {
            let message =
                format!("{} takes {N} number{}, got {count}", attribute.name(), if N == 1 { "" } else { "s" });
            return Err(self.error(attribute.range_value(), message));
        }
        Ok(out)
    }

    /// A number, or `default` where the attribute is absent.
    pub fn number_or(&self, element: Element<'_>, name: &str, default: f64) -> Result<f64, SceneError> {
        match element.attribute_node(name) {
            Some(attribute) => self.numbers::<1>(&attribute).map(|[x]| x),
            None => Ok(default),
        }
    }

    /// A number that has to be there and positive.
    pub fn positive(&self, element: Element<'_>, name: &str) -> Result<f64, SceneError> {
        let attribute = self.attribute(element, name)?;
        match self.numbers::<1>(&attribute)? {
            [x] if x > 0.0 => Ok(x),
            [x] => Err(self.error(attribute.range_value(), format!("{name} must be positive, got {x}"))),
        }
    }

    /// A vector, or `default` where the attribute is absent.
    pub fn vector_or(&self, element: Element<'_>, name: &str, default: Vec3) -> Result<Vec3, SceneError> {
        match element.attribute_node(name) {
            Some(attribute) => self.numbers::<3>(&attribute).map(Vec3::from_array),
            None => Ok(default),
        }
    }

    /// The pose of an `<origin>`, if there is one.
    pub fn origin(&self, element: Element<'_>) -> Result<Pose, SceneError> {
        let Some(origin) = self.child(element, "origin")? else { return Ok(Pose::IDENTITY) };
        let place = self.vector_or(origin, "xyz", Vec3::ZERO)?;
        let angles = self.vector_or(origin, "rpy", Vec3::ZERO)?;
        let far = place.abs().max_element() > 1e6 || angles.abs().max_element() > 1e6;
        if far {
            return Err(self.at(origin, "an origin must be within 1e6 m and 1e6 rad"));
        }
        // about fixed axes: x, then y, then z
        let turn = Quat::from_rotation_z(angles.z) * Quat::from_rotation_y(angles.y) * Quat::from_rotation_x(angles.x);
        Ok(Pose::from_parts(place, turn.normalize()))
    }
}

/// Where elements are nested too deep, if anywhere: goes over tags, with quotes, comments and the like as the format has them. What is not
/// well formed ends the parser there, too.
fn too_deep(text: &str) -> Option<usize> {
    let (mut at, mut depth) = (0, 0usize);
    while let Some(start) = text.get(at..)?.find('<').map(|i| at + i) {
        let rest = &text[start..];
        let skip = |end: &str| rest.find(end).map(|i| start + i + end.len());
        at = if rest.starts_with("<!--") {
            skip("-->")?
        } else if rest.starts_with("<![CDATA[") {
            skip("]]>")?
        } else if rest.starts_with("<?") {
            skip("?>")?
        } else {
            let mut quote = None;
            let end = rest.bytes().position(|c| match quote {
                Some(open) => {
                    if c == open {
                        quote = None;
                    }
                    false
                }
                None => {
                    if c == b'"' || c == b'\'' {
                        quote = Some(c);
                    }
                    c == b'>'
                }
            })?;
            if rest.starts_with("</") {
                depth = depth.saturating_sub(1);
            } else if !rest[..end].ends_with('/') {
                depth += 1;
            }
            if depth > DEPTH {
                return Some(start);
            }
            start + end + 1
        };
    }
    None
}

/// The first tag of an element.
pub(super) fn tag(element: Element<'_>) -> Range<usize> {
    let all = element.range();
    let end = element.document().input_text()[all.clone()].find('>').map_or(all.end, |at| all.start + at + 1);
    all.start..end
}

/// What is not used: elements by name, with how many there were.
#[derive(Default)]
pub(super) struct Ignored(BTreeMap<String, usize>);

impl Ignored {
    pub fn note(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    /// Note all children that are none of these.
    pub fn others(&mut self, element: Element<'_>, known: &[&str]) {
        for child in element.children().filter(|c| c.is_element()) {
            let name = child.tag_name().name();
            if !known.contains(&name) {
                self.note(format!("<{name}> in <{}>", element.tag_name().name()));
            }
        }
    }

    pub fn list(self) -> Vec<String> {
        let entry = |(what, count)| if count > 1 { format!("{what} ({count} times)") } else { what };
        self.0.into_iter().map(entry).collect()
    }
}
