//! `identified.html`: pulls over the angle with the curves of the theory, deviations under them, and the numbers found. A single
//! file that needs no network and has no script.

use std::fmt::Write as _;

use pliant_identify::capstan::{Identified, Pull};
use pliant_record::drawing::escaped;

use super::{said, verdict};
use crate::output::short;
use crate::run::command_line;

/// Colours that colour-blind people can tell apart (Okabe and Ito).
pub(super) const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#aa3377", "#b8860b", "#56b4e9"];
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = HEIGHT - 50.0;

/// The page as HTML.
pub fn page(pulls: &[Pull], found: &Identified) -> String {
    let mut rows = String::new();
    for parameter in &found.parameters {
        let [name, unit, said] = [parameter.name, parameter.unit, &said(parameter)].map(escaped);
        let _ = writeln!(
            rows,
            "<tr><td class=text>{name}</td><td>{}</td><td class=text>{unit}</td><td class=text>{said}</td></tr>",
            short(parameter.value)
        );
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Identified · Pliant</title><style>{STYLE}</style></head>\
         <body><h1>Friction from pulls over a drum</h1><p class=origin>{}</p>\
         <section><h2>Numbers</h2><table><thead><tr><th>property<th>value<th>unit<th>95 % interval</thead>{rows}</table><p>{} pulls: {}</p></section>\
         <section><h2>Pull over load <small>points: measured, curves: the theory, for each load</small></h2>{}</section>\
         <section><h2>Deviation of pulls from the theory</h2>{}</section></body></html>\n",
        escaped(&command_line()),
        pulls.len(),
        escaped(&verdict(found)),
        ratios(pulls, found),
        deviations(pulls, found),
    )
}

pub(super) const STYLE: &str = ":root{--ink:#1d2733;--muted:#5f6c7a;--line:#dde3ea}*{box-sizing:border-box}\
body{max-width:1000px;margin:0 auto;padding:28px 24px 48px;background:#f6f8fa;color:var(--ink);font:15px/1.5 system-ui,sans-serif}\
h1{margin:0;font-size:24px}h2{margin:0 0 10px;color:var(--muted);font-size:13px;text-transform:uppercase}\
h2 small{font-weight:400;text-transform:none}.origin{color:var(--muted);font-size:13px}\
section{margin-top:18px;padding:16px 18px;border:1px solid var(--line);border-radius:10px;background:#fff}\
svg{display:block;width:100%;height:auto;font:13px system-ui,sans-serif;fill:var(--ink)}\
table{width:100%;border-collapse:collapse}th,td{padding:6px 10px;border-bottom:1px solid var(--line);text-align:right}\
td.text,th{text-align:left}.grid{stroke:#e8ecf1;fill:none}";

/// The loads that were used, in order.
fn loads(pulls: &[Pull]) -> Vec<f64> {
    let mut loads: Vec<f64> = pulls.iter().map(|p| p.load).collect();
    loads.sort_by(f64::total_cmp);
    loads.dedup_by(|a, b| (*a - *b).abs() <= 1e-6 * b.abs());
    loads
}

/// Range of some values, with a margin.
fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
    let margin = 0.08 * (high - low).max(1e-3);
    [low - margin, high + margin]
}

/// A frame of axes: angles to the right, and something upwards in a range, with its ticks as text.
struct Axes {
    angle: f64,
    range: [f64; 2],
}

impl Axes {
    fn at(&self, angle: f64, value: f64) -> [f64; 2] {
        let up = (value - self.range[0]) / (self.range[1] - self.range[0]);
        [LEFT + (WIDTH - LEFT - 20.0) * angle / self.angle, BOTTOM - (BOTTOM - 20.0) * up]
    }

    fn begin(&self, label: impl Fn(f64) -> String) -> String {
        let mut out = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\">");
        for k in 0..=5 {
            let value = self.range[0] + (self.range[1] - self.range[0]) * f64::from(k) / 5.0;
            let [x, y] = self.at(0.0, value);
            let right = WIDTH - 20.0;
            let _ = write!(
                out,
                "<path class=grid d=\"M{x} {y} H{right}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                x - 8.0,
                y + 4.0,
                label(value)
            );
        }
        for k in 0..=6 {
            let angle = self.angle * f64::from(k) / 6.0;
            let [x, _] = self.at(angle, self.range[0]);
            let _ = write!(
                out,
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{:.0}°</text>",
                BOTTOM + 22.0,
                angle.to_degrees()
            );
        }
        out
    }
}

fn ratios(pulls: &[Pull], found: &Identified) -> String {
    let most = 1.05 * pulls.iter().map(|p| p.angle).fold(0.0, f64::max);
    let axes = Axes { angle: most, range: range(pulls.iter().map(|p| (p.pull / p.load).ln()).chain([0.0])) };
    let mut out = axes.begin(|value| short(value.exp()));
    for (n, load) in loads(pulls).into_iter().enumerate() {
        let colour = COLOURS[n % COLOURS.len()];
        let curve: String = (1..=60)
            .map(|k| most * f64::from(k) / 60.0)
            .map(|angle| (angle, (found.law.pull(load, angle) / load).ln()))
            .filter(|(_, value)| value.is_finite())
            .map(|(angle, value)| axes.at(angle, value))
            .map(|[x, y]| format!("{x:.1},{y:.1} "))
            .collect();
        let _ = write!(out, "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{curve}\"/>");
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" fill=\"{colour}\">{} N</text>",
            LEFT + 12.0,
            34.0 + 18.0 * n as f64,
            short(load)
        );
        for p in pulls.iter().filter(|p| (p.load - load).abs() <= 1e-6 * load) {
            let [x, y] = axes.at(p.angle, (p.pull / p.load).ln());
            let _ = write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\" fill-opacity=\"0.6\"/>");
        }
    }
    out + "</svg>"
}

fn deviations(pulls: &[Pull], found: &Identified) -> String {
    let most = 1.05 * pulls.iter().map(|p| p.angle).fold(0.0, f64::max);
    let off = |p: &Pull| p.pull / found.law.pull(p.load, p.angle) - 1.0;
    let axes = Axes { angle: most, range: range(pulls.iter().map(off).filter(|x| x.is_finite()).chain([0.0])) };
    let mut out = axes.begin(|value| format!("{:.1} %", 100.0 * value));
    let loads = loads(pulls);
    for p in pulls {
        let n = loads.iter().position(|load| (p.load - load).abs() <= 1e-6 * load).unwrap_or(0);
        let [x, y] = axes.at(p.angle, off(p));
        let colour = COLOURS[n % COLOURS.len()];
        let _ = write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\" fill-opacity=\"0.6\"/>");
    }
    out + "</svg>"
}
