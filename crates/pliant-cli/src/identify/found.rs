//! Properties from how a cable hangs, swings, slides, lies and touches: read, identified, printed, and drawn as a page.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;

use comfy_table::Cell;
use pliant_identify::contact::Touching;
use pliant_identify::shape::Hanging;
use pliant_identify::swing::Swinging;
use pliant_identify::{Found, MeasureError, Number, Picture, contact, curl, shape, slope, swing};
use pliant_record::drawing::escaped;
use pliant_record::{claim, write_whole};

use super::page::{COLOURS, STYLE};
use crate::args::{ContactArgs, CurlArgs, Options, ShapeArgs, SlopeArgs, SwingArgs};
use crate::failure::Failure;
use crate::output::{self, number, short};
use crate::run::command_line;

/// Bending stiffness from a hanging shape.
pub fn from_shape(args: &ShapeArgs, options: &Options) -> Result<(), Failure> {
    let ShapeArgs { length, mass, radius, angle, curved, .. } = *args;
    let known = Hanging { length, mass, radius, angle: angle.map(f64::to_radians), curved };
    tell(&args.data, options, "Bending stiffness from a hanging shape", |file| {
        shape::identify(&shape::read(file)?, known)
    })
}

/// Stiffness and damping from a swing.
pub fn from_swing(args: &SwingArgs, options: &Options) -> Result<(), Failure> {
    let SwingArgs { length, mass, radius, .. } = *args;
    tell(&args.data, options, "Stiffness and damping from a swing", |file| {
        swing::identify(&swing::read(file)?, Swinging { length, mass, radius })
    })
}

/// Friction from a slope.
pub fn from_slope(args: &SlopeArgs, options: &Options) -> Result<(), Failure> {
    tell(&args.data, options, "Friction from a slope", |file| slope::identify(&slope::read(file)?))
}

/// Rest curvature from a cable that lies flat.
pub fn from_curl(args: &CurlArgs, options: &Options) -> Result<(), Failure> {
    tell(&args.data, options, "Rest curvature of a cable that lies flat", |file| {
        curl::identify(&curl::read(file)?, args.drum)
    })
}

/// Stiffness and damping of contact from a drop or a press.
pub fn from_contact(args: &ContactArgs, options: &Options) -> Result<(), Failure> {
    let ContactArgs { mass, stiffness, .. } = *args;
    tell(&args.data, options, "Stiffness and damping of contact", |file| {
        contact::identify(&contact::read(file)?, Touching { mass, stiffness })
    })
}

fn tell(
    data: &Path,
    options: &Options,
    title: &str,
    identify: impl FnOnce(File) -> Result<Found, MeasureError>,
) -> Result<(), Failure> {
    let input = |why: &dyn std::fmt::Display| Failure::Input(format!("{}: {why}", data.display()));
    let file = File::open(data).map_err(|e| input(&e))?;
    let found = identify(file).map_err(|e| input(&e))?;
    if let Some(dir) = &options.out {
        claim(dir)?;
        let json = serde_json::to_string(&found).map_err(|e| Failure::Run(format!("cannot write JSON: {e}")))?;
        for (name, text) in [("identified.json", json), ("identified.html", page(title, &found))] {
            let file = dir.join(name);
            write_whole(&file, &text)?;
            output::talk(format!("{:<16} {}", format!("{name}:"), file.display()));
        }
    }
    if options.json {
        return output::print_json(&found);
    }
    let mut table = output::table(&["property", "value", "unit", "95 % interval", ""]);
    for number_found in &found.numbers {
        let Number { name, value, unit, note, .. } = number_found;
        let interval = said(number_found);
        table.add_row(vec![
            Cell::new(name),
            number(short(*value)),
            Cell::new(unit),
            Cell::new(interval),
            Cell::new(note),
        ]);
    }
    output::print_text(format!("{table}\n{}", verdict(&found)))
}

fn said(number: &Number) -> String {
    match number.interval {
        Some([low, high]) => format!("{} to {}", short(low), short(high)),
        None => "not told by these data".into(),
    }
}

/// Whether the theory fits, in a sentence.
fn verdict(found: &Found) -> String {
    let left = match found.left_out {
        0 => String::new(),
        some => format!(", {some} left out as outliers"),
    };
    let deviation =
        format!("{} measurements{left}: they deviate by {} {}", found.used, short(found.deviation), found.unit);
    let deviation = format!("{} (root mean square)", deviation.trim_end());
    match found.misfit {
        None => format!("{deviation}; they are too few to tell noise from misfit"),
        Some(misfit) if found.is_refuted() => format!(
            "{deviation}, of which neighbours have {} in common: this theory does NOT fit (probability {:.1e}); its numbers mean little",
            format!("{} {}", short(misfit.beyond), found.unit).trim_end(),
            misfit.probability
        ),
        Some(misfit) => {
            format!("{deviation}, this way and that: the theory fits (probability {:.2})", misfit.probability)
        }
    }
}

const SIZE: [f64; 2] = [900.0, 480.0];
const EDGE: f64 = 60.0;

fn page(title: &str, found: &Found) -> String {
    let mut rows = String::new();
    for number in &found.numbers {
        let [name, unit, said, note] = [number.name, number.unit, &said(number), &number.note].map(escaped);
        let _ = writeln!(
            rows,
            "<tr><td class=text>{name}</td><td>{}</td><td class=text>{unit}</td><td class=text>{said}</td><td class=text>{note}</td></tr>",
            short(number.value)
        );
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Identified · Pliant</title><style>{STYLE}</style></head>\
         <body><h1>{title}</h1><p class=origin>{}</p>\
         <section><h2>Numbers</h2><table><thead><tr><th>property<th>value<th>unit<th>95 % interval<th></thead>{rows}</table><p>{}</p></section>\
         <section><h2>Measurements and theory <small>open circles: left out</small></h2>{}</section></body></html>\n",
        escaped(&command_line()),
        escaped(&verdict(found)),
        drawn(&found.picture),
    )
}

/// Points with the curve, in axes with a few numbers; lengths along both axes are equal where both are lengths.
fn drawn(picture: &Picture) -> String {
    let every = || picture.points.iter().chain(&picture.left_out).chain(&picture.curve);
    let range = |k: usize| {
        let [low, high] =
            every().map(|p| p[k]).fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
        let margin = 0.05 * (high - low).max(1e-9);
        [low - margin, high + margin]
    };
    let ranges = [range(0), range(1)];
    let scale = [0, 1].map(|k| (SIZE[k] - 2.0 * EDGE) / (ranges[k][1] - ranges[k][0]));
    let scale = if picture.axes.iter().all(|axis| axis.ends_with("[m]")) { [scale[0].min(scale[1]); 2] } else { scale };
    let at =
        |p: &[f64; 2]| [EDGE + (p[0] - ranges[0][0]) * scale[0], SIZE[1] - EDGE - (p[1] - ranges[1][0]) * scale[1]];
    let mut out = format!("<svg viewBox=\"0 0 {} {}\">", SIZE[0], SIZE[1]);
    for k in 0..=4 {
        let part = f64::from(k) / 4.0;
        let tick = [0, 1].map(|i| ranges[i][0] + part * (ranges[i][1] - ranges[i][0]));
        let ([x, _], [_, y]) = (at(&[tick[0], ranges[1][0]]), at(&[ranges[0][0], tick[1]]));
        let _ = write!(
            out,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text><path class=grid d=\"M{EDGE} {y:.1} H{}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            SIZE[1] - EDGE + 20.0,
            short(tick[0]),
            SIZE[0] - EDGE,
            EDGE - 8.0,
            y + 4.0,
            short(tick[1])
        );
    }
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><text x=\"{EDGE}\" y=\"24\">{}</text>",
        SIZE[0] - EDGE,
        SIZE[1] - 12.0,
        escaped(picture.axes[0]),
        escaped(picture.axes[1])
    );
    let curve: String = picture.curve.iter().map(at).map(|[x, y]| format!("{x:.1},{y:.1} ")).collect();
    let _ = write!(out, "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" points=\"{curve}\"/>", COLOURS[0]);
    for (points, fill) in [(&picture.points, COLOURS[1]), (&picture.left_out, "none")] {
        for [x, y] in points.iter().map(at) {
            let _ = write!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" fill-opacity=\"0.6\" stroke=\"{}\"/>",
                COLOURS[1]
            );
        }
    }
    out + "</svg>"
}
