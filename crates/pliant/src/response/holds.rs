//! Grips and loads of a body: nodes held by grippers, and dead forces.

use super::Response;
use super::touch::{By, Spot, Touch};
use crate::error::BuildError;
use crate::grip::{ActingLoad, Grip, Place};
use crate::math::{Pose, Vec3};
use crate::places::{Spread, find_nodes, led, mean_pose, nodes_at, parts_by_area};

impl Response {
    pub(crate) fn place_pose(&self, place: Place) -> Result<Pose, BuildError> {
        let mut places = vec![];
        self.write_surface(&mut places);
        let found = find_nodes(&self.name, "the nodes of its surface", place, &places)?;
        self.check_recorded(&found)?;
        Ok(mean_pose(&found, &places))
    }

    /// Fail if a node has no recorded response, as forces cannot act there.
    fn check_recorded(&self, nodes: &[u32]) -> Result<(), BuildError> {
        match nodes.iter().find(|node| !self.takes_force(**node)) {
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
        let new_grips = (0..grips.len()).filter(|n| closed(*n) && !is_there(&self.state.touches, By::Grip(*n)));
        let new_loads = (0..loads.len()).filter(|n| acts(*n) && !is_there(&self.state.touches, By::Load(*n)));
        let new: Vec<By> = new_grips.map(By::Grip).chain(new_loads.map(By::Load)).collect();
        if !new.is_empty() {
            let mut places = vec![];
            self.write_surface(&mut places);
            for by in new {
                match by {
                    By::Grip(n) => self.take_grip(n, &grips[n], &places),
                    By::Load(n) => self.take_load(n, &loads[n], &places),
                    By::Obstacle(_) | By::Body => {}
                }
            }
        }
        // at their current magnitude; forces that form a torque turn with the body
        for (n, load) in loads.iter().enumerate().filter(|(n, _)| acts(*n)) {
            self.spread(n, load);
        }
    }

    fn take_grip(&mut self, n: usize, grip: &Grip, places: &[Vec3]) {
        let Some(anchor) = grip.anchor else { return };
        let found = nodes_at(grip.params.place, places);
        let touch = |(node, anchor): (u32, Vec3)| still(node, By::Grip(n), anchor, places[node as usize]);
        self.state.touches.extend(led(&found, places, anchor).map(touch));
    }

    /// Choose the nodes that a load acts on, weighted by their surface area at rest.
    fn take_load(&mut self, n: usize, load: &ActingLoad, places: &[Vec3]) {
        let found = nodes_at(load.place, places);
        let shell = &self.solid.shell;
        let parts = parts_by_area(&shell.facets, &shell.nodes, &found);
        self.state.touches.extend(found.into_iter().zip(parts).map(|(node, part)| {
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
