use pliant::Change;

/// A scene as in a file; `pliant_scene::load(path, &overrides)` reads one.
const SCENE: &str = r#"
duration = 2.0
step     = 0.005

[material.rubber]
young   = 5e6
density = 1100

[[body]]
name     = "cable"
model    = "cable"
material = "rubber"
radius   = 0.003
path     = [[0, 0, 0.3], [0.3, 0, 0.3]]
segments = 30

[[gripper]]
name  = "hand"
grips = [{ body = "cable", at = "start", orientation = true }]
"#;

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = pliant_scene::parse(SCENE, "cable.toml", ".".as_ref(), &[])?;
    let cable = scene.world.body_named("cable").ok_or("no such body")?;
    let hand = scene.world.gripper_named("hand").ok_or("no such gripper")?;

    // between steps a world can be changed and read like one that was built in code
    scene.world.change(cable, Change::Young(2e7))?;
    let mut strongest = 0.0_f64;
    while scene.world.time() < scene.duration {
        scene.world.step(scene.step)?;
        strongest = strongest.max(scene.world.gripper(hand)?.load.force.length());
    }
    let weight = scene.world.body(cable)?.mass() * 9.81;
    println!("the hand feels at most {strongest:.3} N; the cable weighs {weight:.3} N");
    Ok(())
}
