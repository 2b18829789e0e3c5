"""Cables in Newton: its rods, solved by vertex block descent (`SolverVBD`), here on the processor; it is made for graphics cards.

Stiffnesses come from Young's and the shear modulus. A held end is a link without mass whose pose is set. Steps and iterations are those of its
own examples of cables (1/600 s, 20) or firmer ones, as the job says; kernels are compiled before anything is timed, and kept.
"""

from __future__ import annotations

import os
from importlib.metadata import version

import newton
import numpy as np
import warp as wp

from common import Held, Load, perform, straddling, times

wp.config.quiet = True
wp.config.kernel_cache_dir = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "target", "peers", "warp")


class Sim:
    version = version("newton")

    def __init__(self, job: dict) -> None:
        wp.set_device("cpu")
        self.job, self.step = job, job["step"]
        material = job["material"]
        builder = newton.ModelBuilder(gravity=(0.0, 0.0, -job["gravity"]))
        builder.rigid_gap = job.get("gap", 1e-3)
        shape = newton.ModelBuilder.ShapeConfig(
            density=material["density"], mu=job["friction"], ke=job.get("contact_stiffness", 1e5), kd=0.0, gap=job.get("gap", 1e-3)
        )
        self.touches = bool(job["drum"] or job["ground"] or job["self_contact"])
        if job["drum"]:
            drum = job["drum"]
            # its cylinders lie along z; the drum's along y
            pose = wp.transform(wp.vec3(*drum["centre"]), wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), 0.5 * np.pi))
            builder.add_shape_cylinder(-1, xform=pose, radius=drum["radius"], half_height=0.5 * drum["length"], cfg=shape)
        if job["ground"]:
            builder.add_ground_plane(cfg=shape)
        self.held, self.loads = [Held(told) for told in job["held"]], [Load(told) for told in job["loads"]]
        self.bodies, self.edges = [], []
        density = material["density"] * np.pi * job["radius"] ** 2
        for c, nodes in enumerate(straddling(job)):
            rod = newton.Rod(nodes, radius=job["radius"], youngs_modulus=material["young"], shear_modulus=material["shear"])
            bodies, _ = builder.add_rod(rod=rod, cfg=shape, label=f"wire{c}", bend_damping=job.get("bend_damping"))
            edges = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
            for body, edge in zip(bodies, edges):
                # capsules overlap: the mass is that of the cylinder between nodes
                part = float(density * edge / builder.body_mass[body])
                builder.body_mass[body] *= part
                builder.body_inv_mass[body] /= part
                builder.body_inertia[body] = wp.mat33(np.array(builder.body_inertia[body]).reshape(3, 3) * part)
                builder.body_inv_inertia[body] = wp.mat33(np.array(builder.body_inv_inertia[body]).reshape(3, 3) / part)
            for held in self.held:
                if held.cable == c:
                    body = bodies[0] if held.first else bodies[-1]
                    builder.body_mass[body] = builder.body_inv_mass[body] = 0.0
                    builder.body_inertia[body] = builder.body_inv_inertia[body] = wp.mat33(0.0)
            span = int(np.ceil(3.0 * job["radius"] / edges.mean())) if job["self_contact"] else 0
            shapes = [builder.body_shapes[b][0] for b in bodies]
            reach = span if job["self_contact"] else len(bodies)
            for i in range(len(bodies) if len(job["cables"]) == 1 else 0):
                for j in range(i + 1, min(i + reach + 1, len(bodies))):
                    builder.add_shape_collision_filter_pair(shapes[i], shapes[j])
            self.bodies.append(np.array(bodies))
            self.edges.append(edges)
        builder.color()
        self.model = builder.finalize()
        self.contacts = None
        if self.touches:
            self.pipeline = newton.CollisionPipeline(self.model, contact_matching=job.get("matching", "sticky"))
            self.contacts = self.pipeline.contacts()
        self.solver = newton.solvers.SolverVBD(
            self.model, iterations=job.get("iterations", 20), rigid_contact_history=self.touches, rigid_body_contact_buffer_size=256,
            friction_epsilon=job.get("friction_epsilon", 1e-2),
        )  # fmt: skip
        self.now, self.next, self.control = self.model.state(), self.model.state(), self.model.control()
        self.rest = self.now.body_q.numpy().copy()
        self.shrink = np.exp(-job["drag"] * self.step)
        kept = self.now.body_q.numpy().copy(), self.now.body_qd.numpy().copy()
        # compiles, on the first run of all
        self.drive(0.0)
        self.advance()
        for state in (self.now, self.next):
            state.body_q.assign(kept[0])
            state.body_qd.assign(kept[1])
        self.solver = newton.solvers.SolverVBD(
            self.model, iterations=job.get("iterations", 20), rigid_contact_history=self.touches, rigid_body_contact_buffer_size=256,
            friction_epsilon=job.get("friction_epsilon", 1e-2),
        )  # fmt: skip

    def drive(self, t: float) -> None:
        self.now.clear_forces()
        for held in self.held:
            if not held.place.moves:
                continue
            bodies = self.bodies[held.cable]
            body, edge = (bodies[0], self.edges[held.cable][0]) if held.first else (bodies[-1], self.edges[held.cable][-1])
            place, along = held.at(t)
            pose = self.rest[body].copy()
            if along is not None:
                x, y, z, w = self.rest[body, 3:]
                w, x, y, z = times(held.turned(t), np.array([w, x, y, z]))
                pose[3:] = x, y, z, w
                pose[:3] = place
            else:
                # a link that is led without turning, as far as it goes here: its node is where the end is
                pose[:3] += place - held.place.rows[0]
            for state in (self.now, self.next):
                # on the processor this is the state itself
                state.body_q.numpy()[body] = pose
        for load in self.loads:
            body, sign = (self.bodies[load.cable][0], -0.5) if load.first else (self.bodies[load.cable][-1], 0.5)
            edge = self.edges[load.cable][0 if load.first else -1]
            force = load.force.at(t)
            arm = sign * edge * axis(self.now.body_q.numpy()[body : body + 1, 3:])[0]
            self.now.body_f.numpy()[body] = [*force, *np.cross(arm, force)]
        if self.job["drag"]:
            self.now.body_qd.numpy()[:] *= self.shrink

    def advance(self) -> None:
        if self.touches:
            self.pipeline.collide(self.now, self.contacts)
        self.solver.step(self.now, self.next, self.control, self.contacts, self.step)
        self.now, self.next = self.next, self.now

    def nodes(self) -> list[np.ndarray]:
        poses = self.now.body_q.numpy()
        found = []
        for c, (bodies, edges) in enumerate(zip(self.bodies, self.edges)):
            along = axis(poses[bodies, 3:]) * 0.5 * edges[:, None]
            centres = poses[bodies, :3]
            nodes = np.vstack([centres[0] - along[0], 0.5 * (centres[:-1] + along[:-1] + centres[1:] - along[1:]), centres[-1] + along[-1]])
            for held in self.held:
                if held.cable == c and held.oriented:
                    nodes[0 if held.first else -1] = centres[0 if held.first else -1]
            found.append(nodes)
        return found


def axis(quaternions: np.ndarray) -> np.ndarray:
    """The z axes of frames."""
    x, y, z, w = quaternions.T
    return np.stack([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)], axis=1)


if __name__ == "__main__":
    perform(Sim)
