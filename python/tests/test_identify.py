"""Identification finds what made the data, the same from files and from arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant


def value(found: dict[str, Any], name: str) -> float:
    return float(next(number["value"] for number in found["numbers"] if number["name"] == name))


def test_contact_from_arrays_and_from_a_file(tmp_path: Path) -> None:
    noise = np.random.default_rng(3).normal(size=200)
    t = 0.005 * np.arange(200)
    depth, rate = 0.006 * (1 - np.cos(4 * np.pi * t)), 0.006 * 4 * np.pi * np.sin(4 * np.pi * t)
    force = np.where(depth > 0.002, np.maximum(2500 * (depth - 0.002) + 30 * rate, 0), 0) + 0.2 * noise
    found = pliant.identify.contact({"t": t, "depth": depth, "force": force})
    assert abs(value(found, "contact_stiffness") / 2500 - 1) < 0.02
    assert abs(value(found, "contact_damping") / 30 - 1) < 0.05
    assert found["misfit"]["probability"] > 0.01
    path = tmp_path / "press.csv"
    np.savetxt(path, np.column_stack([t, depth, force]), "%.17g", ",", header="t,depth,force", comments="")
    assert pliant.identify.contact(path) == found


def test_the_others_by_their_closed_forms() -> None:
    u = np.linspace(0, 1, 60)
    wiggle = 1e-5 * np.sin(40 * u)
    found = pliant.identify.curl({"x": 0.05 * np.cos(3 * u), "y": 0.05 * np.sin(3 * u) + wiggle}, drum=0.04)
    assert abs(value(found, "kept") - 0.8) < 0.002
    swung = {"t": 3 * u, "x": np.exp(-0.9 * u) * np.cos(36 * u) + 1e-4 * np.sin(171 * u)}
    assert abs(value(pliant.identify.swing(swung, length=0.15, mass=0.0138), "drag") - 0.6) < 0.01
    assert abs(value(pliant.identify.slope({"angle": [0.3, 0.31, 0.29]}), "friction.coefficient") - np.tan(0.3)) < 0.01
    with pytest.raises(pliant.PliantError, match="at least"):
        pliant.identify.shape({"x": [0.1], "z": [0.0]}, length=0.1, mass=0.01)
    angles = np.repeat([1.6, 3.1, 4.7], 3)
    t0 = np.tile([0.5, 1.0, 2.0], 3)
    pulls = {"t0": t0, "t": t0 * np.exp(0.3 * angles), "angle": angles}
    rig = {"drum": 0.02, "radius": 0.002, "young": 4.462e6, "poisson": 0.49}
    classical = pliant.identify.capstan(pulls, theory="classical", **rig)
    assert abs(classical["parameters"][0]["value"] - 0.3) < 1e-3


def test_faults_are_told(tmp_path: Path) -> None:
    with pytest.raises(pliant.PliantError, match="the mass of what is dropped must be given"):
        pliant.identify.contact({"touch": [1, 2, 3, 4, 5]})
    with pytest.raises(pliant.PliantError, match="no column depth"):
        pliant.identify.contact({"x": [1.0]})
    with pytest.raises(ValueError, match="all of one length"):
        pliant.identify.curl({"x": [1.0, 2.0], "y": [1.0]})
    with pytest.raises(FileNotFoundError):
        pliant.identify.slope(tmp_path / "none.csv")


def test_modes_from_blows(tmp_path: Path) -> None:
    # a mode of 20 Hz and 5 % of critical damping after a short smooth blow, by its response to an impulse, summed up finely
    fine, omega, ratio = 1e-4, 2 * np.pi * 20, 0.05
    t = fine * np.arange(4000)
    force = np.where((t > 0.01) & (t < 0.02), np.sin(np.pi * (t - 0.01) / 0.01) ** 2, 0)
    swing = np.exp(-ratio * omega * t) * np.sin(omega * np.sqrt(1 - ratio**2) * t) / (omega * np.sqrt(1 - ratio**2))
    moved = 4.0 * fine * np.convolve(force, swing)[: t.size]
    noise = np.random.default_rng(2).normal(size=400) * 0.01 * moved.max()
    zero = np.zeros(400)
    at = {"px": zero + 0.06, "py": zero, "pz": zero + 0.01, "qx": zero + 0.06, "qy": zero, "qz": zero + 0.01}
    blows = {"blow": zero, "t": t[::10], "fz": force[::10], "uz": moved[::10] + noise, **at}
    found = pliant.identify.response(blows)
    low, high = next(n["interval"] for n in found["numbers"] if n["name"] == "mode1.frequency")
    assert low < 20 < high < 20.5
    assert abs(abs(found["modes"][0]["shape"][0][0]) - 2.0) < 0.1
    assert any("between the spots" in said for said in found["untold"])
    scene = tmp_path / "bar.toml"
    body = """
[material.rubber]
young = 1e6
density = 1000
[[body]]
name = "bar"
model = "response"
material = "rubber"
solid = { box = { size = [0.12, 0.03, 0.02], cells = [4, 1, 1] } }
[body.response]
fixed = [{ min = [-0.06, -0.015, -0.01], max = [-0.06, 0.015, 0.01] }]
"""
    scene.write_text("duration = 0.1\nstep = 0.001\n" + body)
    written = pliant.identify.response(blows, scene=scene, file=tmp_path / "bar.records")["written"]
    assert written["body"] == "bar" and written["touched"] == 1
    scene.write_text("duration = 0.1\nstep = 0.001\n" + body + 'form = "measured"\nfile = "bar.records"\n')
    pliant.load(scene).step()
    with pytest.raises(pliant.PliantError, match="go together"):
        pliant.identify.response(blows, scene=scene)
