//! From the elements of a URDF file to links and joints.

use std::collections::HashMap;
use std::path::Path;

use pliant::math::{Mat3, Pose, Vec3};
use pliant::robot::{Base, JointKind, JointSpec, Limits, LinkSpec, Mimic, Model, Part, RobotSpec};

use super::shapes::{self, Place};
use super::xml::{Element, Ignored, Source};
use super::{Robot, UrdfOptions};
use crate::text::error::SceneError;
use crate::text::suggest;

const KINDS: [(&str, JointKind); 6] = [
    ("fixed", JointKind::Fixed),
    ("revolute", JointKind::Revolute),
    ("continuous", JointKind::Continuous),
    ("prismatic", JointKind::Prismatic),
    ("planar", JointKind::Planar),
    ("floating", JointKind::Floating),
];

/// Elements and their indices, by name.
type Names<'a> = HashMap<&'a str, usize>;

/// Read a robot.
pub(super) fn read(text: &str, name: &str, base: &Path, options: &UrdfOptions) -> Result<Robot, SceneError> {
    let source = Source { name, text };
    let document = source.parse()?;
    let root = document.root_element();
    if root.tag_name().name() != "robot" {
        return Err(source.at(root, format!("a URDF file begins with <robot>, this is <{}>", root.tag_name().name())));
    }
    let mut ignored = Ignored::default();
    ignored.others(root, &["link", "joint"]);
    let of = |tag: &'static str| root.children().filter(move |c| c.is_element() && c.tag_name().name() == tag);
    let (links, joints): (Vec<_>, Vec<_>) = (of("link").collect(), of("joint").collect());
    let (link_names, joint_names) = (names(&source, &links)?, names(&source, &joints)?);

    let place = Place { base, options };
    let (mut link_specs, mut joint_specs, mut all) = (vec![], vec![], vec![]);
    for (i, link) in links.iter().enumerate() {
        ignored.others(*link, &["inertial", "visual", "collision"]);
        link_specs.push(read_link(&source, *link)?);
        all.extend(shapes::read(&source, &place, (i, *link), &mut ignored)?);
    }
    for joint in &joints {
        ignored.others(*joint, &["parent", "child", "origin", "axis", "limit", "dynamics", "mimic"]);
        joint_specs.push(read_joint(&source, *joint, [&link_names, &joint_names])?);
    }
    let name = root.attribute("name").unwrap_or("robot").to_string();
    let (base, gravity) = (Base::Fixed(Pose::IDENTITY), options.gravity);
    let spec = RobotSpec { name, links: link_specs, joints: joint_specs, base, gravity };
    let model = Model::new(&spec).map_err(|error| {
        let element = match error.part {
            Part::Link(i) => links.get(i).copied().unwrap_or(root),
            Part::Joint(i) => joints.get(i).copied().unwrap_or(root),
            Part::Whole => root,
        };
        source.at(element, error.text)
    })?;
    Ok(Robot { spec, model, shapes: all, ignored: ignored.list() })
}

/// Names of elements, which must differ.
fn names<'a>(source: &Source<'_>, elements: &[Element<'a>]) -> Result<Names<'a>, SceneError> {
    let mut out = HashMap::new();
    for (i, element) in elements.iter().enumerate() {
        let name = source.attribute(*element, "name")?;
        if name.value().is_empty() {
            return Err(source.error(name.range_value(), "a name must not be empty"));
        }
        if out.insert(name.value(), i).is_some() {
            let message = format!("the name {} is there twice", name.value());
            return Err(source.error(name.range_value(), message));
        }
    }
    Ok(out)
}

/// The index of what an attribute names.
fn named(source: &Source<'_>, element: Element<'_>, attribute: &str, known: &Names<'_>) -> Result<usize, SceneError> {
    let attribute = source.attribute(element, attribute)?;
    known.get(attribute.value()).copied().ok_or_else(|| {
        let help = if known.len() <= 1000 { suggest::help(attribute.value(), known.keys().copied()) } else { None };
        let message = format!("there is no {} named {}", attribute.name(), attribute.value());
        source.error(attribute.range_value(), message).with_help(help.filter(|h| h.len() < 300))
    })
}

fn read_link(source: &Source<'_>, link: Element<'_>) -> Result<LinkSpec, SceneError> {
    let name = source.attribute(link, "name")?.value().to_string();
    let mut out = LinkSpec { name, mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO };
    let Some(inertial) = source.child(link, "inertial")? else { return Ok(out) };
    let origin = source.origin(inertial)?;
    let Some(mass) = source.child(inertial, "mass")? else {
        return Err(source.at(inertial, "<inertial> needs a <mass>"));
    };
    let value = source.attribute(mass, "value")?;
    [out.mass] = source.numbers::<1>(&value)?;
    if out.mass < 0.0 {
        return Err(source.error(value.range_value(), format!("a mass must not be negative, got {}", out.mass)));
    }
    let Some(inertia) = source.child(inertial, "inertia")? else {
        return Err(source.at(inertial, "<inertial> needs an <inertia>"));
    };
    let needed = |name: &str| source.attribute(inertia, name).and_then(|a| source.numbers::<1>(&a)).map(|[x]| x);
    let (xx, yy, zz) = (needed("ixx")?, needed("iyy")?, needed("izz")?);
    let product = |name: &str| source.number_or(inertia, name, 0.0);
    let (xy, xz, yz) = (product("ixy")?, product("ixz")?, product("iyz")?);
    let own = Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    let turn = Mat3::from_quat(origin.rotation);
    out.centre = origin.translation;
    // symmetric to the bit, whatever the rounding of the rotation
    let turned = turn * own * turn.transpose();
    out.inertia =
        if origin.rotation == pliant::math::Quat::IDENTITY { own } else { (turned + turned.transpose()) * 0.5 };
    Ok(out)
}

fn read_joint(
    source: &Source<'_>,
    joint: Element<'_>,
    [links, joints]: [&Names<'_>; 2],
) -> Result<JointSpec, SceneError> {
    let name = source.attribute(joint, "name")?.value();
    let word = source.attribute(joint, "type")?;
    let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == word.value()) else {
        let help = suggest::help(word.value(), KINDS.map(|(known, _)| known));
        return Err(source
            .error(word.range_value(), format!("unknown type of joint `{}`", word.value()))
            .with_help(help));
    };
    let end = |tag: &str| match source.child(joint, tag)? {
        Some(element) => named(source, element, "link", links),
        None => Err(source.at(joint, format!("{name} needs a <{tag}>"))),
    };
    let ends = [end("parent")?, end("child")?];
    let origin = source.origin(joint)?;
    let axis = match source.child(joint, "axis")? {
        Some(axis) => source.vector_or(axis, "xyz", Vec3::X)?,
        None => Vec3::X,
    };
    let mut out = JointSpec::new(name, *kind, ends, origin, axis);
    out.limits = read_limits(source, joint, *kind)?;
    if let Some(dynamics) = source.child(joint, "dynamics")? {
        out.damping = source.number_or(dynamics, "damping", 0.0)?;
        out.friction = source.number_or(dynamics, "friction", 0.0)?;
    }
    if let Some(mimic) = source.child(joint, "mimic")? {
        out.mimic = Some(Mimic {
            joint: named(source, mimic, "joint", joints)?,
            multiplier: source.number_or(mimic, "multiplier", 1.0)?,
            offset: source.number_or(mimic, "offset", 0.0)?,
        });
    }
    Ok(out)
}

fn read_limits(source: &Source<'_>, joint: Element<'_>, kind: JointKind) -> Result<Limits, SceneError> {
    let bounded = matches!(kind, JointKind::Revolute | JointKind::Prismatic);
    let Some(limit) = source.child(joint, "limit")? else {
        if bounded {
            let help = "give it lower, upper, effort and velocity, or let it be continuous";
            return Err(source.at(joint, "a revolute or prismatic joint needs a <limit>").with_help(Some(help.into())));
        }
        return Ok(Limits::default());
    };
    let mut out = Limits::default();
    if bounded {
        // zero where they are absent, as the format says
        out.lower = source.number_or(limit, "lower", 0.0)?;
        out.upper = source.number_or(limit, "upper", 0.0)?;
    }
    out.effort = source.number_or(limit, "effort", f64::INFINITY)?;
    out.velocity = source.number_or(limit, "velocity", f64::INFINITY)?;
    Ok(out)
}
