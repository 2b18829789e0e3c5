"""Mass matrix, bias forces and their like of an arm in Pinocchio, called from Python: of its times those of a call that does nothing are taken off."""

from __future__ import annotations

import sys

import numpy as np
import pinocchio as pin

from arm_common import tell, time_of


def main() -> None:
    model = pin.buildModelFromUrdf(sys.argv[1])
    data = model.createData()
    q, v, a = np.linspace(0.1, 0.7, 7), np.full(7, 0.5), np.zeros(7)
    empty = time_of(lambda: pin.neutral)
    calls = {
        "mass matrix": lambda: pin.crba(model, data, q),
        "bias forces": lambda: pin.nonLinearEffects(model, data, q, v),
        "forward dynamics": lambda: pin.aba(model, data, q, v, a),
        "derivatives of inverse dynamics": lambda: pin.computeRNEADerivatives(model, data, q, v, a),
    }
    times = {name: time_of(call) - empty for name, call in calls.items()}
    mass = pin.crba(model, data, q)
    tell(pin.__version__, times, np.triu(mass) + np.triu(mass, 1).T, pin.nonLinearEffects(model, data, q, v))


if __name__ == "__main__":
    main()
