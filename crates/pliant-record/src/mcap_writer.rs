//! `recording.mcap`: the run frame by frame, in the schemas of Foxglove.
//!
//! Every flush closes a chunk, and the file is complete after each, so any reader can use all chunks of a killed run;
//! only the index, for seeking, is written at the end. Chunks end by size, never by the clock: the same run gives the
//! same bytes. Messages that are not in a chunk yet are saved from time to time after the last chunk, and the next
//! chunk replaces them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcap::McapError;
use mcap::records::{MessageHeader, Metadata};
use mcap::write::{NoSeek, WriteOptions, Writer};
use pliant::math::Vec3;
use pliant::{BodyFrame, Frame, GripState, GripperFrame, JointFrame, Layout, SensorFrame, World};

use crate::block_file::{BlockFile, SharedFile};
use crate::columns::contact_force_sum;
use crate::error::RecordError;
use crate::foxglove::{
    BodyLayoutSample, BodySample, ContactSample, ContactsSample, EnergySample, FieldSample, FrameTransforms,
    GripSample, GripperSample, GripsSample, JointLayoutSample, JointSample, LayoutSample, Log, LogLevel,
    ObstacleLayoutSample, ObstacleSample, PointCloud, PushSample, SceneUpdate, SensorLayoutSample, SensorSample,
    Timestamp, nanoseconds,
};
use crate::gate::Gate;
use crate::interval::{Extremes, Interval};
use crate::protobuf::{Message, descriptor_set};
use crate::scene::Scenery;

/// The records that complete a file without an index: `DataEnd` (opcode 0x0f, a checksum) and `Footer` (0x02, two
/// offsets and a checksum), each after its length and all zero for "none", then the magic bytes. See
/// <https://mcap.dev/spec>.
const ENDING: &[u8; 50] = b"\
    \x0f\x04\0\0\0\0\0\0\0\0\0\0\0\
    \x02\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
    \x89MCAP0\r\n";

/// Writes `recording.mcap`.
pub(crate) struct McapWriter {
    path: PathBuf,
    writer: Writer<NoSeek<SharedFile>>,
    file: SharedFile,
    scenery: Scenery,
    layout: Layout,
    channels: Channels,
    sequence: u32,
    /// Buffer for one message.
    bytes: Vec<u8>,
    /// Messages since the last flush, as records outside a chunk.
    pending: Vec<u8>,
}

/// Channel numbers.
struct Channels {
    layout: u16,
    grips: u16,
    obstacles: u16,
    scene: u16,
    transforms: u16,
    contacts: u16,
    events: u16,
    bodies: Vec<u16>,
    points: Vec<u16>,
    grippers: Vec<u16>,
    forces: Vec<u16>,
    sensors: Vec<u16>,
}

impl McapWriter {
    /// Create the file and write what never changes.
    pub fn create(
        path: PathBuf,
        world: &World,
        layout: &Layout,
        about: BTreeMap<String, String>,
        gate: &Gate,
    ) -> Result<McapWriter, RecordError> {
        let file = SharedFile::new(BlockFile::create_new(&path, ENDING, gate).map_err(RecordError::create(&path))?);
        let options = WriteOptions::new()
            .library(concat!("pliant ", env!("CARGO_PKG_VERSION")))
            .disable_seeking(true)
            // the recorder decides when a chunk ends
            .chunk_size(None)
            // runs beside a real-time loop: the fastest level, and no threads that take its cores
            .compression_level(1)
            .compression_threads(0);
        let failed = |cause| format_error(&path, cause);
        let mut writer = options.create(NoSeek::new(file.clone())).map_err(failed)?;
        writer.write_metadata(&Metadata { name: "run".into(), metadata: about }).map_err(failed)?;
        let channels = Channels::add(&mut writer, layout).map_err(failed)?;
        let mut this = McapWriter {
            scenery: Scenery::new(world, layout),
            layout: layout.clone(),
            path,
            writer,
            file,
            channels,
            sequence: 0,
            bytes: vec![],
            pending: vec![],
        };
        this.put(this.channels.layout, world.time(), &layout_sample(layout))?;
        if !layout.obstacles.is_empty() {
            this.put(this.channels.obstacles, world.time(), &this.scenery.obstacles(world.time()))?;
        }
        Ok(this)
    }

    /// Add a frame.
    pub fn write_frame(&mut self, frame: &Frame, interval: &Interval) -> Result<(), RecordError> {
        let time = frame.time;
        let scene = self.scenery.update(frame);
        self.put(self.channels.scene, time, &scene)?;
        // right after the scene, whose bytes it repeats
        for (index, body) in frame.bodies.iter().enumerate().take(self.channels.bodies.len()) {
            let mut sample = body_sample(body, &interval.fields[index], time);
            for (n, (joint, look)) in body.joints.iter().zip(&self.layout.bodies[index].joints).enumerate() {
                let JointFrame { position, speed, torque } = *joint;
                let Extremes { low: torque_low, high: torque_high } = interval.of_joint(index, n);
                let name = look.name.clone();
                sample.joints.push(JointSample { name, position, speed, torque, torque_low, torque_high });
            }
            self.put(self.channels.bodies[index], time, &sample)?;
            self.put(self.channels.points[index], time, &Scenery::points(body, time))?;
        }
        for (index, gripper) in frame.grippers.iter().enumerate().take(self.channels.grippers.len()) {
            self.put(self.channels.grippers[index], time, &gripper_sample(gripper, interval.of_gripper(index), time))?;
        }
        for (index, sensor) in frame.sensors.iter().enumerate().take(self.channels.sensors.len()) {
            self.put(self.channels.sensors[index], time, &sensor_sample(sensor, interval.of_sensor(index), time))?;
        }
        if !frame.grippers.is_empty() || !frame.obstacles.is_empty() {
            self.put(self.channels.transforms, time, &self.scenery.transforms(frame))?;
        }
        for index in 0..frame.obstacles.len().min(self.channels.forces.len()) {
            let sample = self.obstacle_sample(frame, index, interval.of_obstacle(index));
            self.put(self.channels.forces[index], time, &sample)?;
        }
        self.put(self.channels.grips, time, &self.grips_sample(frame))?;
        // not only with obstacles: bodies touch each other and themselves. Last, so that it tells a reader that the
        // frame is complete
        self.put(self.channels.contacts, time, &self.contacts_sample(frame, interval))
    }

    /// Add an event as text.
    pub fn write_event(&mut self, time: f64, text: &str) -> Result<(), RecordError> {
        let (timestamp, level, message) = (Timestamp::at(time), LogLevel, text.into());
        let log = Log { timestamp, level, message, name: "pliant".into(), ..Log::default() };
        self.put(self.channels.events, time, &log)
    }

    fn put<M: Message>(&mut self, channel_id: u16, time: f64, message: &M) -> Result<(), RecordError> {
        self.bytes.clear();
        message.encode(&mut self.bytes);
        let stamp = nanoseconds(time);
        let header = MessageHeader { channel_id, sequence: self.sequence, log_time: stamp, publish_time: stamp };
        self.sequence = self.sequence.wrapping_add(1);
        write_record(&header, &self.bytes, &mut self.pending);
        self.writer.write_to_known_channel(&header, &self.bytes).map_err(|e| format_error(&self.path, e))
    }

    /// Size of the messages that a killed run would lose [bytes].
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Write the messages that are in no chunk yet to the file, until a chunk replaces them.
    pub fn save(&mut self) -> Result<(), RecordError> {
        self.file.file().save(&self.pending).map_err(RecordError::write(&self.path))
    }

    /// End the chunk and append it to the file.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.writer.flush().map_err(|e| format_error(&self.path, e))?;
        self.pending.clear();
        Ok(())
    }

    /// Write the index and close the file.
    pub fn finish(self, outcome: BTreeMap<String, String>, sync: bool) -> Result<(), RecordError> {
        let McapWriter { mut writer, file, path, .. } = self;
        let failed = |cause| format_error(&path, cause);
        // first what is left of the run: if the disk fills up now, it may fit where the index does not
        writer.flush().map_err(failed)?;
        writer.write_metadata(&Metadata { name: "outcome".into(), metadata: outcome }).map_err(failed)?;
        writer.finish().map_err(failed)?;
        file.file().finish(sync).map_err(RecordError::write(&path))
    }

    fn obstacle_sample(&self, frame: &Frame, index: usize, extremes: [Extremes; 4]) -> ObstacleSample {
        let mut on: Vec<(usize, Vec3)> = vec![];
        for contact in frame.contacts.iter().filter(|c| c.other == pliant::Other::Obstacle(index)) {
            match on.last_mut() {
                Some((body, force)) if *body == contact.body => *force += contact.force,
                _ => on.push((contact.body, contact.force)),
            }
        }
        let force: Vec3 = on.iter().map(|(_, force)| *force).sum();
        let push = |(body, force): (usize, Vec3)| PushSample { body: self.layout.body_name(body), force: force.into() };
        let [low, high] = corners(extremes);
        ObstacleSample {
            timestamp: Timestamp::at(frame.time),
            force: force.into(),
            force_norm: force.length(),
            on: on.into_iter().map(push).collect(),
            force_low: low.into(),
            force_high: high.into(),
            force_norm_high: extremes[3].high,
        }
    }

    fn grips_sample(&self, frame: &Frame) -> GripsSample {
        let closed = frame.grips.iter().filter(|grip| grip.state.is_closed());
        let grips = closed.map(|grip| GripSample {
            gripper: self.layout.gripper_name(grip.gripper),
            body: self.layout.body_name(grip.body),
            fraction: self.layout.bodies.get(grip.body).map_or(f64::NAN, |body| body.fraction(grip.place)),
            sliding: grip.state == GripState::Sliding,
            position: grip.position.into(),
            force: grip.load.force.into(),
            torque: grip.load.torque.into(),
        });
        GripsSample { timestamp: Timestamp::at(frame.time), grips: grips.collect() }
    }

    fn contacts_sample(&self, frame: &Frame, interval: &Interval) -> ContactsSample {
        let contacts = frame.contacts.iter().map(|contact| ContactSample {
            body: self.layout.body_name(contact.body),
            other: match contact.other {
                pliant::Other::Obstacle(index) => self.layout.obstacle_name(index),
                pliant::Other::Body(index) => self.layout.body_name(index),
                pliant::Other::Slider(index) => format!("slider {index}"),
            },
            position: contact.position.into(),
            normal: contact.normal.into(),
            force: contact.force.into(),
            penetration: contact.penetration,
            along: contact.along.unwrap_or(f64::NAN),
            with: match contact.other {
                pliant::Other::Obstacle(_) => "obstacle".into(),
                pliant::Other::Body(_) => "body".into(),
                pliant::Other::Slider(_) => "slider".into(),
            },
        });
        let [penetration_max_high, force_sum_high] = interval.of_contacts();
        ContactsSample {
            timestamp: Timestamp::at(frame.time),
            penetration_max: frame.penetration,
            force_sum: contact_force_sum(frame),
            contacts: contacts.collect(),
            penetration_max_high,
            force_sum_high,
        }
    }
}

/// A message as a record outside a chunk: opcode 0x05, its length, header and data. See <https://mcap.dev/spec>.
fn write_record(header: &MessageHeader, data: &[u8], out: &mut Vec<u8>) {
    out.push(0x05);
    out.extend_from_slice(&(22 + data.len() as u64).to_le_bytes());
    out.extend_from_slice(&header.channel_id.to_le_bytes());
    out.extend_from_slice(&header.sequence.to_le_bytes());
    out.extend_from_slice(&header.log_time.to_le_bytes());
    out.extend_from_slice(&header.publish_time.to_le_bytes());
    out.extend_from_slice(data);
}

impl Channels {
    fn add(writer: &mut Writer<NoSeek<SharedFile>>, layout: &Layout) -> Result<Channels, McapError> {
        let mut add = Adder { writer };
        Ok(Channels {
            layout: add.channel::<LayoutSample>("/layout")?,
            grips: add.channel::<GripsSample>("/grips")?,
            obstacles: add.channel::<SceneUpdate>("/obstacles")?,
            scene: add.channel::<SceneUpdate>("/scene")?,
            transforms: add.channel::<FrameTransforms>("/tf")?,
            contacts: add.channel::<ContactsSample>("/contacts")?,
            events: add.channel::<Log>("/events")?,
            bodies: add.channels::<BodySample>(&topics(layout.body_names(), "body"))?,
            points: add.channels::<PointCloud>(&topics(layout.body_names(), "points"))?,
            grippers: add.channels::<GripperSample>(&topics(layout.gripper_names(), "gripper"))?,
            forces: add.channels::<ObstacleSample>(&topics(layout.obstacle_names(), "obstacle"))?,
            sensors: add.channels::<SensorSample>(&topics(layout.sensor_names(), "sensor"))?,
        })
    }
}

/// A topic for each name.
fn topics<'a>(names: impl Iterator<Item = &'a str>, kind: &str) -> Vec<String> {
    names.map(|name| format!("/{kind}/{name}")).collect()
}

struct Adder<'a> {
    writer: &'a mut Writer<NoSeek<SharedFile>>,
}

impl Adder<'_> {
    fn channel<M: Message>(&mut self, topic: &str) -> Result<u16, McapError> {
        let schema = self.writer.add_schema(M::SCHEMA.name, "protobuf", &descriptor_set(&M::SCHEMA))?;
        self.writer.add_channel(schema, topic, "protobuf", &BTreeMap::new())
    }

    fn channels<M: Message>(&mut self, topics: &[String]) -> Result<Vec<u16>, McapError> {
        topics.iter().map(|topic| self.channel::<M>(topic)).collect()
    }
}

fn layout_sample(layout: &Layout) -> LayoutSample {
    let joint = |joint: &pliant::JointLayout| JointLayoutSample { name: joint.name.clone(), slides: joint.slides };
    let body = |body: &pliant::BodyLayout| BodyLayoutSample {
        name: body.name.clone(),
        model: body.model.name().into(),
        radius: body.radius,
        length: body.length,
        closed: body.closed,
        joints: body.joints.iter().map(joint).collect(),
    };
    let obstacle = |obstacle: &pliant::ObstacleLayout| ObstacleLayoutSample {
        name: obstacle.name.clone(),
        is_plane: obstacle.is_plane,
    };
    let sensor = |sensor: &pliant::SensorLayout| SensorLayoutSample {
        name: sensor.name.clone(),
        gripper: layout.gripper_name(sensor.gripper),
    };
    LayoutSample {
        bodies: layout.bodies.iter().map(body).collect(),
        grippers: layout.gripper_names().map(String::from).collect(),
        obstacles: layout.obstacles.iter().map(obstacle).collect(),
        sensors: layout.sensors.iter().map(sensor).collect(),
    }
}

fn body_sample(body: &BodyFrame, extremes: &[Extremes], time: f64) -> BodySample {
    let energy = body.energy;
    let field = |(field, extremes): (&pliant::Field, &Extremes)| FieldSample {
        name: field.name.into(),
        unit: field.unit.into(),
        values: field.values.clone(),
        low: extremes.low,
        high: extremes.high,
    };
    BodySample {
        timestamp: Timestamp::at(time),
        energy: EnergySample {
            kinetic: energy.kinetic,
            elastic: energy.elastic,
            gravity: energy.gravity,
            total: energy.total(),
        },
        fields: body.fields.iter().zip(extremes).map(field).collect(),
        nodes: body.nodes.iter().map(|&node| node.into()).collect(),
        joints: vec![],
    }
}

fn gripper_sample(gripper: &GripperFrame, [force, torque]: [[Extremes; 4]; 2], time: f64) -> GripperSample {
    let load = gripper.load;
    let ([force_low, force_high], [torque_low, torque_high]) = (corners(force), corners(torque));
    GripperSample {
        timestamp: Timestamp::at(time),
        position: gripper.pose.translation.into(),
        orientation: gripper.pose.rotation.into(),
        force: load.force.into(),
        torque: load.torque.into(),
        force_norm: load.force.length(),
        torque_norm: load.torque.length(),
        attached: gripper.attached,
        force_low: force_low.into(),
        force_high: force_high.into(),
        torque_low: torque_low.into(),
        torque_high: torque_high.into(),
        force_norm_high: force[3].high,
        torque_norm_high: torque[3].high,
    }
}

fn sensor_sample(sensor: &SensorFrame, [force, torque]: [[Extremes; 4]; 2], time: f64) -> SensorSample {
    let ([force_low, force_high], [torque_low, torque_high]) = (corners(force), corners(torque));
    SensorSample {
        timestamp: Timestamp::at(time),
        position: sensor.pose.translation.into(),
        orientation: sensor.pose.rotation.into(),
        force: sensor.force.into(),
        torque: sensor.torque.into(),
        force_low: force_low.into(),
        force_high: force_high.into(),
        torque_low: torque_low.into(),
        torque_high: torque_high.into(),
    }
}

/// Lowest and highest of each component.
fn corners([x, y, z, _]: [Extremes; 4]) -> [Vec3; 2] {
    [Vec3::new(x.low, y.low, z.low), Vec3::new(x.high, y.high, z.high)]
}

fn format_error(path: &Path, cause: McapError) -> RecordError {
    match cause {
        McapError::Io(cause) => RecordError::Write { path: path.into(), cause },
        other => RecordError::Format { path: path.into(), cause: Box::new(other) },
    }
}
