//! `pliant reproduce`: a published experiment rerun, its figures beside ours, and drawings.

use std::path::{Path, PathBuf};

use comfy_table::Cell;
use pliant_validate::experiments::figures::{FIGURES, Figure, Shown};
use pliant_validate::experiments::{EXPERIMENTS, Results};

use crate::args::Options;
use crate::failure::Failure;
use crate::output::{self, number, short};

/// List the experiments, or run one.
pub fn reproduce(id: Option<&str>, options: &Options) -> Result<(), Failure> {
    options.refuse_overrides("reproduce: run the scene itself to change it")?;
    let Some(id) = id else { return list(options) };
    let Some(experiment) = EXPERIMENTS.iter().find(|e| e.id == id) else {
        let known: Vec<&str> = EXPERIMENTS.iter().map(|e| e.id).collect();
        return Err(Failure::Input(format!("there is no experiment named {id}; known are {}", known.join(", "))));
    };
    if let Some(folder) = options.out.as_deref().filter(|f| f.read_dir().is_ok_and(|mut d| d.next().is_some())) {
        let text = format!("{} is not empty: choose another --out, or remove it", folder.display());
        return Err(Failure::Input(text));
    }
    let results = experiment.run(|text| output::talk(text))?;
    if options.json {
        output::print_json(&results)?;
    } else {
        print(&results, experiment.about)?;
    }
    draw(&results, options.out.as_deref())
}

fn list(options: &Options) -> Result<(), Failure> {
    if options.json {
        let ids: Vec<&str> = EXPERIMENTS.iter().map(|e| e.id).collect();
        return output::print_json(&ids);
    }
    let mut table = output::table(&["id", "experiment"]);
    for e in EXPERIMENTS {
        table.add_row(vec![e.id, e.about]);
    }
    output::print_text(table)?;
    let mut table = output::table(&["paper", "figure or table", "of", "shown by"]);
    for Figure { paper, name, about, shown } in FIGURES {
        let shown = match shown {
            Shown::Experiment(id) => (*id).to_string(),
            Shown::Command(command) => (*command).to_string(),
            Shown::No(reason) => format!("nothing: {reason}"),
        };
        table.add_row(vec![*paper, *name, *about, shown.as_str()]);
    }
    output::print_text(table)
}

fn print(results: &Results, about: &str) -> Result<(), Failure> {
    output::print_text(format!("{}: {about}\n{}", results.id, results.seed))?;
    output::print_text("\nchosen where the paper leaves it open:")?;
    for (what, value) in &results.choices {
        output::print_text(format!("  {what}: {value}"))?;
    }
    let mut table = output::table(&["quantity", "unit", "paper", "ours", "holds"]);
    let shown = |v: Option<f64>| number(v.map_or("-".into(), short));
    for r in &results.rows {
        let holds = if r.holds { "yes" } else { "NO" };
        table.add_row(vec![Cell::new(&r.quantity), r.unit.into(), shown(r.paper), shown(r.ours), holds.into()]);
    }
    output::print_text(table)?;
    for remark in &results.remarks {
        output::print_text(remark)?;
    }
    Ok(())
}

/// Write the drawings, by default to ./out/reproduce.
fn draw(results: &Results, out: Option<&Path>) -> Result<(), Failure> {
    let folder = out.map_or_else(|| PathBuf::from("out/reproduce"), Path::to_path_buf);
    for (name, text) in results.figures() {
        let path = folder.join(format!("{name}.svg"));
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, text));
        written.map_err(|e| Failure::Run(format!("cannot write {}: {e}", path.display())))?;
        output::talk(format!("drawing: {}", path.display()));
    }
    Ok(())
}
