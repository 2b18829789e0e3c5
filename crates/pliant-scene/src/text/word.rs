//! Names, text, and types that serde reads strictly.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// The name of something in a scene: short, printable, and without the dots and slashes that separate paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name(String);

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let fault = if name.trim().is_empty() {
            "a name must not be empty"
        } else if name.chars().count() > 64 {
            "a name may have at most 64 characters"
        } else if name.chars().any(char::is_control) {
            "a name must not contain control characters"
        } else if name.contains(['.', '/', '\\']) {
            "a name must not contain dots or slashes"
        } else {
            return Ok(Name(name));
        };
        Err(de::Error::custom(fault))
    }
}

impl JsonSchema for Name {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": 64, "pattern": r"^[^./\\\u0000-\u001f]+$" })
    }
}

/// Text for people, without control characters, since it may be printed on a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text(pub(crate) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.chars().count() > 1000 {
            return Err(de::Error::custom("expected at most 1000 characters"));
        }
        if text.chars().any(char::is_control) {
            return Err(de::Error::custom("expected one line of text without control characters"));
        }
        Ok(Text(text))
    }
}

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "maxLength": 1000 })
    }
}

/// A struct read only from a table. Serde would also read it from an array, by position, and ignore excess values.
#[derive(Clone, Debug)]
pub(crate) struct Table<T>(T);

impl<T> Table<T> {
    /// Wrap a value that was not read from a file.
    pub(crate) fn of(value: T) -> Table<T> {
        Table(value)
    }
}

impl<T> Deref for Table<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Table<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OnlyTable(PhantomData)).map(Table)
    }
}

struct OnlyTable<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OnlyTable<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

impl<T: JsonSchema> JsonSchema for Table<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Exactly two values in brackets. Serde would read them from a longer array, too, and ignore the rest.
#[derive(Clone, Debug)]
pub(crate) struct Pair<T>(pub(crate) [T; 2]);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pair<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(OnlyTwo(PhantomData))
    }
}

struct OnlyTwo<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OnlyTwo<T> {
    type Value = Pair<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("2 entries in brackets")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let wrong_length = |got| de::Error::invalid_length(got, &self);
        let first = seq.next_element()?.ok_or_else(|| wrong_length(0))?;
        let second = seq.next_element()?.ok_or_else(|| wrong_length(1))?;
        let mut got = 2;
        while seq.next_element::<de::IgnoredAny>()?.is_some() {
            got += 1;
        }
        if got > 2 { Err(wrong_length(got)) } else { Ok(Pair([first, second])) }
    }
}

impl<T: JsonSchema> JsonSchema for Pair<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("{}x2", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": generator.subschema_for::<T>(), "minItems": 2, "maxItems": 2 })
    }
}

/// A table without fields, as in `{ hold = {} }`.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}
