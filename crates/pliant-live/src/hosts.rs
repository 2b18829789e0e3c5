//! Haptic devices on other computers, over TCP: the packets of [`crate::PosePacket`] one after another in, wrenches out
//! at the rate of the loop. Each connection has threads of its own and leaves the latest pose for the loop.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::input::{Input, Source};
use crate::packet::{LENGTH, PosePacket, WrenchPacket};
use crate::slot::Slot;
use crate::status::Status;

/// Most connections at a time.
const MOST: usize = 8;

/// Silence after which a connection is closed.
const PATIENCE: Duration = Duration::from_secs(5);

/// Listen for devices, in a thread of its own that ends with the run. Returns where.
pub fn listen(address: SocketAddr, period: f64, status: Arc<Status>) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let count = Arc::new(AtomicUsize::new(0));
    thread::Builder::new().name("pliant hosts".into()).spawn(move || {
        while !status.is_ending() {
            match listener.accept() {
                Ok((stream, _)) if count.load(Ordering::Relaxed) < MOST => {
                    let (status, count) = (status.clone(), count.clone());
                    count.fetch_add(1, Ordering::Relaxed);
                    let served = count.clone();
                    let begun = thread::Builder::new().spawn(move || {
                        // a device that goes or talks nonsense is left
                        let _ = serve(stream, period, &status);
                        served.fetch_sub(1, Ordering::Relaxed);
                    });
                    if begun.is_err() {
                        count.fetch_sub(1, Ordering::Relaxed);
                    }
                }
                // too many
                Ok(_) => {}
                Err(_) => thread::sleep(Duration::from_millis(20)),
            }
        }
    })?;
    Ok(address)
}

/// Hear a device until it goes; another thread answers it.
fn serve(mut stream: TcpStream, period: f64, status: &Arc<Status>) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // hand, sequence number and time of the latest packet
    let latest = Arc::new(Slot::<3>::default());
    let (answers, theirs, numbers) = (stream.try_clone()?, latest.clone(), status.clone());
    thread::Builder::new().spawn(move || answer(answers, &theirs, period, &numbers))?;
    let ended = hear(&mut stream, &latest, status);
    let _ = stream.shutdown(std::net::Shutdown::Both);
    ended
}

fn hear(stream: &mut TcpStream, latest: &Slot<3>, status: &Arc<Status>) -> io::Result<()> {
    let mut bytes = [0; LENGTH];
    let mut lease: Option<Lease> = None;
    while !status.is_ending() {
        stream.read_exact(&mut bytes)?;
        let refused = || {
            status.dropped.fetch_add(1, Ordering::Relaxed);
            io::ErrorKind::InvalidData
        };
        // after a damaged packet the next one cannot be found
        let packet = PosePacket::from_bytes(&bytes).ok_or_else(refused)?;
        let hand = usize::from(packet.hand);
        if lease.is_none() {
            lease = Lease::take(hand, status);
        }
        let lease = lease.as_ref().filter(|lease| lease.hand == hand).ok_or_else(refused)?;
        if let Some(input) = Input::of_device(&packet, status.clock.nanos(Instant::now())) {
            lease.write(&input);
            latest.write([u64::from(packet.hand), u64::from(packet.sequence), packet.stamp]);
        }
    }
    Ok(())
}

/// Send the latest wrench again and again, until the device goes.
fn answer(mut stream: TcpStream, latest: &Slot<3>, period: f64, status: &Status) {
    let mut pace = crate::pace::Pace::new(Duration::from_secs_f64(period));
    while !status.is_ending() {
        pace.wait();
        let Some([hand, sequence, stamp]) = latest.read() else {
            // gone before it said anything
            if stream.peer_addr().is_err() || stream.take_error().is_ok_and(|error| error.is_some()) {
                return;
            }
            continue;
        };
        let output = status.output(hand as usize);
        let packet = WrenchPacket {
            hand: hand as u8,
            state: output.state,
            holds: status.grasped(hand as usize).is_some(),
            sequence: sequence as u32,
            stamp,
            wrench: output.wrench,
        };
        if stream.write_all(&packet.to_bytes()).is_err() {
            return;
        }
    }
}

/// The right to move a hand, which one device on another computer or service has at a time, until it is dropped.
#[derive(Debug)]
pub struct Lease {
    hand: usize,
    status: Arc<Status>,
}

impl Lease {
    /// Take a hand; `None` if another one has it.
    pub fn take(hand: usize, status: &Arc<Status>) -> Option<Lease> {
        let is_free = !status.taken[hand].swap(true, Ordering::AcqRel);
        is_free.then(|| Lease { hand, status: status.clone() })
    }

    /// Leave where the hand is for the loop.
    pub fn write(&self, input: &Input) {
        self.status.hosts[self.hand].write(input.to_words());
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let (pose, source) = (pliant::math::Pose::IDENTITY, Source::Nobody);
        self.write(&Input { pose, pressed: false, turns: false, reach: 0.0, source, heard: 0 });
        self.status.taken[self.hand].store(false, Ordering::Release);
    }
}
