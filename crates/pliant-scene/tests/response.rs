//! Bodies of the model `response` in scene files: what has to be computed of them, and what is refused.

#![allow(clippy::unwrap_used, missing_docs)]

use pliant::math::Vec3;
use pliant_fem::{Damping, MassKind, Order, Sampling, TetMesh, Timing};
use pliant_scene::{Losses, Override, Precomputables, SceneError, Work, precomputable};

/// One tetrahedron, in millimetres.
const MSH: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 100 0 0\n3 0 100 0\n4 0 0 100\n$EndNodes\n\
                   $Elements\n1\n1 4 2 0 1 1 3 2 4\n$EndElements\n";

/// A scene of one body with these lines.
fn scene(lines: &str, changes: &[&str]) -> Result<Precomputables, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tet.msh"), MSH).unwrap();
    let text = format!(
        "duration = 1.0\n[material.foam]\nyoung = 2000\npoisson = 0.49\ndensity = 110\n\
         [[body]]\nname = \"cube\"\nmodel = \"response\"\nmaterial = \"foam\"\n{lines}\n"
    );
    let path = folder.path().join("s.toml");
    std::fs::write(&path, text).unwrap();
    let changes: Vec<Override> = changes.iter().map(|change| change.parse().unwrap()).collect();
    precomputable(&path, &changes)
}

const BOX: &str = "solid = { box = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }\n";

#[test]
fn defaults_and_all_settings_of_modes() {
    let found = scene("solid = { box = { size = [0.1, 0.05, 0.1] } }", &[]).unwrap();
    let [body] = &found.bodies[..] else { panic!("{found:?}") };
    let Work::Modes(recipe) = &body.work else { panic!("{body:?}") };
    assert_eq!((body.name.as_str(), recipe.modes, recipe.order), ("cube", 200, Order::Quadratic));
    assert_eq!((recipe.mass, recipe.elastic.poisson), (MassKind::Consistent, 0.49));
    assert_eq!(body.losses, Losses::Rayleigh(Damping::default()));
    // about its origin, with six cells along the longest edges
    let expected = TetMesh::block([6, 3, 6], Vec3::new(0.1, 0.05, 0.1)).unwrap();
    assert_eq!(recipe.mesh, expected.mapped(|at| at - Vec3::new(0.05, 0.025, 0.05)).unwrap());
    assert!(body.file.is_none());

    let settings = "response = { modes = 40, element = \"linear\", mass = \"lumped\", damping_time = 1e-3, drag = 2, \
                    form = \"modes\", file = \"x.basis\" }";
    let found = scene(&format!("{BOX}{settings}"), &[]).unwrap();
    let body = &found.bodies[0];
    let Work::Modes(recipe) = &body.work else { panic!("{body:?}") };
    assert_eq!((recipe.modes, recipe.order, recipe.mass), (40, Order::Linear, MassKind::Lumped));
    assert_eq!(body.losses, Losses::Rayleigh(Damping { mass: 2.0, stiffness: 1e-3 }));
    assert!(body.file.as_ref().unwrap().ends_with("x.basis"));
    let found = scene(&format!("{BOX}response = {{ loss_factor = 0.1 }}"), &["body.cube.response.modes=7"]).unwrap();
    assert_eq!(found.bodies[0].losses, Losses::Factor(0.1));
    // fewer than 200 where there are no more
    let small = scene("solid = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }", &[]).unwrap();
    assert!(matches!(&small.bodies[0].work, Work::Modes(recipe) if recipe.modes == recipe.size().0 - 6));
}

#[test]
fn recorded_responses() {
    let settings = "response = { form = \"records\", element = \"linear\", drag = 3, touch = [[0, 0, 1], [0.06, 0.06, 0.06]], \
                    samples = 10, sample = 0.001, substeps = 3, sampling = \"end\" }";
    let found = scene(&format!("{BOX}{settings}"), &[]).unwrap();
    let Work::Records(table) = &found.bodies[0].work else { panic!("{found:?}") };
    assert_eq!(table.timing, Timing { sample: 1e-3, substeps: 3, samples: 10, sampling: Sampling::End });
    assert_eq!(table.damping, Damping { mass: 3.0, stiffness: 0.0 });
    // the middle of the top and its corner; of 27 nodes all but one are on the surface
    assert_eq!(table.touched, [21, 25]);
    let usual = scene(&format!("{BOX}response = {{ form = \"records\", touch = [[0, 0, 1]] }}"), &[]).unwrap();
    assert!(matches!(&usual.bodies[0].work, Work::Records(table) if table.timing == Timing::default()));
}

/// All nodes of boxes, those on their sides and between corners included, in either form; and what is not held keeps its digest.
#[test]
fn nodes_that_are_held() {
    let below =
        "fixed = [{ min = [-1, -1, -0.05], max = [1, 1, -0.05] }, { min = [0.05, 0.05, -1], max = [0.05, 0.05, 1] }]";
    let found = scene(&format!("{BOX}response = {{ {below} }}"), &[]).unwrap();
    let Work::Modes(recipe) = &found.bodies[0].work else { panic!("{found:?}") };
    // two cells a side of ten-node tetrahedra: 5 x 5 below, and 4 more along an edge
    assert_eq!((recipe.fixed.len(), found.bodies[0].fixed_nodes()), (29, 29));
    assert!(recipe.check().is_ok());
    let free = scene(BOX, &[]).unwrap();
    let Work::Modes(free) = &free.bodies[0].work else { panic!("{free:?}") };
    assert!(free.fixed.is_empty() && free.digest() != recipe.digest());
    let records =
        format!("{BOX}response = {{ form = \"records\", element = \"linear\", touch = [[0, 0, 1]], {below} }}");
    let found = scene(&records, &[]).unwrap();
    assert!(matches!(&found.bodies[0].work, Work::Records(table) if table.fixed.len() == 9 + 2));
}

#[test]
fn tetrahedra_from_a_file() {
    let found = scene("solid = { tets = { file = \"tet.msh\", scale = 0.001 } }", &[]).unwrap();
    let Work::Modes(recipe) = &found.bodies[0].work else { panic!("{found:?}") };
    assert!((recipe.mesh.volume() - 1e-3 / 6.0).abs() < 1e-15);
    assert_eq!(found.warnings, ["body cube: tet.msh: 1 tetrahedra were inside out, and are turned round"]);
}

#[test]
fn what_is_refused_says_why_and_where() {
    let cases = [
        ("", "needs a solid: a box, or tets from a file"),
        ("solid = { prism = { sides = 6, radius = 0.1, length = 0.1 } }", "Mesh it with Gmsh"),
        ("solid = { tets = { file = \"tet.stl\" } }", "unknown kind of mesh of tetrahedra `stl`"),
        ("solid = { tets = { file = \"no.msh\" } }", "there is no such file"),
        ("solid = { box = { size = [1, 1, 1], cells = [50000, 50000, 50000] } }", "unknowns are too many"),
        ("solid = { box = { size = [1, 1, 1], masses = \"exact\" } }", "for the model lattice"),
        ("solid = { box = { size = [1, 1, 1], cells = { error = 0.1 } } }", "give the numbers of cells"),
        ("path = [[0, 0, 0], [1, 0, 0]]", "this is for rods"),
        (&format!("{BOX}parts = [{{ name = \"a\", {} }}]", BOX.trim()), "is one solid"),
        (&format!("{BOX}response = {{ modes = 1000 }}"), "this mesh has 345"),
        (&format!("{BOX}response = {{ modes = 3000 }}"), "from 1 to 2000"),
        (&format!("{BOX}response = {{ samples = 7 }}"), "for form = \"records\""),
        (&format!("{BOX}response = {{ form = \"records\" }}"), "say where it can be touched"),
        (&format!("{BOX}response = {{ form = \"records\", modes = 3, touch = [[0, 0, 0]] }}"), "for form = \"modes\""),
        (&format!("{BOX}response = {{ loss_factor = 0.1, drag = 1 }}"), "either a loss factor"),
        (&format!("{BOX}response = {{ fixed = [{{ min = [0, 0, 0.06], max = [1, 1, 1] }}] }}"), "no node of the body"),
        (
            &format!("{BOX}response = {{ fixed = [{{ min = [-1, -1, -1], max = [1, 1, 1] }}] }}"),
            "all nodes of the body",
        ),
        (&format!("{BOX}response = {{ fixed = [{{ min = [0, 0, 1], max = [1, 1, 0] }}] }}"), "interchanged"),
        (&format!("{BOX}response = {{ fixed = [{{ min = [0, 0, 1] }}] }}"), "missing field `max`"),
        (
            &format!("{BOX}response = {{ modes = 300, fixed = [{{ min = [-1, -1, -0.05], max = [1, 1, -0.05] }}] }}"),
            "this mesh has 276",
        ),
        (
            "solid = { box = { size = [1, 1, 1], cells = [20, 20, 20] } }\nresponse = { modes = 2000 }",
            "of so large a body",
        ),
        (
            "solid = { box = { size = [1, 1, 1], cells = [20, 20, 20] } }\n\
             response = { form = \"records\", touch = [[0, 0, 1]], samples = 100000 }",
            "would take",
        ),
    ];
    for (lines, expected) in cases {
        let error = scene(lines, &[]).unwrap_err();
        assert!(error.to_string().contains(expected), "{lines}\n{error}");
        assert!(error.line().is_some_and(|line| line >= 6), "{error}");
    }
    let error = scene(BOX, &["material.foam.poisson=0.505"]).unwrap_err();
    assert!(error.to_string().contains("Poisson's ratio must be above -1"), "{error}");
    assert!(error.to_string().contains("--set material.foam.poisson=0.505"), "{error}");
    // and a lattice takes no tetrahedra
    let lattice = "model = \"lattice\"";
    let text = format!(
        "duration = 1\n[material.a]\nyoung = 1\ndensity = 1\n[[body]]\nname = \"b\"\n{lattice}\nmaterial = \"a\"\n\
         solid = {{ tets = {{ file = \"x.msh\" }} }}"
    );
    let error = pliant_scene::parse(&text, "s", ".".as_ref(), &[]).unwrap_err();
    assert!(error.to_string().contains("is for the model response"), "{error}");
}

/// The whole scene of a body that takes next to no time to compute.
fn whole(lines: &str, before: &str) -> Result<pliant_scene::Scene, SceneError> {
    let text = format!(
        "duration = 0.01\nstep = 0.005\n[material.foam]\nyoung = 1e5\ndensity = 1000\n[[body]]\nname = \"cube\"\nmodel = \"response\"\n\
         material = \"foam\"\nsolid = {{ box = {{ size = [0.1, 0.1, 0.05], cells = [1, 1, 1] }} }}\nresponse = {{ modes = 30 }}\n\
         {lines}\n{before}"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.toml");
    std::fs::write(&path, text).unwrap();
    pliant_scene::load(&path, &[])
}

#[test]
fn a_body_inside_an_obstacle_is_refused_with_the_place() {
    let plane = "[[obstacle]]\nname = \"table\"\nshape = { plane = {} }\n";
    let error = whole("position = [0, 0, -0.1]", plane).unwrap_err().to_string();
    assert!(error.contains("cube begins inside table") && error.contains("-0.125]"), "{error}");
    assert!(whole("position = [0, 0, 0.025]", plane).is_ok());
}

#[test]
fn a_spin_that_deforms_it_too_far_is_warned_of() {
    let fast = whole("spin = [0, 0, 628]", "").unwrap();
    assert!(fast.warnings.iter().any(|w| w.contains("its spin would deform it")), "{:?}", fast.warnings);
    assert!(whole("spin = [0, 0, 5]", "").unwrap().warnings.is_empty());
}

#[test]
fn mutated_scenes_are_read_or_refused() {
    // never a panic, and never more than what is allowed
    let text = format!(
        "{BOX}response = {{ modes = 40, element = \"linear\", damping_time = 1e-3, file = \"x\" }}\n\
         [[body]]\nname = \"b\"\nmodel = \"response\"\nmaterial = \"foam\"\n\
         solid = {{ tets = {{ file = \"tet.msh\", scale = 0.001 }} }}\n\
         response = {{ form = \"records\", touch = [[0, 0, 1]], samples = 10, sample = 0.001 }}\n"
    );
    scene(&text, &[]).unwrap();
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..1000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..1 + random(3) {
            let at = random(bytes.len());
            let known = b"0123456789.,[]{}\"=-e ab\n";
            let with = known[random(known.len())];
            match random(3) {
                0 => bytes[at] = with,
                1 => bytes.insert(at, with),
                _ => drop(bytes.remove(at)),
            }
        }
        if let Ok(found) = scene(&String::from_utf8(bytes).unwrap(), &[]) {
            for body in found.bodies {
                let size = match &body.work {
                    Work::Modes(recipe) | Work::Measured(recipe) => recipe.size().0,
                    Work::Records(table) => table.size().0,
                };
                assert!(size <= 200_000);
            }
        }
    }
}
