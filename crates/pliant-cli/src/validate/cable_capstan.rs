//! The cable pulled over a drum, against the law of the capstan with thickness and stiffness.

use std::f64::consts::PI;

use pliant::cable::CableSettings;
use pliant::contact::ShapeKind;
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Frame, Friction, Hold, Load, Place, Rigidities, Section, World};

use super::contact::{RADIUS, cable, coulomb, deepest, hand, obstacle, rigidities, silicone};
use super::references::capstan;
use super::rods::built;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_cable("capstan", thick),
    Case::of_cable("capstan-stiff", stiff),
    Case::of_cable("capstan-power-law", power_law),
];

const DRUM: f64 = 0.02;

/// Radius of the wrapped centre line [m].
const WRAP: f64 = DRUM + RADIUS;

/// A cable on a drum, pulled at one end until it slides, with a dead load at the other.
///
/// Along the arc, by angle: T' = q R / Rc and p = T - (r / Rc) q', with the normal force p and the friction q at the surface
/// of the drum (the moment is constant, so that the shear force is r q / Rc).
/// Where the cable comes on, it cannot be bent more than the drum without entering it, so that friction of a point force,
/// which would do that, is not possible: there is none, T = T0 cos f0 and r q / Rc = T0 sin f0 with cos f0 = 1 - EI / (2 T0
/// Rc^2). Where it leaves, a point force P = T1 sin f1 + r q / Rc acts, and its friction takes r F off the moment:
/// T1 cos f1 = T + F, EI / Rc - r F = sqrt(2 EI T1 (1 - cos f1)), with the sign of f1.
#[derive(Clone, Copy)]
struct Law {
    friction: Friction,
    load: f64,
    angle: f64,
    bending: f64,
}

impl Law {
    /// Normal force by angle that gives a friction by angle. Per length of the centre line where it is a power law.
    fn normal(&self, q: f64) -> f64 {
        let Friction { coefficient, exponent } = self.friction;
        (q / (coefficient * WRAP.powf(1.0 - exponent))).powf(1.0 / exponent)
    }

    /// Tension and friction after an arc, by the Runge-Kutta method.
    fn along(&self, tension: f64, friction: f64, arc: f64) -> [f64; 2] {
        let rate = |[t, q]: [f64; 2]| [q * DRUM / WRAP, (t - self.normal(q.max(0.0))) * WRAP / RADIUS];
        let add = |y: [f64; 2], h: f64, k: [f64; 2]| [y[0] + h * k[0], y[1] + h * k[1]];
        // the layer in which q comes to its own is mu r / Rc wide
        let steps = 4000;
        let h = arc / f64::from(steps);
        (0..steps).fold([tension, friction], |y, _| {
            let a = rate(y);
            let b = rate(add(y, 0.5 * h, a));
            let c = rate(add(y, 0.5 * h, b));
            let d = rate(add(y, h, c));
            let mean = std::array::from_fn(|k| (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]) / 6.0);
            add(y, h, mean)
        })
    }

    /// The pull at which it slides.
    fn pull(&self) -> f64 {
        let Law { load, bending, .. } = *self;
        let come = (1.0 - bending / (2.0 * load * WRAP * WRAP)).acos();
        let first = [load * come.cos(), load * come.sin() * WRAP / RADIUS];
        // for a power law a point force has no friction, as it has no width
        let point = if self.friction.exponent == 1.0 { self.friction.coefficient } else { 0.0 };
        let leave = |angle: f64| {
            let [tension, friction] = self.along(first[0], first[1], self.angle - come - angle);
            let shear = RADIUS * friction / WRAP;
            let pull = (tension + point * shear) / (angle.cos() - point * angle.sin());
            let rubbing = point * (pull * angle.sin() + shear);
            let moment = (2.0 * bending * pull * (1.0 - angle.cos())).sqrt() * angle.signum();
            (moment - bending / WRAP + RADIUS * rubbing, pull)
        };
        let (mut low, mut high) = (-0.2, 1.2);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if leave(middle).0 < 0.0 { low = middle } else { high = middle }
        }
        leave(low).1
    }
}

/// What is measured when it slides.
struct Slid {
    /// Mean pull of the hand [N].
    pull: f64,
    /// How much the pull differs between the two halves of the time it was measured in, relative.
    drift: f64,
    /// Deepest penetration [m].
    depth: f64,
}

/// Rise of the helix in a turn [m].
const PITCH: f64 = 6.0 * RADIUS;

/// Wrap a cable, load its start and pull its end.
fn slide(section: Section, law: &Law, segments: usize, step: f64, far: f64) -> Slid {
    let (slope, points) = (PITCH / (2.0 * PI * WRAP), 400);
    let rise = |angle: f64| Vec3::new(WRAP * angle.cos(), WRAP * angle.sin(), PITCH * angle / (2.0 * PI));
    let along = |angle: f64| Vec3::new(-angle.sin(), angle.cos(), slope).normalize();
    // the direction of a helix turns by cos of its slope less than it goes round
    let angle = law.angle / Vec3::new(0.0, 1.0, slope).normalize().y;
    // what the hand pulls off the drum comes from the start
    let (before, after) = (far + 0.02, 0.02);
    let mut path = vec![rise(0.0) - along(0.0) * before];
    path.extend((0..=points).map(|k| rise(angle * f64::from(k) / f64::from(points))));
    path.push(rise(angle) + along(angle) * after);
    let end = path[path.len() - 1];
    let settings = CableSettings { damping_time: 2e-3, drag: 10.0, ..CableSettings::default() };
    let mut world = cable(silicone(law.friction), section, path, segments, settings, Vec3::ZERO);
    let middle = Pose::from_translation(Vec3::Z * (0.5 * PITCH * angle / (2.0 * PI)));
    obstacle(&mut world, "drum", ShapeKind::Cylinder { radius: DRUM, length: 0.3 }, middle);
    let force = along(0.0) * -law.load;
    let place = Place::Fraction(0.0);
    built(world.add_load(Load { body: 0, place, force, torque: Vec3::ZERO, from: 0.0, until: f64::INFINITY }));
    let speed = 0.01;
    let window = Window { start: 0.2, end: f64::INFINITY };
    let motion = Motion::Glide { velocity: along(angle) * speed, acceleration: Vec3::ZERO, window };
    hand(&mut world, 1.0, Hold::Position, Pose::from_parts(end, Quat::IDENTITY), motion, f64::INFINITY);
    measure(world, step, 0.2 + far / speed)
}

/// Mean pull over the last quarter.
fn measure(mut world: World, step: f64, until: f64) -> Slid {
    let count = (until / step) as usize;
    let (mut sums, mut depth) = ([0.0; 2], 0.0_f64);
    let half = count / 8;
    let mut frame = Frame::default();
    for k in 0..count {
        if world.step(step).is_err() {
            return Slid { pull: f64::NAN, drift: f64::NAN, depth: f64::NAN };
        }
        world.write_frame(&mut frame);
        depth = depth.max(deepest(&frame));
        let from_end = count - 1 - k;
        if from_end < 2 * half {
            sums[from_end / half] += frame.grippers[0].load.force.length() / half as f64;
        }
    }
    Slid { pull: 0.5 * (sums[0] + sums[1]), drift: (sums[0] / sums[1] - 1.0).abs(), depth }
}

fn explicit(given: Rigidities) -> Section {
    Section::Explicit(given)
}

/// Thickness alone: with a hundredth of the bending stiffness.
fn thick(sheet: &mut Sheet) {
    for r in capstan().coulomb_finite_thickness.iter().filter(|r| r.mu < 0.4 && r.thickness == 0.1) {
        let given = rigidities(1e-3, 1.0);
        let law = Law { friction: coulomb(r.mu), load: 0.2, angle: r.angle * PI, bending: given.ei[0] };
        let slid = slide(explicit(given), &law, 160, 0.01, 0.04);
        let name = format!("pull / load at {} pi, mu = {}", r.angle, r.mu);
        eprintln!("{name}: full law {} drift {} depth {}", law.pull() / law.load, slid.drift, slid.depth);
        sheet.relative(name, 160, slid.pull / law.load, r.ratio, 0.01);
    }
}

/// The paper's cable as it is, with a load at which its stiffness shows.
fn stiff(sheet: &mut Sheet) {
    for (mu, angle, load) in [(0.3, 0.5, 1.0), (0.3, 1.0, 1.0), (0.3, 1.0, 0.3), (0.1, 2.0, 1.0), (0.3, 2.0, 0.5)] {
        let given = rigidities(1.0, 1.0);
        let law = Law { friction: coulomb(mu), load, angle: angle * PI, bending: given.ei[0] };
        let slid = slide(explicit(given), &law, 160, 0.01, 0.04);
        let name = format!("pull / load at {angle} pi, mu = {mu}, {load} N");
        eprintln!("{name}: drift {} depth {}", slid.drift, slid.depth);
        sheet.relative(name, 160, slid.pull / load, law.pull() / load, 0.01);
    }
}

/// The power law of friction, per length.
fn power_law(sheet: &mut Sheet) {
    let friction = Friction { coefficient: 1.296, exponent: 0.7616 };
    // ten times as stiff against stretching: the length that the law goes by is that of the cable without load
    let given = rigidities(1e-3, 10.0);
    let law = Law { friction, load: 1.0, angle: PI, bending: given.ei[0] };
    let thin = capstan().power_law.iter().find(|r| r.load == 1.0 && r.angle == 1.0).map_or(f64::NAN, |r| r.pull);
    eprintln!("thin {thin} thick {}", law.pull());
    let pulls = [80, 160, 320].map(|segments| {
        let slid = slide(explicit(given), &law, segments, 0.01, 0.03);
        eprintln!("{segments}: {} drift {} depth {}", slid.pull, slid.drift, slid.depth);
        sheet.relative("pull at pi, 1 N [N]", segments, slid.pull, law.pull(), 0.02);
        slid.pull
    });
    sheet.relative("pull with 80 segments against 320", 80, pulls[0], pulls[2], 0.01);
    sheet.relative("pull with 160 segments against 320", 160, pulls[1], pulls[2], 0.01);
}
