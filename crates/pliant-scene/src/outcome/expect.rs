//! Expectations of a scene: a quantity, when it is checked, and bounds.

use std::fmt;

use pliant::Frame;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use crate::outcome::observable::{Known, Observable};
use crate::text::fault::Fault;
use crate::text::quantity::{Bound, Quantity, Time, Tolerance, Tuple, short};
use crate::text::word::Text;

/// Times closer than this are equal [s]: sums of steps are inexact.
const SAME_TIME: f64 = 1e-9;

/// An expectation about the run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectSpec {
    /// What is expected, as a sentence.
    what: Option<Text>,
    /// The quantity, such as `body.wire.end.z`, `gripper.hand.force.norm` or `contacts.penetration`.
    quantity: String,
    /// When it is checked: a time [s], or "end".
    at: Option<AtSpec>,
    /// Start and end of a window in which it must hold at every step [s].
    during: Option<Tuple<Time, 2>>,
    /// Smallest value, in the unit of the quantity.
    min: Option<Bound>,
    /// Largest value, in the unit of the quantity.
    max: Option<Bound>,
    /// Expected value, in the unit of the quantity; with `tolerance`.
    value: Option<Bound>,
    /// Largest difference from `value`, in the unit of the quantity.
    tolerance: Option<Tolerance>,
}

/// A quantity, when it is checked, and its bounds. Call [`Expectation::observe`] for every frame, then
/// [`Expectation::verdict`].
#[derive(Clone, Debug)]
pub struct Expectation {
    text: String,
    quantity: String,
    observable: Observable,
    when: When,
    min: f64,
    max: f64,
    /// The value checked; if several, the one nearest to a bound or farthest beyond it.
    seen: Option<f64>,
    /// When the quantity first left its bounds [s].
    first_missed: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    /// At the first frame from this time on [s].
    At(f64),
    /// At the last frame, if the run reaches this time [s].
    End(f64),
    /// At all frames between these times [s].
    During(f64, f64),
}

/// Result of an expectation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The quantity is within its bounds.
    Met {
        /// The value checked; if several, the one nearest to a bound.
        value: f64,
    },
    /// The quantity is outside its bounds.
    Missed {
        /// The value checked; if several, the one farthest out of bounds.
        value: f64,
        /// When it first left its bounds [s].
        first: f64,
    },
    /// The run ended before the expectation could be checked.
    NotReached,
}

impl ExpectSpec {
    /// Build the expectation; a run that reaches `end` [s] has reached the end of the scene as written.
    pub(crate) fn build(&self, known: &Known<'_>, end: f64) -> Result<Expectation, Fault> {
        let observable = Observable::parse(&self.quantity, known).map_err(|f| f.at("quantity"))?;
        let when = match (&self.at, &self.during) {
            (Some(AtSpec::Time(time)), None) => When::At(*time),
            (Some(AtSpec::End), None) => When::End(end),
            (None, Some(window)) => {
                let [from, to] = window.numbers();
                if to < from {
                    return Err(Fault::new("the end must not come before the start").at("during"));
                }
                When::During(from, to)
            }
            (None, None) => return Err(Fault::new("say when: at = TIME, at = \"end\" or during = [FROM, TO]")),
            (Some(_), Some(_)) => return Err(Fault::new("give either `at` or `during`").at("during")),
        };
        let [min, max] = self.bounds()?;
        let text = match &self.what {
            Some(what) => what.0.clone(),
            None => describe(&self.quantity, when, min, max),
        };
        Ok(Expectation {
            text,
            quantity: self.quantity.clone(),
            observable,
            when,
            min,
            max,
            seen: None,
            first_missed: None,
        })
    }

    fn bounds(&self) -> Result<[f64; 2], Fault> {
        let get = |bound: Option<Bound>| bound.map(Quantity::get);
        match (get(self.min), get(self.max), get(self.value), self.tolerance.map(Quantity::get)) {
            (None, None, Some(value), Some(tolerance)) => Ok([value - tolerance, value + tolerance]),
            (None, None, Some(_), None) => Err(Fault::new("`value` needs a `tolerance`").at("value")),
            (Some(min), Some(max), None, None) if min > max => {
                Err(Fault::new(format!("`min` ({min}) is above `max` ({max})")).at("min"))
            }
            (None, None, None, None) => Err(Fault::new("expected bounds: min, max, or value with tolerance")),
            (min, max, None, None) => Ok([min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY)]),
            _ => Err(Fault::new("give either min and max, or value and tolerance")),
        }
    }
}

fn describe(quantity: &str, when: When, min: f64, max: f64) -> String {
    let bounds = match (min.is_finite(), max.is_finite()) {
        (true, true) => format!("from {} to {}", short(min), short(max)),
        (true, false) => format!("at least {}", short(min)),
        _ => format!("at most {}", short(max)),
    };
    let when = match when {
        When::At(time) => format!("at {} s", short(time)),
        When::End(_) => "at the end".into(),
        When::During(from, to) => format!("from {} s to {} s", short(from), short(to)),
    };
    format!("{quantity} is {bounds} {when}")
}

impl Expectation {
    /// What is expected, as a sentence.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The quantity as written in the scene.
    pub fn quantity(&self) -> &str {
        &self.quantity
    }

    /// Smallest and largest value, infinite where there is no bound.
    pub fn bounds(&self) -> [f64; 2] {
        [self.min, self.max]
    }

    /// Whether it is about the end of the run.
    pub fn is_of_the_end(&self) -> bool {
        matches!(self.when, When::End(_))
    }

    /// The last time it depends on [s].
    pub(crate) fn due(&self) -> f64 {
        match self.when {
            When::At(time) | When::End(time) | When::During(_, time) => time,
        }
    }

    /// Whether the frame of this time [s] counts.
    pub fn is_due(&self, now: f64) -> bool {
        match self.when {
            When::At(time) => self.seen.is_none() && now >= time - SAME_TIME,
            When::End(time) => now >= time - SAME_TIME,
            // a window that falls between two frames is checked at the first frame after it
            When::During(from, to) => now >= from - SAME_TIME && (now <= to + SAME_TIME || self.seen.is_none()),
        }
    }

    /// Check the world after a step. Call it for the frame at the start, too.
    pub fn observe(&mut self, frame: &Frame) {
        if !self.is_due(frame.time) {
            return;
        }
        let value = self.observable.value(frame);
        let worst = match (self.when, self.seen) {
            (When::During(..), Some(seen)) if self.margin(seen) <= self.margin(value) => seen,
            _ => value,
        };
        self.seen = Some(worst);
        self.first_missed = match (self.margin(worst) >= 0.0, self.when) {
            (true, _) => None,
            // only the last frame counts
            (false, When::End(_)) => Some(frame.time),
            (false, _) => self.first_missed.or(Some(frame.time)),
        };
    }

    /// The result, for a run that ended at `ended_at` [s].
    pub fn verdict(&self, ended_at: f64) -> Verdict {
        let Some(value) = self.seen else { return Verdict::NotReached };
        let met = self.first_missed.is_none();
        let reached = match self.when {
            When::At(_) => true,
            When::End(time) => ended_at >= time - SAME_TIME,
            // what has been missed stays missed
            When::During(_, to) => !met || ended_at >= to - SAME_TIME,
        };
        match (reached, self.first_missed) {
            (false, _) => Verdict::NotReached,
            (true, None) => Verdict::Met { value },
            (true, Some(first)) => Verdict::Missed { value, first },
        }
    }

    /// Distance to the nearer bound, negative outside; NaN is the worst.
    fn margin(&self, value: f64) -> f64 {
        if value.is_nan() { f64::NEG_INFINITY } else { (value - self.min).min(self.max - value) }
    }
}

/// A time, or the end of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AtSpec {
    Time(f64),
    End,
}

impl<'de> Deserialize<'de> for AtSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AtVisitor)
    }
}

struct AtVisitor;

const AT: &str = "a time from 0 to 1e6 [s], or \"end\"";

impl Visitor<'_> for AtVisitor {
    type Value = AtSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(AT)
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<AtSpec, E> {
        match word {
            "end" => Ok(AtSpec::End),
            _ => Err(E::custom(format!("expected {AT}, got \"{word}\""))),
        }
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<AtSpec, E> {
        if Time::RANGE.holds(value) {
            Ok(AtSpec::Time(value))
        } else {
            Err(E::custom(format!("expected {AT}, got {}", short(value))))
        }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<AtSpec, E> {
        self.visit_f64(value as f64)
    }
}

impl JsonSchema for AtSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "At".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [
            { "type": "number", "minimum": 0, "maximum": 1e6, "unit": "s", "description": "A time [s]." },
            { "const": "end", "description": "The end of the run." },
        ] })
    }
}
