//! Passivity: the work of grippers and fingers is never less than the energy that the body gains.

use pliant::math::{Pose, Vec3};
use pliant::motion::{Drive, Motion};
use pliant::response::{Basis, Damping, Known};
use pliant::{FingerParams, Friction, GripperId, GripperParams, Place, World};
use pliant_fem::Order;

use super::response_worlds::{
    Random, SIDE, UNDAMPED, basis, block, cube, elastic, hold, response, spec, sure, world_of,
};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_response("passive-grip", grip),
    Case::of_response("passive-finger", finger),
    Case::of_response("sliding-finger", slide),
    Case::of_response("finger-round-a-path", round),
    Case::of_response("finger-on-a-slope", slope),
    Case::of_response("closed-loop", closed),
];

/// Length of the model's own steps [s].
const STEP: f64 = 2e-3;

/// Number of random steps.
const STEPS: usize = 3000;

const DAMPED: Damping = Damping::Rayleigh { mass: 1.0, stiffness: 1e-3 };

/// Work of grippers, and the worst energy balance so far [J].
struct Account {
    first: f64,
    work: f64,
    /// Sum of the magnitudes of work: the scale of balances.
    moved: f64,
    /// Energy at the end of the last step.
    energy: f64,
    /// Smallest work minus energy gained, in all and in a step.
    least: f64,
    worst: f64,
}

impl Account {
    fn new(world: &World) -> Account {
        let first = response(world).energy(Vec3::ZERO).total();
        Account { first, work: 0.0, moved: 0.0, energy: first, least: f64::INFINITY, worst: f64::INFINITY }
    }

    /// Lead a gripper to a position [m] in a step, and account for the work.
    fn lead(&mut self, world: &mut World, gripper: GripperId, place: Vec3) {
        sure(world.drive(gripper, Drive::Pose(Pose::from_translation(place))));
        if world.step(STEP).is_err() {
            (self.work, self.least) = (f64::NAN, f64::NAN);
            return;
        }
        let mut done = 0.0;
        for gripper in world.grippers() {
            let moved = gripper.sweep.end.translation - gripper.sweep.start.translation;
            let work = -gripper.load.force.dot(moved);
            self.work += work;
            done += work;
            self.moved += work.abs();
        }
        let energy = response(world).energy(Vec3::ZERO).total();
        let balance = self.work - (energy - self.first);
        // NaN stays NaN
        self.least = if balance.is_nan() { balance } else { self.least.min(balance) };
        self.worst = self.worst.min(done - (energy - self.energy));
        self.energy = energy;
    }

    /// Energy created in the worst of all steps, relative to the sum of magnitudes of work.
    fn in_a_step(&self) -> f64 {
        (-self.worst).max(0.0) / self.moved
    }

    /// Energy created in all, relative to the sum of magnitudes of work.
    fn out_of_nothing(&self) -> f64 {
        if self.least.is_nan() { f64::NAN } else { (-self.least).max(0.0) / self.moved }
    }
}

/// A gripper that holds one node and is shaken at random.
fn grip(sheet: &mut Sheet) {
    let mesh = block([4, 2, 2], Vec3::new(0.1, 0.05, 0.05));
    // a body that turns by a hundredth in a step deviates by 1e-4 of that from the linear response
    for (name, damping, size, tolerance) in [
        ("undamped, by a thousandth of a millimetre", UNDAMPED, 1e-6, 1e-12),
        ("damped, by a thousandth of a millimetre", DAMPED, 1e-6, 1e-12),
        ("undamped, by a millimetre", UNDAMPED, 1e-3, 1e-4),
        ("damped, by a millimetre", DAMPED, 1e-3, 1e-4),
    ] {
        let solid = Known::Modes(basis(&mesh, elastic(0.3), Order::Linear, Some(60)));
        let mut world = world_of(spec(solid, damping, STEP), Vec3::ZERO);
        let gripper = hold(&mut world, Vec3::ZERO, Place::Node(0), Motion::Hold);
        let (mut random, mut place, mut account) = (Random(1), Vec3::ZERO, Account::new(&world));
        for _ in 0..STEPS {
            place = 0.98 * place + random.vector() * size;
            account.lead(&mut world, gripper, place);
        }
        let text = format!("energy out of nothing, {name}");
        sheet.scaled(text, STEPS, [account.out_of_nothing(), 0.0, 1.0], 1e-12);
        sheet.scaled(format!("the same in a step, {name}"), STEPS, [account.in_a_step(), 0.0, 1.0], tolerance);
    }
}

/// A cube whose lower face is held, and a finger above it.
fn touched(basis: Basis, damping: Damping, friction: f64, at: Vec3) -> (World, GripperId) {
    let mut world = world_of(spec(Known::Modes(basis), damping, STEP), Vec3::ZERO);
    let (low, high) = (Vec3::new(-1.0, -1.0, -1e-6), Vec3::new(1.0, 1.0, 1e-6));
    hold(&mut world, Vec3::ZERO, Place::Box { low, high }, Motion::Hold);
    let params = GripperParams { name: "finger".into(), placed: Pose::from_translation(at), motion: Motion::Hold };
    let gripper = sure(world.add_gripper(params));
    let friction = Some(Friction { coefficient: friction, exponent: 1.0 });
    sure(world.add_finger(FingerParams { gripper, radius: RADIUS, friction }));
    (world, gripper)
}

/// Radius of the finger [m].
const RADIUS: f64 = 0.01;

/// Depth to which a sliding finger is pressed in [m].
const DEPTH: f64 = 0.004;

/// A finger that moves randomly on and off the cube.
fn finger(sheet: &mut Sheet) {
    let known = basis(&cube(3), elastic(0.3), Order::Linear, Some(60));
    for (name, damping, friction) in
        [("undamped, smooth", UNDAMPED, 0.0), ("undamped, rough", UNDAMPED, 0.5), ("damped, rough", DAMPED, 0.5)]
    {
        let at = Vec3::new(0.5 * SIDE, 0.5 * SIDE, SIDE + RADIUS);
        let (mut world, gripper) = touched(known.clone(), damping, friction, at);
        let (mut random, mut place, mut account) = (Random(7), Vec3::ZERO, Account::new(&world));
        let (mut pull, mut beyond, mut touches) = (0.0_f64, 0.0_f64, 0usize);
        let mut speed = Vec3::ZERO;
        for _ in 0..STEPS {
            speed = 0.95 * speed + random.vector() * 2e-4;
            place = 0.97 * place + speed;
            account.lead(&mut world, gripper, at + place);
            for contact in world.frame().contacts {
                let pressed = contact.force.dot(contact.normal);
                pull = pull.max(-pressed);
                let across = (contact.force - contact.normal * pressed).length();
                beyond = beyond.max(across - friction * pressed);
                touches += 1;
            }
        }
        sheet.scaled(format!("energy out of nothing, {name}"), touches, [account.out_of_nothing(), 0.0, 1.0], 1e-9);
        sheet.scaled(format!("pull of a finger, {name} [N]"), touches, [pull, 0.0, 1.0], 1e-12);
        sheet.scaled(format!("friction beyond its limit, {name} [N]"), touches, [beyond, 0.0, 1.0], 1e-12);
        sheet.scaled(format!("touches in steps, {name}"), touches, [touches as f64 / STEPS as f64, 0.5, 1.0], 0.4);
    }
}

/// A finger that is pressed in and slides back and forth for about forty seconds. A mesh is stiffer between nodes than
/// at them, so the energy of the dent changes along the way; the force on the finger must match what the body loses.
///
/// A smooth finger keeps the balance of each step, except for what its contact point moves along the surface by the
/// force of the step itself, an error of second order in the step; a rough one keeps it by its friction.
fn slide(sheet: &mut Sheet) {
    for cells in [3, 6] {
        let known = basis(&cube(cells), elastic(0.3), Order::Linear, Some(60));
        let at = Vec3::new(0.5 * SIDE, 0.45 * SIDE, SIDE + RADIUS);
        let dent = dent(&known, at);
        for (name, damping, friction) in [
            ("undamped, smooth", UNDAMPED, 0.0),
            ("damped, smooth", DAMPED, 0.0),
            ("undamped, slippery", UNDAMPED, 0.1),
            ("undamped, rough", UNDAMPED, 0.6),
        ] {
            let (mut world, gripper) = touched(known.clone(), damping, friction, at);
            let mut account = Account::new(&world);
            for n in 0..6 * STEPS {
                let time = n as f64 * STEP;
                let press = DEPTH * (time / 0.5).min(1.0);
                let along = 0.03 * (time - 0.5).max(0.0).sin();
                account.lead(&mut world, gripper, at + Vec3::new(along, 0.3 * along, -press));
            }
            let nothing = account.out_of_nothing() * account.moved;
            let text = format!("energy out of nothing, {name}, over that of the dent");
            sheet.scaled(text, cells, [nothing / dent, 0.0, 1.0], 1e-3);
        }
    }
}

/// The work of a smooth finger led round a closed path over many facets is proportional to its speed, like damping;
/// extrapolated to zero speed it must vanish. A rough one does the work of its friction.
fn round(sheet: &mut Sheet) {
    let known = basis(&cube(6), elastic(0.3), Order::Linear, Some(60));
    let at = Vec3::new(0.5 * SIDE, 0.45 * SIDE, SIDE + RADIUS);
    let dent = dent(&known, at);
    let counts = [8000, 16_000];
    let works = counts.map(|count| work_round(&known, 0.0, at, count)[0] / dent);
    // edges add what a finger loses as it leaves a valley between facets
    let still = 2.0 * works[1] - works[0];
    sheet.scaled(
        "work round a closed path at no speed, smooth, over the energy of the dent",
        counts[1],
        [still, 0.0, 1.0],
        0.03,
    );
    let [work, rubbed] = work_round(&known, 0.3, at, 8000);
    // its path crosses slopes of up to a fifth, and the surface moves along at times
    sheet.relative("work round a closed path, rough [J], and of its friction", 8000, work, rubbed, 0.1);
}

/// Work round a circle on the surface in `count` steps [J], and the integral of the friction limit over its length [J].
fn work_round(known: &Basis, friction: f64, at: Vec3, count: usize) -> [f64; 2] {
    let (mut world, gripper) = touched(known.clone(), DAMPED, friction, at);
    let mut account = Account::new(&world);
    for n in 0..500 {
        account.lead(&mut world, gripper, at - Vec3::Z * (DEPTH * (n as f64 / 250.0).min(1.0)));
    }
    let (mut before, mut rubbed) = (0.0, 0.0);
    // the first round brings it into the periodic state
    for n in 0..2 * count {
        if n == count {
            (before, rubbed) = (account.work, 0.0);
        }
        let (sin, cos) = (std::f64::consts::TAU * (n + 1) as f64 / count as f64).sin_cos();
        account.lead(&mut world, gripper, at + Vec3::new(0.02 * (1.0 - cos), 0.02 * sin, -DEPTH));
        let pressed: f64 = world.frame().contacts.iter().map(|c| c.force.dot(c.normal)).sum();
        rubbed += friction * pressed * std::f64::consts::TAU * 0.02 / count as f64;
    }
    [account.work - before, rubbed]
}

/// The tangential force on a smooth finger that is pressed in and at rest is the gradient of the energy over position.
fn slope(sheet: &mut Sheet) {
    let known = basis(&cube(3), elastic(0.3), Order::Linear, Some(60));
    let aside = 1e-4;
    for (n, [x, y]) in [[0.45, 0.40], [0.42, 0.55], [0.60, 0.47], [0.55, 0.62]].into_iter().enumerate() {
        let at = Vec3::new(x * SIDE, y * SIDE, SIDE + RADIUS);
        let [force_x, force_y] = [Vec3::X, Vec3::Y].map(|axis| {
            let [low, high] = [-aside, aside].map(|off| dent(&known, at + axis * off));
            (low - high) / (2.0 * aside)
        });
        let (mut world, gripper) = touched(known.clone(), DAMPED, 0.0, at);
        press(&mut world, gripper, at);
        let force = sure(world.gripper(gripper)).load.force;
        let off = (Vec3::new(force.x, force.y, 0.0) - Vec3::new(force_x, force_y, 0.0)).length();
        let size = Vec3::new(force_x, force_y, 0.0).length();
        // normals are those of a linear solid, exact to the square of their slope, which is a tenth
        sheet.scaled("force along the surface less slope of the energy, over the slope", n, [off, 0.0, size], 0.02);
    }
}

/// Press a finger in, and wait.
fn press(world: &mut World, gripper: GripperId, at: Vec3) {
    for n in 0..1500 {
        let press = DEPTH * (n as f64 / 300.0).min(1.0);
        sure(world.drive(gripper, Drive::Pose(Pose::from_translation(at - Vec3::Z * press))));
        if world.step(STEP).is_err() {
            return;
        }
    }
}

/// Energy of the dent of a smooth finger pressed in at a point, at rest [J].
fn dent(known: &Basis, at: Vec3) -> f64 {
    let (mut world, gripper) = touched(known.clone(), DAMPED, 0.0, at);
    press(&mut world, gripper, at);
    response(&world).energy(Vec3::ZERO).elastic
}

/// A sticking finger led in loops, slow and fast.
fn closed(sheet: &mut Sheet) {
    let known = basis(&cube(3), elastic(0.3), Order::Linear, Some(60));
    for (name, damping, steps) in
        [("slow, damped", DAMPED, 1000), ("fast, damped", DAMPED, 50), ("fast, undamped", UNDAMPED, 50)]
    {
        let at = Vec3::new(0.5 * SIDE, 0.5 * SIDE, SIDE + RADIUS);
        let (mut world, gripper) = touched(known.clone(), damping, 1e3, at);
        let mut account = Account::new(&world);
        for n in 0..4 * steps {
            let angle = std::f64::consts::TAU * n as f64 / steps as f64;
            let press = 0.005 * (n as f64 / steps as f64).min(1.0);
            let place = at + Vec3::new(0.004 * angle.sin(), 0.004 * (1.0 - angle.cos()), -press);
            account.lead(&mut world, gripper, place);
        }
        sheet.scaled(format!("energy out of nothing, {name}"), steps, [account.out_of_nothing(), 0.0, 1.0], 1e-9);
    }
}
