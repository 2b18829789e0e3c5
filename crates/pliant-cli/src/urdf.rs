//! `pliant urdf`: what is in a robot's file.

use std::path::{Path, PathBuf};

use comfy_table::Cell;
use pliant::robot::{JointKind, JointSpec, RobotSpec};
use pliant_scene::robot::{Robot, UrdfOptions, load_urdf};
use serde::Serialize;

use crate::args::Options;
use crate::failure::Failure;
use crate::output::{self, count, number, short};
use crate::urdf_page;

#[derive(Serialize)]
struct Summary<'a> {
    robot: &'a str,
    /// Mass of all links [kg].
    mass: f64,
    /// Whether its root is free.
    floating: bool,
    /// Number of velocities, six of a free root included.
    degrees_of_freedom: usize,
    links: Vec<LinkRow<'a>>,
    joints: Vec<JointRow<'a>>,
    ignored: &'a [String],
}

#[derive(Serialize)]
struct LinkRow<'a> {
    name: &'a str,
    /// Mass [kg].
    mass: f64,
    /// Centre of mass in its frame [m].
    centre: [f64; 3],
    /// Inertia about that [kg m2].
    inertia: [[f64; 3]; 3],
    /// Number of shapes that it touches with, and that it looks like.
    collision: usize,
    visual: usize,
}

#[derive(Serialize)]
struct JointRow<'a> {
    name: &'a str,
    kind: &'static str,
    parent: &'a str,
    child: &'a str,
    axis: [f64; 3],
    /// Limits [rad, m]; absent where there is none.
    lower: Option<f64>,
    upper: Option<f64>,
    /// Largest torque [N m] or force [N], and speed [rad/s, m/s].
    effort: Option<f64>,
    velocity: Option<f64>,
    damping: f64,
    friction: f64,
    /// The joint that it follows, multiplier and offset.
    mimic: Option<(&'a str, f64, f64)>,
}

/// Read a robot and print what is in it.
pub fn urdf(file: &Path, packages: &[(String, PathBuf)], options: &Options) -> Result<(), Failure> {
    options.refuse_overrides("urdf")?;
    let robot = load_urdf(file, &UrdfOptions { packages: packages.to_vec(), ..UrdfOptions::default() })?;
    if let Some(dir) = &options.out {
        urdf_page::write(&robot, file, dir)?;
    }
    let spec = &robot.spec;
    let summary = Summary {
        robot: &spec.name,
        mass: spec.links.iter().map(|link| link.mass).sum(),
        floating: robot.model.floating(),
        degrees_of_freedom: robot.model.velocities(),
        links: links(&robot),
        joints: spec.joints.iter().map(|joint| joint_row(spec, joint)).collect(),
        ignored: &robot.ignored,
    };
    if options.json {
        return output::print_json(&summary);
    }
    output::print_text(format!(
        "{}: {}, {}, {} kg, {}{}",
        summary.robot,
        count(spec.links.len(), "link", "links"),
        count(spec.joints.len(), "joint", "joints"),
        short(summary.mass),
        count(summary.degrees_of_freedom, "degree of freedom", "degrees of freedom"),
        if summary.floating { ", free root" } else { "" }
    ))?;
    output::print_text(format!("\n{}", tree(spec)))?;
    print_links(&summary.links)?;
    print_joints(&summary.joints)?;
    for what in summary.ignored {
        output::talk(format!("not used: {what}"));
    }
    Ok(())
}

fn links(robot: &Robot) -> Vec<LinkRow<'_>> {
    let mut out: Vec<_> = robot
        .spec
        .links
        .iter()
        .map(|link| LinkRow {
            name: &link.name,
            mass: link.mass,
            centre: link.centre.to_array(),
            inertia: link.inertia.to_cols_array_2d(),
            collision: 0,
            visual: 0,
        })
        .collect();
    for shape in &robot.shapes {
        let row = &mut out[shape.link];
        *(if shape.collision { &mut row.collision } else { &mut row.visual }) += 1;
    }
    out
}

fn joint_row<'a>(spec: &'a RobotSpec, joint: &'a JointSpec) -> JointRow<'a> {
    let finite = |x: f64| Some(x).filter(|x| x.is_finite());
    JointRow {
        name: &joint.name,
        kind: kind(joint.kind),
        parent: &spec.links[joint.parent].name,
        child: &spec.links[joint.child].name,
        axis: joint.axis.to_array(),
        lower: finite(joint.limits.lower),
        upper: finite(joint.limits.upper),
        effort: finite(joint.limits.effort),
        velocity: finite(joint.limits.velocity),
        damping: joint.damping,
        friction: joint.friction,
        mimic: joint.mimic.as_ref().map(|m| (spec.joints[m.joint].name.as_str(), m.multiplier, m.offset)),
    }
}

fn kind(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute => "revolute",
        JointKind::Continuous => "continuous",
        JointKind::Prismatic => "prismatic",
        JointKind::Planar => "planar",
        JointKind::Floating => "floating",
    }
}

/// Links below each other, with the joints that they hang on. A list of work instead of recursion: chains may be deep.
fn tree(spec: &RobotSpec) -> String {
    let mut below = vec![vec![]; spec.links.len()];
    let mut is_child = vec![false; spec.links.len()];
    for joint in &spec.joints {
        below[joint.parent].push(joint);
        is_child[joint.child] = true;
    }
    let root = is_child.iter().position(|child| !child).unwrap_or(0);
    let mut out = spec.links[root].name.clone();
    let mut work: Vec<(usize, &JointSpec)> = below[root].iter().rev().map(|joint| (1, *joint)).collect();
    while let Some((depth, joint)) = work.pop() {
        let child = &spec.links[joint.child].name;
        // what is deeper is not indented any more
        let indent = "  ".repeat(depth.min(40));
        out += &format!("\n{indent}{child}  ({}, {})", joint.name, kind(joint.kind));
        work.extend(below[joint.child].iter().rev().map(|joint| (depth + 1, *joint)));
    }
    out
}

fn print_links(links: &[LinkRow<'_>]) -> Result<(), Failure> {
    let mut table =
        output::table(&["link", "mass [kg]", "centre [m]", "inertia xx, yy, zz [kg m2]", "collision", "visual"]);
    let list = |numbers: [f64; 3]| numbers.map(short).join(", ");
    for link in links {
        let i = link.inertia;
        table.add_row(vec![
            Cell::new(link.name),
            number(short(link.mass)),
            Cell::new(list(link.centre)),
            Cell::new(list([i[0][0], i[1][1], i[2][2]])),
            number(link.collision),
            number(link.visual),
        ]);
    }
    output::print_text(format!("\n{table}"))
}

fn print_joints(joints: &[JointRow<'_>]) -> Result<(), Failure> {
    if joints.is_empty() {
        return Ok(());
    }
    let mut table = output::table(&["joint", "kind", "range", "effort", "speed", "damping", "friction", "follows"]);
    let shown = |x: Option<f64>| x.map_or_else(String::new, short);
    for joint in joints {
        let range = match (joint.lower, joint.upper) {
            (None, None) => String::new(),
            (lower, upper) => format!("{} to {}", shown(lower), shown(upper)),
        };
        let follows = joint.mimic.map_or_else(String::new, |(name, multiplier, offset)| {
            format!("{} {name} + {}", short(multiplier), short(offset))
        });
        table.add_row(vec![
            Cell::new(joint.name),
            Cell::new(joint.kind),
            Cell::new(range),
            number(shown(joint.effort)),
            number(shown(joint.velocity)),
            number(short(joint.damping)),
            number(short(joint.friction)),
            Cell::new(follows),
        ]);
    }
    output::print_text(format!("\n{table}\nangles in rad, lengths in m, torques in N m, forces in N"))
}
