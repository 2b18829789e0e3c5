//! Self-describing protocol-buffer messages.
//!
//! A recording carries the schema of each message beside the messages. Here message, schema and both directions of the
//! encoding come from one declaration, so they cannot disagree; with `prost` the schema would be a second, hand-written list (or the output of a compiler at build
//! time), and ten more dependencies. Tests read the output with `prost-reflect`.
//!
//! Wire format and descriptor field numbers: <https://protobuf.dev/programming-guides/encoding/> and
//! `google/protobuf/descriptor.proto`.

/// A message: its schema and its encoding.
pub(crate) trait Message {
    /// Name and fields.
    const SCHEMA: Schema;
    /// Append the encoded fields.
    fn encode(&self, out: &mut Vec<u8>);
    /// Set fields from their encoding; unknown ones are skipped.
    fn merge(&mut self, bytes: &[u8]) -> Result<(), Malformed>;
}

/// Decode a message.
pub(crate) fn decode<M: Message + Default>(bytes: &[u8]) -> Result<M, Malformed> {
    let mut message = M::default();
    message.merge(bytes)?;
    Ok(message)
}

/// Bytes that are no such message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// A value that can be a field of a message.
pub(crate) trait Field {
    const KIND: Kind;
    const REPEATED: bool = false;
    /// Append the value under a field number.
    fn encode_field(&self, number: u32, out: &mut Vec<u8>);
    /// Set the value, or append to it if it is a list.
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed>;
}

/// Name and fields of a message.
pub(crate) struct Schema {
    /// Name with package, such as `foxglove.Pose`.
    pub name: &'static str,
    pub fields: &'static [FieldSchema],
}

/// One field of a message.
pub(crate) struct FieldSchema {
    pub number: u32,
    /// As spelled in Rust, where keywords have the prefix `r#`.
    pub name: &'static str,
    pub kind: Kind,
    pub repeated: bool,
}

/// The type of a field.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// `FieldDescriptorProto.Type` of a scalar type.
    Scalar(i32),
    Enum(&'static EnumSchema),
    Message(&'static Schema),
}

/// Name and values of an enumeration nested in a message.
pub(crate) struct EnumSchema {
    /// Name with package and message, such as `foxglove.Log.Level`.
    pub name: &'static str,
    /// Names of the values, numbered from zero.
    pub values: &'static [&'static str],
}

/// Declares a message: a plain struct, its schema and its encoding.
macro_rules! message {
    ($(#[$doc:meta])* $name:ident = $full:literal { $($number:literal $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        #[allow(missing_docs)]
        pub(crate) struct $name { $(pub $field: $type,)* }

        impl $crate::protobuf::Message for $name {
            const SCHEMA: $crate::protobuf::Schema = $crate::protobuf::Schema {
                name: $full,
                fields: &[$($crate::protobuf::FieldSchema {
                    number: $number,
                    name: stringify!($field),
                    kind: <$type as $crate::protobuf::Field>::KIND,
                    repeated: <$type as $crate::protobuf::Field>::REPEATED,
                },)*],
            };
            fn encode(&self, out: &mut Vec<u8>) {
                $($crate::protobuf::Field::encode_field(&self.$field, $number, out);)*
            }
            fn merge(&mut self, bytes: &[u8]) -> Result<(), $crate::protobuf::Malformed> {
                let mut rest = bytes;
                while let Some((number, wire)) = $crate::protobuf::next_field(&mut rest)? {
                    match number {
                        $($number => $crate::protobuf::Field::merge_field(&mut self.$field, wire)?,)*
                        _ => {}
                    }
                }
                Ok(())
            }
        }

        impl $crate::protobuf::Field for $name {
            const KIND: $crate::protobuf::Kind =
                $crate::protobuf::Kind::Message(&<$name as $crate::protobuf::Message>::SCHEMA);
            fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
                $crate::protobuf::put_nested(number, out, |out| $crate::protobuf::Message::encode(self, out));
            }
            fn merge_field(
                &mut self,
                wire: $crate::protobuf::Wire<'_>,
            ) -> Result<(), $crate::protobuf::Malformed> {
                $crate::protobuf::Message::merge(self, wire.bytes()?)
            }
        }
    };
}
pub(crate) use message;

// wire types
const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH: u32 = 2;
const FIXED32: u32 = 5;

/// An encoded value, by its wire type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wire<'a> {
    Varint(u64),
    Fixed64([u8; 8]),
    Bytes(&'a [u8]),
    Fixed32([u8; 4]),
}

impl<'a> Wire<'a> {
    fn varint(self) -> Result<u64, Malformed> {
        if let Wire::Varint(value) = self { Ok(value) } else { Err(Malformed) }
    }

    pub(crate) fn bytes(self) -> Result<&'a [u8], Malformed> {
        if let Wire::Bytes(bytes) = self { Ok(bytes) } else { Err(Malformed) }
    }
}

/// Take the next field, with its number, off the front of an encoded message.
pub(crate) fn next_field<'a>(rest: &mut &'a [u8]) -> Result<Option<(u32, Wire<'a>)>, Malformed> {
    if rest.is_empty() {
        return Ok(None);
    }
    let key = take_varint(rest)?;
    let number = u32::try_from(key >> 3).map_err(|_| Malformed)?;
    let wire = match (key & 7) as u32 {
        VARINT => Wire::Varint(take_varint(rest)?),
        FIXED64 => Wire::Fixed64(take_array(rest)?),
        FIXED32 => Wire::Fixed32(take_array(rest)?),
        LENGTH => {
            let length = usize::try_from(take_varint(rest)?).map_err(|_| Malformed)?;
            let (bytes, after) = rest.split_at_checked(length).ok_or(Malformed)?;
            *rest = after;
            Wire::Bytes(bytes)
        }
        _ => return Err(Malformed),
    };
    Ok(Some((number, wire)))
}

fn take_varint(rest: &mut &[u8]) -> Result<u64, Malformed> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first().ok_or(Malformed)?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Malformed)
}

fn take_array<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Malformed> {
    let (&bytes, after) = rest.split_first_chunk().ok_or(Malformed)?;
    *rest = after;
    Ok(bytes)
}

fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_key(number: u32, wire_type: u32, out: &mut Vec<u8>) {
    put_varint(u64::from(number << 3 | wire_type), out);
}

/// Append a field preceded by its length, which is known only afterwards.
pub(crate) fn put_nested(number: u32, out: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    put_key(number, LENGTH, out);
    let start = out.len();
    // most messages are shorter than 128 bytes: reserve one byte for the length, and move the content if it takes more
    out.push(0);
    content(out);
    let length = out.len() - start - 1;
    if length < 0x80 {
        out[start] = length as u8;
    } else {
        let mut prefix = Vec::with_capacity(5);
        put_varint(length as u64, &mut prefix);
        out.splice(start..=start, prefix);
    }
}

impl Field for f64 {
    const KIND: Kind = Kind::Scalar(1);
    fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
        put_key(number, FIXED64, out);
        out.extend(self.to_le_bytes());
    }
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed> {
        let Wire::Fixed64(bytes) = wire else { return Err(Malformed) };
        *self = f64::from_le_bytes(bytes);
        Ok(())
    }
}

impl Field for i64 {
    const KIND: Kind = Kind::Scalar(3);
    fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
        put_key(number, VARINT, out);
        put_varint(*self as u64, out);
    }
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed> {
        *self = wire.varint()? as i64;
        Ok(())
    }
}

impl Field for i32 {
    const KIND: Kind = Kind::Scalar(5);
    fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
        i64::from(*self).encode_field(number, out);
    }
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed> {
        *self = wire.varint()? as i32;
        Ok(())
    }
}

/// `fixed32`, the type of indices in the Foxglove schemas.
impl Field for u32 {
    const KIND: Kind = Kind::Scalar(7);
    fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
        put_key(number, FIXED32, out);
        out.extend(self.to_le_bytes());
    }
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed> {
        let Wire::Fixed32(bytes) = wire else { return Err(Malformed) };
        *self = u32::from_le_bytes(bytes);
        Ok(())
    }
}

impl Field for bool {
    const KIND: Kind = Kind::Scalar(8);
    fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
        i64::from(*self).encode_field(number, out);
    }
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed> {
        *self = wire.varint()? != 0;
        Ok(())
    }
}

impl Field for String {
    const KIND: Kind = Kind::Scalar(9);
    fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
        // a proto3 reader takes absent for empty, but readers of descriptors do not
        if !self.is_empty() {
            put_nested(number, out, |out| out.extend(self.as_bytes()));
        }
    }
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed> {
        *self = str::from_utf8(wire.bytes()?).map_err(|_| Malformed)?.into();
        Ok(())
    }
}

impl Field for Vec<u8> {
    const KIND: Kind = Kind::Scalar(12);
    fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
        put_nested(number, out, |out| out.extend(self));
    }
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed> {
        *self = wire.bytes()?.into();
        Ok(())
    }
}

impl Field for Vec<f64> {
    const KIND: Kind = f64::KIND;
    const REPEATED: bool = true;
    fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
        put_nested(number, out, |out| out.extend(self.iter().flat_map(|v| v.to_le_bytes())));
    }
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed> {
        let (values, []) = wire.bytes()?.as_chunks() else { return Err(Malformed) };
        self.extend(values.iter().map(|bytes| f64::from_le_bytes(*bytes)));
        Ok(())
    }
}

impl Field for Vec<u32> {
    const KIND: Kind = u32::KIND;
    const REPEATED: bool = true;
    fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
        put_nested(number, out, |out| out.extend(self.iter().flat_map(|v| v.to_le_bytes())));
    }
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed> {
        let (values, []) = wire.bytes()?.as_chunks() else { return Err(Malformed) };
        self.extend(values.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        Ok(())
    }
}

impl Field for Vec<String> {
    const KIND: Kind = String::KIND;
    const REPEATED: bool = true;
    fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
        self.iter().for_each(|text| text.encode_field(number, out));
    }
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed> {
        let mut text = String::new();
        text.merge_field(wire)?;
        self.push(text);
        Ok(())
    }
}

impl<M: Message + Field + Default> Field for Vec<M> {
    const KIND: Kind = M::KIND;
    const REPEATED: bool = true;
    fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
        self.iter().for_each(|message| message.encode_field(number, out));
    }
    fn merge_field(&mut self, wire: Wire<'_>) -> Result<(), Malformed> {
        self.push(decode(wire.bytes()?)?);
        Ok(())
    }
}

// the messages of google/protobuf/descriptor.proto, as far as needed
message!(FileSet = "google.protobuf.FileDescriptorSet" { 1 file: Vec<FileDescriptor>, });
message!(FileDescriptor = "google.protobuf.FileDescriptorProto" {
    1 name: String, 2 package: String, 3 dependency: Vec<String>, 4 message_type: Vec<MessageDescriptor>,
    12 syntax: String,
});
message!(MessageDescriptor = "google.protobuf.DescriptorProto" {
    1 name: String, 2 field: Vec<FieldDescriptor>, 4 enum_type: Vec<EnumDescriptor>,
});
message!(FieldDescriptor = "google.protobuf.FieldDescriptorProto" {
    1 name: String, 3 number: i32, 4 label: i32, 5 kind: i32, 6 type_name: String,
});
message!(EnumDescriptor = "google.protobuf.EnumDescriptorProto" { 1 name: String, 2 value: Vec<EnumValue>, });
message!(EnumValue = "google.protobuf.EnumValueDescriptorProto" { 1 name: String, 2 number: i32, });

/// The serialized `FileDescriptorSet` of a message and all it uses: what MCAP requires as a protobuf schema.
pub(crate) fn descriptor_set(schema: &Schema) -> Vec<u8> {
    let mut set = FileSet::default();
    add_file(schema, &mut set.file);
    let mut out = vec![];
    set.encode(&mut out);
    out
}

/// Add one file per message, after the files it depends on.
fn add_file(schema: &Schema, files: &mut Vec<FileDescriptor>) {
    let name = file_name(schema);
    if files.iter().any(|file| file.name == name) {
        return;
    }
    let (package, short) = split(schema.name);
    let mut file =
        FileDescriptor { name, package: package.into(), syntax: "proto3".into(), ..FileDescriptor::default() };
    let mut message = MessageDescriptor { name: short.into(), ..MessageDescriptor::default() };
    for field in schema.fields {
        let (kind, type_name) = match field.kind {
            Kind::Scalar(kind) => (kind, String::new()),
            Kind::Message(used) => {
                add_file(used, files);
                if !file.dependency.contains(&file_name(used)) {
                    file.dependency.push(file_name(used));
                }
                (11, format!(".{}", used.name))
            }
            Kind::Enum(used) => {
                message.enum_type.push(enum_descriptor(used));
                (14, format!(".{}", used.name))
            }
        };
        message.field.push(FieldDescriptor {
            name: field.name.trim_start_matches("r#").into(),
            number: field.number as i32,
            label: if field.repeated { 3 } else { 1 },
            kind,
            type_name,
        });
    }
    file.message_type.push(message);
    files.push(file);
}

fn enum_descriptor(schema: &EnumSchema) -> EnumDescriptor {
    let value = |(number, name): (usize, &&str)| EnumValue { name: name.to_string(), number: number as i32 };
    EnumDescriptor { name: split(schema.name).1.into(), value: schema.values.iter().enumerate().map(value).collect() }
}

fn file_name(schema: &Schema) -> String {
    let path = schema.name.replace('.', "/");
    // readers know Google's own files by their lower-case names
    if path.starts_with("google/") { format!("{}.proto", path.to_lowercase()) } else { format!("{path}.proto") }
}

fn split(name: &'static str) -> (&'static str, &'static str) {
    name.rsplit_once('.').unwrap_or(("", name))
}
