"""Mass matrix, bias forces and forward dynamics of an arm in MuJoCo, called from Python: of its times those of a call that does nothing are
taken off. Joints have no armature and nothing touches: the same arm as in the others."""

from __future__ import annotations

import sys

import mujoco
import numpy as np

from arm_common import tell, time_of


def main() -> None:
    model = mujoco.MjModel.from_xml_path(sys.argv[1])
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = np.linspace(0.1, 0.7, 7), 0.5
    mujoco.mj_forward(model, data)
    out, full = np.zeros(model.nv), np.zeros((model.nv, model.nv))
    empty = time_of(lambda: mujoco.mj_forward)
    times = {
        # of bodies as they are; the step before, where bodies are, is part of it
        "mass matrix": time_of(lambda: (mujoco.mj_kinematics(model, data), mujoco.mj_comPos(model, data), mujoco.mj_crb(model, data))) - 3 * empty,
        "bias forces": time_of(
            lambda: (mujoco.mj_kinematics(model, data), mujoco.mj_comPos(model, data), mujoco.mj_comVel(model, data), mujoco.mj_rne(model, data, 0, out))
        ) - 4 * empty,
        "forward dynamics": time_of(lambda: mujoco.mj_forward(model, data)) - empty,
    }  # fmt: skip
    mujoco.mj_forward(model, data)
    for i in range(model.nv):
        # M times a unit vector: the ways to the whole matrix differ from version to version
        unit, column = np.zeros(model.nv), np.zeros(model.nv)
        unit[i] = 1.0
        mujoco.mj_mulM(model, data, column, unit)
        full[i] = column
    tell(mujoco.__version__, times, full, data.qfrc_bias)


if __name__ == "__main__":
    main()
