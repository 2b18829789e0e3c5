//! Lowest and highest values between two recorded instants, so that peaks in steps that are not recorded are not lost.

use pliant::Frame;

use crate::columns::Columns;

/// Lowest and highest value seen; NaN if there were none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extremes {
    pub low: f64,
    pub high: f64,
}

impl Extremes {
    const NONE: Extremes = Extremes { low: f64::NAN, high: f64::NAN };

    fn add(&mut self, value: f64) {
        // `min` and `max` of NaN and a number give the number
        (self.low, self.high) = (self.low.min(value), self.high.max(value));
    }
}

/// Extremes of everything sampled since the last recorded instant, excluding that one and including this one.
#[derive(Debug)]
pub(crate) struct Interval {
    columns: Columns,
    /// Values at this instant, by column.
    pub row: Vec<f64>,
    /// Extremes by column.
    pub extremes: Vec<Extremes>,
    /// Extremes over the whole body, by body and field.
    pub fields: Vec<Vec<Extremes>>,
    /// Whether the last instant was recorded, so that the next one starts over.
    over: bool,
}

impl Interval {
    pub fn new(columns: Columns) -> Interval {
        let extremes = vec![Extremes::NONE; columns.list.len()];
        Interval { columns, row: vec![], extremes, fields: vec![], over: false }
    }

    /// Take in an instant.
    pub fn add(&mut self, frame: &Frame) {
        self.columns.fill(frame, &mut self.row);
        if std::mem::take(&mut self.over) {
            self.extremes.fill(Extremes::NONE);
            self.fields.iter_mut().for_each(|fields| fields.fill(Extremes::NONE));
        }
        self.extremes.iter_mut().zip(&self.row).for_each(|(extremes, value)| extremes.add(*value));
        self.fields.resize_with(frame.bodies.len(), Vec::new);
        for (fields, body) in self.fields.iter_mut().zip(&frame.bodies) {
            fields.resize(body.fields.len(), Extremes::NONE);
            for (extremes, field) in fields.iter_mut().zip(&body.fields) {
                field.values.iter().for_each(|value| extremes.add(*value));
            }
        }
    }

    /// Mark the instant as recorded.
    pub fn end(&mut self) {
        self.over = true;
    }

    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Extremes of the force and the torque on a gripper: x, y, z, norm.
    pub fn of_gripper(&self, gripper: usize) -> [[Extremes; 4]; 2] {
        self.columns.loads_of_gripper(gripper).map(|first| std::array::from_fn(|part| self.extremes[first + part]))
    }

    /// Extremes of the force and the torque of a sensor: x, y, z, norm.
    pub fn of_sensor(&self, sensor: usize) -> [[Extremes; 4]; 2] {
        self.columns.of_sensor(sensor).map(|first| std::array::from_fn(|part| self.extremes[first + part]))
    }

    /// Extremes of the torque of a joint of a body.
    pub fn of_joint(&self, body: usize, joint: usize) -> Extremes {
        self.extremes[self.columns.torque_of_joint(body, joint)]
    }

    /// Extremes of the force of an obstacle: x, y, z, norm.
    pub fn of_obstacle(&self, obstacle: usize) -> [Extremes; 4] {
        let first = self.columns.force_of_obstacle(obstacle);
        std::array::from_fn(|part| self.extremes[first + part])
    }

    /// Largest penetration [m] and largest sum of contact forces [N].
    pub fn of_contacts(&self) -> [f64; 2] {
        self.columns.of_contacts().map(|column| self.extremes[column].high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::math::{Pose, Vec3};
    use pliant::{GripperFrame, GripperLayout, Layout};

    /// A force of 1, 7.6 and 2 N at three steps of an interval has a peak of 7.6 N, whatever the last step says.
    #[test]
    fn a_peak_between_two_instants_is_kept_for_one_interval() {
        let frame = |force: f64| Frame {
            grippers: vec![GripperFrame {
                pose: Pose::IDENTITY,
                load: pliant::Wrench { force: Vec3::X * force, torque: Vec3::ZERO },
                attached: true,
            }],
            ..Frame::default()
        };
        let layout = Layout { grippers: vec![GripperLayout { name: "hand".into() }], ..Layout::default() };
        let mut interval = Interval::new(Columns::new(&layout));
        for (forces, low, high) in [(&[0.0][..], 0.0, 0.0), (&[1.0, -7.6, 2.0], -7.6, 2.0), (&[3.0], 3.0, 3.0)] {
            forces.iter().for_each(|force| interval.add(&frame(*force)));
            interval.end();
            let [[x, .., norm], _] = interval.of_gripper(0);
            assert_eq!((x, norm.high), (Extremes { low, high }, high.max(-low)));
        }
    }
}
