#!/usr/bin/env python3
"""Kinematics and dynamics of the robots in robots/, by Pinocchio (pip install pin), at random states.

Run from the root of the repository: python3 references/robots/make.py
Writes references/robots/robots.json. Angles of joints by name; a free root as position, rotation w x y z, and its velocity
in its own frame, linear before angular. Jacobians in world axes at the origin of the frame, linear before angular.
"""
import json
import os

import numpy as np
import pinocchio as pin

HERE = os.path.dirname(os.path.abspath(__file__))
ROBOTS = os.path.join(HERE, "..", "..", "robots")


def reference(name, frame, floating, states, seed):
    path = os.path.join(ROBOTS, name + ".urdf")
    if floating:
        # the trunk is the root of the model and free: the empty link and the floating joint above it go
        text = open(path).read()
        start = text.index('  <joint name="free"')
        end = text.index("</joint>", start) + len("</joint>\n")
        text = (text[:start] + text[end:]).replace('  <link name="world"/>\n', "")
        model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    else:
        model = pin.buildModelFromUrdf(path)
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    data = model.createData()
    rng = np.random.default_rng(seed)
    joints = [j for j in range(1, model.njoints) if not (floating and j == 1)]
    order = ([0, 1, 2, 3, 4, 5] if floating else []) + [model.idx_vs[j] for j in joints]
    out = []
    for _ in range(states):
        q, v = pin.neutral(model), rng.uniform(-2, 2, model.nv)
        a, tau = rng.uniform(-3, 3, model.nv), rng.uniform(-5, 5, model.nv)
        for j in joints:
            i = model.idx_qs[j]
            q[i] = rng.uniform(model.lowerPositionLimit[i], model.upperPositionLimit[i])
        root = None
        if floating:
            q[:3] = rng.uniform(-1, 1, 3)
            quat = rng.normal(size=4)
            quat /= np.linalg.norm(quat)
            q[3:7] = quat  # x y z w
            root = [*q[:3], quat[3], *quat[:3]]
        mass = pin.crba(model, data, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        bias = pin.nonLinearEffects(model, data, q, v).copy()
        inverse = pin.rnea(model, data, q, v, a).copy()
        forward = pin.aba(model, data, q, v, tau).copy()
        dq, dv, _ = [x.copy() for x in pin.computeRNEADerivatives(model, data, q, v, a)]
        fid = model.getFrameId(frame)
        jac = pin.computeFrameJacobian(model, data, q, fid, pin.LOCAL_WORLD_ALIGNED).copy()
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        pin.updateFramePlacements(model, data)
        drift = pin.getFrameClassicalAcceleration(model, data, fid, pin.LOCAL_WORLD_ALIGNED)
        kinetic, potential = pin.computeKineticEnergy(model, data, q, v), pin.computePotentialEnergy(model, data, q)
        rows = lambda m: m[np.ix_(order, order)].tolist()
        out.append({
            "root": root, "q": [q[model.idx_qs[j]] for j in joints],
            "v": v[order].tolist(), "a": a[order].tolist(), "tau": tau[order].tolist(),
            "place": data.oMf[fid].translation.tolist(), "mass": rows(mass), "bias": bias[order].tolist(),
            "inverse": inverse[order].tolist(), "forward": forward[order].tolist(),
            "inverse_by_q": rows(dq), "inverse_by_v": rows(dv), "jacobian": jac[:, order].tolist(),
            "drift": [*drift.linear.tolist(), *drift.angular.tolist()], "kinetic": kinetic, "potential": potential,
        })
    return {"robot": name, "frame": frame, "joints": [model.names[j] for j in joints], "states": out}


def main():
    robots = [reference("arm7", "tool", False, 3, 1), reference("hand", "index_tip", False, 2, 2), reference("walker", "hind_left_foot", True, 2, 3)]
    with open(os.path.join(HERE, "robots.json"), "w") as file:
        json.dump({"pinocchio": pin.__version__, "robots": robots}, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
