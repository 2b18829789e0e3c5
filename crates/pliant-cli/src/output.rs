//! Printing: JSON on standard output, tables for people.

use comfy_table::{Cell, CellAlignment, ContentLineStyle, LineStyle, Table, TableStyle};
use serde::Serialize;

use crate::failure::Failure;

/// Print a value as JSON on standard output.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    use std::io::Write;
    let text = serde_json::to_string(value).map_err(|e| Failure::Run(format!("cannot write JSON: {e}")))?;
    // a closed pipe is the reader's choice, not a failure
    let _ = writeln!(std::io::stdout(), "{text}");
    Ok(())
}

/// Print lines of text on standard output.
pub fn print_text(text: impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{text}");
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

/// A number with a few significant digits, short for any size.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if (1e-3..1e5).contains(&value.abs()) {
        let digits = (4 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.3e}")
    }
}
