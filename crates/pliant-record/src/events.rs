//! Events as text.

use pliant::{Body, EventKind, Other, World};

/// An event as a sentence, such as `hand grips rod`.
pub fn event_text(world: &World, kind: EventKind) -> String {
    Names::of(world).event_text(kind)
}

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

/// Names of everything in a world, by index.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub bodies: Vec<String>,
    pub grippers: Vec<String>,
    pub obstacles: Vec<String>,
}

impl Names {
    pub fn of(world: &World) -> Names {
        Names {
            bodies: world.bodies().iter().map(Body::name).map(String::from).collect(),
            grippers: world.grippers().iter().map(|g| g.params.name.clone()).collect(),
            obstacles: world.obstacles().iter().map(|o| o.params.name.clone()).collect(),
        }
    }

    pub fn event_text(&self, kind: EventKind) -> String {
        // something added to the world after the recording began has no name here
        let name = |names: &[String], index: usize| names.get(index).cloned().unwrap_or_else(|| format!("#{index}"));
        let body = |index| name(&self.bodies, index);
        let gripper = |index| name(&self.grippers, index);
        let obstacle = |index| name(&self.obstacles, index);
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
                format!(
                    "{} is within its tension limit again: it was {tension} N at node {node}, limit {limit} N",
                    body(b)
                )
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
}
