//! What happens during steps: grips that close, contacts that begin, limits that are passed.

use super::Other;
use crate::bytes::{stored, stored_enum};

/// Something that happened during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When [s].
    pub time: f64,
    /// What.
    pub kind: EventKind,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventKind {
    /// A gripper closed on a body.
    Attached {
        /// Index of the gripper.
        gripper: usize,
        /// Index of the body.
        body: usize,
    },
    /// A gripper let a body go.
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
    /// A body came out of a grip that was to hold it.
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
    /// A body is stretched with more tension than it should bear.
    OverTension {
        /// Index of the body.
        body: usize,
        /// The node with the most.
        node: usize,
        /// Tension there as the limit is passed [N].
        tension: f64,
        /// The limit [N].
        limit: f64,
    },
    /// A body is bent tighter than it should be.
    OverBend {
        /// Index of the body.
        body: usize,
        /// The node where it is bent most.
        node: usize,
        /// Radius of bending there as the limit is passed [m].
        radius: f64,
        /// The limit [m].
        limit: f64,
    },
    /// A body bears no more tension than it should again.
    TensionEased {
        /// Index of the body.
        body: usize,
        /// The node that bore the most.
        node: usize,
        /// The most tension it bore since the limit was passed [N].
        tension: f64,
        /// The limit [N].
        limit: f64,
    },
    /// A body is bent no tighter than it should be again.
    BendEased {
        /// Index of the body.
        body: usize,
        /// The node that was bent most.
        node: usize,
        /// The least radius of bending since the limit was passed [m].
        radius: f64,
        /// The limit [m].
        limit: f64,
    },
    /// Energy has come by and by that no force accounts for.
    Created {
        /// Index of the body.
        body: usize,
        /// How much so far [J].
        energy: f64,
    },
    /// The curve of a rod has come through something, which it cannot in the world.
    Crossed {
        /// Index of the body.
        body: usize,
        /// What it came through.
        other: Other,
        /// The first node of the piece of the curve.
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
        /// Index of the other; the same for a body that touches itself.
        other: usize,
    },
    /// A body no longer touches another one, or itself.
    Separated {
        /// Index of the body.
        body: usize,
        /// Index of the other; the same for a body that touched itself.
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
