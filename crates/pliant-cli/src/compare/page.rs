//! `compare.html`: shapes of all models drawn over each other, differences and forces over time, and the table. A
//! single file that needs no network; its script only moves the time.

use std::fmt::Write as _;

use super::chart::Chart;
use super::course::{Course, STATIONS};
use super::difference::{Comparison, ModelRow, shape_series};
use super::shapes::{Canvas, View};
use crate::output::short;
use crate::run::command_line;
use pliant_record::drawing::escaped;

/// How a model is drawn: colours that colour-blind people can tell apart (Okabe and Ito), and dashes that show where
/// curves coincide. The reference is a broad band under the others.
#[derive(Clone, Copy)]
pub struct Pen<'a> {
    colour: &'a str,
    width: f64,
    dashes: &'a str,
}

const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#aa3377"];
const DASHES: [&str; 3] = ["none", "8 5", "2.5 4"];

impl Pen<'_> {
    /// SVG attributes of a line.
    pub fn line(&self) -> String {
        let Pen { colour, width, dashes } = self;
        let opacity = if self.is_band() { 0.35 } else { 1.0 };
        format!(
            "stroke=\"{colour}\" stroke-width=\"{width}\" stroke-dasharray=\"{dashes}\" stroke-opacity=\"{opacity}\" \
             stroke-linejoin=\"round\""
        )
    }

    fn is_band(&self) -> bool {
        self.width > 3.0
    }
}

/// Largest numbers of selectable times and of polylines in the page, at 2 kB each.
const MOST_FRAMES: usize = 101;
const MOST_LINES: usize = 2000;

/// Number of small pictures.
const SMALL: usize = 6;

/// Largest number of gripper plots.
const MOST_GRIPPERS: usize = 12;

/// The page as HTML.
pub fn page(title: &str, comparison: &Comparison, courses: &[Course], reference: &Course) -> String {
    // the reference below all others
    let mut models: Vec<(&Course, Pen<'_>)> = vec![(reference, pen(0))];
    let others = courses.iter().filter(|course| course.model != reference.model);
    models.extend(others.zip(1..).map(|(course, index)| (course, pen(index))));
    let view = View::of(courses);
    let longest = models.iter().map(|(course, _)| *course).max_by_key(|course| course.samples.len());
    let shown = longest.map_or(vec![], |course| frames(course, models.len()));
    let sight = if view.deep { "; what lies along the line of sight is not seen" } else { "" };
    let parts = [
        ("TITLE", escaped(title)),
        ("COMMAND", escaped(&command_line())),
        ("VERSION", env!("CARGO_PKG_VERSION").into()),
        ("LEGEND", legend(&models, comparison)),
        ("REFUSED", remarks(comparison)),
        ("PLANE", format!("{}{sight}", view.plane())),
        ("PLAYER", longest.map_or(String::new(), |course| player(&view, &models, course, &shown))),
        ("TIMES", times(longest, &shown)),
        ("LAST", shown.len().saturating_sub(1).to_string()),
        ("SMALL", longest.map_or(String::new(), |course| small(&view, &models, course))),
        ("CHARTS", charts(&models, reference, longest)),
        ("TABLE", table(comparison)),
    ];
    let mut out = String::new();
    for piece in include_str!("page.html").split("<!--") {
        let known = piece.split_once("-->").and_then(|(key, rest)| {
            let (_, text) = parts.iter().find(|(name, _)| *name == key)?;
            Some([text.as_str(), rest])
        });
        out.extend(known.unwrap_or([piece, ""]));
    }
    out
}

fn pen(index: usize) -> Pen<'static> {
    let dashes = if index == 0 { DASHES[0] } else { DASHES[(index - 1) % DASHES.len()] };
    Pen { colour: COLOURS[index % COLOURS.len()], width: if index == 0 { 7.0 } else { 2.0 }, dashes }
}

/// Indices of the selectable samples, always including the last.
fn frames(course: &Course, models: usize) -> Vec<usize> {
    let most = (MOST_LINES / (models * course.rods.len()).max(1)).clamp(2, MOST_FRAMES);
    even(course.samples.len(), most)
}

/// At most `most` of `count` indices, evenly spaced, both ends included.
fn even(count: usize, most: usize) -> Vec<usize> {
    let (last, pieces) = (count.saturating_sub(1), most.min(count).saturating_sub(1).max(1));
    let mut out: Vec<usize> = (0..=pieces).map(|i| i * last / pieces).collect();
    out.dedup();
    out
}

fn legend(models: &[(&Course, Pen<'_>)], comparison: &Comparison) -> String {
    let mut out = String::new();
    for (course, pen) in models {
        let name = course.model.name();
        let role = if name == comparison.reference { " <small>reference</small>" } else { "" };
        let _ = writeln!(
            out,
            "<span class=\"key\"><svg viewBox=\"0 0 44 10\" width=\"44\" height=\"10\"><path d=\"M2 5H42\" {}/></svg>{name}{role}</span>",
            pen.line()
        );
    }
    out
}

fn remarks(comparison: &Comparison) -> String {
    let mut out = String::new();
    for row in &comparison.models {
        let told = [("cannot", &row.refused), ("did not come to the end", &row.diverged), ("note", &row.note)];
        for (what, why) in told.into_iter().filter_map(|(what, why)| why.as_ref().map(|why| (what, why))) {
            let _ = writeln!(out, "<p class=\"remark\"><b>{}</b> {what}: {}</p>", row.model, escaped(why));
        }
    }
    out
}

/// The large picture: one group of shapes per time, of which the script shows one.
fn player(view: &View, models: &[(&Course, Pen<'_>)], longest: &Course, shown: &[usize]) -> String {
    let canvas = Canvas { width: 1100.0, height: 560.0, numbered: true };
    let rests = longest.samples.windows(2).all(|pair| pair[0].obstacles == pair[1].obstacles);
    let mut inside = String::new();
    if rests {
        inside += &longest.samples.first().map_or(String::new(), |sample| view.obstacles(&canvas, longest, sample));
    }
    for (order, index) in shown.iter().enumerate() {
        let hidden = if order + 1 < shown.len() { " style=\"display:none\"" } else { "" };
        let _ = writeln!(inside, "<g class=\"frame\"{hidden}>");
        if !rests {
            inside += &view.obstacles(&canvas, longest, &longest.samples[*index]);
        }
        inside += &view.rods(&canvas, models, *index, every(longest));
        inside.push_str("</g>\n");
    }
    view.svg(&canvas, "Shapes of all models, laid over each other", &inside)
}

/// Step between drawn stations: with many rods, fewer are drawn.
fn every(course: &Course) -> usize {
    if course.rods.len() > 8 { (STATIONS - 1) / 20 } else { (STATIONS - 1) / 50 }
}

fn times(longest: Option<&Course>, shown: &[usize]) -> String {
    let time = |index: &usize| longest.and_then(|course| course.samples.get(*index)).map_or(0.0, |sample| sample.time);
    let texts: Vec<String> = shown.iter().map(|index| format!("{:.4}", time(index))).collect();
    format!("<script type=\"application/json\" id=\"times\">[{}]</script>", texts.join(","))
}

fn small(view: &View, models: &[(&Course, Pen<'_>)], longest: &Course) -> String {
    let canvas = Canvas { width: 360.0, height: 300.0, numbered: false };
    let mut out = String::new();
    for index in even(longest.samples.len(), SMALL) {
        let sample = &longest.samples[index];
        let inside = view.obstacles(&canvas, longest, sample) + &view.rods(&canvas, models, index, every(longest));
        let label = format!("t = {} s", seconds(sample.time));
        let _ =
            writeln!(out, "<figure>{}<figcaption>{label}</figcaption></figure>", view.svg(&canvas, &label, &inside));
    }
    out
}

/// A time without needless digits.
fn seconds(time: f64) -> String {
    let text = format!("{time:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn charts(models: &[(&Course, Pen<'_>)], reference: &Course, longest: Option<&Course>) -> String {
    let duration = longest.and_then(|course| course.samples.last()).map_or(1.0, |sample| sample.time);
    // lines of a plot are thinner than rods
    let thin = |pen: &Pen<'static>| Pen { width: if pen.is_band() { 5.0 } else { 1.8 }, ..*pen };
    let pens: Vec<(&Course, Pen<'_>)> =
        models.iter().zip(0..).map(|((course, _), i)| (*course, thin(&pen(i)))).collect();
    let mut out = String::new();
    for (rod, name) in reference.rods.iter().enumerate().take(MOST_GRIPPERS) {
        let percent =
            |course| shape_series(course, reference, rod).iter().map(|[t, rms, _]| [*t, 100.0 * rms]).collect();
        let curves = pens.iter().skip(1).map(|(course, pen)| (*pen, percent(*course))).collect();
        let title = format!("{name}: distance from the reference, rms [% of length]");
        out += &Chart { title, logarithmic: true, duration, curves }.svg();
    }
    for (gripper, found) in reference.world.grippers().iter().enumerate().take(MOST_GRIPPERS) {
        let force =
            |course: &Course| course.samples.iter().skip(1).map(|s| [s.time, s.forces[gripper].length()]).collect();
        let curves = pens.iter().map(|(course, pen)| (*pen, force(course))).collect();
        let title = format!("{}: force [N]", found.params.name);
        out += &Chart { title, logarithmic: false, duration, curves }.svg();
    }
    out
}

fn table(comparison: &Comparison) -> String {
    let mut out = String::new();
    for row in comparison.models.iter().filter(|row| row.runs) {
        let is_reference = row.model == comparison.reference;
        let shape = |value: f64| if is_reference { "–".into() } else { short(100.0 * value) };
        let worst = |value: fn(&ModelRow) -> f64| shape(value(row));
        let at_end = |value: fn(&ModelRow) -> f64| if row.diverged.is_none() { worst(value) } else { "–".into() };
        let force = row.grippers.iter().map(|g| g.force_rms_difference).fold(0.0, f64::max);
        let force = if is_reference || row.grippers.is_empty() { "–".into() } else { short(force) };
        let cost = |value: Option<f64>| value.map_or("–".into(), short);
        let cells = [
            at_end(|row| row.bodies.iter().map(|b| b.shape_rms_end).fold(0.0, f64::max)),
            at_end(|row| row.bodies.iter().map(|b| b.shape_max_end).fold(0.0, f64::max)),
            worst(|row| row.bodies.iter().map(|b| b.shape_rms_max).fold(0.0, f64::max)),
            force,
            cost(row.wall_s),
            cost(row.real_time_factor),
            cost(row.step_us),
        ];
        let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        let _ = writeln!(out, "<tr><th scope=\"row\">{}</th>{cells}</tr>", row.model);
    }
    out
}
