//! What tells results apart: a number made of all that determines them.

use std::fmt;
use twox_hash::xxhash3_128;

/// XXH3, 128 bits, of all that determines a result. The same on every machine; two different bodies have the same one with a
/// probability of 1e-38.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub u128);

impl fmt::Display for Digest {
    /// 32 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A digest in the making.
pub(crate) struct Digester(xxhash3_128::Hasher);

impl Digester {
    /// Of a kind of result, and of the version in which it is stored.
    pub fn new(kind: &str, version: u32) -> Digester {
        let mut digester = Digester(xxhash3_128::Hasher::new());
        digester.0.write(kind.as_bytes());
        digester.count(version as usize);
        digester
    }

    /// Add a whole number.
    pub fn count(&mut self, number: usize) {
        self.0.write(&(number as u64).to_le_bytes());
    }

    /// Add a number, to the bit.
    pub fn number(&mut self, number: f64) {
        self.0.write(&number.to_bits().to_le_bytes());
    }

    /// The digest of all that was added.
    pub fn finish(self) -> Digest {
        Digest(self.0.finish_128())
    }
}
