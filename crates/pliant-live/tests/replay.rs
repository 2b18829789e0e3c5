//! A live run and its replay end with the same bits.

use std::time::Duration;

use pliant_live::{
    Action, Command, Controls, Fitting, HANDS, Head, Limits, Live, Log, Queues, Replay, Rhythm, Script, Session, Setup,
};
use pliant_scene::{Ending, Scene, parse};

type Failure = Box<dyn std::error::Error>;

/// A rod or a solid that hangs, or lies on a table.
fn scene(model: &str) -> Result<Scene, Failure> {
    let body = match model {
        "lattice" => "solid = { box = { size = [0.06, 0.04, 0.04], cells = [3, 2, 2] } }\nposition = [0, 0, 0.02]\n",
        "elastica" => "radius = 0.004\npath = [[0, 0, 0.2], [0.2, 0, 0.2]]\nnormal = [0, 1, 0]\nintervals = 10\n",
        "chain" => "radius = 0.004\npath = [[0, 0, 0.2], [0.2, 0, 0.2]]\npoints = 11\n",
        _ => "radius = 0.004\npath = [[0, 0, 0.2], [0.2, 0, 0.2]]\nsegments = 20\n",
    };
    let grip = if model == "lattice" {
        ""
    } else {
        "[[gripper]]\nname = \"wall\"\ngrips = [{ body = \"b\", at = \"start\", orientation = true }]\n"
    };
    let text = format!(
        "duration = 1\nstep = 0.001\n[material.m]\nyoung = 2e6\npoisson = 0.4\ndensity = 1100\nfriction = {{ coefficient = 0.5 }}\n\
         [[body]]\nname = \"b\"\nmodel = \"{model}\"\nmaterial = \"m\"\n{body}\
         [[obstacle]]\nname = \"table\"\nshape = {{ plane = {{}} }}\n{grip}{PLATE}"
    );
    Ok(parse(&text, "live", std::path::Path::new("."), &[])?)
}

/// Above the end of a rod.
const PLATE: &str = "[[obstacle]]\nname = \"plate\"\nshape = { box = { size = [0.03, 0.03, 0.004] } }\nposition = [0.19, 0, 0.207]\nhand = true\n";

fn setup(script: Option<Script>, rhythm: Rhythm) -> Setup {
    Setup {
        rate: 1000.0,
        rhythm,
        feels: [false; HANDS],
        coupling: pliant_live::Coupling::default(),
        limits: Limits::default(),
        devices: None,
        haply: None,
        script,
        threads: 1,
        core: None,
        first: false,
    }
}

fn at_its_end(scene: &Scene) -> pliant::math::Vec3 {
    scene.world.frame().bodies[0].nodes.last().copied().unwrap_or_default()
}

#[test]
fn a_live_run_replays_to_the_same_bits() -> Result<(), Failure> {
    let (beats, own) = (Rhythm::Beats, Rhythm::Own);
    let runs = [
        ("cable", beats, false),
        ("chain", beats, false),
        ("lattice", beats, false),
        ("cable", own, false),
        ("cable", beats, true),
        ("chain", own, true),
    ];
    for (model, rhythm, carries) in runs {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("controls.jsonl");
        let begun = scene(model)?;
        let dt = if rhythm == own { 0.005 } else { 0.001 };
        let carries = [carries.then(|| "plate".to_string()), None];
        let fitting = Fitting { carries: carries.clone(), movable: begun.movable.clone(), ..Fitting::default() };
        let session = Session::new(begun.world.clone(), dt, &fitting)?;
        let script = Script::demo(at_its_end(&begun));
        let (live, Queues { mut commands, outlets, log }) =
            Live::begin(session, Setup { feels: fitting.feels(), ..setup(Some(script), rhythm) })?;
        let head = Head {
            pliant_controls: 1,
            scene: model.into(),
            set: vec![],
            model: None,
            step: dt,
            fingers: [None; HANDS],
            carries,
        };
        let log = Log::begin(&path, &head, log, live.status.clone())?;
        // what was kept and lost must not matter
        std::thread::sleep(Duration::from_millis(600));
        commands.push(Command::Do(Action::Keep)).map_err(|e| e.to_string())?;
        std::thread::sleep(Duration::from_millis(300));
        commands.push(Command::Do(Action::Back)).map_err(|e| e.to_string())?;
        std::thread::sleep(Duration::from_millis(300));
        let (status, session) = live.end();
        log.end()?;
        drop((commands, outlets));

        let controls = Controls::read(std::io::BufReader::new(std::fs::File::open(&path)?))?;
        assert!(controls.entries.len() > 20 && controls.steps > 50, "{model}: {controls:?}");
        let mut again = scene(model)?;
        let mut replay = Replay::prepare(&mut again, controls)?;
        let ran = replay.run(&mut again, |_| Ok::<(), std::convert::Infallible>(()));
        assert!(matches!(ran.ending, Ending::Done) && replay.refused.is_none(), "{model}: {:?}", replay.refused);
        assert!(ran.steps < status.figures().steps, "{model}: nothing was lost");
        let lived = session.ok_or("the loop has panicked")?;
        assert!(lived.world().snapshot() == again.world.snapshot(), "{model}: another state");
        let moved = at_its_end(&again).distance(at_its_end(&begun));
        assert!(moved > 1e-4, "{model}: the hand moved it by {moved} m");
    }
    Ok(())
}
