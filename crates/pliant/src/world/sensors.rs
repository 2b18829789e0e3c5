//! Sensors in a world.

use super::World;
use crate::body::Body;
use crate::error::{BuildError, ControlError, Gone};
use crate::frame::SensorFrame;
use crate::handle::SensorId;
use crate::sensor::{Sensor, SensorParams};

impl World {
    /// Add a sensor to a gripper; fails if its name is taken. It reads from the next step on.
    pub fn add_sensor(&mut self, params: SensorParams) -> Result<SensorId, BuildError> {
        let gripper = self.handles.grippers.index(params.gripper)?;
        params.check()?;
        self.handles.sensors.refuse(&params.name)?;
        let handle = self.handles.sensors.add(&params.name);
        self.sensors.push(Sensor::new(params, gripper));
        self.revision += 1;
        Ok(handle)
    }

    /// All sensors; the order is that of frames.
    pub fn sensors(&self) -> &[Sensor] {
        &self.sensors
    }

    /// The sensor of a name.
    pub fn sensor_named(&self, name: &str) -> Option<SensorId> {
        self.handles.sensors.named(name)
    }

    /// What a sensor reads.
    pub fn reading(&self, sensor: SensorId) -> Result<SensorFrame, Gone> {
        let sensor = &self.sensors[self.handles.sensors.index(sensor)?];
        Ok(sensor.reading(&self.grippers[sensor.gripper]))
    }

    /// Take what a sensor reads now to be zero.
    pub fn tare(&mut self, sensor: SensorId) -> Result<(), ControlError> {
        let index = self.handles.sensors.index(sensor)?;
        self.sensors[index].tare();
        Ok(())
    }

    /// Remove a sensor.
    pub fn remove_sensor(&mut self, sensor: SensorId) -> Result<(), ControlError> {
        let index = self.handles.sensors.index(sensor)?;
        let Sensor { params, .. } = self.sensors.remove(index);
        self.bodies.iter_mut().filter_map(Body::as_arm_mut).for_each(|arm| arm.forget_sensor(index));
        self.handles.sensors.remove(sensor, &params.name)?;
        self.revision += 1;
        Ok(())
    }

    /// With a gripper its sensors go; those of grippers after it move up.
    pub(super) fn forget_gripper(&mut self, gone: usize) -> Result<(), ControlError> {
        while let Some(index) = self.sensors.iter().position(|sensor| sensor.gripper == gone) {
            let Some(handle) = self.handles.sensors.at(index) else { break };
            self.remove_sensor(handle)?;
        }
        self.sensors.iter_mut().filter(|sensor| sensor.gripper > gone).for_each(|sensor| sensor.gripper -= 1);
        Ok(())
    }

    /// Let all sensors read at the end of a step of `dt` [s].
    pub(super) fn read_sensors(&mut self, dt: f64) {
        let (time, gravity) = (self.time(), self.gravity);
        for sensor in &mut self.sensors {
            sensor.advance(&self.grippers[sensor.gripper], gravity, time, dt);
        }
    }
}
