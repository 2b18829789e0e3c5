//! Pictures of solids, and charts, as SVG.

use std::fmt::Write as _;

use pliant::lattice::Lattice;
use pliant::math::Vec3;

const COLOURS: [[f64; 3]; 6] =
    [[0.35, 0.6, 0.85], [0.9, 0.5, 0.35], [0.45, 0.75, 0.5], [0.7, 0.55, 0.8], [0.85, 0.7, 0.3], [0.75, 0.75, 0.72]];

/// Index of the ground's colour.
pub const GROUND: usize = 5;

const WIDTH: f64 = 900.0;
const MARGIN: f64 = 40.0;

/// Orthographic view: unit vectors to the right and up on paper; right x up points to the eye.
#[derive(Clone, Copy)]
pub struct View {
    pub right: Vec3,
    pub up: Vec3,
}

impl View {
    /// From an azimuth, counted from the negative y axis, and an elevation [degrees].
    pub fn from(turned: f64, above: f64) -> View {
        let ((s, c), (sin, cos)) = (turned.to_radians().sin_cos(), above.to_radians().sin_cos());
        let right = Vec3::new(c, s, 0.0);
        let eye = Vec3::new(s * cos, -c * cos, sin);
        View { right, up: eye.cross(right) }
    }

    fn eye(&self) -> Vec3 {
        self.right.cross(self.up)
    }

    fn on_paper(&self, p: Vec3) -> [f64; 2] {
        [p.dot(self.right), p.dot(self.up)]
    }
}

/// A planar face.
struct Face {
    points: Vec<[f64; 2]>,
    depth: f64,
    colour: [f64; 3],
}

/// A picture of solids with equal scales in all directions.
pub struct Picture {
    title: String,
    view: View,
    faces: Vec<Face>,
    notes: Vec<([f64; 2], String)>,
}

impl Picture {
    pub fn new(title: impl Into<String>, view: View) -> Picture {
        Picture { title: title.into(), view, faces: vec![], notes: vec![] }
    }

    /// Add a planar face, shifted on paper.
    pub fn face(&mut self, points: &[Vec3], colour: usize, moved: [f64; 2]) {
        let normal = (points[1] - points[0]).cross(points[2] - points[0]).normalize_or_zero();
        let eye = self.view.eye();
        let lamp = (eye + 0.6 * self.view.up - 0.4 * self.view.right).normalize_or_zero();
        let light = 0.55 + 0.45 * normal.dot(lamp).abs();
        let middle = points.iter().copied().sum::<Vec3>() / points.len() as f64;
        let place = |p: &Vec3| {
            let [x, y] = self.view.on_paper(*p);
            [x + moved[0], y + moved[1]]
        };
        self.faces.push(Face {
            points: points.iter().map(place).collect(),
            depth: middle.dot(eye),
            colour: COLOURS[colour % COLOURS.len()].map(|c| c * light),
        });
    }

    /// Add the surface of a body: the facets that face the eye, its pieces in these colours in turn.
    pub fn body(&mut self, body: &Lattice, colours: &[usize], moved: [f64; 2]) {
        let (places, pieces) = (body.places(), pieces(body));
        for facet in body.facets() {
            let points = facet.map(|n| places[n as usize]);
            let normal = (points[1] - points[0]).cross(points[2] - points[0]);
            if normal.dot(self.view.eye()) > 0.0 {
                self.face(&points, colours[pieces[facet[0] as usize] % colours.len()], moved);
            }
        }
    }

    /// Add a surface: the facets that face the eye.
    pub fn surface(&mut self, places: &[Vec3], facets: &[[u32; 3]], colour: usize, moved: [f64; 2]) {
        for facet in facets {
            let points = facet.map(|n| places[n as usize]);
            let normal = (points[1] - points[0]).cross(points[2] - points[0]);
            if normal.dot(self.view.eye()) > 0.0 {
                self.face(&points, colour, moved);
            }
        }
    }

    pub fn note(&mut self, at: Vec3, moved: [f64; 2], text: impl Into<String>) {
        let [x, y] = self.view.on_paper(at);
        self.notes.push(([x + moved[0], y + moved[1]], text.into()));
    }

    pub fn svg(mut self) -> String {
        self.faces.sort_by(|a, b| a.depth.total_cmp(&b.depth));
        let all = || self.faces.iter().flat_map(|f| &f.points).chain(self.notes.iter().map(|n| &n.0));
        let range = |k: usize| all().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[k]), h.max(p[k])));
        let ((left, right), (bottom, top)) = (range(0), range(1));
        let scale = (WIDTH - 2.0 * MARGIN) / (right - left).max(1e-9);
        let height = (top - bottom) * scale + 2.0 * MARGIN + 30.0;
        let mut out = start(&self.title, height);
        let at = |p: &[f64; 2]| [MARGIN + (p[0] - left) * scale, MARGIN + 10.0 + (top - p[1]) * scale];
        for face in &self.faces {
            let [r, g, b] = face.colour.map(|c| (255.0 * c).round() as u8);
            let edge = face.colour.map(|c| (200.0 * c).round() as u8);
            let _ = write!(
                out,
                "<polygon fill=\"#{r:02x}{g:02x}{b:02x}\" stroke=\"#{:02x}{:02x}{:02x}\" stroke-width=\"0.6\" \
                 stroke-linejoin=\"round\" points=\"",
                edge[0], edge[1], edge[2]
            );
            for p in &face.points {
                let [x, y] = at(p);
                let _ = write!(out, "{x:.1},{y:.1} ");
            }
            out.push_str("\"/>\n");
        }
        for (place, text) in &self.notes {
            let [x, y] = at(place);
            let _ =
                writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"13\" text-anchor=\"middle\">{text}</text>");
        }
        let bar = nice((right - left) / 6.0);
        let y = height - 14.0;
        let _ = writeln!(
            out,
            "<path d=\"M{MARGIN} {y} h{:.1}\" stroke=\"black\" stroke-width=\"2\"/><text x=\"{:.1}\" y=\"{}\">{bar} m</text>\n\
             </svg>",
            bar * scale,
            MARGIN + bar * scale + 8.0,
            y + 5.0
        );
        out
    }
}

/// Index of the connected piece of a body's surface that each particle belongs to.
pub fn pieces(body: &Lattice) -> Vec<usize> {
    let mut leader: Vec<usize> = (0..body.size()).collect();
    fn of(leader: &mut [usize], mut n: usize) -> usize {
        while leader[n] != n {
            leader[n] = leader[leader[n]];
            n = leader[n];
        }
        n
    }
    for facet in body.facets() {
        let first = of(&mut leader, facet[0] as usize);
        for n in &facet[1..] {
            let other = of(&mut leader, *n as usize);
            leader[other] = first;
        }
    }
    let roots: Vec<usize> = (0..body.size()).map(|n| of(&mut leader, n)).collect();
    let mut known: Vec<usize> = body.facets().iter().map(|f| roots[f[0] as usize]).collect();
    known.sort_unstable();
    known.dedup();
    roots.iter().map(|r| known.binary_search(r).unwrap_or(0)).collect()
}

/// A line of a chart.
pub struct Series {
    pub label: String,
    pub points: Vec<[f64; 2]>,
    /// Whether its points are marked rather than joined.
    pub marks: bool,
}

/// One of several charts above each other that share the horizontal axis.
pub struct Panel {
    pub label: String,
    pub log: bool,
    pub series: Vec<Series>,
}

/// Charts above each other.
pub struct Chart {
    pub title: String,
    pub label: String,
    pub log: bool,
    pub panels: Vec<Panel>,
}

const LINES: [&str; 6] = ["#1b6ca8", "#c8553d", "#2e8b57", "#8a5aa8", "#b8860b", "#555555"];

impl Chart {
    pub fn svg(&self) -> String {
        let (high, gap, left, wide) = (if self.panels.len() == 1 { 420.0 } else { 200.0 }, 46.0, 90.0, WIDTH - 120.0);
        let height = 60.0 + (high + gap) * self.panels.len() as f64 + 10.0;
        let mut out = start(&self.title, height);
        let all = self.panels.iter().flat_map(|p| &p.series).flat_map(|s| &s.points);
        let across = Scale::over(all.map(|p| p[0]), self.log);
        for (n, panel) in self.panels.iter().enumerate() {
            let top = 56.0 + (high + gap) * n as f64;
            let up = Scale::over(panel.series.iter().flat_map(|s| &s.points).map(|p| p[1]), panel.log);
            let place = |p: &[f64; 2]| [left + wide * across.part(p[0]), top + high * (1.0 - up.part(p[1]))];
            let _ = writeln!(
                out,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" fill=\"none\" stroke=\"#999\"/>\
                 <text x=\"{left}\" y=\"{}\" font-size=\"13\">{}</text>",
                top - 6.0,
                panel.label
            );
            for tick in up.ticks() {
                let y = top + high * (1.0 - up.part(tick));
                let _ = writeln!(
                    out,
                    "<path d=\"M{left} {y:.1} h{wide}\" stroke=\"#eee\"/>\
                     <text x=\"{}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"end\">{}</text>",
                    left - 6.0,
                    y + 4.0,
                    tick_text(tick)
                );
            }
            for tick in across.ticks() {
                let x = left + wide * across.part(tick);
                let _ = writeln!(
                    out,
                    "<path d=\"M{x:.1} {top} v{high}\" stroke=\"#eee\"/>\
                     <text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"middle\">{}</text>",
                    top + high + 15.0,
                    tick_text(tick)
                );
            }
            for (k, series) in panel.series.iter().enumerate() {
                let colour = LINES[k % LINES.len()];
                let shown: Vec<[f64; 2]> = series.points.iter().map(place).filter(|p| p[1].is_finite()).collect();
                if series.marks {
                    for [x, y] in &shown {
                        let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>");
                    }
                } else {
                    let points: Vec<String> = shown.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
                    let points = points.join(" ");
                    let _ = writeln!(
                        out,
                        "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" points=\"{points}\"/>"
                    );
                }
                let _ = writeln!(
                    out,
                    "<text x=\"{}\" y=\"{}\" font-size=\"12\" text-anchor=\"end\" fill=\"{colour}\" stroke=\"white\" \
                     stroke-width=\"4\" paint-order=\"stroke\">{}</text>",
                    left + wide - 8.0,
                    top + 16.0 + 15.0 * k as f64,
                    series.label
                );
            }
        }
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" font-size=\"13\" text-anchor=\"middle\">{}</text>\n</svg>",
            left + 0.5 * wide,
            height - 12.0,
            self.label
        );
        out
    }
}

/// An axis.
struct Scale {
    low: f64,
    high: f64,
    log: bool,
}

impl Scale {
    fn over(values: impl Iterator<Item = f64>, log: bool) -> Scale {
        let shown = values.filter(|v| v.is_finite() && (!log || *v > 0.0));
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        if log {
            return Scale { low: 0.8 * low, high: 1.25 * high, log };
        }
        let room = if high > low { 0.04 * (high - low) } else { 0.5 };
        Scale { low: low - room, high: high + room, log }
    }

    fn part(&self, v: f64) -> f64 {
        if self.log {
            (v / self.low).ln() / (self.high / self.low).ln()
        } else {
            (v - self.low) / (self.high - self.low)
        }
    }

    fn ticks(&self) -> Vec<f64> {
        if self.log {
            let powers = self.low.log10().ceil() as i32..=self.high.log10().floor() as i32;
            return powers.map(|n| 10f64.powi(n)).collect();
        }
        let step = nice((self.high - self.low) / 4.0);
        let numbers = (self.low / step).ceil() as i64..=(self.high / step).floor() as i64;
        numbers.map(|n| n as f64 * step).collect()
    }
}

fn start(title: &str, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" font-family=\"sans-serif\" \
         font-size=\"15\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"26\" font-weight=\"bold\">{title}</text>\n"
    )
}

/// The largest of 1, 2 and 5 times a power of ten that is at most `value`.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|m| m * power).find(|v| *v <= value).unwrap_or(power)
}

fn tick_text(tick: f64) -> String {
    if tick != 0.0 && !(1e-3..1e5).contains(&tick.abs()) {
        return format!("{tick:.0e}");
    }
    let text = format!("{tick:.6}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}
