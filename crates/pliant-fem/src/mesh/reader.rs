//! Reading numbers from text and binary files, without trusting any count.

use crate::error::ReadError;

/// The bytes of a file and the read position.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// What is being read, for error messages.
    pub section: String,
    /// Whether numbers are binary rather than text.
    pub binary: bool,
    /// Whether binary numbers are big-endian.
    pub big: bool,
    /// Where binary data, which has no lines, begins.
    data: usize,
}

impl<'a> Reader<'a> {
    /// Start at the beginning of a text file.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0, section: "the head".to_string(), binary: false, big: false, data: usize::MAX }
    }

    /// The unread bytes.
    pub fn left(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Error for a truncated file.
    pub fn ends(&self) -> ReadError {
        ReadError::Ends { section: self.section.clone() }
    }

    /// Error for unexpected content at the read position.
    pub fn unexpected(&self, expected: &'static str, found: impl ToString) -> ReadError {
        let until = self.at.min(self.data).min(self.bytes.len());
        let line = 1 + self.bytes[..until].iter().filter(|byte| **byte == b'\n').count();
        let found = found.to_string().chars().take(60).collect();
        ReadError::Unexpected { line, section: self.section.clone(), expected, found }
    }

    /// The rest of the line, trimmed; `None` at the end of the file.
    pub fn line(&mut self) -> Option<String> {
        let left = self.left();
        if left.is_empty() {
            return None;
        }
        let length = left.iter().position(|byte| *byte == b'\n').unwrap_or(left.len());
        self.at += (length + 1).min(left.len());
        Some(String::from_utf8_lossy(&left[..length]).trim().to_string())
    }

    /// The next line that is not empty.
    pub fn full_line(&mut self) -> Option<String> {
        loop {
            match self.line() {
                Some(line) if line.is_empty() => {}
                line => return line,
            }
        }
    }

    /// The next word.
    pub fn word(&mut self) -> Result<&'a str, ReadError> {
        let space = self.left().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += space;
        let left = self.left();
        let length = left.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        if length == 0 {
            return Err(self.ends());
        }
        let word = std::str::from_utf8(&left[..length])
            .map_err(|_| self.unexpected("a word of plain text", String::from_utf8_lossy(&left[..length])))?;
        self.at += length;
        Ok(word)
    }

    /// The next word, parsed.
    pub fn parse<T: std::str::FromStr>(&mut self, expected: &'static str) -> Result<T, ReadError> {
        let word = self.word()?;
        word.parse().map_err(|_| self.unexpected(expected, word))
    }

    /// Skip `count` bytes.
    pub fn skip(&mut self, count: usize) -> Result<(), ReadError> {
        if count > self.left().len() {
            return Err(self.ends());
        }
        self.at += count;
        Ok(())
    }

    /// Skip to just after `text`; false if it does not occur.
    pub fn skip_past(&mut self, text: &str) -> bool {
        let place = self.left().windows(text.len()).position(|window| window == text.as_bytes());
        self.at += place.map_or(0, |place| place + text.len());
        place.is_some()
    }

    /// Mark the beginning of binary data.
    pub fn begin_data(&mut self) {
        self.data = self.data.min(self.at);
    }

    /// The next N bytes, as little-endian.
    fn raw<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut raw: [u8; N] = self.left().get(..N).and_then(|raw| raw.try_into().ok()).ok_or_else(|| self.ends())?;
        self.at += N;
        if self.big {
            raw.reverse();
        }
        Ok(raw)
    }

    /// An integer: 4 or 8 bytes, or a word of text.
    pub fn whole(&mut self, bytes: usize, expected: &'static str) -> Result<i64, ReadError> {
        match (self.binary, bytes) {
            (false, _) => self.parse(expected),
            (true, 4) => Ok(i32::from_le_bytes(self.raw()?).into()),
            (true, _) => Ok(i64::from_le_bytes(self.raw()?)),
        }
    }

    /// A non-negative integer.
    pub fn count(&mut self, bytes: usize, expected: &'static str) -> Result<usize, ReadError> {
        let number = self.whole(bytes, expected)?;
        usize::try_from(number).map_err(|_| self.unexpected(expected, number))
    }

    /// A floating-point number: 4 or 8 bytes, or a word of text.
    pub fn real(&mut self, bytes: usize) -> Result<f64, ReadError> {
        match (self.binary, bytes) {
            (false, _) => self.parse("a number"),
            (true, 4) => Ok(f32::from_le_bytes(self.raw()?).into()),
            (true, _) => Ok(f64::from_le_bytes(self.raw()?)),
        }
    }
}
