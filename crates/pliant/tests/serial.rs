//! Frames and layouts as JSON, for bodies of every model.
#![allow(clippy::unwrap_used)]

#[path = "common/models.rs"]
mod models;

use models::{HEIGHT, every_model};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::{GripParams, GripperParams, Hold, Place, World};
use serde_json::{Value, json, to_value};

#[test]
fn frames_and_layouts_of_every_model_are_json() {
    for body in every_model() {
        let mut world = World::new(Vec3::NEG_Z * 9.81);
        let (name, model) = (body.name().to_string(), body.model());
        let body = world.add_body(body).unwrap();
        let turned = Quat::from_rotation_x(std::f64::consts::PI);
        let placed = Pose::from_parts(Vec3::new(0.0, 0.0, HEIGHT), turned);
        let hand = world.add_gripper(GripperParams::at("hand", placed)).unwrap();
        world.add_grip(GripParams::new(hand, body, Place::Node(0), Hold::TwoPoints)).unwrap();
        world
            .add_grip(GripParams { from: 1.0, ..GripParams::new(hand, body, Place::Node(1), Hold::Position) })
            .unwrap();
        let ball = Shape::new(ShapeKind::Sphere { radius: 0.01 }).unwrap();
        world.add_obstacle(ObstacleParams::fixed("ball", ball, Pose::from_translation(Vec3::NEG_Z))).unwrap();
        world.step(1e-3).unwrap();
        let (frame, layout) = (world.frame(), world.layout());
        let (seen, laid) = (to_value(&frame).unwrap(), to_value(&layout).unwrap());

        assert_eq!(laid["bodies"][0]["name"], json!(name));
        assert_eq!(laid["bodies"][0]["model"], json!(model.name()));
        assert_eq!(laid["bodies"][0]["facets"], json!(layout.bodies[0].facets));
        assert_eq!(laid["obstacles"][0]["outline"]["triangles"], json!(layout.obstacles[0].outline.triangles));
        assert_eq!(laid["revision"], json!(layout.revision));

        let (own, out) = (&frame.bodies[0], &seen["bodies"][0]);
        for (list, written) in [(&own.nodes, &out["nodes"]), (&own.velocities, &out["velocities"])] {
            assert_eq!(*written, json!(list.iter().map(|v| v.to_array()).collect::<Vec<_>>()), "{name}");
        }
        for (field, written) in own.fields.iter().zip(out["fields"].as_array().unwrap()) {
            assert_eq!(*written, json!({ "name": field.name, "unit": field.unit, "values": field.values }));
        }
        assert_eq!(out["energy"]["kinetic"], json!(own.energy.kinetic));
        assert_eq!(out["account"]["work"]["grips"], json!(own.account.work.grips));
        // w x y z
        let pose = &seen["grippers"][0]["pose"];
        assert_eq!(pose["position"], json!([0.0, 0.0, HEIGHT]));
        assert_eq!(pose["orientation"], json!([turned.w, turned.x, turned.y, turned.z]));
        assert_eq!(seen["obstacles"][0]["position"], json!([0.0, 0.0, -1.0]));
        let states: Vec<&Value> = seen["grips"].as_array().unwrap().iter().map(|grip| &grip["state"]).collect();
        assert_eq!(states, ["closed", "open"]);
        assert_eq!(seen["grips"][0]["place"], json!({ "node": 0 }));
        assert_eq!(seen["grips"][0]["hold"], json!("two-points"));
        assert_eq!(seen["counters"]["steps"], json!(frame.counters.steps));
        assert!(seen["account"].is_null() && !seen["time"].is_null());
    }
}

#[test]
fn an_event_has_its_fields_beside_its_time_and_the_name_of_its_kind() {
    use pliant::{Event, EventKind, Other};
    for (kind, json) in [
        (
            EventKind::Attached { gripper: 1, body: 2 },
            json!({ "time": 0.5, "kind": "attached", "gripper": 1, "body": 2 }),
        ),
        (
            EventKind::OverTension { body: 0, node: 3, tension: 2.0, limit: 1.0 },
            json!({ "time": 0.5, "kind": "over-tension", "body": 0, "node": 3, "tension": 2.0, "limit": 1.0 }),
        ),
        (
            EventKind::Crossed { body: 0, other: Other::Obstacle(4), node: 7 },
            json!({ "time": 0.5, "kind": "crossed", "body": 0, "other": { "obstacle": 4 }, "node": 7 }),
        ),
    ] {
        let value = to_value(Event { time: 0.5, kind }).unwrap();
        assert_eq!(value, json);
        assert_eq!(value["kind"], json!(kind.name()));
    }
}
