//! Events during steps: grips that close, contacts that begin, limits that are exceeded.

use super::Other;
use crate::bytes::{stored, stored_enum};

/// Something that happened during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Event {
    /// Simulated time [s].
    pub time: f64,
    /// What happened.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub kind: EventKind,
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case"))]
pub enum EventKind {
    /// A gripper closed on a body.
    Attached {
        /// Index of the gripper.
        gripper: usize,
        /// Index of the body.
        body: usize,
    },
    /// A gripper released a body.
    Released {
        /// Index of the gripper.
        gripper: usize,
        /// Index of the body.
        body: usize,
    },
    /// A body began to slide through a grip.
    Slips {
        /// Index of the gripper.
        gripper: usize,
        /// Index of the body.
        body: usize,
    },
    /// A body was pulled out of a closed grip.
    Lost {
        /// Index of the gripper.
        gripper: usize,
        /// Index of the body.
        body: usize,
    },
    /// A body began to touch an obstacle.
    Touched {
        /// Index of the body.
        body: usize,
        /// Index of the obstacle.
        obstacle: usize,
    },
    /// The tension of a body exceeds its limit.
    OverTension {
        /// Index of the body.
        body: usize,
        /// The node with the largest tension.
        node: usize,
        /// Tension there when the limit was exceeded [N].
        tension: f64,
        /// The limit [N].
        limit: f64,
    },
    /// A body is bent more tightly than its limit.
    OverBend {
        /// Index of the body.
        body: usize,
        /// The node with the smallest bend radius.
        node: usize,
        /// Bend radius there when the limit was exceeded [m].
        radius: f64,
        /// The limit [m].
        limit: f64,
    },
    /// The tension of a body is within its limit again.
    TensionEased {
        /// Index of the body.
        body: usize,
        /// The node that had the largest tension.
        node: usize,
        /// Largest tension since the limit was exceeded [N].
        tension: f64,
        /// The limit [N].
        limit: f64,
    },
    /// The bend radius of a body is within its limit again.
    BendEased {
        /// Index of the body.
        body: usize,
        /// The node that had the smallest bend radius.
        node: usize,
        /// Smallest bend radius since the limit was exceeded [m].
        radius: f64,
        /// The limit [m].
        limit: f64,
    },
    /// A body has gained energy that no force accounts for.
    Created {
        /// Index of the body.
        body: usize,
        /// Energy gained in total [J].
        energy: f64,
    },
    /// The centre line of a rod has passed through something, which is physically impossible.
    Crossed {
        /// Index of the body.
        body: usize,
        /// What it passed through.
        other: Other,
        /// The first node of the affected piece of the centre line.
        node: usize,
    },
    /// A body no longer touches an obstacle.
    Parted {
        /// Index of the body.
        body: usize,
        /// Index of the obstacle.
        obstacle: usize,
    },
    /// A body began to touch another one, or itself.
    Met {
        /// Index of the body.
        body: usize,
        /// Index of the other body; equal to `body` for a body that touches itself.
        other: usize,
    },
    /// A body no longer touches another one, or itself.
    Separated {
        /// Index of the body.
        body: usize,
        /// Index of the other body; equal to `body` for a body that touched itself.
        other: usize,
    },
}

impl EventKind {
    /// Short name, as in machine-readable output.
    pub const fn name(&self) -> &'static str {
        match self {
            EventKind::Attached { .. } => "attached",
            EventKind::Released { .. } => "released",
            EventKind::Slips { .. } => "slips",
            EventKind::Lost { .. } => "lost",
            EventKind::Touched { .. } => "touched",
            EventKind::OverTension { .. } => "over-tension",
            EventKind::OverBend { .. } => "over-bend",
            EventKind::Crossed { .. } => "crossed",
            EventKind::Created { .. } => "created",
            EventKind::Parted { .. } => "parted",
            EventKind::TensionEased { .. } => "tension-eased",
            EventKind::BendEased { .. } => "bend-eased",
            EventKind::Met { .. } => "met",
            EventKind::Separated { .. } => "separated",
        }
    }
}

stored_enum!(EventKind {
    0 => Attached { gripper: gripper, body: body },
    1 => Released { gripper: gripper, body: body },
    2 => Slips { gripper: gripper, body: body },
    3 => Lost { gripper: gripper, body: body },
    4 => Touched { body: body, obstacle: obstacle },
    5 => OverTension { body: body, node: node, tension: tension, limit: limit },
    6 => OverBend { body: body, node: node, radius: radius, limit: limit },
    7 => TensionEased { body: body, node: node, tension: tension, limit: limit },
    8 => BendEased { body: body, node: node, radius: radius, limit: limit },
    9 => Created { body: body, energy: energy },
    10 => Crossed { body: body, other: other, node: node },
    11 => Parted { body: body, obstacle: obstacle },
    12 => Met { body: body, other: other },
    13 => Separated { body: body, other: other },
});
stored!(Event { time, kind });
