//! `pliant plan --stream`: the motion that was found, sent to a robot's host at a fixed rate.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _, UdpSocket};
use std::time::{Duration, Instant};

use pliant_live::{JointsPacket, Pace};
use pliant_plan::Plan;

use crate::failure::Failure;
use crate::interrupt;
use crate::output::{self, count, short};

/// How long a host may take to answer, and to take a packet.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often the end is said, since a datagram may be lost.
const ENDS: usize = 3;

/// Where to send to, and how often.
pub struct Stream {
    to: String,
    wire: Wire,
    rate: f64,
}

enum Wire {
    Udp(UdpSocket),
    Tcp(TcpStream),
}

impl Stream {
    /// Look the host up and, for TCP, connect: before anything is planned.
    pub fn new(to: &str, rate: f64) -> Result<Stream, Failure> {
        if !(rate.is_finite() && (1.0..=10_000.0).contains(&rate)) {
            return Err(Failure::Input("--rate must be from 1 to 10000 packets a second".into()));
        }
        let (tcp, address) = match (to.strip_prefix("tcp:"), to.strip_prefix("udp:")) {
            (Some(address), _) => (true, address),
            (None, Some(address)) => (false, address),
            _ => (false, to),
        };
        let wrong = |why: &dyn std::fmt::Display| Failure::Input(format!("--stream {to}: {why}"));
        let found = address.to_socket_addrs().map_err(|e| wrong(&e))?.next();
        let address = found.ok_or_else(|| wrong(&"there is no such host"))?;
        let open = || -> std::io::Result<Wire> {
            if tcp {
                let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
                stream.set_nodelay(true)?;
                stream.set_write_timeout(Some(PATIENCE))?;
                return Ok(Wire::Tcp(stream));
            }
            let any: SocketAddr = if address.is_ipv4() { ([0; 4], 0).into() } else { ([0; 16], 0).into() };
            let socket = UdpSocket::bind(any)?;
            socket.connect(address)?;
            Ok(Wire::Udp(socket))
        };
        Ok(Stream { to: to.into(), wire: open().map_err(|e| wrong(&e))?, rate })
    }

    /// Send a motion from its start to its end, in real time. Beats that are missed are left out: what is sent is always where
    /// the joints are to be at that time.
    pub fn send(mut self, plan: &Plan) -> Result<(), Failure> {
        let finishing = interrupt::soon();
        let mut pace = Pace::new(Duration::from_secs_f64(1.0 / self.rate));
        let (mut sequence, mut ends, mut latest) = (0, 0, Duration::ZERO);
        let mut begun: Option<Instant> = None;
        while ends < ENDS {
            if interrupt::stop().is_asked() {
                return Err(Failure::Run(format!(
                    "interrupted after {}",
                    count(sequence as usize, "packet", "packets")
                )));
            }
            let beat = pace.wait();
            let begun = *begun.get_or_insert(beat.due);
            latest = latest.max(beat.woke - beat.due);
            let time = (beat.due - begun).as_secs_f64().min(plan.duration());
            let last = time >= plan.duration();
            ends += usize::from(last);
            let stamp = (time * 1e9).round() as u64;
            self.pass_on(&JointsPacket { last, sequence, stamp, values: between(plan, time) }.to_bytes())?;
            sequence += 1;
        }
        drop(finishing);
        output::talk(format!(
            "sent {} to {} in {} s, at most {} ms late",
            count(sequence as usize, "packet", "packets"),
            self.to,
            short(plan.duration()),
            short(1e3 * latest.as_secs_f64())
        ));
        Ok(())
    }

    fn pass_on(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let sent = match &mut self.wire {
            Wire::Udp(socket) => socket.send(bytes).map(|_| ()),
            Wire::Tcp(stream) => stream.write_all(bytes),
        };
        sent.map_err(|e| Failure::Run(format!("the host at {} takes no more joint values: {e}", self.to)))
    }
}

/// Coordinates at a time, on straight lines between samples.
fn between(plan: &Plan, time: f64) -> Vec<f64> {
    let place = (time / plan.spacing).max(0.0);
    let last = plan.len() - 1;
    let sample = (place as usize).min(last);
    let part = place - sample as f64;
    let next = plan.at((sample + 1).min(last));
    plan.at(sample).iter().zip(next).map(|(a, b)| a + part.min(1.0) * (b - a)).collect()
}
