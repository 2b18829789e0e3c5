//! What a device says of a hand, as it goes from the thread that hears it to the loop.

use pliant::math::{Pose, Quat, Vec3};
use serde::Serialize;

use crate::packet::PosePacket;
use crate::slot::Slot;

/// A hand as a device tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// Its pose in the world.
    pub pose: Pose,
    /// Whether the grip button is pressed.
    pub pressed: bool,
    /// Whether its orientation is to be held and felt.
    pub turns: bool,
    /// How far it may be from what it grips [m].
    pub reach: f64,
    /// What moves it.
    pub source: Source,
    /// When it was heard, on the clock of the loop [ns].
    pub heard: u64,
}

/// What moves a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Nothing.
    Nobody,
    /// A viewer of the page.
    Page,
    /// A haptic device.
    Device,
    /// A motion from a file, or a built-in one.
    Script,
}

/// How far a device may be from what it grips [m].
pub const REACH: f64 = 0.02;

impl Source {
    const ALL: [Source; 4] = [Source::Nobody, Source::Page, Source::Device, Source::Script];
}

/// The latest input of a hand.
pub type InputSlot = Slot<10>;

impl Input {
    /// What a packet of a device says, heard at a time [ns]; `None` if no hand can be there.
    pub fn of_device(packet: &PosePacket, heard: u64) -> Option<Input> {
        let PosePacket { pose, pressed, turns, .. } = *packet;
        let input = Input { pose, pressed, turns, reach: REACH, source: Source::Device, heard };
        input.is_sound().then(|| input.straightened())
    }

    /// As words of a slot.
    pub fn to_words(&self) -> [u64; 10] {
        let (at, turn) = (self.pose.translation, self.pose.rotation);
        let flags = u64::from(self.pressed) | u64::from(self.turns) << 1 | (self.source as u64) << 8;
        let numbers = [at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z, self.reach].map(f64::to_bits);
        let [a, b, c, d, e, f, g, h] = numbers;
        [a, b, c, d, e, f, g, h, flags, self.heard]
    }

    /// From words of a slot. What is not a pose is `None`: it came from a stranger.
    pub fn from_words(words: [u64; 10]) -> Option<Input> {
        let number = |n: usize| f64::from_bits(words[n]);
        let rotation = Quat::from_xyzw(number(4), number(5), number(6), number(3));
        let input = Input {
            pose: Pose::from_parts(Vec3::new(number(0), number(1), number(2)), rotation),
            pressed: words[8] & 1 == 1,
            turns: words[8] & 2 == 2,
            reach: number(7),
            source: *Source::ALL.get((words[8] >> 8) as usize)?,
            heard: words[9],
        };
        input.is_sound().then_some(input)
    }

    /// Whether it is a pose that a hand can have: finite, within a kilometre, with a unit quaternion.
    pub fn is_sound(&self) -> bool {
        let Pose { translation, rotation } = self.pose;
        translation.is_finite()
            && translation.abs().max_element() <= 1e3
            && (rotation.length_squared() - 1.0).abs() < 1e-3
            && (0.0..=1.0).contains(&self.reach)
    }

    /// With its quaternion of length one to rounding.
    pub fn straightened(mut self) -> Input {
        self.pose.rotation = self.pose.rotation.normalize();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_back() {
        let input = Input {
            pose: Pose::from_parts(Vec3::new(0.1, -0.2, 0.3), Quat::from_rotation_x(1.0)),
            pressed: true,
            turns: false,
            reach: 0.02,
            source: Source::Script,
            heard: 77,
        };
        assert_eq!(Input::from_words(input.to_words()), Some(input));
        for (word, bits) in
            [(0, f64::NAN.to_bits()), (1, 1e9f64.to_bits()), (3, 7f64.to_bits()), (7, 2f64.to_bits()), (8, 9 << 8)]
        {
            let mut words = input.to_words();
            words[word] = bits;
            assert_eq!(Input::from_words(words), None);
        }
    }
}
