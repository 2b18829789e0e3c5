//! What holds and loads a body: nodes that grippers lead, and dead forces.

use super::Response;
use super::touches::{By, Spot, Touch};
use crate::error::BuildError;
use crate::grip::{Grip, Load, Place};
use crate::math::{Mat3, Pose, Vec3};

impl Response {
    /// Nodes of a place: all in a box, or the one that is nearest.
    fn nodes_at(&self, place: Place, places: &[Vec3]) -> Vec<u32> {
        let all = 0..places.len() as u32;
        match place {
            Place::Node(node) => vec![node as u32],
            Place::Point(point) => {
                let distance = |n: &u32| (places[*n as usize] - point).length_squared();
                all.min_by(|a, b| distance(a).total_cmp(&distance(b))).into_iter().collect()
            }
            Place::Box { low, high } => {
                let inside = |n: &u32| {
                    let p = places[*n as usize];
                    p.cmpge(low).all() && p.cmple(high).all()
                };
                all.filter(inside).collect()
            }
            // of the nodes in order; beyond the ends, the last
            Place::Fraction(fraction) => {
                let last = places.len().saturating_sub(1) as f64;
                vec![(fraction * last).round().clamp(0.0, last) as u32]
            }
        }
    }

    pub(crate) fn place_pose(&self, place: Place) -> Result<Pose, BuildError> {
        let body = || self.name.clone();
        if let Place::Node(node) = place
            && node >= self.size()
        {
            let why = format!("the nodes of its surface are 0 to {}", self.size() - 1);
            return Err(BuildError::NoSuchPlace { body: body(), place: format!("node {node}"), why });
        }
        let mut places = vec![];
        self.write_surface(&mut places);
        let found = self.nodes_at(place, &places);
        if found.is_empty() {
            let why = "none of the nodes of its surface is there now".into();
            return Err(BuildError::NoSuchPlace { body: body(), place: "the box".into(), why });
        }
        self.check_recorded(&found)?;
        let sum: Vec3 = found.iter().map(|n| places[*n as usize]).sum();
        Ok(Pose::from_translation(sum / found.len() as f64))
    }

    /// Forces can only act on nodes whose response was recorded.
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

    pub(crate) fn prepare(&mut self, index: usize, time: f64, grips: &[Grip], loads: &[Load]) {
        let closed = |grip: usize| grips.get(grip).is_some_and(|g| g.anchor.is_some() && g.params.body == index);
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
        if new.is_empty() {
            return;
        }
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

    fn take_grip(&mut self, n: usize, grip: &Grip, places: &[Vec3]) {
        let Some(anchor) = grip.anchor else { return };
        let found = self.nodes_at(grip.params.place, places);
        let middle = found.iter().map(|n| places[*n as usize]).sum::<Vec3>() / found.len().max(1) as f64;
        for node in found {
            // a grip turns its place as a whole
            let anchor = anchor.position + anchor.orientation * (places[node as usize] - middle);
            self.state.touches.push(still(node, By::Grip(n), anchor));
        }
    }

    /// Share a force out by area, and a torque by forces across arms.
    fn take_load(&mut self, n: usize, load: &Load, places: &[Vec3]) {
        let found = self.nodes_at(load.place, places);
        let mut parts = self.solid.shell.areas(&found);
        let mut sum: f64 = parts.iter().sum();
        if sum == 0.0 {
            parts.fill(1.0);
            sum = parts.len() as f64;
        }
        parts.iter_mut().for_each(|part| *part /= sum);
        let own = || found.iter().zip(&parts).map(|(node, part)| (places[*node as usize], *part));
        let centre: Vec3 = own().map(|(place, part)| place * part).sum();
        let outer =
            |r: Vec3| Mat3::from_diagonal(Vec3::splat(r.length_squared())) - Mat3::from_cols(r * r.x, r * r.y, r * r.z);
        let spread = own().map(|(place, part)| outer(place - centre) * part).fold(Mat3::ZERO, |a, b| a + b);
        let turn = spread.inverse() * load.torque;
        let turn = if load.torque != Vec3::ZERO && turn.is_finite() { turn } else { Vec3::ZERO };
        for (node, part) in found.iter().zip(&parts) {
            let arm = places[*node as usize] - centre;
            let force = (load.force + turn.cross(arm)) * *part;
            self.state.touches.push(still(*node, By::Load(n), force));
        }
    }
}

fn still(node: u32, by: By, anchor: Vec3) -> Touch {
    Touch::new(Spot::node(node), by, anchor, Vec3::Z, Vec3::ZERO)
}
