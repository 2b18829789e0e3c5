//! `pliant identify`: properties of a cable from measurements.

mod found;
mod page;

use std::fs::File;
use std::path::Path;

use comfy_table::Cell;
use pliant_identify::capstan::{self, Capstan, Identified, Making, Parameter, Pull, Rig, Theory};
use pliant_record::{claim, write_whole};

use crate::args::{CapstanArgs, IdentifyAction, Options};
use crate::failure::Failure;
use crate::output::{self, number, short};

/// Identify what is asked for.
pub fn identify(action: &IdentifyAction, options: &Options) -> Result<(), Failure> {
    options.refuse_overrides("identify")?;
    match action {
        IdentifyAction::Capstan(args) => from_pulls(args, options),
        IdentifyAction::Shape(args) => found::from_shape(args, options),
        IdentifyAction::Swing(args) => found::from_swing(args, options),
        IdentifyAction::Slope(args) => found::from_slope(args, options),
        IdentifyAction::Curl(args) => found::from_curl(args, options),
        IdentifyAction::Contact(args) => found::from_contact(args, options),
    }
}

fn from_pulls(args: &CapstanArgs, options: &Options) -> Result<(), Failure> {
    let rig = Rig { drum: args.drum, radius: args.radius, young: args.young, poisson: args.poisson };
    let input = |why: &dyn std::fmt::Display| Failure::Input(format!("{}: {why}", args.data.display()));
    if args.make {
        make(&args.data, rig, args)?;
    }
    let file = File::open(&args.data).map_err(|e| input(&e))?;
    let pulls = capstan::read(file).map_err(|e| input(&e))?;
    let found = capstan::identify(&pulls, rig, args.theory.into()).map_err(|e| input(&e))?;
    if let Some(dir) = &options.out {
        claim(dir)?;
        let json = serde_json::to_string(&found).map_err(|e| Failure::Run(format!("cannot write JSON: {e}")))?;
        for (name, text) in [("identified.json", json), ("identified.html", page::page(&pulls, &found))] {
            let file = dir.join(name);
            write_whole(&file, &text)?;
            output::talk(format!("{:<16} {}", format!("{name}:"), file.display()));
        }
    }
    if options.json { output::print_json(&found) } else { print(&pulls, &found) }
}

/// Loads of the rig [N], and angles by which the cable is wound on it [half turns].
const LOADS: [f64; 3] = [0.5, 1.0, 2.0];
const HALF_TURNS: [f64; 4] = [0.5, 1.0, 1.5, 2.0];

/// Run the rig and write its measurements to a new table.
fn make(path: &Path, rig: Rig, args: &CapstanArgs) -> Result<(), Failure> {
    if path.exists() {
        return Err(Failure::Input(format!("{} is there already: choose a new file for --make", path.display())));
    }
    let [coefficient, exponent] = [args.coefficient, args.exponent];
    if !(coefficient.is_finite() && coefficient > 0.0 && exponent.is_finite() && exponent > 0.0) {
        return Err(Failure::Input("--coefficient and --exponent must be positive".into()));
    }
    let law = Capstan { rig, coefficient, exponent, theory: Theory::Thickness };
    let mut random = Normal(0x5eed);
    let mut text = format!(
        "# pulls at which a simulated cable begins to slide: drum {} m, radius {} m, E {} Pa, nu {}, kappa {}, N {}, noise {}\nt0,t,angle\n",
        rig.drum, rig.radius, rig.young, rig.poisson, coefficient, exponent, args.noise
    );
    for load in LOADS {
        for angle in HALF_TURNS.map(|half| half * std::f64::consts::PI) {
            let Some(Pull { pull, .. }) = capstan::simulate(&law, load, angle, Making::default()) else {
                return Err(Failure::Run(format!(
                    "the rig with {load} N at {angle:.3} rad fails: it is too stiff, or too soft"
                )));
            };
            for _ in 0..args.repeats {
                text += &format!("{load},{},{angle}\n", pull * (1.0 + args.noise * random.next()));
            }
            output::talk(format!("{load} N at {:.0} degrees: {} N", angle.to_degrees(), short(pull)));
        }
    }
    Ok(write_whole(path, &text)?)
}

/// Normally distributed numbers (Box and Muller).
struct Normal(u64);

impl Normal {
    fn next(&mut self) -> f64 {
        let mut fraction = || {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        };
        let (a, b) = (fraction(), fraction());
        (-2.0 * a.ln()).sqrt() * (2.0 * std::f64::consts::PI * b).cos()
    }
}

/// What is said of a parameter.
fn said(parameter: &Parameter) -> String {
    match parameter.interval {
        Some([low, high]) => format!("{} to {}", short(low), short(high)),
        None => format!("assumed: a third more changes no pull by more than {} %", short(100.0 * parameter.matters)),
    }
}

/// Whether the theory fits, in a sentence.
fn verdict(found: &Identified) -> String {
    let deviation = format!("pulls deviate by {} % (root mean square)", short(100.0 * found.deviation));
    let Some(misfit) = found.misfit else {
        return format!("{deviation}; nothing was measured twice, so that noise and misfit cannot be told apart");
    };
    let noise = format!("repeated measurements scatter by {} %", short(100.0 * misfit.noise));
    if found.is_refuted() {
        return format!(
            "{deviation}, {noise}: this theory does NOT fit, by {} % beyond the noise (probability {:.1e}); its numbers mean little",
            short(100.0 * misfit.beyond),
            misfit.probability
        );
    }
    format!("{deviation}, {noise}: the theory fits (probability {:.2})", misfit.probability)
}

fn print(pulls: &[Pull], found: &Identified) -> Result<(), Failure> {
    let mut table = output::table(&["property", "value", "unit", "95 % interval"]);
    for parameter in &found.parameters {
        table.add_row(vec![
            Cell::new(parameter.name),
            number(short(parameter.value)),
            Cell::new(parameter.unit),
            Cell::new(said(parameter)),
        ]);
    }
    output::print_text(format!("{table}\n{} pulls: {}", pulls.len(), verdict(found)))?;
    if found.strain > 0.2 {
        output::talk(format!(
            "warning: the cable is stretched by up to {} %, where a linear material is a rough guess",
            short(100.0 * found.strain)
        ));
    }
    Ok(())
}
