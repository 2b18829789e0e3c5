//! Links at their current poses: nodes, fields and contacts of a rod.

use super::locate;
use crate::body::{PARTING_GAP, Surroundings};
use crate::bytes::stored;
use crate::contact::Obstacle;
use crate::error::BuildError;
use crate::frame::{BodyFrame, Contact, Other};
use crate::grip::Place;
use crate::math::{Mat3, Pose, Quat, Vec3, atan2, hypot, x_axis};
use crate::moments::Moments;
use crate::react::Nodes;

/// Fields of a frame, one value per node: name and unit.
pub const FIELDS: [(&str, &str); 6] = [
    ("tension", "N"),
    ("shear force", "N"),
    ("bending moment", "N m"),
    ("torsion", "N m"),
    ("contact force", "N"),
    ("curvature", "1/m"),
];

/// Load of the section at an end of a rod that is held by a grip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldEnd {
    /// Force and moment in the axes of the section, with the sign convention of a joint [N, N m].
    pub load: [Vec3; 2],
    /// Curvature at the grip [1/m]; `None` if the grip lets the section turn.
    pub curvature: Option<f64>,
}

/// The links of a rod at their current poses.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Poses of the middles of the links in the world; the tangent is the x axis.
    pub poses: &'a [Pose],
    /// Length of a link [m].
    pub length: f64,
    /// Radius of the rod [m].
    pub radius: f64,
    /// Whether the last link is joined to the first; the first and last nodes then coincide.
    pub closed: bool,
}

/// A contact, or possible contact, of a link with an obstacle.
#[derive(Clone, Copy, Debug)]
pub struct Touching {
    /// Index of the link.
    pub link: usize,
    /// Position along the link, from its middle [m].
    pub s: f64,
    /// Index of the obstacle.
    pub obstacle: usize,
    /// Unit normal out of the obstacle.
    pub normal: Vec3,
    /// Force on the link, in the world [N].
    pub force: Vec3,
}

impl Line<'_> {
    /// Length of all links without load [m].
    pub fn rest_length(&self) -> f64 {
        self.length * self.poses.len() as f64
    }

    /// Pose of a place of the body `name`, in the world. Fails for a node that does not exist.
    pub fn place_pose(&self, name: &str, place: Place) -> Result<Pose, BuildError> {
        let count = self.poses.len();
        if let Place::Node(node) = place
            && node > count
        {
            let why = format!("its nodes are 0 to {count}");
            return Err(BuildError::NoSuchPlace { body: name.into(), place: format!("node {node}"), why });
        }
        let (link, offset) = locate(place, count, self.length);
        let pose = &self.poses[link];
        Ok(Pose::from_parts(pose.transform_point(Vec3::X * offset), pose.rotation))
    }

    /// Mass, centre of mass and inertia of the rod, from the mass [kg] of a link and its moments of inertia in its own
    /// axes [kg m2].
    pub fn moments(&self, mass: f64, inertia: Vec3) -> Moments {
        let link = |pose: &Pose| {
            let turn = Mat3::from_quat(pose.rotation);
            let inertia = turn * Mat3::from_diagonal(inertia) * turn.transpose();
            Moments { volume: mass, centre: pose.translation, inertia }
        };
        Moments::sum(self.poses.iter().map(link))
    }

    /// Lower and upper corner of the bounding box of the middles of the links [m].
    pub fn bounds(&self) -> [Vec3; 2] {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for pose in self.poses {
            (low, high) = (low.min(pose.translation), high.max(pose.translation));
        }
        [low, high]
    }

    /// Append the links as line segments, each given by its ends [m].
    pub fn write_pieces(&self, pieces: &mut Vec<[Vec3; 2]>) {
        pieces.extend((0..self.poses.len()).map(|link| self.piece(link)));
    }

    /// The ends of a link, in the world [m].
    pub fn piece(&self, link: usize) -> [Vec3; 2] {
        let pose = &self.poses[link];
        let along = x_axis(pose.rotation) * (0.5 * self.length);
        [pose.translation - along, pose.translation + along]
    }

    /// The links before and after a node; the same one at a free end.
    fn beside(&self, node: usize) -> [usize; 2] {
        let count = self.poses.len();
        if self.closed { [(node + count - 1) % count, node % count] } else { [node.max(1) - 1, node.min(count - 1)] }
    }

    /// Orientations of the nodes. At a free end they are extrapolated from the last two links, which like
    /// interpolation between two links is accurate to second order in the link length.
    pub fn write_frames(&self, frames: &mut Vec<Quat>) {
        let count = self.poses.len();
        let turned = |link: usize| self.poses[link].rotation;
        frames.clear();
        for i in 0..=count {
            let [before, after] = self.beside(i);
            frames.push(match i {
                _ if before != after => turned(before).slerp(turned(after), 0.5),
                _ if count == 1 => turned(0),
                0 => turned(0).slerp(turned(1), -0.5),
                _ => turned(count - 2).slerp(turned(count - 1), 1.5),
            });
        }
    }

    /// Curvature at a joint [1/m]: the angle between its links over the length of a link.
    pub fn curvature(&self, joint: usize) -> f64 {
        let [a, b] =
            [self.poses[joint].rotation * Vec3::X, self.poses[(joint + 1) % self.poses.len()].rotation * Vec3::X];
        atan2(a.cross(b).length(), a.dot(b)) / self.length
    }

    /// Fields from force and moment in each joint, the loads of held ends, and contact forces on the links, which are
    /// requested in order.
    pub fn write_fields(
        &self,
        load: impl Fn(usize) -> [Vec3; 2],
        ends: &[Option<HeldEnd>; 2],
        mut pushed: impl FnMut(usize) -> Vec3,
        frame: &mut BodyFrame,
    ) {
        frame.set_fields(&FIELDS);
        frame.fields.iter_mut().for_each(|field| field.values.clear());
        let (count, mut before, mut first) = (self.poses.len(), Vec3::ZERO, Vec3::ZERO);
        for i in 0..=count {
            let held = match i {
                0 => ends[0],
                i if i == count => ends[1],
                _ => None,
            };
            // ends that are not held show the load of the nearest joint
            let joint = if self.closed { self.beside(i)[0] } else { i.clamp(1, count - 1) - 1 };
            let [force, moment] = held.map_or_else(|| load(joint), |end| end.load);
            let curvature = held.and_then(|end| end.curvature).unwrap_or_else(|| self.curvature(joint));
            // each link divides its contact force between its two nodes
            let own = if i < count { pushed(i) } else { first };
            let touched = 0.5 * (before + own).length();
            before = own;
            if i == 0 && self.closed {
                // needed again after the last link
                first = own;
            }
            let values = [force.x, hypot(force.y, force.z), hypot(moment.y, moment.z), moment.x, touched, curvature];
            for (field, value) in frame.fields.iter_mut().zip(values) {
                field.values.push(value);
            }
        }
        for field in frame.fields.iter_mut().filter(|_| self.closed) {
            field.values[0] = field.values[count];
        }
    }

    /// The largest distance of a link from the line between its two nodes [m], and the joint where that is: links fall
    /// short of a joint that is bent sharply, and its node lies between their ends.
    pub fn beside_nodes(&self) -> (f64, usize) {
        let mut nodes = Vec::with_capacity(self.poses.len() + 1);
        self.write_nodes(&mut nodes);
        let off = |end: Vec3, [a, b]: [Vec3; 2]| {
            let along = b - a;
            let part = ((end - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            end.distance(a + along * part)
        };
        let mut most = (0.0, 0);
        for (link, ends) in nodes.windows(2).enumerate() {
            for (side, end) in self.piece(link).into_iter().enumerate() {
                let apart = off(end, [ends[0], ends[1]]);
                if apart > most.0 {
                    most = (apart, (link + side).saturating_sub(1).min(self.poses.len().saturating_sub(2)));
                }
            }
        }
        most
    }

    /// Nodes with their velocities: the ends of the rod and its joints, half-way between the ends of the links that
    /// meet there. `moving` gives the velocity of each link in the world [m/s]
    /// and its angular velocity in its own axes [rad/s].
    pub fn show_nodes(&self, moving: impl Fn(usize) -> (Vec3, Vec3), nodes: &mut Nodes) {
        let poses = self.poses;
        let end = |i: usize, side: f64| {
            let ((velocity, turning), arm) = (moving(i), Vec3::X * (side * 0.5 * self.length));
            (poses[i].transform_point(arm), velocity + poses[i].rotation * turning.cross(arm))
        };
        let count = poses.len();
        for i in 0..=count {
            let (a, b) = match (i, self.beside(i)) {
                (_, [before, after]) if before != after => (end(before, 1.0), end(after, -1.0)),
                (0, _) => (end(0, -1.0), end(0, -1.0)),
                _ => (end(count - 1, 1.0), end(count - 1, 1.0)),
            };
            nodes.add(0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
        }
    }

    /// Positions of the nodes alone, as [`Line::show_nodes`] has them: a link's ends are its middle plus and minus the same
    /// vector, which rounding does not change.
    pub fn write_nodes(&self, places: &mut Vec<Vec3>) {
        places.clear();
        let arm = Vec3::X * (0.5 * self.length);
        let half = |pose: &Pose| pose.rotation * arm;
        let (Some(first), Some(last)) = (self.poses.first(), self.poses.last()) else { return };
        let end_of_last = last.translation + half(last);
        let mut before = if self.closed { end_of_last } else { first.translation - half(first) };
        for pose in self.poses {
            let half = half(pose);
            places.push(0.5 * (before + (pose.translation - half)));
            before = pose.translation + half;
        }
        places.push(if self.closed { places[0] } else { end_of_last });
    }

    /// Append the contacts of the body with obstacles.
    pub fn write_contacts(
        &self,
        body: usize,
        touches: impl Iterator<Item = Touching>,
        obstacles: &[Obstacle],
        contacts: &mut Vec<Contact>,
    ) {
        for touch in touches {
            let (distance, position) = self.distance(&touch, obstacles);
            let penetration = self.radius - distance;
            let Touching { obstacle, normal, force, .. } = touch;
            if force != Vec3::ZERO || penetration > 0.0 {
                let other = Other::Obstacle(obstacle);
                let along = Some((touch.link as f64 + 0.5) * self.length + touch.s);
                contacts.push(Contact { body, other, position, normal, force, penetration, along });
            }
        }
    }

    /// Report which obstacles the rod began or ceased to touch: `touched` are those touched so far, `near` those that
    /// contact may begin with.
    pub fn note_touching(
        &self,
        touches: impl Iterator<Item = Touching> + Clone,
        touched: &mut Vec<usize>,
        near: &[usize],
        around: &mut Surroundings<'_>,
    ) {
        let of = |obstacle: usize| touches.clone().filter(move |t| t.obstacle == obstacle);
        // contact begins with a force and ends beyond a gap, so that it does not flicker
        let (reach, obstacles) = ((1.0 + PARTING_GAP) * self.radius, around.obstacles);
        let stays = |obstacle| of(obstacle).any(|t| self.distance(&t, obstacles).0 < reach);
        let begins = |obstacle| of(obstacle).any(|t| t.force != Vec3::ZERO);
        around.note_touching(touched, near, stays, begins);
    }

    /// Distance of a point of a link's axis from an obstacle at the end of the step, and the nearest point of the
    /// obstacle.
    fn distance(&self, touch: &Touching, obstacles: &[Obstacle]) -> (f64, Vec3) {
        let obstacle = &obstacles[touch.obstacle];
        let point = self.poses[touch.link].transform_point(Vec3::X * touch.s);
        let face = obstacle.params.shape.surface_near(&obstacle.sweep.end, point, f64::MAX);
        face.map_or((f64::INFINITY, point), |f| (f.distance, f.point))
    }
}

stored!(HeldEnd { load, curvature });
