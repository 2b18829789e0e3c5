//! What goes to the page: frames as bytes, the layout and the status as JSON.

use pliant::math::{Pose, Vec3};
use pliant::{Layout, Properties, World};
use serde_json::{Value, json};

use crate::action::HANDS;
use crate::driver::Picture;
use crate::session::hand_name;

/// First bytes of a frame.
const MAGIC: u32 = 0x3146_4C50;

/// A frame as bytes: numbers as `f32`, little-endian. The book has the table.
pub fn encode(picture: &Picture, revision: u32, bytes: &mut Vec<u8>) {
    let frame = &picture.frame;
    bytes.clear();
    bytes.extend_from_slice(&MAGIC.to_le_bytes());
    bytes.extend_from_slice(&revision.to_le_bytes());
    bytes.extend_from_slice(&picture.step.to_le_bytes());
    bytes.extend_from_slice(&frame.time.to_le_bytes());
    bytes.extend_from_slice(&(frame.contacts.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&u32::from(picture.paused).to_le_bytes());
    let mut number = |value: f64| bytes.extend_from_slice(&(value as f32).to_le_bytes());
    let vector = |number: &mut dyn FnMut(f64), v: Vec3| [v.x, v.y, v.z].into_iter().for_each(number);
    for body in &frame.bodies {
        body.nodes.iter().for_each(|node| vector(&mut number, *node));
        body.fields.iter().flat_map(|field| &field.values).for_each(|value| number(*value));
        [body.energy.kinetic, body.energy.elastic, body.energy.gravity].into_iter().for_each(&mut number);
    }
    let pose = |number: &mut dyn FnMut(f64), Pose { translation: t, rotation: q }: &Pose| {
        [t.x, t.y, t.z, q.x, q.y, q.z, q.w].into_iter().for_each(number);
    };
    frame.obstacles.iter().for_each(|obstacle| pose(&mut number, obstacle));
    for gripper in &frame.grippers {
        pose(&mut number, &gripper.pose);
        vector(&mut number, gripper.load.force);
        vector(&mut number, gripper.load.torque);
        number(f64::from(u8::from(gripper.attached)));
    }
    for contact in &frame.contacts {
        vector(&mut number, contact.position);
        vector(&mut number, contact.force);
    }
}

/// The layout of a world for the page, with the names of the obstacles that hands may move.
pub fn layout(world: &World, layout: &Layout, movable: &[String], revision: u32) -> Value {
    let properties = |Properties { young, density, friction, damping_time, drag, .. }: Properties| json!({ "young": young, "density": density, "friction": friction.coefficient, "damping_time": damping_time, "drag": drag });
    let bodies = layout.bodies.iter().zip(world.bodies()).map(|(body, now)| {
        let fields = body.fields.iter().map(|(name, unit)| json!({ "name": name, "unit": unit }));
        json!({
            "name": body.name,
            "model": body.model.name(),
            "kind": if body.model.is_solid() { "surface" } else { "curve" },
            "radius": body.radius,
            "node_count": body.nodes,
            "triangles": body.facets.as_flattened(),
            "fields": fields.collect::<Value>(),
            "properties": properties(now.properties()),
        })
    });
    let obstacles = layout.obstacles.iter().map(|obstacle| {
        let vertices = obstacle.outline.vertices.iter().flat_map(|v| [v.x as f32, v.y as f32, v.z as f32]);
        json!({
            "name": obstacle.name,
            "kind": if obstacle.is_plane { "plane" } else { "mesh" },
            "movable": movable.contains(&obstacle.name),
            "vertices": vertices.collect::<Vec<f32>>(),
            "triangles": obstacle.outline.triangles.as_flattened(),
        })
    });
    let hand = |name: &str| (0..HANDS).find(|hand| hand_name(*hand) == name);
    let grippers = layout.grippers.iter().map(|gripper| json!({ "name": gripper.name, "hand": hand(&gripper.name) }));
    json!({
        "type": "layout",
        "revision": revision,
        "bodies": bodies.collect::<Value>(),
        "obstacles": obstacles.collect::<Value>(),
        "grippers": grippers.collect::<Value>(),
        "gravity": world.gravity().to_array(),
    })
}
