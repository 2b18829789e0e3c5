"""Cables in PyElastica: Cosserat rods, explicit steps.

Steps follow the rule of its documentation, a hundredth of the length of an element over the speed of sound's part of it: as long as they are
stable here, which is what the job asks for. A led end has a constraint class of its own, as its documentation shows. Its contact with
cylinders has friction but gives no torque, its contact with planes has anisotropic friction. Self-contact is by springs, without friction.
"""

from __future__ import annotations

from importlib.metadata import version

import elastica as ea
import numpy as np

from common import Course, Held, Load, area, between_clamps, perform, straddling


class System(ea.BaseSystemCollection, ea.Constraints, ea.Forcing, ea.Damping, ea.Contact):
    pass


class Led(ea.ConstraintBase):
    """Nodes and a direction that follow a course, as the documentation has constraints of one's own."""

    def __init__(self, *_fixed, held: Held, offsets: list, **kwargs) -> None:
        super().__init__(**kwargs)
        # all there will be, each millisecond, so that a step only looks between two rows
        directions = held.direction.rows if held.direction else np.zeros((1, 3))
        directions = directions / np.maximum(np.linalg.norm(directions, axis=1)[:, None], 1e-30)
        self.places = np.stack([held.place.rows + o * directions for o in offsets], axis=2)
        self.directions = directions if held.direction else None
        self.rate = 1.0 / held.place.spacing

    def constrain_values(self, system, time) -> None:
        u = float(time) * self.rate
        i = min(int(u), len(self.places) - 2)
        part = min(u - i, 1.0)
        system.position_collection[:, self.constrained_position_idx] = self.places[i] + part * (self.places[i + 1] - self.places[i])
        if self.directions is not None:
            j = self.constrained_director_idx[0]
            d3 = self.directions[i] + part * (self.directions[i + 1] - self.directions[i])
            d3 /= (d3 @ d3) ** 0.5
            # the frame that it has, turned as little as brings its third axis to the direction
            d1 = system.director_collection[0, :, j]
            d1 = d1 - (d1 @ d3) * d3
            d1 /= (d1 @ d1) ** 0.5
            system.director_collection[0, :, j] = d1
            system.director_collection[1, :, j] = (
                d3[1] * d1[2] - d3[2] * d1[1], d3[2] * d1[0] - d3[0] * d1[2], d3[0] * d1[1] - d3[1] * d1[0]
            )  # fmt: skip
            system.director_collection[2, :, j] = d3

    def constrain_rates(self, system, time) -> None:
        i = min(int(float(time) * self.rate), len(self.places) - 2)
        system.velocity_collection[:, self.constrained_position_idx] = (self.places[i + 1] - self.places[i]) * self.rate
        if self.directions is not None:
            system.omega_collection[:, self.constrained_director_idx] = 0.0


class Pull(ea.NoForces):
    def __init__(self, load: Load) -> None:
        super().__init__()
        self.course: Course = load.force
        self.node = 0 if load.first else -1

    def apply_forces(self, system, time=0.0) -> None:
        system.external_forces[:, self.node] += self.course.at(float(time))


class Sim:
    version = version("pyelastica")
    at_once = True

    def __init__(self, job: dict) -> None:
        self.job, self.step = job, job["step"]
        self.system = System()
        self.rods = []
        held = [Held(told) for told in job["held"]]
        material = job["material"]
        for c, nodes in enumerate(straddling(job)):
            count = len(nodes) - 1
            edges = np.diff(nodes, axis=0)
            edge = np.linalg.norm(edges, axis=1)
            straight = np.linalg.norm(nodes[-1] - nodes[0])
            extra = {}
            if edge.sum() > 1.0001 * straight:
                extra["position"] = nodes.T.copy()
            normal = perpendicular(edges[0])
            if extra:
                extra["directors"] = directors(edges)
            rod = ea.CosseratRod.straight_rod(
                count, nodes[0], edges[0] / edge[0], normal, edge.sum(), job["radius"], material["density"],
                youngs_modulus=material["young"], shear_modulus=material["shear"], **extra,
            )  # fmt: skip
            self.rods.append(rod)
            self.system.append(rod)
            for h in held:
                if h.cable != c:
                    continue
                nodes_held, half = ((0, 1), 0.5 * edge[0]) if h.first else ((-1, -2), 0.5 * edge[-1])
                if not h.place.moves:
                    self.system.constrain(rod).using(
                        ea.FixedConstraint, constrained_position_idx=nodes_held if h.oriented else nodes_held[:1],
                        constrained_director_idx=nodes_held[:1] if h.oriented else (),
                    )  # fmt: skip
                elif h.oriented:
                    offsets = [-half, half] if h.first else [half, -half]
                    self.system.constrain(rod).using(
                        Led, held=h, offsets=offsets, constrained_position_idx=nodes_held, constrained_director_idx=(nodes_held[0],)
                    )
                else:
                    self.system.constrain(rod).using(Led, held=h, offsets=[0.0], constrained_position_idx=nodes_held[:1])
            if job["gravity"]:
                self.system.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=np.array([0.0, 0.0, -job["gravity"]]))
            for load in map(Load, job["loads"]):
                if load.cable == c:
                    self.system.add_forcing_to(rod).using(Pull, load)
            damping = job["drag"] or job.get("damping", 0.0)
            if damping:
                self.system.dampen(rod).using(ea.AnalyticalLinearDamper, uniform_damping_constant=damping, time_step=self.step)
        stiffness, damper = job.get("contact_stiffness", 1e4), job.get("contact_damping", 1.0)
        if job["drum"]:
            drum = job["drum"]
            axis = np.array(drum["axis"])
            cylinder = ea.Cylinder(
                np.array(drum["centre"]) - 0.5 * drum["length"] * axis, axis, perpendicular(axis), drum["length"], drum["radius"], 1e3
            )
            self.system.append(cylinder)
            self.system.constrain(cylinder).using(ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,))
            self.system.detect_contact_between(self.rods[0], cylinder).using(
                ea.RodCylinderContact, k=stiffness, nu=damper, velocity_damping_coefficient=job.get("stiction", 1e2),
                friction_coefficient=job["friction"],
            )  # fmt: skip
        if job["ground"]:
            plane = ea.Plane(plane_origin=np.zeros(3), plane_normal=np.array([0.0, 0.0, 1.0]))
            self.system.append(plane)
            mu = np.full(3, job["friction"])
            for rod in self.rods:
                self.system.detect_contact_between(rod, plane).using(
                    ea.RodPlaneContactWithAnisotropicFriction, k=stiffness * 1e-2, nu=damper * 1e-2, slip_velocity_tol=1e-4,
                    static_mu_array=mu, kinetic_mu_array=mu,
                )  # fmt: skip
        if job["self_contact"]:
            self.system.detect_contact_between(self.rods[0], self.rods[0]).using(ea.RodSelfContact, k=stiffness, nu=damper)
        self.system.finalize()
        self.stepper = ea.PositionVerlet()
        self.time = np.float64(0.0)
        # what is compiled when it is first called does not count
        self.stepper.step(self.system, self.time, np.float64(1e-12))

    def advance(self, steps: int) -> None:
        dt = np.float64(self.step)
        for _ in range(steps):
            self.time = self.stepper.step(self.system, self.time, dt)

    def nodes(self) -> list[np.ndarray]:
        return between_clamps(self.job, [rod.position_collection.T for rod in self.rods])


def perpendicular(v: np.ndarray) -> np.ndarray:
    other = np.cross(v, [0.0, 1.0, 0.0] if abs(v[1]) < 0.9 * np.linalg.norm(v) else [1.0, 0.0, 0.0])
    return other / np.linalg.norm(other)


def directors(edges: np.ndarray) -> np.ndarray:
    """Frames carried along without twist, as rows d1, d2, d3 of each element."""
    made = np.zeros((3, 3, len(edges)))
    d1 = perpendicular(edges[0])
    for i, e in enumerate(edges):
        d3 = e / np.linalg.norm(e)
        d1 = d1 - (d1 @ d3) * d3
        d1 /= np.linalg.norm(d1)
        made[:, :, i] = np.stack([d1, np.cross(d3, d1), d3])
    return made


if __name__ == "__main__":
    perform(Sim)
