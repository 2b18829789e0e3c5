//! `pliant validate`: comparisons with closed forms and independent solutions, as a table.

use comfy_table::Cell;
use indicatif::ProgressBar;
use pliant_validate::cases::{self, Case, Row};
use serde::Serialize;

use crate::args::Options;
use crate::failure::Failure;
use crate::output::{self, number, short};

#[derive(Serialize)]
struct Summary {
    cases: Vec<Row>,
    passed: usize,
    failed: usize,
}

/// Run the cases of a model, one case, or all.
pub fn validate(filter: Option<&str>, options: &Options) -> Result<(), Failure> {
    options.refuse_out("validate")?;
    options.refuse_overrides("validate")?;
    let all = cases::all();
    let chosen: Vec<&Case> = all.iter().filter(|c| filter.is_none_or(|f| f == c.model || f == c.name)).collect();
    if chosen.is_empty() {
        let known: Vec<&str> = all.iter().map(|c| c.name).collect();
        let text = format!(
            "there is no model or case named {}; models: chain, cable, xpbd, elastica, lattice, response, robot; cases: {}",
            filter.unwrap_or(""),
            known.join(", ")
        );
        return Err(Failure::Input(text));
    }
    let progress = ProgressBar::new_spinner();
    let rows = cases::run(&chosen, options.threads().into(), |case| {
        progress.set_message(format!("{} {}", case.model, case.name));
        progress.tick();
    });
    progress.finish_and_clear();
    let failed = rows.iter().filter(|r| !r.pass).count();
    let passed = rows.len() - failed;
    if options.json {
        output::print_json(&Summary { cases: rows, passed, failed })?;
    } else {
        print_rows(&rows)?;
        output::print_text(format!("{passed} passed, {failed} failed"))?;
    }
    if failed > 0 { Err(Failure::Run(format!("{failed} of {} comparisons failed", passed + failed))) } else { Ok(()) }
}

fn print_rows(rows: &[Row]) -> Result<(), Failure> {
    let mut table =
        output::table(&["model", "case", "quantity", "size", "value", "reference", "error", "tolerance", ""]);
    for r in rows {
        table.add_row(vec![
            Cell::new(r.model),
            Cell::new(r.case),
            Cell::new(&r.quantity),
            number(r.size),
            number(short(r.value)),
            number(short(r.reference)),
            number(format!("{:.1e}", r.error)),
            number(format!("{:.1e}", r.tolerance)),
            Cell::new(if r.pass { "ok" } else { "FAILED" }),
        ]);
    }
    output::print_text(table)
}
