//! Devices of Haply, against a stand-in of their service that speaks the JSON of its documentation (docs.haply.co,
//! "Simulation channel" and "WebSocket protocol", version 3.5): an inventory at first, then one state for each message.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use pliant::math::Vec3;
use pliant_live::{Coupling, Fitting, Grasped, HANDS, Haply, Limits, Live, Rhythm, Session, Setup, State, Status};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

type Failure = Box<dyn std::error::Error>;

fn begin(service: SocketAddr) -> Result<Live, Failure> {
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
        // stiff enough for more than a device is asked for
        coupling: Coupling::with_stiffness(4000.0),
        limits: Limits { force: 50.0, ..Limits::default() },
        devices: None,
        // the middle of the device's workspace is the middle of the rod
        haply: Some(Haply { service, at: Vec3::new(0.1, 0.0, 0.2) }),
        script: None,
        threads: 1,
        core: None,
        first: false,
    };
    Ok(Live::begin(session, setup)?.0)
}

/// What the service says, with its cursor beside the middle of its workspace. It says more than anybody needs.
fn state(aside: f64, button: bool, full: bool) -> Value {
    let vector = |x: f64, y: f64, z: f64| json!({ "x": x, "y": y, "z": z });
    let mut arm = json!({
        "device_id": "049D",
        "state": {
            "cursor_position": vector(0.0, -0.12 + aside, 0.15), "cursor_velocity": vector(0.0, 0.0, 0.0),
            "angular_position": { "a0": 0.0, "a1": 0.0, "a2": 0.0 }, "control_domain": "cartesian", "control_mode": "idle",
            "body_orientation": { "w": 1.0, "x": 0.0, "y": 0.0, "z": 0.0 }, "current_cursor_force": vector(0.0, 0.0, 0.0),
            "mode": "idle", "transform": {},
        },
        "status": { "calibrated": true, "in_use": true, "power_supply": true, "ready": true, "started": true },
    });
    let mut grip = json!({
        "device_id": "61548",
        "state": { "button": button, "hall": 0, "orientation": { "w": 1.0, "x": 0.0, "y": 0.0, "z": 0.0 } },
        "status": { "error": 0, "ready": true },
    });
    if full {
        arm["config"] = json!({ "type": "inverse3", "port": "COM12", "handedness": "right" });
        grip["config"] = json!({ "type": "verse_grip", "port": "COM3" });
    }
    json!({ "session_id": 7, "inverse3": [arm], "verse_grip": [grip], "wireless_verse_grip": [] })
}

type Socket = WebSocket<std::net::TcpStream>;

fn send(socket: &mut Socket, value: &Value) -> Result<(), Failure> {
    Ok(socket.send(Message::text(value.to_string()))?)
}

/// The force along y that a message asks for, which has to be as documented.
fn asked(socket: &mut Socket) -> Result<f64, Failure> {
    let text = socket.read()?.into_text()?;
    let said: Value = serde_json::from_str(&text)?;
    let arm = &said["inverse3"][0];
    assert_eq!(arm["device_id"], "049D", "{said}");
    let vector = &arm["commands"]["set_cursor_force"]["vector"];
    let [x, y, z] = ["x", "y", "z"].map(|axis| vector[axis].as_f64().unwrap_or(f64::NAN));
    assert!(Vec3::new(x, y, z).length() <= 5.0 + 1e-9, "{said}");
    Ok(y)
}

fn accept(service: &TcpListener) -> Result<Socket, Failure> {
    let (stream, _) = service.accept()?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut socket = tungstenite::accept(stream).map_err(|e| e.to_string())?;
    send(&mut socket, &state(0.0, false, true))?;
    Ok(socket)
}

fn until(what: &str, status: &Status, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !is_so() {
        assert!(Instant::now() < end, "{what}: {:?}", status.output(0));
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn an_inverse3_grips_feels_is_let_go_when_its_service_is_lost_and_comes_back() -> Result<(), Failure> {
    let service = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let live = begin(service.local_addr()?)?;
    for round in 0..2 {
        let mut socket = accept(&service)?;
        let first = socket.read()?.into_text()?;
        assert!(first.contains("\"profile\""), "{first}");
        let mut strongest = 0.0f64;
        for n in 0..1200 {
            // it waits, presses its button, and goes 6 cm aside, which stretches the rod with more than a device is asked for
            let aside = 0.06 * (f64::from(n - 200).max(0.0) / 500.0).min(1.0);
            send(&mut socket, &state(aside, n > 100, false))?;
            strongest = strongest.min(asked(&mut socket)?);
        }
        assert!((-5.0 - 1e-9..-4.9).contains(&strongest), "round {round}: felt {strongest} N");
        assert_eq!(live.status.grasped(0), Some(Grasped::Body(0)), "round {round}");
        // the service falls silent, without a word
        until("no force", &live.status, || {
            let output = live.status.output(0);
            output.wrench.force.length() == 0.0 && output.state != State::Ok || live.status.grasped(0).is_none()
        });
        drop(socket);
        until("let go", &live.status, || live.status.grasped(0).is_none());
        assert_eq!(live.status.output(0).wrench.force.length(), 0.0);
    }
    live.end();
    Ok(())
}

#[test]
fn a_service_that_talks_nonsense_moves_nobody() -> Result<(), Failure> {
    let service = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let live = begin(service.local_addr()?)?;
    for nonsense in [
        "",
        "[]",
        "{\"inverse3\": 5}",
        "{\"inverse3\": [{\"device_id\": \"a\", \"state\": {\"cursor_position\": {\"x\": 1e300}}}]}",
        "{}",
    ] {
        let mut socket = accept(&service)?;
        socket.read()?;
        socket.send(Message::text(nonsense))?;
        // it hangs up, or goes on without a hand
        let _ = socket.read();
        let at = live.status.output(0);
        assert_eq!(at.wrench.force.length(), 0.0, "{nonsense}");
    }
    let (_, session) = live.end();
    let z = session.ok_or("a thread has panicked")?.pose(0).translation.z;
    assert!((z - 0.2).abs() < 0.01 || z == 1e3, "{z}");
    Ok(())
}
