//! Grips and loads of a body: nodes held by grippers, and dead forces.

use std::mem::take;

use super::Response;
use super::touch::{By, Spot, Touch};
use crate::error::BuildError;
use crate::grip::{ActingLoad, Grip, Place};
use crate::math::{Pose, Vec3};
use crate::places::{Spread, find_nodes, led, mean_pose, nodes_at};

impl Response {
    /// Pose of a place, with working memory for the surface.
    pub(crate) fn place_pose(&self, place: Place, surface: &mut Vec<Vec3>) -> Result<Pose, BuildError> {
        self.write_surface(surface);
        let found = find_nodes(&self.name, "the nodes of its surface", place, surface)?;
        self.check_recorded(found.clone())?;
        Ok(mean_pose(found, surface))
    }

    /// Fail if a node has no recorded response, as forces cannot act there.
    fn check_recorded(&self, mut nodes: impl Iterator<Item = u32>) -> Result<(), BuildError> {
        match nodes.find(|node| !self.takes_force(*node)) {
            None => Ok(()),
            Some(node) => Err(BuildError::NoSuchPlace {
                body: self.name.clone(),
                place: format!("recorded response of node {node}"),
                why: "record it too, or use modes, which know all nodes".into(),
            }),
        }
    }

    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[ActingLoad]) {
        let closed = |grip: usize| grips.get(grip).is_some_and(|g| g.anchor.is_some() && g.body == index);
        let acts = |load: usize| loads.get(load).is_some_and(|l| l.body == index && l.acts_at(time));
        self.state.touches.retain(|touch| match touch.by {
            By::Grip(grip) => closed(grip),
            By::Load(load) => acts(load),
            By::Obstacle(_) => true,
            By::Body => false,
        });
        let is_there = |touches: &[Touch], by: By| touches.iter().any(|t| t.by == by);
        // the surface, once it is needed
        let mut places = take(&mut self.scratch.surface);
        places.clear();
        for n in (0..grips.len()).filter(|n| closed(*n)) {
            if !is_there(&self.state.touches, By::Grip(n)) {
                self.show_surface(&mut places);
                self.take_grip(n, &grips[n], &places);
            }
        }
        for n in (0..loads.len()).filter(|n| acts(*n)) {
            if !is_there(&self.state.touches, By::Load(n)) {
                self.show_surface(&mut places);
                self.take_load(n, &loads[n], &places);
            }
        }
        places.clear();
        self.scratch.surface = places;
        // at their current magnitude; forces that form a torque turn with the body
        for (n, load) in loads.iter().enumerate().filter(|(n, _)| acts(*n)) {
            self.spread(n, load);
        }
    }

    /// Write the surface, unless it was written already.
    fn show_surface(&self, places: &mut Vec<Vec3>) {
        if places.is_empty() {
            self.write_surface(places);
        }
    }

    fn take_grip(&mut self, n: usize, grip: &Grip, places: &[Vec3]) {
        let Some(anchor) = grip.anchor else { return };
        let found = nodes_at(grip.params.place, places);
        let touch = |(node, anchor): (u32, Vec3)| still(node, By::Grip(n), anchor, places[node as usize]);
        self.state.touches.extend(led(found, places, anchor).map(touch));
    }

    /// Choose the nodes that a load acts on, weighted by their surface area at rest.
    fn take_load(&mut self, n: usize, load: &ActingLoad, places: &[Vec3]) {
        let shell = &self.solid.shell;
        let shares = self.scratch.shares.find(load.place, places, &shell.facets, &shell.nodes);
        self.state.touches.extend(shares.map(|(node, part)| {
            let touch = still(node, By::Load(n), load.force * part, places[node as usize]);
            Touch { part, ..touch }
        }));
    }

    /// Distribute a force and a torque over the nodes of a load, at their positions at the end of the last step.
    fn spread(&mut self, n: usize, load: &ActingLoad) {
        let touches = &mut self.state.touches;
        let own = touches.iter().filter(|t| t.by == By::Load(n)).map(|t| (t.place, t.part));
        let spread = Spread::new(load.force, load.torque, own);
        for touch in touches.iter_mut().filter(|t| t.by == By::Load(n)) {
            touch.anchor = spread.at(touch.place, touch.part);
        }
    }
}

fn still(node: u32, by: By, anchor: Vec3, place: Vec3) -> Touch {
    Touch::new(Spot::node(node), by, anchor, Vec3::Z, place)
}

#[cfg(test)]
mod tests {
    use super::super::sample::body;
    use super::*;
    use crate::grip::GripperParams;
    use crate::grip::{Anchor, GripParams, Hold, Load};
    use crate::handle::{BodyId, GripperId};
    use crate::math::Quat;

    fn placed() -> Pose {
        Pose::from_parts(Vec3::new(0.3, -0.2, 1.0), Quat::from_scaled_axis(Vec3::new(0.4, -0.7, 0.2)))
    }

    /// A body and a gripper for what names them; tests go by index.
    fn names() -> (BodyId, GripperId) {
        let mut world = crate::World::new(Vec3::ZERO);
        let body = world.add_body(crate::Body::Response(body(placed())));
        let gripper = world.add_gripper(GripperParams::at("hand", Pose::IDENTITY));
        match (body, gripper) {
            (Ok(body), Ok(gripper)) => (body, gripper),
            _ => unreachable!("both are good"),
        }
    }

    const ALL: Place = Place::Box { low: Vec3::splat(-9.0), high: Vec3::splat(9.0) };

    /// Forces on nodes have the sum of a load's force and, about the point where it acts, its torque.
    #[test]
    fn loads_are_spread_with_their_force_and_torque() {
        let mut body = body(placed());
        let (force, torque) = (Vec3::new(1.0, 2.0, -3.0), Vec3::new(-0.5, 0.3, 0.7));
        let load = Load { torque, ..Load::new(names().0, ALL, force) };
        body.prepare(0, 0.0, &[], &[load.sized_at(0, 0.0)]);
        let touches = &body.state.touches;
        assert_eq!(touches.len(), 4);
        assert!((touches.iter().map(|t| t.part).sum::<f64>() - 1.0).abs() < 1e-12);
        let sum: Vec3 = touches.iter().map(|t| t.anchor).sum();
        let middle: Vec3 = touches.iter().map(|t| t.place * t.part).sum();
        let about: Vec3 = touches.iter().map(|t| (t.place - middle).cross(t.anchor)).sum();
        assert!((sum - force).length() < 1e-12 && (about - torque).length() < 1e-12, "{sum} {about}");
        // a load on another body, and one that is over, are none of this one's
        let over = Load { until: 1.0, ..load };
        body.prepare(0, 2.0, &[], &[load.sized_at(1, 2.0), over.sized_at(0, 2.0)]);
        assert!(body.state.touches.is_empty());
    }

    /// Nodes that a gripper holds are led where a rigid body would have them, and let go when it opens.
    #[test]
    fn grips_lead_nodes_as_a_rigid_body() {
        let mut body = body(placed());
        let (name, gripper) = names();
        let params = GripParams::new(gripper, name, ALL, Hold::Clamp);
        let mut grip = Grip::new(params, 0, 0);
        let orientation = Quat::from_scaled_axis(Vec3::new(0.1, 0.8, -0.3));
        grip.anchor = Some(Anchor { position: Vec3::new(0.5, 0.6, 0.7), orientation });
        body.prepare(0, 0.0, &[grip], &[]);
        let held = body.state.touches.clone();
        assert_eq!(held.len(), 4);
        let mean: Vec3 = held.iter().map(|t| t.anchor).sum::<Vec3>() / 4.0;
        assert!((mean - Vec3::new(0.5, 0.6, 0.7)).length() < 1e-12);
        for (a, b) in held.iter().zip(&held[1..]) {
            let turned = orientation * (b.place - a.place);
            assert!((b.anchor - a.anchor - turned).length() < 1e-12);
        }
        // it stays the same while it is closed, and ends with it
        body.prepare(0, 0.0, &[grip], &[]);
        assert_eq!(body.state.touches, held);
        grip.anchor = None;
        body.prepare(0, 0.0, &[grip], &[]);
        assert!(body.state.touches.is_empty());
    }
}
