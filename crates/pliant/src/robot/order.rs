//! Whether links and joints make a tree, and in which order it is gone through.

use super::spec::{Base, JointKind, Part, RobotError, RobotSpec};

/// A tree in order.
pub struct Order {
    /// Joints, parents before children.
    pub joints: Vec<usize>,
    /// The root link.
    pub root: usize,
    /// How the root is held.
    pub base: Base,
}

/// Joints from the root to the tips. A list of work instead of recursion: a chain may be deep.
pub fn order(spec: &RobotSpec) -> Result<Order, RobotError> {
    let count = spec.links.len();
    let fail = |part, text: String| Err(RobotError::new(part, text));
    if count == 0 {
        return fail(Part::Whole, "a robot needs at least one link".into());
    }
    let mut above = vec![None; count];
    let mut below = vec![vec![]; count];
    for (i, joint) in spec.joints.iter().enumerate() {
        if joint.parent >= count || joint.child >= count {
            return fail(Part::Joint(i), format!("{} joins a link that is not there", joint.name));
        }
        let child = &spec.links[joint.child].name;
        if joint.parent == joint.child {
            return fail(Part::Joint(i), format!("{} joins {child} to itself", joint.name));
        }
        if let Some(other) = above[joint.child] {
            let other: &usize = &other;
            let text = format!(
                "{child} hangs on two joints, {} and {}: links and joints must make a tree",
                spec.joints[*other].name, joint.name
            );
            return fail(Part::Joint(i), text);
        }
        above[joint.child] = Some(i);
        below[joint.parent].push(i);
    }
    let mut roots = (0..count).filter(|link| above[*link].is_none());
    let Some(root) = roots.next() else {
        return fail(Part::Link(0), "every link hangs on a joint: the joints make a circle".into());
    };
    if let Some(second) = roots.next() {
        let (a, b) = (&spec.links[root].name, &spec.links[second].name);
        let text = format!("both {a} and {b} hang on no joint: a robot has one root link");
        return fail(Part::Link(second), text);
    }
    let mut joints = Vec::with_capacity(spec.joints.len());
    let mut work = below[root].iter().rev().copied().collect::<Vec<_>>();
    while let Some(joint) = work.pop() {
        joints.push(joint);
        work.extend(below[spec.joints[joint].child].iter().rev());
    }
    if joints.len() < spec.joints.len() {
        let mut seen = vec![false; spec.joints.len()];
        joints.iter().for_each(|j| seen[*j] = true);
        let lost = seen.iter().position(|s| !s).unwrap_or(0);
        let text = format!("{} cannot be reached from the root link: it is part of a circle", spec.joints[lost].name);
        return fail(Part::Joint(lost), text);
    }
    let base = base(spec, root, &joints)?;
    Ok(Order { joints, root, base })
}

/// How the root is held: free also where it is an empty link with nothing but a floating joint on it.
fn base(spec: &RobotSpec, root: usize, joints: &[usize]) -> Result<Base, RobotError> {
    for (n, index) in joints.iter().enumerate() {
        let joint = &spec.joints[*index];
        if joint.kind != JointKind::Floating {
            continue;
        }
        let alone = spec.joints.iter().filter(|other| other.parent == root).count() == 1;
        if n > 0 || joint.parent != root || !alone || spec.links[root].mass > 0.0 {
            let text = format!(
                "{} is a floating joint within the robot: only one between an empty root link and the rest can be simulated",
                joint.name
            );
            return Err(RobotError::new(Part::Joint(*index), text));
        }
        return Ok(Base::Floating);
    }
    Ok(spec.base)
}
