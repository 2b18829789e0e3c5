use pliant::chain::*; use pliant::math::*; use pliant::*; use pliant::contact::*; use pliant::motion::*;
fn main(){
  for n in std::env::args().skip(1).map(|a| a.parse::<usize>().unwrap()) {
    let spec = ChainSpec{ material: Material{young:1e7,poisson:0.3,density:1000.0,friction:Friction::NONE}, section: Section{radius:2e-3},
      path: vec![Vec3::new(0.,0.,0.3), Vec3::new(0.15,0.,0.3)], points: Some(n),
      settings: ChainSettings{ update: UpdateRule::Dynamics, rate: Some(20000.0), contact_rate:25.0, ..Default::default()}};
    let mut w = World::new(Vec3::Z * -9.81);
    w.add_obstacle(ObstacleParams{name:"floor".into(), shape: Shape::new(ShapeKind::Plane).unwrap(), placed: Pose::from_translation(Vec3::Z*0.295), motion: Motion::Hold, friction: None}).unwrap();
    let c = Chain::new("rod", spec).unwrap();
    if n==11 { for d in c.derived(){ println!("{} = {} {} ({})", d.symbol,d.value,d.unit,d.why);} }
    w.add_body(Body::Chain(c)).unwrap();
    w.add_gripper(GripperParams{name:"hand".into(), placed: Pose::from_translation(Vec3::new(0.,0.,0.3)), motion: Motion::Sinusoid{amplitude: Vec3::Y*0.01, frequency:1.0, phase:0.0}}).unwrap();
    w.add_grip(GripParams{gripper:0,body:0,place:Place::Fraction(0.0),hold:Hold::Clamp,from:0.0,until:f64::INFINITY,snap:false}).unwrap();
    let reps = if n==11 {2000} else {20};
    for _ in 0..reps/4 { w.step(1e-3).unwrap(); }
    let s0=w.bodies()[0].model_steps();
    let t=std::time::Instant::now();
    for _ in 0..reps { w.step(1e-3).unwrap(); }
    let el=t.elapsed().as_secs_f64(); let st=w.bodies()[0].model_steps()-s0;
    println!("n={n}: {:.1} ns/step, {:.2} ns/point contacts {}", el/st as f64*1e9, el/st as f64*1e9/n as f64, w.frame().contacts.len());
  }
}
