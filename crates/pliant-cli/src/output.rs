//! Printing: JSON on standard output, tables for people.

use std::io::Write;

use comfy_table::{Cell, CellAlignment, ContentLineStyle, LineStyle, Table, TableStyle};
use serde::Serialize;

pub use pliant_record::short;

use crate::failure::Failure;

/// Print a value as JSON on standard output.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(|e| Failure::Run(format!("cannot write JSON: {e}")))?;
    print_text(text)
}

/// Print text on standard output. Fails if it cannot be written, except when the reader has closed the pipe.
pub fn print_text(text: impl std::fmt::Display) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Run(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// Print a message on standard error, ignoring failures.
pub fn talk(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// `1 body`, `2 bodies`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A table for people, with the given column headings.
pub fn table(heads: &[&str]) -> Table {
    let mut table = Table::new();
    let line = LineStyle::new('─', '─', '─', '─');
    let plain = ContentLineStyle::new(' ', ' ', ' ');
    table.load_style(TableStyle::new().header_lines(plain).header_separator(line).content_lines(plain));
    table.set_header(heads.iter().map(Cell::new));
    table
}

/// A right-aligned cell for a number.
pub fn number(text: impl std::fmt::Display) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}
