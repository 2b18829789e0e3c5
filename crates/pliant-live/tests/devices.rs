//! Devices over UDP and TCP: a grip, a force, silence, and nonsense.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use pliant::math::{Pose, Vec3};
use pliant_live::{
    Coupling, Fitting, Grasped, HANDS, LENGTH, Limits, Live, PosePacket, Queues, Rhythm, Session, Setup, State,
    WrenchPacket,
};

type Failure = Box<dyn std::error::Error>;

fn begin() -> Result<(Live, Queues, SocketAddr), Failure> {
    let text = "duration = 1\nstep = 0.001\n[material.m]\nyoung = 2e6\npoisson = 0.4\ndensity = 1100\n\
        [[body]]\nname = \"rod\"\nmodel = \"cable\"\nmaterial = \"m\"\nradius = 0.004\npath = [[0, 0, 0.2], [0.2, 0, 0.2]]\nsegments = 10\n\
        [[gripper]]\nname = \"left\"\ngrips = [{ body = \"rod\", at = \"start\", orientation = true }]\n\
        [[gripper]]\nname = \"right\"\ngrips = [{ body = \"rod\", at = \"end\", orientation = true }]\n";
    let scene = pliant_scene::parse(text, "live", std::path::Path::new("."), &[])?;
    let session = Session::new(scene.world, 0.001, &Fitting::default())?;
    let setup = Setup {
        rate: 1000.0,
        rhythm: Rhythm::Beats,
        feels: [false; HANDS],
        coupling: Coupling::default(),
        limits: Limits::default(),
        devices: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
        haply: None,
        script: None,
        threads: 1,
        core: None,
        first: false,
    };
    let (live, queues) = Live::begin(session, setup)?;
    let address = live.device_address.ok_or("devices are heard")?;
    Ok((live, queues, address))
}

fn pose(sequence: u32, aside: f64) -> PosePacket {
    let pose = Pose::from_translation(Vec3::new(0.1, aside, 0.2));
    PosePacket { hand: 0, pressed: true, turns: false, sequence, stamp: u64::from(sequence), pose }
}

/// The way of the hand: to the side by 1 cm in half a second.
fn aside(n: u32) -> f64 {
    0.01 * f64::from(n.min(500)) / 500.0
}

#[test]
fn a_device_over_udp_grips_feels_and_is_let_go_when_it_falls_silent() -> Result<(), Failure> {
    let (live, _queues, address) = begin()?;
    let device = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    device.connect(address)?;
    device.set_read_timeout(Some(Duration::from_millis(500)))?;
    let mut bytes = [0; 2 * LENGTH];
    let mut last = None;
    for n in 1..=700 {
        device.send(&pose(n, aside(n)).to_bytes())?;
        let length = device.recv(&mut bytes)?;
        last = WrenchPacket::from_bytes(&bytes[..length]).or(last);
    }
    let felt = last.ok_or("no wrench has come")?;
    assert!(felt.wrench.force.y < -1e-3 && felt.holds, "{felt:?}");
    assert_eq!(live.status.grasped(0), Some(Grasped::Body(0)));
    // silence: the answers go on, say so, and have no force
    let until = Instant::now() + Duration::from_secs(5);
    loop {
        let length = device.recv(&mut bytes)?;
        let Some(packet) = WrenchPacket::from_bytes(&bytes[..length]) else { continue };
        if packet.state == State::Stale && packet.wrench.force.length() == 0.0 {
            break;
        }
        assert!(Instant::now() < until, "{packet:?}");
    }
    live.end();
    Ok(())
}

#[test]
fn a_device_over_tcp_grips_and_feels_and_another_cannot_take_its_hand() -> Result<(), Failure> {
    let (live, _queues, address) = begin()?;
    let mut device = TcpStream::connect(address)?;
    device.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut bytes = [0; LENGTH];
    let mut felt = 0.0f64;
    for n in 1..=1500 {
        device.write_all(&pose(n, aside(n)).to_bytes())?;
        device.read_exact(&mut bytes)?;
        let packet = WrenchPacket::from_bytes(&bytes).ok_or("a wrench")?;
        felt = felt.min(packet.wrench.force.y);
    }
    assert!(felt < -1e-3 && live.status.grasped(0) == Some(Grasped::Body(0)), "{felt}");
    let mut other = TcpStream::connect(address)?;
    other.set_read_timeout(Some(Duration::from_secs(5)))?;
    other.write_all(&pose(1, 0.0).to_bytes())?;
    // it is closed
    assert!(matches!(other.read(&mut bytes), Ok(0) | Err(_)));
    drop(device);
    let until = Instant::now() + Duration::from_secs(5);
    while live.status.grasped(0).is_some() {
        assert!(Instant::now() < until, "the hand still grips though its device has gone");
        std::thread::sleep(Duration::from_millis(5));
    }
    live.end();
    Ok(())
}

/// A host of a device on another computer: a servo of its own that sends poses and takes the latest wrench, each whenever
/// it comes. Its hand goes to a side by 1 cm. Returns the last wrench while it moved, and the last after it had fallen
/// silent.
fn host(address: SocketAddr, hand: u8, x: f64, side: f64) -> Result<[WrenchPacket; 2], Failure> {
    let mut sender = TcpStream::connect(address)?;
    sender.set_nodelay(true)?;
    let mut receiver = sender.try_clone()?;
    receiver.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut hear = move || -> Result<WrenchPacket, Failure> {
        let mut bytes = [0; LENGTH];
        receiver.read_exact(&mut bytes)?;
        Ok(WrenchPacket::from_bytes(&bytes).ok_or("a damaged wrench")?)
    };
    let at = |n: u32| Pose::from_translation(Vec3::new(x, side * aside(n), 0.2));
    let packet = |n: u32| PosePacket { hand, pose: at(n), ..pose(n, 0.0) };
    sender.write_all(&packet(1).to_bytes())?;
    let mut last = hear()?;
    for n in 2..1200 {
        sender.write_all(&packet(n).to_bytes())?;
        last = hear()?;
    }
    // wrenches go on to come at each beat, and say that there is no force any more
    let until = Instant::now() + Duration::from_secs(5);
    let mut silent = last;
    while silent.state != State::Stale || silent.wrench.force.length() > 0.0 {
        silent = hear()?;
        assert!(Instant::now() < until, "{silent:?}");
    }
    for _ in 0..50 {
        silent = hear()?;
    }
    Ok([last, silent])
}

#[test]
fn two_hosts_over_tcp_hold_one_rod_with_two_hands() -> Result<(), Failure> {
    let (live, _queues, address) = begin()?;
    let told = std::thread::scope(|threads| {
        let hosts = [(0, 0.06, 1.0), (1, 0.14, -1.0)]
            .map(|(hand, x, side)| threads.spawn(move || host(address, hand, x, side).map_err(|e| e.to_string())));
        hosts.map(|host| host.join().unwrap_or_else(|_| Err("a host has panicked".into())))
    });
    for (hand, (told, side)) in told.into_iter().zip([1.0, -1.0]).enumerate() {
        let [moved, silent] = told?;
        // each is drawn back from its side, holds, and knows whose wrench it is
        assert!(moved.wrench.force.y * side < -1e-3 && moved.holds, "{hand}: {moved:?}");
        assert_eq!((usize::from(moved.hand), silent.wrench.force.length()), (hand, 0.0), "{silent:?}");
    }
    live.end();
    Ok(())
}

/// Numbers without order, the same each time.
fn noise(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn damaged_packets_are_not_taken() {
    // over the wire: `hostile.rs`
    let count: u64 = std::env::var("PLIANT_FUZZ_COUNT").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let mut state = 7;
    for n in 0..count {
        let mut bytes = pose(n as u32, 0.1).to_bytes().to_vec();
        let whole = bytes.clone();
        for _ in 0..=noise(&mut state) % 4 {
            let at = noise(&mut state) as usize % bytes.len();
            bytes[at] ^= 1 << (noise(&mut state) % 8);
        }
        if noise(&mut state).is_multiple_of(5) {
            bytes.truncate(noise(&mut state) as usize % LENGTH);
        }
        assert!(bytes == whole || PosePacket::from_bytes(&bytes).is_none(), "{bytes:?}");
    }
}
