"""Cables in ours, by the Python package: `model` is "cable", "chain" or "xpbd", with the defaults of each but for what the job says."""

from __future__ import annotations

import numpy as np
import pliant

from common import Held, Load, perform, times

# velocities fade at the job's rate, and nothing else is damped: what each model calls that
OWN = {
    "cable": lambda job: {"drag": job["drag"], "damping_time": job.get("damping_time", 0.001)},
    "chain": lambda job: {"drag": job["drag"]},
    "xpbd": lambda job: {"drag": job["drag"], "damping_time": 0.0, "iterations": job.get("iterations", 20), "substeps": job.get("substeps", 20)},
}


class Sim:
    version = pliant.__version__

    def __init__(self, job: dict) -> None:
        self.job, self.step = job, job["step"]
        model = job["model"]
        material = job["material"]
        scene: dict = {
            "duration": job["duration"] + 1.0,
            "step": self.step,
            "gravity": [0.0, 0.0, -job["gravity"]],
            "allow_crossing": True,
            "material": {
                "m": {key: material[key] for key in ("young", "poisson", "density")} | {"friction": {"coefficient": job["friction"]}}
            },
            "body": [],
            "gripper": [],
            "load": [],
            "obstacle": [],
        }
        for c, nodes in enumerate(job["cables"]):
            body = {"name": f"wire{c}", "model": model, "material": "m", "radius": job["radius"], model: OWN[model](job) | job.get(model, {})}
            body["points" if model == "chain" else "segments"] = len(nodes) - 1 + (model == "chain")
            straight = np.linalg.norm(np.subtract(nodes[-1], nodes[0])) > 0.9999 * np.linalg.norm(np.diff(nodes, axis=0), axis=1).sum()
            body["path"] = [nodes[0], nodes[-1]] if straight else nodes
            if not straight and model == "cable":
                body["rest"] = {"path": {}}
            scene["body"].append(body)
        self.held = [Held(told) for told in job["held"]]
        for i, (held, told) in enumerate(zip(self.held, job["held"])):
            grip = {"body": f"wire{held.cable}", "at": told["at"], "orientation": held.oriented}
            scene["gripper"].append({"name": f"hand{i}", "grips": [grip]})
        for told in job["loads"]:
            scene["load"].append({"body": f"wire{told['cable']}", "at": told["at"], "force": [0.0, 0.0, 0.0]})
        if job["drum"]:
            drum = job["drum"]
            scene["obstacle"].append({
                "name": "drum", "shape": {"cylinder": {"radius": drum["radius"], "length": drum["length"]}}, "position": drum["centre"],
                "orientation": {"axis": [1.0, 0.0, 0.0], "angle_deg": 90.0},
            })  # fmt: skip
        if job["ground"]:
            scene["obstacle"].append({"name": "ground", "shape": {"plane": {}}})
        self.world = pliant.World({key: value for key, value in scene.items() if value != []})
        self.world.set_threads(job["threads"])
        self.wires = [self.world.body(body["name"]) for body in scene["body"]]
        self.hands = [self.world.gripper(f"hand{i}") for i in range(len(self.held))]
        self.loads = list(zip(self.world.loads, map(Load, job["loads"])))
        self.first = [np.array(hand.orientation) for hand in self.hands]

    def drive(self, t: float) -> None:
        for hand, held, first in zip(self.hands, self.held, self.first):
            if not held.place.moves:
                continue
            place, along = held.at(t)
            if along is None:
                hand.drive(place.tolist())
            else:
                hand.drive(place.tolist(), times(held.turned(t), first).tolist())
        for load, told in self.loads:
            load.force = told.force.at(t).tolist()

    def advance(self) -> None:
        self.world.step()

    def nodes(self) -> list[np.ndarray]:
        return [wire.positions for wire in self.wires]


if __name__ == "__main__":
    perform(Sim)
