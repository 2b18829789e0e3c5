//! What `pliant run` reports, for machines and for people.

use pliant::{Account, Energy, EventKind, Frame, JointFrame, Layout, StepError};
use pliant_record::{RecordError, event_text};
use pliant_scene::{Ending, Expectation, Ran, Verdict};
use serde::Serialize;

use crate::output::short;

/// A run, as in the JSON output.
#[derive(Serialize)]
pub struct Summary {
    scene: String,
    time: f64,
    steps: u64,
    wall_s: f64,
    real_time_factor: f64,
    bodies: Vec<BodySummary>,
    grippers: Vec<GripperSummary>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sensors: Vec<SensorSummary>,
    account: AccountSummary,
    penetration_max: f64,
    crossed: usize,
    contacts: Vec<ContactSummary>,
    events: Vec<EventSummary>,
    expectations: Vec<ExpectationSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct BodySummary {
    name: String,
    model: &'static str,
    /// Left out of an interrupted run of very many.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<[f64; 3]>>,
    #[serde(skip)]
    node_count: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    frames: Vec<[f64; 4]>,
    /// Joints of an arm.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    joints: Vec<JointSummary>,
    energy: EnergySummary,
    account: BodyAccount,
}

/// A joint of an arm at the end [rad, m, N m, N].
#[derive(Serialize)]
struct JointSummary {
    name: String,
    #[serde(flatten)]
    now: JointFrame,
}

/// Energy created that no force accounts for [J].
#[derive(Serialize)]
struct AccountSummary {
    /// The most created in one step of one body [J].
    created_max: f64,
    /// The sum over all bodies [J].
    created_total: f64,
    /// The body in which the most was created in one step; `None` without bodies.
    body: Option<String>,
    /// When that was [s].
    time: f64,
}

/// Energy account of a body since the start [J].
#[derive(Serialize)]
struct BodyAccount {
    work_grips: f64,
    work_loads: f64,
    work_obstacles: f64,
    work_bodies: f64,
    dissipated: f64,
    created: f64,
    created_max: f64,
    /// Energy now stored in contacts and holds [J].
    stored: f64,
}

/// Largest number of bodies whose accounts are shown one by one.
const MOST_ACCOUNTS: usize = 8;

/// Largest number of nodes, of all bodies, that are listed for an interrupted run, which has no time for more.
const MOST_NODES: usize = 100_000;

impl BodyAccount {
    /// As text; zero entries are left out.
    fn text(&self) -> String {
        let did = [
            ("grips", self.work_grips),
            ("loads", self.work_loads),
            ("obstacles", self.work_obstacles),
            ("bodies", self.work_bodies),
        ];
        let did = did.into_iter().filter(|(_, work)| *work != 0.0);
        let mut parts: Vec<String> = did.map(|(who, work)| format!("{who} did {} J", short(work))).collect();
        parts.push(format!("{} J dissipated", short(self.dissipated)));
        parts.push(format!("{} J created", short(self.created)));
        parts.join(", ")
    }

    fn new(account: &Account) -> BodyAccount {
        BodyAccount {
            work_grips: account.work.grips,
            work_loads: account.work.loads,
            work_obstacles: account.work.obstacles,
            work_bodies: account.work.bodies,
            dissipated: account.dissipated(),
            created: account.created,
            created_max: account.created_max,
            stored: account.stored,
        }
    }
}

impl AccountSummary {
    /// Of all bodies; a step that failed for what it created counts.
    fn new(layout: &Layout, frame: &Frame, ending: &Ending<RecordError>) -> AccountSummary {
        let accounts = layout.body_names().zip(frame.bodies.iter().map(|body| &body.account));
        let mut all = AccountSummary { created_max: 0.0, created_total: 0.0, body: None, time: 0.0 };
        for (name, account) in accounts {
            all.created_total += account.created;
            all.note(name, account.created_max, account.created_at);
        }
        if let Ending::Failed(StepError::Created { body, time, created, .. }) = ending {
            all.created_total += created;
            all.note(body, *created, *time);
        }
        all
    }

    fn note(&mut self, body: &str, created: f64, time: f64) {
        if self.body.is_none() || created > self.created_max {
            (self.body, self.created_max, self.time) = (Some(body.into()), created, time);
        }
    }
}

#[derive(Serialize)]
struct EnergySummary {
    #[serde(flatten)]
    parts: Energy,
    total: f64,
}

#[derive(Serialize)]
struct GripperSummary {
    name: String,
    position: [f64; 3],
    force: [f64; 3],
    torque: [f64; 3],
    attached: bool,
}

/// What a sensor reads at the end, in its own axes [N, N m].
#[derive(Serialize)]
struct SensorSummary {
    name: String,
    force: [f64; 3],
    torque: [f64; 3],
}

#[derive(Serialize)]
struct ContactSummary {
    body: String,
    other: String,
    position: [f64; 3],
    normal: [f64; 3],
    force: [f64; 3],
    penetration: f64,
    /// Arc length along a rod [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    along: Option<f64>,
}

#[derive(Serialize)]
struct EventSummary {
    time: f64,
    kind: &'static str,
    text: String,
    /// For a limit that was exceeded: where, by how much, and the limit [N] or [m].
    #[serde(flatten)]
    beyond: Option<Beyond>,
}

#[derive(Serialize)]
struct Beyond {
    node: usize,
    value: f64,
    limit: f64,
}

#[derive(Serialize)]
struct ExpectationSummary {
    text: String,
    quantity: String,
    value: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    verdict: &'static str,
    /// When it first left its bounds [s].
    #[serde(skip_serializing_if = "Option::is_none")]
    first_missed: Option<f64>,
}

impl Summary {
    /// Gather the results at the end of a run.
    pub fn new(
        scene: &str,
        layout: &Layout,
        ran: &Ran<RecordError>,
        wall_s: f64,
        expectations: &[Expectation],
    ) -> Summary {
        let frame = &ran.frame;
        let is_short = matches!(ran.ending, Ending::Stopped)
            && frame.bodies.iter().map(|body| body.nodes.len()).sum::<usize>() > MOST_NODES;
        let bodies = layout.bodies.iter().zip(&frame.bodies).map(|(body, f)| BodySummary {
            name: body.name.clone(),
            model: body.model.name(),
            nodes: (!is_short).then(|| f.nodes.iter().map(|p| p.to_array()).collect()),
            node_count: f.nodes.len(),
            frames: f.frames.iter().filter(|_| !is_short).map(|q| [q.w, q.x, q.y, q.z]).collect(),
            joints: body
                .joints
                .iter()
                .zip(&f.joints)
                .map(|(joint, &now)| JointSummary { name: joint.name.clone(), now })
                .collect(),
            energy: EnergySummary { parts: f.energy, total: f.energy.total() },
            account: BodyAccount::new(&f.account),
        });
        let grippers = layout.gripper_names().zip(&frame.grippers).map(|(name, f)| GripperSummary {
            name: name.into(),
            position: f.pose.translation.to_array(),
            force: f.load.force.to_array(),
            torque: f.load.torque.to_array(),
            attached: f.attached,
        });
        let sensors = layout.sensor_names().zip(&frame.sensors).map(|(name, f)| SensorSummary {
            name: name.into(),
            force: f.force.to_array(),
            torque: f.torque.to_array(),
        });
        let contacts = frame.contacts.iter().map(|c| ContactSummary {
            body: layout.body_name(c.body),
            other: match c.other {
                pliant::Other::Obstacle(i) => layout.obstacle_name(i),
                pliant::Other::Body(i) => layout.body_name(i),
                pliant::Other::Slider(i) => format!("slider {i}"),
            },
            position: c.position.to_array(),
            normal: c.normal.to_array(),
            force: c.force.to_array(),
            penetration: c.penetration,
            along: c.along,
        });
        let events = ran.events.iter().map(|e| EventSummary {
            time: e.time,
            kind: e.kind.name(),
            text: event_text(layout, e.kind),
            beyond: match e.kind {
                EventKind::OverTension { node, tension: value, limit, .. }
                | EventKind::TensionEased { node, tension: value, limit, .. }
                | EventKind::OverBend { node, radius: value, limit, .. }
                | EventKind::BendEased { node, radius: value, limit, .. } => Some(Beyond { node, value, limit }),
                _ => None,
            },
        });
        Summary {
            scene: scene.into(),
            time: frame.time,
            steps: ran.steps,
            wall_s,
            real_time_factor: frame.time / wall_s.max(f64::MIN_POSITIVE),
            bodies: bodies.collect(),
            grippers: grippers.collect(),
            sensors: sensors.collect(),
            account: AccountSummary::new(layout, frame, &ran.ending),
            penetration_max: ran.penetration_max,
            crossed: ran.crossings().1,
            contacts: contacts.collect(),
            events: events.collect(),
            expectations: expectations.iter().map(|e| expectation(e, frame.time)).collect(),
            error: match &ran.ending {
                Ending::Done => None,
                Ending::Stopped if is_short => {
                    Some("interrupted; nodes are left out, since there are very many".into())
                }
                Ending::Stopped => Some("interrupted".into()),
                Ending::Failed(error) => Some(error.to_string()),
                Ending::Abandoned(error) => Some(error.to_string()),
            },
        }
    }

    /// The summary for people, as labels and values.
    pub fn lines(&self) -> Vec<(String, String)> {
        let norm = |v: [f64; 3]| short(v.iter().map(|c| c * c).sum::<f64>().sqrt());
        let line = |label: &str, value: String| (label.to_string(), value);
        let mut lines = vec![
            line("simulated", format!("{} s in {} steps", short(self.time), self.steps)),
            line("took", format!("{} s, {} x real time", short(self.wall_s), short(self.real_time_factor))),
        ];
        for b in &self.bodies {
            let e = &b.energy.parts;
            let text = format!(
                "kinetic {} J, elastic {} J, gravity {} J",
                short(e.kinetic),
                short(e.elastic),
                short(e.gravity)
            );
            lines.push((format!("{} ({}, {} nodes)", b.name, b.model, b.node_count), text));
        }
        if self.bodies.len() <= MOST_ACCOUNTS {
            lines.extend(self.bodies.iter().map(|b| (format!("account of {}", b.name), b.account.text())));
        } else {
            let created = short(self.account.created_total);
            lines.push(line("account", format!("{created} J created that no force accounts for, of all bodies")));
        }
        for g in &self.grippers {
            let text = if g.attached {
                format!("force {} N, torque {} N m", norm(g.force), norm(g.torque))
            } else {
                "holds nothing".into()
            };
            lines.push((g.name.clone(), text));
        }
        for s in &self.sensors {
            lines.push((s.name.clone(), format!("reads {} N and {} N m", norm(s.force), norm(s.torque))));
        }
        if !self.contacts.is_empty() || self.penetration_max > 0.0 {
            let text =
                format!("{} at the end, deepest ever {} mm", self.contacts.len(), short(self.penetration_max * 1e3));
            lines.push(line("contacts", text));
        }
        lines
    }
}

fn expectation(e: &Expectation, ended_at: f64) -> ExpectationSummary {
    let (value, verdict, first_missed) = match e.verdict(ended_at) {
        Verdict::Met { value } => (Some(value), "met", None),
        Verdict::Missed { value, first } => (Some(value), "missed", Some(first)),
        Verdict::NotReached => (None, "not reached", None),
    };
    let [min, max] = e.bounds().map(|b| b.is_finite().then_some(b));
    ExpectationSummary { text: e.text().into(), quantity: e.quantity().into(), value, min, max, verdict, first_missed }
}
