//! Curves as SVG: shapes drawn over or beside each other, in the plane they move in.

use std::fmt::Write as _;

/// One curve of a drawing.
pub struct Curve {
    /// Points as (right, up), in any unit.
    pub points: Vec<[f64; 2]>,
    /// Index of its label.
    pub label: usize,
}

/// Text in a drawing.
pub struct Note {
    /// Its centre, as (right, up).
    pub at: [f64; 2],
    /// The text.
    pub text: String,
}

/// A drawing of curves with equal scales in both directions.
pub struct Drawing {
    /// Title above the curves.
    pub title: String,
    /// Legend: one entry per colour.
    pub labels: Vec<String>,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Text among the curves.
    pub notes: Vec<Note>,
}

const COLOURS: [&str; 6] = ["#1b6ca8", "#c8553d", "#2e8b57", "#8a5aa8", "#b8860b", "#555555"];
const WIDTH: f64 = 800.0;
const MARGIN: f64 = 40.0;

impl Drawing {
    /// The drawing as SVG text.
    pub fn svg(&self) -> String {
        let places = || self.curves.iter().flat_map(|c| c.points.iter()).chain(self.notes.iter().map(|n| &n.at));
        let all = || places().filter(|p| p.iter().all(|v| v.is_finite()));
        let range =
            |k: usize| all().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p[k]), high.max(p[k])));
        let ((left, right), (bottom, top)) = (range(0), range(1));
        let extent = (right - left).max(top - bottom).max(1e-9);
        let scale = (WIDTH - 2.0 * MARGIN) / extent;
        let legend = 24.0 * (self.labels.len() + 1) as f64;
        let height = (top - bottom).max(0.0) * scale + 2.0 * MARGIN + legend;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
             font-family=\"sans-serif\" font-size=\"15\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{MARGIN}\" y=\"26\" font-weight=\"bold\">{}</text>\n",
            escaped(&self.title)
        );
        for (i, label) in self.labels.iter().enumerate() {
            let y = 26.0 + 24.0 * (i + 1) as f64;
            let colour = COLOURS[i % COLOURS.len()];
            let _ = writeln!(
                out,
                "<path d=\"M{MARGIN} {0} h30\" stroke=\"{colour}\" stroke-width=\"3\"/><text x=\"80\" y=\"{y}\">{1}</text>",
                y - 5.0,
                escaped(label)
            );
        }
        let on_paper = |p: &[f64; 2]| [MARGIN + (p[0] - left) * scale, MARGIN + legend + (top - p[1]) * scale];
        for curve in &self.curves {
            let colour = COLOURS[curve.label % COLOURS.len()];
            let _ = write!(
                out,
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-opacity=\"0.8\" points=\""
            );
            for p in curve.points.iter().filter(|p| p.iter().all(|v| v.is_finite())) {
                let [x, y] = on_paper(p);
                let _ = write!(out, "{x:.2},{y:.2} ");
            }
            out.push_str("\"/>\n");
        }
        for note in &self.notes {
            let [x, y] = on_paper(&note.at);
            let text = escaped(&note.text);
            let _ =
                writeln!(out, "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"12\" text-anchor=\"middle\">{text}</text>");
        }
        // a scale bar
        let bar = nice_below(0.25 * extent);
        let y = height - 14.0;
        let _ = writeln!(
            out,
            "<path d=\"M{MARGIN} {y} h{0:.2}\" stroke=\"black\" stroke-width=\"2\"/>\
             <text x=\"{1:.2}\" y=\"{2}\">{bar} m</text>\n</svg>",
            bar * scale,
            MARGIN + bar * scale + 8.0,
            y + 5.0
        );
        out
    }
}

/// Text with the characters of HTML markup escaped.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The largest of 1, 2 and 5 times a power of ten that is at most `value`.
pub fn nice_below(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|m| m * power).find(|v| *v <= value).unwrap_or(power)
}
