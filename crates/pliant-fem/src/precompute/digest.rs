//! Digests that identify results: a hash of everything that determines them.

use std::fmt;
use twox_hash::xxhash3_128;

/// A 128-bit XXH3 hash of everything that determines a result. It is the same on every machine; two different bodies
/// collide with a probability of about 3e-39.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub u128);

impl fmt::Display for Digest {
    /// 32 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A digest under construction.
pub(crate) struct Digester(xxhash3_128::Hasher);

impl Digester {
    /// Start the digest of a kind of result, stored in a given version of the format.
    pub fn new(kind: &str, version: u32) -> Digester {
        let mut digester = Digester(xxhash3_128::Hasher::new());
        digester.0.write(kind.as_bytes());
        digester.count(version as usize);
        digester
    }

    /// Add an integer.
    pub fn count(&mut self, number: usize) {
        self.0.write(&(number as u64).to_le_bytes());
    }

    /// Add a number, bit for bit.
    pub fn number(&mut self, number: f64) {
        self.0.write(&number.to_bits().to_le_bytes());
    }

    /// The digest of everything added.
    pub fn finish(self) -> Digest {
        Digest(self.0.finish_128())
    }
}
