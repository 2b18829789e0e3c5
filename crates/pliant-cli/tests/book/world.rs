use pliant::chain::{Chain, ChainSettings, ChainSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::motion::{Drive, Motion};
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Material, Place, Section, World};

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));

    // a floor: the half-space below z = 0
    world.add_obstacle(ObstacleParams {
        name: "floor".into(),
        shape: Shape::new(ShapeKind::Plane)?,
        placed: Pose::IDENTITY,
        motion: Motion::Hold,
        friction: None,
    })?;

    // a rubber rod
    let rubber =
        Material { young: 5e6, poisson: 0.49, density: 1100.0, friction: Friction { coefficient: 0.5, exponent: 1.0 } };
    let rod = Chain::new(
        "rod",
        ChainSpec {
            material: rubber,
            section: Section::Round { radius: 0.003 },
            path: vec![Vec3::new(0.0, 0.0, 0.1), Vec3::new(0.3, 0.0, 0.1)],
            points: Some(31),
            settings: ChainSettings { drag: 5.0, ..ChainSettings::default() },
        },
    )?;
    for d in rod.derived() {
        println!("{} = {:.4e} {} ({})", d.symbol, d.value, d.unit, d.why);
    }
    let rod = world.add_body(Body::Chain(rod))?;

    // a gripper that clamps its start
    let start = Vec3::new(0.0, 0.0, 0.1);
    let placed = Pose::from_translation(start);
    let hand = world.add_gripper(GripperParams { name: "hand".into(), placed, motion: Motion::Hold })?;
    let grip = world.add_grip(GripParams::new(hand, rod, Place::Fraction(0.0), Hold::Clamp))?;

    // move the hand from code, as a device or a controller would, and read the force it feels
    let dt = 0.001;
    for i in 0..1000 {
        let lift = 0.05 * (i as f64 * dt);
        world.drive(hand, Drive::Pose(Pose::from_translation(start + Vec3::Z * lift)))?;
        world.step(dt)?;
        for event in world.events() {
            println!("{:.3} s: {:?}", event.time, event.kind);
        }
    }
    println!("force on the hand: {:.4} N", world.gripper(hand)?.load.force);

    // try something, and take it back
    let saved = world.snapshot();
    world.release(grip)?;
    for _ in 0..500 {
        world.step(dt)?;
    }
    let tip = |world: &World| Ok::<Vec3, pliant::Gone>(world.frame().bodies[world.body_index(rod)?].nodes[30]);
    println!("let go, the tip is at {:.4} m", tip(&world)?);
    world.restore(&saved)?;
    println!("taken back, it is at {:.4} m, held again: {}", tip(&world)?, world.grip(grip)?.anchor.is_some());

    // let go once more, and grasp whatever is within a centimetre
    world.release(grip)?;
    world.drive(hand, Drive::Velocity { linear: Vec3::X * 0.1, angular: Vec3::ZERO })?;
    for _ in 0..50 {
        world.step(dt)?;
    }
    match world.grasp_nearest(hand, 0.01, Hold::Position)? {
        Some(grip) => println!("the hand holds {:?}", world.grip(grip)?.params.place),
        None => println!("nothing is near the hand"),
    }
    Ok(())
}
