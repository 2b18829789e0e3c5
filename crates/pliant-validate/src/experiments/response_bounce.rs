//! Tagawa, Hirota and Hirose's Fig. 5a: a soft cube falls on a floor and bounces.

use super::Results;
use super::lattice_pictures::{GROUND, Picture, View};
use super::response_cube::{Course, ELASTIC, SIDE, Seen, basis, common_choices, largest};
use crate::Failure;
use pliant::math::Vec3;
use pliant_record::short;

const BOUNCE: &str = include_str!("../../scenes/002-bounce.toml");
const NAME: &str = "scenes/002-bounce.toml";
const GRAVITY: f64 = 9.81;

/// Initial height of the lowest face [m].
const HEIGHT: f64 = 0.1;

/// A contact with the floor: the indices of its first and last step.
struct Bounce {
    first: usize,
    last: usize,
}

impl Bounce {
    /// Upward velocity after over downward velocity before, of the centre of mass; gravity during contact is ignored
    /// [-].
    fn restitution(&self, course: &Course) -> f64 {
        let before = course.seen[self.first - 1].velocity.z;
        let after = course.seen[self.last].velocity.z;
        -after / before
    }
}

/// Contacts separated by at most this many steps count as one.
const APART: usize = 5;

fn bounces(course: &Course) -> Vec<Bounce> {
    let touching = (1..course.seen.len()).filter(|n| !course.seen[*n].frame.contacts.is_empty());
    let mut found: Vec<Bounce> = vec![];
    for n in touching {
        match found.last_mut().filter(|bounce| n - bounce.last <= APART) {
            Some(bounce) => bounce.last = n,
            None => found.push(Bounce { first: n, last: n }),
        }
    }
    found
}

fn energy(seen: &Seen) -> f64 {
    seen.frame.bodies[0].energy.total()
}

fn displacement(seen: &Seen) -> f64 {
    largest(seen.frame.bodies[0].fields[0].values.iter().copied())
}

/// Height of the surface, from its lowest to its highest node [m].
fn extent(seen: &Seen) -> f64 {
    let heights = || seen.frame.bodies[0].nodes.iter().map(|p| p.z);
    heights().fold(f64::NEG_INFINITY, f64::max) - heights().fold(f64::INFINITY, f64::min)
}

/// Fig. 5a: the cube falls and bounces.
pub fn bounce(results: &mut Results) -> Result<(), Failure> {
    common_choices(results);
    results.choice("height of the fall", "0.1 m under the lowest face, which is level; not given");
    results.choice("damping", "C = beta K with beta = 0.5 ms; not given");
    results.choice("friction", "0.3; not given");
    results.choice("gravity", "9.81 m/s2; not given");
    basis(results)?;
    let course = Course::new(BOUNCE, NAME, &[])?;
    let found = bounces(&course);
    let Some(first) = found.first().filter(|bounce| bounce.first > 0) else {
        results.statement("it reaches the floor", "-", 0.0, false);
        return Ok(());
    };
    judge_fall(results, &course, &found, first);
    judge_energy(results, &course);
    let undamped = Course::new(BOUNCE, NAME, &[("body.cube.response.damping_time", "0"), ("duration", "0.3")])?;
    if let Some(bounce) = bounces(&undamped).first() {
        results.remark(format!(
            "Without damping the coefficient of restitution is {}: what is missing is in vibrations, and in what a node loses that \
             strikes the floor and stops. Most gain of energy over a step then: {} of that of the fall.",
            short(bounce.restitution(&undamped)),
            short(most_gain(&undamped))
        ));
    }
    draw(results, &course, first);
    Ok(())
}

fn judge_fall(results: &mut Results, course: &Course, found: &[Bounce], first: &Bounce) {
    let fall = (2.0 * HEIGHT / GRAVITY).sqrt();
    let contact = course.seen[first.first].frame.time;
    results.statement(
        format!(
            "it falls freely: first contact, at the end of the step in which sqrt(2 h/g) = {} s falls",
            short(fall)
        ),
        "s",
        contact,
        contact >= fall && contact < fall + course.step + 1e-9,
    );
    let on_floor = course.seen[first.last].frame.time - course.seen[first.first - 1].frame.time;
    let wave = 2.0 * SIDE / (ELASTIC.young / ELASTIC.density).sqrt();
    results.statement(
        format!("it leaves the floor after (nu = 0, exact: 2 a / c = {} s)", short(wave)),
        "s",
        on_floor,
        on_floor < 2.0 * wave,
    );
    let bounced = found.iter().filter(|bounce| bounce.last + 1 < course.seen.len()).count();
    results.statement("it bounces: how often it leaves the floor, above 1", "-", bounced as f64, bounced > 1);
    let restitution = first.restitution(course);
    results.statement(
        "coefficient of restitution of the first bounce, between 0 and 1",
        "-",
        restitution,
        restitution > 0.0 && restitution < 1.0,
    );
    let during = &course.seen[first.first..=first.last];
    let deformed = largest(during.iter().map(displacement));
    results.statement(
        "\"deformation ... is represented\": largest displacement over the side",
        "-",
        deformed / SIDE,
        deformed > 0.0,
    );
    let (low, high) =
        (during.iter().map(extent).fold(f64::INFINITY, f64::min), largest(course.seen.iter().map(extent)));
    results.remark(format!(
        "On the floor it is {} m high at least, and {} m at most after it: strains of {} and more are beyond what a linear solid, \
         ours and the paper's, tells rightly.",
        short(low),
        short(high),
        short(1.0 - low / SIDE)
    ));
    let list: Vec<String> = found.iter().take(bounced).map(|b| short(b.restitution(course))).collect();
    results.remark(format!("Coefficients of restitution, one bounce after the other: {}.", list.join(", ")));
    let deepest = largest(course.seen.iter().flat_map(|s| &s.frame.contacts).map(|c| c.penetration));
    results.statement(
        "deepest that a node is in the floor over the side, below 1e-4",
        "-",
        deepest / SIDE,
        deepest < 1e-4 * SIDE,
    );
    let lowest = course.seen.iter().flat_map(|s| &s.frame.bodies[0].nodes).map(|p| p.z).fold(f64::INFINITY, f64::min);
    results.remark(format!(
        "Lowest place of any node of the surface, whether it counts as touching or not: {} m.",
        short(lowest)
    ));
    let most = course.seen.iter().map(|s| s.frame.contacts.len()).max().unwrap_or(0);
    results.remark(format!("Nodes that touch the floor at once: up to {most} of the 169 of a face."));
}

/// Largest gain of energy in a step, relative to the energy of the fall [-].
fn most_gain(course: &Course) -> f64 {
    let gains = course.seen.windows(2).map(|w| energy(&w[1]) - energy(&w[0]));
    largest(gains) / (course.mass * GRAVITY * HEIGHT)
}

fn judge_energy(results: &mut Results, course: &Course) {
    let gain = most_gain(course);
    results.statement(
        "energy never grows: most gain over a step, over that of the fall, below 1e-6",
        "-",
        gain,
        gain < 1e-6,
    );
    let median = course.median(|s| s.frame.contacts.len() > 100);
    results.remark(format!("A step with more than 100 nodes on the floor takes {} ms here.", short(1e3 * median)));
}

/// Draw shapes before, during and after the first bounce.
fn draw(results: &mut Results, course: &Course, first: &Bounce) {
    let mut picture = Picture::new("A soft cube falls on a floor and bounces (Fig. 5a)", View::from(25.0, 10.0));
    let start = course.seen[first.first].frame.time;
    let instants = [-0.06, 0.0, 0.012, 0.024, 0.036, 0.048, 0.062, 0.1];
    for (n, after) in instants.iter().enumerate() {
        let seen = course.at(start + after);
        let moved = [0.18 * n as f64, 0.0];
        let half = 0.065;
        let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
        picture.face(&corners.map(|[x, y]| Vec3::new(x, y, -0.001)), GROUND, moved);
        course.draw(&mut picture, seen, 0, moved);
        picture.note(Vec3::new(0.0, 0.0, -0.05), moved, format!("{:.3} s", seen.frame.time));
    }
    results.pictures.push(("002-bounce".into(), picture.svg()));
}
