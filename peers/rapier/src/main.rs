//! The peers' jobs in Rapier: ropes of its soft bodies.
//!
//!     pliant-peer-rapier JOB.json RESULT.json
//!
//! A rope is particles with distance constraints between neighbours and second neighbours. Those of neighbours are as stiff as the cable is along
//! itself. Those of second neighbours cannot give a rod's bending: their energy goes with the fourth power of the curvature. They are given
//! the bending energy of the cable at the one curvature that the job names. Ropes do not twist. A clamp is two pinned particles, half a
//! segment on each side. `length_unit` tells Rapier that things are of centimetres, `substeps` is its number of solver iterations.

use std::error::Error;
use std::f64::consts::PI;
use std::time::Instant;

use rapier3d_f64::prelude::*;
use serde::{Deserialize, Serialize};

type Point = [f64; 3];

#[derive(Deserialize)]
struct Job {
    gravity: f64,
    material: Material,
    radius: f64,
    friction: f64,
    cables: Vec<Vec<Point>>,
    held: Vec<Held>,
    loads: Vec<Load>,
    drum: Option<Drum>,
    ground: bool,
    self_contact: bool,
    drag: f64,
    curvature: f64,
    frame: f64,
    duration: f64,
    step: f64,
    patience: f64,
    #[serde(default = "substeps")]
    substeps: usize,
    #[serde(default = "sweeps")]
    sweeps: usize,
    #[serde(default = "damping")]
    damping: f64,
    /// Of contacts with what does not move [Hz].
    #[serde(default = "contact_frequency")]
    contact_frequency: f64,
}

fn substeps() -> usize {
    20
}

fn sweeps() -> usize {
    3
}

fn contact_frequency() -> f64 {
    60.0
}

fn damping() -> f64 {
    0.05
}

#[derive(Deserialize)]
struct Material {
    young: f64,
    density: f64,
}

#[derive(Deserialize)]
struct Held {
    cable: usize,
    at: String,
    oriented: bool,
    places: Vec<Point>,
    directions: Option<Vec<Point>>,
}

#[derive(Deserialize)]
struct Load {
    cable: usize,
    at: String,
    forces: Vec<Point>,
}

#[derive(Deserialize)]
struct Drum {
    radius: f64,
    length: f64,
    centre: Point,
}

#[derive(Serialize)]
struct Outcome {
    seconds: f64,
    simulated: f64,
    times: Vec<f64>,
    frames: Vec<Vec<Vec<Point>>>,
    failed: Option<String>,
    step: f64,
    version: &'static str,
}

fn vector(p: Point) -> Vector {
    Vector::new(p[0], p[1], p[2])
}

/// A row in time, one each millisecond, with what is between them on straight lines.
fn at(rows: &[Point], t: f64) -> Vector {
    let u = (t / 1e-3).clamp(0.0, (rows.len() - 1) as f64);
    let i = (u as usize).min(rows.len().saturating_sub(2));
    let next = rows[(i + 1).min(rows.len() - 1)];
    vector(rows[i]).lerp(vector(next), u - i as f64)
}

/// A cable's nodes, with edges that straddle its clamps.
fn straddling(job: &Job, cable: usize) -> Vec<Vector> {
    let nodes: Vec<Vector> = job.cables[cable].iter().map(|&p| vector(p)).collect();
    let clamped = |start: bool| {
        let found = job.held.iter().any(|h| h.cable == cable && h.oriented && (h.at == "start") == start);
        if found { 0.5 } else { 0.0 }
    };
    let (first, last) = (clamped(true), clamped(false));
    if first + last == 0.0 {
        return nodes;
    }
    let count = nodes.len() - 1;
    let edge = (nodes[count] - nodes[0]) / (count as f64 - first - last);
    (0..=count).map(|i| nodes[0] + edge * (i as f64 - first)).collect()
}

/// The spring that has a stiffness between particles of a mass.
fn spring(stiffness: f64, mass: f64, damping: f64) -> SpringCoefficients<f64> {
    SpringCoefficients::new((2.0 * stiffness / mass).sqrt() / (2.0 * PI), damping)
}

fn world(job: &Job) -> (PhysicsWorld, Vec<SoftBodyHandle>) {
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, 0.0, -job.gravity);
    let p = &mut world.integration_parameters;
    p.dt = job.step;
    p.length_unit = 0.01;
    p.num_solver_iterations = job.substeps;
    p.static_contact_softness.natural_frequency = job.contact_frequency;
    if let Some(drum) = &job.drum {
        // along y, as its cylinders are
        let shape = ColliderBuilder::cylinder(0.5 * drum.length, drum.radius).translation(vector(drum.centre));
        world.insert_collider(shape.friction(job.friction), None);
    }
    if job.ground {
        let shape = ColliderBuilder::halfspace(rapier3d_f64::na::Unit::new_unchecked(Vector::Z));
        world.insert_collider(shape.friction(job.friction), None);
    }
    let (area, second_moment) = (PI * job.radius.powi(2), 0.25 * PI * job.radius.powi(4));
    let mut ropes = Vec::new();
    for cable in 0..job.cables.len() {
        let nodes = straddling(job, cable);
        let count = nodes.len();
        let edge = nodes.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum::<f64>() / (count - 1) as f64;
        let mass = job.material.density * area * edge;
        let mut masses = vec![mass; count];
        (masses[0], masses[count - 1]) = (0.5 * mass, 0.5 * mass);
        // of a chord across two edges, k (edge (edge c)^2 / 4)^2 / 2 = E I c^2 edge / 2
        let bending = 16.0 * job.material.young * second_moment / (edge.powi(5) * job.curvature.powi(2));
        let material = SoftBodyMaterial {
            edge_softness: spring(job.material.young * area / edge, mass, job.damping),
            bend_softness: spring(bending, mass, job.damping),
            ..SoftBodyMaterial::default()
        };
        let mut pinned = Vec::new();
        for held in job.held.iter().filter(|h| h.cable == cable) {
            let ends = if held.at == "start" { [0, 1] } else { [count - 1, count - 2] };
            pinned.extend(ends[..if held.oriented { 2 } else { 1 }].iter().map(|&i| i as u32));
        }
        let rope = SoftBodyBuilder::rope(nodes[0], nodes[count - 1], count)
            .positions(nodes)
            .masses(masses)
            .material(material)
            .particle_radius(job.radius)
            .pinned_particles(pinned)
            .linear_damping(job.drag)
            .additional_pgs_iterations(job.sweeps)
            .self_contacts(job.self_contact)
            .can_sleep(false)
            .surface_collider(ColliderBuilder::ball(job.radius).friction(job.friction));
        ropes.push(world.insert_soft_body(rope));
    }
    (world, ropes)
}

/// Lead what is held to where it is at a time, and set the loads.
fn drive(job: &Job, world: &mut PhysicsWorld, ropes: &[SoftBodyHandle], t: f64) {
    for held in job.held.iter().filter(|h| h.places.len() > 1) {
        let Some(rope) = world.soft_bodies.get_mut(ropes[held.cable]) else { continue };
        let last = rope.num_particles() - 1;
        let place = at(&held.places, t);
        let ends = if held.at == "start" { [0, 1] } else { [last, last - 1] };
        match &held.directions {
            Some(directions) => {
                let rest = straddled_half(job, held.cable, rope.num_particles());
                let half = at(directions, t).normalize() * rest;
                let (before, after) = if held.at == "start" { (ends[0], ends[1]) } else { (ends[1], ends[0]) };
                rope.set_particle_kinematic_target(before, place - half);
                rope.set_particle_kinematic_target(after, place + half);
            }
            None => rope.set_particle_kinematic_target(ends[0], place),
        }
    }
    for cable in 0..ropes.len() {
        let mut forces = job.loads.iter().filter(|l| l.cable == cable).peekable();
        if forces.peek().is_none() {
            continue;
        }
        let Some(rope) = world.soft_bodies.get_mut(ropes[cable]) else { continue };
        rope.reset_forces(true);
        let last = rope.num_particles() - 1;
        for load in forces {
            rope.add_particle_force(if load.at == "start" { 0 } else { last }, at(&load.forces, t), true);
        }
    }
}

/// Half the length of an edge of a cable with clamps.
fn straddled_half(job: &Job, cable: usize, particles: usize) -> f64 {
    let nodes = &job.cables[cable];
    let clamps = job.held.iter().filter(|h| h.cable == cable && h.oriented).count() as f64;
    0.5 * (vector(nodes[nodes.len() - 1]) - vector(nodes[0])).length() / (particles as f64 - 1.0 - 0.5 * clamps)
}

fn shapes(job: &Job, world: &PhysicsWorld, ropes: &[SoftBodyHandle]) -> Vec<Vec<Point>> {
    let mut found = Vec::new();
    for (cable, handle) in ropes.iter().enumerate() {
        let Some(rope) = world.soft_bodies.get(*handle) else { continue };
        let mut nodes: Vec<Point> = rope.particle_positions().map(|p| [p.x, p.y, p.z]).collect();
        let last = nodes.len() - 1;
        for held in job.held.iter().filter(|h| h.cable == cable && h.oriented) {
            let (i, j) = if held.at == "start" { (0, 1) } else { (last, last - 1) };
            nodes[i] = std::array::from_fn(|k| 0.5 * (nodes[i][k] + nodes[j][k]));
        }
        found.push(nodes);
    }
    found
}

fn run(job: &Job) -> Outcome {
    let (mut world, ropes) = world(job);
    let each = ((job.frame / job.step).round() as usize).max(1);
    let count = (job.duration / job.step).round() as usize;
    let mut outcome = Outcome {
        seconds: 0.0,
        simulated: 0.0,
        times: vec![],
        frames: vec![],
        failed: None,
        step: job.step,
        version: "0.36.1",
    };
    let begun = Instant::now();
    for i in 1..=count {
        drive(job, &mut world, &ropes, i as f64 * job.step);
        let clock = Instant::now();
        world.step();
        outcome.seconds += clock.elapsed().as_secs_f64();
        if i % each != 0 && i != count {
            continue;
        }
        let now = i as f64 * job.step;
        outcome.simulated = now;
        let nodes = shapes(job, &world, &ropes);
        let enabled = ropes.iter().all(|&r| world.soft_bodies.get(r).is_some_and(|r| r.is_enabled()));
        if !enabled || nodes.iter().flatten().flatten().any(|x| !x.is_finite()) {
            outcome.failed = Some(format!("no longer finite after {now:.3} s"));
            break;
        }
        if nodes.iter().flatten().flatten().any(|x| x.abs() > 100.0) {
            outcome.failed = Some(format!("flew apart after {now:.3} s"));
            break;
        }
        outcome.times.push(now);
        outcome.frames.push(nodes);
        if begun.elapsed().as_secs_f64() > job.patience {
            outcome.failed = Some(format!("stopped after {now:.3} s of motion: longer than {:.0} s", job.patience));
            break;
        }
    }
    outcome
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(job), Some(result)) = (arguments.next(), arguments.next()) else {
        return Err("pliant-peer-rapier JOB.json RESULT.json".into());
    };
    let job: Job = serde_json::from_str(&std::fs::read_to_string(job)?)?;
    std::fs::write(result, serde_json::to_string(&run(&job))?)?;
    Ok(())
}
