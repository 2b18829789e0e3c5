//! `report.html`: the data inserted into the page that `build.rs` bundled, or into a plain one. And the page of a robot, and the live
//! page, as is.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::error::RecordError;
use crate::events::short;
use crate::gate::{self, Gate};
use crate::recorder::{Outcome, RunInfo};

/// The page with a placeholder for the data; empty if it could not be bundled.
const TEMPLATE: &str = include_str!(concat!(env!("OUT_DIR"), "/report.html"));
/// The page that `pliant live` serves: one HTML file that needs nothing but its server. It comes from `web/`, as the
/// report does, and shares its code. Empty if it could not be bundled, because Node was missing when this was built.
pub const LIVE_PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/live.html"));
/// The page of a robot, with a placeholder; empty if it could not be bundled.
const ROBOT: &str = include_str!(concat!(env!("OUT_DIR"), "/robot.html"));
const PLACEHOLDER: &str = "<!--PLIANT-DATA-->";

/// Write the page of a run.
pub(crate) fn write(
    path: &Path,
    json: &str,
    info: &RunInfo,
    outcome: &Outcome,
    gate: &Gate,
    sync: bool,
) -> Result<(), RecordError> {
    write_behind(path, &page(TEMPLATE, json, info, outcome), gate, sync)
}

/// The page that shows a robot with a slider for each joint, from its data as JSON with `<` escaped; `None` if it could not be
/// bundled, because Node was missing when this was built.
pub fn robot_page(json: &str) -> Option<String> {
    let (before, after) = ROBOT.split_once(PLACEHOLDER)?;
    Some([before, &element(json), after].concat())
}

/// Data as an element of a page.
fn element(json: &str) -> String {
    ["<script type=\"application/json\" id=\"pliant-data\">", json, "</script>"].concat()
}

/// Write a file completely or not at all.
pub fn write_whole(path: &Path, text: &str) -> Result<(), RecordError> {
    write_behind(path, text, &Gate::default(), true)
}

fn write_behind(path: &Path, text: &str, gate: &Gate, sync: bool) -> Result<(), RecordError> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".part");
    let unfinished = Path::new(&unfinished);
    gate.pass().push(unfinished.into());
    let written = write_new(unfinished, text, sync);
    let mut pass = gate.pass();
    let result = written.and_then(|()| fs::rename(unfinished, path));
    if result.is_err() {
        // remove the incomplete page; the first error is the one to report
        let _ = fs::remove_file(unfinished);
    }
    gate::settled(&mut pass, unfinished);
    result.map_err(RecordError::write(path))
}

fn write_new(path: &Path, text: &str, sync: bool) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    if sync { file.sync_all() } else { Ok(()) }
}

fn page(template: &str, json: &str, info: &RunInfo, outcome: &Outcome) -> String {
    let data = element(json);
    match template.split_once(PLACEHOLDER) {
        Some((before, after)) => [before, &data, after].concat(),
        None => plain_page(&data, info, outcome),
    }
}

/// A page without scripts, for builds without Node: the outcome in words and tables, and the raw data.
fn plain_page(data: &str, info: &RunInfo, outcome: &Outcome) -> String {
    let state = if outcome.ok { "Done" } else { "Failed" };
    let summary = outcome.summary.iter().map(|(label, value)| row(&[label, value]));
    let expectations = outcome.expectations.iter().map(|e| {
        let verdict = match (e.pass, e.first_missed) {
            (Some(true), _) => "met".into(),
            (Some(false), Some(first)) => format!("missed at {} s", short(first)),
            (Some(false), None) => "missed".into(),
            (None, _) => "open".into(),
        };
        row(&[&e.text, &e.value, &e.bounds, &verdict])
    });
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} · Pliant</title>\n\
         <style>body{{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}}\
         td,th{{text-align:left;padding:.2em 1em .2em 0}}</style></head><body>\n\
         <h1>{title}</h1>\n<p><b>{state}</b> {text}</p>\n\
         <p><code>{command}</code>, scene {scene}, Pliant {version}</p>\n\
         <h2>Summary</h2>\n<table>{summary}</table>\n\
         <h2>Expectations</h2>\n<table>{head}{expectations}</table>\n\
         <p>This is the plain report. The one that plays the run needs Node.js 20 or newer (with npm) when Pliant is \
         built: install it, touch crates/pliant-record/build.rs and build again. <code>recording.mcap</code> beside \
         this file holds the whole run and opens in Foxglove or Rerun.</p>\n\
         {data}\n</body></html>\n",
        title = escape(&info.title),
        text = escape(&outcome.text),
        command = escape(&info.command),
        scene = escape(&info.scene),
        version = env!("CARGO_PKG_VERSION"),
        summary = summary.collect::<String>(),
        head = row(&["quantity", "value", "bounds", ""]),
        expectations = expectations.collect::<String>(),
    )
}

fn row(cells: &[&str]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
    format!("<tr>{cells}</tr>\n")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::ExpectationRow;

    fn run() -> (RunInfo, Outcome) {
        let info = RunInfo {
            title: "Bend <b> & release".into(),
            scene: "scenes/a.toml".into(),
            command: "pliant run".into(),
            duration: 1.0,
            step: 0.01,
            view: Default::default(),
        };
        let expectation = ExpectationRow {
            text: "tip height".into(),
            value: "0.1".into(),
            bounds: "< 0.2".into(),
            pass: Some(true),
            first_missed: None,
        };
        let summary = vec![("steps".to_string(), "100".to_string())];
        (info, Outcome { ok: true, text: "reached 1 s".into(), summary, expectations: vec![expectation] })
    }

    #[test]
    fn data_takes_the_place_of_the_placeholder() {
        let (info, outcome) = run();
        let page = page("<body>\n<!--PLIANT-DATA-->\n</body>", "{\"a\":1}", &info, &outcome);
        let data = "<script type=\"application/json\" id=\"pliant-data\">{\"a\":1}</script>";
        assert_eq!(page, format!("<body>\n{data}\n</body>"));
    }

    #[test]
    fn without_a_template_the_page_says_everything_in_words() {
        let (info, outcome) = run();
        let page = page("", "{\"a\":1}", &info, &outcome);
        for wanted in ["Bend &lt;b&gt; &amp; release", "steps", "100", "tip height", "&lt; 0.2", "met", "{\"a\":1}"] {
            assert!(page.contains(wanted), "{wanted} in {page}");
        }
        assert!(page.contains("Node.js"));
    }

    #[test]
    fn what_was_not_reached_is_neither_met_nor_missed() {
        let (info, mut outcome) = run();
        outcome.expectations[0].pass = None;
        let page = page("", "{}", &info, &outcome);
        assert!(page.contains("<td>open</td>") && !page.contains("met<") && !page.contains("missed"), "{page}");
    }
}
