"""What sweeps of the tests measure, in a module that their processes can import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pliant


def shape(world: pliant.World) -> dict[str, Any]:
    """Numbers, text and arrays."""
    body = world.body("cord")
    return {"tip": body.positions[-1], "nodes": body.positions, "count": len(body), "who": world.title}


def slow(world: pliant.World) -> dict[str, Any]:
    """Takes its time, and tells which process it was."""
    time.sleep(0.2)
    return {"process": os.getpid(), **shape(world)}


def broken(world: pliant.World) -> dict[str, Any]:
    """Measures nothing."""
    raise KeyError("nothing there")


def deadly(world: pliant.World) -> dict[str, Any]:
    """Kills its process once for each radius, and always for the largest. Marks are in the folder that the title names."""
    radius = world.body("cord").radius
    mark = Path(world.title) / f"{radius:.6f}"
    first = not mark.exists()
    mark.touch()
    if first or radius > 0.0045:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"died": not first}
