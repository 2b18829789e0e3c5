//! Haptic devices on a UDP socket, served by the loop itself between two beats: a packet is heard when the loop wakes
//! up, and answered when the force is there.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use pliant::Wrench;

use crate::action::HANDS;
use crate::guard::State;
use crate::packet::{LENGTH, PosePacket, WrenchPacket};

/// Most packets heard at a beat; the others wait in the socket, and are old then.
const MOST_PACKETS: usize = 64;

/// Silence after which another address may take a hand.
const LEASE: Duration = Duration::from_secs(1);

/// Devices that move hands.
#[derive(Debug)]
pub struct Devices {
    socket: UdpSocket,
    peers: [Option<Peer>; HANDS],
    /// Packets that were dropped.
    pub dropped: u64,
}

/// The device of a hand.
#[derive(Clone, Copy, Debug)]
struct Peer {
    address: SocketAddr,
    heard: Instant,
    last: PosePacket,
}

impl Devices {
    /// Listen at an address.
    pub fn listen(address: SocketAddr) -> io::Result<Devices> {
        let socket = UdpSocket::bind(address)?;
        socket.set_nonblocking(true)?;
        Ok(Devices { socket, peers: [None; HANDS], dropped: 0 })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Hear what has come.
    pub fn hear(&mut self, now: Instant) {
        // one byte more than a packet, so that longer ones are seen to be
        let mut bytes = [0; LENGTH + 1];
        for _ in 0..MOST_PACKETS {
            match self.socket.recv_from(&mut bytes) {
                Ok((length, address)) => self.take(&bytes[..length], address, now),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // an answer that could not be delivered comes back as an error of the next packet
                Err(_) => {}
            }
        }
    }

    fn take(&mut self, bytes: &[u8], address: SocketAddr, now: Instant) {
        let Some(packet) = PosePacket::from_bytes(bytes) else {
            self.dropped += 1;
            return;
        };
        let peer = &mut self.peers[usize::from(packet.hand)];
        let fits = peer.is_none_or(|peer| {
            let silent = now.duration_since(peer.heard) > LEASE;
            // sequence numbers go round
            let newer = packet.sequence.wrapping_sub(peer.last.sequence) as i32 > 0;
            silent || peer.address == address && newer
        });
        if fits {
            *peer = Some(Peer { address, heard: now, last: packet });
        } else {
            self.dropped += 1;
        }
    }

    /// The latest packet for a hand, and how old it is; `None` if no device moves it.
    pub fn latest(&self, hand: usize, now: Instant) -> Option<(PosePacket, Duration)> {
        let peer = self.peers[hand]?;
        let age = now.duration_since(peer.heard);
        (age <= LEASE).then_some((peer.last, age))
    }

    /// Send a hand its wrench.
    pub fn answer(&self, hand: usize, wrench: Wrench, state: State, holds: bool) {
        let Some(Peer { address, last, .. }) = self.peers[hand] else { return };
        let packet = WrenchPacket { hand: last.hand, state, holds, sequence: last.sequence, stamp: last.stamp, wrench };
        // one that cannot be sent now is out of date a moment later
        let _ = self.socket.send_to(&packet.to_bytes(), address);
    }
}
