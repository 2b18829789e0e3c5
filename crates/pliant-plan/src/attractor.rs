//! Attractors: a copy of the drawn frame that runs ahead of it towards the goal, and connectors between the two.
//!
//! Four points that are not in a plane are each tied to their copies by a linear spring without length (Joukhadar and
//! Laugier, "Robot-Phi", 5.1: that many fix position and rotation); for a position alone one is enough. The copy is at the
//! goal where that is near; otherwise it is on the straight line to it, as far ahead as the springs pull with the
//! speed that is asked for, and already turned as the goal is.

use pliant::math::{Pose, Vec3};

use crate::task::Goal;

/// How long the robot takes to follow its attractor by all but 1/e of the way [s].
pub const FOLLOW: f64 = 0.2;

/// Springs between a frame and its copy.
#[derive(Clone, Copy, Debug)]
pub struct Attractor {
    /// How far ahead the copy runs at most [m].
    pub lead: f64,
    /// Stiffness of all springs together [N/m].
    pub stiffness: f64,
    /// Distance of the four points from the frame's origin [m].
    pub spread: f64,
}

/// Corners of a regular tetrahedron about the origin, at a distance of one.
const CORNERS: [[f64; 3]; 4] = {
    let c = 0.577_350_269_189_625_8;
    [[c, c, c], [c, -c, -c], [-c, c, -c], [-c, -c, c]]
};

/// A spring: a point of the drawn frame, and where it is drawn to.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    /// Point in the drawn frame [m].
    pub point: Vec3,
    /// The way from where it is to where it is drawn [m].
    pub way: Vec3,
    /// Stiffness [N/m].
    pub stiffness: f64,
}

impl Attractor {
    /// The springs that draw a frame at `tool`, which has this way to go.
    pub fn springs(&self, tool: &Pose, way: Vec3, goal: &Goal) -> impl Iterator<Item = Spring> {
        let ahead = way * (self.lead / way.length().max(self.lead));
        let (tool, turned) = (*tool, goal.pose.rotation);
        let (corners, spread) = if goal.orientation { (4, self.spread) } else { (1, 0.0) };
        let stiffness = self.stiffness / f64::from(corners);
        CORNERS.into_iter().take(corners as usize).map(move |corner| {
            let point = Vec3::from_array(corner) * spread;
            Spring { point, way: ahead + turned * point - tool.rotation * point, stiffness }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::math::Quat;

    fn goal(pose: Pose) -> Goal {
        Goal { link: 0, link_from_tool: Pose::IDENTITY, pose, orientation: true }
    }

    /// Small displacements: the sum of forces is k d and their moment (2/3) k s^2 phi, as of four masses of k/4 at the corners.
    #[test]
    fn four_springs_draw_and_turn() {
        let (d, phi) = (Vec3::new(1e-4, 2e-4, -1e-4), Vec3::new(1e-5, -2e-5, 3e-5));
        let attractor = Attractor { lead: 0.1, stiffness: 30.0, spread: 0.2 };
        let (mut force, mut moment) = (Vec3::ZERO, Vec3::ZERO);
        let to = goal(Pose::from_parts(d, Quat::from_scaled_axis(phi)));
        for spring in attractor.springs(&Pose::IDENTITY, to.pose.translation, &to) {
            let f = spring.way * spring.stiffness;
            force += f;
            moment += spring.point.cross(f);
        }
        assert!((force - d * 30.0).length() < 1e-8, "{force}");
        assert!((moment - phi * (2.0 / 3.0 * 30.0 * 0.04)).length() < 1e-8, "{moment}");
    }

    #[test]
    fn the_attractor_does_not_run_further_ahead_than_it_may() {
        let attractor = Attractor { lead: 0.1, stiffness: 1.0, spread: 0.2 };
        let to = goal(Pose::from_translation(Vec3::X * 7.0));
        let sum: Vec3 = attractor
            .springs(&Pose::IDENTITY, to.pose.translation, &to)
            .map(|spring| spring.way * spring.stiffness)
            .sum();
        assert!((sum - Vec3::X * 0.1).length() < 1e-12, "{sum}");
    }
}
