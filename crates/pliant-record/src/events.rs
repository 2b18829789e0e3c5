//! Events as text.

use pliant::{EventKind, Layout, Other};

/// A number with five significant digits.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if (1e-3..1e5).contains(&value.abs()) {
        let digits = (4 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.3e}")
    }
}

/// An event as a sentence: `hand grips rod`.
pub fn event_text(layout: &Layout, kind: EventKind) -> String {
    let body = |index| layout.body_name(index);
    let gripper = |index| layout.gripper_name(index);
    let obstacle = |index| layout.obstacle_name(index);
    match kind {
        EventKind::Attached { gripper: g, body: b } => format!("{} grips {}", gripper(g), body(b)),
        EventKind::Released { gripper: g, body: b } => format!("{} releases {}", gripper(g), body(b)),
        EventKind::Slips { gripper: g, body: b } => format!("{} slides through {}", body(b), gripper(g)),
        EventKind::Lost { gripper: g, body: b } => format!("{} loses {}", gripper(g), body(b)),
        EventKind::Touched { body: b, obstacle: o } => format!("{} touches {}", body(b), obstacle(o)),
        EventKind::Created { body: b, energy } => {
            format!("{} has gained {} J by and by that no force accounts for", body(b), short(energy))
        }
        EventKind::Crossed { body: b, other, node } => {
            let other = match other {
                Other::Obstacle(o) => obstacle(o),
                Other::Body(o) if o == b => "itself".into(),
                Other::Body(o) => body(o),
                Other::Slider(s) => format!("slider {s}"),
            };
            format!("{} has come through {other} at node {node}", body(b))
        }
        EventKind::OverTension { body: b, node, tension, limit } => {
            format!(
                "{} is over its tension limit at node {node}: {} N, limit {} N",
                body(b),
                short(tension),
                short(limit)
            )
        }
        EventKind::OverBend { body: b, node, radius, limit } => {
            let (radius, limit) = (short(1e3 * radius), short(1e3 * limit));
            format!("{} is bent beyond its limit at node {node}: radius {radius} mm, limit {limit} mm", body(b))
        }
        EventKind::TensionEased { body: b, node, tension, limit } => {
            let (tension, limit) = (short(tension), short(limit));
            format!("{} is within its tension limit again: it was {tension} N at node {node}, limit {limit} N", body(b))
        }
        EventKind::BendEased { body: b, node, radius, limit } => {
            let (radius, limit) = (short(1e3 * radius), short(1e3 * limit));
            format!(
                "{} is bent within its limit again: its radius was {radius} mm at node {node}, limit {limit} mm",
                body(b)
            )
        }
        EventKind::Met { body: a, other } if a == other => format!("{} touches itself", body(a)),
        EventKind::Met { body: a, other } => format!("{} touches {}", body(a), body(other)),
        EventKind::Separated { body: a, other } if a == other => {
            format!("{} no longer touches itself", body(a))
        }
        EventKind::Separated { body: a, other } => format!("{} leaves {}", body(a), body(other)),
        EventKind::Parted { body: b, obstacle: o } => format!("{} leaves {}", body(b), obstacle(o)),
    }
}
