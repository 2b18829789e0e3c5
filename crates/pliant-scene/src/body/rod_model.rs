//! Putting the rods of a scene on another model, to compare models.
//!
//! What a scene says of its rods must mean the same on each model. Tables of settings belong to one model each and are
//! left alone, with two exceptions: damping and drag are physics that models share, so they are carried over from the
//! model a rod is written for; and features that only that model has, such as sliders, are refused on others.

use std::str::FromStr;

use crate::body::{BodySpec, ModelSpec};
use crate::text::fault::Fault;
use crate::text::quantity::{Damping, DampingTime};
use crate::text::suggest;
use crate::text::word::Table;
use crate::world::assemble::SceneSpec;

/// A model of rods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RodModel {
    /// Points with contraction and bending forces.
    Chain,
    /// Rigid links with elastic joints.
    Cable,
    /// Rigid links with elastic joints, by extended position-based dynamics.
    Xpbd,
    /// A planar rod described by its tangent angle along its length.
    Elastica,
}

/// Why a text does not name a model of rods.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no model of rods named `{word}` ({help})")]
pub struct UnknownModel {
    word: String,
    help: String,
}

impl RodModel {
    /// All of them.
    pub const ALL: [RodModel; 4] = [RodModel::Cable, RodModel::Elastica, RodModel::Chain, RodModel::Xpbd];

    /// Its name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            RodModel::Chain => "chain",
            RodModel::Cable => "cable",
            RodModel::Xpbd => "xpbd",
            RodModel::Elastica => "elastica",
        }
    }

    fn spec(self) -> ModelSpec {
        match self {
            RodModel::Chain => ModelSpec::Chain,
            RodModel::Cable => ModelSpec::Cable,
            RodModel::Xpbd => ModelSpec::Xpbd,
            RodModel::Elastica => ModelSpec::Elastica,
        }
    }
}

impl std::fmt::Display for RodModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RodModel {
    type Err = UnknownModel;

    fn from_str(word: &str) -> Result<RodModel, UnknownModel> {
        let known = RodModel::ALL.map(RodModel::name);
        let found = RodModel::ALL.into_iter().find(|model| model.name() == word.trim());
        let help = || suggest::help(word, known).unwrap_or_default();
        found.ok_or_else(|| UnknownModel { word: word.into(), help: help() })
    }
}

/// The model a rod is written for; `None` for a solid.
fn written(model: ModelSpec) -> Option<RodModel> {
    RodModel::ALL.into_iter().find(|rod| rod.spec() == model)
}

impl SceneSpec {
    /// Put all rods on a model and drop all expectations, which are about the scene as written and may use quantities
    /// that other models do not have.
    pub(crate) fn put_rods_on(&mut self, model: RodModel) -> Result<(), Fault> {
        self.expect.clear();
        self.view = None;
        for (index, body) in self.body.iter_mut().enumerate() {
            body.put_on(model).map_err(|fault| fault.at(index).at("body"))?;
        }
        Ok(())
    }
}

impl BodySpec {
    fn put_on(&mut self, model: RodModel) -> Result<(), Fault> {
        let Some(from) = written(self.model).filter(|from| *from != model) else { return Ok(()) };
        self.refuse_what_only_it_knows(from)?;
        let (damping_time, drag) = self.losses(from);
        self.take_losses(model, damping_time, drag);
        self.model = model.spec();
        Ok(())
    }

    /// Fail if the rod uses features that only its own model has, other than numerical settings.
    fn refuse_what_only_it_knows(&self, from: RodModel) -> Result<(), Fault> {
        let refused = |key: &str, why: String| {
            let message = format!("{why}: the rod is written for the model {from} and cannot go to another");
            Err(Fault::new(message).at(key).at(from.name()))
        };
        let of_chain = self.chain.as_ref().filter(|_| from == RodModel::Chain).and_then(|table| table.own_rod());
        if let Some(key) = of_chain {
            return refused(key, format!("`{key}` replaces the material, which other models take"));
        }
        let of_elastica = self.elastica.as_ref().filter(|_| from == RodModel::Elastica);
        if let Some(key) = of_elastica.and_then(|table| table.own_physics()) {
            return refused(key, format!("no other model has `{key}`"));
        }
        let of_cable = self.cable.as_ref().filter(|_| from == RodModel::Cable).and_then(|table| table.own_start());
        if let Some(key) = of_cable {
            return refused(key, format!("not every model has `{key}`"));
        }
        Ok(())
    }

    /// Material damping and drag, as given for a model.
    fn losses(&self, from: RodModel) -> (Option<DampingTime>, Option<Damping>) {
        match from {
            RodModel::Chain => (None, self.chain.as_ref().and_then(|table| table.drag)),
            RodModel::Cable => self.cable.as_ref().map_or((None, None), |table| (table.damping_time, table.drag)),
            RodModel::Xpbd => self.xpbd.as_ref().map_or((None, None), |table| (table.damping_time, table.drag)),
            RodModel::Elastica => self.elastica.as_ref().map_or((None, None), |table| (table.damping_time, table.drag)),
        }
    }

    /// Set damping and drag of a model where its table does not give them. A chain has no material damping.
    fn take_losses(&mut self, model: RodModel, damping_time: Option<DampingTime>, drag: Option<Damping>) {
        match model {
            RodModel::Chain => fill(&mut table(&mut self.chain).drag, drag),
            RodModel::Cable => {
                let table = table(&mut self.cable);
                fill(&mut table.damping_time, damping_time);
                fill(&mut table.drag, drag);
            }
            RodModel::Xpbd => {
                let table = table(&mut self.xpbd);
                fill(&mut table.damping_time, damping_time);
                fill(&mut table.drag, drag);
            }
            RodModel::Elastica => {
                let table = table(&mut self.elastica);
                fill(&mut table.damping_time, damping_time);
                fill(&mut table.drag, drag);
            }
        }
    }
}

fn table<T: Default>(slot: &mut Option<Table<T>>) -> &mut T {
    slot.get_or_insert_with(|| Table::of(T::default()))
}

fn fill<T>(slot: &mut Option<T>, value: Option<T>) {
    if slot.is_none() {
        *slot = value;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::text::quantity::Quantity;

    fn spec(model: &str, tables: &str) -> SceneSpec {
        let text = format!(
            "duration = 1\n[material.m]\nyoung = 1e6\ndensity = 1000\n[[body]]\nname = 'rod'\nmodel = '{model}'\n\
             material = 'm'\nradius = 0.001\npath = [[0, 0, 0], [1, 0, 0]]\n{tables}\n\
             [[expect]]\nquantity = 'body.rod.end.z'\nat = 'end'\nmax = 1\n"
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn losses_go_over_where_the_other_table_says_nothing() {
        let tables = "cable = { drag = 3, damping_time = 0.02 }\nxpbd = { drag = 5, substeps = 7 }";
        let on = |model| {
            let mut spec = spec("cable", tables);
            spec.put_rods_on(model).unwrap();
            assert!(spec.expect.is_empty());
            spec.body[0].losses(model)
        };
        let numbers = |model| {
            let (damping_time, drag) = on(model);
            (damping_time.map(Quantity::get), drag.map(Quantity::get))
        };
        assert_eq!(numbers(RodModel::Cable), (Some(0.02), Some(3.0)));
        assert_eq!(numbers(RodModel::Chain), (None, Some(3.0)));
        assert_eq!(numbers(RodModel::Elastica), (Some(0.02), Some(3.0)));
        assert_eq!(numbers(RodModel::Xpbd), (Some(0.02), Some(5.0)));
    }

    #[test]
    fn only_the_table_of_the_model_it_is_written_for_can_refuse() {
        let refused = |model: &str, tables: &str| spec(model, tables).put_rods_on(RodModel::Xpbd).is_err();
        assert!(refused("chain", "chain = { mass = 1 }") && !refused("cable", "chain = { mass = 1 }"));
        assert!(refused("elastica", "elastica = { line_load = [0, 0, 1] }"));
        assert!(!refused("elastica", "elastica = { start = 'path', tolerance = 1e-8 }"));
        // on its own model nothing changes
        assert!(spec("chain", "chain = { mass = 1 }").put_rods_on(RodModel::Chain).is_ok());
    }

    #[test]
    fn models_go_by_their_names() {
        for model in RodModel::ALL {
            assert_eq!(model.name().parse(), Ok(model));
        }
        let refused = |word: &str| word.parse::<RodModel>().map_err(|e| e.to_string());
        assert_eq!(refused("cabel"), Err("there is no model of rods named `cabel` (did you mean `cable`?)".into()));
        let known = "there is no model of rods named `lattice` (known: cable, elastica, chain, xpbd)";
        assert_eq!(refused("lattice"), Err(known.into()));
    }
}
