"""Cables in MuJoCo 3: its elasticity plugin on a chain of ball joints.

Links are rigid capsules, so that a cable does not stretch; jobs that stretch it lead its end along the unstretched way. Bending is an explicit
force: without damping of the joints it becomes unstable above a fraction of a millisecond. `damping` is in units of the bending stiffness of a
joint times the step, above 1/2 or so it is stable. The integrator is `implicitfast`, as its documentation advises where there is damping.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np

from common import Held, Load, area, between_clamps, perform, second_moment, straddling

FIRM = 'solref="{} 1" solimp="0.99 0.999 0.0001"'
# firm is as firm as its documentation allows: a time constant of two steps
CONTACTS = {"default": "", "firm": 'solref="{} 1" solimp="0.95 0.999 0.0005"'}


class Sim:
    version = mujoco.__version__

    def __init__(self, job: dict) -> None:
        self.job, self.step = job, job["step"]
        self.held = [Held(told) for told in job["held"]]
        self.loads = [Load(told) for told in job["loads"]]
        self.cables = straddling(job)
        alone = len(job["cables"]) > 1
        worlds = [[i] for i in range(len(job["cables"]))] if alone else [[0]]
        self.models = [mujoco.MjModel.from_xml_string(self.scene(cables)) for cables in worlds]
        self.data = [mujoco.MjData(m) for m in self.models]
        # a step lets go of the interpreter's lock
        self.pool = ThreadPoolExecutor(job["threads"]) if job["threads"] > 1 else None
        self.parts = [list(zip(self.models, self.data))[i :: job["threads"]] for i in range(job["threads"])]
        self.shrink = np.exp(-job["drag"] * self.step)
        self.mocap = {i: self.models[0].body(f"hand{i}").mocapid[0] for i, held in enumerate(self.held) if held.place.moves}

    def scene(self, cables: list[int]) -> str:
        job, contact = self.job, CONTACTS[self.job.get("contact", "firm")].format(2.0 * self.step)
        friction = f'friction="{job["friction"]} 0.005 0.0001" condim="3" {contact}'
        # a bit for the obstacles and another for cables: touching obstacles only, unless cables touch themselves
        obstacle, own = 'contype="1" conaffinity="2"', f'contype="2" conaffinity="{3 if job["self_contact"] else 1}"'
        firm = FIRM.format(2.0 * self.step)
        bodies, equalities, excluded = "", "", ""
        if job["drum"]:
            drum = job["drum"]
            centre = " ".join(map(str, drum["centre"]))
            bodies += f'<geom type="cylinder" size="{drum["radius"]} {0.5 * drum["length"]}" pos="{centre}" euler="90 0 0" {obstacle} {friction}/>'
        if job["ground"]:
            bodies += f'<geom type="plane" size="2 2 0.1" {obstacle} {friction}/>'
        for c in cables:
            nodes = self.cables[c]
            count = len(nodes) - 1
            edge = np.linalg.norm(np.diff(nodes, axis=0), axis=1).mean()
            stiffness = job["material"]["young"] * second_moment(job) / edge
            damping = job.get("damping", 0.6) * stiffness * self.step
            clamped = any(h.cable == c and h.first and h.oriented and not h.place.moves for h in self.held)
            points = " ".join(f"{x:.9g}" for x in nodes.ravel())
            mass = job["material"]["density"] * area(job) * edge
            names = [f"w{c}_B_first"] + [f"w{c}_B_{i}" for i in range(1, count - 1)] + [f"w{c}_B_last"]
            bodies += f"""
    <composite type="cable" prefix="w{c}_" vertex="{points}" initial="{"none" if clamped else "free"}">
      <plugin plugin="mujoco.elasticity.cable">
        <config key="twist" value="{job["material"]["shear"]}"/><config key="bend" value="{job["material"]["young"]}"/>
        <config key="flat" value="false"/><config key="vmax" value="0"/>
      </plugin>
      <joint kind="main" damping="{damping}" armature="0"/>
      <geom type="capsule" size="{job["radius"]}" mass="{mass}" {own} {friction}/>
    </composite>"""
            for i, held in enumerate(self.held):
                if held.cable != c or (held.first and clamped):
                    continue
                at = " ".join(map(str, held.place.rows[0]))
                body = names[0] if held.first else names[-1]
                if not held.place.moves and not held.oriented:
                    equalities += f'<connect body1="{body}" body2="world" anchor="0 0 0" {firm}/>'
                    continue
                bodies += f'<body name="hand{i}" mocap="true" pos="{at}"/>'
                if held.oriented:
                    equalities += f'<weld body1="hand{i}" body2="{body}" {firm}/>'
                else:
                    equalities += f'<connect body1="hand{i}" body2="{body}" anchor="0 0 0" {firm}/>'
            if job["self_contact"]:
                # links within a diameter and a half of each other along the cable touch always
                near = max(2, int(np.ceil(3.0 * job["radius"] / edge)))
                excluded += "".join(
                    f'<exclude body1="{names[i]}" body2="{names[j]}"/>' for i in range(count) for j in range(i + 2, min(i + near + 1, count))
                )
        return f"""
<mujoco>
  <extension><plugin plugin="mujoco.elasticity.cable"/></extension>
  <option timestep="{self.step}" integrator="implicitfast" cone="{job.get("cone", "pyramidal")}" impratio="{job.get("impratio", 1)}" gravity="0 0 {-job["gravity"]}"/>
  <size memory="400M"/>
  <worldbody>{bodies}</worldbody>
  <contact>{excluded}</contact>
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
            name = f"w{load.cable}_B_{'first' if load.first else 'last'}"
            body, site = self.models[0].body(name).id, self.models[0].site(f"w{load.cable}_S_{'first' if load.first else 'last'}").id
            force = load.force.at(t)
            d.xfrc_applied[body, :3] = force
            d.xfrc_applied[body, 3:] = np.cross(d.site_xpos[site] - d.xipos[body], force)
        if self.job["drag"]:
            d.qvel *= self.shrink

    def advance(self) -> None:
        if self.pool is None:
            for m, d in zip(self.models, self.data):
                mujoco.mj_step(m, d)
        else:
            list(self.pool.map(lambda part: [mujoco.mj_step(m, d) for m, d in part], self.parts))

    def nodes(self) -> list[np.ndarray]:
        found = []
        for m, d in zip(self.models, self.data):
            if d.warning[mujoco.mjtWarning.mjWARN_BADQACC].number or d.warning[mujoco.mjtWarning.mjWARN_BADQPOS].number:
                return [np.full((2, 3), np.nan)]
            # links follow each other, and begin at their bodies' origins
            found.append(np.vstack([d.xpos[[i for i in range(1, m.nbody) if m.body_mocapid[i] < 0]], d.site_xpos[-1]]))
        return between_clamps(self.job, found)


if __name__ == "__main__":
    perform(Sim)
