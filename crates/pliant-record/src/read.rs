//! Recordings read back: the layout of the world and its frames, from `recording.mcap` alone.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mcap::McapError;
use mcap::records::Record;
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use pliant::contact::Mesh;
use pliant::math::{Pose, Quat, Vec3};
use pliant::{
    BodyFrame, BodyLayout, Contact, Frame, GripFrame, GripState, GripperFrame, GripperLayout, Hold, JointFrame,
    JointLayout, Layout, ObstacleLayout, Other, Place, SensorFrame, SensorLayout, Wrench,
};

use crate::foxglove::{
    BodySample, ContactSample, ContactsSample, FrameTransforms, GripSample, GripperSample, GripsSample, JointSample,
    LayoutSample, SceneUpdate, SensorSample, Timestamp,
};
use crate::protobuf::{Malformed, Message, decode};
use crate::scene::obstacle_frame;

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// It is no MCAP file, or damaged from the start.
    #[error("{} is not a recording: {cause}; expected the recording.mcap that `pliant run SCENE --out DIR` writes", path.display())]
    NotMcap {
        /// The file.
        path: PathBuf,
        /// The error of the MCAP reader.
        cause: Box<McapError>,
    },
    /// It is an MCAP file of something else, or ends before the first frame.
    #[error("{} holds no {what}: it is not from `pliant run SCENE --out DIR`, or from an older version, or was cut off before its first frame", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
    },
    /// A message does not have the form its topic has in our recordings.
    #[error("{}: a message of the topic {topic} at t = {time} s cannot be read ({why})", path.display())]
    Message {
        /// The file.
        path: PathBuf,
        /// Its topic.
        topic: String,
        /// Its time [s].
        time: f64,
        /// What is wrong with it.
        why: &'static str,
    },
}

/// A recording: what stays constant, and access to its frames.
pub struct Recording {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Title of the scene; empty if the recording has none.
    pub title: String,
    /// What is in the world. Fields of bodies are left out, and so are the facets of solids.
    pub layout: Layout,
}

impl Recording {
    /// Open a recording and read its layout.
    pub fn open(path: &Path) -> Result<Recording, ReadError> {
        let bytes = fs::read(path).map_err(|cause| ReadError::Open { path: path.into(), cause })?;
        let mut recording = Recording { path: path.into(), bytes, title: String::new(), layout: Layout::default() };
        let (title, layout) = recording.read_layout()?;
        (recording.title, recording.layout) = (title, layout);
        Ok(recording)
    }

    /// Show each frame in order. Returns why the file ends early, if it was cut off or damaged: all frames before that
    /// have been shown. Velocities, fields, energies and orientations along bodies are left empty.
    pub fn read(&self, mut see: impl FnMut(&Frame)) -> Result<Option<String>, ReadError> {
        let names = Names::new(&self.layout);
        let blank = names.blank(&self.layout);
        let mut frame = blank.clone();
        let mut count = 0;
        let cut = self.messages(|message| {
            let Topical::Message { topic, time, data } = message else { return Ok(true) };
            frame.time = time;
            names.take(topic, data, &mut frame).map_err(|why| self.unreadable(topic, time, why))?;
            if topic == "/contacts" {
                see(&frame);
                count += 1;
                frame.clone_from(&blank);
            }
            Ok(true)
        })?;
        match (count, cut) {
            (0, Some(cause)) => Err(ReadError::NotMcap { path: self.path.clone(), cause: Box::new(cause) }),
            (0, None) => Err(ReadError::Missing { path: self.path.clone(), what: "frames" }),
            (_, cut) => Ok(cut.map(|cause| cause.to_string())),
        }
    }

    fn unreadable(&self, topic: &str, time: f64, why: &'static str) -> ReadError {
        ReadError::Message { path: self.path.clone(), topic: topic.into(), time, why }
    }

    /// Show messages and the title, until told to stop. Returns what is wrong with the file where it ends early.
    ///
    /// The stream of messages that the library has allocates what a damaged file asks for.
    fn messages(
        &self,
        mut see: impl FnMut(Topical<'_>) -> Result<bool, ReadError>,
    ) -> Result<Option<McapError>, ReadError> {
        let options = LinearReaderOptions::default()
            .with_skip_end_magic(true)
            .with_prevalidate_chunk_crcs(true)
            .with_record_length_limit(MOST_LENGTH);
        let mut reader = LinearReader::new_with_options(options);
        let mut rest = &self.bytes[..];
        let mut topics: HashMap<u16, String> = HashMap::new();
        while let Some(event) = reader.next_event() {
            let record = match event {
                Ok(LinearReadEvent::ReadRequest(wanted)) => {
                    let (now, later) = rest.split_at(wanted.min(rest.len()));
                    reader.insert(now.len()).copy_from_slice(now);
                    reader.notify_read(now.len());
                    rest = later;
                    continue;
                }
                Ok(LinearReadEvent::Record { data, opcode }) => mcap::parse_record(opcode, data),
                Err(cause) => return Ok(Some(cause)),
            };
            let go_on = match record {
                Ok(Record::Channel(channel)) => {
                    topics.insert(channel.id, channel.topic);
                    true
                }
                Ok(Record::Message { header, data }) => match topics.get(&header.channel_id) {
                    Some(topic) => see(Topical::Message { topic, time: header.log_time as f64 * 1e-9, data: &data })?,
                    None => true,
                },
                Ok(Record::Metadata(mut run)) if run.name == "run" => match run.metadata.remove("title") {
                    Some(title) => see(Topical::Title(title))?,
                    None => true,
                },
                Ok(_) => true,
                Err(cause) => return Ok(Some(cause)),
            };
            if !go_on {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Title and layout.
    fn read_layout(&self) -> Result<(String, Layout), ReadError> {
        let (mut title, mut sample, mut outlines) = (String::new(), None, HashMap::new());
        let cut = self.messages(|message| {
            match message {
                Topical::Title(text) => title = text,
                Topical::Message { topic, time, data } => {
                    let failed = |Malformed| self.unreadable(topic, time, MALFORMED);
                    match topic {
                        "/layout" => sample = Some(decode::<LayoutSample>(data).map_err(failed)?),
                        "/obstacles" => outlines = meshes(decode(data).map_err(failed)?),
                        // both come before the first frame
                        "/contacts" => return Ok(false),
                        _ => {}
                    }
                }
            }
            Ok(true)
        })?;
        let missing = |what| ReadError::Missing { path: self.path.clone(), what };
        let sample: LayoutSample = match (sample, cut) {
            (Some(sample), _) => sample,
            (None, Some(cause)) => return Err(ReadError::NotMcap { path: self.path.clone(), cause: Box::new(cause) }),
            (None, None) => return Err(missing("layout (topic /layout)")),
        };
        let bodies = sample.bodies.into_iter().map(|body| {
            Ok(BodyLayout {
                name: body.name,
                model: body.model.parse().map_err(|_| missing("model that this version knows"))?,
                radius: body.radius,
                length: body.length,
                closed: body.closed,
                facets: vec![],
                nodes: 0,
                fields: vec![],
                joints: body
                    .joints
                    .into_iter()
                    .map(|joint| JointLayout { name: joint.name, slides: joint.slides })
                    .collect(),
            })
        });
        let obstacles = sample.obstacles.into_iter().map(|obstacle| {
            let outline = match obstacle.is_plane {
                true => Mesh::default(),
                false => outlines.remove(&obstacle.name).ok_or(missing("outline of an obstacle (topic /obstacles)"))?,
            };
            Ok(ObstacleLayout { name: obstacle.name, outline, is_plane: obstacle.is_plane })
        });
        let sensors = sample.sensors.into_iter().map(|sensor| {
            let gripper = sample.grippers.iter().position(|name| *name == sensor.gripper);
            Ok(SensorLayout { name: sensor.name, gripper: gripper.ok_or(missing("gripper of a sensor"))? })
        });
        let sensors = sensors.collect::<Result<_, ReadError>>()?;
        let layout = Layout {
            sensors,
            revision: 0,
            bodies: bodies.collect::<Result<_, ReadError>>()?,
            grippers: sample.grippers.into_iter().map(|name| GripperLayout { name }).collect(),
            obstacles: obstacles.collect::<Result<_, ReadError>>()?,
        };
        Ok((title, layout))
    }
}

/// What is of interest in a file.
enum Topical<'a> {
    Title(String),
    Message { topic: &'a str, time: f64, data: &'a [u8] },
}

/// Longest record, and longest chunk when it is unpacked, that is taken for sound [bytes]. Ours have about a megabyte.
const MOST_LENGTH: usize = 1 << 28;

/// Outlines of the obstacles by name. Indices that do not exist are left out with their triangle.
fn meshes(scene: SceneUpdate) -> HashMap<String, Mesh> {
    let mut found = HashMap::new();
    for entity in scene.entities {
        let (Some(name), Some(list)) = (entity.id.strip_prefix("obstacle "), entity.triangles.into_iter().next())
        else {
            continue;
        };
        let vertices: Vec<Vec3> = list.points.into_iter().map(Vec3::from).collect();
        let known = |triangle: &&[u32; 3]| triangle.iter().all(|n| (*n as usize) < vertices.len());
        let triangles = list.indices.as_chunks::<3>().0.iter().filter(known).copied().collect();
        found.insert(name.to_string(), Mesh { vertices, triangles });
    }
    found
}

const MALFORMED: &str = "its bytes are no such message";
const UNKNOWN: &str = "it names something that the layout does not have";

/// Indices by topic or name.
struct Names {
    body_topics: HashMap<String, usize>,
    gripper_topics: HashMap<String, usize>,
    sensor_topics: HashMap<String, usize>,
    obstacle_frames: HashMap<String, usize>,
    bodies: HashMap<String, usize>,
    grippers: HashMap<String, usize>,
    obstacles: HashMap<String, usize>,
}

impl Names {
    fn new(layout: &Layout) -> Names {
        fn index<'a>(names: impl Iterator<Item = &'a str>, name: impl Fn(&str) -> String) -> HashMap<String, usize> {
            names.enumerate().map(|(index, text)| (name(text), index)).collect()
        }
        Names {
            body_topics: index(layout.body_names(), |name| format!("/body/{name}")),
            gripper_topics: index(layout.gripper_names(), |name| format!("/gripper/{name}")),
            sensor_topics: index(layout.sensor_names(), |name| format!("/sensor/{name}")),
            obstacle_frames: index(layout.obstacle_names(), obstacle_frame),
            bodies: index(layout.body_names(), str::to_string),
            grippers: index(layout.gripper_names(), str::to_string),
            obstacles: index(layout.obstacle_names(), str::to_string),
        }
    }

    /// A frame in which nothing is known yet.
    fn blank(&self, layout: &Layout) -> Frame {
        let gripper = GripperFrame { pose: Pose::IDENTITY, load: Wrench::default(), attached: false };
        let sensor = SensorFrame { pose: Pose::IDENTITY, force: Vec3::ZERO, torque: Vec3::ZERO };
        Frame {
            bodies: vec![BodyFrame::default(); layout.bodies.len()],
            grippers: vec![gripper; layout.grippers.len()],
            sensors: vec![sensor; layout.sensors.len()],
            obstacles: vec![Pose::IDENTITY; layout.obstacles.len()],
            ..Frame::default()
        }
    }

    /// Put a message into a frame.
    fn take(&self, topic: &str, data: &[u8], frame: &mut Frame) -> Result<(), &'static str> {
        if let Some(&index) = self.body_topics.get(topic) {
            let sample: BodySample = message(data)?;
            frame.bodies[index].nodes = sample.nodes.into_iter().map(Vec3::from).collect();
            let joints = sample.joints.into_iter();
            let joint = |j: JointSample| JointFrame { position: j.position, speed: j.speed, torque: j.torque };
            frame.bodies[index].joints = joints.map(joint).collect();
        } else if let Some(&index) = self.gripper_topics.get(topic) {
            frame.grippers[index] = gripper(message(data)?);
        } else if let Some(&index) = self.sensor_topics.get(topic) {
            let SensorSample { position, orientation, force, torque, .. } = message(data)?;
            let pose = pose(position.into(), orientation.into());
            frame.sensors[index] = SensorFrame { pose, force: force.into(), torque: torque.into() };
        } else if topic == "/tf" {
            for part in message::<FrameTransforms>(data)?.transforms {
                if let Some(&index) = self.obstacle_frames.get(&part.child_frame_id) {
                    frame.obstacles[index] = pose(part.translation.into(), part.rotation.into());
                }
            }
        } else if topic == "/grips" {
            let grips = message::<GripsSample>(data)?.grips;
            frame.grips = grips.into_iter().map(|grip| self.grip(grip)).collect::<Option<_>>().ok_or(UNKNOWN)?;
        } else if topic == "/contacts" {
            let sample: ContactsSample = message(data)?;
            frame.penetration = sample.penetration_max;
            let contacts = sample.contacts.into_iter().map(|contact| self.contact(contact));
            frame.contacts = contacts.collect::<Option<_>>().ok_or(UNKNOWN)?;
            frame.time = seconds(&sample.timestamp);
        }
        Ok(())
    }

    fn grip(&self, grip: GripSample) -> Option<GripFrame> {
        Some(GripFrame {
            gripper: *self.grippers.get(&grip.gripper)?,
            body: *self.bodies.get(&grip.body)?,
            place: Place::Fraction(grip.fraction),
            hold: Hold::Position,
            state: if grip.sliding { GripState::Sliding } else { GripState::Closed },
            position: grip.position.into(),
            load: Wrench { force: grip.force.into(), torque: grip.torque.into() },
        })
    }

    fn contact(&self, contact: ContactSample) -> Option<Contact> {
        let other = match contact.with.as_str() {
            "obstacle" => Other::Obstacle(*self.obstacles.get(&contact.other)?),
            "body" => Other::Body(*self.bodies.get(&contact.other)?),
            "slider" => Other::Slider(contact.other.strip_prefix("slider ")?.parse().ok()?),
            _ => return None,
        };
        Some(Contact {
            body: *self.bodies.get(&contact.body)?,
            other,
            position: contact.position.into(),
            normal: contact.normal.into(),
            force: contact.force.into(),
            penetration: contact.penetration,
            along: Some(contact.along).filter(|along| along.is_finite()),
        })
    }
}

fn message<M: Message + Default>(data: &[u8]) -> Result<M, &'static str> {
    decode(data).map_err(|Malformed| MALFORMED)
}

fn seconds(stamp: &Timestamp) -> f64 {
    stamp.seconds as f64 + f64::from(stamp.nanos) * 1e-9
}

fn gripper(sample: GripperSample) -> GripperFrame {
    GripperFrame {
        pose: pose(sample.position.into(), sample.orientation.into()),
        load: Wrench { force: sample.force.into(), torque: sample.torque.into() },
        attached: sample.attached,
    }
}

fn pose(position: Vec3, rotation: Quat) -> Pose {
    Pose::from_parts(position, rotation)
}
