//! Shapes of all models drawn over each other as SVG, seen along an axis of the world.

use std::fmt::Write as _;

use pliant::contact::ShapeKind;
use pliant::math::{Pose, Vec3};

use super::chart::ticks;
use super::course::{Course, Sample};
use super::page::Pen;

/// Projection of the world: which axes point right and up, and the visible range [m].
pub struct View {
    right: usize,
    up: usize,
    low: [f64; 2],
    high: [f64; 2],
    /// Whether much of the shapes lies along the viewing direction, which the picture does not show.
    pub deep: bool,
}

/// Size of a picture [px], with axes or without.
pub struct Canvas {
    /// Width.
    pub width: f64,
    /// Largest height.
    pub height: f64,
    /// Whether axes have numbers.
    pub numbered: bool,
}

const NAMES: [&str; 3] = ["x", "y", "z"];

impl View {
    /// The view along the axis in which all rods together extend least over the whole run; z stays upright.
    pub fn of(courses: &[Course]) -> View {
        let mut reach = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        let places = courses.iter().flat_map(|c| &c.samples).flat_map(|s| s.rods.iter().flatten().chain(&s.grippers));
        for place in places.filter(|place| place.is_finite()) {
            for (range, value) in reach.iter_mut().zip(place.to_array()) {
                *range = [range[0].min(value), range[1].max(value)];
            }
        }
        let extent = |axis: usize| (reach[axis][1] - reach[axis][0]).max(0.0);
        // the viewing direction; y, then x, on a tie
        let away = [1, 0, 2].into_iter().min_by(|a, b| extent(*a).total_cmp(&extent(*b))).unwrap_or(1);
        let [right, up] = [[1, 2], [0, 2], [0, 1]][away];
        let margin = 0.06 * extent(right).max(extent(up)).max(1e-6);
        let around = |axis: usize, k: usize| reach[axis][k] + if k == 0 { -margin } else { margin };
        View {
            right,
            up,
            low: [around(right, 0), around(up, 0)],
            high: [around(right, 1), around(up, 1)],
            deep: extent(away) > 0.25 * extent(right).max(extent(up)),
        }
    }

    /// The plane as text, such as `xz`.
    pub fn plane(&self) -> String {
        format!("{}{}", NAMES[self.right], NAMES[self.up])
    }

    fn flat(&self, place: Vec3) -> [f64; 2] {
        let place = place.to_array();
        [place[self.right], place[self.up]]
    }

    /// Pixels per metre, and the size of the picture [px].
    fn scale(&self, canvas: &Canvas) -> (f64, [f64; 2]) {
        let size = [self.high[0] - self.low[0], self.high[1] - self.low[1]];
        let [left, below] = canvas.margins();
        let scale = ((canvas.width - left) / size[0]).min((canvas.height - below) / size[1]);
        (scale, size.map(|edge| edge * scale))
    }

    /// The picture around `inside`, which the other functions here make.
    pub fn svg(&self, canvas: &Canvas, label: &str, inside: &str) -> String {
        let (scale, [width, height]) = self.scale(canvas);
        let [left, below] = canvas.margins();
        let mut out = format!(
            "<svg class=\"shapes\" style=\"max-width:{0:.0}px\" viewBox=\"0 0 {0:.1} {1:.1}\" role=\"img\" \
             aria-label=\"{label}\">\n",
            width + left,
            height + below
        );
        if canvas.numbered {
            let [x_low, y_low] = self.low;
            for (value, label) in ticks(self.low[0], self.high[0], width / 80.0) {
                let x = left + (value - x_low) * scale;
                let y = height + 16.0;
                let _ = writeln!(
                    out,
                    "<path class=\"grid\" d=\"M{x:.1} 0V{height:.1}\"/>\
                     <text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{label}</text>"
                );
            }
            for (value, label) in ticks(self.low[1], self.high[1], height / 60.0) {
                let y = height - (value - y_low) * scale;
                let _ = writeln!(
                    out,
                    "<path class=\"grid\" d=\"M{left} {y:.1}H{:.1}\"/>\
                     <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                    left + width,
                    left - 7.0,
                    y + 4.0
                );
            }
            let _ = writeln!(
                out,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{} [m]</text>\
                 <text class=\"tick\" transform=\"translate(13 {:.1}) rotate(-90)\" text-anchor=\"middle\">{} [m]</text>",
                left + 0.5 * width,
                height + 34.0,
                NAMES[self.right],
                0.5 * height,
                NAMES[self.up]
            );
        }
        // the inner picture clips what is outside
        let _ = write!(
            out,
            "<svg x=\"{left}\" y=\"0\" width=\"{width:.1}\" height=\"{height:.1}\" viewBox=\"0 0 {width:.1} {height:.1}\">\n\
             {inside}</svg>\n<rect class=\"edge\" x=\"{left}\" y=\"0\" width=\"{width:.1}\" height=\"{height:.1}\"/>\n</svg>\n"
        );
        out
    }

    /// Rods of all models, and grippers, at a sample. Every `every`-th station of a rod is drawn, and its end.
    pub fn rods(&self, canvas: &Canvas, models: &[(&Course, Pen<'_>)], index: usize, every: usize) -> String {
        let mut out = String::new();
        for (course, pen) in models {
            let Some(sample) = course.samples.get(index) else { continue };
            for rod in &sample.rods {
                let last = rod.len().saturating_sub(1);
                let kept =
                    rod.iter().enumerate().filter(|(i, _)| i % every == 0 || *i == last).map(|(_, place)| *place);
                let _ = write!(out, "<polyline fill=\"none\" {} points=\"", pen.line());
                self.points(canvas, kept, &mut out);
                out.push_str("\"/>\n");
            }
        }
        let grippers = models.iter().find_map(|(course, _)| course.samples.get(index)).map(|sample| &sample.grippers);
        for place in grippers.into_iter().flatten() {
            let [x, y] = self.on_paper(canvas, *place);
            let _ = writeln!(
                out,
                "<rect class=\"gripper\" x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\"/>",
                x - 4.5,
                y - 4.5
            );
        }
        out
    }

    /// Outlines of obstacles at a sample.
    pub fn obstacles(&self, canvas: &Canvas, course: &Course, sample: &Sample) -> String {
        let mut out = String::new();
        for (obstacle, pose) in course.world.obstacles().iter().zip(&sample.obstacles) {
            let shape = &obstacle.params.shape;
            let corners = match shape.kind() {
                ShapeKind::Plane => self.half_space(pose),
                _ => hull(shape.outline().vertices.iter().map(|v| self.flat(pose.transform_point(*v))).collect()),
            };
            if corners.is_empty() {
                continue;
            }
            out.push_str("<polygon class=\"obstacle\" points=\"");
            for corner in corners {
                let [x, y] = self.put(canvas, corner);
                let _ = write!(out, "{x:.1},{y:.1} ");
            }
            out.push_str("\"/>\n");
        }
        out
    }

    /// The half-space below a plane seen edge-on; empty for any other plane.
    fn half_space(&self, pose: &Pose) -> Vec<[f64; 2]> {
        let normal = self.flat(pose.rotation * Vec3::Z);
        if normal[0].hypot(normal[1]) < 0.99 {
            return vec![];
        }
        let origin = self.flat(pose.translation);
        // far beyond the picture, which clips it
        let middle = [0.5 * (self.low[0] + self.high[0]), 0.5 * (self.low[1] + self.high[1])];
        let far = 2.0 * (self.high[0] - self.low[0] + self.high[1] - self.low[1]);
        let along = [-normal[1], normal[0]];
        let s = (middle[0] - origin[0]) * along[0] + (middle[1] - origin[1]) * along[1];
        let corner = |t: f64, d: f64| [0, 1].map(|k| origin[k] + (s + t) * along[k] - d * normal[k]);
        vec![corner(-far, 0.0), corner(far, 0.0), corner(far, far), corner(-far, far)]
    }

    fn points(&self, canvas: &Canvas, places: impl Iterator<Item = Vec3>, out: &mut String) {
        for place in places.filter(|place| place.is_finite()) {
            let [x, y] = self.on_paper(canvas, place);
            let _ = write!(out, "{x:.1},{y:.1} ");
        }
    }

    fn on_paper(&self, canvas: &Canvas, place: Vec3) -> [f64; 2] {
        self.put(canvas, self.flat(place))
    }

    fn put(&self, canvas: &Canvas, [x, y]: [f64; 2]) -> [f64; 2] {
        let (scale, _) = self.scale(canvas);
        [(x - self.low[0]) * scale, (self.high[1] - y) * scale]
    }
}

impl Canvas {
    /// Room for numbers on the left and below [px].
    fn margins(&self) -> [f64; 2] {
        if self.numbered { [62.0, 40.0] } else { [0.0, 0.0] }
    }
}

/// Convex hull of points, by Andrew's monotone chain. Most obstacles are convex; for others it shows their extent.
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let turn = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = vec![];
        for point in points {
            while chain.len() >= 2 && turn(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0.0 {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut out = half(&mut points.iter().copied());
    out.extend(half(&mut points.iter().rev().copied()));
    out
}
