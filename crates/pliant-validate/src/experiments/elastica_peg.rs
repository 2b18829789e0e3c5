//! Wakamatsu et al.'s Fig. 4: a hinged rod falls onto a thin peg and wraps around it.

use pliant::Frame;

use super::elastica_shapes::{Point, Props, at, curve, frames, nearest, strip, turns};
use super::{Results, common_elastica_choices};
use crate::Failure;
use pliant_record::short;

const PEG: &str = include_str!("../../scenes/001-fig4.toml");
const CENTRE: Point = [-0.30, -0.35];
const RADIUS: f64 = 0.01;

/// A fall onto the peg.
struct Fall {
    frames: Vec<Frame>,
    /// Turns of the rod about the peg in each frame; half a turn is a straight rod that passes close by.
    turns: Vec<f64>,
}

impl Fall {
    fn new(changes: &[(&str, &str)]) -> Result<Fall, Failure> {
        let frames = frames(PEG, "scenes/001-fig4.toml", changes)?;
        let turns = frames.iter().map(|f| turns(&curve(f), CENTRE)).collect();
        Ok(Fall { frames, turns })
    }

    /// The first frame in which it touches the peg.
    fn struck(&self) -> usize {
        self.frames.iter().position(|f| !f.contacts.is_empty()).unwrap_or(self.frames.len() - 1)
    }

    /// The first frame in which it is past the peg: the peg is on the other side of the rod, and the number of turns
    /// jumps by one.
    fn passed(&self) -> Option<usize> {
        self.turns.windows(2).position(|w| (w[1] - w[0]).abs() > 0.5).map(|k| k + 1)
    }

    /// How far the point of impact moves in `time` [s], relative to its path at the speed of impact.
    fn goes_on(&self, time: f64) -> f64 {
        let first = self.struck();
        let place = nearest(&curve(&self.frames[first]), CENTRE);
        let at = |f: &Frame| curve(f)[place];
        let moved = |a: &Frame, b: &Frame| {
            let (p, q) = (at(a), at(b));
            (p[0] - q[0]).hypot(p[1] - q[1]) / (b.time - a.time)
        };
        let (before, now) = (&self.frames[first - 1], &self.frames[first]);
        moved(now, self.at(now.time + time)) / moved(&self.frames[first - 2], before)
    }

    fn at(&self, time: f64) -> &Frame {
        at(&self.frames, time)
    }

    /// Turns about the peg at a time.
    fn turns_at(&self, time: f64) -> f64 {
        turns(&curve(self.at(time)), CENTRE)
    }

    /// The frame in which it is wound most, before it passes through the peg.
    fn most_turned(&self) -> usize {
        let until = self.passed().unwrap_or(self.turns.len());
        (0..until).max_by(|&a, &b| self.turns[a].total_cmp(&self.turns[b])).unwrap_or(0)
    }

    /// Largest depth of its centre line in the peg [m].
    fn deepest(&self) -> f64 {
        self.frames.iter().flat_map(|f| &f.contacts).map(|c| c.penetration).fold(0.0, f64::max)
    }

    /// Mean force on the peg between two times [N].
    fn force(&self, from: f64, to: f64) -> f64 {
        let within: Vec<&Frame> = self.frames.iter().filter(|f| f.time >= from && f.time <= to).collect();
        let sum: f64 = within.iter().flat_map(|f| &f.contacts).map(|c| c.force.length()).sum();
        sum / within.len() as f64
    }
}

/// Check what the text says of a run.
fn judge(results: &mut Results, name: &str, fall: &Fall) {
    let first = fall.struck();
    let contact = fall.frames[first].time;
    results.number(format!("{name}: the rod strikes the obstacle at"), "s", 0.30, contact);
    let goes_on = fall.goes_on(0.03);
    results.statement(
        format!("{name}: the part that struck is stopped; way in 0.03 s over that at its speed, below 0.25"),
        "-",
        goes_on,
        goes_on < 0.25,
    );
    let through = fall.passed();
    results.statement(
        format!("{name}: it does not go through the obstacle; depth over radius, below 1"),
        "-",
        fall.deepest() / RADIUS,
        through.is_none(),
    );
    let most = fall.most_turned();
    let wound = fall.turns[most] - fall.turns[first];
    results.statement(
        format!("{name}: the free end twines round it, turns from contact on, above 0.5"),
        "-",
        wound,
        wound > 0.5,
    );
    let energy = |t: f64| fall.at(t).bodies[0].energy;
    let rise = energy(0.6).elastic - energy(0.4).elastic;
    results.statement(format!("{name}: (e) to (g), energy of bending rises by"), "J", rise, rise > 0.0);
    let rise = energy(0.6).gravity - energy(0.4).gravity;
    results.statement(format!("{name}: (e) to (g), energy of gravity rises by"), "J", rise, rise > 0.0);
    let back = fall.turns_at(0.7) - fall.turns_at(1.1);
    results.statement(
        format!("{name}: (h) to (l), the free end swings back, by turns above 0.25"),
        "-",
        back,
        through.is_none() && back > 0.25,
    );
    match through {
        Some(k) => results.remark(format!(
            "{name}: the obstacle is on the other side of the rod from {} s on.",
            short(fall.frames[k].time)
        )),
        None => results.remark(format!(
            "{name}: wound the most at {} s, {} turns about the obstacle's centre.",
            short(fall.frames[most].time),
            short(fall.turns[most])
        )),
    }
}

/// Fig. 4: a rod falls onto a peg.
pub fn peg(results: &mut Results) -> Result<(), Failure> {
    common_elastica_choices(results);
    results.choice("instants (a) to (l)", "every 0.1 s, as (a) is at 0 and (d) at 0.30 s; the others are not given");
    results.choice("force of contact", "never pulls; as printed, (30) does so while the rod leaves");
    results
        .choice("k_c", "1000 N/m as printed, and 1e5 N/m beside it, by which the rod cannot go through the obstacle");
    let instants: Vec<f64> = (0..12).map(|k| 0.1 * f64::from(k)).collect();
    let soft = Fall::new(&[])?;
    let stiff = Fall::new(&[("body.rod.elastica.contact_stiffness", "1e5")])?;
    let variants = [("k_c = 1000, as printed", &soft, "001-fig4"), ("k_c = 1e5", &stiff, "001-fig4-stiff")];
    for (name, fall, file) in variants {
        judge(results, name, fall);
        let title = format!("A hinged rod falls onto a peg, {name} (Fig. 4)");
        strip(results, file, &title, &fall.frames, &instants, &Props::Peg(CENTRE, RADIUS));
    }
    let needed = stiff.force(0.30, 0.50);
    results.remark(format!(
        "By (30) the spring's force is k_c times the depth: at most k_c r = 10 N, where the rod is at the centre of the \
         circle, and beyond it pushes out on the other side. From 0.30 to 0.50 s the obstacle has to carry {} N in the mean \
         (of k_c = 1e5), so that with the printed k_c the rod sinks in as fast as damping lets it.",
        short(needed)
    ));
    let fine = Fall::new(&[("body.rod.intervals", "40")])?;
    let passed = fine.passed().map_or("not at all".into(), |k| format!("at {} s", short(fine.frames[k].time)));
    results.remark(format!("With 40 intervals and the printed k_c it goes through the obstacle {passed}."));
    let least = least_stiffness()?;
    results.remark(format!("Of 2000, 3000, 5000, 10000, 20000, 50000 N/m the least that holds is {least} N/m."));
    Ok(())
}

/// The smallest of some stiffnesses with which it does not pass through the obstacle during the figure.
fn least_stiffness() -> Result<String, Failure> {
    for stiffness in ["2000.0", "3000.0", "5000.0", "10000.0", "20000.0", "50000.0"] {
        if Fall::new(&[("body.rod.elastica.contact_stiffness", stiffness)])?.passed().is_none() {
            return Ok(stiffness.trim_end_matches(".0").into());
        }
    }
    Ok("none".into())
}
