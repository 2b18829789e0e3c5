//! `states.html`: the shape of the rods at each transition, contacts as bars over time, and the wrench under them. A
//! single file that needs no network and has no script.

use std::fmt::Write as _;

use pliant::math::{Pose, Vec3};
use pliant::{Frame, Layout};
use pliant_record::drawing::{escaped, nice_below};
use pliant_states::{Sequence, Touch, Transition, With};

use crate::output::short;
use crate::run::command_line;

/// Colours that colour-blind people can tell apart (Okabe and Ito).
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#aa3377", "#b8860b", "#56b4e9"];
const WIDTH: f64 = 1100.0;
/// The part of a drawing over time that shows time [px].
const LEFT: f64 = 400.0;
const RIGHT: f64 = WIDTH - 20.0;
const ROW: f64 = 26.0;
/// Largest number of triangles of an obstacle that are drawn.
const MOST_TRIANGLES: usize = 4000;

/// Where obstacles are over time, for pictures.
#[derive(Default)]
pub struct Places {
    frames: Vec<(f64, Vec<Pose>)>,
}

impl Places {
    /// Watch a frame.
    pub fn watch(&mut self, frame: &Frame) {
        // obstacles that stand still need no second entry
        if self.frames.last().is_none_or(|(_, last)| *last != frame.obstacles) {
            self.frames.push((frame.time, frame.obstacles.clone()));
        }
    }

    fn at(&self, time: f64) -> &[Pose] {
        let after = self.frames.partition_point(|(t, _)| *t <= time);
        self.frames.get(after.saturating_sub(1)).map_or(&[], |(_, poses)| poses)
    }
}

/// The page as HTML.
pub fn page(sequence: &Sequence, layout: &Layout, places: &Places) -> String {
    let title = if sequence.title.is_empty() { "Contact states" } else { &sequence.title };
    let parts = [
        ("TITLE", escaped(title)),
        ("COMMAND", escaped(&command_line())),
        ("VERSION", env!("CARGO_PKG_VERSION").into()),
        ("PICTURES", pictures(sequence, layout, places)),
        ("BARS", bars(sequence)),
        ("CHARTS", charts(sequence)),
        ("TABLE", table(sequence)),
    ];
    let mut out = String::new();
    for piece in include_str!("page.html").split("<!--") {
        let known = piece.split_once("-->").and_then(|(key, rest)| {
            let (_, text) = parts.iter().find(|(name, _)| *name == key)?;
            Some([text.as_str(), rest])
        });
        known.unwrap_or([piece, ""]).iter().for_each(|text| out.push_str(text));
    }
    out
}

fn span(sequence: &Sequence) -> [f64; 2] {
    [sequence.states.first().map_or(0.0, |s| s.from), sequence.states.last().map_or(1.0, |s| s.to)]
}

fn x(sequence: &Sequence, time: f64) -> f64 {
    let [from, to] = span(sequence);
    LEFT + (RIGHT - LEFT) * (time - from) / (to - from).max(1e-9)
}

/// Thin lines at all transitions, with their numbers.
fn marks(sequence: &Sequence, top: f64, bottom: f64, out: &mut String) {
    for (n, transition) in sequence.transitions.iter().enumerate() {
        let x = x(sequence, transition.time);
        let _ = writeln!(
            out,
            "<path class=\"mark\" d=\"M{x:.1} {top}V{bottom}\"/><text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{}</text>",
            top - 5.0,
            n + 1
        );
    }
}

fn time_axis(sequence: &Sequence, y: f64, out: &mut String) {
    let [from, to] = span(sequence);
    let step = nice_below((to - from).max(1e-9) / 6.0);
    let mut tick = (from / step).ceil() * step;
    while tick <= to + 1e-9 {
        let x = x(sequence, tick);
        let label = short((tick * 1e6).round() * 1e-6).trim_end_matches('0').trim_end_matches('.').to_string();
        let label = if label.is_empty() { "0".into() } else { label };
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{x:.1} {y}v4\"/><text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{label}{}</text>",
            y + 18.0,
            if tick + step > to + 1e-9 { " s" } else { "" }
        );
        tick += step;
    }
}

fn is_grip(touch: &Touch) -> bool {
    matches!(touch.with, With::Grip | With::Fingertip)
}

/// Contacts as bars over time.
fn bars(sequence: &Sequence) -> String {
    // in the order in which they begin, grips first
    let mut rows: Vec<&Touch> = vec![];
    for touch in sequence.states.iter().flat_map(|state| &state.contacts) {
        if !rows.contains(&touch) {
            rows.push(touch);
        }
    }
    rows.sort_by_key(|touch| !is_grip(touch));
    let (top, bottom) = (24.0, 24.0 + ROW * rows.len() as f64);
    let mut out =
        format!("<svg viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" aria-label=\"Contacts over time\">\n", bottom + 26.0);
    for (n, touch) in rows.iter().enumerate() {
        let y = top + ROW * n as f64;
        let text = escaped(&touch.text());
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{LEFT} {0:.1}H{RIGHT}\"/><text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{text}</text>",
            y + 0.5 * ROW,
            LEFT - 10.0,
            y + 0.5 * ROW + 4.5
        );
        let colour = if is_grip(touch) { "#5f6c7a" } else { COLOURS[n % COLOURS.len()] };
        for state in sequence.states.iter().filter(|state| state.contacts.contains(touch)) {
            let (from, to) = (x(sequence, state.from), x(sequence, state.to));
            let _ = writeln!(
                out,
                "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"><title>{text}: {} to {} s</title></rect>",
                y + 5.0,
                (to - from).max(0.5),
                ROW - 10.0,
                short(state.from),
                short(state.to)
            );
        }
    }
    marks(sequence, top, bottom, &mut out);
    time_axis(sequence, bottom, &mut out);
    out + "</svg>\n"
}

/// Force and torque on each gripper over time.
fn charts(sequence: &Sequence) -> String {
    let mut out = String::new();
    for (index, name) in sequence.grippers.iter().enumerate() {
        let held: Vec<_> = (sequence.states.iter().flat_map(|state| &state.path))
            .filter_map(|waypoint| Some((waypoint.time, waypoint.grippers.get(index)?)))
            .collect();
        let force: Vec<(f64, [f64; 3])> = held.iter().map(|(time, held)| (*time, held.force)).collect();
        let torque: Vec<(f64, [f64; 3])> = held.iter().map(|(time, held)| (*time, held.torque)).collect();
        out += &chart(sequence, &format!("force on {name}"), "N", &force);
        out += &chart(sequence, &format!("torque on {name}"), "N m", &torque);
    }
    out
}

fn chart(sequence: &Sequence, title: &str, unit: &str, values: &[(f64, [f64; 3])]) -> String {
    let all = || values.iter().flat_map(|(_, v)| *v).filter(|v| v.is_finite());
    let (low, high) = all().fold((0.0_f64, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
    if high - low < 1e-12 {
        return String::new();
    }
    let (top, bottom) = (24.0, 174.0);
    let y = |v: f64| bottom - (bottom - top) * (v - low) / (high - low);
    let title = escaped(title);
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} 200\" role=\"img\" aria-label=\"{title}\">\n\
         <text class=\"title\" x=\"{0}\" y=\"{top}\" text-anchor=\"end\">{title} [{unit}]</text>\n",
        LEFT - 70.0
    );
    let step = nice_below((high - low) / 3.0);
    let mut tick = (low / step).ceil() * step;
    while tick <= high + 1e-9 * step {
        // not minus zero
        let value = if tick.abs() < 1e-6 * step { 0.0 } else { tick };
        let label = format!("{value:.*}", (-step.log10().floor()).max(0.0) as usize);
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{LEFT} {0:.1}H{RIGHT}\"/><text class=\"tick\" x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{label}</text>",
            y(tick),
            LEFT - 8.0,
            y(tick) + 4.0
        );
        tick += step;
    }
    marks(sequence, top, bottom, &mut out);
    for (axis, label) in ["x", "y", "z"].iter().enumerate() {
        let colour = COLOURS[axis];
        let _ = writeln!(
            out,
            "<text x=\"{0}\" y=\"{1}\" fill=\"{colour}\" font-weight=\"600\">{label}</text>",
            LEFT - 100.0 + 16.0 * axis as f64,
            top + 20.0
        );
        let _ = write!(out, "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" points=\"");
        for (time, v) in values.iter().filter(|(_, v)| v[axis].is_finite()) {
            let _ = write!(out, "{:.1},{:.1} ", x(sequence, *time), y(v[axis]));
        }
        out.push_str("\"/>\n");
    }
    time_axis(sequence, bottom, &mut out);
    out + "</svg>\n"
}

/// Directions to the right and up of the pictures: the plane in which the rods reach farthest.
fn plane(sequence: &Sequence) -> [usize; 2] {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for node in sequence.transitions.iter().flat_map(|t| &t.shapes).flat_map(|shape| &shape.nodes) {
        (low, high) = (low.min(Vec3::from(*node)), high.max(Vec3::from(*node)));
    }
    let size = high - low;
    // up is up, where that is possible
    if size.z < 0.05 * size.x.min(size.y) {
        [0, 1]
    } else if size.x >= size.y {
        [0, 2]
    } else {
        [1, 2]
    }
}

fn pictures(sequence: &Sequence, layout: &Layout, places: &Places) -> String {
    let plane = plane(sequence);
    let mut out = String::new();
    for (n, transition) in sequence.transitions.iter().enumerate() {
        let _ = writeln!(
            out,
            "<figure>{}<figcaption><b>{}</b> · {} s<br>{}</figcaption></figure>",
            picture(sequence, transition, layout, places.at(transition.time), plane),
            n + 1,
            short(transition.time),
            escaped(&transition.text()).replace('\n', "<br>")
        );
    }
    out
}

fn picture(
    sequence: &Sequence,
    transition: &Transition,
    layout: &Layout,
    poses: &[Pose],
    [right, up]: [usize; 2],
) -> String {
    // all pictures show the same region: that of the rods
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for node in sequence.transitions.iter().flat_map(|t| &t.shapes).flat_map(|shape| &shape.nodes) {
        for (k, axis) in [right, up].into_iter().enumerate() {
            (low[k], high[k]) = (low[k].min(node[axis]), high[k].max(node[axis]));
        }
    }
    let size = (high[0] - low[0]).max(high[1] - low[1]).max(1e-9) * 1.3;
    if !size.is_finite() {
        return String::new();
    }
    let middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
    let scale = 300.0 / size;
    let place = |p: [f64; 3]| [150.0 + scale * (p[right] - middle[0]), 150.0 - scale * (p[up] - middle[1])];
    let mut out = String::from("<svg class=\"shape\" viewBox=\"0 0 300 300\" role=\"img\">\n<g class=\"obstacle\">");
    for (obstacle, pose) in layout.obstacles.iter().zip(poses) {
        if obstacle.is_plane {
            let normal = pose.rotation * Vec3::Z;
            let (along, from) =
                ([normal.to_array()[up], -normal.to_array()[right]], place(pose.translation.to_array()));
            let down = [-normal.to_array()[right], normal.to_array()[up]];
            let corner = |a: f64, d: f64| {
                format!("{:.1} {:.1}", from[0] + a * along[0] + d * down[0], from[1] + a * -along[1] + d * down[1])
            };
            let _ = write!(
                out,
                "<path d=\"M{}L{}L{}L{}Z\"/>",
                corner(-900.0, 0.0),
                corner(900.0, 0.0),
                corner(900.0, 900.0),
                corner(-900.0, 900.0)
            );
            continue;
        }
        let mut path = String::new();
        for triangle in obstacle.outline.triangles.iter().take(MOST_TRIANGLES) {
            let corners = triangle.map(|n| obstacle.outline.vertices.get(n as usize).copied().unwrap_or(Vec3::ZERO));
            let [a, mut b, mut c] = corners.map(|corner| place(pose.transform_point(corner).to_array()));
            // all the same way round: front and back would cancel each other
            if (b[0] - a[0]) * (c[1] - a[1]) < (b[1] - a[1]) * (c[0] - a[0]) {
                (b, c) = (c, b);
            }
            let near = [a, b, c].iter().flatten().all(|v| v.abs() < 5000.0);
            if near {
                let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z", a[0], a[1], b[0], b[1], c[0], c[1]);
            }
        }
        let _ = write!(out, "<path d=\"{path}\"/>");
    }
    out.push_str("</g>\n");
    for (n, shape) in transition.shapes.iter().enumerate() {
        let radius = layout.bodies.iter().find(|body| body.name == shape.body).map_or(0.0, |body| body.radius);
        let width = (2.0 * radius * scale).max(2.0);
        let _ = write!(
            out,
            "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{width:.1}\" stroke-linecap=\"round\" stroke-linejoin=\"round\" points=\"",
            COLOURS[(n + 4) % COLOURS.len()]
        );
        for p in shape.nodes.iter().map(|node| place(*node)) {
            let _ = write!(out, "{:.1},{:.1} ", p[0], p[1]);
        }
        out.push_str("\"/>\n");
    }
    let most = transition.points.iter().filter(|p| !is_grip(&p.touch)).map(|p| Vec3::from(p.force).length());
    let most = most.fold(1e-12, f64::max);
    for point in &transition.points {
        let [x, y] = place(point.position);
        if is_grip(&point.touch) {
            let _ = writeln!(
                out,
                "<rect class=\"gripper\" x=\"{:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\"/>",
                x - 6.0,
                y - 6.0
            );
        } else {
            let f = [point.force[right], point.force[up]].map(|f| 45.0 * f / most);
            let _ = writeln!(
                out,
                "<circle class=\"contact\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/><path class=\"force\" d=\"M{x:.1} {y:.1}l{:.1} {:.1}\"/>",
                f[0], -f[1]
            );
        }
    }
    out + "</svg>"
}

fn table(sequence: &Sequence) -> String {
    let mut out = String::new();
    let triple = |v: [f64; 3]| v.map(|x| short(if x.abs() < 1e-9 { 0.0 } else { x })).join(", ");
    for (n, transition) in sequence.transitions.iter().enumerate() {
        for (name, change) in sequence.grippers.iter().zip(&transition.grippers) {
            let _ = writeln!(
                out,
                "<tr><th>{}</th><td>{}</td><td class=\"text\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                n + 1,
                short(transition.time),
                escaped(&transition.text()).replace('\n', "<br>"),
                escaped(name),
                triple(change.position),
                triple(change.change.force),
                triple(change.change.torque)
            );
        }
    }
    out
}
