//! Joukhadar's Fig. 33: a vehicle that adapts its configuration as it crosses hilly terrain.

use pliant::World;
use pliant::contact::ShapeKind;
use pliant::math::Vec3;

use super::lattice_pictures::{Chart, GROUND, Panel, Picture, Series, View, pieces};
use super::lattice_steps::solid;
use super::{Results, run, scene};
use crate::Failure;
use pliant_record::short;

const VEHICLE: &str = include_str!("../../scenes/003-vehicle.toml");
const RADIUS: f64 = 0.1;
const WHEELS: [(&str, Vec3); 4] = [
    ("front left", Vec3::new(0.2, 0.22, 0.1)),
    ("front right", Vec3::new(0.2, -0.22, 0.1)),
    ("rear left", Vec3::new(-0.2, 0.22, 0.1)),
    ("rear right", Vec3::new(-0.2, -0.22, 0.1)),
];

/// Instants of the picture [s].
const SHOTS: [f64; 4] = [0.0, 1.8, 3.0, 4.5];

/// Heights of the ground on a grid centred on the origin [m].
struct Ground {
    heights: Vec<Vec<f64>>,
    size: [f64; 2],
}

impl Ground {
    fn of(world: &World) -> Result<Ground, Failure> {
        match world.obstacles().first().map(|o| o.params.shape.kind()) {
            Some(ShapeKind::HeightField { heights, size }) => Ok(Ground { heights: heights.clone(), size: *size }),
            _ => Err(Failure::Run("the scene has no hills".into())),
        }
    }

    fn corner(&self, i: usize, j: usize) -> Vec3 {
        let (rows, columns) = (self.heights.len(), self.heights[0].len());
        let x = self.size[0] * (i as f64 / (columns - 1) as f64 - 0.5);
        let y = self.size[1] * (j as f64 / (rows - 1) as f64 - 0.5);
        Vec3::new(x, y, self.heights[j][i])
    }

    /// Height at a point, interpolated bilinearly [m].
    fn under(&self, p: Vec3) -> f64 {
        let (rows, columns) = (self.heights.len(), self.heights[0].len());
        let place = |v: f64, size: f64, count: usize| {
            let at = ((v / size + 0.5) * (count - 1) as f64).clamp(0.0, (count - 1) as f64 - 1e-9);
            (at.floor() as usize, at.fract())
        };
        let ((i, u), (j, v)) = (place(p.x, self.size[0], columns), place(p.y, self.size[1], rows));
        let h = |i: usize, j: usize| self.heights[j][i];
        (h(i, j) * (1.0 - u) + h(i + 1, j) * u) * (1.0 - v) + (h(i, j + 1) * (1.0 - u) + h(i + 1, j + 1) * u) * v
    }
}

/// Particles of wheels and chassis, by their initial position; the attractor is not part of the surface.
struct Parts {
    wheels: [Vec<usize>; 4],
    chassis: Vec<usize>,
}

impl Parts {
    fn of(world: &World, placed: Vec3) -> Result<Parts, Failure> {
        let (body, known) = (solid(world, 0)?, pieces(solid(world, 0)?));
        let mut on_surface: Vec<usize> = body.facets().iter().flatten().map(|n| *n as usize).collect();
        on_surface.sort_unstable();
        on_surface.dedup();
        let nearest = |at: Vec3| {
            let distance = |n: &&usize| (body.places()[**n] - at).length_squared();
            let first = on_surface.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).map_or(0, |n| known[*n]);
            on_surface.iter().copied().filter(|n| known[*n] == first).collect::<Vec<_>>()
        };
        // at the outer ends of axles
        let wheels = WHEELS.map(|(_, at)| nearest(placed + at + Vec3::Y * 0.03 * at.y.signum()));
        Ok(Parts { wheels, chassis: nearest(placed + Vec3::new(0.3, 0.15, 0.25)) })
    }
}

fn middle(world: &World, of: &[usize]) -> Result<Vec3, Failure> {
    let places = solid(world, 0)?.places();
    Ok(of.iter().map(|n| places[*n]).sum::<Vec3>() / of.len() as f64)
}

/// Upward normal of the chassis, from the positions of the wheels.
fn up(world: &World, parts: &Parts) -> Result<Vec3, Failure> {
    let axle = |a: usize, b: usize| -> Result<Vec3, Failure> {
        Ok(middle(world, &parts.wheels[a])? - middle(world, &parts.wheels[b])?)
    };
    let forward = axle(0, 2)? + axle(1, 3)?;
    let left = axle(0, 1)? + axle(2, 3)?;
    Ok(forward.cross(left).normalize_or_zero())
}

/// Observations of a run.
#[derive(Default)]
struct Track {
    /// Of each wheel: fraction of the time on the ground, smallest height of the axle above the ground.
    touching: [f64; 4],
    axle: [f64; 4],
    deepest: f64,
    /// Over time: pitch and roll [degrees], height of the chassis [m].
    pitch: Vec<[f64; 2]>,
    roll: Vec<[f64; 2]>,
    height: Vec<[f64; 2]>,
    least_up: f64,
    most_off: f64,
    off: f64,
}

/// Fig. 33: a vehicle on hilly terrain.
pub fn vehicle(results: &mut Results) -> Result<(), Failure> {
    results.choice(
        "vehicle",
        "a chassis and four wheels, prisms of 12 sides, on axles of linear connectors; none is described",
    );
    results.choice("what moves it", "an attractor, section 5.1: a particle that is led, on two springs");
    results.choice("terrain", "hills of up to 0.11 m, a wheel's radius, left and right sides unlike; none is given");
    let mut scene = scene(VEHICLE, "scenes/003-vehicle.toml", &[])?;
    let ground = Ground::of(&scene.world)?;
    let parts = Parts::of(&scene.world, Vec3::new(-2.0, 0.0, 0.001))?;
    let start = middle(&scene.world, &parts.chassis)?;
    let mut track = Track { axle: [f64::INFINITY; 4], least_up: 1.0, ..Track::default() };
    let mut picture = Picture::new("A vehicle crosses hills (Fig. 33)", View::from(-18.0, 28.0));
    draw_ground(&mut picture, &ground);
    let (steps, step) = (scene.steps(), scene.step);
    let clock = std::time::Instant::now();
    run(&mut scene, |moment| {
        let time = moment.world.time();
        track.look(moment.world, &parts, &ground, time)?;
        if SHOTS.iter().any(|t| (t - time).abs() < 0.5 * step) {
            picture.body(solid(moment.world, 0)?, &[0, 1, 2, 3, 4], [0.0, 0.0]);
        }
        Ok(())
    })?;
    let wall = clock.elapsed().as_secs_f64();
    let looks = (steps + 1) as f64;
    let went = middle(&scene.world, &parts.chassis)?.x - start.x;
    results.statement("it crosses the hills, goes by", "m", went, went > 2.5);
    results.statement("it stays upright: least cosine of its tilt", "-", track.least_up, track.least_up > 0.8);
    for (n, (name, _)) in WHEELS.iter().enumerate() {
        let part = track.touching[n] / looks;
        results.statement(format!("{name} wheel is on the ground, part of the time"), "-", part, part > 0.6);
        let over = track.axle[n] / RADIUS;
        results.statement(
            format!("{name} wheel is not in the ground: least height of its axle over its radius"),
            "-",
            over,
            over > 0.75,
        );
    }
    results.statement("deepest that a wheel is in the ground", "mm", 1e3 * track.deepest, track.deepest < 0.02);
    let range = |of: &[[f64; 2]]| of.iter().fold([0.0, 0.0], |r: [f64; 2], p| [r[0].min(p[1]), r[1].max(p[1])]);
    let ([a, b], [c, d]) = (range(&track.pitch), range(&track.roll));
    results.statement("it finds its configuration: range of its pitch", "deg", b - a, b - a > 5.0);
    results.statement("and of its roll", "deg", d - c, d - c > 5.0);
    let text =
        "which are those of the ground under its wheels to 5 degrees at all times, also with wheels in the air; most";
    results.statement(text, "deg", track.most_off, track.most_off < 5.0);
    results.remark(format!(
        "In the mean its tilt differs from that of the ground by {} degrees.",
        short(track.off / looks)
    ));
    let ledger = solid(&scene.world, 0)?.ledger();
    let gain = scene.duration / ledger.shortest / (ledger.steps + ledger.refused) as f64;
    results.remark(format!(
        "{} steps and {} refused for {} s, the shortest {} s; {} s on the wall. Constant steps as short would be {} times as \
         many.",
        ledger.steps,
        ledger.refused,
        short(scene.duration),
        short(ledger.shortest),
        short(wall),
        short(gain)
    ));
    results.pictures.push(("003-vehicle".into(), picture.svg()));
    let series = |label: &str, points: Vec<[f64; 2]>| Series { label: label.into(), points, marks: false };
    let chart = Chart {
        title: "Configuration of the vehicle".into(),
        label: "time [s]".into(),
        log: false,
        panels: vec![
            Panel { label: "height of the chassis [m]".into(), log: false, series: vec![series("", track.height)] },
            Panel {
                label: "tilt [degrees]".into(),
                log: false,
                series: vec![series("pitch", track.pitch), series("roll", track.roll)],
            },
        ],
    };
    results.pictures.push(("003-vehicle-tilt".into(), chart.svg()));
    Ok(())
}

impl Track {
    fn look(&mut self, world: &World, parts: &Parts, ground: &Ground, time: f64) -> Result<(), Failure> {
        let frame = world.frame();
        let mut under = [Vec3::ZERO; 4];
        for n in 0..4 {
            let axle = middle(world, &parts.wheels[n])?;
            under[n] = Vec3::new(axle.x, axle.y, ground.under(axle));
            self.axle[n] = self.axle[n].min(axle.z - under[n].z);
            let near = |p: Vec3| (p - axle).length() < 1.3 * RADIUS;
            self.touching[n] += f64::from(u8::from(frame.contacts.iter().any(|c| near(c.position))));
        }
        self.deepest = frame.contacts.iter().map(|c| c.penetration).fold(self.deepest, f64::max);
        let up = up(world, parts)?;
        self.least_up = self.least_up.min(up.z);
        let degrees = |up: Vec3| [(-up.x).atan2(up.z).to_degrees(), (-up.y).atan2(up.z).to_degrees()];
        let [pitch, roll] = degrees(up);
        self.pitch.push([time, pitch]);
        self.roll.push([time, roll]);
        self.height.push([time, middle(world, &parts.chassis)?.z]);
        // the plane through the ground under the wheels
        let forward = under[0] - under[2] + under[1] - under[3];
        let left = under[0] - under[1] + under[2] - under[3];
        let ground_up = forward.cross(left).normalize_or_zero();
        let off = up.angle_between(ground_up).to_degrees();
        (self.most_off, self.off) = (self.most_off.max(off), self.off + off);
        Ok(())
    }
}

fn draw_ground(picture: &mut Picture, ground: &Ground) {
    let (rows, columns) = (ground.heights.len(), ground.heights[0].len());
    for j in 0..rows - 1 {
        for i in 0..columns - 1 {
            let corners =
                [ground.corner(i, j), ground.corner(i + 1, j), ground.corner(i + 1, j + 1), ground.corner(i, j + 1)];
            picture.face(&corners, GROUND, [0.0, 0.0]);
        }
    }
}
