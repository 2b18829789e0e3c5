//! Writing the state of a world into a [`Frame`].

use super::World;
use crate::body::Body;
use crate::frame::{BodyFrame, Contact, Frame, GripFrame, GripperFrame};
use crate::grip::{Grip, Wrench};
use crate::math::Vec3;
use crate::react;

impl World {
    /// The current state of the world.
    pub fn frame(&self) -> Frame {
        let mut frame = Frame::default();
        self.write_frame(&mut frame);
        frame
    }

    /// Write the current state into a frame, without allocating where its buffers suffice.
    pub fn write_frame(&self, frame: &mut Frame) {
        frame.time = self.time();
        frame.bodies.resize_with(self.bodies.len(), BodyFrame::default);
        for (body, out) in self.bodies.iter().zip(&mut frame.bodies) {
            body.write_frame(self.gravity, out);
        }
        frame.bodies.iter_mut().zip(&self.accounts.list).for_each(|(out, account)| out.account = account.seen());
        frame.grippers.clear();
        frame.grippers.extend(self.grippers.iter().enumerate().map(|(index, gripper)| GripperFrame {
            pose: gripper.sweep.end,
            load: gripper.load,
            attached: self.grips.iter().any(|g| g.gripper == index && g.anchor.is_some())
                || self.fingers.iter().any(|f| f.gripper == index) && gripper.load != Wrench::default(),
        }));
        frame.sensors.clear();
        frame.sensors.extend(self.sensors.iter().map(|sensor| sensor.reading(&self.grippers[sensor.gripper])));
        frame.grips.clear();
        frame.grips.extend(self.grips().map(|(_, grip)| self.grip_frame(grip)));
        frame.obstacles.clear();
        frame.obstacles.extend(self.obstacles.iter().map(|o| o.sweep.end));
        frame.penetration = self.write_contacts(&mut frame.contacts);
        frame.events.clear();
        frame.events.reserve(self.events.capacity());
        frame.events.extend_from_slice(&self.events);
        frame.counters = self.bodies.iter().map(Body::counters).sum();
    }

    /// Write the contacts of the last step alone, which for large solids is much less work than a whole frame. Returns
    /// the deepest penetration [m].
    pub fn write_contacts(&self, contacts: &mut Vec<Contact>) -> f64 {
        contacts.clear();
        if self.parted.is_empty() {
            for (index, body) in self.bodies.iter().enumerate() {
                body.write_contacts(index, &self.obstacles, contacts);
            }
            self.groups.between.write(&self.bodies, contacts);
            react::write_presses(&self.presses, contacts);
        } else {
            contacts.extend_from_slice(&self.parted);
        }
        // NaN stays, so that it is seen
        let larger = |most: f64, depth: f64| if depth.is_nan() || depth > most { depth } else { most };
        contacts.iter().map(|contact| contact.penetration).fold(self.watch.depth(), larger)
    }

    fn grip_frame(&self, grip: &Grip) -> GripFrame {
        let world_from_gripper = &self.grippers[grip.gripper].sweep.end;
        GripFrame {
            gripper: grip.gripper,
            body: grip.body,
            place: grip.params.place,
            hold: grip.params.hold,
            state: grip.state(),
            position: world_from_gripper.transform_point(grip.anchor.map_or(Vec3::ZERO, |anchor| anchor.position)),
            load: grip.load,
        }
    }
}
