//! Rods of any model in setups shared by several models.

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::chain::{Chain, ChainSettings, ChainSpec};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::Motion;
use pliant::xpbd::{Xpbd, XpbdSettings, XpbdSpec};
use pliant::{Body, Frame, Friction, GripParams, GripperParams, Hold, Load, Material, Place, Section, World};

use super::Sheet;
use super::references::rods_static;

pub const G: f64 = 9.81;
pub const DENSITY: f64 = 1100.0;

/// The model of a rod.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// Points with forces.
    Chain,
    /// Rigid links.
    Cable,
    /// Rigid links, with the given work in a step of the world.
    Xpbd { iterations: usize, substeps: usize },
}

/// A thin rod along x from the origin; thin, so that its stretch under these loads is below 1e-5.
pub struct Rod {
    pub model: Model,
    pub length: f64,
    pub radius: f64,
    pub young: f64,
    pub density: f64,
    pub points: usize,
    pub damping: f64,
}

impl Rod {
    /// A rod with EI = 1e-4 N m2.
    pub fn thin(model: Model, points: usize) -> Rod {
        let radius: f64 = 5e-4;
        let young = 1e-4 / Section::Round { radius }.second_moments()[0];
        Rod { model, length: 0.4, radius, young, density: DENSITY, points, damping: 0.0 }
    }

    /// A thin rod with a given rho A g L^3 / EI.
    pub fn heavy(model: Model, points: usize, gamma: f64) -> Rod {
        let mut rod = Rod::thin(model, points);
        // rho A g L^3 / (E I) with I = A r^2 / 4
        rod.young = 4.0 * rod.density * G * rod.length.powi(3) / (gamma * rod.radius.powi(2));
        rod
    }

    pub fn rigidity(&self) -> f64 {
        self.young * Section::Round { radius: self.radius }.second_moments()[0]
    }

    pub fn line_density(&self) -> f64 {
        self.density * Section::Round { radius: self.radius }.area()
    }

    /// First bending frequency of the cantilever [rad/s].
    pub fn frequency(&self) -> f64 {
        1.875_104_07_f64.powi(2) * (self.rigidity() / self.line_density()).sqrt() / self.length.powi(2)
    }

    pub fn body(&self, path: Vec<Vec3>) -> Body {
        let material = Material { young: self.young, poisson: 0.5, density: self.density, friction: Friction::NONE };
        let section = Section::Round { radius: self.radius };
        let failed = |e: pliant::BuildError| -> Body { unreachable!("a rod of this file: {e}") };
        match self.model {
            Model::Chain => {
                let settings = ChainSettings { drag: self.damping, ..ChainSettings::default() };
                let spec = ChainSpec { material, section, path, points: Some(self.points), settings };
                Chain::new("rod", spec).map_or_else(failed, Body::Chain)
            }
            Model::Cable => {
                // where a rod is to come to rest, twist and stretch must be damped too
                let damping_time = if self.damping > 0.0 { 0.2 / self.damping } else { 0.0 };
                let settings = CableSettings { damping_time, drag: self.damping, ..CableSettings::default() };
                let spec = CableSpec {
                    material,
                    section,
                    path,
                    normal: None,
                    rest: Rest::Straight,
                    segments: self.points - 1,
                    settings,
                };
                Cable::new("rod", spec).map_or_else(failed, Body::Cable)
            }
            Model::Xpbd { iterations, substeps } => {
                // forces are evaluated at the end of a substep, which damps all fast motion
                let settings = XpbdSettings { iterations, substeps, damping_time: 0.0, drag: self.damping };
                let spec = XpbdSpec { material, section, path, segments: self.points - 1, settings };
                Xpbd::new("rod", spec).map_or_else(failed, Body::Xpbd)
            }
        }
    }

    pub fn straight(&self) -> Body {
        self.body(vec![Vec3::ZERO, Vec3::X * self.length])
    }
}

/// A world with one body, whose index is 0.
pub fn world_of(body: Body, gravity: Vec3) -> World {
    let mut world = World::new(gravity);
    built(world.add_body(body));
    world
}

/// Hold a point of the body at a pose; `snap` pulls its position and direction to the pose.
pub fn hold(world: &mut World, name: &str, place: f64, hold: Hold, pose: Pose) {
    let gripper = built(world.add_gripper(GripperParams { name: name.into(), placed: pose, motion: Motion::Hold }));
    let place = Place::Fraction(place);
    built(world.add_grip(GripParams { snap: true, ..GripParams::new(gripper, built(world.body_at(0)), place, hold) }));
}

pub fn built<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|e| unreachable!("a world of this file: {e}"))
}

/// A frame in which nothing is a number, so that whatever is compared with it fails: that of a run that has not come to its end.
fn nowhere(mut frame: Frame) -> Frame {
    frame.bodies.iter_mut().flat_map(|body| &mut body.nodes).for_each(|node| *node = Vec3::NAN);
    frame.bodies.iter_mut().flat_map(|body| &mut body.fields).for_each(|field| field.values.fill(f64::NAN));
    for load in frame.grippers.iter_mut().map(|gripper| &mut gripper.load) {
        (load.force, load.torque) = (Vec3::NAN, Vec3::NAN);
    }
    frame
}

/// Run until nothing moves: until the fastest node covers less than 1e-9 of the length in a period.
pub fn settle(mut world: World, length: f64, period: f64) -> Frame {
    let step = period / 20.0;
    let mut last = world.frame();
    for _ in 0..400 {
        if !(0..20).all(|_| world.step(step).is_ok()) {
            return nowhere(world.frame());
        }
        let now = world.frame();
        let moved = now.bodies[0].nodes.iter().zip(&last.bodies[0].nodes).map(|(a, b)| (*a - *b).length());
        let moved = moved.fold(0.0, f64::max);
        last = now;
        if moved < 1e-9 * length {
            break;
        }
    }
    last
}

/// A clamped rod at rest under gravity and a tip load, with critical damping of its slowest motion.
pub fn cantilever(mut rod: Rod, angle: f64, gravity: f64, tip_load: f64) -> Frame {
    // a long soft rod swings like a pendulum, a short stiff one like a beam
    let slowest = (rod.frequency().powi(2) + gravity / rod.length).sqrt();
    rod.damping = 2.0 * slowest;
    let turn = Quat::from_rotation_y(-angle);
    let body = rod.body(vec![Vec3::ZERO, turn * Vec3::X * rod.length]);
    let mut world = world_of(body, Vec3::Z * -gravity);
    hold(&mut world, "wall", 0.0, Hold::Clamp, Pose::from_rotation(turn));
    let force = Vec3::Z * -tip_load;
    built(world.add_load(Load::new(built(world.body_at(0)), Place::Fraction(1.0), force)));
    settle(world, rod.length, 6.0 / slowest)
}

pub fn tip(frame: &Frame) -> Vec3 {
    frame.bodies[0].nodes.last().copied().unwrap_or_default()
}

/// Cantilevers with a dead load at the tip; the tip may be off by `tolerance` lengths.
pub fn tip_loaded(sheet: &mut Sheet, model: Model, tolerance: f64) {
    for reference in rods_static().tip_load_cantilever.iter().filter(|r| [1.0, 5.0, 10.0].contains(&r.load)) {
        let error_at = |points: usize| {
            let rod = Rod::thin(model, points);
            let (length, load) = (rod.length, reference.load * rod.rigidity() / rod.length.powi(2));
            let tip = tip(&cantilever(rod, 0.0, 0.0, load)) / length;
            (tip, (tip - Vec3::new(1.0 - reference.shortening, 0.0, -reference.drop)).length())
        };
        let (tip, error) = error_at(40);
        // the required bound is 2 %; the discretisation gives h^2 = 7e-4 times a number of order one
        sheet.relative(format!("drop / L at P L2/EI = {}", reference.load), 40, -tip.z, reference.drop, 1e-3);
        sheet.scaled(format!("tip error / L at {}", reference.load), 40, [error, 0.0, 1.0], tolerance);
        if reference.load == 5.0 {
            let errors = [21, 41, 81].map(|n| error_at(n).1);
            sheet.order("tip", [20, 40, 80], errors, 2.0);
        }
    }
}

/// Cantilevers under their own weight; the tip may be off by `tolerance` lengths.
pub fn heavy_elastica(sheet: &mut Sheet, model: Model, tolerance: f64) {
    for reference in rods_static().heavy_cantilever_horizontal.iter().filter(|r| r.gamma <= 100.0) {
        let at = |points: usize| {
            let rod = Rod::heavy(model, points, reference.gamma);
            let (length, rigidity) = (rod.length, rod.rigidity());
            let frame = cantilever(rod, 0.0, G, 0.0);
            let tip = tip(&frame) / length;
            let error = (tip - Vec3::new(reference.x_tip, 0.0, reference.y_tip)).length();
            (tip, error, frame.grippers[0].load.torque.y * length / rigidity)
        };
        let gamma = reference.gamma;
        let (tip, error, moment) = at(40);
        sheet.relative(
            format!("H/W at Gamma = {gamma}"),
            40,
            -tip.z / tip.x,
            -reference.y_tip / reference.x_tip,
            5.0 * tolerance,
        );
        sheet.scaled(format!("tip error / L at {gamma}"), 40, [error, 0.0, 1.0], tolerance);
        sheet.relative(format!("clamp moment L/EI at {gamma}"), 40, moment, reference.clamp_moment, 5e-3);
        if gamma == 10.0 {
            let errors = [21, 41, 81].map(|n| at(n).1);
            sheet.order("tip", [20, 40, 80], errors, 2.0);
        }
    }
}

/// Mean time between upward zero crossings of a quantity, over several periods [s].
pub fn period(world: &mut World, step: f64, periods: usize, most: f64, mut quantity: impl FnMut(&Frame) -> f64) -> f64 {
    let (mut last, mut crossings) = (quantity(&world.frame()), vec![]);
    while crossings.len() <= periods && world.time() < most {
        if world.step(step).is_err() {
            return f64::NAN;
        }
        let now = quantity(&world.frame());
        if last < 0.0 && now >= 0.0 {
            crossings.push(world.time() - step * now / (now - last));
        }
        last = now;
    }
    match (crossings.first(), crossings.last()) {
        (Some(first), Some(last)) if crossings.len() > periods => (last - first) / periods as f64,
        _ => f64::NAN,
    }
}
