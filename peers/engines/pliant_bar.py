"""The bar in ours, by the Python package: the models `lattice` and `response`."""

from __future__ import annotations

import numpy as np
import pliant

from common import perform


class Sim:
    version = pliant.__version__
    at_once = True

    def __init__(self, job: dict) -> None:
        self.job, self.step = job, job["step"]
        bar, material, model = job["bar"], job["material"], job["model"]
        x, y, z = (0.5 * s for s in bar["size"])
        wall = {"min": [-x - 1e-4, -2.0 * y, -2.0 * z], "max": [-x + 1e-4, 2.0 * y, 2.0 * z]}
        body = {
            "name": "bar", "model": model, "material": "m",
            "solid": {"box": {"size": bar["size"], "cells": [round(s / bar["cell"]) for s in bar["size"]]}},
            model: {"drag": job["drag"]} | job.get(model, {}),
        }  # fmt: skip
        scene = {
            "duration": job["duration"] + 1.0,
            "step": self.step,
            "gravity": [0.0, 0.0, -job["gravity"] if model == "lattice" else 0.0],
            "material": {"m": {key: material[key] for key in ("young", "poisson", "density")}},
            "body": [body],
        }
        if model == "response":
            body[model]["fixed"] = [wall]
            # its shape does not feel gravity: the weight as loads below its middle line, one at each layer of nodes
            weight = material["density"] * bar["size"][1] * bar["size"][2] * job["gravity"] * bar["cell"]
            layers = np.linspace(-x, x, round(bar["size"][0] / bar["cell"]) + 1)
            scene["load"] = [
                {"body": "bar", "at": {"point": [at, 0.0, -z]}, "force": [0.0, 0.0, -weight * (0.5 if at == layers[-1] else 1.0)]}
                for at in layers[1:]
            ]
        else:
            scene["gripper"] = [{"name": "wall", "grips": [{"body": "bar", "at": wall}]}]
        self.world = pliant.World(scene)
        self.world.set_threads(job["threads"])
        self.bar = self.world.body("bar")
        self.first = self.bar.positions
        self.end = self.first[:, 0] > x - 1e-6

    def advance(self, steps: int) -> None:
        self.world.step(steps)

    def nodes(self) -> list[np.ndarray]:
        return [np.array([[0.0, 0.0, 0.0], (self.bar.positions - self.first)[self.end].mean(axis=0)])]


if __name__ == "__main__":
    perform(Sim)
