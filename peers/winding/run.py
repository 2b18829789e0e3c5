#!/usr/bin/env python3
"""The job of scenes/winding.toml, in MuJoCo and in ours, from one run: CPU time for 10 ms of motion, and the ratio.

    python3 peers/winding/run.py [--segments 160] [--repeat 3]

Makes a virtual environment of its own in target/peers and installs MuJoCo there. Each program runs on one thread, in turn, and the least of
its times counts. Ours is `pliant bench`, whose mean is over the whole job; MuJoCo's is `mj_step` alone over the same 7.5 s.

MuJoCo 4 has no cable of its own any more but one-dimensional flexes, which bend and twist by Young's and the shear modulus. They have no
stiffness along themselves: their edges are constraints, made firm enough that the cable stretches by about what the hand asks for and not to
several times its length. Its pull is therefore no result. Friction is Coulomb's, 0.7: MuJoCo has no other law. With MuJoCo's default contact
the cable sinks into the drum by more than its radius and loses turns, so there is a second set-up with firmer contact, which winds as it
should; both with steps of 10 ms as ours, and of 2 ms. Look at depth, turns and stretch before comparing times.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import time
import tomllib

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ENVIRONMENT = os.path.join(ROOT, "target", "peers", "mujoco")
VERSION = "4.0.0"
FRICTION = 0.7
FIRM = 'solref="-1e6 -1e3" solimp="0.9999 0.9999 0.001"'
OURS = "pliant, 10 ms"
CONTACTS = {"default": "", "firm": 'solref="-1e5 -1e3" solimp="0.99 0.999 0.001"'}


def in_environment():
    """Run this script again in its own environment, which is made the first time."""
    python = os.path.join(ENVIRONMENT, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    if subprocess.run([python, "-c", "import mujoco"], capture_output=True).returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "-q", f"mujoco=={VERSION}", "numpy"], check=True)
    os.execv(python, [python, __file__, *sys.argv[1:]])


if os.path.realpath(sys.prefix) != os.path.realpath(ENVIRONMENT):
    in_environment()

import mujoco  # noqa: E402
import numpy as np  # noqa: E402


class Job:
    """What scenes/winding.toml says."""

    def __init__(self, segments):
        with open(os.path.join(ROOT, "scenes", "winding.toml"), "rb") as file:
            scene = tomllib.load(file)
        body, drum = scene["body"][0], scene["obstacle"][0]
        motion = scene["gripper"][1]["motion"]["wind"]
        material = scene["material"][body["material"]]
        self.young, self.density = material["young"], material["density"]
        self.shear = self.young / (2.0 * (1.0 + material["poisson"]))
        self.radius, self.duration = body["radius"], scene["duration"]
        self.start, self.end = (np.array(point) for point in body["path"])
        self.segments = segments
        self.drum = drum["shape"]["cylinder"]
        self.centre = np.array(drum["position"])
        self.pitch, self.turns = motion["pitch"], motion["turns"]
        self.begin, self.period = motion["start"], motion["period"]
        self.stretched = np.linalg.norm(self.end - self.start) * (1.0 + motion["stretch"])

    def angle(self, t):
        """Angle wound: a constant rate with smooth ramps of a fifth of a period, as the book says of `wind`."""
        whole, ramp = 2.0 * math.pi * self.turns, 0.2 * self.period
        rate = 2.0 * math.pi / self.period
        end = whole / rate + ramp
        t -= self.begin

        def ramped(t):
            u = t / ramp
            return rate * ramp * u**3 * (1.0 - 0.5 * u)

        if t <= 0.0:
            return 0.0
        if t >= end:
            return whole
        if t < ramp:
            return ramped(t)
        if t > end - ramp:
            return whole - ramped(end - t)
        return rate * (t - 0.5 * ramp)

    def hand(self, t):
        """Where the end of the cable is held, and along what."""
        if t < self.begin:
            u = t / self.begin
            part = u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
            place, along = self.wound(0.0)
            first = np.array([1.0, 0.0, 0.0])
            along = first + part * (along - first)
            return self.end + part * (place - self.end), along / np.linalg.norm(along)
        return self.wound(self.angle(t))

    def wound(self, angle):
        # the cable leaves the top of the drum along x; the drum's axis is -y, so that it goes down in front
        around = self.drum["radius"] + self.radius
        radial = np.array([math.sin(angle), 0.0, math.cos(angle)])
        along = np.array([math.cos(angle), 0.0, -math.sin(angle)])
        axis = np.array([0.0, -1.0, 0.0])
        rise = self.pitch / (2.0 * math.pi)
        per_angle = math.hypot(around, rise)
        tangent = (along * around + axis * rise) / per_angle
        place = self.centre + around * radial + axis * rise * angle
        return place + tangent * (self.stretched - per_angle * angle), tangent


def model(job, step, contact):
    count = job.segments
    points = [job.start + (job.end - job.start) * i / count for i in range(count + 1)]
    text = " ".join(f"{x:.9g}" for point in points for x in point)
    elements = " ".join(f"{i} {i + 1}" for i in range(count))
    mass = job.density * math.pi * job.radius**2 * np.linalg.norm(job.end - job.start)
    last = np.linalg.norm(job.end - job.start) / count
    half = 0.5 * job.drum["length"]
    return mujoco.MjModel.from_xml_string(f"""
<mujoco>
  <option timestep="{step}" integrator="discrete" gravity="0 0 -9.81"/>
  <size memory="200M"/>
  <worldbody>
    <geom name="drum" type="cylinder" size="{job.drum['radius']} {half}" pos="{job.centre[0]} {job.centre[1]} {job.centre[2]}"
          euler="90 0 0" friction="{FRICTION}" condim="3" {contact}/>
    <body name="hand" mocap="true" pos="{job.end[0]} {job.end[1]} {job.end[2]}"/>
    <body name="held" pos="{job.end[0]} {job.end[1]} {job.end[2]}">
      <freejoint/>
      <inertial pos="0 0 0" mass="0.01" diaginertia="1e-6 1e-6 1e-6"/>
    </body>
    <flexcomp name="wire" type="direct" dim="1" radius="{job.radius}" mass="{mass:.9g}" point="{text}" element="{elements}">
      <edge equality="true" {FIRM}/>
      <elasticity young="{job.young}" shear="{job.shear}" damping="1e-3"/>
      <contact selfcollide="none" friction="{FRICTION}" condim="3" {contact}/>
      <pin id="0 1"/>
    </flexcomp>
  </worldbody>
  <equality>
    <weld body1="hand" body2="held" relpose="0 0 0 1 0 0 0" {FIRM}/>
    <connect body1="held" body2="wire_{count}" anchor="0 0 0" {FIRM}/>
    <connect body1="held" body2="wire_{count - 1}" anchor="{-last} 0 0" {FIRM}/>
  </equality>
</mujoco>""")


def rotation(along):
    """A quaternion that turns x to a direction."""
    w = 1.0 + along[0]
    q = np.array([w, 0.0, -along[2], along[1]])
    return q / np.linalg.norm(q)


def wound(job, nodes):
    """Turns about the drum, and the deepest place of the cable in it [m], edges included, from where its nodes are."""
    across = nodes[:, [0, 2]] - job.centre[[0, 2]]
    angles = np.unwrap(np.arctan2(across[:, 1], across[:, 0]))
    a, b = across[:-1], across[1:]
    way = b - a
    at = np.clip(-(a * way).sum(1) / np.maximum((way * way).sum(1), 1e-30), 0.0, 1.0)
    nearest = np.linalg.norm(a + at[:, None] * way, axis=1)
    beside = np.abs(nodes[:-1, 1]) < 0.5 * job.drum["length"]
    depth = np.where(beside, job.drum["radius"] + job.radius - nearest, -np.inf)
    return abs(angles[-1] - angles[0]) / (2.0 * math.pi), depth.max()


def theirs(job, step, contact):
    m = model(job, step, contact)
    d = mujoco.MjData(m)
    hand = m.body("hand").mocapid[0]
    weld = [i for i in range(m.neq) if m.eq_type[i] == mujoco.mjtEq.mjEQ_WELD][0]
    deepest, spent = 0.0, 0.0
    steps = round(job.duration / step)
    for n in range(steps):
        place, along = job.hand((n + 1) * step)
        d.mocap_pos[hand], d.mocap_quat[hand] = place, rotation(along)
        begun = time.process_time()
        mujoco.mj_step(m, d)
        spent += time.process_time() - begun
        deepest = max(deepest, wound(job, d.flexvert_xpos)[1])
    rows = (d.efc_type[: d.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY) & (d.efc_id[: d.nefc] == weld)
    pull = np.linalg.norm(d.efc_force[: d.nefc][rows][:3])
    nodes = d.flexvert_xpos
    length = np.linalg.norm(np.diff(nodes, axis=0), axis=1).sum()
    stretch = length / np.linalg.norm(job.end - job.start) - 1.0
    if not np.isfinite(nodes).all() or d.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
        return None
    return {
        "ms": 1e3 * spent / (job.duration / 0.01),
        "deepest": deepest,
        "turns": wound(job, nodes)[0],
        "stretch": stretch,
        "pull": pull,
    }


def pliant():
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "pliant-cli"], cwd=ROOT, check=True)
    return os.path.join(ROOT, "target", "release", "pliant")


def ours(command, job):
    scene = ["scenes/winding.toml", "--threads", "1", "--json", "--set", f"body.wire.segments={job.segments}"]
    bench = json.loads(subprocess.run([command, "bench", *scene], cwd=ROOT, capture_output=True, check=True).stdout)
    # with few segments some of the expectations of the scene are missed, and it ends with 1
    run = json.loads(subprocess.run([command, "run", *scene], cwd=ROOT, capture_output=True).stdout)
    nodes = np.array(run["bodies"][0]["nodes"])
    length = np.linalg.norm(np.diff(nodes, axis=0), axis=1).sum()
    return {
        "ms": 1e-3 * bench["mean_us"] * 0.01 / bench["step_s"],
        "deepest": run["penetration_max"],
        "turns": wound(job, nodes)[0],
        "stretch": length / np.linalg.norm(job.end - job.start) - 1.0,
        "pull": np.linalg.norm(run["grippers"][1]["force"]),
    }


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--segments", type=int, default=160)
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--pliant", help="a command that is built already")
    options = arguments.parse_args()
    job = Job(options.segments)
    command = options.pliant or pliant()
    programs = {OURS: lambda: ours(command, job)}
    for contact, how in CONTACTS.items():
        for step in [0.01, 0.002]:
            name = f"MuJoCo {mujoco.__version__}, {contact} contact, {1e3 * step:.0f} ms"
            programs[name] = lambda step=step, how=how: theirs(job, step, how)
    best = {}
    for _ in range(options.repeat):
        for name, program in programs.items():
            found = program()
            if found and (name not in best or found["ms"] < best[name]["ms"]):
                best[name] = found
    print(f"two turns on a drum, {job.segments} segments, one thread, best of {options.repeat}")
    print(f"{'':36} {'ms a 10 ms':>11} {'ratio':>6} {'deepest [mm]':>13} {'turns':>7} {'stretch':>9} {'pull [N]':>9}")
    for name in programs:
        if name not in best:
            print(f"{name:36} became unstable")
            continue
        row, unit = best[name], best[OURS]["ms"]
        print(
            f"{name:36} {row['ms']:11.3f} {row['ms'] / unit:6.1f} {1e3 * row['deepest']:13.3f} {row['turns']:7.2f} "
            f"{100.0 * row['stretch']:7.1f} % {row['pull']:9.2f}"
        )


if __name__ == "__main__":
    main()
