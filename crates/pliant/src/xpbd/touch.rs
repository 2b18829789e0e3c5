//! Contact with obstacles: points of the links in front of planes, with friction, as inequality constraints.
//!
//! A link has points along its axis, at most 1.5 radii apart. Before the sweeps of a substep, each searches its free
//! path, relative to the obstacle, which may move too, for the surface that it hits; that surface becomes a plane for
//! this substep. The path is followed in strides as long as the distance to the surface (sphere tracing), so that
//! neither thin obstacles are missed nor those hit that are only passed.

use super::joint::{Mobility, turn};
use crate::bytes::stored;
use crate::contact::{Obstacle, SurfacePoint};
use crate::material::Friction;
use crate::math::{Pose, Vec3};

/// Limit on strides along the path of a point. A longer path ends there, in front of the plane found at that point.
const STRIDES: usize = 12;

/// Limit on the points of a link, to bound the cost; longer links have wider gaps between their points.
pub const MOST_POINTS: usize = 20;

/// Limit on the faces of one obstacle that a point touches at once: three at a corner.
const FACES: usize = 3;

/// Margin within which a point touches a surface, relative to the radius [-].
const TOUCHING: f64 = 1e-3;

/// Cosine between normals below which two faces are different sides of an obstacle.
const SAME_SIDE: f64 = 0.5;

/// A point of a link in front of a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Index of the link.
    pub link: usize,
    /// Position along the link, from its middle [m].
    pub s: f64,
    /// Index of the obstacle.
    pub obstacle: usize,
    /// Unit normal out of the obstacle, at the end of the substep.
    pub normal: Vec3,
    /// Distance of the plane from the origin along the normal, at the end of the substep [m].
    level: f64,
    /// Contact point on the link's surface, in the axes of the link [m].
    arm: Vec3,
    /// Position of that point at the end of the substep if it moved with the obstacle [m].
    carried: Vec3,
    /// Velocity of the obstacle at the contact [m/s].
    velocity: Vec3,
    friction: Friction,
    /// Multiplier of the normal force [N s2].
    pressing: f64,
    /// Multiplier of friction [N s2].
    rubbing: Vec3,
    /// Force on the link, in the world [N].
    pub force: Vec3,
}

/// Parameters of the search for contacts in a substep.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Start and end of the substep, as fractions of the world step.
    pub part: [f64; 2],
    /// Length of the substep [s].
    pub h: f64,
    /// Radius of the rod [m].
    pub radius: f64,
    /// How much farther than its free path a point may go [m].
    pub margin: f64,
}

impl Search {
    /// Append the contacts of a point of a link with an obstacle on its path from one pose of the link to another.
    pub fn find(
        &self,
        [start, free]: [&Pose; 2],
        (link, s): (usize, f64),
        (index, obstacle): (usize, &Obstacle),
        friction: Friction,
        touches: &mut Vec<Touch>,
    ) {
        let [before, after] = self.part.map(|fraction| obstacle.sweep.at(fraction));
        let carried = |point: Vec3| after.transform_point(before.inverse_transform_point(point));
        let axis = Vec3::X * s;
        let from = start.transform_point(axis);
        let mut faces = [None; FACES];
        self.faces(obstacle, &after, [carried(from), free.transform_point(axis)], &mut faces);
        for SurfacePoint { point, normal, .. } in faces.into_iter().flatten() {
            let rubs = from - normal * self.radius;
            let (level, arm) = (normal.dot(point), start.inverse_transform_point(rubs));
            let (velocity, carried) = ((carried(rubs) - rubs) / self.h, carried(rubs));
            let friction = obstacle.friction_with(friction);
            let (pressing, rubbing, force) = (0.0, Vec3::ZERO, Vec3::ZERO);
            touches.push(Touch {
                link,
                s,
                obstacle: index,
                normal,
                level,
                arm,
                carried,
                velocity,
                friction,
                pressing,
                rubbing,
                force,
            });
        }
    }

    /// The faces that a point hits between two positions, relative to the obstacle at `pose`.
    fn faces(
        &self,
        obstacle: &Obstacle,
        pose: &Pose,
        [from, to]: [Vec3; 2],
        faces: &mut [Option<SurfacePoint>; FACES],
    ) {
        let shape = &obstacle.params.shape;
        let way = to - from;
        let length = way.length();
        let reach = self.radius + length + self.margin;
        let (mut at, mut gone) = (from, 0.0);
        let mut stopped = None;
        for _ in 0..STRIDES {
            let Some(face) = shape.surface_near(pose, at, reach) else { return };
            let gap = face.distance - self.radius;
            stopped = Some(face);
            if gap <= TOUCHING * self.radius {
                break;
            }
            if gone + gap >= length {
                (at, stopped) = (to, None);
                break;
            }
            gone += gap;
            at = from + way * (gone / length);
        }
        if let Some(face) = stopped
            && length > 0.0
        {
            // the rest of the path follows the surface, which may be curved
            let rest = way * (1.0 - gone / length);
            let slid = at + rest - face.normal * face.normal.dot(rest);
            let there = shape.surface_near(pose, slid, reach);
            if there.is_some_and(|there| there.normal.dot(face.normal) > SAME_SIDE) {
                at = slid;
            }
        }
        shape.surfaces_near(pose, at, self.radius + self.margin, faces);
    }
}

impl Touch {
    /// Power of the moving obstacle [W].
    pub fn led(&self) -> f64 {
        self.force.dot(self.velocity)
    }

    /// Push the link out of the obstacle and apply friction. `share` is the length of rod that the point represents
    /// [m], `h2` the square of the substep [s2].
    pub fn project(&mut self, pose: &mut Pose, of: &Mobility, radius: f64, share: f64, h2: f64) {
        let arm = pose.rotation * (Vec3::X * self.s);
        let gap = self.normal.dot(pose.translation + arm) - self.level - radius;
        let pressing = (self.pressing - gap / resistance(pose, of, arm, self.normal)).max(0.0);
        push(pose, of, arm, self.normal * (pressing - self.pressing));
        self.pressing = pressing;
        if self.friction.coefficient == 0.0 {
            return;
        }
        let arm = pose.rotation * self.arm;
        let slip = pose.translation + arm - self.carried;
        let slip = slip - self.normal * self.normal.dot(slip);
        let Some(along) = slip.try_normalize() else { return };
        let wanted = self.rubbing - slip / resistance(pose, of, arm, along);
        // multipliers are forces times h^2: h^2 c l^(1-N) (lambda / h^2)^N = c (l h^2)^(1-N) lambda^N
        let rubbing = wanted.clamp_length_max(self.friction.over(share * h2).limit(self.pressing));
        push(pose, of, arm, rubbing - self.rubbing);
        self.rubbing = rubbing;
    }

    /// Remove the normal velocity of the link relative to an obstacle that it was pressed against, so that it does not
    /// bounce. Returns the work of a moving obstacle in doing so [J].
    pub fn calm(&self, pose: &Pose, of: &Mobility, velocity: &mut Vec3, turning: &mut Vec3) -> f64 {
        if self.pressing <= 0.0 {
            return 0.0;
        }
        let arm = pose.rotation * (Vec3::X * self.s);
        let moving = *velocity + (pose.rotation * *turning).cross(arm) - self.velocity;
        let impulse = self.normal * (-self.normal.dot(moving) / resistance(pose, of, arm, self.normal));
        *velocity += impulse * of.shift;
        *turning += of.turn * (pose.rotation.inverse() * arm.cross(impulse));
        impulse.dot(self.velocity)
    }

    /// Convert the multipliers to a force.
    pub fn settle(&mut self, h2: f64) {
        self.force = (self.normal * self.pressing + self.rubbing) / h2;
    }
}

/// J W J^T for a unit vector at an arm from the centre of a link: its inverse effective mass [1/kg].
fn resistance(pose: &Pose, of: &Mobility, arm: Vec3, along: Vec3) -> f64 {
    let spin = pose.rotation.inverse() * arm.cross(along);
    of.shift + spin.dot(of.turn * spin)
}

/// Move a link by a multiplier at an arm from its centre.
fn push(pose: &mut Pose, of: &Mobility, arm: Vec3, by: Vec3) {
    pose.translation += by * of.shift;
    let spin = pose.rotation.inverse() * arm.cross(by);
    turn(&mut pose.rotation, of.turn * spin);
}

stored!(Touch { link, s, obstacle, normal, level, arm, carried, velocity, friction, pressing, rubbing, force });
