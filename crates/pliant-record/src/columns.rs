//! The columns of the table of samples. The report plots some of them.

use pliant::math::Vec3;
use pliant::{Account, BodyLayout, Frame, Layout, Other, Work};

/// Largest number of (obstacle, body) pairs with columns of their own: more would make the table too wide to use.
const MOST_PAIRS: usize = 1000;

/// One column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// What it holds, such as `hand.force.x`.
    pub name: String,
    pub unit: &'static str,
    /// Whether it may peak between two rows, so that its extremes are kept. Positions change smoothly and have none.
    pub peaks: bool,
    /// Whether its values are integers.
    pub whole: bool,
}

/// All columns of a run.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub list: Vec<Column>,
    gripper_count: usize,
    /// Indices of the fields of each body that have a column for their largest value.
    fields: Vec<Vec<usize>>,
    /// First column of the joints of each body.
    joints: Vec<usize>,
    sensor_count: usize,
    /// First column of the sensors.
    sensor_start: usize,
    obstacle_count: usize,
    obstacle_start: usize,
    /// Number of bodies with columns for the force of each obstacle; 0 if there is only one body, or too many pairs.
    paired: usize,
}

/// Entries of a body's energy account that have columns: sums since the start, and what is stored now.
pub(crate) const ACCOUNT: [&str; 7] =
    ["work.grips", "work.loads", "work.obstacles", "work.bodies", "dissipated", "created", "stored"];

fn account(account: &Account) -> [f64; ACCOUNT.len()] {
    let Work { grips, loads, obstacles, bodies } = account.work;
    [grips, loads, obstacles, bodies, account.dissipated(), account.created, account.stored]
}

/// Fields whose largest value along a body is a column.
const GREATEST: [&str; 2] = ["tension", "curvature"];

impl Columns {
    /// The columns of a world that is laid out like this.
    pub fn new(layout: &Layout) -> Columns {
        let count = layout.bodies.len();
        let paired = if count > 1 && count * layout.obstacles.len() <= MOST_PAIRS { count } else { 0 };
        let of_body = |body: &BodyLayout| {
            let wanted = body.fields.iter().enumerate().filter(|(_, (name, _))| GREATEST.contains(name));
            wanted.map(|(index, _)| index).collect()
        };
        let mut columns = Columns {
            list: vec![],
            gripper_count: layout.grippers.len(),
            fields: layout.bodies.iter().map(of_body).collect(),
            joints: vec![],
            sensor_count: layout.sensors.len(),
            sensor_start: 0,
            obstacle_count: layout.obstacles.len(),
            obstacle_start: 0,
            paired,
        };
        columns.name(layout);
        let mut end = 1 + GRIPPER_COLUMNS * columns.gripper_count;
        for (body, fields) in layout.bodies.iter().zip(&columns.fields) {
            columns.joints.push(end + BODY_COLUMNS + fields.len());
            end += BODY_COLUMNS + fields.len() + JOINT.len() * body.joints.len();
        }
        columns
    }

    fn name(&mut self, layout: &Layout) {
        let list = &mut self.list;
        let mut add = |name: String, unit, peaks, whole| list.push(Column { name, unit, peaks, whole });
        add("time".into(), "s", false, false);
        for name in layout.gripper_names() {
            XYZ.iter().for_each(|axis| add(format!("{name}.position.{axis}"), "m", false, false));
            PARTS.iter().for_each(|part| add(format!("{name}.force.{part}"), "N", true, false));
            PARTS.iter().for_each(|part| add(format!("{name}.torque.{part}"), "N m", true, false));
            add(format!("{name}.attached"), "", false, true);
        }
        for (body, fields) in layout.bodies.iter().zip(&self.fields) {
            let name = &body.name;
            ENERGIES.iter().for_each(|energy| add(format!("{name}.{energy}"), "J", true, false));
            ACCOUNT.iter().for_each(|entry| add(format!("{name}.{entry}"), "J", false, false));
            XYZ.iter().for_each(|axis| add(format!("{name}.start.{axis}"), "m", false, false));
            XYZ.iter().for_each(|axis| add(format!("{name}.end.{axis}"), "m", false, false));
            for (field, unit) in fields.iter().map(|&index| body.fields[index]) {
                add(format!("{name}.{field}.max"), unit, true, false);
            }
            for joint in &body.joints {
                let column = |quantity: &str| format!("{name}.joint.{}.{quantity}", joint.name);
                JOINT.iter().zip(joint.units()).for_each(|(what, unit)| add(column(what), unit, true, false));
            }
        }
        self.sensor_start = list.len();
        let mut add = |name: String, unit, peaks, whole| list.push(Column { name, unit, peaks, whole });
        for name in layout.sensor_names() {
            PARTS.iter().for_each(|part| add(format!("sensor.{name}.force.{part}"), "N", true, false));
            PARTS.iter().for_each(|part| add(format!("sensor.{name}.torque.{part}"), "N m", true, false));
        }
        self.obstacle_start = list.len();
        let mut add = |name: String, unit, peaks, whole| list.push(Column { name, unit, peaks, whole });
        for name in layout.obstacle_names() {
            PARTS.iter().for_each(|part| add(format!("obstacle.{name}.force.{part}"), "N", true, false));
            for body in layout.body_names().take(self.paired) {
                XYZ.iter().for_each(|axis| add(format!("obstacle.{name}.force_on.{body}.{axis}"), "N", true, false));
            }
        }
        add("contacts".into(), "", true, true);
        add("penetration_max".into(), "m", true, false);
        add("contact_force".into(), "N", true, false);
    }

    /// First columns of the force and the torque on a gripper.
    pub fn loads_of_gripper(&self, gripper: usize) -> [usize; 2] {
        let force = 1 + GRIPPER_COLUMNS * gripper + XYZ.len();
        [force, force + PARTS.len()]
    }

    /// First columns of the force and the torque of a sensor.
    pub fn of_sensor(&self, sensor: usize) -> [usize; 2] {
        let force = self.sensor_start + 2 * PARTS.len() * sensor;
        [force, force + PARTS.len()]
    }

    /// Column of the torque of a joint of a body.
    pub fn torque_of_joint(&self, body: usize, joint: usize) -> usize {
        self.joints[body] + JOINT.len() * joint + 2
    }

    /// First column of the force of an obstacle.
    pub fn force_of_obstacle(&self, obstacle: usize) -> usize {
        self.obstacle_start + obstacle * self.obstacle_width()
    }

    /// Number of columns of an obstacle: its force on all bodies, then on each.
    fn obstacle_width(&self) -> usize {
        PARTS.len() + XYZ.len() * self.paired
    }

    /// Columns of the penetration and of the sum of contact forces.
    pub fn of_contacts(&self) -> [usize; 2] {
        [self.list.len() - 2, self.list.len() - 1]
    }

    /// Fill a row with the values at an instant.
    pub fn fill(&self, frame: &Frame, row: &mut Vec<f64>) {
        row.clear();
        row.push(frame.time);
        for gripper in frame.grippers.iter().take(self.gripper_count) {
            row.extend(gripper.pose.translation.to_array());
            [gripper.load.force, gripper.load.torque].into_iter().for_each(|v| row.extend(parts(v)));
            row.push(f64::from(u8::from(gripper.attached)));
        }
        for (body, fields) in frame.bodies.iter().zip(&self.fields) {
            let energy = body.energy;
            row.extend([energy.kinetic, energy.elastic, energy.gravity, energy.total()]);
            row.extend(account(&body.account));
            let end = |node: Option<&Vec3>| node.copied().unwrap_or(Vec3::NAN).to_array();
            row.extend(end(body.nodes.first()));
            row.extend(end(body.nodes.last()));
            let greatest = |field: &pliant::Field| field.values.iter().copied().fold(f64::NAN, f64::max);
            row.extend(fields.iter().map(|&index| body.fields.get(index).map_or(f64::NAN, greatest)));
            row.extend(body.joints.iter().flat_map(|joint| [joint.position, joint.speed, joint.torque]));
        }
        for sensor in frame.sensors.iter().take(self.sensor_count) {
            [sensor.force, sensor.torque].into_iter().for_each(|v| row.extend(parts(v)));
        }
        self.fill_obstacles(frame, row);
        row.extend([frame.contacts.len() as f64, frame.penetration, contact_force_sum(frame)]);
    }

    fn fill_obstacles(&self, frame: &Frame, row: &mut Vec<f64>) {
        row.resize(self.force_of_obstacle(self.obstacle_count), 0.0);
        for contact in &frame.contacts {
            let Other::Obstacle(obstacle) = contact.other else { continue };
            if obstacle >= self.obstacle_count {
                continue;
            }
            let own = self.force_of_obstacle(obstacle);
            let mut add = |at: usize| (0..3).for_each(|axis| row[at + axis] += contact.force[axis]);
            add(own);
            if contact.body < self.paired {
                add(own + PARTS.len() + XYZ.len() * contact.body);
            }
        }
        for obstacle in 0..self.obstacle_count {
            let own = self.force_of_obstacle(obstacle);
            row[own + 3] = Vec3::new(row[own], row[own + 1], row[own + 2]).length();
        }
    }
}

const XYZ: [&str; 3] = ["x", "y", "z"];
const PARTS: [&str; 4] = ["x", "y", "z", "norm"];
/// Number of columns of a gripper: position, force, torque, whether it holds anything.
const GRIPPER_COLUMNS: usize = XYZ.len() + 2 * PARTS.len() + 1;
/// Number of columns of a body before those of its fields: energies, account, start and end.
const BODY_COLUMNS: usize = ENERGIES.len() + ACCOUNT.len() + 2 * XYZ.len();
const ENERGIES: [&str; 4] = ["kinetic", "elastic", "gravity", "total"];
/// Columns of a joint of an arm.
const JOINT: [&str; 3] = ["position", "speed", "torque"];

fn parts(v: Vec3) -> [f64; 4] {
    [v.x, v.y, v.z, v.length()]
}

/// Sum of the magnitudes of all contact forces [N].
pub(crate) fn contact_force_sum(frame: &Frame) -> f64 {
    // not `sum`, which is -0 for an empty iterator
    frame.contacts.iter().fold(0.0, |sum, contact| sum + contact.force.length())
}
