//! A demonstration while it is watched, frame by frame: who touches what with which force.

use std::collections::HashMap;

use pliant::math::Vec3;
use pliant::{Contact, Frame, Layout, Other};

use crate::features::Features;
use crate::sequence::{BodyShape, Held, Part, Point, Touch, With};
use crate::settings::Settings;

/// What is kept of a demonstration.
///
/// Call [`Demonstration::watch`] with every frame, of a recording or of a world while it runs, then
/// [`Demonstration::sequence`]. Memory grows with the number of frames and the nodes of rods.
pub struct Demonstration {
    pub(crate) title: String,
    pub(crate) settings: Settings,
    layout: Layout,
    features: Vec<Features>,
    /// All that has touched, by number.
    pub(crate) touches: Vec<Touch>,
    numbers: HashMap<Touch, usize>,
    pub(crate) instants: Vec<Instant>,
}

/// One frame.
pub(crate) struct Instant {
    pub time: f64,
    /// Number and force [N] of everything that touches, by number.
    pub forces: Vec<(usize, f64)>,
    pub held: Vec<Held>,
    pub points: Vec<Point>,
    /// Shapes of rods.
    pub shapes: Vec<BodyShape>,
}

impl Demonstration {
    /// Begin to watch a world that is laid out like this.
    pub fn new(title: &str, layout: &Layout, settings: Settings) -> Demonstration {
        let angle = settings.edge_angle.to_radians();
        Demonstration {
            title: title.into(),
            settings,
            layout: layout.clone(),
            features: layout.obstacles.iter().map(|obstacle| Features::new(obstacle, angle)).collect(),
            touches: vec![],
            numbers: HashMap::new(),
            instants: vec![],
        }
    }

    /// Names of the grippers.
    pub(crate) fn gripper_names(&self) -> Vec<String> {
        self.layout.gripper_names().map(String::from).collect()
    }

    /// Watch a frame. One that is not later than the last is left out.
    pub fn watch(&mut self, frame: &Frame) {
        if self.instants.last().is_some_and(|last| frame.time <= last.time) || !frame.time.is_finite() {
            return;
        }
        let points = self.points(frame);
        let mut forces: Vec<(usize, f64)> = vec![];
        for point in &points {
            // a grip holds, whatever its force
            let held = matches!(point.touch.with, With::Grip | With::Fingertip);
            let force = if held { f64::INFINITY } else { Vec3::from(point.force).length() };
            if !(held || force > 0.0) {
                continue;
            }
            let number = self.number(&point.touch);
            match forces.iter_mut().find(|(n, _)| *n == number) {
                Some((_, sum)) => *sum += force,
                None => forces.push((number, force)),
            }
        }
        forces.sort_unstable_by_key(|(number, _)| *number);
        let held = frame.grippers.iter().map(held).collect();
        self.instants.push(Instant { time: frame.time, forces, held, points, shapes: self.shapes(frame) });
    }

    fn number(&mut self, touch: &Touch) -> usize {
        if let Some(number) = self.numbers.get(touch) {
            return *number;
        }
        let number = self.touches.len();
        self.touches.push(touch.clone());
        self.numbers.insert(touch.clone(), number);
        number
    }

    fn shapes(&self, frame: &Frame) -> Vec<BodyShape> {
        let rods = self.layout.bodies.iter().zip(&frame.bodies).filter(|(layout, _)| !layout.model.is_solid());
        let shape = |(layout, body): (&pliant::BodyLayout, &pliant::BodyFrame)| BodyShape {
            body: layout.name.clone(),
            nodes: body.nodes.iter().map(|node| node.to_array()).collect(),
        };
        rods.map(shape).collect()
    }

    /// All that touches in a frame: grips, fingertips, contacts.
    fn points(&self, frame: &Frame) -> Vec<Point> {
        let mut points = vec![];
        for grip in frame.grips.iter().filter(|grip| grip.state.is_closed()) {
            let Some(body) = self.layout.bodies.get(grip.body) else { continue };
            let fraction = body.fraction(grip.place);
            let along = Some(fraction * body.length).filter(|along| along.is_finite());
            points.push(Point {
                touch: self.touch(grip.body, along, With::Grip, self.layout.gripper_name(grip.gripper)),
                position: grip.position.to_array(),
                normal: None,
                force: (-grip.load.force).to_array(),
                along,
            });
        }
        for (index, gripper) in frame.grippers.iter().enumerate() {
            let grips = frame.grips.iter().any(|grip| grip.gripper == index && grip.state.is_closed());
            if !gripper.attached || grips {
                continue;
            }
            let position = gripper.pose.translation;
            points.push(Point {
                touch: self.touch(nearest(frame, position), None, With::Fingertip, self.layout.gripper_name(index)),
                position: position.to_array(),
                normal: None,
                force: (-gripper.load.force).to_array(),
                along: None,
            });
        }
        points.extend(frame.contacts.iter().map(|contact| self.point(frame, contact)));
        points
    }

    fn point(&self, frame: &Frame, contact: &Contact) -> Point {
        let mut touch = match contact.other {
            Other::Obstacle(index) => {
                self.touch(contact.body, contact.along, With::Obstacle, self.layout.obstacle_name(index))
            }
            Other::Body(index) => self.touch(contact.body, contact.along, With::Body, self.layout.body_name(index)),
            Other::Slider(index) => self.touch(contact.body, contact.along, With::Slider, format!("slider {index}")),
        };
        if let Other::Obstacle(index) = contact.other
            && let (Some(features), Some(pose)) = (self.features.get(index), frame.obstacles.get(index))
        {
            let point = pose.inverse_transform_point(contact.position);
            let at = features.at(point, pose.rotation.inverse() * contact.normal);
            touch.feature = features.list().get(at).cloned();
        }
        Point {
            touch,
            position: contact.position.to_array(),
            normal: Some(contact.normal.to_array()),
            force: contact.force.to_array(),
            along: contact.along,
        }
    }

    fn touch(&self, body: usize, along: Option<f64>, with: With, other: String) -> Touch {
        let part = match (self.layout.bodies.get(body), along) {
            (Some(layout), Some(along)) if !layout.closed => {
                let near = self.settings.end_radii * layout.radius;
                match (along <= near, layout.length - along <= near) {
                    (true, _) => Part::Start,
                    (_, true) => Part::End,
                    _ => Part::Body,
                }
            }
            (Some(layout), _) if layout.model.is_solid() => Part::Surface,
            _ => Part::Body,
        };
        Touch { body: self.layout.body_name(body), part, with, other, feature: None }
    }
}

/// The body with the node nearest to a point.
fn nearest(frame: &Frame, point: Vec3) -> usize {
    let distance = |body: &pliant::BodyFrame| {
        body.nodes.iter().map(|node| node.distance_squared(point)).fold(f64::INFINITY, f64::min)
    };
    let all = frame.bodies.iter().map(distance).enumerate();
    all.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(index, _)| index)
}

fn held(gripper: &pliant::GripperFrame) -> Held {
    let rotation = gripper.pose.rotation;
    let turned = |v: Vec3| (rotation.inverse() * v).to_array();
    Held {
        position: gripper.pose.translation.to_array(),
        orientation: [rotation.w, rotation.x, rotation.y, rotation.z],
        force: turned(gripper.load.force),
        torque: turned(gripper.load.torque),
    }
}
