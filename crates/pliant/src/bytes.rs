//! Serialisation of the state, for snapshots that leave the process.
//!
//! Numbers are little-endian, lists begin with their length, enums with the number of their variant. Reading never
//! panics and never allocates more than the bytes left account for. Each part of the state lists its fields next to its
//! definition, by [`stored!`] or [`stored_enum!`], which do not compile when a field is missing.

use crate::math::{Pose, Quat, Vec2, Vec3};

/// The bytes do not have the expected content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Can be written as bytes and read back.
pub(crate) trait Stored: Sized {
    /// Append the bytes.
    fn write(&self, out: &mut Vec<u8>);

    /// Read a value from the front.
    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed>;
}

/// The bytes that remain to be read.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, left) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = left;
        Ok(taken)
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Implements [`Stored`] for a struct, field by field.
macro_rules! stored {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl $crate::bytes::Stored for $type {
            fn write(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($crate::bytes::Stored::write($field, out);)*
            }

            fn read(from: &mut $crate::bytes::Reader<'_>) -> Result<Self, $crate::bytes::Malformed> {
                Ok(Self { $($field: $crate::bytes::Stored::read(from)?),* })
            }
        }
    };
}

/// Implements [`Stored`] for an enum, each variant with its number and fields; `()` for none.
macro_rules! stored_enum {
    ($type:ty { $($number:literal => $variant:ident { $($field:tt: $name:ident),* }),* $(,)? }) => {
        impl $crate::bytes::Stored for $type {
            fn write(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant { $($field: $name),* } => {
                        out.push($number);
                        $($crate::bytes::Stored::write($name, out);)*
                    })*
                }
            }

            fn read(from: &mut $crate::bytes::Reader<'_>) -> Result<Self, $crate::bytes::Malformed> {
                Ok(match <u8 as $crate::bytes::Stored>::read(from)? {
                    $($number => Self::$variant { $($field: $crate::bytes::Stored::read(from)?),* },)*
                    _ => return Err($crate::bytes::Malformed),
                })
            }
        }
    };
}

pub(crate) use {stored, stored_enum};

macro_rules! stored_numbers {
    ($($type:ty),*) => {$(
        impl Stored for $type {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn read(from: &mut Reader<'_>) -> Result<$type, Malformed> {
                let bytes = from.take(size_of::<$type>())?;
                Ok(<$type>::from_le_bytes(bytes.try_into().map_err(|_| Malformed)?))
            }
        }
    )*};
}

stored_numbers!(u8, u32, f64);

/// No count of anything comes to this: one that does is corrupt, and would overflow.
const MOST: u64 = 1 << 62;

/// Read eight bytes as they are.
pub(crate) fn read_word(from: &mut Reader<'_>) -> Result<u64, Malformed> {
    Ok(u64::from_le_bytes(<[u8; 8]>::read(from)?))
}

impl Stored for u64 {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Result<u64, Malformed> {
        read_word(from).and_then(|number| if number < MOST { Ok(number) } else { Err(Malformed) })
    }
}

impl Stored for usize {
    fn write(&self, out: &mut Vec<u8>) {
        // usize::MAX, which stands for no body, is the same on 32-bit and 64-bit machines
        let number = if *self == usize::MAX { u64::MAX } else { *self as u64 };
        number.write(out);
    }

    fn read(from: &mut Reader<'_>) -> Result<usize, Malformed> {
        match read_word(from)? {
            u64::MAX => Ok(usize::MAX),
            number if number < MOST => usize::try_from(number).map_err(|_| Malformed),
            _ => Err(Malformed),
        }
    }
}

impl Stored for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn read(from: &mut Reader<'_>) -> Result<bool, Malformed> {
        match u8::read(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }
}

impl Stored for String {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Result<String, Malformed> {
        let length = usize::read(from)?;
        String::from_utf8(from.take(length)?.to_vec()).map_err(|_| Malformed)
    }
}

impl<T: Stored> Stored for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        self.iter().for_each(|value| value.write(out));
    }

    fn read(from: &mut Reader<'_>) -> Result<Option<T>, Malformed> {
        if bool::read(from)? { T::read(from).map(Some) } else { Ok(None) }
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.len().write(out);
        self.iter().for_each(|value| value.write(out));
    }

    fn read(from: &mut Reader<'_>) -> Result<Vec<T>, Malformed> {
        let length = usize::read(from)?;
        // a corrupt length must not allocate more than the bytes left account for
        let mut list = Vec::with_capacity(length.min(from.0.len() / size_of::<T>().max(1) + 1));
        for _ in 0..length {
            list.push(T::read(from)?);
        }
        Ok(list)
    }
}

impl<T: Stored, const N: usize> Stored for [T; N] {
    fn write(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|value| value.write(out));
    }

    fn read(from: &mut Reader<'_>) -> Result<[T; N], Malformed> {
        let list = (0..N).map(|_| T::read(from)).collect::<Result<Vec<T>, Malformed>>()?;
        list.try_into().map_err(|_| Malformed)
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    fn read(from: &mut Reader<'_>) -> Result<(A, B), Malformed> {
        Ok((A::read(from)?, B::read(from)?))
    }
}

impl<A: Stored, B: Stored, C: Stored> Stored for (A, B, C) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
        self.2.write(out);
    }

    fn read(from: &mut Reader<'_>) -> Result<(A, B, C), Malformed> {
        Ok((A::read(from)?, B::read(from)?, C::read(from)?))
    }
}

macro_rules! stored_vectors {
    ($($type:ty),*) => {$(
        impl Stored for $type {
            fn write(&self, out: &mut Vec<u8>) {
                self.to_array().write(out);
            }

            fn read(from: &mut Reader<'_>) -> Result<$type, Malformed> {
                Ok(<$type>::from_array(Stored::read(from)?))
            }
        }
    )*};
}

stored_vectors!(Vec2, Vec3, Quat);

impl Stored for Pose {
    fn write(&self, out: &mut Vec<u8>) {
        self.translation.write(out);
        self.rotation.write(out);
    }

    fn read(from: &mut Reader<'_>) -> Result<Pose, Malformed> {
        Ok(Pose::from_parts(Stored::read(from)?, Stored::read(from)?))
    }
}

/// The FNV-1a hash (Fowler, Noll and Vo) of 64 bits: detects damage, not forgery.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Part {
        name: String,
        list: Vec<Option<[f64; 2]>>,
        what: What,
    }

    #[derive(Debug, PartialEq)]
    enum What {
        Nothing,
        Number(usize),
        Place { at: Vec3 },
    }

    stored!(Part { name, list, what });
    stored_enum!(What { 0 => Nothing {}, 1 => Number { 0: number }, 2 => Place { at: at } });

    #[test]
    fn what_was_written_is_read_and_no_less() {
        for what in [What::Nothing, What::Number(usize::MAX), What::Place { at: Vec3::new(-0.0, 1.5, f64::INFINITY) }] {
            let part = Part { name: "Käfig".into(), list: vec![None, Some([0.1, -2.0])], what };
            let mut bytes = vec![];
            part.write(&mut bytes);
            let mut reader = Reader::new(&bytes);
            assert_eq!(Part::read(&mut reader), Ok(part));
            assert!(reader.is_empty());
            for length in 0..bytes.len() {
                assert_eq!(Part::read(&mut Reader::new(&bytes[..length])), Err(Malformed));
            }
        }
    }

    #[test]
    fn lengths_that_are_lies_take_no_memory() {
        let mut bytes = vec![];
        u64::MAX.wrapping_sub(1).write(&mut bytes);
        assert_eq!(Vec::<f64>::read(&mut Reader::new(&bytes)), Err(Malformed));
        assert_eq!(String::read(&mut Reader::new(&bytes)), Err(Malformed));
    }

    /// Published values of the hash.
    #[test]
    fn checksums_are_those_of_the_published_hash() {
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
