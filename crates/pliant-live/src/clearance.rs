//! Whether there is room in a world for a fingertip or another obstacle: one that began inside a body would be thrown
//! out, or make the first step fail.

use pliant::contact::{Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::{Frame, World};

/// How deep inside a mesh is looked for [m]: it may be open, and has no inside further from its surface.
const DEPTH: f64 = 0.05;

/// Whether a shape at a pose would touch no body of a world, whose state a frame has.
pub fn is_clear(world: &World, frame: &Frame, shape: &Shape, pose: &Pose) -> bool {
    let corners: Vec<Vec3> = match shape.kind() {
        ShapeKind::Plane => vec![],
        _ => shape.outline().vertices.iter().map(|corner| pose.transform_point(*corner)).collect(),
    };
    world.bodies().iter().zip(&frame.bodies).all(|(body, now)| {
        let touches = |point: Vec3, radius: f64| {
            shape.surface_near(pose, point, radius + DEPTH).is_some_and(|face| face.distance < radius)
        };
        if !body.is_solid() {
            let radius = body.radius();
            return !now.nodes.windows(2).any(|ends| {
                // so many places that none between them is further from one than half a radius
                let count = (ends[0].distance(ends[1]) / radius.max(1e-6)).ceil().clamp(1.0, 1e3);
                (0..=count as usize).any(|n| touches(ends[0].lerp(ends[1], n as f64 / count), radius))
            });
        }
        let inside = |point: &Vec3| winding(body.facets(), &now.nodes, *point) > 0.5;
        !now.nodes.iter().any(|node| touches(*node, 0.0)) && !corners.iter().chain([&pose.translation]).any(inside)
    })
}

/// How often a closed surface goes around a point: the sum of the solid angles of its facets (van Oosterom and Strackee,
/// "The solid angle of a plane triangle"), over that of the whole sphere.
fn winding(facets: &[[u32; 3]], nodes: &[Vec3], point: Vec3) -> f64 {
    let angle = |facet: &[u32; 3]| {
        let [a, b, c] = facet.map(|corner| nodes[corner as usize] - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    facets.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Failure = Box<dyn std::error::Error>;

    fn world(body: &str) -> Result<World, Failure> {
        let text = format!(
            "duration = 1\nstep = 0.001\n[material.m]\nyoung = 2e6\npoisson = 0.4\ndensity = 1100\n\
             [[body]]\nname = \"b\"\nmaterial = \"m\"\n{body}\n"
        );
        Ok(pliant_scene::parse(&text, "live", std::path::Path::new("."), &[])?.world)
    }

    #[test]
    fn shapes_in_rods_and_solids_are_found_and_others_are_not() -> Result<(), Failure> {
        let rod = "model = \"cable\"\nradius = 0.004\npath = [[0, 0, 0], [0.2, 0, 0]]\nsegments = 4";
        let solid = "model = \"lattice\"\nsolid = { box = { size = [0.2, 0.2, 0.2], cells = [2, 2, 2] } }";
        let ball = |radius| Shape::new(ShapeKind::Sphere { radius });
        let plate = Shape::new(ShapeKind::Box { size: Vec3::new(0.5, 0.001, 0.5) })?;
        let cases = [
            // between two nodes of the rod, beside it by a hair less and a hair more than both radii
            (rod, ball(0.01)?, Vec3::new(0.07, 0.0, 0.0), false),
            (rod, ball(0.01)?, Vec3::new(0.07, 0.0139, 0.0), false),
            (rod, ball(0.01)?, Vec3::new(0.07, 0.0141, 0.0), true),
            (rod, plate.clone(), Vec3::new(0.0, 0.0044, 0.2), false),
            (rod, plate.clone(), Vec3::new(0.0, 0.0046, 0.2), true),
            // away from all nodes of the solid, within it; at its face from outside; above it
            (solid, ball(0.01)?, Vec3::new(0.05, 0.04, 0.03), false),
            (solid, ball(0.01)?, Vec3::new(0.0, 0.0, 0.105), false),
            (solid, ball(0.01)?, Vec3::new(0.0, 0.0, 0.111), true),
            (solid, plate.clone(), Vec3::new(0.0, 0.0, 0.0), false),
            (solid, plate, Vec3::new(0.0, 0.11, 0.0), true),
        ];
        for (body, shape, at, expected) in cases {
            let world = world(body)?;
            let clear = is_clear(&world, &world.frame(), &shape, &Pose::from_translation(at));
            assert_eq!(clear, expected, "{shape:?} at {at}");
        }
        Ok(())
    }
}
