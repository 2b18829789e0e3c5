//! How far a robot on ground is from tipping over, along a motion.
//!
//! A robot that stands tips over an edge between neighbouring feet once its centre of mass is above that edge. Its margin for an
//! edge is the angle by which it would have to be turned about it until then (Papadopoulos and Rey, "A new measure of
//! tipover stability margin for mobile manipulators", 1996, for weight alone); the margin is the least of all edges. Feet are the balls among
//! its shapes that are at the ground.

use pliant::contact::ShapeKind;
use pliant::math::{Vec3, atan2};
use pliant::robot::{Dynamics, Kinematics};

use crate::task::{Plan, Task};

/// How far from the ground a foot may be and still counts as on it [m].
const TOUCHES: f64 = 0.01;

/// A robot at one moment of its motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Footing {
    /// When [s].
    pub time: f64,
    /// Number of feet on the ground.
    pub feet: usize,
    /// Angle from tipping over [rad]; negative where it does, and with fewer than three feet.
    pub angle: f64,
}

/// How a robot stands along a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Margin {
    /// Moments of the motion, sample by sample, from when it first stands on three feet.
    pub footings: Vec<Footing>,
}

impl Margin {
    /// The moment at which it is nearest to tipping over.
    pub fn least(&self) -> Option<&Footing> {
        self.footings.iter().min_by(|a, b| a.angle.total_cmp(&b.angle))
    }
}

/// Angle from tipping over of a body with its centre of mass at `centre` that stands on `feet`, in any order.
fn angle(centre: Vec3, feet: &[Vec3], up: Vec3) -> f64 {
    let mut ring = feet.to_vec();
    let (x, y) = up.any_orthonormal_pair();
    let middle = feet.iter().sum::<Vec3>() / feet.len().max(1) as f64;
    let around = |foot: &Vec3| atan2((*foot - middle).dot(y), (*foot - middle).dot(x));
    ring.sort_by(|a, b| around(a).total_cmp(&around(b)));
    if ring.len() < 3 {
        return -std::f64::consts::FRAC_PI_2;
    }
    let edges = (0..ring.len()).map(|k| (ring[k], ring[(k + 1) % ring.len()]));
    let of_edge = |(from, to): (Vec3, Vec3)| {
        let Some(along) = (to - from).try_normalize() else { return f64::INFINITY };
        let across = |v: Vec3| v - along * v.dot(along);
        let (arm, upright) = (across(centre - from), across(up));
        // counter-clockwise seen from above: what is within is to the left
        let inwards = upright.cross(along);
        atan2(arm.dot(inwards), arm.dot(upright))
    };
    edges.map(of_edge).fold(f64::INFINITY, f64::min)
}

impl Task {
    /// How far the robot is from tipping over along a motion; `None` where it does not stand on ground.
    pub fn margin(&self, plan: &Plan) -> Option<Margin> {
        let up = self.up()?;
        let mut dynamics = Dynamics::new(&self.model);
        let rest = vec![0.0; self.model.velocities()];
        let footing = |sample: usize| {
            let q = plan.at(sample);
            let (_, moment) = dynamics.kinetic(&self.model, q, &rest);
            let centre = moment / self.model.mass();
            let feet = self.feet(&dynamics.kinematics, up);
            Footing { time: sample as f64 * plan.spacing, feet: feet.len(), angle: angle(centre, &feet, up) }
        };
        let mut footings: Vec<Footing> = (0..plan.len()).map(footing).collect();
        // it may start above the ground, and stands once it has come down
        let stands = footings.iter().position(|footing| footing.feet >= 3);
        footings.drain(..stands.unwrap_or(0));
        Some(Margin { footings })
    }

    /// Places where balls of the robot are at the ground.
    fn feet(&self, kinematics: &Kinematics, up: Vec3) -> Vec<Vec3> {
        let mut feet = vec![];
        for shape in &self.shapes {
            let ShapeKind::Sphere { radius } = shape.shape.kind() else { continue };
            let centre = (kinematics.link(&self.model, shape.link) * shape.link_from_shape).translation;
            let on = self.walls.iter().filter(|wall| wall.ground).find_map(|wall| {
                let face = wall.shape.surface_near(&wall.pose, centre, radius + TOUCHES)?;
                (face.normal.dot(up) > 0.0).then_some(face.point)
            });
            feet.extend(on);
        }
        feet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of 2 a x 2 b with its centre at a height h: it tips over its longer side, by atan(b / h); on a slope by so much less.
    #[test]
    fn a_box_tips_when_its_centre_is_above_its_edge() {
        let feet = [[0.4, 0.3], [-0.4, -0.3], [0.4, -0.3], [-0.4, 0.3]].map(|[x, y]| Vec3::new(x, y, 0.0));
        let centre = Vec3::Z * 0.5;
        let flat = angle(centre, &feet, Vec3::Z);
        assert!((flat - 0.3_f64.atan2(0.5)).abs() < 1e-12, "{flat}");
        let slope = 0.2_f64;
        let up = Vec3::new(0.0, slope.sin(), slope.cos());
        assert!((angle(centre, &feet, up) - (flat - slope)).abs() < 1e-12);
        assert!(angle(centre + Vec3::Y * 0.31, &feet, Vec3::Z) < 0.0);
        assert!(angle(centre, &feet[..2], Vec3::Z) < 0.0);
    }
}
