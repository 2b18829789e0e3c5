//! A cable pulled over a drum, against the capstan equation with thickness and bending stiffness.

use std::f64::consts::PI;

use pliant::cable::{CableSettings, Solver};
use pliant::contact::ShapeKind;
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Frame, Friction, Hold, Load, Place, Section, World};

use super::contact::{RADIUS, cable, coulomb, hand, obstacle, rigidities, silicone};
use super::references::capstan;
use super::rods::built;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_cable("capstan", thick),
    Case::of_cable("capstan-stiff", stiff),
    Case::of_cable("capstan-power-law", power_law),
    Case::of_cable("capstan-power-law-limp", power_law_limp),
];

const DRUM: f64 = 0.02;

/// Radius of the wrapped centre line [m].
const WRAP: f64 = DRUM + RADIUS;

/// A cable on a drum, pulled at one end until it slides, with a dead load at the other.
///
/// Along the arc, per angle: T' = q R / Rc and p = T - (r / Rc) q', with the normal force p and the friction q at the
/// surface of the drum (the moment is constant, so the shear force is r q / Rc). Where the cable runs on, it cannot
/// bend more than the drum without penetrating it, so there can be no point force with friction, which would bend it
/// more: T = T0 cos f0 and r q / Rc = T0 sin f0 with cos f0 = 1 - EI / (2 T0 Rc^2). Where it runs off, a point force P
/// = T1 sin f1 + r q / Rc acts, and its friction F reduces the moment by r F: T1 cos f1 = T + F, EI / Rc - r F = sqrt(2
/// EI T1 (1 - cos f1)), with the sign of f1.
#[derive(Clone, Copy)]
struct Law {
    friction: Friction,
    load: f64,
    angle: f64,
    bending: f64,
}

impl Law {
    /// Normal force per angle that gives a friction force per angle; per length of the centre line for a power law.
    fn normal(&self, q: f64) -> f64 {
        let Friction { coefficient, exponent } = self.friction;
        (q / (coefficient * WRAP.powf(1.0 - exponent))).powf(1.0 / exponent)
    }

    /// Tension and friction after an arc, by the Runge-Kutta method.
    fn along(&self, tension: f64, friction: f64, arc: f64) -> [f64; 2] {
        let rate = |[t, q]: [f64; 2]| [q * DRUM / WRAP, (t - self.normal(q.max(0.0))) * WRAP / RADIUS];
        let add = |y: [f64; 2], h: f64, k: [f64; 2]| [y[0] + h * k[0], y[1] + h * k[1]];
        // the boundary layer of q is mu r / Rc wide
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

    /// The pull at which it slides. The point force at the run-off acts over a width [m], which does not matter for
    /// Coulomb friction but determines the friction of a power law.
    fn pull(&self, width: f64) -> f64 {
        let Law { load, bending, friction, .. } = *self;
        let come = (1.0 - bending / (2.0 * load * WRAP * WRAP)).acos();
        let first = [load * come.cos(), load * come.sin() * WRAP / RADIUS];
        let rubs = friction.coefficient * width.powf(1.0 - friction.exponent);
        let leave = |angle: f64| {
            let [tension, rubbing] = self.along(first[0], first[1], self.angle - come - angle);
            let shear = RADIUS * rubbing / WRAP;
            // T1 cos f1 = T + F(T1 sin f1 + shear) by fixed-point iteration: F grows by less than mu f1 of T1
            let (mut pull, mut rubbing) = (tension, 0.0);
            for _ in 0..40 {
                rubbing = rubs * (pull * angle.sin() + shear).max(0.0).powf(friction.exponent);
                pull = (tension + rubbing) / angle.cos();
            }
            let moment = (2.0 * bending * pull * (1.0 - angle.cos())).sqrt() * angle.signum();
            (moment - bending / WRAP + RADIUS * rubbing, pull)
        };
        let (mut low, mut high) = (-0.2, 1.2);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if leave(middle).0 < 0.0 { low = middle } else { high = middle }
        }
        leave(low).1
    }
}

/// Measurements while it slides.
struct Slid {
    /// Force on the hand at the end [N].
    force: Vec3,
    /// Mean pull of the hand [N].
    pull: f64,
    /// How much farther round the drum the hand pulls than the law assumes [rad]: it holds the end at a finite
    /// distance.
    turned: f64,
    /// Length of a link [m].
    link: f64,
}

/// Pitch of the helix [m].
const PITCH: f64 = 6.0 * RADIUS;

/// Wrap a cable, load its start and pull its end.
fn slide(section: Section, law: &Law, segments: usize, step: f64, far: f64, solver: Solver) -> Slid {
    let (slope, points) = (PITCH / (2.0 * PI * WRAP), 400);
    let rise = |angle: f64| Vec3::new(WRAP * angle.cos(), WRAP * angle.sin(), PITCH * angle / (2.0 * PI));
    let along = |angle: f64| Vec3::new(-angle.sin(), angle.cos(), slope).normalize();
    // the tangent of a helix turns by the cosine of its slope less than the helix winds
    let angle = law.angle / Vec3::new(0.0, 1.0, slope).normalize().y;
    // the hand pulls cable off the drum, which the start must supply
    let (before, after) = (far + 0.02, 0.05);
    let mut path = vec![rise(0.0) - along(0.0) * before];
    path.extend((0..=points).map(|k| rise(angle * f64::from(k) / f64::from(points))));
    path.push(rise(angle) + along(angle) * after);
    let end = path[path.len() - 1];
    let settings = CableSettings { damping_time: 2e-3, drag: 10.0, solver, ..CableSettings::default() };
    let mut world = cable(silicone(law.friction), section, path, segments, settings, Vec3::ZERO);
    let middle = Pose::from_translation(Vec3::Z * (0.5 * PITCH * angle / (2.0 * PI)));
    obstacle(&mut world, "drum", ShapeKind::Cylinder { radius: DRUM, length: 0.3 }, middle);
    let force = along(0.0) * -law.load;
    let place = Place::Fraction(0.0);
    built(world.add_load(Load::new(built(world.body_at(0)), place, force)));
    let speed = 0.02;
    let window = Window { start: 0.2, end: f64::INFINITY };
    let motion = Motion::Glide { velocity: along(angle) * speed, acceleration: Vec3::ZERO, window };
    hand(&mut world, 1.0, Hold::Position, Pose::from_parts(end, Quat::IDENTITY), motion, f64::INFINITY);
    let link = (before + after + angle * WRAP * slope.hypot(1.0)) / segments as f64;
    let mut slid = measure(world, step, 0.2 + far / speed);
    // the load on the gripper points to the drum; the helix winds to the left
    let (ahead, left) = (along(angle), Vec3::Z.cross(along(angle)));
    slid.turned = (-slid.force.dot(left)).atan2(-slid.force.dot(ahead));
    slid.link = link;
    slid
}

/// Mean pull over the last quarter of the run.
fn measure(mut world: World, step: f64, until: f64) -> Slid {
    let count = (until / step) as usize;
    let mut sum = 0.0;
    let last = count / 4;
    let mut frame = Frame::default();
    for k in 0..count {
        if world.step(step).is_err() {
            break;
        }
        world.write_frame(&mut frame);
        if k + last >= count {
            sum += frame.grippers[0].load.force.length() / last as f64;
        }
    }
    let force = frame.grippers[0].load.force;
    let done = if world.time() > until - 1.5 * step { 1.0 } else { f64::NAN };
    Slid { force, turned: 0.0, link: 0.0, pull: done * sum }
}

/// Thickness alone: a limp cable, with a twentieth of the bending stiffness. By Newton's method: with `subsystems` the
/// pull at 4 pi and mu = 0.3 is 1.2 % too low.
fn thick(sheet: &mut Sheet) {
    let cases = capstan().coulomb_finite_thickness;
    for r in cases.iter().filter(|r| r.mu < 0.4 && r.thickness == 0.1) {
        // at the pull of 30 N that four half-turns would need, the cable would stretch to twice its length
        let hard = r.mu > 0.2 && r.angle > 3.0;
        let given = rigidities(0.05, 1.0);
        let load = if hard { 0.2 } else { 1.0 };
        let law = Law { friction: coulomb(r.mu), load, angle: r.angle * PI, bending: given.ei[0] };
        let slid = slide(Section::Explicit(given), &law, 160, 0.01, 0.04, Solver::Newton);
        let name = format!("pull / load at {} pi, mu = {}", r.angle, r.mu);
        if hard {
            let name = format!("{name}, {load} N, with stiffness");
            sheet.relative(name, 160, slid.pull / load, law.pull(1.0) / load, 0.01);
        } else {
            sheet.relative(name, 160, slid.pull / load, r.ratio, 0.01);
        }
    }
}

/// The paper's cable as it is, under loads at which its stiffness matters.
fn stiff(sheet: &mut Sheet) {
    for (mu, angle, load) in [(0.3, 0.5, 1.0), (0.3, 1.0, 1.0), (0.3, 1.0, 0.3), (0.1, 2.0, 1.0), (0.3, 2.0, 0.5)] {
        let given = rigidities(1.0, 1.0);
        let mut law = Law { friction: coulomb(mu), load, angle: angle * PI, bending: given.ei[0] };
        let slid = slide(Section::Explicit(given), &law, 160, 0.01, 0.04, Solver::default());
        law.angle += slid.turned;
        let name = format!("pull / load at {angle} pi, mu = {mu}, {load} N, with stiffness");
        sheet.relative(name, 160, slid.pull / load, law.pull(1.0) / load, 0.01);
    }
}

/// Power-law friction per length. The point force at the run-off acts over one link.
fn power_law(sheet: &mut Sheet) {
    let [coarse, middle, fine] = [80, 160, 320].map(|segments| power_law_pull(sheet, 1.0, segments));
    sheet.relative("pull with 80 segments against 320", 80, coarse, fine, 0.01);
    sheet.relative("pull with 160 segments against 320", 160, middle, fine, 0.01);
}

/// Power-law friction of a limp cable with short links. Every other link then carries all the force, from step to step,
/// and rubs less by 2^(N - 1); with Coulomb friction that makes no difference.
fn power_law_limp(sheet: &mut Sheet) {
    power_law_pull(sheet, 0.3, 160);
}

fn power_law_pull(sheet: &mut Sheet, bending: f64, segments: usize) -> f64 {
    let known = capstan().power_law.iter().find(|r| r.load == 1.0 && r.angle == 1.0).map_or(f64::NAN, |r| r.pull);
    let friction = Friction { coefficient: 1.296, exponent: 0.7616 };
    // ten times the axial stiffness: the law uses the unstretched length
    let given = rigidities(bending, 10.0);
    let mut law = Law { friction, load: 1.0, angle: PI, bending: given.ei[0] };
    let slid = slide(Section::Explicit(given), &law, segments, 0.01, 0.03, Solver::default());
    law.angle += slid.turned;
    let name = format!("pull at pi, 1 N, {bending} EI [N]; a thin cable: {known:.3} N");
    sheet.relative(name, segments, slid.pull, law.pull(slid.link), 0.02);
    slid.pull
}
