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

/// Print lines of text on standard output. Results that cannot be written are a failure; a reader that went away is
/// not.
pub fn print_text(text: impl std::fmt::Display) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Run(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// Talk to people on standard error; if nobody can hear it, that is no failure.
pub fn talk(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// `1 body`, `2 bodies`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A table for people, with the given column heads.
pub fn table(heads: &[&str]) -> Table {
    let mut table = Table::new();
    let line = LineStyle::new('─', '─', '─', '─');
    let plain = ContentLineStyle::new(' ', ' ', ' ');
    table.load_style(TableStyle::new().header_lines(plain).header_separator(line).content_lines(plain));
    table.set_header(heads.iter().map(Cell::new));
    table
}

/// A cell of a number, right-aligned.
pub fn number(text: impl std::fmt::Display) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}
