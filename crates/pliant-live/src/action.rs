//! What is done to a world while it runs, as data: applied by the loop, written to a file of controls, and applied
//! again when that file is replayed.

use std::io::{self, BufRead, Write};

use pliant::math::{Pose, Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Number of hands in every live world.
pub const HANDS: usize = 2;

/// Something done between two steps. Positions in [m], orientations as quaternions w x y z, in the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Action {
    /// A hand goes to a pose during the next step.
    Drive {
        /// Which hand.
        hand: usize,
        /// Where to.
        position: [f64; 3],
        /// Its orientation there.
        orientation: [f64; 4],
    },
    /// A hand that holds nothing is put to a pose at once, without a way between.
    Put {
        /// Which hand.
        hand: usize,
        /// Where to.
        position: [f64; 3],
        /// Its orientation there.
        orientation: [f64; 4],
    },
    /// A hand grips the nearest place of any body, or takes an obstacle that hands may move if that is nearer.
    Grip {
        /// Which hand.
        hand: usize,
        /// Within this distance [m].
        reach: f64,
        /// Whether it holds the direction of a rod as well.
        clamp: bool,
    },
    /// A hand takes an obstacle that hands may move, from where that is, and carries it along.
    Take {
        /// Which hand.
        hand: usize,
        /// Index of the obstacle.
        obstacle: usize,
    },
    /// A hand lets go.
    Release {
        /// Which hand.
        hand: usize,
    },
    /// Gravity changes.
    Gravity {
        /// Its acceleration [m/s2].
        value: [f64; 3],
    },
    /// A property of a body changes.
    Change {
        /// Index of the body.
        body: usize,
        /// Which property.
        property: Property,
        /// Its new value, in SI units.
        value: f64,
    },
    /// The state is kept, for a step that fails later.
    Keep,
    /// Everything is as it was when it was last kept, since a step has failed.
    Back,
    /// Everything is as it was at the start.
    Reset,
}

impl Action {
    /// A hand goes to a pose during the next step.
    pub fn drive(hand: usize, pose: &Pose) -> Action {
        let (position, orientation) = numbers(pose);
        Action::Drive { hand, position, orientation }
    }

    /// A hand that holds nothing is put to a pose at once.
    pub fn put(hand: usize, pose: &Pose) -> Action {
        let (position, orientation) = numbers(pose);
        Action::Put { hand, position, orientation }
    }
}

fn numbers(pose: &Pose) -> ([f64; 3], [f64; 4]) {
    let turn = pose.rotation;
    (pose.translation.to_array(), [turn.w, turn.x, turn.y, turn.z])
}

/// The pose of an action.
pub(crate) fn pose([x, y, z]: [f64; 3], [w, i, j, k]: [f64; 4]) -> Pose {
    Pose::from_parts(Vec3::new(x, y, z), Quat::from_xyzw(i, j, k, w))
}

/// Properties of a body that can be changed by a slider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Property {
    /// Young's modulus [Pa].
    Young,
    /// Mass density [kg/m3].
    Density,
    /// Coefficient of friction.
    Friction,
    /// Material damping [s].
    DampingTime,
    /// Air drag [1/s].
    Drag,
}

/// An action and the number of steps that the world had taken, resets not counted, when it was done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Steps taken before.
    pub step: u64,
    /// What was done.
    #[serde(flatten)]
    pub action: Action,
}

/// First line of a file of controls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Version of the format: 1.
    pub pliant_controls: u32,
    /// The scene, as it was called.
    pub scene: String,
    /// What was changed of the scene, as `PATH=VALUE`.
    #[serde(default)]
    pub set: Vec<String>,
    /// The model that its rods were put on; `None` for those of the scene.
    #[serde(default)]
    pub model: Option<String>,
    /// Length of a step [s].
    pub step: f64,
    /// Radii of the fingertips of the hands [m]; hands without one grip.
    pub fingers: [Option<f64>; HANDS],
    /// Names of obstacles that the hands carry.
    #[serde(default)]
    pub carries: [Option<String>; HANDS],
}

/// Last line of a file of controls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct End {
    /// Steps taken in all.
    end: u64,
}

/// Everything that was done in a live run.
#[derive(Clone, Debug, PartialEq)]
pub struct Controls {
    /// What it was done to.
    pub head: Head,
    /// What was done, in order.
    pub entries: Vec<Entry>,
    /// Steps taken in all.
    pub steps: u64,
    /// Whether the file was written to its end; otherwise the run was killed, and went on after its last action.
    pub is_whole: bool,
}

/// Why a file of controls cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ControlsError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[from] io::Error),
    /// A line is not what it should be.
    #[error("line {line}: {why}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// It is of another version.
    #[error("is of version {0}; this command reads version 1")]
    Version(u32),
}

/// Write a value as a line of JSON.
fn write_line(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *to, value)?;
    to.write_all(b"\n")
}

impl Head {
    /// Write the first line.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        write_line(to, self)
    }
}

impl Entry {
    /// Write its line.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        write_line(to, self)
    }
}

/// Write the last line, after a number of steps.
pub fn write_end(to: &mut impl Write, steps: u64) -> io::Result<()> {
    write_line(to, &End { end: steps })
}

impl Controls {
    /// Read a file of controls. One that ends without its last line, because the run was killed, ends with its last
    /// action.
    pub fn read(from: impl BufRead) -> Result<Controls, ControlsError> {
        let mut lines = from.lines().enumerate();
        let bad = |line: usize, why: serde_json::Error| ControlsError::Line { line: line + 1, why: why.to_string() };
        let Some((_, first)) = lines.next() else {
            return Err(ControlsError::Line { line: 1, why: "the file is empty".into() });
        };
        let head: Head = serde_json::from_str(&first?).map_err(|why| bad(0, why))?;
        if head.pliant_controls != 1 {
            return Err(ControlsError::Version(head.pliant_controls));
        }
        if !(head.step.is_finite() && head.step > 0.0) {
            return Err(ControlsError::Line { line: 1, why: "the step must be positive".into() });
        }
        let (mut entries, mut steps) = (Vec::<Entry>::new(), None);
        for (line, text) in lines {
            let text = text?;
            if let Ok(End { end }) = serde_json::from_str(&text) {
                steps = Some(end);
                break;
            }
            let entry: Entry = match serde_json::from_str(&text) {
                Ok(entry) => entry,
                // the line that was being written when the run was killed
                Err(why) if why.is_eof() => break,
                Err(why) => return Err(bad(line, why)),
            };
            if entries.last().is_some_and(|last| last.step > entry.step) {
                return Err(ControlsError::Line {
                    line: line + 1,
                    why: "its step is before that of the last line".into(),
                });
            }
            entries.push(entry);
        }
        let last = entries.last().map_or(0, |entry| entry.step);
        if steps.is_some_and(|steps| steps < last) {
            return Err(ControlsError::Line { line: entries.len() + 2, why: "it ends before its last action".into() });
        }
        Ok(Controls { head, entries, steps: steps.unwrap_or(last + 1), is_whole: steps.is_some() })
    }

    /// What of it has led to its end: without what was done before a reset, and without what was lost when the world
    /// went back. Steps are counted as if nothing else had been done.
    pub fn that_counts(self) -> Controls {
        let mut entries = Vec::<Entry>::with_capacity(self.entries.len());
        let mut lost = 0;
        for mut entry in self.entries {
            entry.step -= lost;
            match entry.action {
                Action::Reset => {
                    lost += entry.step;
                    entries.clear();
                }
                Action::Back => {
                    let kept = entries.iter().rposition(|entry| entry.action == Action::Keep);
                    let begun = kept.map_or(0, |kept| entries[kept].step);
                    lost += entry.step - begun;
                    entries.truncate(kept.map_or(0, |kept| kept + 1));
                }
                _ => entries.push(entry),
            }
        }
        Controls { entries, steps: self.steps - lost, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(controls: &Controls) -> Vec<u8> {
        let mut bytes = vec![];
        let wrote = controls.head.write(&mut bytes).is_ok()
            && controls.entries.iter().all(|entry| entry.write(&mut bytes).is_ok())
            && write_end(&mut bytes, controls.steps).is_ok();
        assert!(wrote);
        bytes
    }

    fn some() -> Controls {
        let (scene, set) = ("knot".into(), vec!["gravity=[0,0,0]".into()]);
        let (model, fingers) = (Some("chain".into()), [None, Some(0.004)]);
        let carries = [Some("plate".into()), None];
        let head = Head { pliant_controls: 1, scene, set, model, step: 0.001, fingers, carries };
        let drive = |x| Action::Drive { hand: 1, position: [x, 0.1 + 0.2, 1e-17], orientation: [1.0, 0.0, 0.0, 0.0] };
        let actions = [drive(0.1), Action::Grip { hand: 1, reach: 0.02, clamp: true }, Action::Reset, drive(1.0 / 3.0)];
        let entries = actions.into_iter().zip([0, 3, 5, 9]).map(|(action, step)| Entry { step, action }).collect();
        Controls { head, entries, steps: 12, is_whole: true }
    }

    #[test]
    fn what_is_written_is_read_to_the_bit() {
        let controls = some();
        assert_eq!(Controls::read(&written(&controls)[..]).ok(), Some(controls));
    }

    #[test]
    fn only_what_came_after_the_last_reset_counts() {
        let Controls { entries, steps, .. } = some().that_counts();
        assert_eq!((entries.len(), entries[0].step, steps), (1, 4, 7));
    }

    #[test]
    fn what_was_lost_when_the_world_went_back_does_not_count() {
        let release = |hand| Action::Release { hand };
        let actions = [
            (4, Action::Reset),
            (6, release(0)),
            (10, Action::Keep),
            (12, release(1)),
            (15, Action::Back),
            (15, release(0)),
            (18, Action::Keep),
            (20, Action::Back),
            (20, Action::Back),
            (23, release(1)),
        ];
        let entries = actions.into_iter().map(|(step, action)| Entry { step, action }).collect();
        let Controls { entries, steps, .. } = Controls { entries, steps: 25, ..some() }.that_counts();
        let left: Vec<_> = entries.iter().map(|entry| (entry.step, entry.action)).collect();
        let expected = [(2, release(0)), (6, Action::Keep), (6, release(0)), (9, Action::Keep), (12, release(1))];
        assert_eq!((left.as_slice(), steps), (&expected[..], 14));
    }

    #[test]
    fn a_file_cut_off_anywhere_is_read_up_to_there_or_refused() {
        let bytes = written(&some());
        for length in 0..bytes.len() {
            if let Ok(controls) = Controls::read(&bytes[..length]) {
                // only the end of its last line is missing
                let is_whole = length == bytes.len() - 1;
                assert!(controls.entries.len() <= 4 && controls.steps <= 12 && controls.is_whole == is_whole);
            }
        }
        let text = String::from_utf8(bytes).unwrap_or_default();
        for (from, to) in [
            ("grip", "grab"),
            ("\"pliant_controls\":1", "\"pliant_controls\":2"),
            ("0.001", "-1"),
            ("\"step\":9", "\"step\":1"),
        ] {
            assert!(Controls::read(text.replacen(from, to, 1).as_bytes()).is_err(), "{from}");
        }
    }
}
