//! Devices of Haply (Inverse3, with or without a VerseGrip), over the WebSocket of their maker's service on this computer:
//! JSON, one state for each message that it is sent (docs.haply.co, "Simulation channel", version 3.5). The maker's own
//! crate is not used: its reader does not notice that the service has gone, and it brings a client for HTTP with it.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use pliant::math::{Pose, Quat, Vec3};
use serde::Deserialize;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::action::HANDS;
use crate::hosts::Lease;
use crate::input::{Input, REACH, Source};
use crate::pace::Pace;
use crate::status::Status;

/// Where a service is, and where its devices are in the world.
#[derive(Clone, Copy, Debug)]
pub struct Haply {
    /// Its address.
    pub service: SocketAddr,
    /// Where the middle of a device's workspace is in the world [m].
    pub at: Vec3,
}

/// The port of the service.
pub const HAPLY_PORT: u16 = 10001;

/// Middle of the workspace of an Inverse3, in its own axes [m].
const MIDDLE: Vec3 = Vec3::new(0.0, -0.12, 0.15);

/// The largest force that a device is asked for [N], whatever a hand may be given: it stays cool with that.
const STRONGEST: f64 = 5.0;

/// Time after which a service that does not answer is left, and after which it is looked for again.
const PATIENCE: Duration = Duration::from_millis(100);
const AGAIN: Duration = Duration::from_millis(200);

/// Serve the devices of a service at a rate, in a thread of its own that ends with the run. A service that is not there
/// is looked for again and again.
pub fn follow(haply: Haply, period: f64, status: Arc<Status>) -> io::Result<()> {
    thread::Builder::new().name("pliant haply".into()).spawn(move || {
        while !status.is_ending() {
            // whatever the reason, hands have been let go, and the service stops its devices when nobody talks to it
            let _ = serve(haply, period, &status);
            thread::sleep(AGAIN);
        }
    })?;
    Ok(())
}

/// What the service says of all devices, of which much more than this comes.
#[derive(Debug, Default, Deserialize)]
struct Said {
    #[serde(default)]
    inverse3: Vec<Arm>,
    #[serde(default)]
    verse_grip: Vec<Handle>,
    #[serde(default)]
    wireless_verse_grip: Vec<Handle>,
}

#[derive(Debug, Deserialize)]
struct Arm {
    device_id: String,
    #[serde(default)]
    state: ArmState,
    #[serde(default)]
    status: Ready,
}

#[derive(Debug, Default, Deserialize)]
struct ArmState {
    cursor_position: Option<Numbers>,
}

#[derive(Debug, Default, Deserialize)]
struct Ready {
    ready: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Handle {
    #[serde(default)]
    state: HandleState,
}

#[derive(Debug, Default, Deserialize)]
struct HandleState {
    orientation: Option<Numbers>,
    /// Of a VerseGrip with a wire.
    button: Option<bool>,
    /// Of one without.
    buttons: Option<Buttons>,
}

#[derive(Debug, Default, Deserialize)]
struct Buttons {
    #[serde(default)]
    a: bool,
}

/// A vector, or a quaternion. The service leaves out what is zero.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct Numbers {
    w: f64,
    x: f64,
    y: f64,
    z: f64,
}

impl Said {
    /// What it says of a hand: that of the device with that number, if it is ready.
    fn input(&self, hand: usize, at: Vec3, heard: u64) -> Option<Input> {
        let arm = self.inverse3.get(hand).filter(|arm| arm.status.ready != Some(false))?;
        let Numbers { x, y, z, .. } = arm.state.cursor_position?;
        let handle = self.wireless_verse_grip.iter().chain(&self.verse_grip).nth(hand).map(|handle| &handle.state);
        let turn = handle.and_then(|handle| handle.orientation).map(|q| Quat::from_xyzw(q.x, q.y, q.z, q.w));
        let pressed = handle.is_some_and(|handle| {
            handle.button == Some(true) || handle.buttons.as_ref().is_some_and(|buttons| buttons.a)
        });
        let pose = Pose::from_parts(at + Vec3::new(x, y, z) - MIDDLE, turn.unwrap_or(Quat::IDENTITY));
        let input = Input { pose, pressed, turns: turn.is_some(), reach: REACH, source: Source::Device, heard };
        input.is_sound().then(|| input.straightened())
    }
}

/// Talk to the service until it goes or says nothing.
fn serve(haply: Haply, period: f64, status: &Arc<Status>) -> Result<(), Box<dyn std::error::Error>> {
    let stream = TcpStream::connect_timeout(&haply.service, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let (mut socket, _) = tungstenite::client(format!("ws://{}/", haply.service), stream)?;
    let mut leases = [const { None::<Lease> }; HANDS];
    let mut said = hear(&mut socket)?;
    let mut pace = Pace::new(Duration::from_secs_f64(period));
    let mut is_first = true;
    while !status.is_ending() {
        for (hand, lease) in leases.iter_mut().enumerate() {
            let input = said.input(hand, haply.at, status.clock.nanos(Instant::now()));
            match (input, &lease) {
                (Some(input), Some(lease)) => lease.write(&input),
                (Some(_), None) => *lease = Lease::take(hand, status),
                (None, _) => *lease = None,
            }
        }
        socket.send(Message::text(answer(&said, &leases, status, is_first).to_string()))?;
        is_first = false;
        said = hear(&mut socket)?;
        pace.wait();
    }
    // the last word is that there is no force
    socket.send(Message::text(answer(&said, &[const { None }; HANDS], status, false).to_string()))?;
    Ok(())
}

fn hear(socket: &mut WebSocket<TcpStream>) -> Result<Said, Box<dyn std::error::Error>> {
    loop {
        match socket.read()? {
            Message::Text(text) => return Ok(serde_json::from_str(&text)?),
            Message::Close(_) => return Err("the service has gone".into()),
            _ => {}
        }
    }
}

/// What the service is told: the forces of all devices.
fn answer(said: &Said, leases: &[Option<Lease>; HANDS], status: &Status, is_first: bool) -> Value {
    let force = |hand: usize| {
        let is_held = leases.get(hand).is_some_and(Option::is_some);
        let force = if is_held { status.output(hand).wrench.force } else { Vec3::ZERO };
        if force.is_finite() { force.clamp_length_max(STRONGEST) } else { Vec3::ZERO }
    };
    let arms = said.inverse3.iter().enumerate().map(|(hand, arm)| {
        let Vec3 { x, y, z } = force(hand);
        let vector = json!({ "x": x, "y": y, "z": z });
        json!({ "device_id": arm.device_id, "commands": { "set_cursor_force": { "vector": vector } } })
    });
    let mut told = json!({ "inverse3": arms.collect::<Value>() });
    if is_first {
        told["session"] = json!({ "configure": { "profile": { "name": "pliant live" } } });
    }
    told
}
