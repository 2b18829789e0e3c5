//! Protocol-buffer messages as they are in our recordings, read field by field.
//!
//! Wire format: <https://protobuf.dev/programming-guides/encoding/>. The messages are declared in pliant-record.

/// One field of a message.
pub enum Value<'a> {
    /// An integer, an enumeration or a boolean.
    Integer(u64),
    /// A double.
    Double(f64),
    /// Text, a message or packed numbers.
    Bytes(&'a [u8]),
}

/// The fields of a message in order, with their numbers; ends at the first that is not one.
pub struct Fields<'a>(pub &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Value<'a>);

    fn next(&mut self) -> Option<(u64, Value<'a>)> {
        let key = self.integer()?;
        let value = match key & 7 {
            0 => Value::Integer(self.integer()?),
            1 => Value::Double(f64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(self.integer()?).ok()?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Integer(u32::from_le_bytes(self.take(4)?.try_into().ok()?).into()),
            _ => return None,
        };
        Some((key >> 3, value))
    }
}

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn integer(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for place in 0..10 {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

/// The first `N` fields of a message of doubles; zero where they are left out.
pub fn doubles<const N: usize>(message: &[u8]) -> [f64; N] {
    let mut values = [0.0; N];
    for (number, value) in Fields(message) {
        if let (Some(place), Value::Double(value)) = (values.get_mut((number as usize).wrapping_sub(1)), value) {
            *place = value;
        }
    }
    values
}

/// Packed doubles.
pub fn packed(bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    bytes.chunks_exact(8).map(|eight| f64::from_le_bytes(eight.try_into().unwrap_or_default()))
}
