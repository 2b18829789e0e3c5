//! Rods of rigid links, independent of how they are solved: properties of links, places along them, initial poses.

mod line;

pub use line::{FIELDS, HeldEnd, Line, Touching};

use crate::curve;
use crate::derived::Derived;
use crate::grip::{ActingLoad, Place};
use crate::material::Material;
use crate::math::{Pose, Quat, Vec3, unit_or};
use crate::react::Spot;
use crate::section::Section;

/// Properties of a link; all links of a rod are alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Length [m].
    pub length: f64,
    /// Mass [kg].
    pub mass: f64,
    /// Principal moments of inertia, in the axes of the link [kg m2].
    pub inertia: Vec3,
    /// EA, GA, GA [N], GJ, EI about y, EI about z [N m2].
    pub rigidity: [f64; 6],
}

impl Link {
    /// One of `count` links that together are as long as a path.
    pub fn new(path: &[Vec3], count: usize, section: &Section, material: &Material) -> Link {
        let length = curve::length(path) / count as f64;
        let mass = section.mass_per_length(material) * length;
        // rotary inertia of the sections, and for axes across the link that of its length
        let [along, about_y, about_z] = section.rotary_inertia(material).map(|inertia| inertia * length);
        let slender = mass * length * length / 12.0;
        let inertia = Vec3::new(along, about_y + slender, about_z + slender);
        Link { length, mass, inertia, rigidity: section.rigidities(material) }
    }

    /// Parameters to report for a rod of `count` such links.
    pub fn derived(&self, count: usize, section: &Section) -> Vec<Derived> {
        let [stretching, shearing, _, twisting, about_y, about_z] = self.rigidity;
        let mut derived = vec![
            Derived::new("L", self.length, "m", "length of the path over the number of segments"),
            Derived::new("m", self.mass * count as f64, "kg", section.mass_reason()),
            Derived::new("EA", stretching, "N", "stretching"),
            Derived::new("GA", shearing, "N", section.shear_reason()),
            Derived::new("GJ", twisting, "N m2", "twisting"),
        ];
        if section.is_isotropic() {
            derived.push(Derived::new("EI", about_y, "N m2", "bending"));
        } else {
            derived.push(Derived::new("EI_y", about_y, "N m2", "bending about the section's y axis"));
            derived.push(Derived::new("EI_z", about_z, "N m2", "bending about the section's z axis"));
        }
        derived
    }
}

/// Lever arms of the joint between two links, a and b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arms {
    /// From the middle of a to the joint [m].
    pub a: f64,
    /// From the joint to the middle of b [m].
    pub b: f64,
}

impl Arms {
    /// Arms of a joint between two links of a length [m].
    pub fn between(length: f64) -> Arms {
        Arms { a: 0.5 * length, b: 0.5 * length }
    }

    /// Arms of a gripper, which has no length, and the link that it holds at an offset from the link's middle [m].
    pub fn held_at(offset: f64) -> Arms {
        Arms { a: 0.0, b: -offset }
    }
}

/// A dead force and torque on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Index of the link.
    pub link: usize,
    /// Position along the link, from its middle [m].
    pub offset: f64,
    /// Force in the world [N].
    pub force: Vec3,
    /// Torque in the world [N m].
    pub torque: Vec3,
}

impl Push {
    /// A load as it acts on a rod of `count` links of a length [m].
    pub fn of_load(load: &ActingLoad, count: usize, length: f64) -> Push {
        let (link, offset) = locate(load.place, count, length);
        Push { link, offset, force: load.force, torque: load.torque }
    }

    /// A force [N] at a spot of a rod with links of a length [m]; `None` if the spot belongs to a solid.
    pub fn at_spot(spot: Spot, force: Vec3, length: f64) -> Option<Push> {
        let Spot::Along { segment: link, fraction } = spot else { return None };
        Some(Push { link, offset: (fraction - 0.5) * length, force, torque: Vec3::ZERO })
    }
}

/// The link that a place lies on, and the position along it from its middle [m].
pub fn locate(place: Place, count: usize, length: f64) -> (usize, f64) {
    let s = place.along(count).clamp(0.0, 1.0) * count as f64;
    let link = (s as usize).min(count - 1);
    (link, (s - link as f64 - 0.5) * length)
}

/// Poses of the links between points; each frame is turned from the previous one by the smallest rotation, the first
/// from `turn`.
pub fn poses_along(points: &[Vec3], mut turn: Quat) -> Vec<Pose> {
    let pose = |w: &[Vec3]| {
        let tangent = unit_or(w[1] - w[0], turn * Vec3::X);
        turn = (Quat::from_rotation_arc(turn * Vec3::X, tangent) * turn).normalize();
        Pose::from_parts(0.5 * (w[0] + w[1]), turn)
    };
    points.windows(2).map(pose).collect()
}
