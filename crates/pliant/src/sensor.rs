//! Force/torque sensors, as in the wrist of a robot: what a gripper feels, in the sensor's own axes, with bandwidth, rate,
//! noise and tare.

use std::f64::consts::TAU;
use std::sync::Arc;

use crate::bytes::stored;
use crate::check::Checks;
use crate::error::BuildError;
use crate::frame::SensorFrame;
use crate::grip::Gripper;
use crate::handle::GripperId;
use crate::math::{Pose, Vec3, exp};
use crate::random::Noise;

/// Parameters of a sensor, fixed once it has been added.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorParams {
    /// Name, unique among sensors.
    pub name: String,
    /// The gripper whose load it measures.
    pub gripper: GripperId,
    /// Its pose in the gripper's frame: forces are measured along its axes, torques about its origin.
    pub gripper_from_sensor: Pose,
    /// Readings per second of simulated time [Hz]; infinite, or more than steps, for one at each step.
    pub rate: f64,
    /// Cut-off frequency of its first-order low-pass filter [Hz]; may be infinite.
    pub bandwidth: f64,
    /// Standard deviation of the noise of each component of the force [N].
    pub force_noise: f64,
    /// Standard deviation of the noise of each component of the torque [N m].
    pub torque_noise: f64,
    /// Seed of the noise: sensors with the same one have the same noise.
    pub seed: u64,
    /// When what it reads then is taken to be zero [s]; never if `None`.
    pub tare: Option<f64>,
    /// Mass of the tool beyond it, whose weight it feels [kg]. It moves nothing: an arm has it in its link.
    pub tool_mass: f64,
    /// Centre of mass of the tool, in its own frame [m].
    pub tool_centre: Vec3,
}

impl SensorParams {
    /// A sensor at a gripper's origin that reads what acts there, as it is.
    pub fn ideal(name: &str, gripper: GripperId) -> SensorParams {
        SensorParams {
            name: name.into(),
            gripper,
            gripper_from_sensor: Pose::IDENTITY,
            rate: f64::INFINITY,
            bandwidth: f64::INFINITY,
            force_noise: 0.0,
            torque_noise: 0.0,
            seed: 0,
            tare: None,
            tool_mass: 0.0,
            tool_centre: Vec3::ZERO,
        }
    }

    /// Reject numbers that make no sense.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let checks = Checks(&self.name);
        checks.start(&self.gripper_from_sensor, Vec3::ZERO, Vec3::ZERO)?;
        checks.that(self.rate > 0.0, "the rate", "positive", self.rate)?;
        checks.that(self.bandwidth > 0.0, "the bandwidth", "positive", self.bandwidth)?;
        checks.not_negative("the noise of the force", self.force_noise)?;
        checks.not_negative("the noise of the torque", self.torque_noise)?;
        checks.that(self.tare.is_none_or(f64::is_finite), "the tare", "finite", self.tare.unwrap_or(0.0))?;
        checks.not_negative("the mass of the tool", self.tool_mass)?;
        checks.that(self.tool_centre.is_finite(), "the centre of the tool", "finite", self.tool_centre.length())
    }
}

/// A sensor with its state.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Its parameters, shared by all clones of a world.
    pub params: Arc<SensorParams>,
    /// Index of the gripper in the world.
    pub(crate) gripper: usize,
    pub(crate) state: SensorState,
}

/// State of a sensor. Pairs are force [N] and torque [N m] in its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SensorState {
    /// What its filter has let through.
    filtered: [Vec3; 2],
    /// The last reading, before the tare.
    raw: [Vec3; 2],
    /// What counts as zero.
    zero: [Vec3; 2],
    /// Number of periods of its rate in which it has read; zero before the first step.
    periods: u64,
    noise: Noise,
    /// Whether its scheduled tare is done.
    tared: bool,
}

stored!(SensorState { filtered, raw, zero, periods, noise, tared });

impl Sensor {
    pub(crate) fn new(params: SensorParams, gripper: usize) -> Sensor {
        let none = [Vec3::ZERO; 2];
        let noise = Noise::new(params.seed);
        let state = SensorState { filtered: none, raw: none, zero: none, periods: 0, noise, tared: false };
        Sensor { params: Arc::new(params), gripper, state }
    }

    /// What it reads, as frames show it.
    pub(crate) fn reading(&self, gripper: &Gripper) -> SensorFrame {
        let [force, torque] = difference(self.state.raw, self.state.zero);
        SensorFrame { pose: gripper.sweep.end * self.params.gripper_from_sensor, force, torque }
    }

    /// Take what it reads now to be zero.
    pub(crate) fn tare(&mut self) {
        self.state.zero = self.state.raw;
    }

    /// Force and torque on it, in its axes and about its origin, mean over the last step: halfway through that, as the load of
    /// a gripper is.
    fn feels(&self, gripper: &Gripper, gravity: Vec3) -> [Vec3; 2] {
        let SensorParams { gripper_from_sensor, tool_mass, tool_centre, .. } = &*self.params;
        let world_from_gripper = gripper.sweep.at(0.5);
        let world_from_sensor = world_from_gripper * *gripper_from_sensor;
        let turn = world_from_sensor.rotation.inverse();
        let from_here = world_from_gripper.translation - world_from_sensor.translation;
        let torque = gripper.load.torque + from_here.cross(gripper.load.force);
        let weight = turn * (gravity * *tool_mass);
        [turn * gripper.load.force + weight, turn * torque + tool_centre.cross(weight)]
    }

    /// Go on by a step of `dt` [s] that ends at `time` [s].
    ///
    /// The filter is u' = 2 pi f (felt - u), solved exactly for what is felt in the step. It begins settled on the first
    /// step, as if it had been on for long.
    pub(crate) fn advance(&mut self, gripper: &Gripper, gravity: Vec3, time: f64, dt: f64) {
        let felt = self.feels(gripper, gravity);
        let SensorParams { rate, bandwidth, force_noise, torque_noise, tare, .. } = *self.params;
        let state = &mut self.state;
        let kept = if state.periods == 0 { 0.0 } else { exp(-TAU * bandwidth * dt) };
        for (u, felt) in state.filtered.iter_mut().zip(felt) {
            *u = felt + (*u - felt) * kept;
        }
        // the period of `time`, from one on; times are sums of steps, whose rounding must not delay a reading
        let period = (time * rate + SLACK).floor() + 1.0;
        let period = if period.is_finite() { period as u64 } else { state.periods + 1 };
        if period <= state.periods {
            return;
        }
        state.periods = period;
        for ((raw, u), deviation) in state.raw.iter_mut().zip(state.filtered).zip([force_noise, torque_noise]) {
            *raw = u + if deviation > 0.0 { state.noise.vector() * deviation } else { Vec3::ZERO };
        }
        if !state.tared && tare.is_some_and(|at| time + SLACK * dt >= at) {
            state.tared = true;
            state.zero = state.raw;
        }
    }
}

fn difference([f, t]: [Vec3; 2], [g, s]: [Vec3; 2]) -> [Vec3; 2] {
    [f - g, t - s]
}

/// Part of a period, or of a step, by which times may be off.
const SLACK: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grip::{GripperParams, Wrench};
    use crate::handle::Handle;
    use crate::math::Quat;

    fn gripper(force: Vec3, torque: Vec3) -> Gripper {
        let mut gripper = Gripper::new(GripperParams::at("hand", Pose::IDENTITY), 0.0);
        gripper.load = Wrench { force, torque };
        gripper
    }

    fn sensor(set: impl FnOnce(&mut SensorParams)) -> Sensor {
        let mut params = SensorParams::ideal("wrist", GripperId::fresh());
        set(&mut params);
        params.check().unwrap_or_else(|error| panic!("{error}"));
        Sensor::new(params, 0)
    }

    /// After a step of the load the filter has let through 1 - exp(-2 pi f t), whatever the step of the world.
    #[test]
    fn the_filter_has_the_step_response_of_first_order() {
        let (none, loaded) = (gripper(Vec3::ZERO, Vec3::ZERO), gripper(Vec3::X * 3.0, Vec3::Y * 0.5));
        for dt in [1e-3, 1e-2] {
            let mut sensor = sensor(|params| params.bandwidth = 7.0);
            sensor.advance(&none, Vec3::ZERO, dt, dt);
            for n in 1..=50 {
                sensor.advance(&loaded, Vec3::ZERO, dt * f64::from(n + 1), dt);
                let part = 1.0 - (-TAU * 7.0 * dt * f64::from(n)).exp();
                let SensorFrame { force, torque, .. } = sensor.reading(&loaded);
                assert!((force.x - 3.0 * part).abs() < 1e-13, "{dt}, {n}: {force}");
                assert!((torque.y - 0.5 * part).abs() < 1e-13, "{dt}, {n}: {torque}");
            }
        }
    }

    /// Mean and variance of n readings: the mean is off by s / sqrt(n), the variance by s^2 sqrt(2/n); four times that is
    /// exceeded in one of 16,000 cases, and the seed is fixed.
    #[test]
    fn noise_has_the_variance_it_is_given() {
        let load = gripper(Vec3::new(1.0, -2.0, 3.0), Vec3::ZERO);
        let mut sensor = sensor(|params| (params.force_noise, params.torque_noise, params.seed) = (0.2, 0.01, 5));
        let n = 100_000;
        let (mut sums, mut squares, mut mixed) = ([Vec3::ZERO; 2], [Vec3::ZERO; 2], 0.0);
        for step in 1..=n {
            sensor.advance(&load, Vec3::ZERO, 1e-3 * f64::from(step), 1e-3);
            let SensorFrame { force, torque, .. } = sensor.reading(&load);
            let off = [force - load.load.force, torque];
            for k in 0..2 {
                sums[k] += off[k];
                squares[k] += off[k] * off[k];
            }
            mixed += off[0].x * off[0].y;
        }
        let n = f64::from(n);
        for (k, deviation) in [(0, 0.2), (1, 0.01_f64)] {
            for axis in 0..3 {
                let mean = sums[k][axis] / n;
                assert!(mean.abs() < 4.0 * deviation / n.sqrt(), "{k}, {axis}: {mean}");
                let variance = squares[k][axis] / n / (deviation * deviation);
                assert!((variance - 1.0).abs() < 4.0 * (2.0 / n).sqrt(), "{k}, {axis}: {variance}");
            }
        }
        assert!((mixed / n).abs() < 4.0 * 0.04 / n.sqrt(), "components must not depend on each other: {mixed}");
    }

    #[test]
    fn a_sensor_reads_at_its_rate_and_holds_the_reading() {
        let mut sensor = sensor(|params| params.rate = 100.0);
        let mut changes = vec![];
        let mut last = f64::NAN;
        for n in 1..=100 {
            let load = gripper(Vec3::X * f64::from(n), Vec3::ZERO);
            sensor.advance(&load, Vec3::ZERO, 1e-3 * f64::from(n), 1e-3);
            let now = sensor.reading(&load).force.x;
            if now != last {
                changes.push(n);
            }
            last = now;
        }
        assert_eq!(changes, [1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    }

    /// R^T f, and R^T (tau + (gripper - sensor) x f), by hand for a quarter turn about z; the tool's weight at its centre.
    #[test]
    fn forces_are_in_the_sensors_axes_and_torques_about_its_origin() {
        let load = gripper(Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0));
        let quarter = Quat::from_rotation_z(0.25 * TAU);
        let mut sensor = sensor(|params| {
            params.gripper_from_sensor = Pose::from_parts(Vec3::new(0.0, 0.1, 0.0), quarter);
            params.tool_mass = 0.5;
            params.tool_centre = Vec3::new(0.0, 0.3, 0.0);
        });
        sensor.advance(&load, Vec3::NEG_Z * 10.0, 0.01, 0.01);
        let SensorFrame { force, torque, pose } = sensor.reading(&load);
        // x of the world is -y of the sensor; the weight of 5 N pulls along -z, 0.3 m along the sensor's y
        assert!(force.distance(Vec3::new(0.0, -2.0, -5.0)) < 1e-14, "{force}");
        // (0, -0.1, 0) x (2, 0, 0) = (0, 0, 0.2); (0, 0.3, 0) x (0, 0, -5) = (-1.5, 0, 0)
        assert!(torque.distance(Vec3::new(-1.5, 0.0, 1.2)) < 1e-14, "{torque}");
        assert_eq!(pose.translation, Vec3::new(0.0, 0.1, 0.0));
    }

    #[test]
    fn a_tare_takes_away_what_is_read_then() {
        let mut sensor = sensor(|params| params.tare = Some(0.05));
        for n in 1..=10 {
            let load = gripper(Vec3::X * f64::from(n), Vec3::ZERO);
            sensor.advance(&load, Vec3::ZERO, 1e-2 * f64::from(n), 1e-2);
            let expected = f64::from(if n < 5 { n } else { n - 5 });
            assert_eq!(sensor.reading(&load).force.x, expected, "at {n}");
        }
        sensor.tare();
        assert_eq!(sensor.reading(&gripper(Vec3::ZERO, Vec3::ZERO)).force, Vec3::ZERO);
    }

    #[test]
    fn numbers_that_make_no_sense_are_refused() {
        let refused = |set: fn(&mut SensorParams)| {
            let mut params = SensorParams::ideal("wrist", GripperId::fresh());
            set(&mut params);
            params.check().map_err(|error| error.to_string())
        };
        let error = refused(|params| params.rate = 0.0);
        assert_eq!(error, Err("the rate of wrist must be positive, got 0".into()));
        assert!(refused(|params| params.bandwidth = f64::NAN).is_err());
        assert!(refused(|params| params.force_noise = -1.0).is_err());
        assert!(refused(|params| params.torque_noise = f64::INFINITY).is_err());
        assert!(refused(|params| params.tare = Some(f64::NAN)).is_err());
        assert!(refused(|params| params.tool_mass = -1.0).is_err());
        assert!(refused(|params| params.tool_centre = Vec3::NAN).is_err());
    }
}
