//! A whole scene as read from the file, and the world built from it.

use std::collections::BTreeMap;
use std::path::Path;

use pliant::arm::Impedance;
use pliant::math::Vec3;
use pliant::{BuildError, World};
use pliant_plan::Task;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Scene;
use crate::body::material::MaterialSpec;
use crate::body::response::Precomputables;
use crate::body::{BodySpec, MOST_POINTS};
use crate::files::Files;
use crate::outcome::expect::{ExpectSpec, Expectation};
use crate::outcome::observable::Known;
use crate::text::fault::Fault;
use crate::text::quantity::{Acceleration, Duration, Quantity, Rate, Step, Triple};
use crate::text::word::{Name, Table, Text};
use crate::world::arm::{ArmTable, CarriedSpec, FollowSpec, Led};
use crate::world::grasp::GraspSpec;
use crate::world::gripper::GripperSpec;
use crate::world::join::JoinSpec;
use crate::world::load::LoadSpec;
use crate::world::obstacle::ObstacleSpec;
use crate::world::place::body_named;
use crate::world::plan::PlanSpec;
use crate::world::rigid::RigidSpec;
use crate::world::sensor::SensorSpec;
use crate::world::view::ViewSpec;

/// Largest number of entries of each kind.
const MOST_ENTRIES: usize = 10_000;

/// Largest number of steps of a run.
const MOST_STEPS: f64 = 1e9;

/// A Pliant scene: deformable bodies, and what moves and stops them. SI units throughout.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Pliant scene")]
pub(crate) struct SceneSpec {
    /// Title; the name of the file unless given.
    title: Option<Text>,
    /// Simulated time [s].
    duration: Duration,
    /// Step of the world [s]; 0.001 unless given.
    step: Option<Step>,
    /// Acceleration of gravity [m/s2]; [0, 0, -9.81] unless given.
    gravity: Option<Triple<Acceleration>>,
    /// Whether rods of the models cable and xpbd may pass through obstacles, or cables through each other; false unless
    /// given.
    #[serde(default)]
    allow_crossing: bool,
    /// Whether a step may create more energy than its model states, which is then told and does not end the run; false unless given.
    #[serde(default)]
    allow_gain: bool,
    /// Instants that are recorded per second of simulated time [Hz]; 100 unless given, and at most one a step.
    recording_rate: Option<Rate>,
    /// Materials by name.
    #[serde(default)]
    material: BTreeMap<Name, Table<MaterialSpec>>,
    /// Deformable bodies.
    #[serde(default)]
    pub(crate) body: Vec<Table<BodySpec>>,
    /// Rigid obstacles that bodies touch.
    #[serde(default)]
    obstacle: Vec<Table<ObstacleSpec>>,
    /// Grippers that hold and move bodies.
    #[serde(default)]
    gripper: Vec<Table<GripperSpec>>,
    /// Force/torque sensors of grippers.
    #[serde(default)]
    sensor: Vec<Table<SensorSpec>>,
    /// Robot arms that carry grippers.
    #[serde(default)]
    arm: Vec<Table<ArmTable>>,
    /// Free rigid bodies.
    #[serde(default)]
    rigid: Vec<Table<RigidSpec>>,
    /// Places of bodies that end in rigid bodies, or in links of arms.
    #[serde(default)]
    join: Vec<Table<JoinSpec>>,
    /// Forces on bodies.
    #[serde(default)]
    load: Vec<Table<LoadSpec>>,
    /// What is expected of the run.
    #[serde(default)]
    pub(crate) expect: Vec<Table<ExpectSpec>>,
    /// From where, and when, it is best looked at.
    pub(crate) view: Option<Table<ViewSpec>>,
    /// Where an arm has to go, past obstacles.
    plan: Option<Table<PlanSpec>>,
    /// What is held at the end, and how that is tried.
    grasp: Option<Table<GraspSpec>>,
}

/// Number of model steps per step of the scene above which a warning is given.
const MANY_STEPS: f64 = 100.0;

/// A warning if a body is too stiff for its integrator.
fn stiff(body: &pliant::Body, step: f64) -> Option<String> {
    let (steps, why) = match body {
        pliant::Body::Elastica(rod) => (
            rod.expected_steps(step),
            "as it is stiff for its number of intervals; elastica.integrator = \"midpoint\" takes one",
        ),
        pliant::Body::Lattice(solid) => {
            (solid.expected_steps(step), "as it is stiff for the size of its cells; softer or larger ones take fewer")
        }
        _ => return None,
    };
    (steps > MANY_STEPS)
        .then(|| format!("{}: about {steps:.0} steps of its own for each step of {step} s, {why}", body.name()))
}

/// A warning if an elastic solid spins so fast that its deformation is no longer small.
fn spun(body: &pliant::Body) -> Option<String> {
    let pliant::Body::Response(solid) = body else { return None };
    let strained = solid.strained_by_spin();
    (strained > STRAINED).then(|| {
        format!(
            "{}: its spin would deform it by {:.0} % of the most that the model response, which is linear, can follow; stiffer material, or a \
             slower spin, is deformed less",
            body.name(),
            100.0 * strained
        )
    })
}

/// Deformation by spin above which a warning is given, relative to the most that the model can follow [-].
const STRAINED: f64 = 0.2;

/// Steps per period below which a cable does not follow an oscillating gripper well.
const STEPS_A_PERIOD: f64 = 30.0;

/// Warnings about grippers that shake cables faster than the step of the scene can follow.
fn shaken(world: &World, step: f64) -> impl Iterator<Item = String> {
    let cable = |body: pliant::BodyId| matches!(world.body(body), Ok(pliant::Body::Cable(_)));
    let held = move |name: &str| {
        let gripper = world.gripper_named(name);
        world.grips().any(|(_, grip)| Some(grip.params.gripper) == gripper && cable(grip.params.body))
    };
    world.grippers().iter().filter(move |gripper| held(&gripper.params.name)).filter_map(move |gripper| {
        let frequency = gripper.params.motion.frequency()?;
        let steps = 1.0 / (frequency * step);
        (steps < STEPS_A_PERIOD).then(|| {
            let better = 1.0 / (STEPS_A_PERIOD * frequency);
            let name = &gripper.params.name;
            format!("{name} shakes a cable with {steps:.0} steps a period, which it cannot follow well: take steps of {better:.1e} s")
        })
    })
}

/// A warning for each arm without a shape that is free to fall through everything.
fn shapeless(world: &World) -> impl Iterator<Item = String> {
    let carried = |index: usize| {
        let by = |obstacle: &pliant::contact::Obstacle| matches!(obstacle.drive, pliant::Drive::Carried { arm, .. } if arm == index);
        world.obstacles().iter().any(by)
    };
    let free = |body: &pliant::Body| matches!(body, pliant::Body::Arm(arm) if arm.model().floating());
    let bodies = world.bodies().iter().enumerate();
    bodies.filter(move |(index, body)| free(body) && !carried(*index)).map(|(_, body)| {
        format!("{}: it is free, but none of its links has a shape that touches obstacles", body.name())
    })
}

impl SceneSpec {
    /// Build the scene. `written_duration` is the duration in the file, if it was overridden.
    pub(crate) fn build(&self, name: &str, base: &Path, written_duration: Option<f64>) -> Result<Scene, Fault> {
        let (duration, step) = (self.duration.get(), self.step.map_or(0.001, Quantity::get));
        if duration / step > MOST_STEPS {
            let message = format!("{duration} s in steps of {step} s are more than {MOST_STEPS:e} steps");
            return Err(Fault::new(message).at("duration"));
        }
        self.check_counts()?;
        self.check_plan()?;
        let mut files = Files::new(base);
        let mut world = World::new(self.gravity());
        self.add_obstacles(&mut world, &mut files)?;
        self.add_bodies(&mut world, step, &mut files)?;
        self.add_arms(&mut world, duration, &mut files)?;
        self.add_rigid(&mut world, &mut files)?;
        self.add_grippers(&mut world, &mut files)?;
        self.add_joins(&mut world)?;
        self.add_sensors(&mut world)?;
        self.add_admittances(&mut world)?;
        self.add_loads(&mut world)?;
        self.settle(&mut world)?;
        world.enforce_accounts(!self.allow_gain);
        // an expectation "at the end" means the end as written, reached when less than a step is missing
        let end = written_duration.unwrap_or(duration) - step;
        let expectations = self.expectations(&world, end)?;
        let view = self.view.as_ref().map(|view| view.build(&world, written_duration.unwrap_or(duration)));
        let view = view.transpose().map_err(|fault| fault.at("view"))?.unwrap_or_default();
        let grasp = self.grasp.as_ref().map(|grasp| grasp.build(&world)).transpose();
        let grasp = grasp.map_err(|fault| fault.at("grasp"))?;
        let mut warnings = files.warnings;
        warnings.extend(world.bodies().iter().filter_map(|body| stiff(body, step)));
        warnings.extend(world.bodies().iter().filter_map(spun));
        warnings.extend(shaken(&world, step));
        warnings.extend(shapeless(&world));
        for expectation in expectations.iter().filter(|e| written_duration.is_none() && e.due() > duration) {
            warnings.push(format!("{}: the run ends before, at {duration} s", expectation.text()));
        }
        let title = match &self.title {
            Some(title) => title.0.clone(),
            None => Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy().into_owned()),
        };
        let allow_crossing = self.allow_crossing;
        let recording_rate = self.recording_rate.map(Quantity::get);
        let movable = self.obstacle.iter().filter(|spec| spec.hand).map(|spec| spec.name.to_string()).collect();
        Ok(Scene {
            title,
            duration,
            step,
            recording_rate,
            allow_crossing,
            world,
            movable,
            expectations,
            view,
            grasp,
            warnings,
        })
    }

    /// Acceleration of gravity.
    fn gravity(&self) -> Vec3 {
        self.gravity.map_or(Vec3::new(0.0, 0.0, -9.81), |gravity| gravity.vector())
    }

    /// What has to be precomputed for its bodies, and warnings.
    pub(crate) fn precomputable(&self, base: &Path) -> Result<Precomputables, Fault> {
        self.check_counts()?;
        let mut files = Files::new(base);
        let mut bodies = vec![];
        for (index, spec) in self.body.iter().enumerate() {
            let found = spec.to_precompute(&self.material, &mut files).map_err(|fault| fault.at(index).at("body"))?;
            bodies.extend(found);
        }
        Ok(Precomputables { bodies, warnings: files.warnings })
    }

    fn check_counts(&self) -> Result<(), Fault> {
        let grips = self.gripper.iter().map(|gripper| gripper.grips.len()).sum();
        let counts = [
            ("material", self.material.len()),
            ("body", self.body.len()),
            ("obstacle", self.obstacle.len()),
            ("gripper", self.gripper.len()),
            ("gripper", grips),
            ("sensor", self.sensor.len()),
            ("arm", self.arm.len()),
            ("rigid", self.rigid.len()),
            ("join", self.join.len()),
            ("load", self.load.len()),
            ("expect", self.expect.len()),
        ];
        match counts.into_iter().find(|(_, count)| *count > MOST_ENTRIES) {
            Some((kind, count)) => {
                Err(Fault::new(format!("{count} entries are too many: at most {MOST_ENTRIES} of each kind")).at(kind))
            }
            None => Ok(()),
        }
    }

    fn add_obstacles(&self, world: &mut World, files: &mut Files) -> Result<(), Fault> {
        for (index, spec) in self.obstacle.iter().enumerate() {
            let here = |fault: Fault| fault.at(index).at("obstacle");
            let params = spec.build(files).map_err(here)?;
            world.add_obstacle(params).map_err(|e| here(e.into()))?;
        }
        Ok(())
    }

    fn add_bodies(&self, world: &mut World, step: f64, files: &mut Files) -> Result<(), Fault> {
        let mut points_left = MOST_POINTS;
        for (index, spec) in self.body.iter().enumerate() {
            let here = |fault: Fault| fault.at(index).at("body");
            let body = spec.build(&self.material, points_left, step, files).map_err(here)?;
            points_left = points_left.saturating_sub(body.size());
            world.add_body(body).map_err(|e| here(e.into()))?;
        }
        Ok(())
    }

    /// Add arms, which follow the motions of the grippers that they carry.
    fn add_arms(&self, world: &mut World, duration: f64, files: &mut Files) -> Result<(), Fault> {
        for (index, arm) in self.arm.iter().enumerate() {
            let mut led = vec![];
            for (number, spec) in self.gripper.iter().enumerate() {
                let Some(carried) = spec.carried.as_ref().filter(|carried| *carried.arm == *arm.name) else { continue };
                let params = spec.build(world, &self.body, files).map_err(|fault| fault.at(number).at("gripper"))?;
                led.push(Led { carried, params });
            }
            let here = |fault: Fault| fault.at(index).at("arm");
            let mut prepared = arm.prepare(&led, duration, files).map_err(here)?;
            if let Some(plan) = self.plan.as_ref().filter(|plan| *plan.arm == *arm.name) {
                let planned = plan.follow(&mut prepared, world, files);
                planned.map_err(|fault| fault.at("plan"))?;
            }
            arm.add(world, prepared, &led, files).map_err(here)?;
        }
        Ok(())
    }

    fn add_rigid(&self, world: &mut World, files: &mut Files) -> Result<(), Fault> {
        for (index, spec) in self.rigid.iter().enumerate() {
            spec.add(world, files).map_err(|fault| fault.at(index).at("rigid"))?;
        }
        Ok(())
    }

    fn add_joins(&self, world: &mut World) -> Result<(), Fault> {
        for (index, spec) in self.join.iter().enumerate() {
            spec.add(world).map_err(|fault| fault.at(index).at("join"))?;
        }
        Ok(())
    }

    /// Fail where a goal is for nobody, or not for the only arm.
    fn check_plan(&self) -> Result<(), Fault> {
        let Some(plan) = &self.plan else { return Ok(()) };
        let here = |fault: Fault| fault.at("arm").at("plan");
        if !self.arm.iter().any(|arm| *arm.name == *plan.arm) {
            return Err(here(Fault::unknown("arm", &plan.arm, self.arm.iter().map(|arm| &*arm.name))));
        }
        if self.arm.len() > 1 {
            return Err(here(Fault::new("a motion is found for the only arm of a scene: others would be in its way")));
        }
        Ok(())
    }

    /// The goal of the scene as a task, without solving it.
    pub(crate) fn task(&self, base: &Path) -> Result<Option<Task>, Fault> {
        self.check_counts()?;
        self.check_plan()?;
        let (Some(plan), [arm, ..]) = (&self.plan, &self.arm[..]) else { return Ok(None) };
        let mut files = Files::new(base);
        let mut world = World::new(self.gravity());
        self.add_obstacles(&mut world, &mut files)?;
        let prepared = arm.prepare(&[], self.duration.get(), &mut files).map_err(|fault| fault.at(0).at("arm"))?;
        plan.task(&prepared, &world, &mut files).map(Some).map_err(|fault| fault.at("plan"))
    }

    fn add_grippers(&self, world: &mut World, files: &mut Files) -> Result<(), Fault> {
        for (index, spec) in self.gripper.iter().enumerate() {
            let here = |fault: Fault| fault.at(index).at("gripper");
            let params = spec.build(world, &self.body, files).map_err(here)?;
            let gripper = world.add_gripper(params).map_err(|e| here(e.into()))?;
            if let Some(carried) = &spec.carried {
                let here = |fault: Fault| here(fault.at("carried"));
                let arm = body_named(&carried.arm, world).map_err(here)?;
                let frame = carried.frame().map_err(here)?;
                world.carry(gripper, arm, &carried.link, frame).map_err(|e| here(e.into()))?;
                let led = self.led_by_impedance(carried).filter(|(first, _)| *first == index);
                if let Some((_, impedance)) = led {
                    world.drive_tool(gripper, Some(impedance), None).map_err(|e| here(Fault::new(e.to_string())))?;
                }
            }
            for (grip_index, grip) in spec.grips.iter().enumerate() {
                let here = |fault: Fault| here(fault.at(grip_index).at("grips"));
                let params = grip.build(gripper, world).map_err(here)?;
                world.add_grip(params).map_err(|e| here(e.into()))?;
            }
            if let Some(finger) = &spec.finger {
                let here = |fault: Fault| here(fault.at("finger"));
                world.add_finger(finger.build(gripper)).map_err(|e| here(e.into()))?;
            }
        }
        Ok(())
    }

    /// The impedance of the arm that carries a gripper, if it has one, and the number of the gripper that it leads.
    fn led_by_impedance(&self, carried: &CarriedSpec) -> Option<(usize, Impedance)> {
        let arm = self.arm.iter().find(|arm| *arm.name == *carried.arm)?;
        let impedance = arm.impedance.as_ref()?.build();
        Some((self.led(&arm.name)?, impedance))
    }

    /// Number of the first gripper that an arm of this name carries, and whose motion it follows.
    fn led(&self, arm: &str) -> Option<usize> {
        let leads = |spec: &Table<GripperSpec>| {
            let by = spec.carried.as_ref().filter(|by| *by.arm == *arm);
            by.is_some_and(|by| by.follows() != FollowSpec::Nothing)
        };
        self.gripper.iter().position(leads)
    }

    fn add_sensors(&self, world: &mut World) -> Result<(), Fault> {
        for (index, spec) in self.sensor.iter().enumerate() {
            let here = |fault: Fault| fault.at(index).at("sensor");
            let params = spec.build(index, world).map_err(here)?;
            world.add_sensor(params).map_err(|e| here(e.into()))?;
        }
        Ok(())
    }

    /// Let arms give way to the sensors of the grippers that they lead.
    fn add_admittances(&self, world: &mut World) -> Result<(), Fault> {
        for (index, arm) in self.arm.iter().enumerate() {
            let Some(admittance) = &arm.admittance else { continue };
            let here = |fault: Fault| fault.at("admittance").at(index).at("arm");
            let gripper = self.led(&arm.name).and_then(|led| world.gripper_named(&self.gripper[led].name));
            let Some(gripper) = gripper else { continue };
            admittance.apply(world, gripper).map_err(here)?;
        }
        Ok(())
    }

    fn add_loads(&self, world: &mut World) -> Result<(), Fault> {
        for (index, spec) in self.load.iter().enumerate() {
            let here = |fault: Fault| fault.at(index).at("load");
            let load = spec.build(world).map_err(here)?;
            world.add_load(load).map_err(|e| here(e.into()))?;
        }
        Ok(())
    }

    /// Find the equilibrium of bodies that start in it.
    fn settle(&self, world: &mut World) -> Result<(), Fault> {
        world.ready().map_err(|error| {
            let index = match &error {
                BuildError::NoEquilibrium { body, .. }
                | BuildError::Unsettled { body, .. }
                | BuildError::StartsInside { body, .. }
                | BuildError::SolidStartsInside { body, .. }
                | BuildError::StartsInCable { body, .. } => Some(body.as_str()),
                BuildError::Hold(why) => Some(why.body()),
                _ => None,
            };
            let index = index.and_then(|body| self.body.iter().position(|spec| *spec.name == *body));
            let fault = Fault::from(error);
            match index {
                Some(index) => fault.at(index).at("body"),
                None => fault,
            }
        })
    }

    fn expectations(&self, world: &World, end: f64) -> Result<Vec<Expectation>, Fault> {
        if self.expect.is_empty() {
            return Ok(vec![]);
        }
        let known = Known::of(world);
        let build = |(index, spec): (usize, &Table<ExpectSpec>)| {
            spec.build(&known, end).map_err(|fault| fault.at(index).at("expect"))
        };
        self.expect.iter().enumerate().map(build).collect()
    }
}
