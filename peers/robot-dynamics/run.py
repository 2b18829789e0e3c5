#!/usr/bin/env python3
"""Mass matrix, bias forces and their like of robots/arm7.urdf: our time beside Pinocchio's, from one run.

    pip install pin && python3 peers/robot-dynamics/run.py

Pinocchio is called from Python, once per evaluation: the time of a call that does nothing much (`neutral`) is printed as well, as what
Python adds. Its times compiled into a C++ loop are less by that.
"""
import os
import subprocess
import time

import numpy as np
import pinocchio as pin

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
URDF = os.path.join(ROOT, "robots", "arm7.urdf")


def main():
    build = ["cargo", "run", "--release", "-q", "-p", "pliant-scene", "--example", "robot_dynamics", "--", URDF]
    lines = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    ours = {line.split()[0]: float(line.split()[1]) for line in lines if line}
    model = pin.buildModelFromUrdf(URDF)
    data = model.createData()
    q, v, a = np.linspace(0.1, 0.7, 7), np.full(7, 0.5), np.zeros(7)

    def ns(call, n=100_000):
        best = float("inf")
        for _ in range(5):
            start = time.perf_counter_ns()
            for _ in range(n):
                call()
            best = min(best, (time.perf_counter_ns() - start) / n)
        return best

    empty = ns(lambda: model.nq)
    theirs = {
        "mass": ns(lambda: pin.crba(model, data, q)),
        "bias": ns(lambda: pin.nonLinearEffects(model, data, q, v)),
        "forward": ns(lambda: pin.aba(model, data, q, v, a)),
        "derivatives": ns(lambda: pin.computeRNEADerivatives(model, data, q, v, a)),
    }
    theirs["mass+bias"] = theirs["mass"] + theirs["bias"]
    print(f"{'':12} {'pliant [ns]':>12} {'pinocchio from Python [ns]':>28}   (an empty call of Python: {empty:.0f} ns)")
    for name, value in ours.items():
        print(f"{name:12} {value:12.0f} {theirs.get(name, float('nan')):28.0f}")


if __name__ == "__main__":
    main()
