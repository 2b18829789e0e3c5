//! Demonstrations and logs made by running scenes of the gallery.
#![allow(dead_code)]

use std::path::Path;

use pliant_scene::{Override, RodModel};
use pliant_states::{Demonstration, ForceLog, Sample, Sequence, Settings};

/// A scene that was run: its states, and the wrench on its first gripper at every step.
pub struct Run {
    pub sequence: Sequence,
    pub log: ForceLog,
}

/// Run a scene on a model, watching one frame in so many steps.
pub fn run_every(name: &str, model: RodModel, set: &[&str], every: u64) -> Run {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    let overrides: Vec<Override> = set.iter().map(|text| text.parse().unwrap()).collect();
    let mut scene = pliant_scene::load_on(&path, &overrides, model).unwrap();
    let mut demonstration = Demonstration::new(&scene.title, &scene.world.layout(), Settings::default());
    let mut log = ForceLog { samples: vec![], has_torque: true };
    scene.run(|moment| {
        let step = moment.step;
        let frame = moment.frame();
        if step % every == 0 {
            demonstration.watch(frame);
        }
        let (back, load) = (frame.grippers[0].pose.rotation.inverse(), frame.grippers[0].load);
        let (f, t) = (back * load.force, back * load.torque);
        if step > 0 {
            log.samples.push(Sample { time: frame.time, wrench: [f.x, f.y, f.z, t.x, t.y, t.z] });
        }
        Ok::<(), std::convert::Infallible>(())
    });
    Run { sequence: demonstration.sequence().unwrap(), log }
}

/// Run a scene as it is recorded, at 100 frames a second.
pub fn run(name: &str, model: RodModel, set: &[&str]) -> Run {
    run_every(name, model, set, 10)
}

/// Random numbers (splitmix64), so that every test sees the same.
pub struct Random(pub u64);

impl Random {
    /// Uniform in 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normal with unit variance (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform().max(1e-300), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

/// What a sensor makes of a log: another clock, an offset, noise; and where a time of the log is by that clock.
pub struct Sensor {
    /// Time by the new clock over time by the old one.
    pub pace: f64,
    /// The clock runs fast and slow by this part.
    pub sway: f64,
    /// Idle time at the beginning [s].
    pub idle: f64,
    /// Offset of force [N] and torque [N m].
    pub offset: [f64; 6],
    /// Standard deviations of the noise of force [N] and torque [N m].
    pub noise: [f64; 2],
}

impl Sensor {
    pub fn clock(&self, time: f64, span: f64) -> f64 {
        // strictly increasing for |sway| < 1
        let phase = std::f64::consts::TAU * time / span;
        self.idle + self.pace * (time + self.sway * span / std::f64::consts::TAU * phase.sin())
    }

    pub fn measure(&self, log: &ForceLog, random: &mut Random) -> ForceLog {
        let span = log.span()[1];
        let mut samples = vec![];
        let mut push = |time: f64, wrench: [f64; 6]| {
            let noisy = std::array::from_fn(|c| wrench[c] + self.offset[c] + self.noise[c / 3] * random.normal());
            samples.push(Sample { time, wrench: noisy });
        };
        let step = span / log.samples.len() as f64;
        for n in 0..(self.idle / step) as usize {
            push(n as f64 * step, log.samples[0].wrench);
        }
        log.samples.iter().for_each(|s| push(self.clock(s.time, span).max(self.idle + 1e-9), s.wrench));
        samples.dedup_by(|b, a| b.time <= a.time);
        ForceLog { samples, has_torque: log.has_torque }
    }
}
