//! Shapes of planar rods for the figures of Wakamatsu et al.: their exact curves, and strips of drawings.

use pliant::Frame;
use pliant::math::{Pose, Vec3};

use super::{Results, run, scene};
use crate::Failure;
use pliant_record::drawing::{Curve, Drawing, Note};

/// Points of a curve per interval of its rod.
const FINE: usize = 16;

/// A point of the rods' plane: the paper's x and y, our x and z [m].
pub type Point = [f64; 2];

/// Run a scene and keep the frames at the start and after every step.
pub fn frames(text: &str, name: &str, changes: &[(&str, &str)]) -> Result<Vec<Frame>, Failure> {
    let mut scene = scene(text, name, changes)?;
    let mut frames = vec![];
    run(&mut scene, |moment| {
        frames.push(moment.frame().clone());
        Ok(())
    })?;
    Ok(frames)
}

/// The frame nearest to a time.
pub fn at(frames: &[Frame], time: f64) -> &Frame {
    let later = frames.partition_point(|f| f.time < time).min(frames.len() - 1);
    let before = later.saturating_sub(1);
    if time - frames[before].time < frames[later].time - time { &frames[before] } else { &frames[later] }
}

/// The curve of a rod. Between nodes it is a circular arc, since its angle is linear in arc length there.
pub fn curve(frame: &Frame) -> Vec<Point> {
    let body = &frame.bodies[0];
    let angle = |i: usize| {
        let tangent = body.frames[i] * Vec3::X;
        tangent.z.atan2(tangent.x)
    };
    let mut points = vec![[body.nodes[0].x, body.nodes[0].z]];
    for i in 0..body.nodes.len() - 1 {
        let (from, chord) = (body.nodes[i], body.nodes[i + 1] - body.nodes[i]);
        let turn = wrapped(angle(i + 1) - angle(i));
        // a chord is its arc times sin x / x, with x half the angle it turns by
        let length = chord.length() / sinc(0.5 * turn);
        for k in 1..=FINE {
            let part = k as f64 / FINE as f64;
            let reach = length * part * sinc(0.5 * turn * part);
            let (sin, cos) = (angle(i) + 0.5 * turn * part).sin_cos();
            points.push([from.x + reach * cos, from.z + reach * sin]);
        }
    }
    points
}

/// Index of the point of a curve nearest to a place.
pub fn nearest(curve: &[Point], to: Point) -> usize {
    let distance = |p: &Point| (p[0] - to[0]).hypot(p[1] - to[1]);
    (0..curve.len()).min_by(|&a, &b| distance(&curve[a]).total_cmp(&distance(&curve[b]))).unwrap_or(0)
}

/// Signed number of turns of a curve about a point.
pub fn turns(curve: &[Point], about: Point) -> f64 {
    let points: Vec<Vec3> = curve.iter().map(|p| Vec3::new(p[0], p[1], 0.0)).collect();
    pliant::topology::turns(&points, &Pose::from_translation(Vec3::new(about[0], about[1], 0.0)))
}

/// Smallest distance between parts of a curve at least `along` points apart along it, and whether it crosses itself.
pub fn apart(curve: &[Point], along: usize) -> (f64, bool) {
    let (mut least, mut crosses) = (f64::INFINITY, false);
    for i in 0..curve.len() - 1 {
        for j in i + along..curve.len() - 1 {
            least = least.min(to_piece(curve[i], [curve[j], curve[j + 1]]));
            least = least.min(to_piece(curve[j], [curve[i], curve[i + 1]]));
            let side = |a: Point, b: Point, c: Point| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            let [a, b, c, d] = [curve[i], curve[i + 1], curve[j], curve[j + 1]];
            crosses |= side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0;
        }
    }
    (least, crosses)
}

/// Distance of a point from a line segment.
fn to_piece(p: Point, [a, b]: [Point; 2]) -> f64 {
    let (along, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let part = (to[0] * along[0] + to[1] * along[1]) / (along[0] * along[0] + along[1] * along[1]);
    let part = part.clamp(0.0, 1.0);
    (to[0] - part * along[0]).hypot(to[1] - part * along[1])
}

/// Number of points per interval.
pub const INTERVAL: usize = FINE;

/// What is drawn beside each shape of a strip.
pub enum Props {
    /// Both ends held level.
    Clamps,
    /// A hinge at the start and a circle.
    Peg(Point, f64),
}

/// Draw shapes at several instants beside each other, four or six in a row.
pub fn strip(results: &mut Results, name: &str, title: &str, frames: &[Frame], instants: &[f64], props: &Props) {
    let shapes: Vec<Vec<Point>> = instants.iter().map(|t| curve(at(frames, *t))).collect();
    let range = |k: usize| {
        let all = shapes.iter().flatten().map(|p| p[k]);
        all.fold((0.0, 0.0), |(low, high): (f64, f64), v| (low.min(v), high.max(v)))
    };
    let ((left, right), (bottom, top)) = (range(0), range(1));
    let (wide, high) = ((right - left) * 1.1, top - bottom);
    let columns = if instants.len() > 8 { 6 } else { 4 };
    let (mut curves, mut notes) = (vec![], vec![]);
    for (n, (shape, time)) in shapes.iter().zip(instants).enumerate() {
        let corner = [(n % columns) as f64 * wide, -((n / columns) as f64) * (high + 0.35 * wide)];
        let mut draw = |points: &[Point], label: usize| {
            let points = points.iter().map(|p| [p[0] + corner[0], p[1] + corner[1]]).collect();
            curves.push(Curve { points, label });
        };
        draw(shape, 0);
        let (start, end) = (shape[0], shape[shape.len() - 1]);
        let mark = 0.04 * wide;
        match props {
            Props::Clamps => [start, end].iter().for_each(|p| draw(&[[p[0], p[1] - mark], [p[0], p[1] + mark]], 1)),
            Props::Peg(centre, radius) => {
                draw(&circle(start, 0.5 * mark), 1);
                draw(&circle(*centre, *radius), 2);
            }
        }
        let letter = char::from(b'a' + n as u8);
        let at = [corner[0] + 0.5 * (left + right), corner[1] + bottom - 0.2 * wide];
        notes.push(Note { at, text: format!("({letter}) {time:.2} s") });
    }
    let labels = match props {
        Props::Clamps => vec!["rod".into(), "ends, held level".into()],
        Props::Peg(..) => vec!["rod".into(), "hinge".into(), "obstacle".into()],
    };
    results.drawings.push((name.into(), Drawing { title: title.into(), labels, curves, notes }));
}

fn circle(centre: Point, radius: f64) -> Vec<Point> {
    let point = |k: usize| {
        let (sin, cos) = (k as f64 / 24.0 * std::f64::consts::TAU).sin_cos();
        [centre[0] + radius * cos, centre[1] + radius * sin]
    };
    (0..=24).map(point).collect()
}

fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { x.sin() / x }
}

/// Wrap an angle to the range from minus pi to pi [rad].
fn wrapped(angle: f64) -> f64 {
    angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Arcs lead from node to node, and their lengths add up to that of the rod.
    #[test]
    fn a_curve_is_the_rod_between_its_nodes() {
        let text = include_str!("../../scenes/001-fig3.toml");
        let frames = frames(text, "scenes/001-fig3.toml", &[("duration", "0.05")]).unwrap();
        let frame = frames.last().unwrap();
        let curve = curve(frame);
        for (k, node) in frame.bodies[0].nodes.iter().enumerate() {
            let [x, z] = curve[FINE * k];
            assert!((x - node.x).hypot(z - node.z) < 1e-12);
        }
        // chords are shorter than arcs by the square of the angle they turn by, over 24
        let length: f64 = curve.windows(2).map(|w| (w[1][0] - w[0][0]).hypot(w[1][1] - w[0][1])).sum();
        assert!((length - 1.0).abs() < 2e-4, "{length}");
    }

    #[test]
    fn a_crossing_is_seen() {
        let open: Vec<Point> = (0..=20).map(|k| [(0.3 * f64::from(k)).cos(), (0.3 * f64::from(k)).sin()]).collect();
        let (least, crosses) = apart(&open, 4);
        assert!(!crosses && least > 0.1, "{least}");
        let closed = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert!(apart(&closed, 2).1);
    }
}
