//! The rig as a simulation: a cable with a load at one end, wound on a drum, pulled at the other until it slides.

use std::f64::consts::PI;

use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Load, Material, Place, World};

use super::{Capstan, Pull, Rig};

/// How a measurement is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Making {
    /// Length of a link relative to the radius of the wrapped centre line.
    pub link: f64,
    /// Step [s].
    pub step: f64,
}

impl Default for Making {
    fn default() -> Making {
        Making { link: 0.1, step: 0.005 }
    }
}

/// Speed of the hand [m/s].
const SPEED: f64 = 0.02;
/// How far the loaded end has to follow to count as sliding [m].
const SLID: f64 = 1e-3;

/// Make one measurement, without noise; `None` if the run fails.
pub fn simulate(law: &Capstan, load: f64, angle: f64, making: Making) -> Option<Pull> {
    let Rig { drum, radius, young, poisson } = law.rig;
    let (wrap, pitch) = (drum + radius, 4.0 * radius);
    let rise = |at: f64| Vec3::new(wrap * at.cos(), wrap * at.sin(), pitch * at / (2.0 * PI));
    let slope = pitch / (2.0 * PI * wrap);
    let along = |at: f64| Vec3::new(-at.sin(), at.cos(), slope).normalize();
    // the tangent of a helix turns by less than it winds
    let wound = angle * (1.0 + slope * slope).sqrt();
    // what the pull may stretch, and what slides, is supplied by the loaded end
    let stretch = law.pull(load, angle) / (young * PI * radius * radius);
    // beyond five lengths of sqrt(EI/T) neither end feels the bend at the drum
    let bends = 5.0 * 0.5 * radius * (young * PI * radius * radius / load).sqrt();
    let (before, after) = (bends + 4.0 * SLID + stretch * (wrap * angle + 2.0 * bends), bends.max(wrap));
    let mut path = vec![rise(0.0) - along(0.0) * before];
    let points = 400;
    path.extend((0..=points).map(|k| rise(wound * f64::from(k) / f64::from(points))));
    path.push(rise(wound) + along(wound) * after);
    let (start, end) = (path[0], path[path.len() - 1]);
    let length = before + after + wound * wrap * slope.hypot(1.0);
    let segments = (length / (making.link * wrap)).ceil() as usize;
    let friction = Friction { coefficient: law.coefficient, exponent: law.exponent };
    let material = Material { young, poisson: poisson.min(0.4999), density: 1100.0, friction };
    let mut spec = CableSpec::round(material, radius, path, segments);
    spec.settings = CableSettings { damping_time: 2e-3, drag: 10.0, ..CableSettings::default() };
    let mut world = World::new(Vec3::ZERO);
    let cable = world.add_body(Body::Cable(Cable::new("cable", spec).ok()?)).ok()?;
    let shape =
        Shape::new(ShapeKind::Cylinder { radius: drum, length: 2.0 * pitch * (1.0 + angle / PI) + 0.1 }).ok()?;
    let placed = Pose::from_translation(Vec3::Z * (0.5 * pitch * wound / (2.0 * PI)));
    world
        .add_obstacle(ObstacleParams { name: "drum".into(), shape, placed, motion: Motion::Hold, friction: None })
        .ok()?;
    world.add_load(Load::new(cable, Place::Fraction(0.0), along(0.0) * -load)).ok()?;
    let window = Window { start: 0.0, end: f64::INFINITY };
    let motion = Motion::Glide { velocity: along(wound) * SPEED, acceleration: Vec3::ZERO, window };
    let gripper =
        world.add_gripper(GripperParams { name: "hand".into(), placed: Pose::from_translation(end), motion }).ok()?;
    world.add_grip(GripParams::new(gripper, cable, Place::Fraction(1.0), Hold::Position)).ok()?;
    world.ready().ok()?;
    // the loaded end first gives way to its load; it slides once the pull draws it forward
    let reach = (length * (1.0 + stretch) + before) / SPEED;
    let (mut back, mut sum, mut count) = (0.0_f64, 0.0, 0.0);
    let mut frame = world.frame();
    while world.time() < 2.0 * reach {
        world.step(making.step).ok()?;
        world.write_frame(&mut frame);
        let moved = (frame.bodies[0].nodes[0] - start).dot(along(0.0));
        back = back.min(moved);
        if moved - back > SLID {
            sum += frame.grippers[0].load.force.length();
            count += 1.0;
        }
        if moved - back > 2.0 * SLID {
            return Some(Pull { load, angle, pull: sum / count });
        }
    }
    None
}
