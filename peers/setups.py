"""The engines, what each needs, and how each does every job: as its documentation advises, and as someone would who wants it to win.

For every job the set-up that is kept for an engine is the one that has done best here, of those that were tried: the largest step and the
softest contact with which it still does the job, or the nearest to that. What is too slow for a whole run is run with fewer segments.
"""

from __future__ import annotations

MUJOCO4, MUJOCO3, ELASTICA, NEWTON, RAPIER, PLIANT = "MuJoCo 4", "MuJoCo 3", "PyElastica", "Newton", "Rapier", "Pliant"
DRAKE, PINOCCHIO = "Drake", "Pinocchio"

# name: environment, packages there, program
ENGINES = {
    PLIANT: ("pliant", ["./python"], "pliant_rods.py"),
    MUJOCO4: ("mujoco-4", ["mujoco==4.0.0", "numpy"], "mujoco4.py"),
    MUJOCO3: ("mujoco-3", ["mujoco==3.17.0", "numpy"], "mujoco3.py"),
    ELASTICA: ("pyelastica", ["pyelastica==1.0.0"], "elastica_rods.py"),
    NEWTON: ("newton", ["newton==1.8.0"], "newton_rods.py"),
    RAPIER: ("rapier", [], "rapier"),
    DRAKE: ("drake", ["drake==1.51.1"], "drake_bar.py"),
    PINOCCHIO: ("pinocchio", ["pin==4.1.0"], "arm_pinocchio.py"),
}
# programs for other jobs than cables
BARS = {PLIANT: "pliant_bar.py", DRAKE: "drake_bar.py"}
ARMS = {PINOCCHIO: "arm_pinocchio.py", MUJOCO4: "arm_mujoco.py"}

# friction that does not creep: its documentation, of friction that has to hold
STICKS = {"cone": "elliptic", "impratio": 10}
FRAME = 1.0 / 600.0


def rows() -> list[dict]:
    """What is run: engine, job, and what is changed in that job, in the order of the table."""
    made: list[dict] = []

    def row(job: str, engine: str, segments: int, step: float, how: str = "", **changes: object) -> None:
        made.append({"job": job, "engine": engine, "segments": segments, "step": step, "how": how, "changes": changes})

    for n in (40, 160):
        row("hang", PLIANT, n, 0.01, "cable", model="cable")
        row("hang", MUJOCO4, n, 0.01, "10 ms")
        row("hang", RAPIER, n, 0.01, "20 substeps", damping=0.0)
    row("hang", PLIANT, 40, 0.001, "cable, 1 ms", model="cable")
    row("hang", PLIANT, 40, 0.01, "chain", model="chain")
    row("hang", PLIANT, 40, 0.01, "xpbd", model="xpbd")
    row("hang", MUJOCO4, 40, 0.001, "1 ms")
    row("hang", MUJOCO3, 40, 0.01, "damped joints")
    row("hang", MUJOCO3, 40, 0.001, "1 ms")
    row("hang", ELASTICA, 40, 4e-5)
    row("hang", NEWTON, 40, FRAME, "20 iterations")

    for n in (20, 40, 80):
        row("cantilever", PLIANT, n, 0.01, "cable", model="cable")
        row("cantilever", PLIANT, n, 0.002, "chain", model="chain")
        row("cantilever", PLIANT, n, 0.002, "xpbd", model="xpbd", iterations=80)
        row("cantilever", MUJOCO4, n, 0.005)
        row("cantilever", MUJOCO3, n, 0.005, "damped joints")
        if n < 80:
            row("cantilever", ELASTICA, n, 2e-5)
    row("cantilever", RAPIER, 40, 0.01, "20 substeps", contact_frequency=1000.0)
    row("cantilever", NEWTON, 40, FRAME, "20 iterations")

    row("winding", PLIANT, 160, 0.01, "cable", model="cable")
    row("winding", MUJOCO4, 160, 0.01, "firm contact")
    row("winding", MUJOCO4, 160, 0.002, "firm contact, 2 ms")
    row("winding", RAPIER, 160, 0.01, "20 substeps, contact at 1000 Hz", contact_frequency=1000.0)
    row("winding", PLIANT, 40, 0.01, "cable", model="cable")
    row("winding", PLIANT, 40, 0.01, "chain", model="chain")
    row("winding", PLIANT, 40, 0.01, "xpbd", model="xpbd")
    row("winding", MUJOCO4, 40, 0.002, "firm contact, 2 ms")
    row("winding", MUJOCO3, 40, 0.001, "damped joints", damping=10, contact="default", stretch=0.0)
    row("winding", RAPIER, 40, 0.01, "20 substeps, contact at 1000 Hz", contact_frequency=1000.0)
    row("winding", ELASTICA, 40, 4e-5)
    row("winding", NEWTON, 40, FRAME, "20 iterations")

    row("capstan", PLIANT, 80, 0.01, "cable", model="cable")
    row("capstan", PLIANT, 80, 0.01, "chain, straight without load", model="chain")
    row("capstan", PLIANT, 80, 0.002, "xpbd, straight without load", model="xpbd")
    row("capstan", MUJOCO4, 80, 0.001, "elliptic cones", **STICKS)
    row("capstan", MUJOCO3, 40, 0.001, "elliptic cones, damped joints", **STICKS, damping=50, contact="firm")
    row("capstan", RAPIER, 60, 0.01, "20 substeps, contact at 1000 Hz", contact_frequency=1000.0)
    row("capstan", ELASTICA, 40, 2e-5)
    row("capstan", NEWTON, 40, FRAME, "20 iterations")

    row("many", PLIANT, 40, 0.01, "cable", model="cable")
    row("many", PLIANT, 40, 0.01, "cable, two threads", model="cable", threads=2)
    row("many", MUJOCO4, 40, 0.01)
    row("many", MUJOCO4, 40, 0.01, "two threads", threads=2)
    row("many", MUJOCO3, 40, 0.005, "damped joints")
    row("many", RAPIER, 40, 0.01, "20 substeps, contact at 1000 Hz", contact_frequency=1000.0)
    row("many", ELASTICA, 40, 4e-5, duration=0.1)
    row("many", NEWTON, 40, FRAME, "20 iterations", duration=0.2)

    row("knot", PLIANT, 160, 0.01, "cable", model="cable")
    row("knot", PLIANT, 60, 0.01, "cable", model="cable")
    row("knot", MUJOCO4, 100, 0.001, "firm contact")
    row("knot", MUJOCO3, 60, 0.001, "damped joints", damping=10, contact="firm")
    row("knot", RAPIER, 80, 0.01, "20 substeps, contact at 1000 Hz", contact_frequency=1000.0)
    row("knot", ELASTICA, 60, 2e-5, "no friction with itself")
    row("knot", NEWTON, 60, FRAME, "20 iterations")

    # cells across; before it can run, `response` computes modes, which no later run has to do again
    row("bar", PLIANT, 2, 0.01, "response", model="response")
    row("bar", PLIANT, 4, 0.01, "response", model="response")
    row("bar", PLIANT, 2, 0.01, "lattice", model="lattice")
    row("bar", PLIANT, 4, 0.01, "lattice", model="lattice")
    row("bar", DRAKE, 2, 0.01, "linear tetrahedra")
    row("bar", DRAKE, 4, 0.01, "linear tetrahedra")
    return made


# steps [s] that are tried from above until one does the free hang with 40 segments
LADDER = [0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5]
LADDERS = [
    (PLIANT, "cable", {"model": "cable"}),
    (PLIANT, "chain", {"model": "chain"}),
    (PLIANT, "xpbd", {"model": "xpbd"}),
    (MUJOCO4, "", {}),
    (MUJOCO3, "undamped joints", {"damping": 0.0}),
    (MUJOCO3, "joints as damped as its step asks for", {}),
    (RAPIER, "20 substeps", {}),
    (NEWTON, "20 iterations", {}),
    (ELASTICA, "", {}),
]
