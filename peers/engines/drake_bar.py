"""The bar in Drake: a deformable body of linear tetrahedra, corotated, with the solver SAP, as its examples have it."""

from __future__ import annotations

import os
from importlib.metadata import version
from itertools import permutations

import numpy as np
from pydrake.geometry import GeometryInstance, Mesh, ProximityProperties
from pydrake.math import RigidTransform
from pydrake.multibody.fem import DeformableBodyConfig
from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from common import perform


class Sim:
    version = version("drake")
    at_once = True

    def __init__(self, job: dict) -> None:
        self.job, self.step = job, job["step"]
        bar, material = job["bar"], job["material"]
        builder = DiagramBuilder()
        # lagged convex contact solves the bodies' motion implicitly; there is no contact here
        config = MultibodyPlantConfig(time_step=self.step, discrete_contact_approximation="lagged")
        self.plant, _ = AddMultibodyPlant(config, builder)
        deformable = self.plant.mutable_deformable_model()
        body = DeformableBodyConfig()
        body.set_youngs_modulus(material["young"])
        body.set_poissons_ratio(material["poisson"])
        body.set_mass_density(material["density"])
        body.set_mass_damping_coefficient(job["drag"])
        body.set_stiffness_damping_coefficient(0.0)
        # it meshes no boxes for deformable bodies: a grid of cells, of six tetrahedra each
        write_grid("bar.vtk", bar["size"], bar["cell"])
        shape = GeometryInstance(RigidTransform(), Mesh(os.path.abspath("bar.vtk")), "bar")
        shape.set_proximity_properties(ProximityProperties())
        self.body = deformable.RegisterDeformableBody(shape, body, bar["cell"])
        # what lies beyond a plane does not move
        wall = np.array([-0.5 * bar["size"][0] + 1e-6, 0.0, 0.0])
        deformable.SetWallBoundaryCondition(self.body, wall, np.array([1.0, 0.0, 0.0]))
        self.plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -job["gravity"]])
        self.plant.Finalize()
        self.deformable = self.plant.deformable_model()
        diagram = builder.Build()
        self.simulator = Simulator(diagram)
        self.simulator.Initialize()
        self.context = self.plant.GetMyContextFromRoot(self.simulator.get_context())
        self.first = self.all()
        self.end = self.first[:, 0] > self.first[:, 0].max() - 1e-6
        self.time = 0.0

    def all(self) -> np.ndarray:
        index = self.deformable.GetBody(self.body).discrete_state_index()
        values = self.context.get_discrete_state(index).value()
        return values[: len(values) // 3].reshape(-1, 3).copy()

    def advance(self, steps: int) -> None:
        self.time += steps * self.step
        self.simulator.AdvanceTo(self.time)

    def nodes(self) -> list[np.ndarray]:
        return [np.array([[0.0, 0.0, 0.0], (self.all() - self.first)[self.end].mean(axis=0)])]


def write_grid(path: str, size: list[float], cell: float) -> None:
    """A box of tetrahedra: each cell along its diagonal, one tetrahedron for each order of the three axes."""
    counts = [round(s / cell) for s in size]
    axes = [np.linspace(-0.5 * s, 0.5 * s, n + 1) for s, n in zip(size, counts)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    strides = np.array([(counts[1] + 1) * (counts[2] + 1), counts[2] + 1, 1])
    first = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3) @ strides
    tets = []
    for order in permutations(range(3)):
        corners = np.cumsum([0, *strides[list(order)]])
        # even orders turn the right way round, the others want two corners exchanged
        even = order in [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
        tets.append(first[:, None] + corners[[0, 1, 2, 3] if even else [0, 2, 1, 3]])
    tets = np.concatenate(tets)
    with open(path, "w") as file:
        file.write("# vtk DataFile Version 3.0\nbar\nASCII\nDATASET UNSTRUCTURED_GRID\n")
        file.write(f"POINTS {len(points)} double\n" + "\n".join(" ".join(f"{x:.9g}" for x in p) for p in points))
        file.write(f"\nCELLS {len(tets)} {5 * len(tets)}\n" + "\n".join("4 " + " ".join(map(str, t)) for t in tets))
        file.write(f"\nCELL_TYPES {len(tets)}\n" + "\n".join(["10"] * len(tets)) + "\n")


if __name__ == "__main__":
    perform(Sim)
