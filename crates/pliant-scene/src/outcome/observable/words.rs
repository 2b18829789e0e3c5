//! Quantities as written: words separated by dots.

use super::{Axis, Energy, Joint, Known, Observable, Part, Side, Where};
use crate::text::fault::Fault;

const AXES: &[(&str, Axis)] = &[("x", Axis::X), ("y", Axis::Y), ("z", Axis::Z)];
const PARTS: &[(&str, Part)] =
    &[("x", Part::Along(Axis::X)), ("y", Part::Along(Axis::Y)), ("z", Part::Along(Axis::Z)), ("norm", Part::Norm)];
const ENERGIES: &[(&str, Option<Energy>)] = &[
    ("kinetic", Some(Energy::Kinetic)),
    ("elastic", Some(Energy::Elastic)),
    ("gravity", Some(Energy::Gravity)),
    ("total", Some(Energy::Total)),
    ("created", Some(Energy::Created)),
    ("dissipated", Some(Energy::Dissipated)),
    ("stored", Some(Energy::Stored)),
    ("work", None),
];
const WORKS: &[(&str, Energy)] =
    &[("grips", Energy::Grips), ("loads", Energy::Loads), ("obstacles", Energy::Obstacles), ("bodies", Energy::Bodies)];

const JOINT: &[(&str, Joint)] = &[("position", Joint::Position), ("speed", Joint::Speed), ("torque", Joint::Torque)];

/// The words of a quantity, read one by one.
struct Words<'a> {
    rest: std::str::Split<'a, char>,
    text: &'a str,
}

impl<'a> Words<'a> {
    fn next(&mut self, expected: &str) -> Result<&'a str, Fault> {
        self.rest.next().ok_or_else(|| Fault::new(format!("`{}` is cut short: {expected} must follow", self.text)))
    }

    /// Read a word that must be one of these; returns its index.
    fn one_of(&mut self, what: &str, known: &[&str]) -> Result<usize, Fault> {
        let word = self.next(&list(what, known))?;
        known.iter().position(|k| *k == word).ok_or_else(|| Fault::unknown(what, word, known.iter().copied()))
    }

    fn choice<T: Copy>(&mut self, what: &str, known: &[(&str, T)]) -> Result<T, Fault> {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        Ok(known[self.one_of(what, &names)?].1)
    }
}

fn list(what: &str, known: &[&str]) -> String {
    match known.len() {
        0 => format!("the name of a {what} (there is none)"),
        1..=12 => format!("one of {}", known.join(", ")),
        _ => format!("the name of a {what}"),
    }
}

impl Observable {
    /// Parse a quantity.
    pub(crate) fn parse(text: &str, known: &Known<'_>) -> Result<Observable, Fault> {
        let mut words = Words { rest: text.split('.'), text };
        let observable =
            match words.one_of("kind of quantity", &["body", "gripper", "sensor", "obstacle", "contacts"])? {
                0 => body(&mut words, known)?,
                1 => gripper(&mut words, known)?,
                2 => sensor(&mut words, known)?,
                3 => obstacle(&mut words, known)?,
                _ => words.choice(
                    "quantity of contacts",
                    &[
                        ("count", Observable::ContactCount),
                        ("penetration", Observable::ContactPenetration),
                        ("force", Observable::ContactForce),
                    ],
                )?,
            };
        match words.rest.next() {
            None => Ok(observable),
            Some(extra) => Err(Fault::new(format!("`{text}` is complete before `{extra}`"))),
        }
    }
}

fn body(words: &mut Words<'_>, known: &Known<'_>) -> Result<Observable, Fault> {
    let body = words.one_of("body", &known.bodies)?;
    let shown = known.frame.bodies.get(body);
    let fields = shown.map_or(vec![], |frame| frame.fields.iter().map(|f| f.name.replace(' ', "_")).collect());
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let own = [
        "start",
        "end",
        "node",
        "min",
        "max",
        "length",
        "energy",
        "turns",
        "pitch",
        "knot",
        "field",
        "bend_radius",
        "joint",
    ];
    let quantities: Vec<&str> = own.into_iter().chain(fields.iter().copied()).collect();
    Ok(match words.one_of("quantity of a body", &quantities).map_err(|fault| without_field(fault, words, &fields))? {
        0 => Observable::Node(body, Some(0), words.choice("axis", AXES)?),
        1 => Observable::Node(body, None, words.choice("axis", AXES)?),
        2 => {
            let node = node(words, known, body)?;
            Observable::Node(body, Some(node), words.choice("axis", AXES)?)
        }
        3 => Observable::Extent(body, Side::Min, words.choice("axis", AXES)?),
        4 => Observable::Extent(body, Side::Max, words.choice("axis", AXES)?),
        5 => Observable::Length(body),
        6 => Observable::Energy(
            body,
            match words.choice("energy", ENERGIES)? {
                Some(energy) => energy,
                None => words.choice("work", WORKS)?,
            },
        ),
        7 => Observable::Turns(body, words.one_of("obstacle", &known.obstacles)?),
        8 => Observable::Pitch(body, words.one_of("obstacle", &known.obstacles)?),
        9 => Observable::Knot(body),
        10 => {
            let field = words.one_of("field", &fields)?;
            Observable::Field(body, field, place(words, known, body)?)
        }
        11 => match fields.iter().position(|field| *field == "curvature") {
            Some(field) => Observable::BendRadius(body, field),
            None => return Err(only_rods("bend_radius", &fields)),
        },
        12 => joint(words, known, body)?,
        field => Observable::Field(body, field - own.len(), place(words, known, body)?),
    })
}

/// Parse a joint and what of it is measured. Names of joints come from files, and may contain dots.
fn joint(words: &mut Words<'_>, known: &Known<'_>, body: usize) -> Result<Observable, Fault> {
    let names = known.joints.get(body).map_or(&[][..], Vec::as_slice);
    if names.is_empty() {
        return Err(Fault::new(format!(
            "{} is no arm, and no solid whose parts are joined: it has no joints",
            known.bodies[body]
        )));
    }
    let rest = words.rest.clone().collect::<Vec<_>>().join(".");
    let is = |name: &str| rest.strip_prefix(name).is_some_and(|after| after.is_empty() || after.starts_with('.'));
    // the longest, as one may begin with another
    let found = (0..names.len()).filter(|&n| is(names[n])).max_by_key(|&n| names[n].len());
    let joint = match found {
        Some(joint) => joint,
        None => words.one_of("joint", names)?,
    };
    for _ in names[joint].split('.') {
        words.rest.next();
    }
    Ok(Observable::Joint(body, joint, words.choice("quantity of a joint", JOINT)?))
}

/// Parse the number of a node of a body.
fn node(words: &mut Words<'_>, known: &Known<'_>, body: usize) -> Result<usize, Fault> {
    let count = known.frame.bodies.get(body).map_or(0, |frame| frame.nodes.len());
    let word = words.next("the number of a node")?;
    word.parse().ok().filter(|node| *node < count).ok_or_else(|| {
        let (name, last) = (known.bodies[body], count.saturating_sub(1));
        Fault::new(format!("{name} has no node `{word}`: its nodes are 0 to {last}"))
    })
}

/// Parse where along a body a field is read.
fn place(words: &mut Words<'_>, known: &Known<'_>, body: usize) -> Result<Where, Fault> {
    Ok(match words.one_of("place", &["max", "min", "start", "end", "node", "at"])? {
        0 => Where::Extreme(Side::Max),
        1 => Where::Extreme(Side::Min),
        2 => Where::Fraction(0.0),
        3 => Where::Fraction(1.0),
        4 => Where::Node(node(words, known, body)?),
        _ => {
            // a fraction contains a dot, so it is all that is left
            let text = words.rest.by_ref().collect::<Vec<_>>().join(".");
            let fraction = text.parse().ok().filter(|fraction| (0.0..=1.0).contains(fraction));
            let wrong =
                || Fault::new(format!("`at` must be followed by a fraction from 0 to 1, such as 0.25, not `{text}`"));
            Where::Fraction(fraction.ok_or_else(wrong)?)
        }
    })
}

/// Fields of rods that solids do not have.
const OF_RODS: [&str; 6] = ["tension", "shear_force", "bending_moment", "torsion", "contact_force", "curvature"];

/// A better error for a field of another model.
fn without_field(fault: Fault, words: &Words<'_>, fields: &[&str]) -> Fault {
    match words.text.split('.').nth(2) {
        Some(word) if OF_RODS.contains(&word) => only_rods(word, fields),
        _ => fault,
    }
}

fn only_rods(word: &str, fields: &[&str]) -> Fault {
    Fault::new(format!("this model has no `{word}`; its fields are {}", fields.join(", ")))
}

fn obstacle(words: &mut Words<'_>, known: &Known<'_>) -> Result<Observable, Fault> {
    let obstacle = words.one_of("obstacle", &known.obstacles)?;
    let body = match words.one_of("quantity of an obstacle", &["force", "force_on"])? {
        0 => None,
        _ => Some(words.one_of("body", &known.bodies)?),
    };
    Ok(Observable::Push(obstacle, body, words.choice("part of a force", PARTS)?))
}

fn sensor(words: &mut Words<'_>, known: &Known<'_>) -> Result<Observable, Fault> {
    let sensor = words.one_of("sensor", &known.sensors)?;
    Ok(match words.one_of("quantity of a sensor", &["force", "torque"])? {
        0 => Observable::SensorForce(sensor, words.choice("part of a force", PARTS)?),
        _ => Observable::SensorTorque(sensor, words.choice("part of a torque", PARTS)?),
    })
}

fn gripper(words: &mut Words<'_>, known: &Known<'_>) -> Result<Observable, Fault> {
    let gripper = words.one_of("gripper", &known.grippers)?;
    Ok(match words.one_of("quantity of a gripper", &["position", "force", "torque"])? {
        0 => Observable::Position(gripper, words.choice("axis", AXES)?),
        1 => Observable::Force(gripper, words.choice("part of a force", PARTS)?),
        _ => Observable::Torque(gripper, words.choice("part of a torque", PARTS)?),
    })
}
