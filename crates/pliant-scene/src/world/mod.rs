//! Tables of a scene other than bodies: grippers, obstacles, loads, motions; and the world built from all of them.

pub(crate) mod admittance;
pub(crate) mod arm;
pub(crate) mod assemble;
pub(crate) mod grasp;
pub(crate) mod gripper;
pub(crate) mod join;
pub(crate) mod load;
pub(crate) mod motion;
pub(crate) mod obstacle;
pub(crate) mod place;
pub(crate) mod plan;
pub(crate) mod pose;
pub(crate) mod rigid;
pub(crate) mod sensor;
pub(crate) mod view;
pub(crate) mod wind;
