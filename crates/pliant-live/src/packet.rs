//! The binary protocol of haptic devices: a pose in, a wrench out. Little-endian, of fixed length, with a checksum. The
//! same packets go over UDP, one to a datagram, and over TCP, one after another. The book has the table of bytes, and
//! `devices/pliant_device.h` the same in C.

use pliant::Wrench;
use pliant::math::{Pose, Quat, Vec3};

use crate::guard::State;

/// Length of a packet in either direction [bytes].
pub const LENGTH: usize = 88;

const VERSION: u8 = 2;
const POSE: [u8; 4] = *b"PLDp";
const WRENCH: [u8; 4] = *b"PLDw";
const JOINTS: [u8; 4] = *b"PLDj";

/// From a device: where a hand is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PosePacket {
    /// Which hand, 0 or 1.
    pub hand: u8,
    /// Whether the grip button is pressed.
    pub pressed: bool,
    /// Whether the orientation is to be held and felt.
    pub turns: bool,
    /// Number of the packet, growing.
    pub sequence: u32,
    /// Time of the device [ns], sent back.
    pub stamp: u64,
    /// Its pose in the world.
    pub pose: Pose,
}

/// To a device: what its hand is to feel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrenchPacket {
    /// Which hand.
    pub hand: u8,
    /// How it is served.
    pub state: State,
    /// Whether it holds something.
    pub holds: bool,
    /// Number of the latest packet of the device that it answers.
    pub sequence: u32,
    /// Time in that packet [ns].
    pub stamp: u64,
    /// Force [N] and torque [N m] on the hand, in world axes.
    pub wrench: Wrench,
}

impl PosePacket {
    /// As bytes.
    pub fn to_bytes(&self) -> [u8; LENGTH] {
        let Pose { translation: at, rotation: turn } = self.pose;
        let flags = u8::from(self.pressed) | u8::from(self.turns) << 1;
        let numbers = [at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z, 0.0];
        packed(POSE, [self.hand, flags, 0], self.sequence, self.stamp, numbers)
    }

    /// From bytes; `None` if they are anything but a whole packet of this version with a pose that a hand can have.
    pub fn from_bytes(bytes: &[u8]) -> Option<PosePacket> {
        let Unpacked { head: [hand, flags, spare], sequence, stamp, numbers: n } = unpacked(bytes, POSE)?;
        let pose = Pose::from_parts(Vec3::new(n[0], n[1], n[2]), Quat::from_xyzw(n[4], n[5], n[6], n[3]));
        let sound = pose.translation.is_finite() && (pose.rotation.length_squared() - 1.0).abs() < 1e-3;
        let packet = PosePacket { hand, pressed: flags & 1 == 1, turns: flags & 2 == 2, sequence, stamp, pose };
        (sound && hand < 2 && flags < 4 && spare == 0).then_some(packet)
    }
}

impl WrenchPacket {
    /// As bytes.
    pub fn to_bytes(&self) -> [u8; LENGTH] {
        let Wrench { force: f, torque: t } = self.wrench;
        let numbers = [f.x, f.y, f.z, t.x, t.y, t.z, 0.0, 0.0];
        let head = [self.hand, self.state as u8, u8::from(self.holds)];
        packed(WRENCH, head, self.sequence, self.stamp, numbers)
    }

    /// From bytes; `None` if they are anything but a whole packet of this version.
    pub fn from_bytes(bytes: &[u8]) -> Option<WrenchPacket> {
        let Unpacked { head: [hand, state, holds], sequence, stamp, numbers: n } = unpacked(bytes, WRENCH)?;
        let state = *State::ALL.get(usize::from(state))?;
        let wrench = Wrench { force: Vec3::new(n[0], n[1], n[2]), torque: Vec3::new(n[3], n[4], n[5]) };
        let sound = wrench.force.is_finite() && wrench.torque.is_finite();
        let packet = WrenchPacket { hand, state, holds: holds == 1, sequence, stamp, wrench };
        (sound && hand < 2 && holds < 2).then_some(packet)
    }
}

/// To a robot's host: where its joints are to be. As long as there are joints: 24 bytes, and 8 for each.
#[derive(Clone, Debug, PartialEq)]
pub struct JointsPacket {
    /// Whether the motion ends here.
    pub last: bool,
    /// Number of the packet, growing.
    pub sequence: u32,
    /// Time since the motion began [ns].
    pub stamp: u64,
    /// Coordinates of the joints [rad, m], 255 at the most.
    pub values: Vec<f64>,
}

impl JointsPacket {
    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let count = self.values.len().min(255);
        let mut bytes = JOINTS.to_vec();
        bytes.extend([VERSION, count as u8, u8::from(self.last), 0]);
        bytes.extend(self.sequence.to_le_bytes());
        bytes.extend(self.stamp.to_le_bytes());
        bytes.extend(self.values[..count].iter().flat_map(|value| value.to_le_bytes()));
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// From bytes; `None` if they are anything but a whole packet of this version with numbers.
    pub fn from_bytes(bytes: &[u8]) -> Option<JointsPacket> {
        let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(4)?)?;
        let (head, rest) = content.split_at_checked(20)?;
        let known = head[..4] == JOINTS && head[4] == VERSION && head[6] < 2 && head[7] == 0;
        if !known || rest.len() != 8 * usize::from(head[5]) || checksum(content).to_le_bytes() != *sum {
            return None;
        }
        let word = |bytes: &[u8]| -> [u8; 8] { std::array::from_fn(|n| bytes[n]) };
        let values: Vec<f64> = rest.chunks_exact(8).map(|chunk| f64::from_le_bytes(word(chunk))).collect();
        values.iter().all(|value| value.is_finite()).then(|| JointsPacket {
            last: head[6] == 1,
            sequence: u32::from_le_bytes(std::array::from_fn(|n| head[8 + n])),
            stamp: u64::from_le_bytes(word(&head[12..])),
            values,
        })
    }
}

/// The parts of a packet.
struct Unpacked {
    head: [u8; 3],
    sequence: u32,
    stamp: u64,
    numbers: [f64; 8],
}

/// kind 4, version 1, head 3 (hand and what goes with it), sequence 4, stamp 8, eight numbers 64, checksum 4.
fn packed(kind: [u8; 4], [a, b, c]: [u8; 3], sequence: u32, stamp: u64, numbers: [f64; 8]) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    bytes[..4].copy_from_slice(&kind);
    bytes[4..8].copy_from_slice(&[VERSION, a, b, c]);
    bytes[8..12].copy_from_slice(&sequence.to_le_bytes());
    bytes[12..20].copy_from_slice(&stamp.to_le_bytes());
    for (n, number) in numbers.iter().enumerate() {
        bytes[20 + 8 * n..28 + 8 * n].copy_from_slice(&number.to_le_bytes());
    }
    let sum = checksum(&bytes[..LENGTH - 4]);
    bytes[LENGTH - 4..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

fn unpacked(bytes: &[u8], kind: [u8; 4]) -> Option<Unpacked> {
    let bytes: &[u8; LENGTH] = bytes.try_into().ok()?;
    let (content, sum) = bytes.split_at(LENGTH - 4);
    let known = content[..4] == kind && content[4] == VERSION;
    if !known || checksum(content).to_le_bytes() != *sum {
        return None;
    }
    let word = |at: usize| -> [u8; 8] { std::array::from_fn(|n| content[at + n]) };
    Some(Unpacked {
        head: [content[5], content[6], content[7]],
        sequence: u32::from_le_bytes(std::array::from_fn(|n| content[8 + n])),
        stamp: u64::from_le_bytes(word(12)),
        numbers: std::array::from_fn(|n| f64::from_le_bytes(word(20 + 8 * n))),
    })
}

/// CRC-32 as in Ethernet and zip files, bit by bit: 84 bytes need no table.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32| (sum >> 1) ^ if sum & 1 == 1 { 0xEDB8_8320 } else { 0 };
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose() -> PosePacket {
        let pose = Pose::from_parts(Vec3::new(0.1, -0.2, 0.3), Quat::from_rotation_y(0.7));
        PosePacket { hand: 1, pressed: true, turns: false, sequence: 77, stamp: 123_456_789, pose }
    }

    #[test]
    fn the_checksum_is_the_usual_one() {
        // the check value of CRC-32/ISO-HDLC
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn packets_come_back() {
        assert_eq!(PosePacket::from_bytes(&pose().to_bytes()), Some(pose()));
        let wrench = Wrench { force: Vec3::new(1.0, 2.0, 3.0), torque: Vec3::new(-1.0, 0.0, 0.5) };
        let packet = WrenchPacket { hand: 0, state: State::Limited, holds: true, sequence: 5, stamp: 9, wrench };
        assert_eq!(WrenchPacket::from_bytes(&packet.to_bytes()), Some(packet));
        assert_eq!(PosePacket::from_bytes(&packet.to_bytes()), None);
    }

    #[test]
    fn no_packet_with_a_changed_bit_or_length_is_taken() {
        let bytes = pose().to_bytes();
        for bit in 0..8 * LENGTH {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(PosePacket::from_bytes(&changed), None, "{bit}");
        }
        for length in 0..LENGTH {
            assert_eq!(PosePacket::from_bytes(&bytes[..length]), None);
        }
        assert_eq!(PosePacket::from_bytes(&[bytes, bytes].concat()), None);
    }

    #[test]
    fn joints_come_back_and_nothing_else_is_taken_for_them() {
        let packet = JointsPacket { last: true, sequence: 3, stamp: 4_000_000, values: vec![0.5, -1.25, 3.0] };
        let bytes = packet.to_bytes();
        assert_eq!(bytes.len(), 24 + 3 * 8);
        assert_eq!(JointsPacket::from_bytes(&bytes), Some(packet));
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(JointsPacket::from_bytes(&changed), None, "{bit}");
        }
        assert!((0..bytes.len()).all(|length| JointsPacket::from_bytes(&bytes[..length]).is_none()));
        assert_eq!(JointsPacket::from_bytes(&pose().to_bytes()), None);
        let none = JointsPacket { last: false, sequence: 0, stamp: 0, values: vec![f64::NAN] };
        assert_eq!(JointsPacket::from_bytes(&none.to_bytes()), None);
    }

    #[test]
    fn poses_that_no_hand_has_are_refused_though_whole() {
        for pose in [
            Pose::from_translation(Vec3::new(f64::NAN, 0.0, 0.0)),
            Pose::from_parts(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 2.0)),
        ] {
            assert_eq!(PosePacket::from_bytes(&PosePacket { pose, ..self::pose() }.to_bytes()), None);
        }
    }
}
