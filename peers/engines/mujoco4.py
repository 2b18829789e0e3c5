"""Cables in MuJoCo 4: one-dimensional flexes.

Bending and twist come from Young's and the shear modulus. A flex has no stiffness along itself: its edges are constraints, which are made
firm here (their default lets a cable of 160 segments stretch to nine times its length). `integrator="discrete"` is what its documentation
advises for flexes. An end is clamped by pinning its first two vertices, half an edge on each side; one that is led has a body of its own, welded to a mocap body, to
which the last two vertices are connected. `contact` is "default", or "firm": MuJoCo's own lets a cable sink into a drum by more than its
radius.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np

from common import Held, Load, area, between_clamps, perform, straddling

FIRM = 'solref="-1e6 -1e3" solimp="0.9999 0.9999 0.001"'
CONTACTS = {
    "default": "",
    "firm": 'solref="-1e5 -1e3" solimp="0.99 0.999 0.001"',
    "firmer": 'solref="-1e6 -2e3" solimp="0.999 0.9999 0.001"',
}


class Sim:
    version = mujoco.__version__

    def __init__(self, job: dict) -> None:
        self.job, self.step = job, job["step"]
        self.held = [Held(told) for told in job["held"]]
        self.loads = [Load(told) for told in job["loads"]]
        self.cables = straddling(job)
        # cables that do not touch each other are worlds of their own: cheaper than one matrix for all, and as many threads as there are
        alone = len(job["cables"]) > 1
        worlds = [[i] for i in range(len(job["cables"]))] if alone else [[0]]
        self.models = [mujoco.MjModel.from_xml_string(self.scene(cables)) for cables in worlds]
        self.data = [mujoco.MjData(m) for m in self.models]
        # a step lets go of the interpreter's lock
        self.pool = ThreadPoolExecutor(job["threads"]) if job["threads"] > 1 else None
        self.parts = [list(zip(self.models, self.data))[i :: job["threads"]] for i in range(job["threads"])]
        self.shrink = np.exp(-job["drag"] * self.step)
        self.mocap = {}
        if not alone:
            for i, held in enumerate(self.held):
                if held.place.moves:
                    self.mocap[i] = self.models[0].body(f"hand{i}").mocapid[0]

    def scene(self, cables: list[int]) -> str:
        job, contact = self.job, CONTACTS[self.job.get("contact", "firm")]
        friction = f'friction="{job["friction"]} 0.005 0.0001" condim="3" {contact}'
        bodies, equalities = "", ""
        if job["drum"]:
            drum = job["drum"]
            centre = " ".join(map(str, drum["centre"]))
            bodies += f'<geom type="cylinder" size="{drum["radius"]} {0.5 * drum["length"]}" pos="{centre}" euler="90 0 0" {friction}/>'
        if job["ground"]:
            bodies += f'<geom type="plane" size="2 2 0.1" {friction}/>'
        for c in cables:
            nodes = self.cables[c]
            count = len(nodes) - 1
            length = np.linalg.norm(np.diff(nodes, axis=0), axis=1).sum()
            mass = job["material"]["density"] * area(job) * length
            pins = ""
            for i, held in enumerate(self.held):
                if held.cable != c:
                    continue
                first, second = (0, 1) if held.first else (count, count - 1)
                if not held.place.moves:
                    pins += f"{first} {second} " if held.oriented else f"{first} "
                    continue
                at = " ".join(map(str, held.place.rows[0]))
                bodies += f'<body name="hand{i}" mocap="true" pos="{at}"/>'
                bodies += f'<body name="held{i}" pos="{at}"><freejoint/><inertial pos="0 0 0" mass="0.01" diaginertia="1e-6 1e-6 1e-6"/></body>'

                def anchor(node: int, held: Held = held, nodes: np.ndarray = nodes) -> str:
                    return " ".join(map(str, nodes[node] - held.place.rows[0]))

                equalities += f'<weld body1="hand{i}" body2="held{i}" relpose="0 0 0 1 0 0 0" {FIRM}/>'
                equalities += f'<connect body1="held{i}" body2="wire{c}_{first}" anchor="{anchor(first)}" {FIRM}/>'
                if held.oriented:
                    equalities += f'<connect body1="held{i}" body2="wire{c}_{second}" anchor="{anchor(second)}" {FIRM}/>'
            points = " ".join(f"{x:.9g}" for x in nodes.ravel())
            elements = " ".join(f"{i} {i + 1}" for i in range(count))
            collide = "auto" if job["self_contact"] else "none"
            pin = f'<pin id="{pins.strip()}"/>' if pins else ""
            bodies += f"""
    <flexcomp name="wire{c}" type="direct" dim="1" radius="{job["radius"]}" mass="{mass:.9g}" point="{points}" element="{elements}">
      <edge equality="true" {FIRM}/>
      <elasticity young="{job["material"]["young"]}" shear="{job["material"]["shear"]}" damping="{job.get("damping", 1e-3)}"/>
      <contact selfcollide="{collide}" {friction}/>
      {pin}
    </flexcomp>"""
        return f"""
<mujoco>
  <option timestep="{self.step}" integrator="discrete" cone="{job.get("cone", "pyramidal")}" impratio="{job.get("impratio", 1)}" gravity="0 0 {-job["gravity"]}"/>
  <size memory="400M"/>
  <worldbody>{bodies}</worldbody>
  <equality>{equalities}</equality>
</mujoco>"""

    def drive(self, t: float) -> None:
        d = self.data[0]
        for i, slot in self.mocap.items():
            place, along = self.held[i].at(t)
            d.mocap_pos[slot] = place
            if along is not None:
                d.mocap_quat[slot] = self.held[i].turned(t)
        for load in self.loads:
            count = len(self.job["cables"][load.cable]) - 1
            body = self.models[0].body(f"wire{load.cable}_{0 if load.first else count}").id
            d.xfrc_applied[body, :3] = load.force.at(t)
        if self.job["drag"]:
            d.qvel *= self.shrink

    def advance(self) -> None:
        if self.pool is None:
            for m, d in zip(self.models, self.data):
                mujoco.mj_step(m, d)
        else:
            list(self.pool.map(lambda part: [mujoco.mj_step(m, d) for m, d in part], self.parts))

    def nodes(self) -> list[np.ndarray]:
        for m, d in zip(self.models, self.data):
            # it starts again where it diverges, and says so
            if d.warning[mujoco.mjtWarning.mjWARN_BADQACC].number or d.warning[mujoco.mjtWarning.mjWARN_BADQPOS].number:
                return [np.full((2, 3), np.nan)]
        return between_clamps(self.job, [d.flexvert_xpos for d in self.data])


if __name__ == "__main__":
    perform(Sim)
