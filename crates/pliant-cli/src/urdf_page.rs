//! The page of `pliant urdf FILE --out DIR`: a robot with a slider for each joint.

use std::path::Path;

use pliant::math::{Pose, Vec3};
use pliant::robot::{JointAxis, RobotSpec, State};
use pliant_record::{claim, robot_page, write_whole};
use pliant_scene::robot::Robot;
use serde::Serialize;

use crate::failure::Failure;
use crate::output;

/// What the page reads.
#[derive(Serialize)]
struct Data<'a> {
    format: u32,
    name: &'a str,
    file: String,
    links: Vec<&'a str>,
    /// Parents before what hangs on them.
    joints: Vec<Joint>,
    coordinates: Vec<Coordinate<'a>>,
    shapes: Vec<Shape>,
}

#[derive(Serialize)]
struct Joint {
    parent: usize,
    child: usize,
    origin: [f64; 7],
    axes: Vec<Axis>,
}

#[derive(Serialize)]
struct Axis {
    coordinate: usize,
    multiplier: f64,
    offset: f64,
    slides: bool,
    direction: [f64; 3],
}

#[derive(Serialize)]
struct Coordinate<'a> {
    name: &'a str,
    slides: bool,
    lower: Option<f64>,
    upper: Option<f64>,
    start: f64,
}

#[derive(Serialize)]
struct Shape {
    link: usize,
    pose: [f64; 7],
    vertices: Vec<f32>,
    triangles: Vec<u32>,
}

/// Write `robot.html` to a folder.
pub fn write(robot: &Robot, file: &Path, dir: &Path) -> Result<(), Failure> {
    claim(dir)?;
    let start = State::new(&robot.model).q.split_off(robot.model.first_position());
    let finite = |x: f64| Some(x).filter(|x| x.is_finite());
    let coordinates = robot.model.coordinates().iter().zip(start).map(|(coordinate, start)| Coordinate {
        name: &coordinate.name,
        slides: coordinate.slides,
        lower: finite(coordinate.range[0]),
        upper: finite(coordinate.range[1]),
        start,
    });
    let shapes = robot.outlines()?.into_iter().map(|(link, pose, mesh)| Shape {
        link,
        pose: numbers(&pose),
        vertices: mesh.vertices.iter().flat_map(|v| v.to_array()).map(|x| x as f32).collect(),
        triangles: mesh.triangles.as_flattened().to_vec(),
    });
    let data = Data {
        format: 1,
        name: &robot.spec.name,
        file: file.display().to_string(),
        links: robot.spec.links.iter().map(|link| link.name.as_str()).collect(),
        joints: joints(robot),
        coordinates: coordinates.collect(),
        shapes: shapes.collect(),
    };
    let json = serde_json::to_string(&data).map_err(|e| Failure::Run(format!("cannot write JSON: {e}")))?;
    let Some(page) = robot_page(&json.replace('<', "\\u003c")) else {
        let why = "there is no page for robots: it needs Node.js 20 or newer (with npm) when Pliant is built";
        return Err(Failure::Run(why.into()));
    };
    let page_file = dir.join("robot.html");
    write_whole(&page_file, &page)?;
    output::talk(format!("page: {}", page_file.display()));
    Ok(())
}

/// All joints, from the root to the tips.
fn joints(robot: &Robot) -> Vec<Joint> {
    let spec = &robot.spec;
    let mut below = vec![vec![]; spec.links.len()];
    let mut is_child = vec![false; spec.links.len()];
    for (index, joint) in spec.joints.iter().enumerate() {
        below[joint.parent].push(index);
        is_child[joint.child] = true;
    }
    let mut work: Vec<usize> = (0..spec.links.len()).filter(|link| !is_child[*link]).collect();
    let mut out = vec![];
    while let Some(link) = work.pop() {
        for &index in &below[link] {
            let joint = &spec.joints[index];
            let axes = joint.axes().into_iter().filter_map(|axis| axis_of(robot, index, &axis)).collect();
            out.push(Joint { parent: joint.parent, child: joint.child, origin: numbers(&joint.origin), axes });
            work.push(joint.child);
        }
    }
    out
}

/// An axis of a joint, and which coordinate moves it.
fn axis_of(robot: &Robot, joint: usize, axis: &JointAxis) -> Option<Axis> {
    let (leader, multiplier, offset) = leader(&robot.spec, joint);
    let name = format!("{}{}", robot.spec.joints[leader].name, axis.suffix);
    let coordinate = robot.model.coordinates().iter().position(|coordinate| coordinate.name == name)?;
    let Vec3 { x, y, z } = axis.direction;
    Some(Axis { coordinate, multiplier, offset, slides: axis.slides, direction: [x, y, z] })
}

/// The joint that a joint follows, possibly by way of others, with multiplier and offset; itself if it follows none.
fn leader(spec: &RobotSpec, joint: usize) -> (usize, f64, f64) {
    let (mut at, mut multiplier, mut offset) = (joint, 1.0, 0.0);
    // a robot that was built has no circles
    while let Some(mimic) = &spec.joints[at].mimic {
        offset += multiplier * mimic.offset;
        multiplier *= mimic.multiplier;
        at = mimic.joint;
    }
    (at, multiplier, offset)
}

/// x y z of the position, then w x y z of the rotation.
fn numbers(pose: &Pose) -> [f64; 7] {
    let (p, q) = (pose.translation, pose.rotation);
    [p.x, p.y, p.z, q.w, q.x, q.y, q.z]
}
