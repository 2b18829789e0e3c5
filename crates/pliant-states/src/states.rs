//! From contacts over time to states: hysteresis in force and in time, and what each transition does.

use crate::demonstration::{Demonstration, Instant};
use crate::line::Line;
use crate::sequence::{Change, Held, Load, Sequence, State, Touch, Transition, VERSION, Waypoint};
use crate::settings::Settings;

/// Default of [`Settings::force`], relative to the median of all contact forces.
const RELATIVE_FORCE: f64 = 0.02;
/// A contact ends below this part of the force above which it begins.
const RELEASE: f64 = 0.5;
/// Largest number of waypoints of a sequence, apart from those at transitions.
const MOST_WAYPOINTS: usize = 2000;
/// Part of a change by which things may differ from their model, see [`Change::tolerance`].
const MODEL_TOLERANCE: f64 = 0.3;

/// Why a demonstration has no states.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StatesError {
    /// Nothing was watched, or only an instant.
    #[error("a demonstration needs at least two frames, this one has {0}")]
    TooShort(usize),
    /// A setting that is out of range.
    #[error("the setting {name} is {value}, expected {expected}")]
    Setting {
        /// Which one.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        expected: &'static str,
    },
}

impl Settings {
    /// Fails if a setting is out of range.
    pub fn check(&self) -> Result<(), StatesError> {
        let force = self.force.unwrap_or(1.0);
        let rules = [
            ("force", force, force > 0.0 && force.is_finite(), "a positive force [N]"),
            ("hold", self.hold, (0.0..=10.0).contains(&self.hold), "0 to 10 s"),
            ("edge_angle", self.edge_angle, (1.0..=90.0).contains(&self.edge_angle), "1 to 90 degrees"),
            ("end_radii", self.end_radii, (0.0..=100.0).contains(&self.end_radii), "0 to 100 radii"),
            ("window", self.window, self.window > 0.0 && self.window <= 10.0, "a positive time up to 10 s"),
        ];
        match rules.into_iter().find(|(_, _, good, _)| !good) {
            Some((name, value, _, expected)) => Err(StatesError::Setting { name, value, expected }),
            None => Ok(()),
        }
    }
}

/// A contact that begins or ends with a frame.
struct Event {
    frame: usize,
    touch: usize,
    begins: bool,
}

impl Demonstration {
    /// The contact states of what was watched.
    pub fn sequence(&self) -> Result<Sequence, StatesError> {
        self.settings.check()?;
        let [first, .., last] = &self.instants[..] else {
            return Err(StatesError::TooShort(self.instants.len()));
        };
        let force = self.settings.force.unwrap_or_else(|| RELATIVE_FORCE * self.median_force());
        let mut present = vec![false; self.touches.len()];
        let mut events = vec![];
        for touch in 0..self.touches.len() {
            for [from, to] in self.spans(touch, force) {
                // what happens in the first moments is how it begins
                if self.instants[from].time - first.time < self.settings.hold {
                    present[touch] = true;
                } else {
                    events.push(Event { frame: from, touch, begins: true });
                }
                if last.time - self.instants[to].time >= self.settings.hold {
                    events.push(Event { frame: to, touch, begins: false });
                }
            }
        }
        events.sort_by_key(|event| (event.frame, event.touch));
        let mut states = vec![self.contacts(&present)];
        let mut begins = vec![0];
        let mut changes = vec![];
        let mut rest = &events[..];
        while let Some(first) = rest.first() {
            let until = self.instants[first.frame].time + self.settings.hold;
            let count = rest.iter().take_while(|event| self.instants[event.frame].time < until).count();
            let before = present.clone();
            rest[..count].iter().for_each(|event| present[event.touch] = event.begins);
            if before != present {
                let gained = self.contacts_where(|touch| present[touch] && !before[touch]);
                let lost = self.contacts_where(|touch| before[touch] && !present[touch]);
                states.push(self.contacts(&present));
                begins.push(first.frame);
                changes.push((gained, lost));
            }
            rest = &rest[count..];
        }
        begins.push(self.instants.len() - 1);
        let gaps = self.instants.windows(2).map(|pair| pair[1].time - pair[0].time);
        let transitions = changes.into_iter().enumerate();
        Ok(Sequence {
            version: VERSION,
            title: self.title.clone(),
            resolution: gaps.fold(0.0, f64::max),
            settings: Settings { force: Some(force), ..self.settings },
            grippers: self.gripper_names(),
            transitions: transitions
                .map(|(n, (gained, lost))| self.transition(n, &begins[n..n + 3], gained, lost))
                .collect(),
            states: states.into_iter().zip(begins.windows(2)).map(|(c, frames)| self.state(c, frames)).collect(),
        })
    }

    /// Median force of all contacts that push, in all frames [N].
    fn median_force(&self) -> f64 {
        let all = self.instants.iter().flat_map(|instant| instant.forces.iter().map(|(_, force)| *force));
        let mut forces: Vec<f64> = all.filter(|force| force.is_finite()).collect();
        forces.sort_unstable_by(f64::total_cmp);
        forces.get(forces.len() / 2).copied().unwrap_or(0.0)
    }

    /// The times in which a contact lasts, each as its first frame and the first one after it.
    fn spans(&self, touch: usize, force: f64) -> Vec<[usize; 2]> {
        let mut raw: Vec<[usize; 2]> = vec![];
        let mut since = None;
        for (frame, instant) in self.instants.iter().enumerate() {
            let found = instant.forces.binary_search_by_key(&touch, |(number, _)| *number);
            let now = found.map_or(0.0, |at| instant.forces[at].1);
            match since {
                None if now > force => since = Some(frame),
                Some(from) if now <= RELEASE * force => {
                    raw.push([from, frame]);
                    since = None;
                }
                _ => {}
            }
        }
        let end = self.instants.len() - 1;
        raw.extend(since.map(|from| [from, end]));
        let time = |frame: usize| self.instants[frame].time;
        // first close the gaps: a contact that chatters is one
        let mut whole: Vec<[usize; 2]> = vec![];
        for span in raw {
            match whole.last_mut() {
                Some(last) if time(span[0]) - time(last[1]) < self.settings.hold => last[1] = span[1],
                _ => whole.push(span),
            }
        }
        whole.retain(|[from, to]| time(*to) - time(*from) >= self.settings.hold);
        whole
    }

    fn contacts(&self, present: &[bool]) -> Vec<Touch> {
        self.contacts_where(|touch| present[touch])
    }

    fn contacts_where(&self, wanted: impl Fn(usize) -> bool) -> Vec<Touch> {
        let mut found: Vec<Touch> =
            (0..self.touches.len()).filter(|n| wanted(*n)).map(|n| self.touches[n].clone()).collect();
        found.sort();
        found
    }

    fn state(&self, contacts: Vec<Touch>, frames: &[usize]) -> State {
        let (from, to) = (frames[0], frames[1]);
        let stride = self.instants.len().div_ceil(MOST_WAYPOINTS).max(1);
        let kept = (from..=to).filter(|frame| (frame - from) % stride == 0 || *frame == to);
        let waypoint = |frame: usize| {
            let Instant { time, held, .. } = &self.instants[frame];
            Waypoint { time: *time, grippers: held.clone() }
        };
        State {
            from: self.instants[from].time,
            to: self.instants[to].time,
            contacts,
            path: kept.map(waypoint).collect(),
        }
    }

    /// The transition at the second of three frames, with which states begin or the last one ends.
    fn transition(&self, index: usize, frames: &[usize], gained: Vec<Touch>, lost: Vec<Touch>) -> Transition {
        let instant = &self.instants[frames[1]];
        Transition {
            time: instant.time,
            since: self.instants[frames[1] - 1].time,
            from: index,
            to: index + 1,
            gained,
            lost,
            points: instant.points.clone(),
            shapes: instant.shapes.clone(),
            grippers: (0..instant.held.len()).map(|gripper| self.change(gripper, frames)).collect(),
        }
    }

    fn change(&self, gripper: usize, frames: &[usize]) -> Change {
        let (at, window) = (frames[1], self.settings.window);
        let (time, since) = (self.instants[at].time, self.instants[at - 1].time);
        let samples = |from: f64, to: f64, frames: std::ops::Range<usize>| -> Vec<(f64, [f64; 6])> {
            let of = self.instants[frames].iter().filter(|i| i.time >= from && i.time <= to);
            of.filter_map(|i| Some((i.time, wrench(i.held.get(gripper)?)))).collect()
        };
        let before = Line::through(&samples(since - window, since, frames[0]..at));
        let after = Line::through(&samples(time, time + window, at..frames[2] + 1));
        let (from, to) = (before.at(time), after.at(time));
        let change = difference(after.at(after.last), before.at(since));
        let size = |part: std::ops::Range<usize>| change[part].iter().map(|x| x * x).sum::<f64>().sqrt();
        let tolerance = |part: std::ops::Range<usize>, which: usize| {
            3.0 * before.rest[which].max(after.rest[which]) + MODEL_TOLERANCE * size(part)
        };
        let held = &self.instants[at].held[gripper];
        Change {
            position: held.position,
            orientation: held.orientation,
            before: load(from),
            after: load(to),
            jump: load(difference(to, from)),
            rate_before: load(before.rate),
            rate_after: load(after.rate),
            change: load(change),
            tolerance: [tolerance(0..3, 0), tolerance(3..6, 1)],
        }
    }
}

/// Force and torque as six numbers.
pub(crate) fn wrench(held: &Held) -> [f64; 6] {
    let ([a, b, c], [d, e, f]) = (held.force, held.torque);
    [a, b, c, d, e, f]
}

fn load([a, b, c, d, e, f]: [f64; 6]) -> Load {
    Load { force: [a, b, c], torque: [d, e, f] }
}

fn difference(a: [f64; 6], b: [f64; 6]) -> [f64; 6] {
    std::array::from_fn(|n| a[n] - b[n])
}
